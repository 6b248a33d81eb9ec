#!/usr/bin/env python3
"""Runs bench_core with numbers of queue pairs that fill their queues unevenly. Prints TAP. Usage: test_bench_core.py BENCH_CORE"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap  # noqa: E402

# Queue pairs do not complete in turn. Seven have queues of 23 requests for 160 receives: one is full while others have room.
RUNS = ["--op=send --qps=7 --regions=1000", "--op=send --qps=7", "--op=send --qps=3 --window=100", "--op=send --qps=2",
        "--op=send --qps=150", "--op=send --qps=1000", "--op=send --qps=3 --window=3 --burst=2", "--op=write --qps=7",
        "--op=read --qps=7", "--op=send --regions=1000 --signal=16", "--op=read --size=65536 --qps=5"]


def succeeds(options):
    done = subprocess.run([sys.argv[1], *options.split(), "--messages=20000"], capture_output=True, text=True, timeout=60, check=False)
    return [] if done.returncode == 0 else [f"status {done.returncode}: {done.stderr.strip()}"]


tap.run([(f"bench_core {o}", lambda o=o: succeeds(o)) for o in RUNS])
