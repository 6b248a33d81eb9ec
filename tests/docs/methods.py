#!/usr/bin/env python3
"""Lists the statuses that each method of the ND2 interfaces can return, or complete its request
with. It reads them from provider/nd2: the statuses named in the method's function and in all
functions of the provider that it calls, at any depth. For statuses that come from a table it lists
the table: the NIC's errors (nd_status_of_errno) and the connector's state (nd_connector_may). A row
without a method lists the statuses with which events of the NIC complete requests.

usage: methods.py [--write] ROOT

docs/nd2.md holds the list between `<!-- listed: methods -->` and `<!-- end -->`. The program
compares it with the code; with --write it replaces the list."""
import pathlib
import re
import sys

BEGIN, END = "<!-- listed: methods -->\n", "<!-- end -->\n"
TABLES = {"nd_status_of_errno": "*the NIC's*", "nd_connector_may": "*by state*"}
# The page names these once, above the list.
COMMON = {"ND_SUCCESS", "ND_PENDING"}
STATUS = re.compile(r"\b(?:ND_[A-Z0-9_]+|STATUS_[A-Z0-9_]+|E_NOINTERFACE|E_POINTER)\b")
FUNCTION = re.compile(r"^(?:static )?(?:inline )?[A-Za-z_][\w \*]*?\b(\w+)\(([^;{}]*)\)\n\{\n(.*?)^\}", re.M | re.S)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def statuses(root):
    """Returns the names of all statuses in the headers."""
    text = "".join((root / "include" / name).read_text() for name in ("ndstatus.h", "nddef.h", "ndspi.h"))
    return set(re.findall(r"#define ((?:ND|STATUS)_\w+)\s+\(?\(HRESULT\)", text)) | {"E_NOINTERFACE", "E_POINTER"}


class Source:
    def __init__(self, path):
        self.path = path
        text = COMMENT.sub("", path.read_text())
        self.functions = {m.group(1): m.group(3) for m in FUNCTION.finditer(text)}
        self.classes = [(vtable, event) for vtable, event in
                        re.findall(r"const struct nd_class \w+ = \{.*?\.own = &IID_(\w+),.*?(?:\.event = (\w+),.*?)?\n\};",
                                   text, re.S) if event]
        self.vtables = {m.group(1): re.findall(r"\w+", m.group(2))
                        for m in re.finditer(r"ND_VTABLE\((\w+)Vtbl, \w+\) = \{\s*\.v =\s*\{(.*?)\}", text, re.S)}


def reach(name, source, shared, known):
    """Returns the statuses and tables reachable from a function of `source`."""
    found, seen, todo = set(), set(), [(name, source)]
    while todo:
        name, at = todo.pop()
        if name in TABLES:
            found.add(TABLES[name])
            continue
        if name in at.functions:
            home = at
        elif name in shared:
            home = shared[name]
        else:
            continue
        if (name, home.path) in seen:
            continue
        seen.add((name, home.path))
        body = home.functions[name]
        found |= set(STATUS.findall(body)) & known - COMMON
        todo += [(callee, home) for callee in set(re.findall(r"\b(\w+)\(", body))]
    return found


def declared(root):
    """Returns interface -> its methods in include/ndspi.h; IND2Overlapped, of which there are no
    objects, is left out."""
    text = COMMENT.sub("", (root / "include" / "ndspi.h").read_text())
    return {m.group(1): re.findall(r"\(\*(\w+)\)", m.group(2))
            for m in re.finditer(r"typedef struct (\w+)Vtbl \{(.*?)\n\}", text, re.S) if m.group(1) != "IND2Overlapped"}


def cells(names):
    names = sorted(names, key=lambda n: (n.startswith("*"), n))
    return ", ".join(n if n.startswith("*") else f"`{n}`" for n in names)


def listing(root):
    known = statuses(root)
    sources = [Source(p) for p in sorted((root / "provider").glob("*/*.c"))]
    shared = {f: s for s in sources for f in s.functions if f.startswith(("nd_", "os_"))}
    implemented = {interface: methods for s in sources for interface, methods in s.vtables.items()}
    for interface, methods in declared(root).items():
        if implemented.get(interface) != methods:
            raise SystemExit(f"{interface}: ndspi.h has {methods}, provider/ {implemented.get(interface)}")
    lines = ["| method | function in | may answer |", "|---|---|---|"]
    for s in sources:
        for interface, methods in s.vtables.items():
            for m in methods:
                if m in ("QueryInterface", "AddRef", "Release"):
                    continue
                lines.append(f"| `{interface}::{m}` | `{s.path.name}` | {cells(reach(m, s, shared, known))} |")
        for interface, event in s.classes:
            home = s if event in s.functions else shared[event]
            lines.append(f"| `{interface}` | `{home.path.name}` | {cells(reach(event, home, shared, known))} |")
    return "\n".join(lines) + "\n"


def main(args):
    write = "--write" in args
    root = pathlib.Path([a for a in args if a != "--write"][0])
    page = root / "docs" / "nd2.md"
    text = page.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, begin)
    now = listing(root)
    if write:
        page.write_text(text[:begin] + now + text[end:])
        return 0
    if text[begin:end] == now:
        return 0
    print(f"{page} does not list what the code answers; tests/docs/methods.py --write ROOT writes it anew")
    for line in sorted(set(now.splitlines()) ^ set(text[begin:end].splitlines())):
        print(("code: " if line in now else "page: ") + line)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
