#!/usr/bin/env python3
"""Does the text of every fault in the list occur in its file exactly once, and are the names
unique?"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import mutants  # noqa: E402
import tap  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))


def has_its_place(m):
    with open(os.path.join(ROOT, m.file), encoding="utf-8") as f:
        n = f.read().count(m.text)
    bad = [] if n == 1 else [f"{m.file}: the text occurs {n} times, not once: {m.text!r}"]
    bad += [] if m.text != m.instead else ["nothing changes"]
    return bad + ([] if m.suite in mutants.SUITES else [f"no suite {m.suite}"])


def names_differ():
    names = [m.name for m in mutants.MUTANTS]
    return sorted({f"{name}: two faults of one name" for name in names if names.count(name) > 1})


tap.run([(m.name, lambda m=m: has_its_place(m)) for m in mutants.MUTANTS] + [("names differ", names_differ)])
