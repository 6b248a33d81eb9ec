"""Open MPI over UCX: four ranks of one host through a softrnicd, and so with one address. UCX may use nothing but the adapter."""
import pathlib
import subprocess

import tap
from verbs import END_S, Folder, case, environment, need, softrnicd

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # Debian's, for which mpi4py is installed
# Debian's Open MPI leaves all devices but those of one vendor to others, unless it is told.
MPIRUN = ["mpirun", "--oversubscribe", "-np", "4", "--mca", "pml", "ucx", "--mca", "btl", "self", "--mca", "osc", "ucx",
          "--mca", "opal_common_ucx_devices", "any", "--mca", "opal_common_ucx_tls", "any"]


def mpirun(build, *program):
    """Runs four ranks of a program; returns (exit status, output)."""
    need("mpirun")
    if subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("mpi4py is not installed")
    with Folder() as f, softrnicd(build, f) as socket:
        env = dict(environment(build), SOFTRNIC_DAEMON=socket, UCX_TLS="rc_v,self", UCX_NET_DEVICES="softrnic0:1", TMPDIR=str(f.path),
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        done = subprocess.run([*MPIRUN, PYTHON, *program], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=END_S, check=False)
    return done.returncode, done.stdout


@case
def mpi_compares_its_data(build):
    status, text = mpirun(build, str(HERE / "mpi_check.py"))
    return [] if status == 0 and "all right with 4 ranks" in text else [f"ends with {status}: {line}" for line in text.splitlines()[-8:]]


@case(core=False)
def mpi_ring(build):
    status, text = mpirun(build, "-m", "mpi4py.bench", "ringtest", "-l", "100", "-n", "300000")
    return [] if status == 0 and "100 loops" in text else [f"ends with {status}: {line}" for line in text.splitlines()[-8:]]
