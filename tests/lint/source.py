"""Rules about source text. A rule takes a Tree and returns one complaint per violation: "path:line:
sentence"."""
import os
import re
import subprocess

CORE = {"ground", "memory", "queue", "flow", "net", "qp", "cm", "shard"}
# folder: layers whose headers it may include. `public` is include/. Directions between the rooms of
# the core are not checked here: meson gives each room a library and include paths of its own.
LAYERS = {
    "dataplane/base": {"base", "public"},
    "dataplane/wire": {"wire", "base", "public"},
    "dataplane/core": CORE | {"wire", "base", "public"},
    "dataplane/port": CORE | {"port", "wire", "base", "public", "config"},
    "dataplane/nic": CORE | {"nic", "port", "wire", "base", "public", "config"},
    "config": {"config", "base"},
    "provider": {"provider", "public"},
    "compat/src": {"compat", "compat headers", "public"},
    "compat/include": {"compat headers", "public"},
    "include": {"public"},
}
LAYER_NAMES = {"include": "public", "compat/src": "compat", "compat/include": "compat headers"}
PURE = ("dataplane/base", "dataplane/wire", "dataplane/core")
DPDK = ("dataplane/port", "dataplane/nic", "dataplane/daemon", "perf", "tools/nd_portinfo", "tests/port", "tests/unit/daemon",
        "tests/unit/port")
PURE_HEADERS = {
    "assert.h", "errno.h", "inttypes.h", "limits.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "isa-l/crc.h", "immintrin.h",                   # the ICRC
    "sodium/crypto_shorthash.h",                    # SipHash
    "infiniband/opcode.h", "infiniband/verbs.h",    # numbers the opcode table is compared with
}
C_SUFFIXES = (".c", ".h", ".cc", ".cpp")
FILE_LINES, FUNCTION_LINES, README_LINES = 800, 80, 15


class Tree:
    """The files of a source tree that belong to the project, with paths relative to its root."""

    def __init__(self, root):
        self.root = root
        names = self._listed() or self._walk()
        self.files = sorted(n for n in names if n and os.path.isfile(os.path.join(root, n)))

    def _listed(self):
        """Returns the files git lists, none if there is no git or no repository."""
        try:
            listed = subprocess.run(["git", "-C", self.root, "ls-files", "-co", "--exclude-standard"],
                                    capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return []
        return listed.stdout.split("\n") if listed.returncode == 0 else []

    def _walk(self):
        for folder, folders, names in os.walk(self.root):
            folders[:] = [f for f in folders if f != ".git" and f != "__pycache__" and not f.startswith("build")]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.root)

    def read(self, name):
        with open(os.path.join(self.root, name), "rb") as f:
            return f.read()

    def lines(self, name):
        return self.read(name).decode("utf-8", errors="replace").split("\n")

    def c_files(self):
        return [n for n in self.files if n.endswith(C_SUFFIXES)]

    def text_files(self):
        return [n for n in self.files if b"\0" not in self.read(n)]


def within(name, folders):
    return any(name.startswith(folder + "/") for folder in folders)


def layer_of(name):
    """Returns the layer a file belongs to, None for tests, perf and tools."""
    for folder in LAYERS:
        if name.startswith(folder + "/"):
            if folder == "dataplane/core":
                return name.split("/")[2]
            return LAYER_NAMES.get(folder, os.path.basename(folder))
    return None


def owner_of(tree, includer, included):
    """Returns the layer of the header that `included` means in the file `includer`; None: not of
    this project."""
    near = os.path.normpath(os.path.join(os.path.dirname(includer), included))
    if near in tree.files:
        return layer_of(near)
    if "include/" + included in tree.files:
        return "public"
    # Only compat/ has its headers on its include path; they share names with headers of the system
    # and of other layers.
    owners = [layer_of(name) for name in tree.files
              if layer_of(name) and ("/" + name).endswith("/" + included) and (includer.startswith("compat/") or not name.startswith("compat/"))]
    # If two layers have a header of the same name, each sees its own.
    return layer_of(includer) if layer_of(includer) in owners else owners[0] if owners else None


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(tree):
    for name in tree.c_files():
        for number, line in enumerate(tree.lines(name), 1):
            match = INCLUDE.match(line)
            if match:
                yield name, number, match.group(1), match.group(2)


def include_directions(tree):
    """Includes follow the arrows of docs/map.md: base < wire < core < port < nic. provider includes
    nothing of dataplane, config includes base, compat includes only public headers, and no other
    layer includes compat."""
    bad = []
    for name, number, _, header in includes(tree):
        folder = next((f for f in LAYERS if name.startswith(f + "/")), None)
        owner = owner_of(tree, name, header) if folder else None
        if owner and owner not in LAYERS[folder]:
            bad.append(f"{name}:{number}: {folder} must not include {header} of {owner}")
    return bad


def includes_name_their_folder(tree):
    """Includes are written `port/log.h`, not `log.h`, because several folders may have a header of
    the same name."""
    rooms = {"/".join(n.split("/")[-2:]) for n in tree.files if n.endswith(".h") and within(n, ("dataplane", "config"))}
    names = {room.split("/")[1] for room in rooms}
    return [f"{name}:{number}: {header} without its folder"
            for name, number, mark, header in includes(tree)
            if mark == '"' and within(name, ("dataplane", "config")) and os.path.basename(header) in names
            and header not in rooms and not header.startswith("rn/")]


def dpdk_stays_in_its_folders(tree):
    """rte_ headers are used only in port, nic, and the folders that measure or test them; include/
    has no rte_ name."""
    bad = []
    for name, number, _, header in includes(tree):
        if re.match(r"rte_|dpdk", header) and not within(name, DPDK):
            bad.append(f"{name}:{number}: {header} outside {', '.join(DPDK)}")
    for name in tree.c_files():
        if within(name, ("include",)):
            for number, line in enumerate(tree.lines(name), 1):
                if re.search(r"\brte_\w", line):
                    bad.append(f"{name}:{number}: rte_ name in a public header")
    for name in tree.files:
        if os.path.basename(name) == "meson.build" and not within(name, DPDK):
            for number, line in enumerate(tree.lines(name), 1):
                if "/" in name and re.search(r"\bdpdk_dep\b", line):
                    bad.append(f"{name}:{number}: dpdk_dep outside {', '.join(DPDK)}")
    return bad


def pure_folders_include_little(tree):
    """Code below the purity line has no clock, thread, lock or file, and so includes none of their
    headers."""
    return [f"{name}:{number}: <{header}> below the purity line"
            for name, number, mark, header in includes(tree)
            if mark == "<" and within(name, PURE) and header not in PURE_HEADERS]


PACKET_PATH = {"lcore", "mailbox", "mem", "rxtx", "steer", "submit", "wake"}


def the_packet_path_writes_no_log(tree):
    """Files of the packet path do not write to the log, because writing may block: they increment
    counters, and other threads write to the log."""
    return [f"{name}:{number}: log.h on the packet path" for name, number, _, header in includes(tree)
            if header == "port/log.h" and re.sub(r"dataplane/port/(\w+)\.[ch]$", r"\1", name) in PACKET_PATH]


def files_are_short(tree):
    bad = []
    for name in tree.files:
        if name.endswith(C_SUFFIXES + (".py", ".sh")):
            count = len(tree.lines(name)) - 1
            if count > FILE_LINES:
                bad.append(f"{name}:{count}: {count} lines, more than {FILE_LINES}")
    return bad


def functions_are_short(tree):
    """A function reaches from a `{` in column 0 to its `}`; a `{` after `=` starts a table
    instead."""
    bad = []
    for name in tree.c_files():
        start = None
        previous = ""
        for number, line in enumerate(tree.lines(name), 1):
            if line.startswith("{") and not previous.rstrip().endswith(("=", "{")):
                start = number
            elif line.startswith("}") and start:
                if number - start - 1 > FUNCTION_LINES:
                    bad.append(f"{name}:{start}: function of {number - start - 1} lines, more than {FUNCTION_LINES}")
                start = None
            if line.strip():
                previous = line
    return bad


def no_unfinished_work(tree):
    words = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
    return [f"{name}:{number}: {words.search(line).group(0)}"
            for name in tree.text_files()
            for number, line in enumerate(tree.lines(name), 1) if words.search(line)]


def folders_have_readmes(tree):
    """Every folder has a README of at most 15 lines. The README of the root may be longer; fuzzing
    corpora need none."""
    bad = []
    folders = {os.path.dirname(n) for n in tree.files if "/" in n and not n.startswith(".")}
    folders |= {os.path.dirname(f) for f in folders if "/" in f}
    for folder in sorted(f for f in folders if "corpus" not in f.split("/")):
        readme = folder + "/README.md"
        if readme not in tree.files:
            bad.append(f"{folder}: no README.md")
        elif len(tree.lines(readme)) - 1 > README_LINES:
            bad.append(f"{readme}: more than {README_LINES} lines")
    return bad


MACHINE = re.compile("|".join([
    r"(?<![\w.])/(work|home|root|Users|mnt)/",     # folders of one machine
    r"\.\./shared\b",
    r"\b(deb|ftp\.\w+|security|snapshot)\.debian\.org\b", r"\bpypi\.org\b", r"\bregistry\.\w+", r"\bproxy\.golang\b",
    r"https?://(localhost|127\.|10\.\d|192\.168\.)",
]))


def no_machine_paths(tree):
    """No file names a path of one machine, or a package registry."""
    return [f"{name}:{number}: {MACHINE.search(line).group(0)}"
            for name in tree.text_files() if name != "tests/lint/source.py" and name != "tests/lint/test_source.py"
            for number, line in enumerate(tree.lines(name), 1) if MACHINE.search(line)]


def text_is_clean(tree):
    bad = []
    for name in tree.text_files():
        data = tree.read(name)
        if name.startswith("tests/vectors/"):
            continue
        if data and not data.endswith(b"\n"):
            bad.append(f"{name}: no newline at the end")
        if b"\r" in data:
            bad.append(f"{name}: carriage return")
        for number, line in enumerate(tree.lines(name), 1):
            if line != line.rstrip():
                bad.append(f"{name}:{number}: space at the end of the line")
    return bad


def sources_open_with_a_comment(tree):
    return [f"{name}:1: no head comment: which question does this file answer?"
            for name in tree.c_files()
            if not name.endswith(".h") and not tree.read(name).lstrip().startswith((b"/*", b"//"))]


def structs_are_not_typedefd(tree):
    """Structs are written `struct rn_x` without a typedef, except in the ND2 headers, whose names
    are given."""
    return [f"{name}:{number}: typedef of a struct"
            for name in tree.c_files() if not re.match(r"(include/nd\w*\.h|compat/include/)", name)
            for number, line in enumerate(tree.lines(name), 1)
            if re.match(r"\s*typedef\s+(struct|union|enum)\b", line)]


CODE_SPAN = re.compile(r"`([^`\n]+)`")
CALL = re.compile(r"^(\w+)\(\)$")
PLACE = re.compile(r"^[\w.-]+(/[\w.-]+)+/?$")


def definitions(tree):
    """Returns function -> C files that define or declare it, found in lines that begin in column
    0."""
    found = {}
    for name in tree.c_files():
        for line in tree.lines(name):
            if line[:1].isalpha() or line.startswith("#define"):
                for function in re.findall(r"\b(\w+)\(", line):
                    found.setdefault(function, set()).add(name)
    return found


def pages_name_what_exists(tree):
    """Files, folders and `function()`s named in docs/*.md and compat/*.md exist; a function in a
    line that names C files is in one of those files."""
    bad = []
    known = definitions(tree)
    tops = {name.split("/")[0] for name in tree.files if "/" in name}
    for name in tree.files:
        if not re.match(r"(docs|compat)/[^/]+\.md$", name):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            spans = CODE_SPAN.findall(line)
            places = [s for s in spans if PLACE.match(s) and s.split("/")[0] in tops]
            sources = {p for p in places if p.endswith((".c", ".h"))}
            bad += [f"{name}:{number}: there is no {p}" for p in places
                    if p not in tree.files and not any(f.startswith(p.rstrip("/") + "/") for f in tree.files)]
            for function in (m.group(1) for m in map(CALL.match, spans) if m):
                if function not in known:
                    bad.append(f"{name}:{number}: there is no {function}()")
                elif sources and not sources & known[function]:
                    bad.append(f"{name}:{number}: {function}() is not in {', '.join(sorted(sources))}")
    return bad


def pages_are_listed(tree):
    """docs/README.md lists every file and folder of docs/, and nothing else."""
    page = "docs/README.md"
    if page not in tree.files:
        return []
    there = {n.split("/")[1] + ("/" if n.count("/") > 1 else "") for n in tree.files if n.startswith("docs/")} - {"README.md"}
    listed = {name for line in tree.lines(page) if line.startswith("- ")
              for name in CODE_SPAN.findall(line)} | set(CODE_SPAN.findall(tree.lines(page)[1]))
    return ([f"{page}: {name} is not listed" for name in sorted(there - listed)] +
            [f"{page}: there is no {name}" for name in sorted(listed - there)])


def the_map_has_no_empty_cell(tree):
    """Each step of docs/map.md has a function and a file."""
    page = "docs/map.md"
    return [f"{page}:{number}: an empty cell" for number, line in enumerate(tree.lines(page), 1)
            if line.startswith("|") and re.search(r"\|\s*\|", line)] if page in tree.files else []


RULES = [include_directions, includes_name_their_folder, dpdk_stays_in_its_folders, pure_folders_include_little,
         the_packet_path_writes_no_log, files_are_short,
         functions_are_short, no_unfinished_work, folders_have_readmes, no_machine_paths, text_is_clean,
         sources_open_with_a_comment, structs_are_not_typedefd, pages_name_what_exists, pages_are_listed,
         the_map_has_no_empty_cell]
