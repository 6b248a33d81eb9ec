"""Other transports over loopback, as far as Debian's packages for them are installed: UCX over TCP, libfabric over UDP. A function
returns a figure, or raises Absent with the reason."""
import itertools
import os
import re
import shutil
import subprocess
import time

WAIT_S = 20
# package of Debian, the program of it that is run here or by compare.py
PACKAGES = {"ucx-utils": "ucx_perftest", "libfabric-bin": "fi_pingpong", "dpdk-dev": "dpdk-testpmd", "valgrind": "valgrind"}
PORTS = itertools.count(23400 + os.getpid() % 500)      # a port of its own for each run


class Absent(Exception):
    """The text says what is missing."""


def to_install():
    """One line that says how to install what is missing, or None."""
    missing = [package for package, program in PACKAGES.items() if shutil.which(program) is None]
    return f"not measured without: apt-get install --no-install-recommends {' '.join(missing)}" if missing else None


def ucx_row(text):
    """The figures of the last row that ucx_perftest prints: iterations; 50 % , average and overall latency in us; average and
    overall bandwidth in MiB/s; average and overall messages per second."""
    rows = [line.split() for line in text.split("\n") if re.fullmatch(r"[\s\d.]+", line) and len(line.split()) == 8]
    if not rows:
        raise Absent("ucx_perftest printed no figures")
    return [float(x) for x in rows[-1]]


def fi_row(text):
    """The last row of fi_pingpong, by the names of its columns."""
    lines = [line.split() for line in text.split("\n")]
    heads = next((line for line in lines if "MB/sec" in line), None)
    rows = [line for line in lines if heads and len(line) == len(heads) and line != heads]
    if not rows:
        raise Absent("fi_pingpong printed no figures")
    return dict(zip(heads, rows[-1]))


def two_ends(server, client, server_env=None, client_env=None):
    """Runs a server and its client, lists of words, and returns what the client prints."""
    if shutil.which(server[0]) is None:
        raise Absent(f"no {server[0]}")
    one = subprocess.Popen(server, env=server_env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.7)
        return subprocess.run(client, env=client_env, capture_output=True, text=True, timeout=WAIT_S, check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as why:
        raise Absent(f"{' '.join(client)} failed: {type(why).__name__}") from why
    finally:
        one.kill()
        one.wait()


def _ucx(*options):
    env, port = {**os.environ, "UCX_TLS": "tcp", "UCX_NET_DEVICES": "lo"}, str(next(PORTS))
    return ucx_row(two_ends(["ucx_perftest", "-p", port], ["ucx_perftest", "127.0.0.1", "-p", port, "-f", *options], env, env))


def ucx_trip_ns():
    return 2e3 * _ucx("-t", "tag_lat", "-s", "64", "-n", "5000")[1]  # ucx_perftest prints half of the round trip


def ucx_gbit():
    return _ucx("-t", "tag_bw", "-s", "1048576", "-n", "500")[5] * 1048576 * 8e-9


def rxd_gbit():
    options, port = ["-p", "udp;ofi_rxd", "-e", "rdm", "-I", "20", "-S", "1048576"], str(next(PORTS))
    text = two_ends(["fi_pingpong", *options, "-B", port], ["fi_pingpong", *options, "-P", port, "127.0.0.1"])
    return float(fi_row(text)["MB/sec"]) * 8e-3
