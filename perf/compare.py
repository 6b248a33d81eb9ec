#!/usr/bin/env python3
"""Compares softrnic with its targets and with other transports.

Runs softrnic, the bare pump on the same port, dpdk-testpmd and every other transport that is installed (TCP and UDP of the kernel,
UCX over TCP, libfabric over UDP), prints one row per target with figure and verdict, writes build/perf.json and draws the charts of
docs/img/. Adapter and pump run alternately, and only epochs of one distance of the two cores are compared (perf/distance.h); a
ratio is the median over rounds. Rows that could not be measured say why, and are never met. Exit status 1: a row is missed.
"""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

import baselines
import instructions
import svg
import targets

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUICK_S = 150       # --quick begins no measurement after this time
# of both programs: frames per burst, mbufs of each end, slots of net_ring, message memory; and of the pump alone
COMMON = ["--burst=32", "--mbufs=4096", "--ring=1024", f"--buffer={2 * (1048576 + 64)}", "--json"]
PUMP = ["--mbuf-size=9024", "--bsize=9024", "--rsize=8", "--no-huge"]
SIZES = (64, 512, 4096, 32768, 262144, 1048576)
MIB = 1048576
# The rates of 64 bytes over ring and on one core post lists, as perftest's programs do with -l 16 and --recv_post_list 16; the note
# has the rate with one request in a call.
LISTS, SINGLE = ["--post-list=16"], ("single posts", ["--post-list=1"])
TURNS = 3           # of softrnic and the other transports, and of the runs of a chart over sizes
REGIMES = ("smt", "near", "far")  # distances of the two cores, the nearest first (perf/distance.h)


class Unmeasured(Exception):
    """The text says why a row has no figure."""


def runnable():
    """How many threads run, or wait for a CPU, at this moment."""
    with open("/proc/loadavg", encoding="ascii") as f:
        return int(f.read().split()[3].split("/")[0])


def others_running(samples=40):
    """The mean number of runnable threads of other programs, over a fifth of a second in which this one only sleeps. The load averages
    of the kernel would not do: they still hold what this comparison itself ran a minute ago."""
    seen = []
    for _ in range(samples):
        time.sleep(0.005)
        seen.append(runnable() - 1)
    return statistics.mean(seen)


class Bench:
    """The programs of one build, the length of an epoch series, and the time that is left."""

    def __init__(self, place, quick, busy=True):
        self.place, self.quick, self.busy, self.since = place, quick, busy, time.monotonic()
        self.rounds, self.secs = (1, 0.4) if quick else (5, 1.0)

    def spent(self):
        return time.monotonic() - self.since

    def run(self, program, *options):
        """The objects that a program prints as JSON, one or one per line."""
        if self.quick and self.spent() > QUICK_S:
            raise Unmeasured("no time left in --quick")
        path = os.path.join(self.place, program)
        if not os.access(path, os.X_OK):
            raise Unmeasured(f"no {program}")
        try:
            r = subprocess.run([path, *options], capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired as late:
            raise Unmeasured(f"{program} takes too long") from late
        if r.returncode != 0:
            raise Unmeasured(f"{program}: {' '.join(r.stderr.split())[-200:]}")
        return [json.loads(line) for line in r.stdout.split("\n") if line]

    def need_cores(self):
        """Two programs that share a core with others measure the others."""
        if self.busy:
            return
        others = others_running()
        if others >= os.cpu_count():
            raise Unmeasured(f"{others:.1f} other threads run on {os.cpu_count()} CPUs; --busy measures all the same")

    def link(self, *options):
        return self.run("bench_link", f"--secs={self.secs}", *COMMON, *options)[0]

    def pump(self, figure, more, *options):
        """The better figure of each regime, whichever way the pools of the pump keep free mbufs."""
        best = {}
        for pool in "ring", "stack":
            found = self.run("bench_pump", f"--secs={self.secs}", *COMMON, *PUMP, f"--pool={pool}", *options)[0]
            for regime, row in found["regimes"].items():
                if figure in row and row["epochs"] >= 3 and (regime not in best or (row[figure] > best[regime]) == more):
                    best[regime] = row[figure]
        return best

    def pairs(self, figure, more, both, adapter, pump=None, beside=None):
        """The median of the adapter's figure divided by that of the pump, with a note; and the adapter's rows. `beside` is a text and
        further options: the note then also has the median with these options, measured in the same rounds."""
        self.need_cores()
        found, also, rows = [], [], []
        for _ in range(self.rounds):
            bare = self.pump(figure, more, *(pump or both))
            rows.append(self.link(*both, *adapter))
            found += shares(figure, rows[-1], bare)
            if beside:
                also += shares(figure, self.link(*both, *adapter, *beside[1]), bare)
        if not found:
            raise Unmeasured("no two epochs of one regime")
        ratio = statistics.median(f[0] for f in found)
        _, regime, mine, bare = min(found, key=lambda f: abs(f[0] - ratio))
        note = (f"{regime}: {targets.number(mine)} / {targets.number(bare)}, worst and best of {len(found)}: "
                f"{min(f[0] for f in found):.2f} {max(f[0] for f in found):.2f}")
        if beside:
            note += f"; {beside[0]} {statistics.median(f[0] for f in also):.3g}" if also else f"; {beside[0]} not measured"
        return (ratio, note), rows


def shares(figure, mine, bare):
    """(ratio, regime, the adapter's figure, the pump's) for each regime in which both have one."""
    found = []
    for regime, value in bare.items():
        row = mine["regimes"].get(regime, {})
        if regime != "mixed" and row.get("epochs", 0) >= 3 and row[figure] > 0 and value > 0:
            found.append((row[figure] / value, regime, row[figure], value))
    return found


class Results:
    def __init__(self, bench):
        self.bench, self.figures, self.curves = bench, {}, {}

    def take(self, keys, function):
        """Adds the rows that a measurement returns. If it fails, its keys say why."""
        try:
            found = function(self.bench, self.curves)
        except (Unmeasured, baselines.Absent, RuntimeError, OSError, subprocess.SubprocessError) as why:
            found = {key: (None, str(why)) for key in keys}
        self.figures.update(found)
        for key in found:
            print(f"  {self.bench.spent():4.0f} s  {key}: {targets.number(found[key][0])}", file=sys.stderr, flush=True)


# ---- the measurements: each returns {key of a row: (figure, note)} and may add curves ----

def counts(kind, op, size=64, mtu=1024):
    def measure(bench, curves):
        why = instructions.why_not(bench.place)
        if why:
            raise Unmeasured(why)
        with tempfile.TemporaryDirectory() as folder:
            n = instructions.Scenario(f"{kind}:{op}:{size}:{mtu}").count(bench.place, folder)
        return {f"count {kind} {op}": (n, "")}
    return measure


def testpmd(bench, curves):
    bench.need_cores()
    r = subprocess.run([os.path.join(TOP, "perf", "pump_vs_testpmd.sh"), "-n", "-r", "1" if bench.quick else "3",
                        "-b", os.path.join(bench.place, "bench_pump")], capture_output=True, text=True, timeout=200, check=False)
    found = re.search(r"best testpmd = ([\d.]+)", r.stdout)
    if not found:
        raise Unmeasured(r.stdout.strip().split("\n")[-1] or "pump_vs_testpmd.sh failed")
    return {"testpmd": (float(found.group(1)), "")}


def stream(port, op):
    def measure(bench, curves):
        # a pump has no answer of its own for a READ: its frames are those of a WRITE
        lists = (LISTS, SINGLE) if port == "ring" else ([], None)
        row, _ = bench.pairs("mmsg", True, [f"--port={port}", f"--op={op}", "--size=64", "--mtu=1024"],
                             ["--window=128", "--signal=16", *lists[0]], beside=lists[1])
        return {f"{port} {op}": row}
    return measure


def solo(op):
    def measure(bench, curves):
        row, _ = bench.pairs("mmsg", True, ["--solo", f"--op={op}", "--size=64", "--mtu=1024"],
                             ["--window=128", "--signal=16", *LISTS], beside=SINGLE)
        return {f"solo {op}": row}
    return measure


def trip(port):
    def measure(bench, curves):
        row, runs = bench.pairs("rtt_ns_p50", False, [f"--port={port}", "--size=64", "--mtu=1024", "--rtt"],
                                ["--window=1", "--signal=1"])
        regime, found = nearest({0: [r["regimes"] for r in runs]})
        times = [statistics.median(g[f"rtt_ns_{p}"] for g in found[0]) for p in ("p50", "p99", "p999")]
        median, tail = times[0], times[2]
        curves.setdefault("latency", {})[f"softrnic, {port} ({regime})"] = list(enumerate(times))
        removed = 100 * sum(r["removed"] for r in runs) / max(1, sum(r["round_trips"] for r in runs))
        return {f"{port} trip": row, f"{port} p999": (tail / median, f"{tail:.0f} / {median:.0f} ns, gaps removed"),
                f"{port} removed": (removed, "")}
    return measure


def bulk(op, mtu):
    def measure(bench, curves):
        both = ["--port=memif", f"--size={MIB}", f"--mtu={mtu}"]
        # the data of a READ flows from the server of the memif to its client, and the pump's with --reverse too
        pump = [*both, "--op=write", *(["--reverse"] if op == "read" else [])]
        row, _ = bench.pairs("gbit", True, [*both, f"--op={op}"], ["--window=8"], pump)
        return {f"bulk {op} {mtu}": row}
    return measure


def post(batch):
    def measure(bench, curves):
        r = bench.run("bench_link", "--solo", f"--posts={5000 if bench.quick else 50000}", f"--batch={batch}", "--json")[0]
        return {f"post {batch}": (r["post_ns"] + r["reap_ns"], f"post {r['post_ns']:.0f}, reap {r['reap_ns']:.0f}, without turns")}
    return measure


def scale(bench, curves):
    r = subprocess.run([os.path.join(bench.place, "bench_core"), "--help"], capture_output=True, text=True, check=False)
    if "--scale" not in r.stdout:
        raise Unmeasured("bench_core has no --scale")
    rows = bench.run("bench_core", "--scale", "--op=write", "--size=64", "--json", f"--reps={5 if bench.quick else 25}")
    many = [x for x in rows if x["regions"] == 1]
    deep = {x["qps"]: x for x in many if x["depth"]}
    in_all = {x["qps"]: x for x in many if not x["depth"]}
    curves["qps"] = {"128 outstanding in all": [(n, x["ratio"]) for n, x in in_all.items()],
                     "128 outstanding on each": [(1, 1.0)] + [(n, x["ratio"]) for n, x in deep.items()]}
    found = {f"qps {n}": (x["ratio"], f"{in_all[n]['ratio']:.2f} with 128 in all") for n, x in deep.items()}
    found.update({"regions": (x["ratio"], "") for x in rows if x["regions"] == 1000000})
    return found


LOSSES = (0.1, 0.3, 1)


def goodput(bench, *options):
    """For each loss in per cent: the goodput against none, and a note. In a run each epoch with loss is followed by one without. An
    adapter that loses no frame still draws a random number for each, since a network that loses frames costs the sender nothing."""
    bench.need_cores()
    options = ["--op=write", f"--size={MIB}", "--mtu=4096", "--window=4", f"--secs={2 if bench.quick else 5}", "--turns", *options]
    runs = {percent: [] for percent in LOSSES}
    for _ in range(1 if bench.quick else 5):
        for percent, found in runs.items():
            found.append(bench.link(*options, f"--loss={percent}")["regimes"])
    return {0: (1.0, ""), **{percent: goodput_ratio(found) for percent, found in runs.items()}}


def goodput_ratio(runs):
    """The goodput of epochs with loss divided by that of epochs without: the median over the runs, at the smallest distance of the cores
    that the runs had, with a note on each distance."""
    medians, notes = [], []
    for regime in REGIMES:
        ratios = [(g["gbit_mean"] / g["gbit_clean"], g["gbit_clean"]) for g in (run.get(regime) for run in runs)
                  if g and g["epochs"] >= 20 and g["gbit_clean"] > 0]
        if ratios:
            medians.append(statistics.median(r for r, _ in ratios))
            notes.append(f"{regime} {medians[-1]:.3f} of {statistics.median(c for _, c in ratios):.0f} Gbit/s "
                         f"({min(ratios)[0]:.2f} to {max(ratios)[0]:.2f}, {len(ratios)} runs)")
    if not medians:
        raise Unmeasured("no two epochs with cores of one distance")
    return medians[0], "; ".join(notes)


def loss(bench, curves):
    found = goodput(bench)
    curves.setdefault("loss", {})["softrnic to softrnic, ring"] = [(percent, ratio) for percent, (ratio, _) in found.items()]
    return {f"loss {percent:g}": found[percent] for percent in (0.1, 1)}


def peer_loss(bench, curves):
    found = goodput(bench, "--port=memif", "--drop")
    curves.setdefault("loss", {})["to a peer that goes back N, memif"] = [(p, ratio) for p, (ratio, _) in found.items()]
    return {f"peer loss {percent:g}": found[percent] for percent in (0.1, 1)}


def connections(bench, curves):
    r = bench.run("bench_connect", f"--secs={3 if bench.quick else 10}", "--json")[0]
    return {"connections": (r["per_second"], f"slowest second {r['min']:.0f}")}


def start(bench, curves):
    runs = [bench.run("bench_link", "--solo", "--secs=0.05", "--json")[0]["start_ms"] for _ in range(2 * bench.rounds + 1)]
    return {"start": (statistics.median(runs), "from main() to two connected adapters")}


def memory_row(text):
    """What tests/port/test_idle_memory.c prints: bytes of a queue pair beyond its queues, and what part of them the CM has."""
    found = re.search(r"^(\d+) bytes, (\d+) of them in the connection manager; queues (\d+)$", text, re.M)
    if not found:
        raise Unmeasured("test_idle_memory printed no figure")
    return float(found.group(1)), f"{found.group(2)} of them in the connection manager"


def qp_memory(bench, curves):
    program = os.path.join(bench.place, "..", "tests", "port", "test_idle_memory")
    if not os.access(program, os.X_OK):
        raise Unmeasured("no test_idle_memory in this build")
    # The test fails above the target, and prints the figure before.
    r = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    return {"qp memory": memory_row(r.stdout + r.stderr)}


VETH = "ip link add ia type veth peer name ib && ip link set ia up && ip link set ib up && exec \"$0\" \"$@\" --ifaces=ia,ib"


def idle_row(found):
    """Figure and note of the costliest port. `found` maps a port to what bench_idle says of it, or to why nothing is known."""
    rows = {port: r for port, r in found.items() if not isinstance(r, str)}
    texts = [f"{port} {r['percent']:.2f} (woken in {r['wake_us_p50']:.0f} us, 99 % {r['wake_us_p99']:.0f})" if port in rows
             else f"{port}: {r}" for port, r in found.items()]
    if not rows:
        raise Unmeasured(", ".join(texts))
    return max(r["percent"] for r in rows.values()), ", ".join(texts)


def idle(bench, curves):
    options = [f"--secs={2 if bench.quick else 5}", f"--wakes={20 if bench.quick else 100}", "--json"]
    found = {port: bench.run("bench_idle", f"--port={port}", *options)[0] for port in ("ring", "memif")}
    # a network namespace of its own, so that the machine's interfaces stay as they are
    r = subprocess.run(["unshare", "-n", "sh", "-c", VETH, os.path.join(bench.place, "bench_idle"), "--port=af_packet", *options],
                       capture_output=True, text=True, timeout=60, check=False)
    found["af_packet"] = json.loads(r.stdout) if r.returncode == 0 else "needs root" if os.geteuid() else r.stderr.strip()[-80:]
    return {"idle": idle_row(found)}


def in_turn(functions, better):
    """The best figure of each function, or the text that says why it has none. They are called in turn, so that neither another
    program on the machine nor a phase in which the two cores are far from each other decides between them."""
    found = {}
    for _ in range(TURNS):
        for name, function in functions.items():
            if isinstance(found.get(name), str):
                continue
            try:
                figure = function()
                found[name] = better(figure, found.get(name, figure))
            except (Unmeasured, baselines.Absent) as why:
                found.setdefault(name, str(why))
    if isinstance(found["softrnic"], str):
        raise Unmeasured(found["softrnic"])
    return found


def trips(bench, curves):
    bench.need_cores()

    def own():
        found = bench.link("--port=ring", "--size=64", "--mtu=1024", "--rtt", "--window=1", "--signal=1")["regimes"]
        return min(g["rtt_ns_p50"] for g in found.values())

    def kernel(protocol, *options):
        r = bench.run("bench_kernel", "--rtt", *options, f"--secs={bench.secs}")[0]
        curves.setdefault("latency", {})[f"{protocol} on lo"] = [(i, r[f"rtt_ns_{p}"]) for i, p in enumerate(("p50", "p99", "p999"))]
        return r["rtt_ns_p50"]

    found = in_turn({"softrnic": own, "tcp": lambda: kernel("TCP"), "udp": lambda: kernel("UDP", "--udp"),
                     "ucx": baselines.ucx_trip_ns}, min)
    return {f"trip {name}": against(found[name], found["softrnic"], "ns", found[name]) for name in ("tcp", "ucx")}


def bulks(bench, curves):
    bench.need_cores()

    def own(port):
        found = bench.link(f"--port={port}", f"--size={MIB}", "--mtu=4096", "--op=write", "--window=8")["regimes"]
        return max(g["gbit"] for g in found.values())

    found = in_turn({"softrnic": lambda: own("memif"), "ring": lambda: own("ring"),
                     "tcp": lambda: bench.run("bench_kernel", f"--size={MIB}", f"--secs={bench.secs}")[0]["gbit"],
                     "ucx": baselines.ucx_gbit, "rxd": baselines.rxd_gbit}, max)
    rows = {f"bulk {name}": against(found["softrnic"], found[name], "Gbit/s", found[name]) for name in ("tcp", "ucx", "rxd")}
    # The other transports connect two processes, as a memif does; with both ends in one process there is less to copy.
    return {key: (ratio, note if ratio is None else f"{note}; over ring {targets.number(found['ring'])}")
            for key, (ratio, note) in rows.items()}


def against(figure, other, unit, why_not):
    """A row that divides two figures; `why_not` is a text if one of them is missing."""
    if isinstance(why_not, str):
        return None, why_not
    return figure / other, f"{targets.number(figure)} / {targets.number(other)} {unit}, the best of {TURNS} in turn"


def nearest(tries):
    """The nearest distance of the cores at which every point was measured, and {point: rows of this distance}. `tries` maps a
    point to the regimes of its runs, each {distance: row}. A row of less than 3 epochs does not count."""
    for regime in REGIMES:
        found = {point: [r[regime] for r in runs if r.get(regime, {}).get("epochs", 0) >= 3] for point, runs in tries.items()}
        if tries and all(found.values()):
            return regime, found
    raise Unmeasured("no distance of the cores with a figure for each point")


def over_sizes(bench, curves):
    """Runs the sizes TURNS times, since a hypervisor may move the cores apart during a run: the lines have the best figure of each
    size, all of one distance of the cores."""
    bench.need_cores()
    tries = {}
    for _ in range(1 if bench.quick else TURNS):
        for size in SIZES:
            window = 8 if size >= 65536 else 128
            both = ["--port=memif", "--op=write", f"--size={size}", "--mtu=4096"]
            for name, r in (("bare pump", bench.run("bench_pump", f"--secs={bench.secs}", *COMMON, *PUMP, *both)[0]),
                            ("softrnic", bench.link(*both, f"--window={window}", f"--signal={min(16, window)}"))):
                tries.setdefault((name, size), []).append(r["regimes"])
    curves["sizes"] = size_lines(tries)
    return {}


def size_lines(tries):
    regime, found = nearest(tries)
    lines = {"gbit": {}, "mmsg": {}}
    for (name, size), rows in found.items():
        for figure, line in lines.items():
            line.setdefault(name, []).append((size, max(g[figure] for g in rows)))
    return {"regime": regime, **lines}


# keys of the rows, measurement
MEASURES = [
    *[([f"count {k} {op}"], counts(k, op)) for k in ("path", "core") for op in ("send", "write", "read")],
    *[([f"{port} {op}"], stream(port, op)) for port in ("ring", "memif") for op in ("send", "write")],
    *[([f"solo {op}"], solo(op)) for op in ("send", "write")],
    *[([f"{port} trip", f"{port} p999", f"{port} removed"], trip(port)) for port in ("ring", "memif")],
    *[([f"bulk {op} {mtu}"], bulk(op, mtu)) for op in ("write", "read") for mtu in (4096, 1024)],
    *[([f"post {n}"], post(n)) for n in (16, 1)],
    (["qps 64", "qps 1024", "qps 10000", "regions"], scale),
    (["loss 0.1", "loss 1"], loss),
    (["peer loss 0.1", "peer loss 1"], peer_loss),
    (["connections"], connections),
    (["qp memory"], qp_memory),
    (["start"], start),
    (["idle"], idle),
    (["trip tcp", "trip ucx"], trips),
    (["bulk tcp", "bulk ucx", "bulk rxd"], bulks),
    (["testpmd"], testpmd),
    ([], over_sizes),
]


def draw(curves, folder):
    """Draws what has been measured; returns the names of the files. A chart without figures keeps its file."""
    sizes = curves.get("sizes", {})
    write = f"WRITE over memif, MTU 4096, two cores ({sizes.get('regime')})"
    charts = {
        "bandwidth": (write, "bytes of a message", "Gbit/s", sizes.get("gbit"), {"log_x": True}),
        "rate": (write, "bytes of a message", "million messages/s", sizes.get("mmsg"), {"log_x": True, "log_y": True}),
        "latency": ("Round trip of 64 bytes", "share of the round trips", "ns", curves.get("latency"),
                    {"log_y": True, "names": ("half", "99 %", "99.9 %")}),
        "qps": ("WRITE 64, queue pairs in turn", "queue pairs", "rate against one", curves.get("qps"), {"log_x": True}),
        "loss": ("1 MiB WRITE, 4 outstanding, independent loss both ways", "per cent lost", "goodput against none",
                 curves.get("loss"), {}),
    }
    os.makedirs(folder, exist_ok=True)
    drawn = []
    for name, (title, x, y, series, options) in charts.items():
        if series:
            with open(os.path.join(folder, f"{name}.svg"), "w", encoding="utf-8") as f:
                f.write(svg.chart(title, x, y, series, **options))
            drawn.append(f"{name}.svg")
    return drawn


def surroundings():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search(r"model name\s*: (.*)", f.read())
    return {"when": time.strftime("%Y-%m-%d %H:%M"), "cpu": model.group(1) if model else platform.machine(),
            "cpus": os.cpu_count(), "load": os.getloadavg()[0], "kernel": platform.release()}


def options():
    p = argparse.ArgumentParser(prog="compare.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quick", action="store_true", help="under three minutes: one round of short runs")
    p.add_argument("--busy", action="store_true", help="also measure two cores when other programs use them")
    p.add_argument("-b", metavar="DIR", help="the programs; build nothing [build/perf]")
    p.add_argument("--json", metavar="FILE", default=os.path.join(TOP, "build", "perf.json"), help="[build/perf.json]")
    p.add_argument("--img", metavar="DIR", default=os.path.join(TOP, "docs", "img"), help="folder of the charts [docs/img]")
    p.add_argument("--only", metavar="TEXT", help="only the rows whose key has TEXT in it, and no charts")
    return p.parse_args()


def main():
    o = options()
    before = surroundings()
    results = Results(Bench(o.b or os.path.join(TOP, "build", "perf"), o.quick, o.busy))
    for keys, function in MEASURES:
        if o.only is None or any(o.only in key for key in keys):
            results.take(keys, function)
    print(f"{before['when']}, {before['cpu']}, {before['cpus']} CPUs, load {before['load']:.1f} to {os.getloadavg()[0]:.1f}")
    if max(before["load"], os.getloadavg()[0]) > 0.5 * before["cpus"]:
        print("OTHER LOAD: rows with two cores need two free CPUs; their figures and verdicts say little in this run")
    print("burst 32, list 16 (ring and one core; elsewhere single posts); window 128 and signal 16 at 64 bytes, 8 and 1 at 1 MiB; ICRC generated and checked; idle policy inline\n")
    print("\n".join(targets.table(results.figures)))
    hint = baselines.to_install()
    if hint:
        print(hint)
    rows = {row.key: {"text": row.text, "unit": row.unit, "must": row.must, "aim": row.aim, "figure": figure, "note": note,
                      "verdict": targets.verdict(row, figure)}
            for row in targets.ROWS for figure, note in [results.figures.get(row.key, (None, ""))]}
    with open(o.json, "w", encoding="utf-8") as f:
        json.dump({"surroundings": before, "quick": o.quick, "rows": rows, "curves": results.curves}, f, indent=1)
    if o.only is None:
        print(f"\ncharts: {' '.join(draw(results.curves, o.img)) or 'none'}")
    n = {v: sum(r["verdict"] == v for r in rows.values()) for v in (targets.MET, targets.MISSED, targets.NOT_MEASURED)}
    print(f"{n['met']} met, {n['missed']} missed, {n['not measured']} not measured in {results.bench.spent():.0f} s")
    sys.exit(n["missed"] > 0)


if __name__ == "__main__":
    main()
