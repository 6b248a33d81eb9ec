#!/bin/bash
# Checks that softrnic builds and passes its tests on a fresh minimal Debian 12. Run it by hand, as root; it needs 4 GB of disk:
#
#   tests/clean-room.sh [--keep] [ARGUMENTS OF check.sh]
#
# The script makes a minimal system in a temporary folder ($TMPDIR, else /var/tmp) from the mirrors that this host uses, clones
# the committed tree into it, and runs ./demo.sh (as root, and as an ordinary user) and ./check.sh in that system, in separate
# namespaces. --keep leaves the folder in place.
set -eu
top=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
keep=no
[ "${1:-}" = --keep ] && { keep=yes; shift; }
[ "$(id -u)" = 0 ] || { echo "clean-room.sh needs root, for debootstrap and chroot" >&2; exit 2; }
for tool in debootstrap unshare git; do
	command -v $tool >/dev/null || { echo "clean-room.sh needs $tool: apt-get install $tool" >&2; exit 2; }
done

mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
	awk '$1 == "bookworm" || $1 == "stable" { print $2; exit }')
[ -n "$mirror" ] || { echo "no Debian 12 mirror in this host's apt sources" >&2; exit 2; }

room=$(mktemp -d "${TMPDIR:-/var/tmp}/clean-room.XXXXXX")
finish() {
	[ $keep = yes ] && { echo "kept: $room"; return; }
	rm -rf --one-file-system "$room"
}
trap finish EXIT

echo "making a minimal system in $room"
debootstrap --variant=minbase --include=ca-certificates bookworm "$room" "$mirror" >"$room.log" 2>&1 || {
	tail -5 "$room.log"
	exit 1
}
rm -f "$room.log"
cp -L /etc/resolv.conf "$room/etc/resolv.conf"
cp -a /etc/apt/apt.conf.d/. "$room/etc/apt/apt.conf.d/"
cp -L /etc/ssl/certs/ca-certificates.crt "$room/etc/ssl/certs/ca-certificates.crt"
git clone -q "file://$top" "$room/src"
git clone -q "file://$top" "$room/guest/src"
chmod 755 "$room" # for the ordinary user

cat >"$room/inside" <<'END'
set -eu
mount -t proc proc /proc
mount -t sysfs -o ro sysfs /sys
mkdir -p /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
cd /src
status=0
[ ! -x demo.sh ] || ./demo.sh || status=1
# Runs the demo again without privileges, on a second copy of the tree; the packages are installed by now.
useradd guest
chown -R guest /guest
su guest -c "cd /guest/src && ./demo.sh" || status=1
./check.sh "$@" || status=1
exit $status
END
# Mounts are made inside the namespace and end with it: none must be undone, and rm cannot delete files behind a mount.
unshare --mount --pid --ipc --uts --fork --kill-child env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
	${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} \
	chroot "$room" /bin/bash /inside "$@"
