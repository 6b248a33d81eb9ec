#!/bin/bash
# Builds softrnic and runs its tests. The last line is "N passed, N failed, N skipped"; the exit status is 0 only when
# nothing failed. Run it from anywhere, as often as you like.
#
#   ./check.sh --quick   a few minutes at most: for every change
#   ./check.sh           before a push: adds long runs of the simulator, DPDK ports, the ND2 contract, the demo
#   ./check.sh --ci      what continuous integration runs: adds a clang build, fuzzing, races under ThreadSanitizer, every
#                        suite not listed below
#   ./check.sh --full    adds slow tests: all cases of interop with Linux soft-RoCE and on emulated cards, long fuzzing
#   ./check.sh --conformance [nd2 | wire]   only the tests that show rows of docs/spec/nd2.md (under every idle
#                        policy) and of docs/spec/rocev2.md; writes build/conformance.json, the last lines are
#                        "conformance nd2: N of 169" and "conformance wire: N of 247"
#   ./check.sh --interop only the cases against Linux soft-RoCE in a virtual machine, all of them (docs/interop.md); the
#                        last line is "interop: N passed, N failed"
#   ./check.sh --hardware only the cases on network cards that QEMU emulates, all of them; the last line is
#                        "hardware: N passed, N failed"
#   ./check.sh --verbs   only the verbs programs of Debian over softrnic, all of them (docs/verbs.md); the last line is
#                        "verbs: N passed, N failed"
#   ./check.sh --daemon  only the cases of softrnicd, all of them, with a thousand killed processes; the last line is
#                        "daemon: N passed, N failed"
#
# $SOFTRNIC_TIER is quick, default, ci or full; a test may scale its number of rounds by it.
set -u
cd "$(dirname "$(readlink -f "$0")")" || exit 1
. tools/packages.sh

# suite, first tier that runs it in the release build, first tier under ASan+UBSan (or never)
suites() {
	cat <<-END
	lint     quick    never
	unit     quick    quick
	sim      default  default
	seeds    ci       ci
	judges   quick    never
	port     default  ci
	nd2      default  ci
	clients  default  default
	install  default  never
	perf     default  never
	conform  ci       never
	tools    default  ci
	daemon   ci       ci
	verbs    ci       ci
	behind   ci       never
	outside  ci       never
	mutants  ci       never
	rules    full     never
	faults   ci       never
	fuzz     default  ci
	interop  ci       never
	hardware ci       never
	soak     full     full
	END
}

packages="gcc g++ clang clang-format libclang-rt-14-dev meson ninja-build pkg-config binutils iproute2 procps python3 python3-scapy
	tshark libdpdk-dev libisal-dev libsodium-dev libconfig-dev libcmocka-dev libibverbs-dev libssl-dev libjansson-dev valgrind"
verbs_packages="ibverbs-utils rdmacm-utils perftest python3-pyverbs ucx-utils libfabric-bin openmpi-bin python3-mpi4py qperf fio"

usage() {
	sed -n '2,21s/^# \{0,1\}//p' "$0"
	exit "$1"
}

rank() {
	case $1 in quick) echo 0 ;; default) echo 1 ;; ci) echo 2 ;; full) echo 3 ;; *) echo 9 ;; esac
}

# in_tier FIRST: succeeds when the tier of this run includes tier FIRST.
in_tier() {
	[ "$(rank "$1")" -le "$(rank "$tier")" ]
}

# build DIR OPTION...: configures DIR and compiles $targets in it, or everything. An existing DIR is
# configured again, so that meson finds new folders.
build() {
	local dir=$1 t0=$SECONDS again=""
	shift
	[ -f "$dir/build.ninja" ] && again=--reconfigure
	meson setup $again "$dir" -Dwerror=true "$@" >"$logs/$dir.log" 2>&1 &&
		ninja -C "$dir" ${targets:-} >>"$logs/$dir.log" 2>&1 || {
		grep -nE 'error|ERROR|FAILED|undefined' "$logs/$dir.log" | head -40
		echo "$dir does not build; see $logs/$dir.log" >&2
		failed=$((failed + 1))
		return 1
	}
	printf '%-12s %-10s %40s %5d s\n' "$dir" build "" $((SECONDS - t0))
}

# run DIR SUITE TIMEOUT_FACTOR [TEST...]: runs one suite, or the named tests, and adds the results
# to the totals. The factor multiplies the tests' time limits, for a busy machine.
run() {
	local dir=$1 suite=$2 factor=$3 t0=$SECONDS status p f s
	shift 3
	[ $# -gt 0 ] || set -- --suite "$suite"
	case $suite in # whose tests mostly sleep
	nd2) set -- "$@" --num-processes 5 ;;
	conform) set -- "$@" --num-processes 4 ;;
	esac
	[ "$dir" = build ] && ran+=("$logs/$dir-$suite.json")
	rm -f "$dir/meson-logs/testlog.json" "$logs/$dir-$suite.json"
	meson test -C "$dir" --no-rebuild -t "$factor" --print-errorlogs "$@" >"$logs/$dir-$suite.log" 2>&1
	status=$?
	cp "$dir/meson-logs/testlog.json" "$logs/$dir-$suite.json"
	read -r p f s < <($python tests/tally.py "$dir/meson-logs/testlog.json")
	[ "$status" != 0 ] && [ "${f:-0}" = 0 ] && f=1
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
	printf '%-12s %-10s %12d passed %4d failed %4d skipped %5d s\n' \
		"$dir" "$suite" "${p:-0}" "${f:-0}" "${s:-0}" $((SECONDS - t0))
	[ "${f:-0}" = 0 ] || tail -60 "$logs/$dir-$suite.log"
}

# conformance OPTION...: prints how many rows of docs/spec hold, according to the logs of build.
conformance() {
	$python tests/conform/conformance.py build/conformance.json "$@"
}

# only_conformance [nd2 | wire]: runs the tests of the rows, and prints how many rows hold.
only_conformance() {
	local nd2=(--nd2 $logs/build-nd2.json $logs/build-conform.json) wire=(--wire $logs/build-wire.json)
	[ "$1" = wire ] && nd2=()
	[ "$1" = nd2 ] && wire=()
	[ ${#nd2[@]} -gt 0 ] && run build nd2 3 && run build conform 3
	[ ${#wire[@]} -gt 0 ] && run build wire 3 $($python tests/conform/conformance.py --programs build)
	conformance "${nd2[@]}" "${wire[@]}"
}

# fuzz SECONDS: runs each libFuzzer target for SECONDS; a target counts as a test.
fuzz() {
	local t0=$SECONDS p f=0
	tests/fuzz/run.sh "$1" build-fuzz >$logs/fuzz.log 2>&1 || f=1
	p=$(grep -cE '^fuzz_\w+: [0-9]+ s' $logs/fuzz.log)
	[ $f = 1 ] && [ "$p" -gt 0 ] && p=$((p - 1)) # the last one that started is the one that failed
	passed=$((passed + p)) failed=$((failed + f))
	printf '%-12s %-10s %12d passed %4d failed %4d skipped %5d s\n' build-fuzz fuzzing $p $f 0 $((SECONDS - t0))
	[ $f = 0 ] || tail -60 $logs/fuzz.log
}

# races: runs the programs that provoke races, under ThreadSanitizer. -Wno-tsan suppresses gcc's
# warning that ThreadSanitizer does not support fences.
races() {
	local targets="tests/nd2/nd2_chaos tests/nd2/nd2_flush_race tests/nd2/nd2_notify_race tests/nd2/nd2_random"
	build build-tsan -Db_sanitize=thread -Db_lundef=false "-Dc_args=-DRTE_USE_C11_MEM_MODEL -Wno-tsan" && run build-tsan races 6
}

# demo ARGUMENT...: runs demo.sh, which counts as one test.
demo() {
	local t0=$SECONDS p=1 f=0
	timeout 900 ./demo.sh "$@" >$logs/demo.log 2>&1 || p=0 f=1
	passed=$((passed + p)) failed=$((failed + f))
	printf '%-12s %-10s %12d passed %4d failed %4d skipped %5d s\n' "demo $*" "" $p $f 0 $((SECONDS - t0))
	[ $f = 0 ] || tail -40 $logs/demo.log
}

# run_suites DIR COLUMN TIMEOUT_FACTOR: runs the suites of DIR that the tier includes. Column 2 of
# suites() is for release builds, 3 for sanitizers.
run_suites() {
	local dir=$1 column=$2 factor=$3 suite first
	for suite in $(meson introspect --tests "$dir" | $python tests/tally.py --suites); do
		first=$(suites | awk -v s="$suite" -v c="$column" '$1 == s { print $c }')
		in_tier "${first:-ci}" && run "$dir" "$suite" "$factor"
	done
}

tier=default
case ${1:-} in
"") ;;
--quick | --ci | --full | --conformance | --interop | --hardware | --daemon | --verbs) tier=${1#--} ;;
-h | --help) usage 0 ;;
*) usage 2 >&2 ;;
esac
case $tier:$#:${2:-} in
*:0: | *:1: | conformance:2:nd2 | conformance:2:wire) ;;
*) usage 2 >&2 ;;
esac

export SOFTRNIC_TIER=${tier/conformance/ci} CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
python=/usr/bin/python3 # Debian's Python, for which python3-scapy is installed
passed=0 failed=0 skipped=0
logs=build-logs ran=()
mkdir -p $logs
install_packages $logs/apt.log $packages
case $tier in # without QEMU the suites interop and hardware are skipped, and the cases of verbs with a virtual machine
ci | full | interop | hardware | verbs) (install_packages $logs/apt-qemu.log qemu-system-x86) ;;
esac
case $tier in # without these packages most cases of the suite verbs are skipped
ci | full | verbs) (install_packages $logs/apt-verbs.log $verbs_packages) ;;
esac

if [ "$tier" = interop ] || [ "$tier" = hardware ] || [ "$tier" = daemon ] || [ "$tier" = verbs ]; then
	build build || exit 1
	$python "tests/$tier/run.py" build
	exit
fi
if [ "$tier" = conformance ]; then
	build build || exit 1
	only_conformance "${2:-}"
	exit
fi
build build && run_suites build 2 3
if in_tier ci; then
	conformance --nd2 $logs/build-nd2.json $logs/build-conform.json --wire "${ran[@]}" || failed=$((failed + 1))
fi
build build-asan -Db_sanitize=address,undefined -Db_lundef=false -Dbuildtype=debug && run_suites build-asan 3 6
if in_tier ci; then
	CC=clang CXX=clang++ build build-clang -Doptimization=0 # for its warnings alone
	fuzz "$(in_tier full && echo 300 || echo 10)"
	races
fi
if [ -x build/tools/nd_xfer ]; then # built if all parts of softrnic are
	in_tier default && demo
	in_tier ci && demo --loss 1%
	in_tier full && [ "$(id -u)" = 0 ] && demo --port af_packet
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
