#!/usr/bin/env python3
"""Runs softrnic on emulated PCI network cards in a virtual machine and prints TAP.

usage: run.py [--core | --tier] [--list] [--cache DIR] BUILD [PATTERN...]

--core runs the cases of continuous integration; --tier does so too unless $SOFTRNIC_TIER is "full".
PATTERNs are regular expressions that select cases by name; then known failures are played as well.
The last line is "hardware: N passed, N failed[, N skipped]". The exit status is 0 when no case
failed and 77 when no guest can run on this machine.
"""
import pathlib
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "guest")]
import choice  # noqa: E402
from cases import cases, known  # noqa: E402
from guest import available  # noqa: E402
from lab import Lab  # noqa: E402


def play_once(lab, case):
    """Plays one case. Returns its complaints, and whether a signal has ended QEMU."""
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
    crashed = not clean and lab.guest.crashed()
    if not clean:  # what is left must not disturb the next case
        lab.reborn()
    return bad + ([f"the IOMMU reported {len(faults)} faults"] + faults[:5] if faults else []), crashed


def play(lab, case):
    """Plays one case, and once more if a signal ended QEMU: that may be a bug of the emulator, or a machine that is short of memory. A
    case that crashes QEMU twice has failed. Returns the complaints, and the remarks on a case that has passed."""
    bad, crashed = play_once(lab, case)
    if not crashed:
        return bad, []
    again, _ = play_once(lab, case)
    remarks = ["QEMU crashed, so the case was played again", *bad]
    return (remarks + again, []) if again else ([], remarks)


def main():
    options = choice.parse(__doc__)
    chosen = choice.choose(cases(), options)
    if options.list:
        choice.show(chosen, lambda c: " (known to fail)" if known(c) else "")
        return 0
    why = available()
    if why:
        return choice.skip("hardware", why)
    print(f"1..{len(chosen)}")
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="hardware-") as work, Lab(options.build, options.cache, work) as lab:
        for number, case in enumerate(chosen, 1):
            why = f"known to fail: {known(case)}" if known(case) and not options.pattern else None
            why = why or (lab.wires.missing if case.model not in lab.cards else None)
            if why:
                print(f"ok {number} - {case.name} # SKIP {why}")
                skipped += 1
                continue
            start = time.monotonic()
            bad, remarks = play(lab, case)
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - {case.name} ({time.monotonic() - start:.1f} s)")
            for line in (bad or remarks)[:90]:
                print(f"# {line[:400]}")
            sys.stdout.flush()
    print(f"hardware: {len(chosen) - failed - skipped} passed, {failed} failed{f', {skipped} skipped' if skipped else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
