#!/usr/bin/env python3
"""What does compat/include provide, and which test shows it? Reads functions, types and macros out of the headers, what a
header says of itself and of each function, and finds the programs of compat/tests that test a function.

usage: reference.py [--write] ROOT

Between `<!-- listed: compat -->` and `<!-- end -->` compat/porting.md holds what this program lists; it compares, or writes it
anew. A function without a test is a failure."""
import pathlib
import re
import sys

BEGIN, END = "<!-- listed: compat -->\n", "<!-- end -->\n"
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
SPELLING = re.compile(r'/\* Another spelling of (\S+)\. \*/\n#include "\1"\n')
# Declarations stand at the margin, below what is said of them.
DECLARED = re.compile(r"^(?!typedef\b|extern\b|return\b|using\b|struct \w+ \{)[A-Za-z_][\w \*]*?[ \*](\w+)\([^;{}]*\)"
                      r"(?: __attribute__\(\(.*?\)\))?;", re.M)
DEFINED = re.compile(r"^(?:template\b[^\n]*>\s*)?(?:static inline|inline|FORCEINLINE)\b(?: __attribute__\(\(.*?\)\))?[\w \*\n]*?[ \*](\w+)\([^;{}]*\)\n\{", re.M)
TYPEDEF = re.compile(r"^typedef\b((?:[^;{}]|\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\})*);", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
RENAMED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(compat_\w+)[ \t]*$", re.M)
OURS = re.compile(r"^_?_?COMPAT_|^compat_")  # what only the headers themselves use


def sentence(comment):
    """The words of a comment on one line, fit for a cell."""
    words = re.sub(r"^\s*\*+ ?", "", comment, flags=re.M)
    return " ".join(words.split()).replace("|", "\\|").replace("<", "&lt;")


class Header:
    def __init__(self, name, text, renamed):
        self.name = name
        head = COMMENT.match(text)
        self.about = sentence(head.group(1)) if head else ""
        self.functions = {}  # name -> what is said of it
        for match in DECLARED.finditer(text):
            self.note(match.group(1), text[:match.start()], renamed)
        for match in DEFINED.finditer(text):
            self.note(match.group(1), text[:match.start()], renamed)
        bare = COMMENT.sub("", text)
        self.types = sorted({name for body in TYPEDEF.findall(bare) for name in self.names(body)
                             if not OURS.match(name)})
        self.macros = sorted({name for name in MACRO.findall(bare) if not OURS.match(name)} - set(self.functions) -
                             set(renamed) - {"UNICODE", "_UNICODE"})

    def note(self, name, before, renamed):
        said = re.search(r"/\*((?:(?!\*/).)*)\*/\n\Z", before, re.S)
        for shown in [new for new, old in renamed.items() if old == name] or [name]:
            if not shown.startswith("compat_"):
                self.functions.setdefault(shown, (name, sentence(said.group(1)) if said else ""))

    @staticmethod
    def names(body):
        """The names a typedef gives: what follows the braces, or its last word, or (*NAME)."""
        tail = re.sub(r"__attribute__\(\(.*?\)\)\s*", "", body[body.rindex("}") + 1:] if "}" in body else body)
        pointers = re.findall(r"\(\s*\*\s*(\w+)\s*\)", tail)
        if pointers:
            return pointers[:1]
        return [m.group(1) for part in tail.split(",") if (m := re.search(r"(\w+)(?:\[\w*\])?\s*(?:\([^()]*\)\s*)?$", part))]

    def empty(self):
        return not (self.functions or self.types or self.macros)


class Tests:
    """Which programs test a function: as test_NAME, or as the first word of a row of a table."""

    def __init__(self, folder):
        self.texts = {path.name: path.read_text() for path in sorted(folder.glob("test_*.c*"))}

    def of(self, names):
        words = "|".join(re.escape(n) for n in names)
        rule = re.compile(rf"\btest_(?:{words})\b|^\s*(?:\{{|\w+\()\"?(?:{words})\b", re.M)
        return [name for name, text in self.texts.items() if rule.search(text)]


def code(names):
    return ", ".join(f"`{n}`" for n in names)


def listing(root):
    """(text, functions without a test)"""
    folder = root / "compat" / "include"
    spellings, headers, untested = {}, [], []
    texts = {path: path.read_text() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "README.md"}
    renamed = dict(pair for text in texts.values() for pair in RENAMED.findall(text))
    for path, text in texts.items():
        other = SPELLING.fullmatch(text)
        if other:
            spellings.setdefault(other.group(1), []).append(path.name)
        else:
            headers.append(Header(path.relative_to(folder).as_posix(), text, renamed))
    tests = Tests(root / "compat" / "tests")
    lines = []
    for h in sorted(headers, key=lambda h: h.name):
        also = f" (also {code(spellings[h.name])})" if h.name in spellings else ""
        lines += [f"### `{h.name}`{also}", "", h.about, ""]
        if h.functions:
            lines += ["| function | what it says | tested in |", "|---|---|---|"]
            for shown, (name, said) in sorted(h.functions.items(), key=lambda f: f[0].lower()):
                found = tests.of({shown, name})
                if not found:
                    untested.append(f"{h.name}: {shown} has no test")
                lines.append(f"| `{shown}` | {said} | {code(found)} |")
            lines.append("")
        for what, names in (("Types", h.types), ("Macros", h.macros)):
            if names:
                lines += [f"{what}: {code(names)}", ""]
    return re.sub(r" +$", "", "\n".join(lines), flags=re.M), untested


def main(args):
    write = "--write" in args
    root = pathlib.Path([a for a in args if a != "--write"][0])
    page = root / "compat" / "porting.md"
    text = page.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, begin)
    now, bad = listing(root)
    if write:
        page.write_text(text[:begin] + now + text[end:])
    elif text[begin:end] != now:
        bad.append(f"{page} does not list what the headers provide; compat/reference.py --write ROOT writes it anew")
        for line in sorted(set(now.splitlines()) ^ set(text[begin:end].splitlines())):
            bad.append(("headers: " if line in now else "page: ") + line)
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
