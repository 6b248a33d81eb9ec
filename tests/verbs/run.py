#!/usr/bin/env python3
"""Plays programs of verbs over softrnic and prints TAP.

usage: run.py [--tier] [--list] BUILD [PATTERN...]

PATTERNs are regular expressions that select cases by name. --tier plays the core set only, unless $SOFTRNIC_TIER is "full". The last
line is "verbs: N passed, N failed", with the number of skipped cases if there are any. The exit status is 0 when no case failed.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import abi  # noqa: E402,F401  pylint: disable=unused-import
import behind  # noqa: E402,F401  pylint: disable=unused-import
import devices  # noqa: E402,F401  pylint: disable=unused-import
import libfabric  # noqa: E402,F401  pylint: disable=unused-import
import mpi  # noqa: E402,F401  pylint: disable=unused-import
import named  # noqa: E402
import nd  # noqa: E402,F401  pylint: disable=unused-import
import perftest  # noqa: E402,F401  pylint: disable=unused-import
import pingpong  # noqa: E402,F401  pylint: disable=unused-import
import programs  # noqa: E402,F401  pylint: disable=unused-import
import python_tests  # noqa: E402,F401  pylint: disable=unused-import
import rdmacm  # noqa: E402,F401  pylint: disable=unused-import
import rxe  # noqa: E402,F401  pylint: disable=unused-import
import several  # noqa: E402,F401  pylint: disable=unused-import
import ucx  # noqa: E402,F401  pylint: disable=unused-import
from verbs import CASES  # noqa: E402


if __name__ == "__main__":
    sys.exit(named.main("verbs", __doc__, CASES))
