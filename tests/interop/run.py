#!/usr/bin/env python3
"""Runs softrnic against Linux soft-RoCE in a virtual machine and prints TAP.

usage: run.py [--core | --tier] [--list] [--cache DIR] [--capture DIR] BUILD [PATTERN...]

--core runs the cases of continuous integration; --tier does so too unless $SOFTRNIC_TIER is "full".
PATTERNs are regular expressions that select cases by name. --capture keeps a pcap file of each of
softrnic's programs. The last line is "interop: N passed, N failed[, N skipped]". The exit status is
0 when no case failed and 77 when no guest can run on this machine.
"""
import argparse
import itertools
import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases import cases  # noqa: E402
from lab import Lab  # noqa: E402
from peer import available  # noqa: E402
from vhost import VhostLab  # noqa: E402

LABS = {"tap": Lab, "vhost": VhostLab}


def arguments():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n", 2)[1][7:])
    p.add_argument("--core", action="store_true")
    p.add_argument("--tier", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--cache")
    p.add_argument("--capture")
    p.add_argument("build")
    p.add_argument("pattern", nargs="*")
    options = p.parse_args()
    options.core |= options.tier and os.environ.get("SOFTRNIC_TIER") != "full"
    return options


def play(lab, case, number):
    """Plays one case and prints its line. Returns (passed, number of known peer bugs seen)."""
    start, notes = time.monotonic(), []
    try:
        bad = case.play.play(lab, notes)
    except Exception:  # pylint: disable=broad-except
        bad = traceback.format_exc().splitlines()
    lab.end_programs()
    print(f"{'not ok' if bad else 'ok'} {number} - {case.name} ({time.monotonic() - start:.1f} s)")
    for line in notes + bad[:60]:
        print(f"# {line[:400]}")
    sys.stdout.flush()
    if bad:  # programs left in the guest must not disturb the next case
        try:
            lab.guest.run("killall -9 rping ucmatose udaddy ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw", 10)
        except Exception:  # pylint: disable=broad-except
            lab.reborn()
    return not bad, sum(note.startswith("peer fault") for note in notes)


def main():
    options = arguments()
    chosen = [c for c in cases() if (c.core or not options.core) and
              (not options.pattern or any(re.search(p, c.name) for p in options.pattern))]
    if options.list:
        print(*(f"{'core' if c.core else '    '} {c.name}" for c in chosen), sep="\n")
        return 0
    why = available() or (None if os.geteuid() == 0 else "network namespaces need root")
    if why:
        print(f"1..1\nok 1 - interop # SKIP {why}\ninterop: 0 passed, 0 failed, 1 skipped")
        return 77
    cache = options.cache or pathlib.Path(options.build).resolve() / "guest"
    print(f"1..{len(chosen)}")
    failed = faults = 0
    for kind, cases_of_lab in itertools.groupby(enumerate(chosen, 1), lambda numbered: numbered[1].lab):
        with tempfile.TemporaryDirectory(prefix="interop-") as work, LABS[kind](options.build, cache, work) as lab:
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
