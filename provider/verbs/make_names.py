#!/usr/bin/env python3
"""Makes the version script and the stubs of libibverbs.so.1 from the table of names.

usage: make_names.py NAMES MAP STUBS
"""
import sys

STUBS = {
    "refuse": "int {0}(void);\nint {0}(void)\n{{\n\treturn EOPNOTSUPP;\n}}\n",
    "null": "void *{0}(void);\nvoid *{0}(void)\n{{\n\terrno = EOPNOTSUPP;\n\treturn NULL;\n}}\n",
    "ignore": "int {0}(void);\nint {0}(void)\n{{\n\treturn 0;\n}}\n",
}


def rows(path):
    """Returns (node, name, answer) of each row of the table."""
    with open(path, encoding="utf-8") as f:
        return [tuple(line.split()) for line in f if line.strip() and not line.startswith("#")]


def version_script(table):
    """Returns the version script. Each node inherits from the one before, except the private one."""
    text, before = [], ""
    for node in dict.fromkeys(node for node, _, _ in table):
        private = "PRIVATE" in node
        names = "".join(f"\t\t{name};\n" for other, name, _ in table if other == node)
        rest = "" if before else "\tlocal:\n\t\t*;\n"
        text.append(f"{node} {{\n\tglobal:\n{names}{rest}}}{'' if private or not before else ' ' + before};\n")
        before = node
    return "".join(text)


def main():
    names, script, stubs = sys.argv[1:]
    table = rows(names)
    with open(script, "w", encoding="utf-8") as f:
        f.write(version_script(table))
    with open(stubs, "w", encoding="utf-8") as f:
        f.write("/* Made by make_names.py: names that softrnic exports but does not serve. */\n"
                "#include <errno.h>\n#include <stddef.h>\n\n#pragma GCC visibility push(default)\n")
        f.writelines(STUBS[answer].format(name) for _, name, answer in table if answer != "code")


if __name__ == "__main__":
    main()
