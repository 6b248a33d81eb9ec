"""Tests that tests/tally.py counts results correctly, above all those of a program that broke.
Prints TAP."""
import json
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tally  # noqa: E402
import tap  # noqa: E402

# result, return code, stdout, (passed, failed, skipped)
ROWS = [
    ("OK", 0, "1..2\nok 1 - a\nok 2 - b\n", (2, 0, 0)),
    ("OK", 0, "", (1, 0, 0)),
    ("OK", 0, "hello, ok then\n", (1, 0, 0)),
    ("FAIL", 1, "ok 1 - a\nnot ok 2 - b\nok 3 - c\n", (2, 1, 0)),
    ("FAIL", -11, "1..9\nok 1 - a\n", (1, 1, 0)),
    ("FAIL", 1, "", (0, 1, 0)),
    ("TIMEOUT", -15, "ok 1 - a\n", (1, 1, 0)),
    ("ERROR", 99, "", (0, 1, 0)),
    ("OK", 0, "ok 1 - a # SKIP no port\nok 2 - b\n", (1, 0, 1)),
    ("OK", 0, "ok 1 # skip\n", (0, 0, 1)),
    ("SKIP", 77, "", (0, 0, 1)),
    ("OK", 0, "# ok - tests\nok 1 - a\n", (1, 0, 0)),
]


def case(result, code, stdout, expected):
    entry = json.dumps({"name": "x", "result": result, "returncode": code, "stdout": stdout})
    found = tally.tally_log([entry])
    return [] if found == expected else [f"counted {found}, expected {expected}"]


def remarks_are_those_of_the_failure():
    text = "ok 1 - a\n# fine\nnot ok 2 - b (3 s)\n# why\n# more\nok 3 - c\n# late\n"
    found = tally.remarks(text, "b (3 s)"), tally.remarks(text, "a")
    return [] if found == (["# why", "# more"], []) else [f"found {found}"]


tap.run([("remarks of a failure", remarks_are_those_of_the_failure)] + [(f"tally {n} {row[0]}", lambda r=row: case(*r)) for n, row in enumerate(ROWS)])
