"""The rule about commit subjects (CONTRIBUTING.md), and which commits of a repository it holds for."""
import os
import re
import subprocess

LAST_FREE = "80d25e9"  # The rule is younger than this commit: the commit and its ancestors are not checked.
COLUMNS, COMMITS = 72, 50

AREA = re.compile(r"[a-z0-9_/.,-]+: \S")
PULL_REQUEST = re.compile(r" \(#\d+\)$")  # what a forge appends when it squashes a branch


class Unknown(Exception):
    """The commits to check cannot be known here; the text says why."""


def complaints_of(subject):
    """What is wrong with one subject, as phrases."""
    subject = PULL_REQUEST.sub("", subject)
    bad = []
    if not AREA.match(subject):
        bad.append('is not of the form "area: what changes"')
    if len(subject) > COLUMNS:
        bad.append(f"has {len(subject)} columns, more than {COLUMNS}")
    if subject.endswith("."):
        bad.append("ends with a full stop")
    return bad


def git(root, *words):
    """What git prints, or None when it fails. Variables of a hook that runs this name another repository."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False, env=clean)
    except FileNotFoundError:
        raise Unknown("there is no git") from None
    return done.stdout if done.returncode == 0 else None


def subjects(root, last_free=LAST_FREE):
    """[(hash, subject)] since the last release tag, without a tag of the last 50 commits. Merges are not checked."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or os.path.realpath(top.rstrip("\n")) != os.path.realpath(root):
        raise Unknown("this is no git repository of its own")
    if git(root, "rev-parse", "--is-shallow-repository") != "false\n":
        raise Unknown("the clone is shallow")
    if git(root, "merge-base", "--is-ancestor", last_free, "HEAD") is None:
        raise Unknown(f"the history does not contain {last_free}")
    tag = git(root, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD")
    span = [f"{tag.strip()}..HEAD"] if tag else [f"--max-count={COMMITS}", "HEAD"]
    listed = git(root, "log", "--no-merges", "--format=%h %s", *span, f"^{last_free}")
    return [tuple(line.split(" ", 1)) for line in listed.split("\n") if line]


def complaints(root, last_free=LAST_FREE):
    return [f"{commit}: the subject {phrase}: {subject}"
            for commit, subject in subjects(root, last_free) for phrase in complaints_of(subject)]
