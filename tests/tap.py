"""Runs named checks and prints their outcome as TAP, which tests/tally.py counts."""
import sys
import traceback


class Skip(Exception):
    """Raised by a check that cannot run here; the text says why."""


def run(checks):
    """Runs checks: a list of (name, function that returns a list of complaints or raises). Exits with 1 when a check failed."""
    bad = 0
    print(f"1..{len(checks)}")
    for number, (name, function) in enumerate(checks, 1):
        try:
            complaints = function() or []
        except Skip as why:
            print(f"ok {number} - {name} # SKIP {why}")
            continue
        except Exception:  # a check that raises has failed; the other checks still run
            complaints = traceback.format_exc().splitlines()
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}")
        for line in complaints[:100]:
            print(f"# {line}")
        bad += bool(complaints)
    sys.stdout.flush()
    sys.exit(1 if bad else 0)
