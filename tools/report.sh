#!/bin/sh
# Prints a report about softrnic on this machine that can be pasted into an issue: versions, IOMMU, hugepages, limits and network
# cards; with a configuration also what its drivers report; with a peer also a short test. The report has no host names, and no
# addresses but those of PCI devices.
#
#   softrnic-report [CONFIGURATION [PEER]]
#
# PEER is the IP address of another machine, where two servers run one after the other. With softrnic:
#   nd_rping -s -a PEER; nd_write_bw -R        With Linux:   rping -s -a PEER; ib_write_bw -R
# In the source tree the program is tools/report.sh, which uses the build in build/. No adapter of the configuration may be in use.
set -u
here=$(dirname "$(readlink -f "$0")")
ROUNDS=100 TRIES=20 # TRIES: the peer's second server starts when the first has ended

usage() {
	sed -n '2,10s/^# \{0,1\}//p' "$0"
	exit "$1"
}
# Prints the path of a program: an installed one is beside this script, others are in a build folder.
program() {
	for folder in "$here" "$here/../build/config" "$here/../build/tools" "$here/../build/tools/$1" "$here/../build/perf"; do
		[ -f "$folder/$1" ] && echo "$folder/$1" && return
	done
	echo "$1"
}
[ -d "$here/../build/provider/nd.d" ] && : "${SOFTRNIC_ND_CATALOG:=$here/../build/provider/nd.d}" && export SOFTRNIC_ND_CATALOG

case ${1:-} in
-h | --help) usage 0 ;;
--version)
	"$(program softrnic-config)" --version | sed '1s/^softrnic-config/softrnic-report/'
	exit
	;;
-*) usage 2 >&2 ;;
esac
[ $# -le 2 ] || usage 2 >&2
config=${1:-} peer=${2:-}
[ -z "$config" ] || [ -r "$config" ] || { echo "softrnic-report: $config: no such file, or not readable" >&2; exit 2; }

# Replaces host names and addresses. What has at least three colons, or two next to each other, is a MAC or IPv6 address; PCI
# addresses have two. A name such as enx525400000001 has the MAC address in it.
hide() {
	name=$(uname -n | sed 's/[^A-Za-z0-9-]/./g') short=$(uname -n | sed 's/[.].*//; s/[^A-Za-z0-9-]/./g')
	host="s/(^|[^A-Za-z0-9-])(${name:-localhost}|${short:-localhost})([^A-Za-z0-9-]|\$)/\\1HOST\\3/g"
	# Twice: of two names with one character between them, one pass replaces the first.
	sed -E -e "$host" -e "$host" -e 's/::[Ff]{4}:([0-9]{1,3}[.]){3}[0-9]{1,3}/ADDRESS/g' \
		-e 's/([0-9A-Fa-f]{0,4}:){3,}[0-9A-Fa-f]{0,4}/ADDRESS/g' -e 's/[0-9A-Fa-f]*::[0-9A-Fa-f]*/ADDRESS/g' \
		-e 's/(^|[^0-9.])([0-9]{1,3}[.]){3}[0-9]{1,3}/\1ADDRESS/g' -e 's/(en|wl|ww)x[0-9a-f]{12}/\1xADDRESS/g'
}

section() { printf '\n== %s\n' "$*"; }

# first FILE PATTERN: what stands behind the first match in a file
first() { sed -nE "s/^$2//p" "$1" 2>/dev/null | head -1; }

machine() {
	section machine
	"$(program softrnic-config)" --version
	echo "system: $(first /etc/os-release PRETTY_NAME= | tr -d '"')"
	echo "CPUs: $(grep -c '^processor' /proc/cpuinfo), $(first /proc/cpuinfo 'model name[[:space:]]*: ')"
	echo "NUMA nodes: $(ls -d /sys/devices/system/node/node[0-9]* 2>/dev/null | wc -l)"
	echo "load: $(cut -d ' ' -f 1-4 /proc/loadavg)"
	if systemd-detect-virt -q 2>/dev/null; then
		echo "virtualisation: $(systemd-detect-virt)"
	fi
}

memory() {
	section "IOMMU and memory"
	echo "IOMMU groups: $(ls /sys/kernel/iommu_groups 2>/dev/null | wc -l)"
	echo "words of the kernel's command line: $(tr ' ' '\n' </proc/cmdline | grep -E '^([a-z_]*iommu|hugepages|isolcpus|nohz|default_hugepagesz|hugepagesz)' | tr '\n' ' ')"
	echo "VFIO: $([ -e /sys/module/vfio_pci ] && echo loaded || echo not loaded)"
	for pages in /sys/kernel/mm/hugepages/hugepages-*; do
		[ -e "$pages" ] && echo "${pages##*/}: $(cat "$pages/free_hugepages") free of $(cat "$pages/nr_hugepages")"
	done
	echo "hugetlbfs: $(grep -c ' hugetlbfs ' /proc/mounts) mounted"
	echo "free memory: $(first /proc/meminfo 'MemAvailable: *')"
	echo "user: $([ "$(id -u)" = 0 ] && echo root || echo not root), locked memory (KB): $(ulimit -l), open files: $(ulimit -n)"
}

cards() {
	section "softrnic-config --devices"
	"$(program softrnic-config)" --devices
}

drivers() {
	section "drivers of the configuration"
	"$(program nd_portinfo)" "$config"
}

# measure PROGRAM ARGUMENT...: runs a client, again while nobody listens
measure() {
	name=$1
	path=$(program "$name")
	shift
	section "$name $*"
	try=1
	while :; do
		said=$(SOFTRNIC_CONFIG=$config timeout 60 "$path" "$@" 2>&1)
		status=$?
		[ $status != 0 ] && [ $try -lt $TRIES ] && echo "$said" | grep -qi refused || break
		try=$((try + 1))
		sleep 0.5
	done
	echo "$said"
	echo "exit status $status"
	return $status
}

report() {
	bad=0
	machine
	memory
	cards
	if [ -n "$config" ]; then
		drivers || bad=1
	fi
	if [ -n "$peer" ]; then
		measure nd_rping -c -a "$peer" -C $ROUNDS -S 65535 -V || bad=1
		measure nd_write_bw -R -s 65536 -n 1000 "$peer" || bad=1
	fi
	return $bad
}

said=$(report 2>&1)
status=$?
echo "softrnic-report"
echo "kernel: $(uname -r) $(uname -m)" # may look like an address
printf '%s\n' "$said" | hide
exit $status
