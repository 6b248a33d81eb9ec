#!/bin/bash
# Builds every commit after BASE, oldest first, and runs the unit tests of the modules that the commit changed
# (tests/touched.py), so that `git bisect` meets no commit that fails for another reason than the one searched for.
#
#   tests/each-commit.sh BASE      for instance a release tag, or main in a branch of your own
#
# Prints one line for each commit; the last line is "N passed, N failed". Exit status 0 when none failed. The commits are
# checked out one after the other in a worktree in a temporary folder, which is removed at the end and on a signal. meson
# uses ccache where it is installed. Neither the index nor the files of this working tree are touched.
set -u
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

usage() { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit "$1"; }
die() { echo "each-commit.sh: $*" >&2; exit 2; }
case ${1:-} in -h | --help) usage 0 ;; esac
[ $# = 1 ] || usage 2 >&2
base=$(git rev-parse -q --verify "$1^{commit}") || die "$1: no such commit"
commits=$(git rev-list --reverse "$base..HEAD") || die "cannot list the commits after $1"

touched=$PWD/tests/touched.py # that of this tree, since older commits have none
work=$(mktemp -d) || die "no temporary folder"
tree=$work/tree child=""
cleanup() {
	[ -z "$child" ] || { kill -- "-$child" 2>/dev/null; wait "$child" 2>/dev/null; }
	git worktree remove --force "$tree" 2>/dev/null
	rm -rf "$work"
	git worktree prune
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# Without these two variables ccache finds no earlier result, because the folder's name differs in each run.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1

# quietly COMMAND...: runs the command in a process group of its own, with its output in $work/log. The command runs in the
# background because a shell that waits for a background child handles signals at once.
quietly() {
	local status
	set -m
	"$@" >"$work/log" 2>&1 &
	child=$!
	set +m
	wait "$child"
	status=$?
	child=""
	return $status
}

# build: reconfigures and builds in the build folder of the commit before; if that fails, starts with a new build folder.
build() {
	local again=""
	[ -f build/build.ninja ] && again=--reconfigure
	quietly meson setup $again build -Dwerror=true && quietly ninja -C build && return
	[ -n "$again" ] || return 1
	rm -rf build
	quietly meson setup build -Dwerror=true && quietly ninja -C build
}

# check COMMIT: sets $outcome to a phrase; succeeds when the commit builds and its tests pass.
check() {
	local names
	outcome="cannot be checked out"
	quietly git checkout -q -f --detach "$1" && quietly git clean -ffdxq -e /build || return 1
	outcome="does not build"
	build || return 1
	outcome="the tests of what it touched cannot be listed"
	git diff-tree -r --no-commit-id --name-only -m --first-parent --root "$1" >"$work/paths" || return 1
	python3 "$touched" . build <"$work/paths" >"$work/names" 2>"$work/log" || return 1
	mapfile -t names <"$work/names"
	outcome="builds, touches no unit test"
	[ ${#names[@]} -gt 0 ] || return 0
	outcome="failing tests"
	quietly meson test -C build --no-rebuild -t 3 --print-errorlogs "${names[@]}" || return 1
	outcome="builds, unit tests passed: ${#names[@]}"
}

git -c core.hooksPath=/dev/null worktree add -q --detach "$tree" "$base" || die "cannot make a worktree"
here=$PWD passed=0 failed=0
cd "$tree" || exit 1
for commit in $commits; do
	start=$SECONDS outcome=""
	if check "$commit"; then
		verdict=ok passed=$((passed + 1))
	else
		verdict=FAIL failed=$((failed + 1))
	fi
	printf '%-4s %s: %s (%d s)\n' $verdict "$(git log -1 --format='%h %s' "$commit")" "$outcome" $((SECONDS - start))
	[ $verdict = ok ] || grep -nE 'error|ERROR|FAIL|TIMEOUT|undefined|not ok|fatal' "$work/log" | head -20 | sed 's/^/     | /'
done
cd "$here" || exit 1
echo "$passed passed, $failed failed"
[ $failed = 0 ]
