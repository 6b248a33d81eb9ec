"""usage: test_tables.py ROOT    checks that the names in this folder's tables and in
docs/interop-bugs.md exist; prints TAP"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import cases  # noqa: E402
import counters  # noqa: E402
import tap  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])


def cases_are_named_once():
    names = [c.name for c in cases.cases()]
    core = sum(c.core for c in cases.cases())
    bad = [f"{n} twice" for n in set(names) if names.count(n) > 1]
    return bad + ([] if 10 <= core < len(names) and len(names) >= 40 else [f"{core} of {len(names)} are in the core"])


def counters_exist():
    known = set(re.findall(r"`(\w+)`", (ROOT / "docs/counters.md").read_text()))
    named = {n for group in counters.GROUPS.values() for n in group}
    for case in cases.cases():
        for word in getattr(case.play, "allow", []) + list(getattr(case.play, "want", [])):
            named |= {word} if word not in counters.GROUPS else set()
    return [f"there is no counter {n}" for n in sorted(named - known)]


def trouble_is_told():
    text = "             3  verdict_OK\n             2  verdict_ICRC\n             1  tx_naks\n"
    seen = counters.parse(text)
    if seen != {"verdict_OK": 3, "verdict_ICRC": 2, "tx_naks": 1}:
        return [f"read {seen}"]
    if counters.complaints(seen, ["loss"]) != ["counter verdict_ICRC is 2"] or len(counters.complaints(seen, [])) != 2:
        return ["complaints are wrong"]
    return []


def bugs_name_tests():
    page = (ROOT / "docs/interop-bugs.md").read_text()
    sources = "".join(f.read_text(errors="replace") for pattern in ("*.c", "*.rows", "*.py") for f in (ROOT / "tests").rglob(pattern))
    bad = [f"no test {n}" for n in re.findall(r"`([a-z]+[A-Za-z0-9]*_\w+)`", page)
           if not re.search(rf"(^== |\b){n}\b", sources, re.M) and not (ROOT / n).exists()]
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| what went wrong, and")]
    return bad + [f"no test: {r}" for r in rows if "`" not in r.split(" | ")[-1] and "interop:" not in r]


if __name__ == "__main__":
    tap.run([("cases are named once", cases_are_named_once), ("counters exist", counters_exist),
             ("trouble is told", trouble_is_told), ("the page of bugs names tests", bugs_name_tests)])
