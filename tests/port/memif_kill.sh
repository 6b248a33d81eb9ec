#!/bin/bash
# Counts how often killing the peer of a memif port crashes the process that polls the port.
# usage: memif_kill.sh [-n CYCLES] [-p PROGRAM] [ROLE:GUARD ...]      e.g. server:none client:relay
# A surviving process that crashes is started again for the remaining cycles. Run this script by hand, it is in no test tier;
# docs/decisions/0001-memif.md has the figures. It fails when a process behind the relay crashed.
set -u
cycles=500 program=
while getopts n:p: o; do
	case $o in
	n) cycles=$OPTARG ;;
	p) program=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- {server,client}:{none,link,fault,relay}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$program" ]; then
	program=$dir/memif_kill
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -g $(pkg-config --cflags libdpdk) \
		-I"$here/../../dataplane/port" -o "$program" "$here/memif_kill.c" \
		"$here/../../dataplane/port/memif_relay.c" \
		$(pkg-config --libs libdpdk) -lrte_bus_vdev -lpthread || exit 1
fi

printf '%-8s %-6s %7s %8s %6s   %s\n' role guard cycles crashes stuck 'last words'
status=0
for c in "$@"; do
	role=${c%:*} guard=${c#*:} left=$cycles crashes=0 stuck=0
	while [ "$left" -gt 0 ]; do
		rm -f "$dir"/s.sock* "$dir/progress"
		timeout $((left + 60)) "$program" survive "$role" "$guard" "$left" \
			"$dir/progress" "$dir/s.sock" >"$dir/out" 2>/dev/null
		rc=$?
		done=$(wc -l 2>/dev/null <"$dir/progress" || echo 0)
		case $rc in
		0) ;;
		135 | 139) crashes=$((crashes + 1)) done=$((done + 1)) ;;
		*) stuck=$((stuck + 1)) done=$((done + 1)) ;;
		esac
		left=$((left - done))
	done 2>/dev/null
	printf '%-8s %-6s %7d %8d %6d   %s\n' "$role" "$guard" "$cycles" "$crashes" "$stuck" \
		"$(grep survivor "$dir/out" | tail -1)"
	[ "$guard" = relay ] && [ $((crashes + stuck)) -gt 0 ] && status=1
done
exit $status
