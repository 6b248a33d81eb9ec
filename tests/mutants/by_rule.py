#!/usr/bin/env python3
"""usage: by_rule.py [--count N] [--seed N] [--file WORD] [--list]

Plants faults made by rule (rules.py) in dataplane/wire and dataplane/core, one at a time, and runs
the tests of wire, core and the simulator until one fails. If none fails, the tests of wire and core
run again under the sanitizers. At least 95 of 100 faults must be detected; each other fault must be
in equivalent.txt with the reason why no test can detect it. Prints TAP. --file selects files whose
name contains WORD; --list only lists the faults.
"""
import argparse
import concurrent.futures
import json
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import rules  # noqa: E402

LIBRARIES = ("dataplane/base", "dataplane/wire", "dataplane/core")
TESTS = re.compile(r"/tests/(unit/(base|wire|core(/\w+)?)|sim)/?(?=\w+$)")
LEAST = 95  # percent of the faults that must be detected


def share_libraries(place):
    """Makes the layers under test shared libraries, so that a fault needs one compilation and no
    linking of programs."""
    for folder in LIBRARIES:
        name = folder + "/meson.build"
        place.write(name, place.read(name).replace("static_library(", "shared_library("))
    text = place.read("meson.build")
    place.write("meson.build", text.replace("'-fvisibility=hidden'", "'-fvisibility=default'"))


class Programs:
    """The test programs, and the run time of each without a fault."""

    def __init__(self, place, suites):
        self.place = place
        with open(os.path.join(place.build, "meson-info/intro-tests.json"), encoding="utf-8") as f:
            tests = json.load(f)
        self.tests = [t for t in tests if suites & set(s.split(":")[-1] for s in t["suite"]) and self.is_ours(t["cmd"][0])]
        self.targets = sorted({os.path.relpath(t["cmd"][0], place.build) for t in self.tests})
        self.seconds = {}

    def is_ours(self, program):
        return bool(TESTS.search(os.path.realpath(program))) or bool(TESTS.search(program))

    def fails(self, test, limit):
        return self.place.run(test["cmd"], limit) != 0

    def notices(self, test):
        """Whether the test fails twice in a row: one failure may be a timeout on a busy machine."""
        limit = 20 + 10 * self.seconds[test["name"]]
        return self.fails(test, limit) and self.fails(test, limit)

    def time_all(self):
        """Measures the run time of each test. Returns the names of tests that fail without a
        fault."""
        bad = []
        for t in self.tests:
            begin = time.monotonic()
            if self.fails(t, 300):
                bad.append(t["name"])
            self.seconds[t["name"]] = time.monotonic() - begin
        self.tests.sort(key=lambda t: self.seconds[t["name"]])
        return bad

    def killer(self, stem):
        """The first test that fails, or None. Tests of the changed file run first, then those of
        its family (for cm_index all of cm). A test that hangs counts as failed."""
        family = stem.split("_", maxsplit=1)[0]
        order = sorted(self.tests, key=lambda t: (stem not in t["name"], family not in t["name"]))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = []
            for t in order:
                results.append((t, pool.submit(self.notices, t)))
                while len(results) > 1:
                    first, outcome = results.pop(0)
                    if outcome.result():
                        return first["name"]
            return next((t["name"] for t, outcome in results if outcome.result()), None)


def equivalents():
    """Reads equivalent.txt into {(file, line, old, new): reason}."""
    known = {}
    with open(os.path.join(HERE, "equivalent.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                head, reason = line.rstrip("\n").split(" :: ")
                name, code, old, new = head.split(" | ") if head.count(" | ") == 3 else _with_bars(head)
                known[name, code, old, new] = reason
    return known


def _with_bars(head):
    """Splits a line whose code contains the separator; the first and the last two fields never
    contain it."""
    name, rest = head.split(" | ", 1)
    code, old, new = rest.rsplit(" | ", 2)
    return name, code, old, new


class Strict:
    """The unit tests under AddressSanitizer and UBSan, for faults such as reads out of bounds.
    Built when first needed."""

    def __init__(self, tree):
        self.place, self.programs = bench.Bench(tree, "build-strict"), None

    def make(self):
        """Builds the tests. To be called while no fault is planted in this copy."""
        if self.programs:
            return
        if self.place.setup("-Dbuildtype=plain", "-Doptimization=1", "-Db_sanitize=address,undefined", "-Db_lundef=false"):
            self.programs = Programs(self.place, {"unit"})
        if not self.programs or not self.place.ninja(self.programs.targets) or self.programs.time_all():
            sys.exit("\n".join(["fails under the sanitizers without any fault"] + self.place.tail()))

    def killer(self, stem):
        return self.programs.killer(stem) if self.place.ninja(self.programs.targets) else None


def try_strictly(strict, change):
    """The sanitized test that detects a change which the ordinary tests do not detect, or None."""
    strict.make()
    text = strict.place.read(change.file)
    try:
        strict.place.write(change.file, rules.changed(text, change))
        name = strict.killer(os.path.basename(change.file).split(".")[0])
        return name and name + " under sanitizers"
    finally:
        strict.place.write(change.file, text)


def try_one(place, programs, change):
    """The name of the test that detects the change; None if none does; "" if the change does not
    compile."""
    text = place.read(change.file)
    try:
        place.write(change.file, rules.changed(text, change))
        if not place.ninja(programs.targets):
            return ""
        return programs.killer(os.path.basename(change.file).split(".")[0])
    finally:
        place.write(change.file, text)


def describe(text, change):
    return f"{change.file} | {rules.line_of(text, change)} | {change.old} | {change.new}"


def judge(place, programs, strict, chosen, known):
    """Prints one line per change. Returns the numbers of planted, detected and unexplained
    faults."""
    planted = noticed = unexplained = 0
    for number, change in enumerate(chosen, 1):
        text = place.read(change.file)
        said, killer = describe(text, change), try_one(place, programs, change)
        killer = try_strictly(strict, change) if killer is None else killer
        reason = known.get((change.file, rules.line_of(text, change), change.old, change.new))
        if killer == "":
            print(f"ok {number} - {said} # SKIP does not compile")
            continue
        planted, noticed = planted + 1, noticed + bool(killer)
        unexplained += not killer and not reason
        fate = f"noticed by {killer}" if killer else f"nobody notices: {reason}" if reason else "nobody notices"
        print(f"{'ok' if killer or reason else 'not ok'} {number} - {said} ({change.rule}, line {change.line}): {fate}", flush=True)
    return planted, noticed, unexplained


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--file", default="")
    p.add_argument("--list", action="store_true")
    return p.parse_args()


def main():
    args = arguments()
    os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1")
    chosen = [c for c in rules.sample(bench.ROOT, 10 ** 9 if args.file else args.count, args.seed) if args.file in c.file][:args.count]
    if args.list:
        for c in chosen:
            print(f"{c.file}:{c.line}: {c.rule}: {c.old} -> {c.new}")
        return 0
    with tempfile.TemporaryDirectory(prefix="softrnic-by-rule.") as tree:
        bench.copy_tree(tree)
        place = bench.Bench(tree)
        share_libraries(place)
        if not place.setup("-Dbuildtype=plain", "-Doptimization=1"):
            print("\n".join(place.tail()))
            return 1
        programs = Programs(place, {"unit", "sim"})
        bad = programs.time_all() if place.ninja(programs.targets) else ["the build"] + place.tail()
        if bad or not programs.tests:
            print("fails without any fault: " + "\n".join(bad))
            return 1
        print(f"1..{len(chosen) + 1}", flush=True)
        planted, noticed, unexplained = judge(place, programs, Strict(tree), chosen, equivalents())
        share = 100 * noticed / max(planted, 1)
        enough = share >= LEAST
        print(f"{'ok' if enough else 'not ok'} {len(chosen) + 1} - faults by rule: {noticed} of {planted} noticed, {share:.1f} %, "
              f"seed {args.seed}, not explained {unexplained}")
        return 0 if enough and not unexplained else 1


sys.exit(main())
