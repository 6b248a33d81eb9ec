#!/bin/bash
# Checks whether sources written for Windows build unchanged: compiles and links the C and C++ files in each DIR, and
# prints for each file that it builds, or the headers, names and symbols that it lacks. Exit status 0 only if all build.
#
#   sources.sh [OPTION]... DIR...
#
#   --program        the files of a DIR form one program; otherwise each file with a main, wmain or _tmain is a program
#   --with DIR       links the files in DIR into every program, and searches DIR for headers
#   --build DIR      uses this build folder of softrnic (default: build, beside compat)
#   --installed      uses the softrnic that pkg-config finds
#   --keep DIR       puts the programs into DIR, named after their sources
#   -D..., -I..., -f..., -O..., -g..., -std=...   are passed to the compilers, $CC and $CXX
#
# The script writes nothing beside the sources. Headers that a source includes in another case (windows.H) or with
# backslashes are found through links in a temporary folder; files in UTF-16 are converted in that folder.
set -u
export LC_ALL=C
root=$(readlink -f "$(dirname "$(readlink -f "$0")")/..")
build=$root/build together=0 keep='' installed=0
with=() dirs=() flags=()

usage() {
	sed -n '2,16s/^# \{0,1\}//p' "$0"
	exit "$1"
}

while [ $# -gt 0 ]; do
	case $1 in
	--program) together=1 ;;
	--with) with+=("$(readlink -f "$2")") && shift ;;
	--build) build=$(readlink -f "$2") && shift ;;
	--installed) installed=1 ;;
	--keep) keep=$2 && shift ;;
	-h | --help) usage 0 ;;
	-D* | -I* | -f* | -O* | -g* | -std=*) flags+=("$1") ;;
	-*) usage 2 >&2 ;;
	*) dirs+=("$(readlink -f "$1")") ;;
	esac
	shift
done
[ ${#dirs[@]} -gt 0 ] || usage 2 >&2

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/stand-ins" # links to headers, under the names that sources include them by
[ -z "$keep" ] || mkdir -p "$keep" || exit 2

if [ $installed = 1 ]; then
	read -ra include < <(pkg-config --cflags softrnic-compat)
	read -ra libs < <(pkg-config --libs softrnic-compat)
	[ ${#libs[@]} -gt 0 ] || exit 2
else
	include=("-I$root/compat/include" "-I$root/include")
	libs=("-L$build/compat/src" "-L$build/provider" -lsoftrnic-compat-main -lsoftrnic-compat -lsoftrnic
		"-Wl,-rpath,$build/compat/src:$build/provider")
fi

sources_of() {
	find "$1" -maxdepth 1 -type f \( -iname '*.c' -o -iname '*.cpp' -o -iname '*.cc' -o -iname '*.cxx' \) | sort
}

is_c() {
	[[ ${1,,} == *.c ]]
}

# readable FILE: prints the path of the file, or of a copy in UTF-8 if the file is in UTF-16
readable() {
	local copy
	case $(head -c 2 "$1" | od -An -tx1) in
	' ff fe' | ' fe ff')
		copy=$work/$(echo "$1" | cksum | cut -d' ' -f1)-$(basename "$1")
		iconv -f UTF-16 -t UTF-8 "$1" >"$copy" && echo "$copy"
		;;
	*) echo "$1" ;;
	esac
}

# stand_in NAME DIR...: links NAME to a header in one of the folders whose name differs only in case or slashes
stand_in() {
	local name=$1 plain=${1//\\//} at place=$work/stand-ins
	shift
	for at in "$@"; do
		at=$(find "$at" -ipath "$at/$plain" -type f -print -quit 2>/dev/null || true)
		[ -n "$at" ] && break
	done
	[ -n "${at:-}" ] || return 1
	mkdir -p "$place/$(dirname "$name")" && ln -sf "$(readable "$at")" "$place/$name"
}

# compile FILE OBJECT: prints a line "kind name" for each missing header and name. A missing header is replaced by an
# empty one, so that the compiler continues and also finds the other missing names.
compile() {
	local file=$1 object=$2 text header tool standard near all empty=()
	near=("$(dirname "$file")" ${with[@]+"${with[@]}"})
	if is_c "$file"; then
		tool=${CC:-cc} standard=(-std=gnu11 -Werror=implicit-function-declaration)
	else
		tool=${CXX:-c++} standard=(-std=gnu++17)
	fi
	all=()
	"$tool" --version | grep -q clang && all+=(-ferror-limit=0) # gcc has no limit
	text=$(readable "$file")
	while ! "$tool" "${standard[@]}" -c "$text" -o "$object" "${near[@]/#/-I}" "-I$work/stand-ins" \
		"${include[@]}" ${flags[@]+"${flags[@]}"} ${all[@]+"${all[@]}"} 2>"$work/said"; do
		header=$(sed -nE "s/.*error: '?([^' ]+)'?( file not found|: No such file or directory).*/\1/p" "$work/said" | head -1)
		[ -n "$header" ] && [ ! -e "$work/stand-ins/$header" ] || break
		stand_in "$header" "${near[@]}" "${include[@]#-I}" && continue
		echo "header $header"
		mkdir -p "$work/stand-ins/$(dirname "$header")" && : >"$work/stand-ins/$header"
		empty+=("$header")
	done
	sed -nE "
		s/.*error: '(::)?([^']*)' (was not declared|undeclared|does not name|has not been declared).*/name \2/p; t
		s/.*error: (use of undeclared identifier|unknown type name|no type named) '([^']*)'.*/name \2/p; t
		s/.*error: (implicit declaration of function|call to undeclared function) '([^']*)'.*/name \2/p; t
		s/.*error: .* has no member named '([^']*)'.*/member \1/p; t
		s/.*error: no member named '([^']*)'.*/member \1/p; t
		s/.*error: (.*)/other \1/p" "$work/said" | grep -v 'No such file\|file not found' | awk '!seen[$0]++'
	for header in ${empty[@]+"${empty[@]}"}; do # removed, so that the next file reports it as well
		rm -f "$work/stand-ins/$header"
	done
}

# link OUT OBJECT...: links a program and prints a line "symbol name" for each undefined one
link() {
	local out=$1
	shift
	"${CXX:-c++}" -o "$out" "$@" "${libs[@]}" ${flags[@]+"${flags[@]}"} -pthread 2>"$work/said" && return
	{
		sed -nE "s/.*undefined reference to [\`']([^']*)'.*/symbol \1/p" "$work/said"
		grep -q 'undefined reference' "$work/said" || sed -nE 's/.*(ld: |error: )(.*)/other \2/p' "$work/said"
	} | awk '!seen[$0]++'
}

has_main() {
	iconv -f "$(head -c 2 "$1" | od -An -tx1 | grep -q 'ff fe\|fe ff' && echo UTF-16 || echo LATIN1)" -t UTF-8 "$1" |
		grep -qE '^([A-Za-z_][A-Za-z0-9_ ]*[[:space:]])?(w?main|_tmain)[[:space:]]*\('
}

tried=0 good=0
row() {
	printf '%-34s %-8s %s\n' "$@"
}

# verdict FILE MISSING: prints the output rows of one file; MISSING is the output of compile
verdict() {
	local kind what
	tried=$((tried + 1))
	if [ -z "$2" ]; then
		good=$((good + 1))
		row "$1" builds ''
		return
	fi
	while read -r kind what; do
		row "$1" "$kind" "$what"
	done <<<"$2"
}

label() {
	echo "$(basename "$(dirname "$1")")/$(basename "$1")"
}

row FILE RESULT WHAT
shared=()
for dir in ${with[@]+"${with[@]}"}; do
	while read -r file; do
		object=$work/with-${#shared[@]}.o
		missing=$(compile "$file" "$object")
		verdict "$(label "$file")" "$missing"
		[ -f "$object" ] && shared+=("$object")
	done < <(sources_of "$dir")
done
for dir in "${dirs[@]}"; do
	objects=() complete=1 found=0
	while read -r file; do
		[ -n "$file" ] || continue
		found=$((found + 1)) object=$work/unit-$found.o
		rm -f "$object"
		missing=$(compile "$file" "$object")
		if [ -z "$missing" ] && [ $together = 0 ] && has_main "$file"; then
			missing=$(link "$work/program" "$object" ${shared[@]+"${shared[@]}"})
			[ -n "$missing" ] || [ -z "$keep" ] || mv "$work/program" "$keep/$(basename "${file%.*}")"
		fi
		[ -z "$missing" ] && objects+=("$object") || complete=0
		verdict "$(label "$file")" "$missing"
	done < <(sources_of "$dir")
	if [ $found = 0 ]; then
		verdict "$dir" 'other no sources here'
	elif [ $together = 1 ] && [ $complete = 1 ]; then
		missing=$(link "$work/program" "${objects[@]}" ${shared[@]+"${shared[@]}"})
		[ -n "$missing" ] || [ -z "$keep" ] || mv "$work/program" "$keep/$(basename "$dir")"
		verdict "$(basename "$dir")" "$missing"
	fi
done
echo "$good of $tried build"
[ "$good" = "$tried" ]
