"""The Python tests of rdma-core, as the package python3-pyverbs brings them. Each skips what a device does not have; none may fail."""
import gzip
import pathlib
import re
import shutil

import tap
from verbs import Folder, case, run

TESTS = pathlib.Path("/usr/share/doc/rdma-core/tests")
PYTHON = "/usr/bin/python3"  # Debian's, for which python3-pyverbs is installed
FEWEST = 75                  # 83 to 89 ran when this was written; some choose flags at random and may skip themselves


def unpack(into):
    """Copies the tests; the package manager has compressed some files."""
    shutil.copytree(TESTS, into)
    for path in into.glob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))


@case
def python_tests_of_rdma_core(build):
    if not (TESTS / "run_tests.py").exists():
        raise tap.Skip("python3-pyverbs is not installed, or without its documentation")
    with Folder() as f:
        unpack(f.path / "tests")
        status, out, err = run(build, PYTHON, str(f.path / "tests" / "run_tests.py"), "--dev", "softrnic0", "-v", config=f.rings("inline"))
    text = out + err
    ran = len(re.findall(r"\.\.\. ok$", text, re.M))
    bad = [line for line in text.splitlines() if re.match(r"(FAIL|ERROR):|.*Error: ", line)] if status else []
    return [f"ends with {status}"] * (status != 0) + bad + [f"only {ran} tests ran"] * (ran < FEWEST)
