"""Tests that rows.py finds the rows of a page, and reports a column of tests that is wrong. Prints
TAP."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import rows  # noqa: E402
import tap  # noqa: E402

PAGE = f"""# Title

| id | rule | source | test |
|---|---|---|---|
| 1 | A rule. | page | `a.c`, `b.c` |
| 86a | Another. | test | |

| id | other | table | here |
|---|---|---|---|
| 2 | no | row | |
{rows.HEADER}
|---|---|---|---|
| F12 | A third. | IBTA 9.2 | `c.rows` |
"""
TRUE = {"1": {"b.c", "a.c"}, "F12": {"c.rows"}}


def found():
    ids = [match.group(1) for _, match in rows.row_lines(PAGE)]
    return [] if ids == ["1", "86a", "F12"] else [str(ids)]


def true_column():
    return [] if rows.fill(PAGE, TRUE) == PAGE else [rows.fill(PAGE, TRUE)]


def complains(files, number):
    bad = rows.differences(PAGE, rows.fill(PAGE, files))
    return [] if len(bad) == number else [str(bad)]


def filled_twice():
    once = rows.fill(PAGE, {"86a": {"x.c"}})
    return [] if rows.fill(once, TRUE) == PAGE else [once]


def of_triples():
    said = rows.files_of([("042", "a.c", "x"), ("086a", "b.c", "y"), ("042", "c.c", "z")], "nd2/")
    return [] if said == {"42": {"nd2/a.c", "nd2/c.c"}, "86a": {"nd2/b.c"}} else [str(said)]


tap.run([("rows of a page", found), ("a true column stays", true_column), ("filled twice", filled_twice), ("files of rows", of_triples),
         ("a test that moved", lambda: complains({**TRUE, "F12": {"d.rows"}}, 1)),
         ("a test that is gone", lambda: complains({"F12": {"c.rows"}}, 1)),
         ("a new test", lambda: complains({**TRUE, "86a": {"x.c"}}, 1))])
