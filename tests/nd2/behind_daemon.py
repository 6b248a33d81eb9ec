#!/usr/bin/env python3
"""Runs the programs of suite nd2 with both adapters behind a softrnicd, and prints TAP.

usage: behind_daemon.py [--list] [--tier] BUILD [PATTERN...]

Each program gets two softrnicd of its own, joined by memif, and is a client of both. The programs are the same; only the
configuration differs. With --tier, and unless $SOFTRNIC_TIER is "full", the programs of CORE run. PATTERNs are regular
expressions that select programs by name. The exit status is 0 when no program failed.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "daemon"), str(HERE.parent)]
import tap  # noqa: E402
from daemon import wait_for  # noqa: E402
from protocol import Client  # noqa: E402
from traffic import hosts  # noqa: E402

AT_ONCE = 3  # programs: they mostly sleep
END_S = 180
CATALOGUE = "provider/nd.d"
# Programs and their arguments. CORE is for continuous integration: each kind of object, connections, errors, and random calls.
CORE = {name: () for name in (
    "adapter", "attempt", "blocked", "connect", "connector_release", "connector_state", "cq", "cq_fixed", "disconnect", "lifetime",
    "listener", "loopback", "memory", "overlapped", "parting", "private_data", "provider", "qp", "qp_error", "region", "requests",
    "rnr_peer", "srq", "tables", "token", "window", "window_life")}
CORE |= {"chaos": ("adaptive", "1", "5"), "helper": (CATALOGUE,)}
FULL = {name: () for name in (
    "address", "affinity", "backlog", "cq_overrun", "cq_resize", "crowd", "exhaustion", "many", "many_regions", "messages", "notify_race",
    "patience", "reconfigured", "region_limit", "srq_many", "srq_patience", "storm", "stress")}
FULL |= {name: ("adaptive",) for name in ("cancel", "chaos", "flush_race", "process", "removal", "removal_open")}
FULL |= {"example": (CATALOGUE,), "fork": (CATALOGUE, "adaptive"), "random": ("--seconds", "30")}
OWN = "writes a configuration whose adapters are the subject: "
LEFT_OUT = {
    "address_list": OWN + "their addresses change in the file",
    "catalogue": "opens no adapter of softrnic, but those of a fake provider",
    "descriptors": OWN + "the descriptors of ring ports are counted",
    "load": "tests how the library is loaded; opens no adapter",
    "no_adapter": "tests a configuration without a usable adapter",
    "peer_death": OWN + "one in each of two processes, whose memif goes down with the process",
    "peer_stopped": OWN + "one in each of two processes, joined by memif",
    "removal_memif": OWN + "the memif's other end disappears",
    "several": OWN + "four, of three kinds of port",
    "sleeper": OWN + "one in each of two processes, whose wake-ups are counted",
}
# Tests of the programs above that are left out. exhausted_start demands one status for each allocation that fails while the first
# adapter opens; the reading of a configuration file, which the built-in configuration does not need, has others.
SKIP = {"exhaustion": "nd2_own_exhausted_start"}
CLIENT = '{{ name = "{name}"; port = "daemon"; socket = "{socket}"; {keys} }}'
# Further keys of the two adapters, for programs whose own configuration has them.
KEYS = {
    "affinity": ("lcores = [ 0, 1 ];", ""),
    "attempt": ('neighbours = ( { ip = "192.0.2.9"; mac = "02:00:00:00:00:09"; } );', ""),
    **{name: ("", "") for name in ("address", "connector_release", "many", "messages", "region_limit", "tables", "token")},
}
TWO_SHARDS = ("shards = 2;", "")  # of use_policy() in fixture.c


def adapters(names, sockets, keys):
    """The section of two adapters."""
    clients = (CLIENT.format(name=name, socket=socket, keys=more) for name, socket, more in zip(names, sockets, keys))
    return f"adapters = ( {', '.join(clients)} );\n"


def was_used(host):
    """Has the softrnicd had a client? Numbers rest, so a new client then gets another number than the first."""
    with Client(host.socket) as c:
        return c.attach() == "OK" and c.number > 1


def play(build, name, words):
    """Runs a program; returns complaints."""
    with hosts(build) as (a, b):
        config = pathlib.Path(a.folder) / "nd2.conf"
        sockets = (a.socket, b.socket)
        config.write_text(adapters(("softrnic0", "softrnic1"), sockets, ("", "")) + "eal = { hugepages = \"no\"; };\n", encoding="utf-8")
        catalogue = os.path.join(build, CATALOGUE)
        env = {**os.environ, "SOFTRNIC_CONFIG": str(config), "SOFTRNIC_ND_CATALOG": catalogue,
               "ND2_ADAPTERS": adapters("ab", sockets, KEYS.get(name, TWO_SHARDS)), "ND2_SKIP": SKIP.get(name, "")}
        words = [catalogue if word == CATALOGUE else word for word in words]
        program = os.path.join(build, "tests/nd2/nd2_" + name)
        try:
            p = subprocess.run([program, *words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=END_S, check=False)
        except subprocess.TimeoutExpired as e:
            return [f"has not ended after {END_S} s", *(e.stdout or b"").decode(errors="replace").splitlines()[-30:]]
        bad = []
        if p.returncode != 0:
            bad += [f"exit status {p.returncode}", *p.stdout.decode(errors="replace").splitlines()[-60:]]
        ended = [host for host in (a, b) if host.child.poll() is not None]
        if ended:
            return bad + [line for host in ended for line in (f"the softrnicd of {host.address} has ended with {host.child.returncode}:",
                                                             *host.text.splitlines()[-20:])]
        try:
            wait_for("no client is left", lambda: not a.clients() and not b.clients())
        except RuntimeError as e:
            bad.append(str(e))
        bad += [f"was no client of the softrnicd of {host.address}" for host in (a, b) if not was_used(host)]
        return bad


def every_program_has_a_line():
    sources = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.c")} | {"random"}
    lines = {*CORE, *FULL, *LEFT_OUT}
    return [f"in no table: {name}" for name in sorted(sources - lines)] + [f"no program: {name}" for name in sorted(lines - sources)]


def main():
    words = sys.argv[1:]
    flags = {word for word in words if word.startswith("--")}
    words = [word for word in words if word not in flags]
    if not words or flags - {"--list", "--tier"}:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    core = "--tier" in flags and os.environ.get("SOFTRNIC_TIER") != "full"
    table = CORE if core else CORE | FULL
    chosen = {name: args for name, args in table.items() if not words[1:] or any(re.search(p, name) for p in words[1:])}
    if "--list" in flags:
        print(*chosen, sep="\n")
        return 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        # The longest programs are those of FULL, so they start first.
        ends = {name: pool.submit(play, words[0], name, args) for name, args in sorted(chosen.items(), key=lambda c: c[0] in CORE)}
        return tap.run([("every_program_has_a_line", every_program_has_a_line)] + [(name, end.result) for name, end in ends.items()])


if __name__ == "__main__":
    sys.exit(main())
