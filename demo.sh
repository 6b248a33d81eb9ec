#!/bin/bash
# Builds softrnic, starts two processes with a software NIC each, connects them with IB CM and moves a real file by Send, RDMA
# Write and RDMA Read over RoCEv2 frames, comparing SHA-256 on both sides. Then it prints a bandwidth and latency table, and
# checks a capture of a small transfer with tshark. Exit status 0 only if every step succeeded.
#
#   ./demo.sh [FILE]          over memif (shared memory; needs no privileges)
#   ./demo.sh --port af_packet   over a veth pair between two network namespaces (root)
#   ./demo.sh --port pci:0000:04:00.0,0000:05:00.0   between two network cards of this machine that VFIO has, joined by a
#                             cable or a switch (docs/hardware.md); the programs in build/ are used as they are if there are any
#   ./demo.sh --loss 1%       drops 1 % of the frames in each direction
#
# $SOFTRNIC_DEMO_PATIENCE: seconds after which a transfer or the table is stopped.
set -u
cd "$(dirname "$(readlink -f "$0")")" || exit 1
. tools/packages.sh

port=memif loss=0 file=""
usage() { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit "$1"; }
die() { echo "demo.sh: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
	case $1 in
	--port) port=${2:-}; shift 2 || usage 1 >&2 ;;
	--loss) loss=${2:-}; loss=${loss%\%}; shift 2 || usage 1 >&2 ;;
	-h | --help) usage 0 ;;
	-*) usage 1 >&2 ;;
	*) [ -z "$file" ] || usage 1 >&2; file=$1; shift ;;
	esac
done
card_a="" card_b="" # PCI addresses
case $port in
memif) ;;
af_packet) [ "$(id -u)" = 0 ] || die "--port af_packet needs root" ;;
pci:*[!,],[!,]*)
	card_a=${port#pci:} card_b=${port#*,} port=pci
	card_a=${card_a%%,*}
	card_a=${card_a,,} card_b=${card_b,,} # as in sysfs
	[[ $card_a = *:*:* ]] || card_a=0000:$card_a
	[[ $card_b = *:*:* ]] || card_b=0000:$card_b
	[[ $card_b != *,* ]] || usage 1 >&2
	;;
*) usage 1 >&2 ;;
esac
[[ $loss =~ ^[0-9]{1,2}([.][0-9]+)?$ ]] && [ "${loss%.*}" -le 50 ] || die "--loss '$loss': a percentage up to 50%, such as 1%, is wanted"
[ -z "$file" ] || [ -r "$file" ] || die "$file: no such file, or not readable"
[ -z "$file" ] || [ -f "$file" ] || die "$file: not a regular file"

work=$(mktemp -d) pids="" netns="" hugepages=""
in_a=() in_b=() # prefix of commands that run in the namespace of side a or b
cleanup() {
	local p n
	for p in $pids; do kill "$p" 2>/dev/null; done
	[ -z "$pids" ] || wait $pids 2>/dev/null
	for n in $netns; do ip netns del "$n"; done
	give_hugepages_back
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

step() { printf '\n== %s\n' "$*"; }

# Whether the programs that the demo starts are there.
is_built() { [ -x build/tools/nd_xfer ] && [ -x build/config/softrnic-config ] && [ -d build/provider/nd.d ]; }

build() {
	# A machine with cards for tests is often not the one on which softrnic was built, and the user who has the cards is often root.
	if [ "$port" = pci ] && is_built; then
		echo "the programs in build/ are used as they are"
		return
	fi
	install_packages "$work/apt.log" gcc g++ meson ninja-build pkg-config libdpdk-dev libisal-dev libsodium-dev libconfig-dev libcmocka-dev \
		libibverbs-dev libssl-dev libjansson-dev tshark python3 iproute2 procps
	[ -f build/build.ninja ] || meson setup build >"$work/setup.log" 2>&1 || { tail -20 "$work/setup.log"; die "meson failed"; }
	ninja -C build >"$work/ninja.log" 2>&1 || { grep -E 'error|FAILED' "$work/ninja.log" | head; die "the build failed"; }
}

# Chooses 64 MiB or more of system files: one large file, or many files joined.
choose_file() {
	[ -z "$file" ] || return
	file=$(find /usr/lib /usr/bin /usr/libexec -xdev -type f -size +64M -size -256M -readable -print -quit 2>/dev/null)
	[ -n "$file" ] && return
	file=$work/system-files
	find /usr/lib /usr/bin -xdev -type f -size +100k -readable -print0 2>/dev/null | xargs -0 cat 2>/dev/null |
		head -c 80M >"$file"
}

# As root, reserves hugepages until the demo ends. Without them the EAL runs with --no-huge.
reserve_hugepages() {
	local free
	free=$(awk '/HugePages_Free/ {print $2}' /proc/meminfo)
	[ "$(id -u)" = 0 ] && [ "${free:-0}" -lt 256 ] && [ -w /proc/sys/vm/nr_hugepages ] || return 0
	hugepages=$(sysctl -n vm.nr_hugepages)
	if sysctl -q -w vm.nr_hugepages=$((hugepages + 512)); then
		echo "vm.nr_hugepages is $((hugepages + 512)) instead of $hugepages until the demo ends"
	else
		hugepages=""
	fi
}

give_hugepages_back() {
	[ -n "$hugepages" ] || return 0
	if sysctl -q -w vm.nr_hugepages="$hugepages"; then
		echo "vm.nr_hugepages is $hugepages again"
	else
		echo "demo.sh: vm.nr_hugepages could not be set back to $hugepages" >&2
	fi
}

# Ends the demo if one of the two cards cannot be used. Each end is a process, so the cards need an IOMMU group each.
check_cards() {
	[ "$port" = pci ] || return 0
	step "the cards $card_a and $card_b"
	build/config/softrnic-config --devices "$card_a" "$card_b" || die "the demo needs two cards that are ready"
	local group_a group_b
	group_a=$(readlink "/sys/bus/pci/devices/$card_a/iommu_group") group_b=$(readlink "/sys/bus/pci/devices/$card_b/iommu_group")
	[ "$card_a" != "$card_b" ] || die "the demo needs two different cards"
	[ -z "$group_a" ] || [ "$group_a" != "$group_b" ] || die "both cards are in IOMMU group ${group_a##*/}, and one process gets the whole group"
}

make_links() {
	[ "$port" = af_packet ] || return 0
	local a=rn-a-$$ b=rn-b-$$
	ip netns add "$a" && netns=$a && ip netns add "$b" && netns="$a $b" || die "cannot make network namespaces"
	ip -n "$a" link add veth-a mtu 9000 type veth peer name veth-b netns "$b" mtu 9000 || die "cannot make a veth pair"
	ip netns exec "$a" sysctl -q -w net.ipv6.conf.veth-a.disable_ipv6=1
	ip netns exec "$b" sysctl -q -w net.ipv6.conf.veth-b.disable_ipv6=1
	in_a=(ip netns exec "$a") in_b=(ip netns exec "$b")
	ip -n "$a" link set veth-a up && ip -n "$b" link set veth-b up || die "cannot raise the veth pair"
}

# conf SIDE LAST_BYTE ROLE CAPTURE: writes the configuration of one process
conf() {
	local side=$1 host=$2 role=$3 capture=$4
	{
		echo "adapters = ({ name = \"demo-$side\"; port = \"$port\";"
		case $port in
		memif) echo "  socket = \"$work/memif.sock\"; role = \"$role\"; mac = \"02:00:00:00:0d:0$host\";" ;;
		af_packet) echo "  iface = \"veth-$side\";" ;;
		pci) [ "$side" = a ] && echo "  pci = \"$card_a\";" || echo "  pci = \"$card_b\";" ;;
		esac
		echo "  ipv4 = [ \"192.0.2.$host/24\" ]; ipv6 = [ \"2001:db8::$host/64\" ]; mtu = $mtu; });"
		echo "idle = { policy = \"inline\"; };"
		[ "$loss" = 0 ] || echo "impair = { loss = $(printf '%f' "$loss"); seed = $host; };"
		[ -z "$capture" ] || echo "capture = { file = \"$capture\"; };"
	} >"$work/$side.conf"
}

# start_server ARG...: starts side a; returns when it listens
start_server() {
	: >"$work/server.log"
	SOFTRNIC_CONFIG=$work/a.conf "${in_a[@]}" build/tools/nd_xfer -q -s 192.0.2.1 "$@" >"$work/server.log" 2>&1 &
	server=$!
	pids="$pids $server"
	# Check for the process before its output: a server that listened and ended at once has listened.
	for _ in $(seq 150); do
		kill -0 $server 2>/dev/null && alive=1 || alive=0
		grep -q listening "$work/server.log" && return
		[ $alive = 1 ] || break
		sleep 0.1
	done
	cat "$work/server.log"
	die "the server does not listen"
}

# outcome STATUS: prints the meaning of an exit status
outcome() {
	case $1 in
	0) echo "ended well" ;;
	124) echo "was stopped after $patience s: no failure, but too slow or stuck" ;;
	*) if [ "$1" -gt 128 ]; then echo "was ended by signal $(($1 - 128))"; else echo "failed with status $1"; fi ;;
	esac
}

# check_ends WHAT CLIENT_STATUS: returns if both ends exited with 0. Otherwise it prints which end
# failed and the last lines of the server's output (the client's output is on the screen), and ends
# the demo. A server exits soon after its client.
check_ends() {
	local what=$1 client=$2 status stopped="" tenths=600
	[ "$client" = 0 ] || tenths=50
	while kill -0 $server 2>/dev/null && [ $tenths -gt 0 ]; do
		sleep 0.1
		tenths=$((tenths - 1))
	done
	[ $tenths -gt 0 ] || { kill $server; stopped="did not end by itself and "; }
	wait $server
	status=$?
	pids=${pids/ $server/}
	[ "$client" = 0 ] && [ $status = 0 ] && return
	echo "client: $(outcome "$client")"
	echo "server: $stopped$(outcome $status); its last words:"
	tail -5 "$work/server.log" | sed 's/^/  | /'
	[ "$port" != pci ] || echo "frames of MTU 1500 must pass between the two cards: through a cable, or a switch with both in one VLAN"
	die "$what failed"
}

# client ARG...: runs side b to its end, in the background, because a shell handles no signal while
# a child runs in the foreground.
client() {
	SOFTRNIC_CONFIG=$work/b.conf timeout "$patience" "${in_b[@]}" build/tools/nd_xfer -c 192.0.2.1 "$@" &
	local client=$! status
	pids="$pids $client"
	wait $client
	status=$?
	pids=${pids/ $client/}
	return $status
}

transfer() {
	step "$file ($(stat -Lc %s "$file") bytes) by $1"
	start_server -o "$work/received"
	client --via "$1" "$file"
	check_ends "the transfer by $1" $?
	cmp -s "$file" "$work/received" || die "the received file differs"
}

table() {
	step "bandwidth and latency over $port"
	start_server
	client --table
	check_ends "the table" $?
}

# Both NICs capture a small transfer. Every RoCE frame must decode as InfiniBand, all others must be
# ARP or IPv6 neighbour discovery.
judge() {
	step "a captured transfer, judged by tshark"
	command -v tshark >/dev/null || { echo "left out: tshark is not installed"; judged=""; return; }
	head -c 300000 "$file" >"$work/small"
	conf a 1 server "$work/a.pcap"
	conf b 2 client "$work/b.pcap"
	start_server
	client -q --via read "$work/small"
	check_ends "the captured transfer" $?
	local pcap total ib other bad
	for pcap in "$work/a.pcap" "$work/b.pcap"; do
		tshark -n -r "$pcap" -T fields -e frame.protocols -e _ws.malformed >"$work/frames" 2>/dev/null
		total=$(wc -l <"$work/frames")
		ib=$(grep -c infiniband "$work/frames")
		other=$(grep -v infiniband "$work/frames" | grep -cE 'arp|icmpv6')
		bad=$(awk -F'\t' '$2 != ""' "$work/frames" | wc -l)
		echo "${pcap##*/}: $total frames, $ib decode as InfiniBand, $other ARP or ND, $bad malformed"
		[ "$ib" -gt 10 ] && [ $((ib + other)) = "$total" ] && [ "$bad" = 0 ] || die "tshark does not agree with $pcap"
	done
}

step "building"
build
export SOFTRNIC_ND_CATALOG=$PWD/build/provider/nd.d # this build's provider, not an installed one
check_cards
choose_file
# Seconds allowed for one transfer: enough for 4 MB/s.
patience=${SOFTRNIC_DEMO_PATIENCE:-$((240 + $(stat -Lc %s "$file") / 4000000))}
reserve_hugepages
make_links
# A card or a switch may carry no longer frames than these.
[ "$port" = pci ] && mtu=1500 || mtu=9000
judged=", and every captured frame"
conf a 1 server ""
conf b 2 client ""
for via in send write read; do transfer $via; done
table
judge
step "all held: three transfers with equal hashes, the table$judged"
