"""Tests the rule about commit subjects on examples and on small repositories. Prints TAP."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import subjects  # noqa: E402
import tap  # noqa: E402

GOOD = [
    "core/responder: keep the READ record until it is replaced",
    "tests/lint,install: check the hardening of what is installed",
    "readme: one picture",
    "docs: " + "x" * 66,
    "docs: " + "x" * 66 + " (#1234)",
]
BAD = [
    "Keep the READ record until it is replaced",
    "Core: keep the READ record",
    "core:keep the READ record",
    "core: ",
    "fixup! core: keep the READ record",
    "core, qp: keep the READ record",
    "docs: " + "x" * 67,
    "core: keep the READ record.",
    "",
]


def git(root, *words):
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false",
           "-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", "-C", root, *who, *words], capture_output=True, text=True, check=True, env=clean)
    return done.stdout.strip()


def commit(root, subject):
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return git(root, "rev-parse", "HEAD")


def history(root):
    """Creates a repository with a bad subject in its first commit, which is older than the rule;
    returns that commit."""
    git(root, "init", "-q")
    return commit(root, "The first commit")


def expect(found, wanted):
    return [] if found == wanted else [f"found {found}, expected {wanted}"]


def accepts(subject):
    return subjects.complaints_of(subject)


def refuses(subject):
    return [] if subjects.complaints_of(subject) else [f"accepted {subject!r}"]


def checked(root, first):
    return [subject for _, subject in subjects.subjects(root, first)]


def commits_before_the_rule_are_exempt(root):
    first = history(root)
    commit(root, "docs: good")
    return expect(checked(root, first), ["docs: good"]) + subjects.complaints(root, first)


def a_bad_subject_is_named(root):
    first = history(root)
    bad = commit(root, "Bad")
    found = subjects.complaints(root, first)
    return [] if len(found) == 1 and found[0].startswith(bad[:7]) and "Bad" in found[0] else [f"found {found}"]


def without_a_tag_fifty_commits_are_checked(root):
    first = history(root)
    for number in range(subjects.COMMITS + 3):
        commit(root, f"docs: {number}")
    return expect(len(checked(root, first)), subjects.COMMITS)


def with_a_tag_what_follows_it_is_checked(root):
    first = history(root)
    commit(root, "docs: released")
    git(root, "tag", "v0.1.0")
    commit(root, "docs: new")
    git(root, "tag", "no-release")
    commit(root, "docs: newer")
    return expect(checked(root, first), ["docs: newer", "docs: new"])


def merges_are_not_checked(root):
    first = history(root)
    git(root, "checkout", "-q", "-b", "side")
    commit(root, "docs: side")
    git(root, "checkout", "-q", "main")
    commit(root, "docs: main")
    git(root, "merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    return expect(sorted(checked(root, first)), ["docs: main", "docs: side"])


def unknown(root, last_free="0" * 40):
    try:
        return [f"checked {subjects.subjects(root, last_free)}"]
    except subjects.Unknown:
        return []


def an_export_without_git_is_skipped(root):
    return unknown(root)


def an_export_inside_another_repository_is_skipped(root):
    first = history(root)
    os.mkdir(os.path.join(root, "export"))
    return unknown(os.path.join(root, "export"), first)


def a_history_without_the_base_is_skipped(root):
    history(root)
    return unknown(root)


def a_shallow_clone_is_skipped(root):
    origin = os.path.join(root, "origin")
    os.mkdir(origin)
    history(origin)
    last = commit(origin, "Bad")
    git(root, "clone", "-q", "--depth", "1", "file://" + origin, "clone")
    return unknown(os.path.join(root, "clone"), last)


def in_a_folder(check):
    def run():
        with tempfile.TemporaryDirectory() as root:
            return check(root)
    return check.__name__, run


try:
    subprocess.run(["git", "--version"], capture_output=True, check=True)
    histories = [in_a_folder(check) for check in (
        commits_before_the_rule_are_exempt, a_bad_subject_is_named, without_a_tag_fifty_commits_are_checked,
        with_a_tag_what_follows_it_is_checked, merges_are_not_checked, an_export_without_git_is_skipped,
        an_export_inside_another_repository_is_skipped, a_history_without_the_base_is_skipped,
        a_shallow_clone_is_skipped)]
except FileNotFoundError:
    histories = []
tap.run([(f"good {n}", lambda s=subject: accepts(s)) for n, subject in enumerate(GOOD)] +
        [(f"bad {n}", lambda s=subject: refuses(s)) for n, subject in enumerate(BAD)] + histories)
