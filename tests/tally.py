#!/usr/bin/env python3
"""How many tests passed, failed, were skipped in one meson run?

usage: tally.py TESTLOG.JSON             prints "passed failed skipped", and names what failed on standard error
                                         with the remarks ("# ...") that it printed
       tally.py --suites < INTROSPECTION prints the suites that `meson introspect --tests` knows

A program that prints TAP ("ok 1 - name") counts once per line; any other program counts as one test. A program that
failed without a "not ok" (it crashed, or ran out of time) counts as one failure beside what it printed.
"""
import json
import re
import sys

REMARKS = 24  # lines of remarks that are printed of a test that failed
TAP = re.compile(r"^\s*(not )?ok\b[ \t]*(\d*)[ \t-]*(.*)$", re.M)
SKIP = re.compile(r"#\s*SKIP\b", re.I)


def tally_program(entry):
    """Returns (passed, [names that failed], skipped) for one line of meson's test log."""
    result = entry.get("result", "")
    passed = skipped = 0
    failed = []
    for negative, _number, name in TAP.findall(entry.get("stdout") or ""):
        if SKIP.search(name):
            skipped += 1
        elif negative:
            failed.append(name.strip())
        else:
            passed += 1
    seen = passed + skipped + len(failed)
    if result in ("OK", "EXPECTEDFAIL"):
        passed += 0 if seen else 1
    elif result == "SKIP":
        skipped += 0 if seen else 1
    elif not failed:
        failed.append(f"the program: {result} {entry.get('returncode', '')}".strip())
    return passed, failed, skipped


def remarks(text, name):
    """The lines that follow "not ok N - NAME" and begin with "#", but at most REMARKS."""
    found = re.search(rf"^\s*not ok\b[ \t]*\d*[ \t-]*{re.escape(name)}[ \t]*\n((?:[ \t]*#.*\n?)*)", text, re.M)
    return found.group(1).splitlines()[:REMARKS] if found else []


def tally_log(lines):
    passed = skipped = failed = 0
    for line in lines:
        entry = json.loads(line)
        p, names, s = tally_program(entry)
        for name in names:
            print(f"FAILED {entry.get('name')}: {name}", *remarks(entry.get("stdout") or "", name), sep="\n", file=sys.stderr)
        passed, failed, skipped = passed + p, failed + len(names), skipped + s
    return passed, failed, skipped


def suites(introspection):
    """Returns the suites in order of first appearance, without the project's name; a test without a suite is left out."""
    found = []
    for test in json.load(introspection):
        for suite in test["suite"]:
            name = suite.split(":")[-1]
            if name not in found:
                found.append(name)
    return found


def main():
    if sys.argv[1:] == ["--suites"]:
        print(*suites(sys.stdin), sep="\n")
    elif len(sys.argv) == 2:
        try:
            with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
                print(*tally_log(log))
        except FileNotFoundError:
            print("0 0 0")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
