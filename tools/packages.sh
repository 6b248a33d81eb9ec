# Sourced by demo.sh and check.sh. install_packages LOG NAME... installs the Debian packages that are missing, and prints nothing
# if none is missing; exits with status 2 and one sentence if the packages cannot be installed.
install_packages() {
	local log=$1 missing="" p
	shift
	for p in "$@"; do
		dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
	done
	[ -z "$missing" ] && return
	if [ "$(id -u)" != 0 ]; then
		echo "Debian packages are missing; as root: apt-get install$missing" >&2
		exit 2
	fi
	echo "installing:$missing"
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get -q update && apt-get -q -y --no-install-recommends install $missing; } >"$log" 2>&1 || {
		tail -20 "$log"
		echo "apt-get could not install:$missing" >&2
		exit 2
	}
}
