"""usage: judge.py CAPTURE...     what every judge of judges.py says about pcap files, as TAP"""
import functools
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import judges  # noqa: E402
import tap  # noqa: E402

if len(sys.argv) < 2:
    sys.exit(__doc__)
tap.run([(f"{judge.__name__} {os.path.basename(path)}", functools.partial(judge, path))
         for path in sys.argv[1:] for judge in judges.JUDGES])
