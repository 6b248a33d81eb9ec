#!/bin/bash
# By hand: softrnic against another RoCEv2 host running rdma-core's rping (Linux soft-RoCE or hardware), both roles, IPv4 and
# IPv6, several sizes; ping before. Prints one line per case and `N passed, N failed`.
#
#   tests/interop/rping.sh PEER4 OWN4 [PEER6 OWN6] -- COMMAND...
#
# COMMAND... is a prefix that runs a command on the peer and gives back its status, such as `ssh host`. $SOFTRNIC_CONFIG names
# a configuration whose af_packet port reaches the peer; OWN4/OWN6 are its addresses. $PREFIX (default empty) runs our side,
# e.g. "ip netns exec lab"; $BUILD (default build) is the build folder.
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
addresses=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do addresses+=("$1"); shift; done
[ $# -gt 1 ] && { [ ${#addresses[@]} = 2 ] || [ ${#addresses[@]} = 4 ]; } || { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
shift
peer=("$@") build=${BUILD:-build} prefix=${PREFIX:-} passed=0 failed=0
export SOFTRNIC_ND_CATALOG=$build/provider/nd.d

verdict() {
	if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "ok    $2"; else failed=$((failed + 1)); echo "FAIL  $2"; fi
}

# Our client, their server. rping of rdma-core 44 may exit with 255 after all went well, so ours is the judge.
we_connect() {
	"${peer[@]}" timeout 40 rping -s -a "$1" -S "$2" -C "$3" >/dev/null 2>&1 &
	local server=$!
	sleep 1.5
	timeout 60 $prefix "$build/tools/nd_rping" -c -a "$1" -S "$2" -C "$3" -V >/dev/null
	verdict $? "nd_rping -> rping     $1 size $2, $3 rounds"
	wait $server
}

they_connect() {
	timeout 60 $prefix "$build/tools/nd_rping" -s -a "$1" -C "$3" >/dev/null &
	local server=$! theirs
	sleep 1.5
	"${peer[@]}" ping -c 2 "$1" >/dev/null
	verdict $? "ping                  $1"
	"${peer[@]}" timeout 40 rping -c -a "$1" -S "$2" -C "$3" -V >/dev/null 2>&1
	theirs=$?
	wait $server && [ $theirs = 0 ]
	verdict $? "rping -> nd_rping     $1 size $2, $3 rounds"
}

for ((i = 0; i < ${#addresses[@]}; i += 2)); do
	for size in 26 64 1023 4097 65535; do
		we_connect "${addresses[i]}" $size 50
		they_connect "${addresses[i + 1]}" $size 50
	done
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
