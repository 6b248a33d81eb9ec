"""Which cases does a run.py play? The options that tests/interop and tests/hardware have in common, and the cases that they choose.

A case has a name and is in the core set or not.
"""
import argparse
import os
import pathlib
import re


def parse(doc, *more):
    """The options of the command line. doc: the script's docstring, whose second paragraph begins with "usage:". more: further
    options that take a word."""
    p = argparse.ArgumentParser(usage=doc.split("\n\n", 2)[1][7:])
    p.add_argument("--core", action="store_true")
    p.add_argument("--tier", action="store_true")
    p.add_argument("--list", action="store_true")
    for option in ("--cache", *more):
        p.add_argument(option)
    p.add_argument("build")
    p.add_argument("pattern", nargs="*")
    options = p.parse_args()
    options.core |= options.tier and os.environ.get("SOFTRNIC_TIER") != "full"
    options.cache = options.cache or pathlib.Path(options.build).resolve() / "guest"
    return options


def choose(cases, options):
    return [c for c in cases if (c.core or not options.core) and
            (not options.pattern or any(re.search(p, c.name) for p in options.pattern))]


def show(chosen, note=lambda case: ""):
    """Prints the names of the cases, as --list does."""
    print(*(f"{'core' if c.core else '    '} {c.name}{note(c)}" for c in chosen), sep="\n")


def skip(suite, why):
    """Says that no case can be played on this machine. Returns the exit status for meson."""
    print(f"1..1\nok 1 - {suite} # SKIP {why}\n{suite}: 0 passed, 0 failed, 1 skipped")
    return 77
