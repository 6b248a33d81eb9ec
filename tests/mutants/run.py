#!/usr/bin/env python3
"""usage: run.py [WORD...]      applies each deliberate fault of mutants.py and demands that its suite fails; prints TAP"""
import functools
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import mutants  # noqa: E402
import tap  # noqa: E402

TEST_SECONDS = 60


class Bench(bench.Bench):
    def make(self, suites):
        return self.ninja(sorted({mutants.SUITES[s][0] for s in suites}))

    def passes(self, suite):
        target, arguments = mutants.SUITES[suite]
        arguments = [a.format(sim=os.path.join(self.tree, "tests/sim")) for a in arguments]
        return self.run([os.path.join(self.build, target), *arguments], TEST_SECONDS) == 0


def sound_tree(place, suites):
    if not place.setup("-Dbuildtype=debugoptimized") or not place.make(suites):
        return place.tail()
    return [line for s in sorted(suites) if not place.passes(s) for line in [f"{s} fails without any fault"] + place.tail()]


def is_killed(place, m):
    text = place.read(m.file)
    if text.count(m.text) != 1:
        return [f"{m.file}: the text occurs {text.count(m.text)} times, not once"]
    try:
        place.write(m.file, text.replace(m.text, m.instead))
        if not place.make([m.suite]):
            return ["does not compile"] + place.tail()
        return [f"survives {m.suite}"] if place.passes(m.suite) else []
    finally:
        place.write(m.file, text)


def main():
    chosen = [m for m in mutants.MUTANTS if not sys.argv[1:] or any(w in m.name for w in sys.argv[1:])]
    with tempfile.TemporaryDirectory(prefix="softrnic-mutants.") as tree:
        bench.copy_tree(tree)
        place = Bench(tree)
        checks = [("the tree without a fault", functools.partial(sound_tree, place, {m.suite for m in chosen}))]
        checks += [(m.name, functools.partial(is_killed, place, m)) for m in chosen]
        tap.run(checks)


main()
