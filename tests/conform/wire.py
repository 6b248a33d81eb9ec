"""Finds the tests of the rows of docs/spec/rocev2.md, and reports which rows hold.

A test named wire_row_F12_... shows row F12, wire_row_R5_R6_... shows two rows; in a script of
tests/sim/*.rows (run by programs named rows...) the names are r5_r6_... without the prefix. A row
holds when it has a test and all its tests passed. exempt.txt lists rows that need hardware which
the project does not have; their tests show a part of the row. """
import glob
import json
import os
import re
import subprocess

import rows as tables
import tally

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
IDS = r"((?:[FRDAQUCES]\d+_)+)"
NAME = re.compile(rf"\bwire_row_{IDS}\w+(?!\w*\s*\()")
SCRIPT = re.compile(rf"^== {IDS}\w+", re.I | re.M)
IN_SCRIPT = re.compile(rf"^{IDS}\w+", re.I)
MOST_EXEMPT = 6


def rows():
    """Returns id -> rule, in the order of the page."""
    return tables.rows(tables.WIRE)


def exempt():
    """Returns id -> (reason, tests that show a part of the row)."""
    found = {}
    with open(os.path.join(HERE, "exempt.txt"), encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                row, why, shown = (part.strip() for part in line.split("|"))
                found[row] = (why, shown)
    return found


def ids(text):
    return [part.upper() for part in text.strip("_").split("_")]


def rows_of(program, test):
    """Returns the rows that a test of this name shows when this program prints it."""
    found = NAME.match(test) or (IN_SCRIPT.match(test) if program.startswith("rows") else None)
    return ids(found.group(1)) if found else []


def collect(entries):
    """Returns (row -> list of results, complaints about tests named after a row that does not
    exist)."""
    found, strays = {row: [] for row in rows()}, []
    for entry in entries:
        program = entry["name"].split(" / ")[-1]
        failed = tally.tally_program(entry)[1]
        broke = bool(failed) and failed[-1].startswith("the program:")
        for negative, _number, name in tally.TAP.findall(entry.get("stdout") or ""):
            for row in rows_of(program, name):
                if row not in found:
                    strays.append(f"{program}: {name} names no row")
                    continue
                good = not (negative or broke or tally.SKIP.search(name))
                found[row].append({"test": name.split()[0], "program": program, "result": "passed" if good else "failed"})
    return found, strays


def complaint(results):
    """Returns the reason why a row does not hold, or None."""
    if not results:
        return "no test"
    failed = [f"{r['test']} ({r['program']})" for r in results if r["result"] != "passed"]
    return "failed: " + ", ".join(failed) if failed else None


def report(entries):
    """Returns (row -> its entry in OUT.json, complaints as lines, the summary line, whether there
    is no complaint)."""
    found, lines = collect(entries)
    excused = exempt()
    written, held, without = {}, 0, []
    for row, results in found.items():
        why_not = complaint(results)
        written[row] = {"result": "exempt" if row in excused else "failed" if why_not else "passed", "tests": results}
        if row in excused:
            written[row]["why"], written[row]["shown"] = excused[row]
        else:
            held += not why_not
        if not results and row not in excused:
            without.append(row)
        elif results and why_not:
            lines.append(f"row {row}: {why_not}")
    if len(excused) > MOST_EXEMPT or not set(excused) <= set(found):
        lines.append(f"exempt.txt: more than {MOST_EXEMPT} rows, or rows that do not exist")
    more = f", {len(excused)} exempt" if excused else ""
    lines += ["rows without a test: " + " ".join(without)] if without else []
    return written, lines, f"conformance wire: {held} of {len(found)}{more}", not lines


def names_in(path):
    """Returns (ids, test) for each test in a source file."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    pattern = SCRIPT if path.endswith(".rows") else NAME
    return sorted({(found.group(1), found.group().removeprefix("== ")) for found in pattern.finditer(text)})


def in_sources():
    """Returns the set of (row, file, test) for all tests in the sources."""
    found = set()
    for path in glob.glob(os.path.join(TESTS, "**", "*"), recursive=True):
        if path.endswith((".c", ".cpp", ".py", ".sh", ".rows")) and os.path.dirname(path) != HERE:
            for which, test in names_in(path):
                found |= {(row, os.path.relpath(path, TESTS), test) for row in ids(which)}
    return found


def introspect(build, what):
    return json.loads(subprocess.run(["meson", "introspect", "--" + what, build], check=True, capture_output=True).stdout)


def programs(build):
    """Returns the names of the meson tests that show wire rows, found by the sources of their
    programs and by the files among their arguments."""
    sources = {}
    for target in introspect(build, "targets"):
        for name in target["filename"]:
            sources[name] = [s for part in target["target_sources"] for s in part.get("sources", [])]
    found = []
    for test in introspect(build, "tests"):
        files = sum((sources.get(word, []) for word in test["cmd"]), []) + test["cmd"][1:]
        files = [os.path.normpath(f) for f in files if not f.endswith(".rows") or test["name"].startswith("rows")]
        files = [f for f in files if f.startswith(TESTS + os.sep) and os.path.isfile(f) and os.path.dirname(f) != HERE]
        if test["name"] not in found and any(names_in(f) for f in files if f.endswith((".c", ".cpp", ".py", ".sh", ".rows"))):
            found.append(test["name"])
    return found
