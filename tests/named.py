"""Plays cases that have a name and get the build folder: what tests/daemon/run.py and tests/verbs/run.py have in common."""
import functools
import os
import re
import sys

import tap


def watched(name, function, build, failed, skipped):
    """Plays a case; adds its name to `failed` if it has complaints, to `skipped` if it cannot run here."""
    bad = ["has not ended"]
    try:
        bad = function(build)
    except tap.Skip:
        bad = []
        skipped.append(name)
        raise
    finally:
        if bad:
            failed.append(name)
    return bad


def table(chosen, failed, skipped):
    """Returns lines that count the cases of each file."""
    lines, files = [], {}
    for name, function in chosen:
        files.setdefault(getattr(function, "func", function).__module__, []).append(name)
    for file, names in sorted(files.items()):
        lost, left_out = sum(n in failed for n in names), sum(n in skipped for n in names)
        lines.append(f"# {file:14} {len(names) - lost - left_out:4} passed {lost:4} failed {left_out:4} skipped")
    return lines


def main(suite, doc, cases):
    """Reads the command line, whose second paragraph of `doc` begins with "usage:", and plays the chosen cases: tuples of name,
    function, and whether --tier plays the case. Prints TAP, a line for each file of cases and, last, "SUITE: N passed, N failed[, N skipped]"."""
    words = sys.argv[1:]
    show, core = "--list" in words, "--tier" in words and os.environ.get("SOFTRNIC_TIER") != "full"
    words = [word for word in words if word not in ("--list", "--tier")]
    if not words or words[0].startswith("-"):
        print(doc.split("\n\n")[1], file=sys.stderr)
        return 2
    chosen = [(name, function) for name, function, is_core in cases
              if (is_core or not core) and (not words[1:] or any(re.search(p, name) for p in words[1:]))]
    if show:
        print(*(name for name, _ in chosen), sep="\n")
        return 0
    failed, skipped = [], []
    try:
        return tap.run([(name, functools.partial(watched, name, function, os.path.abspath(words[0]), failed, skipped))
                        for name, function in chosen])
    finally:
        passed = len(chosen) - len(failed) - len(skipped)
        print(*table(chosen, failed, skipped), sep="\n")
        print(f"{suite}: {passed} passed, {len(failed)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
