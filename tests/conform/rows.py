#!/usr/bin/env python3
"""Reads the rows of docs/spec from its tables, and writes the tests of each row into them.

usage: rows.py [--write] ROOT

The last column of a table `| id | rule | source | test |` names the files whose tests show the row,
relative to tests/. The program compares that column with the tests and prints TAP; with --write it
replaces the column."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ND2, WIRE = "docs/spec/nd2.md", "docs/spec/rocev2.md"
HEADER = "| id | rule | source | test |"
ROW = re.compile(r"^\| ([A-Z]?\d+[a-z]?) \| (.*?) \| (.*?) \| ?(.*?) ?\|$")


def row_lines(text):
    """Yields (line number from 0, match of ROW) for each line of a table of rows."""
    inside = False
    for number, line in enumerate(text.split("\n")):
        inside = line == HEADER or (inside and line.startswith("|"))
        found = ROW.match(line) if inside else None
        if found:
            yield number, found


def rows(page, root=ROOT):
    """Returns id -> rule, in the order of the page."""
    with open(os.path.join(root, page), encoding="utf-8") as f:
        return {found.group(1): found.group(2) for _, found in row_lines(f.read())}


def fill(text, files):
    """Returns the text with the last column of its tables replaced by files: id -> paths of
    tests."""
    lines = text.split("\n")
    for number, found in row_lines(text):
        cells = ", ".join(f"`{path}`" for path in sorted(files.get(found.group(1), ())))
        lines[number] = " | ".join(["| " + found.group(1), found.group(2), found.group(3), cells and cells + " |" or "|"])
    return "\n".join(lines)


def files_of(triples, prefix=""):
    """Returns id -> files, from tuples (row, file, test)."""
    found = {}
    for row, path, _ in triples:
        found.setdefault(row.lstrip("0"), set()).add(prefix + path)
    return found


def differences(old, new):
    """Returns one line per row whose column differs from the files of its tests."""
    return [f"row {was.group(1)}: the page names {was.group(4) or 'no test'}, the tests are in {now.group(4) or 'no file'}"
            for (_, was), (_, now) in zip(row_lines(old), row_lines(new)) if was.group(4) != now.group(4)]


def main():
    sys.path[:0] = [HERE, os.path.dirname(HERE)]
    import conformance  # imported here because conformance imports this module
    import tap
    import wire
    write, root = sys.argv[1] == "--write", sys.argv[-1]
    nd2 = files_of(conformance.in_sources(os.path.join(os.path.dirname(HERE), "nd2")), "nd2/")
    pages = [(ND2, nd2), (WIRE, files_of(wire.in_sources()))]

    def check(page, files):
        with open(os.path.join(root, page), encoding="utf-8") as f:
            old = f.read()
        new = fill(old, files)
        if write and new != old:
            with open(os.path.join(root, page), "w", encoding="utf-8") as f:
                f.write(new)
            return []
        bad = differences(old, new)
        bad += [f"row {row} has no test" for row in rows(page, root) if row not in files and row not in wire.exempt()]
        return bad + (["rows.py --write . mends the column"] if bad else [])

    tap.run([(f"tests of {page}", lambda p=page, f=files: check(p, f)) for page, files in pages])


if __name__ == "__main__":
    main()
