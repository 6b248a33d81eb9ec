"""usage: check_symbols.py pure LIBRARY...            checks the libraries below the purity line
       check_symbols.py exports LIBRARY HEADER...   checks the exports of the shared library
       check_symbols.py jumps LIBRARY...            checks that jumps and returns of each object
                                                    are checked by the CPU
Prints TAP."""
import functools
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import hardening  # noqa: E402
import symbols  # noqa: E402
import tap  # noqa: E402

kind, paths = sys.argv[1], sys.argv[2:]
if kind == "pure":
    tap.run([(rule.__name__, functools.partial(rule, paths)) for rule in (symbols.pure_calls, symbols.no_globals)])
elif kind == "exports":
    tap.run([("exports", functools.partial(symbols.exports, paths[0], paths[1:]))])
elif kind == "jumps":
    tap.run([(os.path.basename(path), functools.partial(hardening.jumps_are_checked, path)) for path in paths])
else:
    sys.exit(__doc__)
