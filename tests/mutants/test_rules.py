#!/usr/bin/env python3
"""Does each rule of rules.py make the expected faults, and only in code?"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import rules  # noqa: E402
import tap  # noqa: E402

MADE = [  # code, the expected changes of it
    ("x = a & b;", ["x = a | b;"]),
    ("x &= 3;", ["x |= 3;"]),
    ("x = a & 0x3f;", ["x = a | 0x3f;", "x = a & 0x3e;"]),
    ("x = 0x00u;", ["x = 0x1u;"]),
    ("x = a << 8;", ["x = a >> 8;", "x = a << 9;"]),
    ("x = a >> n;", ["x = a << n;"]),
    ("if (a < b)", ["if (a <= b)"]),
    ("if (a >= b)", ["if (a > b)"]),
    ("if (a == b)", ["if (a != b)"]),
    ("x = a + 1;", ["x = a + 0;"]),
    ("x = a - 1u;", ["x = a - 0u;"]),
    ("#define F(x) ((x) & 7)", ["#define F(x) ((x) | 7)"]),
]
LEFT = ["/* a & b */", "// a < b", 'x = "a & b";', "#if A == B", "f(&a, *b, a->b);", "x = a + 10;", "x = -1;", "x = a && b;",
        "static_assert(a == b, c);", "rn_assert(a < b);", "x = a + 1.5;", "case '<' :", "struct x { int a : 1; };",
        "/* first\n * a & b\n */"]


def makes(code, wanted):
    made = [rules.changed(code, c) for c in rules.changes_of("x.c", code)]
    return [] if made == wanted else [f"{code}: {made}, not {wanted}"]


def sample_is_stable():
    root = os.path.dirname(os.path.dirname(HERE))
    one, two = rules.sample(root, 100, 7), rules.sample(root, 100, 7)
    bad = [] if one == two and len(set(one)) == 100 else ["two samples of one seed differ"]
    bad += [] if rules.sample(root, 100, 8) != one else ["two seeds make one sample"]
    return bad + [f"no {rule} among all" for rule in ("mask", "shift", "comparison", "step")
                  if rule not in {c.rule for c in rules.all_changes(root).values()}]


def sources_are_in_every_folder():
    root = os.path.dirname(os.path.dirname(HERE))
    there = {os.path.dirname(name) for name in rules.sources(root)}
    return [f"no file of {folder}" for folder in ("dataplane/wire", "dataplane/core/qp", "dataplane/core/cm")
            if folder not in there]


def sample_outlives_work_elsewhere():
    lines = [f"x{i} = a & b; y{i} = c << {i}; if (a < {i})" for i in range(50)]
    texts = "\n".join(lines), "\n".join(lines[:7] + ["z = d + 1;"] + lines[7:])
    one, two = ({(rules.line_of(t, c), c.old, c.new) for c in rules.drawn(rules.named("x.c", t), 40, 3)} for t in texts)
    return [] if len(one) == 40 and len(one - two) <= 1 else [f"{len(one - two)} of {len(one)} are others after one line more"]


tap.run([(f"makes: {code}", lambda code=code, wanted=wanted: makes(code, wanted)) for code, wanted in MADE] +
        [(f"leaves alone: {code.splitlines()[0]}", lambda code=code: makes(code, [])) for code in LEFT] +
        [("a sample is what its seed says", sample_is_stable),
         ("the folders below dataplane/core are sources", sources_are_in_every_folder),
         ("a sample outlives work elsewhere", sample_outlives_work_elsewhere)])
