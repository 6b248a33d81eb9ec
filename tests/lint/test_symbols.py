"""Tests that every rule of symbols.py complains about bad libraries and accepts good ones. Prints
TAP."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import symbols  # noqa: E402
import tap  # noqa: E402

HEADER = """/* int rn_not_this(void); */
static inline int rn_inline(void)
{
	return 0;
}
int rn_link_open(const char *path);
struct rn_link *rn_link_make(void);
"""
SHOW = '__attribute__((visibility("default"))) '
GOOD_SHARED = SHOW + "int rn_link_open(const char *p){return 0;}" + SHOW + "void *rn_link_make(void){return 0;}"

PURE = "#include <string.h>\nint other(void);\nint f(char *p, int n){memset(p, 0, n); return other();}\n"
PURE_OTHER = "static const char *const names[] = {\"a\"}; int other(void){return names[0][0];}\n"

# (rule, sources of a static library, whether the rule must complain)
STATIC = [
    ("pure_calls", [PURE, PURE_OTHER], False),
    ("pure_calls", [PURE], True),
    ("pure_calls", ["#include <time.h>\nint f(void){return time(0);}\n"], True),
    ("pure_calls", ["#include <pthread.h>\nint f(void *m){return pthread_mutex_lock(m);}\n"], True),
    ("pure_calls", ["#include <stdio.h>\nvoid f(void){puts(\"x\");}\n"], True),
    ("no_globals", [PURE, PURE_OTHER, "extern const int t[2]; const int t[2] = {1, 2};\n"], False),
    ("no_globals", ["int counter;\n"], True),
    ("no_globals", ["int f(void){static int n; return ++n;}\n"], True),
    ("no_globals", ["int seed = 7;\n"], True),
    ("no_globals", ["_Thread_local int per_thread; int f(void){return per_thread;}\n"], True),
]
SHARED = [
    (GOOD_SHARED, False),
    (GOOD_SHARED + SHOW + "int DllGetClassObject(void){return 0;}" + SHOW + "int NdStartup(void){return 0;}", False),
    (GOOD_SHARED + "int rn_hidden(void){return 0;}", False),
    (GOOD_SHARED + SHOW + "int rn_shard_create(void){return 0;}", True),
    (GOOD_SHARED + SHOW + "int helper(void){return 0;}", True),
    (SHOW + "int rn_link_open(const char *p){return 0;}", True),
]
CC = os.environ.get("CC", "cc").split()


def compile_static(folder, sources):
    objects = []
    for number, text in enumerate(sources):
        path = os.path.join(folder, f"s{number}.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        objects.append(path[:-2] + ".o")
        subprocess.run([*CC, "-O2", "-fPIC", "-w", "-c", path, "-o", objects[-1]], check=True)
    library = os.path.join(folder, "lib.a")
    subprocess.run(["ar", "rcT", library, *objects], check=True)
    return library


def judge(complaints, expected):
    if expected and not complaints:
        return ["accepted what it must refuse"]
    return [] if expected else complaints


def static_case(rule, sources, expected):
    with tempfile.TemporaryDirectory() as folder:
        return judge(getattr(symbols, rule)([compile_static(folder, sources)]), expected)


def shared_case(source, expected):
    with tempfile.TemporaryDirectory() as folder:
        header, path = os.path.join(folder, "h.h"), os.path.join(folder, "s.c")
        for name, text in ((header, HEADER), (path, source)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        library = os.path.join(folder, "lib.so")
        subprocess.run([*CC, "-shared", "-fPIC", "-w", "-fvisibility=hidden", path, "-o", library], check=True)
        return judge(symbols.exports(library, [header]), expected)


tap.run([(f"{rule} {n} {'refused' if bad else 'accepted'}", lambda r=rule, s=sources, b=bad: static_case(r, s, b))
         for n, (rule, sources, bad) in enumerate(STATIC)] +
        [(f"exports {n} {'refused' if bad else 'accepted'}", lambda s=source, b=bad: shared_case(s, b))
         for n, (source, bad) in enumerate(SHARED)])
