#!/usr/bin/env python3
"""Plays the cases of softrnicd and prints TAP.

usage: run.py [--tier] [--list] BUILD [PATTERN...]

PATTERNs are regular expressions that select cases by name. --tier repeats what is random less often
unless $SOFTRNIC_TIER is "full". The last line is "daemon: N passed, N failed[, N skipped]". The exit status is 0
when no case failed.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import life  # noqa: E402,F401  pylint: disable=unused-import
import limits  # noqa: E402,F401  pylint: disable=unused-import
import messages  # noqa: E402,F401  pylint: disable=unused-import
import named  # noqa: E402
import ports  # noqa: E402,F401  pylint: disable=unused-import
import tables  # noqa: E402,F401  pylint: disable=unused-import
import traffic  # noqa: E402,F401  pylint: disable=unused-import
from daemon import CASES  # noqa: E402


if __name__ == "__main__":
    # --tier plays every case, and makes the long ones shorter (traffic.py).
    sys.exit(named.main("daemon", __doc__, [(name, function, True) for name, function in CASES]))
