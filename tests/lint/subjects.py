"""The rule about commit subjects (CONTRIBUTING.md), and the commits of a repository to which it
applies."""
import os
import re
import subprocess

LAST_FREE = "80d25e9"  # This commit and its ancestors are older than the rule, and not checked.
COLUMNS, COMMITS = 72, 50

AREA = re.compile(r"[a-z0-9_/.,-]+: \S")
PULL_REQUEST = re.compile(r" \(#\d+\)$")  # a forge appends this when it squashes a branch


class Unknown(Exception):
    """The commits to check cannot be determined here; the text is the reason."""


def complaints_of(subject):
    """Returns phrases that say what is wrong with one subject."""
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
    """Returns git's output, or None if git fails. GIT_ variables are removed, because those set by
    a git hook may name another repository."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False, env=clean)
    except FileNotFoundError:
        raise Unknown("there is no git") from None
    return done.stdout if done.returncode == 0 else None


def subjects(root, last_free=LAST_FREE):
    """Returns [(hash, subject)] of the commits since the last release tag, of the last 50 if there
    is no tag. Merges are left out."""
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
