#!/usr/bin/env python3
"""The reference of libsoftrnic-compat: every header of compat/include with its functions, types and macros, and the comments
that stand above them. The build writes the page and `meson install` installs it; run by hand, this program prints it.

usage: reference.py [--output FILE [--depfile FILE]]
       reference.py --check

--output writes the page to FILE, --depfile a rule for ninja that names the headers it was made from. --check prints each
header without a head comment and each function that no program in compat/tests tests, and fails when there is one."""
import argparse
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
HEAD = """# Headers and functions of libsoftrnic-compat

Each header of Windows that `pkg-config softrnic-compat` provides, with what it declares. A function without a remark does
what Microsoft documents for it; a remark says what differs, or what is easily overlooked.
"""
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
SPELLING = re.compile(r'/\* Another spelling of (\S+)\. \*/\n#include "\1"\n')
# A declaration begins in the first column, below the comment that describes it.
DECLARED = re.compile(r"^(?!typedef\b|extern\b|return\b|using\b|struct \w+ \{)[A-Za-z_][\w \*]*?[ \*](\w+)\([^;{}]*\)"
                      r"(?: __attribute__\(\(.*?\)\))?;", re.M)
DEFINED = re.compile(r"^(?:template\b[^\n]*>\s*)?(?:static inline|inline|FORCEINLINE)\b(?: __attribute__\(\(.*?\)\))?[\w \*\n]*?[ \*](\w+)\([^;{}]*\)\n\{", re.M)
TYPEDEF = re.compile(r"^typedef\b((?:[^;{}]|\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\})*);", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
RENAMED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(compat_\w+)[ \t]*$", re.M)
OURS = re.compile(r"^_?_?COMPAT_|^compat_")  # what only the headers themselves use


def sentence(comment):
    """Returns the text of a comment on one line, escaped for the cell of a Markdown table."""
    words = re.sub(r"^\s*\*+ ?", "", comment, flags=re.M)
    return " ".join(words.split()).replace("|", "\\|").replace("<", "&lt;")


class Header:
    def __init__(self, name, text, renamed):
        self.name = name
        head = COMMENT.match(text)
        self.about = sentence(head.group(1)) if head else ""
        self.functions = {}  # name -> (name in the header, its comment)
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
        """Returns the names that a typedef defines: the names behind the braces, or its last word, or (*NAME)."""
        tail = re.sub(r"__attribute__\(\(.*?\)\)\s*", "", body[body.rindex("}") + 1:] if "}" in body else body)
        pointers = re.findall(r"\(\s*\*\s*(\w+)\s*\)", tail)
        if pointers:
            return pointers[:1]
        return [m.group(1) for part in tail.split(",") if (m := re.search(r"(\w+)(?:\[\w*\])?\s*(?:\([^()]*\)\s*)?$", part))]

    def empty(self):
        return not (self.functions or self.types or self.macros)


class Tests:
    """The programs that test a function: in a function test_NAME, or in a row of a table that begins with NAME."""

    def __init__(self, folder):
        self.texts = {path.name: path.read_text() for path in sorted(folder.glob("test_*.c*"))}

    def of(self, names):
        words = "|".join(re.escape(n) for n in names)
        rule = re.compile(rf"\btest_(?:{words})\b|^\s*(?:\{{|\w+\()\"?(?:{words})\b", re.M)
        return [name for name, text in self.texts.items() if rule.search(text)]


def code(names):
    return ", ".join(f"`{n}`" for n in names)


def read_headers():
    """(headers, header -> its other spellings, the files and folders that were read)"""
    folder = FOLDER / "include"
    spellings, headers = {}, []
    paths = sorted(folder.rglob("*"))
    texts = {path: path.read_text() for path in paths if path.is_file() and path.name != "README.md"}
    renamed = dict(pair for text in texts.values() for pair in RENAMED.findall(text))
    for path, text in texts.items():
        other = SPELLING.fullmatch(text)
        if other:
            spellings.setdefault(other.group(1), []).append(path.name)
        else:
            headers.append(Header(path.relative_to(folder).as_posix(), text, renamed))
    return sorted(headers, key=lambda h: h.name), spellings, [folder, *paths]


def page(headers, spellings):
    lines = [HEAD]
    for h in headers:
        also = f" (also {code(spellings[h.name])})" if h.name in spellings else ""
        lines += [f"## `{h.name}`{also}", "", h.about, ""]
        if h.functions:
            lines += ["| function | remark |", "|---|---|"]
            for shown, (_, remark) in sorted(h.functions.items(), key=lambda f: f[0].lower()):
                lines.append(f"| `{shown}` | {remark} |")
            lines.append("")
        for what, names in (("Types", h.types), ("Macros", h.macros)):
            if names:
                lines += [f"{what}: {code(names)}", ""]
    return re.sub(r" +$", "", "\n".join(lines), flags=re.M)


def complaints(headers):
    tests = Tests(FOLDER / "tests")
    bad = [f"{h.name}: {shown} has no test" for h in headers for shown, (name, _) in h.functions.items()
           if not tests.of({shown, name})]
    return bad + [f"{h.name} has no head comment" for h in headers if not h.about]


def main():
    parser = argparse.ArgumentParser(description="Prints the reference of libsoftrnic-compat.")
    parser.add_argument("--output", metavar="FILE", help="write the page to FILE instead")
    parser.add_argument("--depfile", metavar="FILE", help="write a rule for ninja that names the headers read")
    parser.add_argument("--check", action="store_true", help="only look for headers without a head comment and functions without a test")
    options = parser.parse_args()
    headers, spellings, paths = read_headers()
    if options.check:
        bad = complaints(headers)
        print("\n".join(bad))
        return 1 if bad else 0
    if not options.output:
        print(page(headers, spellings))
        return 0
    pathlib.Path(options.output).write_text(page(headers, spellings) + "\n", encoding="utf-8")
    if options.depfile:
        rule = " ".join([options.output + ":", *(str(path).replace(" ", "\\ ") for path in paths)])
        pathlib.Path(options.depfile).write_text(rule + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
