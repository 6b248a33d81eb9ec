#!/usr/bin/env python3
"""Plays programs of verbs over softrnic and prints TAP.

usage: run.py [--tier] [--list] BUILD [PATTERN...]

PATTERNs are regular expressions that select cases by name. --tier plays the core set only, unless $SOFTRNIC_TIER is "full". The last
line is "verbs: N passed, N failed", with the number of skipped cases if there are any. The exit status is 0 when no case failed.
"""
import functools
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import abi  # noqa: E402,F401  pylint: disable=unused-import
import behind  # noqa: E402,F401  pylint: disable=unused-import
import devices  # noqa: E402,F401  pylint: disable=unused-import
import perftest  # noqa: E402,F401  pylint: disable=unused-import
import pingpong  # noqa: E402,F401  pylint: disable=unused-import
import programs  # noqa: E402,F401  pylint: disable=unused-import
import python_tests  # noqa: E402,F401  pylint: disable=unused-import
import tap  # noqa: E402
from verbs import CASES  # noqa: E402


def watched(name, function, build, failed, skipped):
    """Plays a case; adds its name to `failed` if it has complaints, to `skipped` if it cannot run here."""
    bad = ["has not ended"]
    try:
        bad = function(build)
    except tap.Skip:
        bad = []
        skipped.append(name)
        raise
    finally:
        if bad:
            failed.append(name)
    return bad


def main():
    words = sys.argv[1:]
    show, core = "--list" in words, "--tier" in words and os.environ.get("SOFTRNIC_TIER") != "full"
    words = [word for word in words if word not in ("--list", "--tier")]
    if not words or words[0].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    chosen = [(name, function) for name, function, is_core in CASES
              if (is_core or not core) and (not words[1:] or any(re.search(p, name) for p in words[1:]))]
    if show:
        print(*(name for name, _ in chosen), sep="\n")
        return 0
    failed, skipped = [], []
    try:
        return tap.run([(name, functools.partial(watched, name, function, os.path.abspath(words[0]), failed, skipped))
                        for name, function in chosen])
    finally:
        passed = len(chosen) - len(failed) - len(skipped)
        print(f"verbs: {passed} passed, {len(failed)} failed" + (f", {len(skipped)} skipped" if skipped else ""))


if __name__ == "__main__":
    sys.exit(main())
