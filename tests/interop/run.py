#!/usr/bin/env python3
"""Runs softrnic against Linux soft-RoCE in a virtual machine and prints TAP.

usage: run.py [--core | --tier] [--list] [--cache DIR] [--capture DIR] BUILD [PATTERN...]

--core runs the cases of continuous integration; --tier does so too unless $SOFTRNIC_TIER is "full".
PATTERNs are regular expressions that select cases by name. --capture keeps a pcap file of each of
softrnic's programs. The last line is "interop: N passed, N failed[, N skipped]". The exit status is
0 when no case failed and 77 when no guest can run on this machine.
"""
import itertools
import os
import pathlib
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guest")]
import choice  # noqa: E402
from cases import cases  # noqa: E402
from lab import Lab  # noqa: E402
from peer import available  # noqa: E402
from shared import SharedLab  # noqa: E402
from vhost import VhostLab  # noqa: E402

LABS = {"tap": Lab, "vhost": VhostLab, "daemon": SharedLab}


def play(lab, case, number):
    """Plays one case and prints its line. Returns (passed, number of known peer bugs seen)."""
    start, notes = time.monotonic(), []
    bad = []
    try:
        bad += case.play.play(lab, notes)
    except Exception:  # pylint: disable=broad-except
        bad += traceback.format_exc().splitlines()
    lab.end_programs()
    bad += lab.complaints()
    print(f"{'not ok' if bad else 'ok'} {number} - {case.name} ({time.monotonic() - start:.1f} s)")
    for line in notes + bad[:60]:
        print(f"# {line[:400]}")
    sys.stdout.flush()
    if bad:
        lab.clean_up()
    return not bad, sum(note.startswith("peer fault") for note in notes)


def main():
    options = choice.parse(__doc__, "--capture")
    chosen = choice.choose(cases(), options)
    if options.list:
        choice.show(chosen)
        return 0
    why = available() or (None if os.geteuid() == 0 else "network namespaces need root")
    if why:
        return choice.skip("interop", why)
    print(f"1..{len(chosen)}")
    failed = faults = 0
    for kind, cases_of_lab in itertools.groupby(enumerate(chosen, 1), lambda numbered: numbered[1].lab):
        with tempfile.TemporaryDirectory(prefix="interop-") as work, LABS[kind](options.build, options.cache, work) as lab:
            if options.capture:
                os.makedirs(options.capture, exist_ok=True)
                lab.capture = str(pathlib.Path(options.capture).resolve() / f"case-{kind}")
            for number, case in cases_of_lab:
                held, more = play(lab, case, number)
                failed += not held
                faults += more
    print(f"# known faults of the peer's programs: {faults}")
    print(f"interop: {len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
