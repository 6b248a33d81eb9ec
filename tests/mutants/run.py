#!/usr/bin/env python3
"""usage: run.py [WORD...]      applies each deliberate fault of mutants.py and demands that its suite fails; prints TAP"""
import functools
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import mutants  # noqa: E402
import tap  # noqa: E402

BUILD_SECONDS, TEST_SECONDS = 600, 60


def copy_tree(to):
    """The files of the project, as they are now."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True,
                           check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if os.path.isfile(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name))


class Bench:
    def __init__(self, tree):
        self.tree, self.build = tree, os.path.join(tree, "build")
        self.log = ""

    def run(self, command, seconds):
        """Exit status, or None when time ran out."""
        try:
            done = subprocess.run(command, cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        self.log = done.stdout.decode(errors="replace")
        return done.returncode

    def make(self, suites):
        targets = sorted({mutants.SUITES[s][0] for s in suites})
        return self.run(["ninja", "-C", self.build, *targets], BUILD_SECONDS) == 0

    def passes(self, suite):
        target, arguments = mutants.SUITES[suite]
        arguments = [a.format(sim=os.path.join(self.tree, "tests/sim")) for a in arguments]
        return self.run([os.path.join(self.build, target), *arguments], TEST_SECONDS) == 0

    def tail(self):
        return self.log.splitlines()[-20:]


def sound_tree(bench, suites):
    if bench.run(["meson", "setup", "-Dbuildtype=debugoptimized", bench.build], BUILD_SECONDS) != 0:
        return bench.tail()
    if not bench.make(suites):
        return bench.tail()
    return [line for s in sorted(suites) if not bench.passes(s) for line in [f"{s} fails without any fault"] + bench.tail()]


def is_killed(bench, m):
    path = os.path.join(bench.tree, m.file)
    with open(path) as f:
        text = f.read()
    if text.count(m.text) != 1:
        return [f"{m.file}: the text occurs {text.count(m.text)} times, not once"]
    try:
        with open(path, "w") as f:
            f.write(text.replace(m.text, m.instead))
        if not bench.make([m.suite]):
            return ["does not compile"] + bench.tail()
        return [f"survives {m.suite}"] if bench.passes(m.suite) else []
    finally:
        with open(path, "w") as f:
            f.write(text)


def main():
    chosen = [m for m in mutants.MUTANTS if not sys.argv[1:] or any(w in m.name for w in sys.argv[1:])]
    with tempfile.TemporaryDirectory(prefix="softrnic-mutants.") as tree:
        copy_tree(tree)
        bench = Bench(tree)
        checks = [("the tree without a fault", functools.partial(sound_tree, bench, {m.suite for m in chosen}))]
        checks += [(m.name, functools.partial(is_killed, bench, m)) for m in chosen]
        tap.run(checks)


main()
