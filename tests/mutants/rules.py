"""Faults made by rule: every mask, shift, comparison and step of one in C code gets one or two.

    masks         a & b  -> a | b      a &= b -> a |= b     0x3f -> 0x3e (the lowest bit that is set goes)
    shifts        a << n -> a >> n     a >> n -> a << n     by a number: also n + 1
    comparisons   <  <-> <=            >  <-> >=            == <-> !=
    steps         + 1 -> + 0           - 1 -> - 0

Comments, strings, preprocessor lines other than macros, and assertions are left alone. The code's own format tells an
operator from a sign: binary ones stand between blanks.
"""
import os
import random
import re
from collections import namedtuple

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
    """The text, as long as before and with the same lines, without what is not code."""
    return BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _substitutes(found):
    """(rule, what takes its place) of one match."""
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
    """All changes the rules make in one file."""
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
    """The line as it was, blanks made one."""
    return " ".join(text.splitlines()[change.line - 1].split())


def sources(root):
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if name.endswith((".c", ".h")):
                yield os.path.join(folder, name)


def all_changes(root):
    made = []
    for name in sources(root):
        with open(os.path.join(root, name), encoding="utf-8") as f:
            made += changes_of(name, f.read())
    return made


def sample(root, count, seed):
    """`count` of them, the same for the same sources and seed, in the order of the sources."""
    made = all_changes(root)
    chosen = random.Random(seed).sample(range(len(made)), min(count, len(made)))
    return [made[i] for i in sorted(chosen)]
