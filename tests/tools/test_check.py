"""usage: test_check.py CHECK_SH

Prints TAP: the Debian packages that each tier of check.sh asks for. Scripts replace the
installation, meson and ninja, so that nothing is installed, built or run."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tap  # noqa: E402

CHECK = sys.argv[1]
ENDS_S = 60
VERBS = "ibverbs-utils rdmacm-utils perftest python3-pyverbs ucx-utils libfabric-bin openmpi-bin python3-mpi4py qperf fio".split()

# tier, packages that it asks for beside those of every tier
TIERS = (
    ("", ()),
    ("--quick", ()),
    ("--ci", VERBS + ["qemu-system-x86"]),
    ("--interop", ("qemu-system-x86",)),
    ("--hardware", ("qemu-system-x86",)),
    ("--verbs", VERBS + ["qemu-system-x86"]),
    ("--daemon", ()),
)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, 0o755)


def run(tier):
    """Returns the packages that check.sh asked for, and what it printed."""
    with tempfile.TemporaryDirectory(prefix="check-test-") as folder:
        shutil.copy(CHECK, os.path.join(folder, "check.sh"))
        write(folder, "tools/packages.sh", 'install_packages() { shift; echo "$@" >>asked; }\n')
        for program in ("meson", "ninja"):
            write(folder, f"bin/{program}", "#!/bin/sh\nexit 1\n")
        env = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run([os.path.join(folder, "check.sh")] + ([tier] if tier else []), env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=ENDS_S, check=False)
        with open(os.path.join(folder, "asked"), encoding="utf-8") as f:
            return f.read().split(), done.stdout.decode()


def check(tier, more):
    """Returns what is wrong with a tier that needs the packages `more` beside those of --quick."""
    every, _ = run("--quick")
    asked, text = run(tier)
    complaints = [line for line in text.splitlines() if "command not found" in line]
    if sorted(asked) != sorted(every + list(more)):
        complaints.append(f"asks for {' '.join(asked)}, not for {' '.join(every)} {' '.join(more)}")
    return complaints


CHECKS = [(f"{tier or 'no option'}: asks for its packages", lambda tier=tier, more=more: check(tier, more)) for tier, more in TIERS]

if __name__ == "__main__":
    tap.run(CHECKS)
