#!/usr/bin/env python3
"""Runs softrnic on emulated PCI network cards in a virtual machine and prints TAP.

usage: run.py [--core | --tier] [--list] [--cache DIR] BUILD [PATTERN...]

--core runs the cases of continuous integration; --tier does so too unless $SOFTRNIC_TIER is "full".
PATTERNs are regular expressions that select cases by name; then known failures are played as well.
The last line is "hardware: N passed, N failed[, N skipped]". The exit status is 0 when no case
failed and 77 when no guest can run on this machine.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guest")]
from cases import cases, known  # noqa: E402
from guest import available  # noqa: E402
from lab import Lab  # noqa: E402


def arguments():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n", 2)[1][7:])
    p.add_argument("--core", action="store_true")
    p.add_argument("--tier", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--cache")
    p.add_argument("build")
    p.add_argument("pattern", nargs="*")
    options = p.parse_args()
    options.core |= options.tier and os.environ.get("SOFTRNIC_TIER") != "full"
    return options


def play(lab, case):
    """Plays one case; its complaints."""
    try:
        bad = case.play.play(lab)
    except Exception:  # pylint: disable=broad-except
        bad = traceback.format_exc().splitlines()
    try:
        clean = lab.end_programs() and lab.vfio()
        faults = lab.faults()
    except Exception:  # pylint: disable=broad-except
        clean, faults = False, []
        bad += traceback.format_exc().splitlines()
    if not clean:  # what is left must not disturb the next case
        lab.reborn()
    return bad + ([f"the IOMMU reported {len(faults)} faults"] + faults[:5] if faults else [])


def main():
    options = arguments()
    chosen = [c for c in cases() if (c.core or not options.core) and
              (not options.pattern or any(re.search(p, c.name) for p in options.pattern))]
    if options.list:
        print(*(f"{'core' if c.core else '    '} {c.name}{' (known to fail)' if known(c) else ''}" for c in chosen), sep="\n")
        return 0
    why = available()
    if why:
        print(f"1..1\nok 1 - hardware # SKIP {why}\nhardware: 0 passed, 0 failed, 1 skipped")
        return 77
    cache = options.cache or pathlib.Path(options.build).resolve() / "guest"
    print(f"1..{len(chosen)}")
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="hardware-") as work, Lab(options.build, cache, work) as lab:
        for number, case in enumerate(chosen, 1):
            why = f"known to fail: {known(case)}" if known(case) and not options.pattern else None
            why = why or (lab.wires.missing if case.model not in lab.cards else None)
            if why:
                print(f"ok {number} - {case.name} # SKIP {why}")
                skipped += 1
                continue
            start = time.monotonic()
            bad = play(lab, case)
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - {case.name} ({time.monotonic() - start:.1f} s)")
            for line in bad[:60]:
                print(f"# {line[:400]}")
            sys.stdout.flush()
    print(f"hardware: {len(chosen) - failed - skipped} passed, {failed} failed{f', {skipped} skipped' if skipped else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
