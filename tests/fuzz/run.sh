#!/bin/sh
# usage: run.sh SECONDS [BUILD_DIR]
# Builds the libFuzzer targets with clang, address and undefined-behaviour sanitizers, and runs each for SECONDS over a
# copy of its corpus. Exits non-zero on the first finding; the input is left in BUILD_DIR/findings.
set -eu
seconds=${1:?usage: run.sh SECONDS [BUILD_DIR]}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${2:-$root/build-fuzz}

# The libraries need coverage instrumentation as well, but only the targets link libFuzzer's main().
[ -f "$build/build.ninja" ] || said=$(CC=clang CXX=clang++ meson setup "$build" "$root" -Dfuzzers=true -Db_sanitize=address,undefined \
	-Dbuildtype=debugoptimized -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=all' 2>&1) || { echo "$said" | tail -20; exit 1; }
mkdir -p "$build/findings"
for source in "$here"/fuzz_*.c; do
	target=$(basename "$source" .c)
	ninja -C "$build" "tests/fuzz/$target" >/dev/null
	work=$build/corpus-$target
	mkdir -p "$work"
	echo "$target: $seconds s"
	"$build/tests/fuzz/$target" -max_total_time="$seconds" -max_len=4300 -print_final_stats=1 \
		-artifact_prefix="$build/findings/$target-" "$work" "$here/corpus/${target#fuzz_}" \
		>"$build/$target.log" 2>&1 || { tail -40 "$build/$target.log"; exit 1; }
	grep -E 'number_of_executed_units|DONE' "$build/$target.log"
done
