"""Faults made by rule: one or two for every mask, shift, comparison and step of one in C code.

    masks         a & b  -> a | b      a &= b -> a |= b     0x3f -> 0x3e (clears the lowest set bit)
    shifts        a << n -> a >> n     a >> n -> a << n     by a number: also n + 1
    comparisons   <  <-> <=            >  <-> >=            == <-> !=
    steps         + 1 -> + 0           - 1 -> - 0

Comments, strings, preprocessor lines other than macros, and assertions are not changed. The code
style tells binary operators from unary ones: only binary operators have a blank on both sides.
"""
import hashlib
import os
import re
from collections import Counter, namedtuple

Change = namedtuple("Change", "file offset line rule old new")

FOLDERS = ("dataplane/wire", "dataplane/core")
BLANKED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[ \t]*(?!define)[^\n]*'
                     r'|\b(?:static_assert|rn_assert)\([^;]*;', re.S | re.M)
OPERATORS = {"&": "|", "&=": "|=", "<<": ">>", ">>": "<<", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
             "!=": "=="}
KIND = {"&": "mask", "&=": "mask", "<<": "shift", ">>": "shift"}
RULES = re.compile(r"(?<= )(?P<op>&=?|<<|>>|<=?|>=?|==|!=)(?=\s)|\b(?P<hex>0x[0-9a-fA-F]+)(?=[uUlL]*\b)"
                   r"|(?<=[<>]{2} )(?P<count>\d+)\b|(?<= [+-] )(?P<one>1)(?=[uU]?\b)(?![.\w]*\.)")


def blanked(text):
    """The text with blanks in place of everything that is not code; offsets and lines stay the
    same."""
    return BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _substitutes(found):
    """(rule, replacement) for one match."""
    kind, old = found.lastgroup, found.group()
    if kind == "op":
        return KIND.get(old, "comparison"), OPERATORS[old]
    if kind == "hex":
        value = int(old, 16)
        return "mask", hex(value & (value - 1)) if value else "0x1"
    if kind == "count":
        return "shift", str(int(old) + 1)
    return "step", "0"


def changes_of(name, text):
    """All changes that the rules make in one file."""
    made = []
    for found in RULES.finditer(blanked(text)):
        rule, new = _substitutes(found)
        made.append(Change(name, found.start(), text.count("\n", 0, found.start()) + 1, rule, found.group(), new))
    return made


def changed(text, change):
    end = change.offset + len(change.old)
    assert text[change.offset:end] == change.old
    return text[:change.offset] + change.new + text[end:]


def line_of(text, change):
    """The changed line's original text, with each run of blanks replaced by one blank."""
    return " ".join(text.splitlines()[change.line - 1].split())


def sources(root):
    """The C files in FOLDERS and in the folders below them, sorted by path."""
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(path, name), root)


def named(name, text):
    """The changes of one file, by a name that stays valid until the changed line itself is edited:
    file, line text, old and new text, and a number among equal ones."""
    like, made = Counter(), {}
    for change in changes_of(name, text):
        words = f"{name} | {line_of(text, change)} | {change.old} | {change.new}"
        like[words] += 1
        made[f"{words} | {like[words]}"] = change
    return made


def all_changes(root):
    """The changes of all files by name, in the order of the sources."""
    made = {}
    for name in sources(root):
        with open(os.path.join(root, name), encoding="utf-8") as f:
            made.update(named(name, f.read()))
    return made


def drawn(made, count, seed):
    """A sample of `count` changes, in their order. The hash of name and seed decides about each
    change, so editing other lines adds or removes single changes but never replaces the whole
    sample."""
    def lot(name):
        return hashlib.sha256(f"{seed} {name}".encode()).digest()
    chosen = set(sorted(made, key=lot)[:count])
    return [change for name, change in made.items() if name in chosen]


def sample(root, count, seed):
    return drawn(all_changes(root), count, seed)
