#!/usr/bin/env python3
"""Verbs programs over softrnic against nd_* over the same port, and UCX over softrnic against UCX over TCP, in the same run.

usage: verbs.py [-r ROUNDS] [-k TEXT] [BUILD]

Two processes are joined by memif, or for TCP by the loopback interface. Both adapters have the idle policy inline, so two threads
are busy, each on a CPU of its own. Rounds of both kinds alternate; a ratio is that of the best figures of each kind, because other
load and distant CPUs (docs/benchmarks.md) only make a figure worse. Exit status 1: a ratio misses its required value. Debian's
packages perftest and ucx-utils must be installed.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import baselines

CONFIG = """adapters = ({{ name = "v{n}"; port = "memif"; socket = "{folder}/memif"; role = "{role}"; mac = "02:00:00:00:0e:0{n}";
    ipv4 = [ "192.0.2.{n}/24" ]; mtu = 9000; }});
idle = {{ policy = "inline"; }};
log = {{ level = "error"; }};
"""
# what, program of verbs, words of both programs, column of the figure in the last row, unit, is a latency, required ratio
PERFTEST = [
    ("SEND 64 B, latency", "ib_send_lat", "-s 64 -n 20000 -I 64", 4, "us", True, 1.1),
    ("SEND 4 KiB, latency", "ib_send_lat", "-s 4096 -n 20000 -I 0", 4, "us", True, 1.1),
    ("WRITE 64 KiB", "ib_write_bw", "-s 65536 -D 3", 3, "MB/s", False, 0.9),
    ("WRITE 1 MiB", "ib_write_bw", "-s 1048576 -D 3", 3, "MB/s", False, 0.9),
]
# what, words of ucx_perftest, column in baselines.ucx_row(), unit, is a latency, required ratio
UCX = [
    ("UCX 8 B, latency", "-t tag_lat -s 8 -n 20000 -w 1000", 1, "us", True, 1 / 3),
    ("UCX 1 MiB", "-t tag_bw -s 1048576 -n 4000 -w 100", 5, "MiB/s", False, 1.5),
]
TCP = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
RC = {"UCX_TLS": "rc_v,self", "UCX_NET_DEVICES": "softrnic0:1"}


def pair(argv, more, folder):
    """Runs a server and its client, the program `argv`, and returns what the client prints."""
    envs = []
    for n, role in ((1, "server"), (2, "client")):
        conf = pathlib.Path(folder, f"{n}.conf")
        conf.write_text(CONFIG.format(n=n, role=role, folder=folder), encoding="utf-8")
        envs.append({**os.environ, **more, "SOFTRNIC_CONFIG": str(conf)})
    argv = [*argv, "-p", str(next(baselines.PORTS))]
    return baselines.two_ends(argv, [*argv, "127.0.0.1"], *envs)


def perftest_figure(text, column):
    rows = [line.split() for line in text.splitlines() if line.split() and all(w.replace(".", "").isdigit() for w in line.split())]
    return float(rows[-1][column])


def measure(row, mine, build, folder):
    """Returns one figure: over verbs and softrnic with `mine`, else that of the yardstick."""
    run = [os.path.join(build, "provider/verbs/softrnic-run")]
    if row in UCX:
        _, words, column = row[:3]
        text = pair((run if mine else []) + ["ucx_perftest", "-f", *words.split()], RC if mine else TCP, folder)
        return baselines.ucx_row(text)[column]
    _, program, words, column = row[:4]
    argv = run + [program] if mine else [os.path.join(build, "perf", program.replace("ib_", "nd_"))]
    catalogue = {"SOFTRNIC_ND_CATALOG": os.path.join(build, "provider/nd.d")}
    return perftest_figure(pair(argv + words.split(), catalogue, folder), column)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-r", "--rounds", type=int, default=5)
    parser.add_argument("-k", "--rows", default="", metavar="TEXT", help="only rows whose name contains TEXT")
    parser.add_argument("build", nargs="?", default="build")
    options = parser.parse_args()
    missing = [p for p in ("ib_send_lat", "ib_write_bw", "ucx_perftest") if not shutil.which(p)]
    if missing:
        sys.exit(f"not installed: {' '.join(missing)}")
    missed = False
    print(f"{'':22s} {'verbs':>10s} {'yardstick':>10s} {'':5s}  {'ratio':>6s}  required")
    for row in (r for r in PERFTEST + UCX if options.rows in r[0]):
        figures = {True: [], False: []}
        with tempfile.TemporaryDirectory(prefix="verbs-perf-") as folder:
            for _ in range(options.rounds):
                for mine in (True, False):
                    figures[mine].append(measure(row, mine, options.build, folder))
        unit, is_latency, required = row[-3:]
        verbs, other = ((min if is_latency else max)(figures[mine]) for mine in (True, False))
        ratio = verbs / other
        missed |= ratio > required if is_latency else ratio < required
        print(f"{row[0]:22s} {verbs:10.2f} {other:10.2f} {unit:5s}  {ratio:6.2f}  {'<=' if is_latency else '>='} {required:.2f}", flush=True)
    sys.exit(missed)


try:
    main()
except baselines.Absent as why:
    sys.exit(str(why))
