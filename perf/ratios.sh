#!/bin/bash
# Measures all ratios of docs/benchmarks.md, an adapter's figures against those of the bare pump over the same port, and
# compares each ratio with its required value (bar).
# usage: ratios.sh [-r ROUNDS] [-t SECONDS] [-d build/perf] [-j FILE]
# Pump and adapter run alternately, so that both run under the same other load and with the same placement of the two CPUs. Only
# epochs of one regime (the same distance of the cores before and after) are compared; a ratio is the median over rounds and
# regimes. -j FILE also writes the figures of every round as JSON lines. As root the script raises the session's priority for
# the run, and restores it. Exit status 1: a ratio misses its bar, or the run is invalid because the bare pump carries less
# than 0.9 of the frames of dpdk-testpmd over memif.
set -u
rounds=5 secs=1 dir=build/perf json=
while getopts r:t:d:j: o; do
	case $o in
	r) rounds=$OPTARG ;;
	t) secs=$OPTARG ;;
	d) dir=$OPTARG ;;
	j) json=$OPTARG ;;
	*) exit 2 ;;
	esac
done
[ -x "$dir/bench_link" ] && [ -x "$dir/bench_pump" ] || { echo "no bench_link, bench_pump in $dir"; exit 2; }
priority=$(sed 's/.*nice //' /proc/self/autogroup 2>/dev/null)
[ "$(id -u)" = 0 ] && echo -15 2>/dev/null >/proc/self/autogroup
trap '[ -n "$priority" ] && echo "$priority" 2>/dev/null >/proc/self/autogroup' EXIT
trap 'exit 1' INT TERM
perf=$(dirname "$(readlink -f "$0")")
"$perf/pump_vs_testpmd.sh" -r 2 -b "$dir/bench_pump"
case $? in
0) echo ;;
77) printf 'the pump is not compared with dpdk-testpmd in this run\n\n' ;;
*) echo "this run does not count: the pump is no yardstick on this machine now"; exit 1 ;;
esac
export dir rounds secs json
python3 - <<'PYTHON'
import json, os, statistics, subprocess, sys

bench, rounds, secs = os.environ["dir"], int(os.environ["rounds"]), os.environ["secs"]
log = open(os.environ["json"], "w") if os.environ["json"] else None
# For both programs: frames per burst, mbufs of each end, bytes of an mbuf, slots of net_ring, log2 of the slots of memif.
BURST, MBUFS, ROOM, RING, RSIZE = 32, 4096, 9024, 1024, 8
BUFFER = 2 * (1048576 + 64)  # message memory of each end: two of the largest messages
common = [f"--secs={secs}", f"--burst={BURST}", f"--mbufs={MBUFS}", f"--ring={RING}", f"--buffer={BUFFER}", "--json"]
pump_only = [f"--mbuf-size={ROOM}", f"--bsize={ROOM}", f"--rsize={RSIZE}", "--no-huge"]
# name, port, options of both programs, window, signal, name of the figure, bar, whether a higher figure is better
rows = []
for port in "ring", "memif":
    rows += [
        ("64-byte SENDs/s", port, ["--size=64", "--mtu=1024"], 128, 16, "mmsg", 0.25, True),
        ("1 MiB WRITEs, MTU 4096", port, ["--op=write", "--size=1048576", "--mtu=4096"], 8, 1, "gbit", 0.6, True),
        ("64-byte round trip", port, ["--size=64", "--mtu=1024", "--rtt"], 1, 1, "rtt_ns_p50", 2.5, False),
    ]

def run(program, *options):
    r = subprocess.run([f"{bench}/{program}", *options], capture_output=True, text=True, timeout=120)
    if r.returncode != 0:
        sys.stderr.write(f"{program} {' '.join(options)}: {r.stderr}\n")
        return None
    if log:
        log.write(r.stdout)
    return json.loads(r.stdout)["regimes"]

def yardstick(options, figure, more):
    """The pump's better figure of each regime, whichever way its pools keep free mbufs."""
    best = {}
    for pool in "ring", "stack":
        found = run("bench_pump", *options, *pump_only, f"--pool={pool}")
        for regime, row in (found or {}).items():
            if figure in row and (regime not in best or (row[figure] > best[regime][figure]) == more):
                best[regime] = row
    return best

print(f"burst {BURST}, {MBUFS} mbufs of {ROOM} bytes an end, ring {RING} slots, memif 2^{RSIZE}; both ends inline, one core"
      f" each; {rounds} rounds of {secs} s")
print(f"{'port':6} {'':24} {'window':>6} {'signal':>6} {'regime':>7} {'adapter':>9} {'pump':>9} {'ratio':>6} "
      f"{'worst':>6} {'best':>6} {'bar':>5}")
missed = False
for name, port, options, window, signal, figure, bar, more in rows:
    found = []  # (ratio, regime, adapter, pump)
    for _ in range(rounds):
        both = [f"--port={port}", *options, *common]
        pump = yardstick(both, figure, more)
        adapter = run("bench_link", *both, f"--window={window}", f"--signal={signal}")
        if not pump or not adapter:
            continue
        for regime in pump:
            if regime != "mixed" and regime in adapter and min(pump[regime]["epochs"], adapter[regime]["epochs"]) >= 5:
                a, p = adapter[regime][figure], pump[regime][figure]
                found.append((a / p, regime, a, p))
    if not found:
        print(f"{port:6} {name:24} no two epochs of one regime: again, with more rounds")
        missed = True
        continue
    found.sort()
    ratio, regime, a, p = found[len(found) // 2]
    low, high = found[0][0], found[-1][0]
    ok = ratio >= bar if more else ratio <= bar
    missed |= not ok
    print(f"{port:6} {name:24} {window:6} {signal:6} {regime:>7} {a:9.2f} {p:9.2f} {ratio:6.2f} "
          f"{low if more else high:6.2f} {high if more else low:6.2f} {bar:5.2f}{'' if ok else '  MISSED'}", flush=True)
sys.exit(missed)
PYTHON
