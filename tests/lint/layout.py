"""Rules over the layout of C and C++ files. A rule takes a Tree (source.py) and returns complaints, one per file or line."""
import concurrent.futures
import os
import re
import shutil
import subprocess

COLUMNS, TAB = 100, 8
AT_ONCE = 40  # files per run of clang-format
BY_HAND = re.compile(r"/\* clang-format off \*/.*?(?:/\* clang-format on \*/|\Z)", re.S)
TEXT = re.compile(r'(/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


class Missing(Exception):
    """clang-format is not installed."""


def program():
    """Returns the path of clang-format: version 14, that of Debian 12, or else the default version."""
    found = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not found:
        raise Missing("clang-format is not installed")
    return found


def _complaints_about(names, tree):
    done = subprocess.run([program(), "--style=file", "--dry-run", "--Werror", *names], cwd=tree.root, capture_output=True,
                          text=True, check=False)
    first = {}
    for line in done.stderr.split("\n"):
        found = re.match(r"(.+?):(\d+):\d+: error: code should be clang-formatted", line)
        if found:
            first.setdefault(found.group(1), found.group(2))
    if done.returncode and not first:
        return [f"clang-format: {done.stderr.strip()}"]
    return [f"{name}:{number}: differs from .clang-format; clang-format -i {name}" for name, number in first.items()]


def files_are_formatted(tree):
    names = tree.c_files()
    parts = [names[at:at + AT_ONCE] for at in range(0, len(names), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [line for lines in pool.map(lambda part: _complaints_about(part, tree), parts) for line in lines]


def comments_fit(tree):
    """No line of a comment may be too long: clang-format does not break the lines of comments, so that lists in comments stay as
    they are. The lines of macros and of tables laid out by hand are not checked."""
    bad = []
    for name in tree.c_files():
        text = BY_HAND.sub(lambda found: re.sub(r"[^\n]", "", found.group()), "\n".join(tree.lines(name)))
        lines = text.split("\n")
        for found in TEXT.finditer(text):
            if found.group(1):
                first = text.count("\n", 0, found.start())
                for number in range(first, first + found.group(1).count("\n") + 1):
                    columns = len(lines[number].expandtabs(TAB))
                    if columns > COLUMNS and not lines[number].endswith("\\"):
                        bad.append(f"{name}:{number + 1}: a comment up to column {columns}, more than {COLUMNS}")
    return bad


RULES = [files_are_formatted, comments_fit]
