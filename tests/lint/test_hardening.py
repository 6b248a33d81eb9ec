"""Tests that every rule of hardening.py complains about a binary built without the protection, and
accepts one built with it. Prints TAP."""
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import hardening  # noqa: E402
import tap  # noqa: E402

SOURCE = """#include <stdio.h>
int main(int n, char **words)
{
	char text[16];

	sprintf(text, "%s", words[n - 1]);
	return puts(text);
}
"""
GOOD = ["-O2", "-fPIE", "-pie", "-Wl,-z,relro,-z,now,-z,noexecstack", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"]
# (rule, options added to the good ones, whether the rule must complain)
CASES = [
    ("loads_anywhere", [], False),
    ("loads_anywhere", ["-no-pie"], True),
    ("loads_anywhere", ["-fno-pic", "-shared", "-mcmodel=large", "-Wl,-z,notext"], True),
    ("tables_are_read_only", [], False),
    ("tables_are_read_only", ["-Wl,-z,norelro"], True),
    ("tables_are_read_only", ["-Wl,-z,lazy"], True),
    ("nothing_is_written_and_run", [], False),
    ("nothing_is_written_and_run", ["-Wl,-z,execstack"], True),
    ("nothing_is_written_and_run", ["-no-pie", "-nostdlib", "-Wl,--omagic,--unresolved-symbols=ignore-all"], True),
    ("buffers_are_checked", [], False),
    ("buffers_are_checked", ["-fno-stack-protector"], True),
    ("buffers_are_checked", ["-U_FORTIFY_SOURCE"], True),
    ("jumps_are_checked", ["-c", "-fcf-protection=full"], False),
    ("jumps_are_checked", ["-c", "-fcf-protection=none"], True),
    ("jumps_are_checked", ["-c", "-fcf-protection=return"], True),
]
CC = os.environ.get("CC", "cc").split()


def case(rule, options, expected):
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "s.c"), os.path.join(folder, "made")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SOURCE)
        subprocess.run([*CC, "-w", source, *GOOD, *options, "-o", made], check=True)
        complaints = getattr(hardening, rule)(made)
    if expected and not complaints:
        return ["accepted what it must refuse"]
    return [] if expected else complaints


def archive():
    """In an archive every object is checked, not only the first or the last."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "s.c"), os.path.join(folder, "lib.a")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SOURCE)
        objects = []
        for name, kind in (("first", "full"), ("second", "none"), ("third", "full")):
            objects.append(os.path.join(folder, name + ".o"))
            subprocess.run([*CC, "-c", source, f"-fcf-protection={kind}", "-o", objects[-1]], check=True)
        subprocess.run(["ar", "rc", library, *objects], check=True)
        found = hardening.jumps_are_checked(library)
    return [] if len(found) == 1 and "second.o" in found[0] else [f"complains {found}"]


tap.run([(f"{rule} {' '.join(options) or 'good'}", lambda r=rule, o=options, b=bad: case(r, o, b))
         for rule, options, bad in CASES] + [("archive", archive)])
