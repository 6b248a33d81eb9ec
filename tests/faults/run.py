#!/usr/bin/env python3
"""usage: run.py [--tier] BUILD [WORD...]

Plants each fault of faults.py (only those whose test's name contains a WORD) into the library of
BUILD and requires that its test fails; prints TAP and, last, "N of N faults found".
With --tier, and unless $SOFTRNIC_TIER is "full", only every third fault is planted, another third with each commit."""
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import faults  # noqa: E402
import rotation  # noqa: E402

JOBS = 2
PARTS = 3  # of the list, with --tier
SOUND_SECONDS = 60  # time limit of a test without a fault
SOUND_TRIES = 2  # a test that fails once without a fault would make all its faults fail


def seconds_for(sound):
    """The time limit of a test with a fault, in seconds: without it a test whose completion is
    missing would wait long."""
    return 25 + 4 * sound


def try_sound(work, program, test):
    """Runs the test without a fault; returns (seconds, complaint or None)."""
    began, why = 0, None
    for _ in range(SOUND_TRIES):
        began = time.monotonic()
        try:
            why = work.run_test(program, test, None, SOUND_SECONDS)
        except ValueError as broken:
            why = str(broken)
        if not why:
            break
    return time.monotonic() - began, f"fails without a fault: {why}" if why else None


def try_fault(work, fault, program, sound):
    """Runs the test with the fault; returns (the failure, complaint or None)."""
    seconds, complaint = sound
    if complaint:
        return None, complaint
    with tempfile.TemporaryDirectory(prefix="softrnic-fault.") as folder:
        try:
            work.plant(fault, folder)
            said = work.run_test(program, fault.test, folder, seconds_for(seconds))
        except ValueError as why:
            return None, str(why)
    return said, None if said else "is not noticed"


def main():
    words = [w for w in sys.argv[1:] if w != "--tier"]
    if not words:
        sys.exit(__doc__)
    build = words.pop(0)
    chosen = [f for f in faults.FAULTS if not words or any(w in f.test for w in words)]
    if "--tier" in sys.argv and os.environ.get("SOFTRNIC_TIER") != "full":
        chosen = rotation.rotation(chosen, PARTS)
    programs = faults.programs()
    work = bench.Bench(ROOT, build)
    found = 0
    with ThreadPoolExecutor(JOBS) as pool:
        tests = sorted({f.test for f in chosen})
        sound = dict(zip(tests, pool.map(lambda t: try_sound(work, programs[t], t), tests)))
        tried = pool.map(lambda f: try_fault(work, f, programs[f.test], sound[f.test]), chosen)
        print(f"1..{len(chosen)}")
        for number, (fault, (said, complaint)) in enumerate(zip(chosen, tried), 1):
            found += not complaint
            print(f"{'not ok' if complaint else 'ok'} {number} - {fault.test}: {fault.what}")
            print(f"#    {fault.file}: {complaint or said}".rstrip().replace("\n", "\n# "), flush=True)
    rows = {f.row for f in chosen}
    print(f"# {len(rows)} rows")
    print(f"{found} of {len(chosen)} faults found")
    return 0 if found == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
