#!/usr/bin/env python3
"""Applies each fault of mutants.py and checks that its suite fails. Prints TAP.

With --tier, and unless $SOFTRNIC_TIER is "full", only every tenth fault is applied. The number of
commits decides which tenth it is, so that ten commits in a row have all of them.
"""
import argparse
import os
import queue
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import mutants  # noqa: E402
import rotation  # noqa: E402
import tap  # noqa: E402

JOBS = 2  # parallel jobs, each with a copy of the tree
SOUND_SECONDS = 300
PARTS = 10  # of the list, with --tier
# A test counts as failed if it takes this many times as long as without a fault, and this many seconds more.
PATIENCE, SPARE_SECONDS = 10, 10


class Bench(bench.Bench):
    def make(self, suites):
        return self.ninja(sorted({mutants.SUITES[s][0] for s in suites}))

    def passes(self, suite, seconds):
        target, arguments = mutants.SUITES[suite]
        arguments = [a.format(sim=os.path.join(self.tree, "tests/sim")) for a in arguments]
        return self.run([os.path.join(self.build, target), *arguments], seconds) == 0


# Without optimisation and debug information, since a fault takes longer to compile than to find.
def sound_tree(place, suites):
    if not place.setup("-Dbuildtype=debug", "-Ddebug=false", "-Dlto=false") or not place.make(suites):
        return place.tail()
    place.took, bad = {}, []
    for s in sorted(suites):
        since = time.monotonic()
        bad += [] if place.passes(s, SOUND_SECONDS) else [f"{s} fails without any fault"] + place.tail()
        place.took[s] = time.monotonic() - since
    return bad


def is_killed(place, m):
    text = place.read(m.file)
    if text.count(m.text) != 1:
        return [f"{m.file}: the text occurs {text.count(m.text)} times, not once"]
    try:
        place.write(m.file, text.replace(m.text, m.instead))
        if not place.make([m.suite]):
            return ["does not compile"] + place.tail()
        longest = PATIENCE * place.took[m.suite] + SPARE_SECONDS
        return [f"survives {m.suite}"] if place.passes(m.suite, longest) else []
    finally:
        place.write(m.file, text)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("word", nargs="*", help="only the faults with one of these words in their name")
    p.add_argument("--tier", action="store_true", help="a tenth of the faults, unless $SOFTRNIC_TIER is full")
    options = p.parse_args()
    chosen = [m for m in mutants.MUTANTS if not options.word or any(w in m.name for w in options.word)]
    if options.tier and os.environ.get("SOFTRNIC_TIER") != "full":
        chosen = rotation.rotation(chosen, PARTS)
    suites, idle = {m.suite for m in chosen}, queue.SimpleQueue()

    def prepare(tree):
        place = Bench(tree)
        try:
            bench.copy_tree(tree)
            return sound_tree(place, suites)
        finally:
            idle.put(place)

    def try_one(m):
        place = idle.get()
        try:
            return is_killed(place, m)
        finally:
            idle.put(place)

    with tempfile.TemporaryDirectory(prefix="softrnic-mutants.") as top, ThreadPoolExecutor(JOBS) as pool:
        sound = [pool.submit(prepare, os.path.join(top, str(n))) for n in range(JOBS)]
        tried = [(m.name, pool.submit(try_one, m).result) for m in chosen]
        tap.run([("the tree without a fault", lambda: [line for s in sound for line in s.result()])] + tried)


main()
