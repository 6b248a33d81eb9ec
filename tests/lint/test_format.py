"""Every rule of layout.py, shown to complain about a bad example and to leave a good one alone, as TAP."""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]
import layout  # noqa: E402
import source  # noqa: E402
import tap  # noqa: E402

STYLE = os.path.join(os.path.dirname(os.path.dirname(HERE)), ".clang-format")
FORMAT, COMMENTS = "files_are_formatted", "comments_fit"
OFF, ON = "/* clang-format off */\n", "/* clang-format on */\n"
LONG = "word " * 20
GOOD_C = "/* A file. */\nint f(int a)\n{\n\treturn a;\n}\n"

# rule, files that must draw at least one complaint (bad) or none (good)
BAD = [
    (FORMAT, {"a.c": "int f(int a) {\n\treturn a;\n}\n"}),
    (FORMAT, {"a.c": "int f(int a)\n{\n        return a;\n}\n"}),
    (FORMAT, {"a/b.h": "int  f(int a);\n"}),
    (FORMAT, {"a.cc": "int f(int a) { return a; }\n"}),
    (FORMAT, {"a.cpp": "int *f(int* a);\n"}),
    (FORMAT, {"a.c": "int f(int " + "a" * 40 + ", int " + "b" * 40 + ", int c);\n"}),
    (FORMAT, {"a.c": "int a;\n" + OFF + "int  b;\n" + ON + "int  c;\n"}),
    (FORMAT, {**{f"{n}.c": GOOD_C for n in range(layout.AT_ONCE + 2)}, "z.c": "int  f;\n"}),
    (COMMENTS, {"a.c": f"/* {LONG}*/\n"}),
    (COMMENTS, {"a.c": f"/* Short.\n * {LONG}*/\n"}),
    (COMMENTS, {"a.cc": f"// {LONG}\n"}),
    (COMMENTS, {"a.h": f"\tint a; /* {LONG}*/\n"}),
    (COMMENTS, {"a.h": "/* " + "\t" * 12 + "word */\n"}),
    (COMMENTS, {"a.c": OFF + ON + f"/* {LONG}*/\n"}),
]
GOOD = [
    (FORMAT, {"a.c": GOOD_C, "b.h": "int *f(int *a);\n", "c.py": "x  = 1\n"}),
    (FORMAT, {"a.c": OFF + "int  b;\n" + ON}),
    (FORMAT, {"a.c": f"/* {LONG}*/\n"}),
    (COMMENTS, {"a.c": "/* " + "x" * 94 + " */\n"}),
    (COMMENTS, {"a.c": f'const char *a = "/* {LONG}*/";\n'}),
    (COMMENTS, {"a.c": OFF + f"int  b; /* {LONG}*/\n" + ON}),
    (COMMENTS, {"a.c": f"#define A /* {LONG} */ \\\n\t1\n"}),
    (COMMENTS, {"a.py": f"# {LONG}\n"}),
]


def complaints(rule, files):
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(STYLE, root)
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
        try:
            return getattr(layout, rule)(source.Tree(root))
        except layout.Missing as why:
            raise tap.Skip(why) from None


def must_complain(rule, files):
    return [] if complaints(rule, files) else [f"{rule} accepted {files}"]


def every_rule_has_a_bad_example():
    return sorted({rule.__name__ for rule in layout.RULES} - {rule for rule, _ in BAD})


def each_file_is_named_once():
    bad = complaints(FORMAT, {"a.c": "int  a;\nint  b;\n", "b.c": "int  c;\n"})
    return [] if [line.split(":")[0] for line in bad] == ["a.c", "b.c"] else bad


tap.run([(f"bad {rule} {n}", lambda r=rule, f=files: must_complain(r, f)) for n, (rule, files) in enumerate(BAD)] +
        [(f"good {rule} {n}", lambda r=rule, f=files: complaints(r, f)) for n, (rule, files) in enumerate(GOOD)] +
        [("every_rule_has_a_bad_example", every_rule_has_a_bad_example), ("each_file_is_named_once", each_file_is_named_once)])
