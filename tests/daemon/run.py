#!/usr/bin/env python3
"""Plays the cases of softrnicd and prints TAP.

usage: run.py [--tier] [--list] BUILD [PATTERN...]

PATTERNs are regular expressions that select cases by name. --tier repeats what is random less often
unless $SOFTRNIC_TIER is "full". The last line is "daemon: N passed, N failed". The exit status is 0
when no case failed.
"""
import functools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import life  # noqa: E402,F401  pylint: disable=unused-import
import limits  # noqa: E402,F401  pylint: disable=unused-import
import messages  # noqa: E402,F401  pylint: disable=unused-import
import ports  # noqa: E402,F401  pylint: disable=unused-import
import tables  # noqa: E402,F401  pylint: disable=unused-import
import tap  # noqa: E402
import traffic  # noqa: E402,F401  pylint: disable=unused-import
from daemon import CASES  # noqa: E402


def watched(name, function, build, failed):
    """Plays a case; adds its name to `failed` if it has complaints."""
    bad = ["has not ended"]
    try:
        bad = function(build)
    except tap.Skip:
        bad = []
        raise
    finally:
        if bad:
            failed.append(name)
    return bad


def main():
    words = sys.argv[1:]
    show = "--list" in words
    words = [word for word in words if word not in ("--list", "--tier")]
    if not words or words[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    chosen = [(name, function) for name, function in CASES if not words[1:] or any(re.search(p, name) for p in words[1:])]
    if show:
        print(*(name for name, _ in chosen), sep="\n")
        return 0
    failed = []
    try:
        return tap.run([(name, functools.partial(watched, name, function, words[0], failed)) for name, function in chosen])
    finally:
        print(f"daemon: {len(chosen) - len(failed)} passed, {len(failed)} failed")


if __name__ == "__main__":
    sys.exit(main())
