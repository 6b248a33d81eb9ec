"""Prints the names of the unit tests that a change could break, one a line.

usage: touched.py SOURCE BUILD < PATHS      PATHS: what `git diff --name-only` prints

The table below maps the folder of a changed file to the folders of the tests that depend on the file; a file below tests/
selects the tests of its own folder. A path without a row, and a row without a test, select every unit test: a needless
test costs seconds, while a missing test may cost a bisection.
"""
import json
import os
import subprocess
import sys

# Folder of the changed file: folders of the tests to run, subfolders included. The first row that matches counts.
ROWS = [
    ("dataplane/core/", ["tests/unit/core", "tests/unit/port", "tests/unit/nic", "tests/sim", "tests/fuzz", "tests/docs"]),
    ("dataplane/port/", ["tests/unit/port", "tests/unit/nic", "tests/docs"]),
    ("dataplane/nic/", ["tests/unit/port", "tests/unit/nic", "tests/docs"]),
    ("compat/", ["compat/tests", "tests/docs"]),
    ("provider/", ["tests/unit/provider", "compat/tests", "tests/docs"]),
    ("tools/", ["tests/unit/tools"]),
    ("perf/", ["tests/unit/perftest"]),
    ("tests/nd2/", ["tests/unit/provider"]),  # tests/unit/provider runs the programs of tests/nd2 over a NIC in memory
]
# Files that no program contains: only the tests of pages (PAGES) and suite lint read them.
PROSE = ("README.md", "CONTRIBUTING.md", "LICENSE", "docs/", "demo.sh", "check.sh", ".ci/", ".git")


PAGES = ["tests/docs"]


def folder_of(test, source, build):
    """Returns the folder below SOURCE that declares the test: the folder of its program or script. Programs in the folder tests of
    the build, such as tests/sim_random, belong to tests/sim."""
    for word in test["cmd"]:
        for root in (build, source):
            place = os.path.relpath(os.path.normpath(word), root)
            if os.path.isabs(word) and not place.startswith("../"):
                folder = os.path.dirname(place)
                return "tests/sim" if folder == "tests" else folder
    return ""


def below(folder, tops):
    return any(folder == top or folder.startswith(top + "/") for top in tops)


def wanted(path):
    """Returns (the test folders of one changed file, whether all tests must run if these folders have no test)."""
    if path.startswith(PROSE) or path.endswith("/README.md"):
        return PAGES, False
    for top, folders in ROWS:
        if path.startswith(top):
            return folders, True
    parts = path.split("/")
    depth = 3 if path.startswith("tests/unit/") else 2
    if parts[0] == "tests" and len(parts) > depth and parts[-1] != "meson.build":
        return ["/".join(parts[:depth])], True
    return [], True


def select(paths, tests):
    """tests: {name: (folder, suites)}. Returns the names to run, sorted."""
    units = {name for name, (_, suites) in tests.items() if "unit" in suites}
    chosen = set()
    for path in paths:
        folders, must_find = wanted(path)
        found = {name for name, (folder, suites) in tests.items()
                 if below(folder, folders) and {"unit", "lint"} & set(suites)}
        if must_find and not found:
            return sorted(units)
        chosen |= found
        if folders is PAGES:
            chosen |= {name for name, (_, suites) in tests.items() if "lint" in suites}
    return sorted(chosen)


def main():
    source, build = (os.path.realpath(word) for word in sys.argv[1:3])
    listed = subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True, check=True)
    tests = {test["name"]: (folder_of(test, source, build), [suite.split(":")[-1] for suite in test["suite"]])
             for test in json.loads(listed.stdout)}
    for name in select(sys.stdin.read().split("\n")[:-1], tests):
        print(name)


if __name__ == "__main__":
    main()
