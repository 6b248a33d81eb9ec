#!/usr/bin/env python3
"""Runs bench_link with --turns, and counts the frames that it loses. Prints TAP. Usage: test_bench_link.py BENCH_LINK"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap  # noqa: E402

LOSS = 0.01  # of the frames


def lost_share(*options):
    """How many of the frames that end a sends are lost, against the configured loss."""
    done = subprocess.run([sys.argv[1], "--op=write", "--size=65536", "--mtu=4096", "--window=16", "--burst=32", "--secs=0.6",
                           "--stats", f"--loss={100 * LOSS}", *options], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    # counters that are zero are not printed
    count = {name: int(value) for name, value in re.findall(r"^(\w+) +(\d+)$", done.stderr, re.M)}
    lost = count.get("port_impaired_lost", 0)
    return lost / (count["port_tx_frames"] + lost) / LOSS


def loses_what_is_configured():
    share = lost_share()
    return [] if 0.7 < share < 1.3 else [f"{share:.2f} of the configured loss"]


# The epochs are equally many and equally long. Those with loss send fewer frames, or the same number if the path is slow.
def loses_in_every_other_epoch():
    share = lost_share("--turns")
    return [] if 0.05 < share < 0.75 else [f"{share:.2f} of the configured loss, in all epochs together"]


tap.run([(f.__name__, f) for f in (loses_what_is_configured, loses_in_every_other_epoch)])
