"""Tests that every rule of references.py complains about bad examples and accepts good ones. Prints
TAP."""
import os
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import references  # noqa: E402
import source  # noqa: E402
import tap  # noqa: E402

TABLE = "| id | rule | source | test |\n|---|---|---|---|\n"
PAGES = {
    "docs/spec/rocev2.md": "# RoCEv2\n\n## 6. Connections\n\n### 6.13 Example\n\n### 6.14 SIDR\n\n## 9. Rules\n\n" + TABLE +
                           "| C1 | A rule. | IBTA 12.6 | `a.c` |\n| C2 | Another. | IBTA 12.6 | |\n| Q46 | A third. | rxe | |\n",
    "docs/spec/nd2.md": "# ND2\n\n## 1. Interfaces\n\n#### 1.0.6 Requests\n\n" + TABLE +
                        "| 86 | A rule. | page | |\n| 86a | Another. | page | |\n| 148 | A third. | page | |\n",
}


def cited(text, name="dataplane/core/x.c"):
    return {**PAGES, name: text}


LEAD, NAME, INSTALLED = "references_lead_somewhere", "references_name_the_page", "installed_headers_cite_what_is_public"

# (rule, files as path: text). A row of BAD must cause at least one complaint, a row of GOOD none.
BAD = [
    (LEAD, cited("/* docs/spec/rocev2.md 6.15 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md 6.13, 6.15 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md 6.13 and 6.15 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md 6.13 to 6.15 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md section 7 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md, section 7 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md 6.14, row C3 */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md row Q47 */\n")),
    (LEAD, cited("/* docs/spec/nd2.md row 149. */\n")),
    (LEAD, cited("/* docs/spec/nd2.md rows 86 to 149 */\n")),
    (LEAD, cited("/* rows 86, 86b and 148 of docs/spec/nd2.md */\n")),
    (LEAD, cited("/* Rows 2 to 86 of docs/spec/nd2.md */\n")),
    (LEAD, cited("# C1 to C40 of docs/spec/rocev2.md\n", "tests/sim/x.rows")),
    (LEAD, cited("/* rows C and R of docs/spec/rocev2.md */\n")),
    (LEAD, cited("R rows of `docs/spec/rocev2.md`\n", "tests/README.md")),
    (LEAD, cited("/* rows 86\n * to 149 of\n * docs/spec/nd2.md */\n")),
    (LEAD, cited("/* a rule (docs/spec/rocev2.md\n * 6.15) */\n")),
    (LEAD, cited("# a rule, docs/spec/rocev2.md\n# 6.15\n", "tests/x.py")),
    (LEAD, cited("see [the rules](spec/rocev2.md) 6.15\n", "docs/wire.md")),
    (LEAD, cited("/* docs/spec/rocev1.md 6.14 */\n")),
    (LEAD, {"a.c": "/* docs/spec/rocev2.md 6.14 */\n"}),
    (NAME, cited("/* (wire rules, 6.14) */\n")),
    (NAME, cited("/* rows Q of the wire\n * rules */\n")),
    (NAME, cited("/* row 148 of the interface rules */\n")),
    (NAME, cited("/* the rules: row 110 of 169 */\n")),
    (NAME, cited("/* row 148 of\n * the list */\n")),
    (NAME, cited("/* rows F12 of another page */\n")),
    (NAME, cited("rows of the ND2 rules\n", "tests/README.md")),
    (NAME, cited("a wire checklist\n", "README.md")),
    (NAME, cited("/* as in section 6.14 */\n")),
    (NAME, cited("/* the sections\n * 6.13 and 6.14 */\n")),
    (INSTALLED, {"include/rn/x.h": "/* docs/spec/rocev2.md 6.14 */\n"}),
    (INSTALLED, {"include/nd.h": "/* see docs/nd2.md */\n"}),
    (INSTALLED, {"include/nd.h": "/* see verbs-to-nd2.md */\n"}),
    (INSTALLED, {"include/compat/x.h": "/* provider/os/event.h */\n"}),
    (INSTALLED, {"compat/include/x.h": "/* dataplane/core/qp.h */\n"}),
]
GOOD = [
    (LEAD, cited("/* docs/spec/rocev2.md 6.14 */\n")),
    (LEAD, cited("/* (docs/spec/rocev2.md 6.13, 6.14): 15 times. */\n")),
    (LEAD, cited("/* (docs/spec/rocev2.md 6, row C1). 0: none */\n")),
    (LEAD, cited("/* docs/spec/rocev2.md row Q46. */\n")),
    (LEAD, cited("/* docs/spec/nd2.md 1.0.6 */\n")),
    (LEAD, cited("/* row 148 of docs/spec/nd2.md. Both kinds */\n")),
    (LEAD, cited("/* rows 86, 86a and 148 of docs/spec/nd2.md (149 is elsewhere) */\n")),
    (LEAD, cited("/* rows C and Q of docs/spec/rocev2.md */\n")),
    (LEAD, cited("the 3 rows of docs/spec/nd2.md, 40 of them new\n", "README.md")),
    (LEAD, cited("[rules](docs/spec/rocev2.md) 6.14, and [others](docs/spec/README.md)\n", "README.md")),
    (NAME, cited("/* docs/spec/rocev2.md 6.14, row 148 of docs/spec/nd2.md */\n")),
    (NAME, cited("/* rows C1 and C2 of\n * docs/spec/rocev2.md */\n")),
    (NAME, cited("/* RFC 4861, section 4.3; IBTA vol. 1, section 9.7 */\n")),
    (NAME, cited("/* the first row of the table, section `rdma` */\n")),
    (INSTALLED, {"include/nd.h": "/* IBTA vol. 1, 12.7; RFC 3168 */\n#include <rn/abi.h>\n"}),
    (INSTALLED, {"dataplane/core/x.h": "/* docs/spec/rocev2.md 6.14 */\n"}),
]


def complaints(rule, files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
        return getattr(references, rule)(source.Tree(root))


def must_complain(rule, files):
    return [] if complaints(rule, files) else [f"{rule} accepted {files}"]


def lines_are_right():
    said = complaints(NAME, {"a.c": "/* one\n *\n * two */\nint x;\n/* wire rules */\n"})
    return [] if len(said) == 1 and said[0].startswith("a.c:5:") else said or ["nothing"]


def every_rule_has_a_bad_example():
    return sorted({rule.__name__ for rule in references.RULES} - {rule for rule, _ in BAD})


tap.run([(f"bad {rule} {n}", lambda r=rule, f=files: must_complain(r, f)) for n, (rule, files) in enumerate(BAD)] +
        [(f"good {rule} {n}", lambda r=rule, f=files: complaints(r, f)) for n, (rule, files) in enumerate(GOOD)] +
        [("lines_are_right", lines_are_right), ("every_rule_has_a_bad_example", every_rule_has_a_bad_example)])
