#!/bin/bash
# Compares the pump with dpdk-testpmd (txonly to rxonly): over the same memif, with bare frames of the same length, in the
# same run, the pump must carry at least 0.9 of testpmd's frames. Otherwise ratios to the pump (ratios.sh) mean nothing.
# usage: pump_vs_testpmd.sh [-n] [-s MESSAGE_BYTES] [-r ROUNDS] [-b build/perf/bench_pump]
# Rounds of the two programs alternate. For the pump, the figure of a round is the mean of the medians of its regimes; for
# testpmd it is the median second. The best rounds are compared, since other load and CPU placement can only slow a round down.
# As root the script reserves 1 GiB of huge pages and raises the session's priority for the run, and restores both. With -n it
# changes neither, and both programs do without huge pages.
set -u
size=64 rounds=5 pump=build/perf/bench_pump secs=2 root=$(id -u) huge=""
while getopts ns:r:b: o; do
	case $o in
	n) root=no huge=--no-huge ;;
	s) size=$OPTARG ;;
	r) rounds=$OPTARG ;;
	b) pump=$OPTARG ;;
	*) exit 2 ;;
	esac
done
command -v dpdk-testpmd >/dev/null || { echo "no dpdk-testpmd (package dpdk-dev)"; exit 77; }
[ -x "$pump" ] || { echo "no $pump"; exit 2; }
dir=$(mktemp -d) || exit 1
pages=$(cat /proc/sys/vm/nr_hugepages)
priority=$(sed 's/.*nice //' /proc/self/autogroup 2>/dev/null)
# A testpmd ends when this script ends, or after 20 seconds of CPU time.
bounded="prlimit --cpu=20 setpriv --pdeathsig KILL"
clean_up() {
	[ "$root" = 0 ] && echo "$pages" >/proc/sys/vm/nr_hugepages
	[ "$root" = 0 ] && [ -n "$priority" ] && echo "$priority" 2>/dev/null >/proc/self/autogroup
	rm -rf "$dir" "/run/dpdk/pvt$$a" "/run/dpdk/pvt$$b"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
if [ "$root" = 0 ]; then
	[ "$pages" -ge 512 ] || echo 512 >/proc/sys/vm/nr_hugepages
	echo -15 2>/dev/null >/proc/self/autogroup
fi
memory="--in-memory"
[ -z "$huge" ] && [ "$(awk '/HugePages_Free/ {print $2}' /proc/meminfo)" -ge 256 ] || memory="--no-huge --no-shconf -m 200"
frame=$((54 + size + (-size & 3) + 4))

# testpmd's receive rate, packets per second: the median of its whole seconds
testpmd() {
	local vdev="socket=$dir/t.sock,socket-abstract=no,bsize=9216,rsize=8" rx tx
	local more="--mbuf-size=9344 --total-num-mbufs=4096 --stats-period=1 --no-lsc-interrupt"
	rm -f "$dir/t.sock"
	# shellcheck disable=SC2086
	$bounded dpdk-testpmd --lcores 0@1,1@1 --no-pci --no-telemetry $memory \
		--file-prefix="pvt$$b" --vdev="net_memif0,role=server,$vdev" -- $more \
		--forward-mode=rxonly </dev/null >"$dir/rx" 2>&1 &
	rx=$!
	for _ in $(seq 50); do
		[ -S "$dir/t.sock" ] && break
		sleep 0.1
	done
	sleep 0.5
	# shellcheck disable=SC2086
	$bounded dpdk-testpmd --lcores 0@0,1@0 --no-pci --no-telemetry $memory \
		--file-prefix="pvt$$a" --vdev="net_memif0,role=client,$vdev" -- $more \
		--forward-mode=txonly --txpkts=$frame </dev/null >"$dir/tx" 2>&1 &
	tx=$!
	sleep $((secs + 3))
	kill -9 "$tx" "$rx" 2>/dev/null
	wait "$tx" "$rx" 2>/dev/null
	tr '\r' '\n' <"$dir/rx" | awk '/Rx-pps:/ && $2 > 0 && n++ {print $2}' | sort -n |
		awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

best_pump=0 best_testpmd=0
printf '%5s %14s %14s   frame %u bytes, Mpps\n' round pump testpmd "$frame"
for round in $(seq "$rounds"); do
	# shellcheck disable=SC2086
	p=$(timeout 60 "$pump" $huge --port=memif --bare --size="$size" --secs=$secs --json |
		python3 -c 'import json, sys
r = json.load(sys.stdin)["regimes"].values()
print(sum(g["epochs"] * g["mpps"] for g in r) / sum(g["epochs"] for g in r) * 1e6)')
	t=$(testpmd)
	: "${p:=0}" "${t:=0}"
	awk "BEGIN {printf \"%5d %14.2f %14.2f\n\", $round, $p / 1e6, $t / 1e6}"
	best_pump=$(awk "BEGIN {print ($p > $best_pump ? $p : $best_pump)}")
	best_testpmd=$(awk "BEGIN {print ($t > $best_testpmd ? $t : $best_testpmd)}")
done
awk "BEGIN {
	if ($best_testpmd <= 0) { print \"testpmd carried nothing\"; exit 1 }
	r = $best_pump / $best_testpmd
	printf \"best pump / best testpmd = %.2f (wanted: 0.90)\n\", r
	exit r < 0.9
}"
