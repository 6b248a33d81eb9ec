#!/bin/bash
# Counts instructions with callgrind. The counts of the core are the same on a busy machine as on an idle one, so they decide about
# changes of the packet path. The others vary by about 3 %, because timers look at the real clock.
# usage: instructions.sh [-b build/perf] [-f FUNCTIONS] [SCENARIO...]
# -f N lists the N functions that take the most, with their share per message.
# SCENARIO, default all of them:
#   core:OP:SIZE:MTU   one message between two shards in memory (bench_core), both sides
#   path:OP:SIZE:MTU   one message with application, client API, port (net_ring) and both shards (bench_link --solo)
#   trip:send:SIZE:MTU one round trip over the same path, one message outstanding
#   idle               one poll of an adapter that has nothing to do
# The CRCs of ISA-L are part of the counts, in the version that ISA-L selects under valgrind.
set -u
place=build/perf functions=0
while getopts b:f: o; do
	case $o in
	b) place=$OPTARG ;;
	f) functions=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- core:send:64:1024 core:write:64:1024 core:read:64:1024 core:send:4096:4096 core:write:1048576:4096 \
	path:send:64:1024 path:write:64:1024 path:read:64:1024 trip:send:64:1024 idle
command -v valgrind >/dev/null || { echo "1..0 # SKIP no valgrind"; exit 77; }
[ -x "$place/bench_core" ] && [ -x "$place/bench_link" ] || { echo "no bench_core and bench_link in $place"; exit 2; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# The command of a scenario for N messages, after the name of the function whose instructions count.
command_of() {
	local what op size mtu
	IFS=: read -r what op size mtu <<<"$1"
	case $what in
	core) echo rn_pair_run bench_core --op="$op" --size="$size" --mtu="$mtu" --messages="$2" ;;
	path) echo link_solo_messages bench_link --solo --signal=16 --window=128 --op="$op" --size="$size" --mtu="$mtu" --messages="$2" ;;
	trip) echo link_solo_messages bench_link --solo --rtt --size="$size" --mtu="$mtu" --messages="$2" ;;
	idle) echo link_solo_idle bench_link --solo --idle="$2" ;;
	*) return 1 ;;
	esac
}

# Instructions of N messages. The difference between two runs removes the cost of starting and ending one.
count() {
	local function program
	read -r function program < <(command_of "$1" "$2") || { echo "no such scenario: $1" >&2; return 1; }
	timeout 120 valgrind --tool=callgrind --toggle-collect="$function" --callgrind-out-file="$dir/$2" \
		"$place"/$program >/dev/null 2>"$dir/log" || { cat "$dir/log" >&2; return 1; }
	awk '/^(summary|totals):/ {n = $2} END {print n}' "$dir/$2"
}

# The line of a scenario in the table: "whole path send 64" for example.
title() {
	local what op size mtu
	IFS=: read -r what op size mtu <<<"$1"
	case $what in
	core) echo "core $op $size" ;;
	path) echo "whole path $op $size" ;;
	trip) echo "round trip $op $size" ;;
	*) echo "$what" ;;
	esac
}

printf '%-24s %14s\n' "one message" instructions
for scenario; do
	few=2000 more=6000
	case $scenario in *:1048576:*) few=20 more=60 ;; esac
	a=$(count "$scenario" $few) && b=$(count "$scenario" $more) || exit 1
	each=$(awk "BEGIN {printf \"%.1f\", ($b - $a) / ($more - $few)}")
	printf '%-24s %14s\n' "$(title "$scenario")" "$each"
	[ "$functions" -gt 0 ] && callgrind_annotate "$dir/$more" 2>/dev/null |
		awk -v n="$functions" -v of=$more '/^ *[0-9,]+ \(/ && !/PROGRAM TOTALS/ {
			gsub(",", "", $1)
			name = $0
			sub(/.*:/, "", name)
			sub(/ \[.*/, "", name)
			if (k++ < n) printf "%30.1f  %s\n", $1 / of, name}'
done
exit 0
