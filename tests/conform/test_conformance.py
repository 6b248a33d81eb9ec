"""Tests that conformance.py counts a row only when each of its tests passed (ND2: under every
policy). Prints TAP."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import conformance  # noqa: E402
import tap  # noqa: E402
import wire  # noqa: E402

GOOD = "1..1\nok 1 - nd2_row_042_a\n"


def three(stdout, result="OK", names=("nd2_x", "nd2_x_poll", "nd2_x_inline")):
    return [{"name": "softrnic:conform / " + name, "result": result, "returncode": 0, "stdout": stdout} for name in names]


# name: (entries of the log, complaint about row 42 (None: the row holds), number of complaints
# outside rows)
CASES = {
    "all passed": (three(GOOD), None, 0),
    "one policy failed": (three(GOOD)[:2] + three("not ok 1 - nd2_row_042_a\n", "FAIL")[2:], "failed: nd2_row_042_a (inline)", 0),
    "one of two tests failed": (three("ok 1 - nd2_row_042_a\nnot ok 2 - nd2_row_042_b\n", "FAIL"),
                                "failed: nd2_row_042_b (adaptive), nd2_row_042_b (poll), nd2_row_042_b (inline)", 0),
    "a policy is missing": (three(GOOD)[:2], "not run under inline", 0),
    "no test": (three("ok 1 - nd2_row_043_a\n"), "no test", 0),
    "skipped": (three("ok 1 - nd2_row_042_a # SKIP why\n"),
                "failed: nd2_row_042_a (adaptive), nd2_row_042_a (poll), nd2_row_042_a (inline)", 0),
    "the program broke": (three(GOOD, "FAIL")[:1] + three(GOOD)[1:], "failed: nd2_row_042_a (adaptive)", 1),
    "another test failed": (three(GOOD + "not ok 2 - nd2_own_b\n", "FAIL", ["nd2_x"]) + three(GOOD)[1:], None, 1),
    "no such row": (three(GOOD + "ok 2 - nd2_row_169_b\n", "OK", ["nd2_x"]) + three(GOOD)[1:], None, 1),
    "a letter is another row": (three("ok 1 - nd2_row_042a_a\n"), "no test", 3),
}


def case(entries, expected, beside):
    rows, others = conformance.collect(json.loads(json.dumps(entries)))
    said = conformance.complaint(rows["042"])
    bad = [] if said == expected else [f"says {said}, expected {expected}"]
    return bad + ([] if len(others) == beside else [f"beside the rows: {others}"])


def the_rows():
    wrong = len(conformance.ROWS) != 169 or conformance.ROWS[85:88] != ["086", "086a", "087"]
    return ["not the 169 rows"] if wrong else []


def one(stdout, name="wire_frames", result="OK"):
    return [{"name": "softrnic:unit / " + name, "result": result, "returncode": 0, "stdout": stdout}]


# name: (entries of the log, rows they show, rows that do not hold, number of names without a row)
WIRE_CASES = {
    "a C test": (one("ok 1 - wire_row_F12_a\n"), "F12", "", 0),
    "a test of two rows": (one("ok 1 - wire_row_F12_R3_a\n"), "F12 R3", "", 0),
    "a script": (one("ok 1 - r5_r6_a\n", "rows"), "R5 R6", "", 0),
    "a script's name elsewhere": (one("ok 1 - r5_r6_a\n"), "", "", 0),
    "one of two failed": (one("ok 1 - wire_row_F12_a\nnot ok 2 - wire_row_F12_b\n", result="FAIL"), "F12", "F12", 0),
    "skipped": (one("ok 1 - wire_row_F12_a # SKIP why\n"), "F12", "F12", 0),
    "broke": (one("ok 1 - wire_row_F12_a\n", result="FAIL"), "F12", "F12", 0),
    "no such row": (one("ok 1 - wire_row_F33_a\n"), "", "", 1),
    "words with digits": (one("ok 1 - r5_v4_a\n", "rows"), "R5", "", 0),
}


def wire_case(entries, shown, broken, strays):
    rows, others = wire.collect(entries)
    really = " ".join(row for row in rows if rows[row])
    bad = " ".join(row for row in rows if rows[row] and wire.complaint(rows[row]))
    return [] if (really, bad, len(others)) == (shown, broken, strays) else [f"{really}; {bad}; {others}"]


def the_wire_rows():
    counts = {"F": 32, "R": 42, "D": 20, "A": 29, "Q": 47, "U": 15, "C": 40, "E": 12, "S": 10}
    expected = [f"{part}{n + 1}" for part in counts for n in range(counts[part])]
    bad = [] if list(wire.rows()) == expected else ["not the 247 rows"]
    excused = wire.exempt()
    return bad + ([] if len(excused) <= wire.MOST_EXEMPT and set(excused) <= set(expected) else ["exempt.txt"])


def names_lead_somewhere():
    return [f"{path}: {test} names no row" for row, path, test in wire.in_sources() if row not in wire.rows()]


tap.run([("169 rows", the_rows), ("247 rows", the_wire_rows), ("names of wire tests", names_lead_somewhere)] +
        [("wire: " + name, lambda c=c: wire_case(*c)) for name, c in WIRE_CASES.items()] +
        [(name, lambda c=c: case(*c)) for name, c in CASES.items()])
