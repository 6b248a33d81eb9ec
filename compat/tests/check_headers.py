"""usage: check_headers.py SOURCE LIBRARY

Does every header of compat/include compile without a warning, alone and with all the others, in C and in C++, with gcc and
with clang? Is every function they declare exported by the library, commented and tested? Prints TAP."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests")]
import tap  # noqa: E402

SOURCE, LIBRARY = sys.argv[1:]
COMPAT = os.path.join(SOURCE, "compat", "include")
INCLUDE = ["-I" + COMPAT, "-I" + os.path.join(SOURCE, "include")]
COMPILERS = {"gcc": (["gcc", "-std=gnu11"], ".c"), "gxx": (["g++", "-std=gnu++17"], ".cc"),
             "clang": (["clang", "-std=gnu11"], ".c"), "clangxx": (["clang++", "-std=gnu++17"], ".cc")}
STANDARD = ("algorithm", "functional", "limits", "memory", "new", "string", "thread")
HEADERS = sorted(os.path.relpath(path, COMPAT) for path in glob.glob(COMPAT + "/**/*.h", recursive=True))


def text(name):
    with open(os.path.join(COMPAT, name), encoding="utf-8") as f:
        return f.read()


FORWARDING = re.compile(r'/\* Another spelling of (\S+)\. \*/\n#include "\1"\n')
OWN = [name for name in HEADERS if not FORWARDING.fullmatch(text(name))]


def compiles(compiler, source):
    """Compiles one translation unit for each of the sources, with one call of the compiler."""
    command, suffix = COMPILERS[compiler]
    if not shutil.which(command[0]):
        raise tap.Skip(f"there is no {command[0]}")
    with tempfile.TemporaryDirectory() as folder:
        units = []
        for name, lines in source.items():
            units.append(os.path.join(folder, name + suffix))
            with open(units[-1], "w", encoding="utf-8") as f:
                f.write("".join(line + "\n" for line in lines))
        done = subprocess.run([*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *INCLUDE, *units],
                              capture_output=True, text=True, timeout=200, check=False)
    return done.stderr.splitlines() if done.returncode else []


def each_alone(compiler):
    return compiles(compiler, {name.replace("/", "_"): [f"#include <{name}>"] * 2 for name in OWN})


def all_together(compiler):
    """All headers in both orders, with headers of the C++ library before and after them."""
    standard = [f"#include <{name}>" for name in STANDARD] if compiler.endswith("xx") else []
    ours = [f"#include <{name}>" for name in HEADERS] + ["#include <ndsupport.h>"]
    units = {"before": [*standard, *ours], "after": [*ours[::-1], *standard],
             "lean": ["#define WIN32_LEAN_AND_MEAN", "#define NOMINMAX", *ours],
             "narrow": ["#define _MBCS", *ours],
             "wide": ["#define UNICODE", "#define _UNICODE", "#include <initguid.h>", *ours]}
    return compiles(compiler, units)


VTBL = re.compile(r"typedef struct (\w+)Vtbl \{(.*?)\n\} \1Vtbl;", re.S)
METHOD = re.compile(r"([\w ]+?)\(\*(\w+)\)\s*\(([^()]*)\);")
MACRO = re.compile(r"^#define (\w+)\((.*?)\)\s+\(This\)->lpVtbl->(\w+)\((.*)\)$", re.M)


def methods():
    """Yields (interface, return type, method, parameters with their types) for every method of the tables in C."""
    for name in ("ndtypes.h", "ndspi.h"):
        with open(os.path.join(SOURCE, "include", name), encoding="utf-8") as f:
            whole = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for table in VTBL.finditer(whole):
            for found in METHOD.finditer(table.group(2)):
                yield table.group(1), found.group(1).strip(), found.group(2), " ".join(found.group(3).split())


def com_macros_call_their_slot():
    """Each method of each interface has a macro that takes the same parameters in the same order."""
    bad = []
    joined = re.sub(r"\s*\\\n\s*", " ", text("ndspi.h") + text("combaseapi.h")).replace("( ", "(")
    macros = {m.group(1): m.groups()[1:] for m in MACRO.finditer(joined)}
    lines = ["#include <ndspi.h>"]
    for interface, result, method, parameters in methods():
        name = f"{interface}_{method}"
        given = [re.sub(r"\[\]$", "", p).split()[-1].lstrip("*") for p in parameters.split(", ")]
        wanted = (", ".join(given), method, ", ".join(f"({p})" for p in given))
        if macros.pop(name, None) != wanted:
            bad.append(f"{name} is not there, or not {wanted}")
        lines += [f"{result} call_{name}({parameters});",
                  f"{result} call_{name}({parameters})", f"{{ return {name}({', '.join(given)}); }}"]
    return bad + [f"{name} is no method" for name in macros] + compiles("gcc", {"calls": lines})


def other_spellings_name_headers():
    bad = []
    for name in HEADERS:
        match = FORWARDING.fullmatch(text(name))
        if match and match.group(1) not in OWN:
            bad.append(f"{name} names {match.group(1)}, which is not a header of its own")
    return bad


# A function declaration that begins in the first column.
DECLARATION = re.compile(r"^(?!typedef\b|static\b|#|extern\b|struct \w+ \{|template\b|return\b)"
                         r"[A-Za-z_][\w \*]*?[ \*](\w+)\([^;{}]*\)(?: __attribute__\(\(.*?\)\))?;", re.M)


def declared():
    """Returns a dictionary: function -> (header, whether a comment ends in the line above the declaration)."""
    found = {}
    for name in OWN:
        whole = text(name)
        for match in DECLARATION.finditer(whole):
            found[match.group(1)] = (name, whole[:match.start()].endswith("*/\n"))
    return found


def declared_is_exported():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] in "TtWD"}
    # Functions to which a header redirects the calls of a native function.
    redirected = {name for header in OWN for name in re.findall(r"__REDIRECT\w*\([^;]*,\s+(compat_\w+)\);", text(header))}
    ours = set(declared()) | redirected
    # Names that begin with an underscore belong to sanitizers, unless a header declares them.
    exported = {name for name in exported if not name.startswith(("_", "__"))} | (exported & ours)
    return ([f"{name} is exported and in no header" for name in sorted(exported - ours)] +
            [f"{name} is declared and not exported" for name in sorted(ours - exported)])


def every_function_has_a_comment():
    return [f"{header}: {name} has no comment" for name, (header, commented) in sorted(declared().items())
            if not commented]


def every_function_has_a_test():
    tests = ""
    for path in glob.glob(HERE + "/test_*.c*"):
        with open(path, encoding="utf-8") as f:
            tests += f.read()
    names = set(re.findall(r"\w+", tests))
    return [f"{header}: {name} has no test" for name, (header, _) in sorted(declared().items())
            if "test_" + name not in names and not re.search(rf"^\s*(?:\{{|\w+\()\"?{name}\b", tests, re.M)]


def main():
    checks = []
    for compiler in COMPILERS:
        checks += [(f"each_alone_{compiler}", lambda c=compiler: each_alone(c)),
                   (f"all_together_{compiler}", lambda c=compiler: all_together(c))]
    checks += [(check.__name__, check) for check in (
        com_macros_call_their_slot, other_spellings_name_headers, declared_is_exported, every_function_has_a_comment, every_function_has_a_test)]
    tap.run(checks)


main()
