#!/usr/bin/env python3
"""Reports which rows of docs/spec/nd2.md and docs/spec/rocev2.md hold.

usage: conformance.py OUT.json [--nd2 TESTLOG.JSON...] [--wire TESTLOG.JSON...]   reads meson's logs
       conformance.py --rows              lists the tests in the sources: row, file, test
       conformance.py --programs BUILD    lists the meson tests that show wire rows

ND2 tests are named after rows, nd2_row_042_...; a row may have several tests. A row holds when it
has a test under each idle policy and all its tests passed. The results a program printed count only
if the program ended normally. wire.py explains the rows of docs/spec/rocev2.md. OUT.json lists the
tests of each row and their results; the last lines printed are "conformance nd2: P of N" and
"conformance wire: P of N". The exit status is 0 when all rows of the given parts hold, except
exempt ones, and nothing else failed. """
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import rows as tables  # noqa: E402
import tally  # noqa: E402
import wire  # noqa: E402

ROWS = [f"{row:0>{3 + row[-1].isalpha()}}" for row in tables.rows(tables.ND2)]  # "042", "086a"
POLICIES = ("adaptive", "poll", "inline")  # the first is that of programs named after no policy
NAME = re.compile(r"\bnd2_row_(\d{3}a?)_\w+")


def policy_of(program):
    return next((p for p in POLICIES if program.endswith("_" + p)), POLICIES[0])


def results_of(entry):
    """Yields (test, passed) for each test with a row in one entry of meson's log."""
    _passed, failed, _skipped = tally.tally_program(entry)
    broke = bool(failed) and failed[-1].startswith("the program:")
    for negative, _number, name in tally.TAP.findall(entry.get("stdout") or ""):
        test = NAME.match(name)
        if test:
            yield test.group(), not (negative or broke or tally.SKIP.search(name))


def collect(entries):
    """Returns (row -> list of results, complaints about failures outside rows and about names
    without a row)."""
    rows, others = {row: [] for row in ROWS}, []
    for entry in entries:
        program = entry["name"].split(" / ")[-1]
        for test, passed in results_of(entry):
            row = NAME.match(test).group(1)
            if row in rows:
                rows[row].append({"test": test, "program": program, "policy": policy_of(program),
                                  "result": "passed" if passed else "failed"})
            else:
                others.append(f"{program}: {test} names no row")
        others += [f"{program}: {name}" for name in tally.tally_program(entry)[1] if not NAME.match(name)]
    return rows, others


def complaint(results):
    """Returns the reason why a row does not hold, or None."""
    if not results:
        return "no test"
    failed = [f"{r['test']} ({r['policy']})" for r in results if r["result"] != "passed"]
    if failed:
        return "failed: " + ", ".join(failed)
    missing = [p for p in POLICIES if not any(r["policy"] == p for r in results)]
    return "not run under " + ", ".join(missing) if missing else None


def entries_of(logs):
    entries = []
    for log in logs:
        with open(log, encoding="utf-8", errors="replace") as f:
            entries += [json.loads(line) for line in f]
    return entries


def report(entries):
    """Returns the same tuple as wire.report(), for the rows of ND2."""
    rows, others = collect(entries)
    complaints = {row: complaint(results) for row, results in rows.items()}
    written = {row: {"result": "failed" if complaints[row] else "passed", "tests": rows[row]} for row in ROWS}
    lines = [f"row {row.lstrip('0')}: {complaints[row]}" for row in ROWS if complaints[row]]
    lines += [f"beside the rows: {other}" for other in others]
    held = sum(not c for c in complaints.values())
    return written, lines, f"conformance nd2: {held} of {len(ROWS)}", not lines


def report_all(out, logs):
    """Writes OUT.json, prints the complaints, and returns the exit status. logs: lists of paths
    under the keys "nd2" and "wire"; a part without a key is not reported."""
    parts = [judge(entries_of(logs[part])) for part, judge in (("nd2", report), ("wire", wire.report)) if part in logs]
    with open(out, "w", encoding="utf-8") as f:
        json.dump({row: what for part in parts for row, what in part[0].items()}, f, indent=1)
        f.write("\n")
    for part in parts:
        print(*part[1], sep="\n", end="\n" if part[1] else "")
    for part in parts:
        print(part[2])
    return 0 if all(part[3] for part in parts) else 1


def in_sources(folder):
    """Returns (row, file, test) for each test in the list of a program."""
    found = set()
    for path in glob.glob(os.path.join(folder, "test_*.c")):
        with open(path, encoding="utf-8") as f:
            for test in re.finditer(r"\b(?:\w*unit_test\w*|\w+)\(\s*(nd2_row_(\d{3}a?)_\w+)\s*[,)]", f.read()):
                if test.group(1) != "void":
                    found.add((test.group(2), os.path.basename(path), test.group(1)))
    return sorted(found)


def print_rows():
    found = in_sources(os.path.join(os.path.dirname(HERE), "nd2"))
    for row, path, test in found:
        print(row, path, test)
    for row in sorted(set(ROWS) - {row for row, _, _ in found}):
        print(row, "-", "-")
    found = wire.in_sources()
    for row in wire.rows():
        for _, path, test in sorted(t for t in found if t[0] == row) or [(row, "-", "-")]:
            print(row, path, test)


def main():
    if sys.argv[1:] == ["--rows"]:
        print_rows()
        return 0
    if sys.argv[1:2] == ["--programs"] and len(sys.argv) == 3:
        print(*wire.programs(sys.argv[2]))
        return 0
    logs, kind = {}, None
    for word in sys.argv[2:]:
        if word in ("--nd2", "--wire"):
            kind = logs.setdefault(word[2:], [])
        elif kind is None:
            sys.exit(__doc__)
        else:
            kind.append(word)
    if not logs:
        sys.exit(__doc__)
    return report_all(sys.argv[1], logs)


if __name__ == "__main__":
    sys.exit(main())
