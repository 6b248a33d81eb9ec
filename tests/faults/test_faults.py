"""Prints TAP: the text of each fault in faults.py occurs in the sources once, and its test
exists."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import faults  # noqa: E402
import tap  # noqa: E402

ENOUGH = 60  # rows of docs/spec/nd2.md with a fault, at least


def has_its_place(fault):
    try:
        bench.replaced(ROOT, fault)
    except ValueError as why:
        return [str(why)]
    return []


def without_place():
    return [why for fault in faults.FAULTS for why in has_its_place(fault)]


def without_test():
    return [f"{f.test} is not in tests/nd2" for f in faults.FAULTS if f.test not in faults.programs()]


def too_few():
    rows = {f.row for f in faults.FAULTS}
    return [] if len(rows) >= ENOUGH else [f"{len(rows)} rows, fewer than {ENOUGH}"]


def lost_ones_are_found():
    """The check finds a text that is missing, one that occurs twice, and one that changes
    nothing."""
    lost = [faults.F("nd2_row_001_x", "", faults.CQ, text, instead)
            for text, instead in [("no such text", ""), ("ULONG", ""), ("HRESULT hr;\n\n\tif (type >", "HRESULT hr;\n\n\tif (type >")]]
    return [f"{f.text} passes" for f in lost if not has_its_place(f)]


tap.run([("faults have their place", without_place), ("faults have their test", without_test),
         ("enough rows", too_few), ("lost places are found", lost_ones_are_found)])
