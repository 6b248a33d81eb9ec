"""The Python tests of rdma-core, as the package python3-pyverbs brings them. Each skips what a device does not have; none may fail.

Most tests run in one process, with two adapters that are joined. Those of rdma_cm fork a server and a client that have one address,
and look that address up at the interface of the device: they run behind softrnicd, in a network namespace with such an interface."""
import collections
import gzip
import pathlib
import re
import shutil
import subprocess

import tap
from verbs import END_S, Folder, case, environment, need_namespace, run, softrnicd

TESTS = pathlib.Path("/usr/share/doc/rdma-core/tests")
PYTHON = "/usr/bin/python3"  # Debian's, for which python3-pyverbs is installed
FEWEST, CM = 89, 10          # how many tests run, at least: of all, and of those of rdma_cm
# Some tests draw flags, and skip themselves if softrnic lacks one of them: they draw the same in each run.
SEED = "import random\nrandom.seed(1)\n"
INTERFACE = "ip link add v1 type veth peer name v2 && ip addr add 192.0.2.1/24 dev v1 && ip link set v1 up && ip link set v2 up"


def unpack(into):
    """Copies the tests; the package manager has compressed some files."""
    if not (TESTS / "run_tests.py").exists():
        raise tap.Skip("python3-pyverbs is not installed, or without its documentation")
    shutil.copytree(TESTS, into)
    for path in into.glob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    (into / "sitecustomize.py").write_text(SEED, encoding="utf-8")


def words(folder, *names):
    return ["env", f"PYTHONPATH={folder}", PYTHON, str(folder / "run_tests.py"), "--dev", "softrnic0", "-v", *names]


def judge(status, text, fewest):
    """Counts the tests that ran; prints how many skipped themselves for which reason."""
    ran = len(re.findall(r"\.\.\. ok$", text, re.M))
    reasons = collections.Counter(re.findall(r"skipped ['\"](.*)['\"]$", text, re.M))
    print(f"# {ran} tests ran, {sum(reasons.values())} skipped themselves")
    for reason, number in reasons.most_common():
        print(f"# {number:4} skipped: {reason}")
    bad = [line for line in text.splitlines() if re.match(r"(FAIL|ERROR):|.*Error: |Player |softrnic: ", line)] if status else []
    return [f"ends with {status}"] * (status != 0) + bad + [f"only {ran} tests ran"] * (ran < fewest)


@case
def python_tests_of_rdma_core(build):
    with Folder() as f:
        unpack(f.path / "tests")
        status, out, err = run(build, *words(f.path / "tests"), config=f.rings("inline"))
    return judge(status, out + err, FEWEST)


@case
def python_tests_of_rdma_cm(build):
    need_namespace()
    with Folder() as f, softrnicd(build, f) as socket:
        unpack(f.path / "tests")
        done = subprocess.run(["unshare", "-rn", "sh", "-c", f"{INTERFACE} && exec \"$@\"", "sh", *words(f.path / "tests", "tests.test_rdmacm")],
                              env=dict(environment(build), SOFTRNIC_DAEMON=socket), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=END_S, check=False)
    return judge(done.returncode, done.stdout, CM)
