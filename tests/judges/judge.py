"""Runs every judge of judges.py on captures, and prints TAP.

usage: judge.py CAPTURE...                        judges these pcap files
       judge.py --made-by PROGRAM [ARGUMENT...]   judges what PROGRAM ARGUMENT... FILE writes"""
import functools
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import judges  # noqa: E402
import tap  # noqa: E402



def ask_all(paths):
    tap.run([(f"{judge.__name__} {os.path.basename(path)}", functools.partial(judge, path))
             for path in paths for judge in judges.JUDGES])


if len(sys.argv) < 2 or sys.argv[1:] == ["--made-by"]:
    sys.exit(__doc__)
if sys.argv[1] == "--made-by":
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made.pcap")
        if subprocess.run([*sys.argv[2:], made], check=False).returncode:
            sys.exit(f"{sys.argv[2]} failed")
        ask_all([made])
else:
    ask_all(sys.argv[1:])
