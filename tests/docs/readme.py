"""usage: readme.py SOURCE COMPILER...

Checks that the C++ of README.md is part of docs/hello.cc, and that docs/hello.cc compiles. Prints
TAP. tests/install builds docs/hello.cc with the command in README.md, and runs it."""
import os
import re
import subprocess
import sys
import textwrap

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tap  # noqa: E402

SOURCE, COMPILER = sys.argv[1], sys.argv[2:]
PROGRAM = os.path.join(SOURCE, "docs", "hello.cc")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def blocks():
    return re.findall(r"^```cpp\n(.*?)^```$", read(os.path.join(SOURCE, "README.md")), re.M | re.S)


def flat(text):
    return [line.strip() for line in textwrap.dedent(text).strip().split("\n")]


def readme_shows_the_program():
    program = flat(read(PROGRAM))
    bad = [] if blocks() else ["README.md has no C++"]
    for block in map(flat, blocks()):
        if not any(program[at:at + len(block)] == block for at in range(len(program))):
            bad.append(f"docs/hello.cc does not contain the lines from {block[0]!r} to {block[-1]!r}")
    return bad


def the_program_compiles():
    done = subprocess.run([*COMPILER, "-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
                           "-fsyntax-only", "-I", os.path.join(SOURCE, "include"), PROGRAM],
                          capture_output=True, text=True, check=False)
    return done.stderr.splitlines() if done.returncode else []


tap.run([("readme_shows_the_program", readme_shows_the_program), ("the_program_compiles", the_program_compiles)])
