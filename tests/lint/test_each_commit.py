"""Tests tests/each-commit.sh on a small repository with good and bad commits, and tests/touched.py
on paths. Prints TAP."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS]
import tap  # noqa: E402
import touched  # noqa: E402

UNITS = {"base-list": ("tests/unit/base", ["unit"]), "core-qp": ("tests/unit/core/qp", ["unit"]),
         "sim_random": ("tests/sim", ["unit"]), "sim_random_many": ("tests/sim", ["sim"]),
         "docs_printed": ("tests/docs", ["unit"]), "lint_source": ("tests/lint", ["lint"])}
ALL = ["base-list", "core-qp", "docs_printed", "sim_random"]
# (changed files, tests to run)
PATHS = [
    (["dataplane/core/qp/qp.c"], ["core-qp", "docs_printed", "sim_random"]),
    (["dataplane/base/list.c"], ALL),
    (["unheard/of.c"], ALL),
    (["perf/bench.c"], ALL),                      # no test matches the row of perf/
    (["tests/unit/core/qp/test_qp.c"], ["core-qp"]),
    (["tests/unit/core/meson.build"], ALL),
    (["docs/map.md", "README.md", "tests/sim/README.md"], ["docs_printed", "lint_source"]),
    (["tests/lint/source.py", "tests/sim/sim.c"], ["lint_source", "sim_random"]),
    ([], []),
]

MESON = """project('tiny', 'c')
test('unit-first', executable('first', 'first.c'), suite: 'unit')
"""
PASSES, FAILS, BROKEN = "int main(void) { return 0; }\n", "int main(void) { return 1; }\n", "int main(void) {\n"
SLEEPS = "#include <unistd.h>\nint main(void) { sleep(60); return 0; }\n"


def git(root, *words):
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false",
           "-c", "core.hooksPath=/dev/null"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", "-C", root, *who, *words], capture_output=True, text=True, check=True, env=clean)


def commit(root, first):
    with open(os.path.join(root, "first.c"), "w", encoding="utf-8") as f:
        f.write(first)
    git(root, "add", "first.c", "meson.build")
    git(root, "commit", "-q", "--allow-empty", "-m", "first: another way to end")


def repository(root):
    """Creates a repository that builds one program, a unit test, and copies the script into it."""
    git(root, "init", "-q")
    with open(os.path.join(root, "meson.build"), "w", encoding="utf-8") as f:
        f.write(MESON)
    commit(root, PASSES)
    git(root, "tag", "base")
    os.mkdir(os.path.join(root, "tests"))
    for name in ("each-commit.sh", "touched.py"):
        shutil.copy(os.path.join(TESTS, name), os.path.join(root, "tests"))


def start(root, *words):
    """Starts the script with its temporary folder inside `root`; returns the process."""
    os.mkdir(os.path.join(root, "tmp"))
    return subprocess.Popen([os.path.join(root, "tests/each-commit.sh"), *words], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": os.path.join(root, "tmp")})


def left_behind(root):
    """Returns complaints if files are left in the temporary folder, or the worktree still
    exists."""
    trees = subprocess.run(["git", "-C", root, "worktree", "list"], capture_output=True, text=True, check=True).stdout
    left = os.listdir(os.path.join(root, "tmp"))
    return [f"left behind: {left}"] * bool(left) + [f"worktrees: {trees}"] * (trees.count("\n") != 1)


def each_commit_is_judged_alone(root):
    repository(root)
    for text in (FAILS, BROKEN, PASSES + "\n", PASSES + "\n\n"):
        commit(root, text)
    commit(root, PASSES + "\n\n")                 # changes no file
    script = start(root, "base")
    out = script.communicate(timeout=100)[0]
    found = re.findall(r"^(ok|FAIL) +[0-9a-f]+ first: another way to end: (.*) \(", out, re.M)
    wanted = [("FAIL", "failing tests"), ("FAIL", "does not build"), ("ok", "builds, unit tests passed: 1"),
              ("ok", "builds, unit tests passed: 1"), ("ok", "builds, touches no unit test")]
    bad = [] if found == wanted else [f"found {found}"] + out.split("\n")
    if out.split("\n")[-2] != "3 passed, 2 failed" or script.returncode != 1:
        bad.append(f"ends with {script.returncode} and {out}")
    return bad + left_behind(root)


def good_commits_end_with_status_0(root):
    repository(root)
    commit(root, PASSES + "\n")
    script = start(root, "base")
    out = script.communicate(timeout=100)[0]
    return [] if script.returncode == 0 and out.endswith("\n1 passed, 0 failed\n") else [out]


def a_signal_leaves_nothing_behind(root):
    repository(root)
    commit(root, SLEEPS)
    script = start(root, "base")
    for _ in range(600):                          # waits until the test program runs
        if subprocess.run(["pgrep", "-f", root + "/tmp/.*/build/first"], capture_output=True, check=False).returncode == 0:
            break
        time.sleep(0.1)
    script.send_signal(signal.SIGTERM)
    out = script.communicate(timeout=30)[0]
    running = subprocess.run(["pgrep", "-f", root + "/tmp/"], capture_output=True, text=True, check=False).stdout
    return left_behind(root) + [f"still running: {running}"] * bool(running) + \
        ([] if script.returncode == 143 else [f"status {script.returncode}: {out}"])


def a_wrong_base_is_refused(root):
    repository(root)
    script = start(root, "nowhere")
    out = script.communicate(timeout=30)[0]
    return [] if script.returncode == 2 and "no such commit" in out else [f"{script.returncode}: {out}"]


def selects(paths, wanted):
    found = touched.select(paths, UNITS)
    return [] if found == wanted else [f"{paths}: {found}, expected {wanted}"]


def in_a_folder(check):
    def run():
        if not shutil.which("git"):
            raise tap.Skip("there is no git")
        with tempfile.TemporaryDirectory() as root:
            return check(os.path.realpath(root))
    return check.__name__, run


tap.run([(f"paths {n}", lambda p=paths, w=wanted: selects(p, w)) for n, (paths, wanted) in enumerate(PATHS)] +
        [in_a_folder(check) for check in (each_commit_is_judged_alone, good_commits_end_with_status_0,
                                          a_signal_leaves_nothing_behind, a_wrong_base_is_refused)])
