#!/bin/bash
# Counts the instructions of a message, both sides together, with callgrind. The counts are the same on a busy machine as on an
# idle one, so they decide about changes of the packet path.
# usage: instructions.sh [-b build/perf/bench_core] [-f FUNCTIONS] [-o op:size:mtu ...]
# -f N also lists the N functions that take the most, with their share per message.
# The CRCs of ISA-L are part of the count, in the version that ISA-L selects under valgrind.
set -u
bench=build/perf/bench_core functions=0 rows=()
while getopts b:f:o: o; do
	case $o in
	b) bench=$OPTARG ;;
	f) functions=$OPTARG ;;
	o) rows+=("$OPTARG") ;;
	*) exit 2 ;;
	esac
done
command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
[ -x "$bench" ] || { echo "no $bench"; exit 2; }
[ ${#rows[@]} -gt 0 ] || rows=(send:64:1024 write:64:1024 read:64:1024 send:4096:4096 write:1048576:4096)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Instructions within rn_pair_run() of N messages. The difference between two runs removes the cost of starting and ending one.
count() {
	timeout 120 valgrind --tool=callgrind --toggle-collect=rn_pair_run \
		--callgrind-out-file="$dir/$4" "$bench" --op="$1" --size="$2" --mtu="$3" \
		--messages="$4" >/dev/null 2>"$dir/log" || { cat "$dir/log" >&2; return 1; }
	awk '/^(summary|totals):/ {n = $2} END {print n}' "$dir/$4"
}

printf '%-6s %8s %5s %14s\n' op bytes mtu instructions
for row in "${rows[@]}"; do
	IFS=: read -r op size mtu <<<"$row"
	few=2000 more=6000
	[ "$size" -ge 65536 ] && few=20 more=60
	a=$(count "$op" "$size" "$mtu" $few) && b=$(count "$op" "$size" "$mtu" $more) || exit 1
	awk "BEGIN {printf \"%-6s %8d %5d %14.1f\n\", \"$op\", $size, $mtu, ($b - $a) / ($more - $few)}"
	[ "$functions" -gt 0 ] && callgrind_annotate "$dir/$more" 2>/dev/null |
		awk -v n="$functions" -v of=$more '/^ *[0-9,]+ \(/ && !/PROGRAM TOTALS/ {
			gsub(",", "", $1)
			name = $0
			sub(/.*:/, "", name)
			sub(/ \[.*/, "", name)
			if (k++ < n) printf "%30.1f  %s\n", $1 / of, name}'
done
exit 0
