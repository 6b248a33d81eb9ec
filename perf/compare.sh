#!/bin/bash
# Builds the benchmarks, and compares softrnic with its targets and with other transports: compare.sh --help
set -u
top=$(dirname "$(dirname "$(readlink -f "$0")")")
case " $* " in
*" -b "* | *" --help "* | *" -h "*) ;;
*)
	mkdir -p "$top/build"
	[ -f "$top/build/build.ninja" ] || meson setup "$top/build" "$top" >"$top/build/compare-setup.log" || exit 2
	names=$(ninja -C "$top/build" -t targets all | sed -nE 's#^(perf/bench_[a-z]+|tests/port/test_idle_memory): .*#\1#p')
	# shellcheck disable=SC2086
	ninja -C "$top/build" $names >"$top/build/compare-build.log" || { tail -20 "$top/build/compare-build.log"; exit 2; }
	;;
esac
exec /usr/bin/python3 "$top/perf/compare.py" "$@"
