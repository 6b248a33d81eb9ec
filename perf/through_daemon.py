#!/usr/bin/env python3
"""One client through softrnicd against the same client with a port of its own, in the same run.

usage: through_daemon.py [-e] [-r ROUNDS] [BUILD]

The peer has a memif port in both cases. Through the daemon, the other end of the memif is the wire of
softrnicd, and the client's port is "daemon"; otherwise it is the client's own port. Rounds of both
kinds alternate; a ratio is that of the medians. Through the daemon three threads are busy: the ratios
need a CPU for each of them. With -e the programs sleep until completions come, with the adaptive idle
policy, so that two CPUs are enough for a first look; there is no round trip then. Each figure is
followed by the time of the CPU that each process took in the last round, in percent of one CPU: a
thread with a CPU of its own could go on until it takes 100 %.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

MEMIF = ('adapters = ( {{ name = "{name}"; port = "memif"; socket = "{wire}"; role = "{role}"; mac = "02:00:00:00:08:0{n}"; '
         'ipv4 = [ "192.0.2.{n}/24" ]; mtu = 9000; }} );\nlog = {{ level = "error"; }};\n{more}')
CLIENT = 'adapters = ( {{ name = "client"; port = "daemon"; socket = "{socket}"; }} );\nlog = {{ level = "error"; }};\n{more}'
INLINE = 'idle = { policy = "inline"; };\n'
TIME = ["-D", "3", "-f", "1"]
# name, tool, words, column of the figure in the last line, unit, is a ratio of bandwidths
ROWS = [
    ("1 MiB WRITE", "nd_write_bw", ["-s", "1048576", *TIME], 3, "MB/s"),
    ("1 MiB WRITE, 25 Gb/s", "nd_write_bw",
     ["-s", "1048576", "--rate_limit=25", "--rate_units=g", "--burst_size=1", *TIME], 3, "MB/s"),
    ("64 B WRITE", "nd_write_bw", ["-s", "64", *TIME], 4, "Mpps"),
    ("64 B WRITE, -t 1024", "nd_write_bw", ["-s", "64", "-t", "1024", *TIME], 4, "Mpps"),
    ("64 B round trip / 2", "nd_write_lat", ["-s", "64", "-n", "20000"], 4, "us"),
]


class Run:
    """The programs of one round, in a folder of their own."""

    def __init__(self, build, through, idle):
        self.build, self.through, self.idle = build, through, idle
        self.folder = tempfile.TemporaryDirectory(prefix="through-")
        self.children = []

    def __enter__(self):
        path = pathlib.Path(self.folder.name)
        wire, socket = path / "wire", path / "d.sock"
        (path / "peer.conf").write_text(MEMIF.format(name="peer", wire=wire, role="client", n=2, more=self.idle))
        own = MEMIF.format(name="own", wire=wire, role="server", n=1, more="" if self.through else self.idle)
        if self.through:
            own += f'daemon = {{ socket = "{socket}"; }};\n'
            (path / "client.conf").write_text(CLIENT.format(socket=socket, more=self.idle))
        (path / ("daemon.conf" if self.through else "client.conf")).write_text(own)
        if self.through:
            self.start("dataplane/daemon/softrnicd", "daemon")
            wait(socket.exists, "softrnicd does not start")
        return self

    def start(self, program, config, *words):
        path = pathlib.Path(self.folder.name)
        env = {**os.environ, "SOFTRNIC_CONFIG": str(path / f"{config}.conf"),
               "SOFTRNIC_ND_CATALOG": os.path.join(self.build, "provider/nd.d")}
        out = open(path / f"{config}.out", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        child = subprocess.Popen([os.path.join(self.build, program), *words], env=env, stdout=out, stderr=out)
        self.children.append(child)
        return child

    def cpu(self):
        """Seconds of CPU time that each process has taken, in the order in which they were started."""
        stats = [pathlib.Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split() for child in self.children]
        return [(int(s[11]) + int(s[12])) / os.sysconf("SC_CLK_TCK") for s in stats]

    def text(self, config):
        return (pathlib.Path(self.folder.name) / f"{config}.out").read_text(encoding="utf-8")

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()
        self.folder.cleanup()


def wait(condition, what):
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            sys.exit(what)
        time.sleep(0.02)


def measure(build, through, row, events):
    """The figure of one round, and for each process the share of a CPU in percent."""
    _, tool, words, column, _ = row
    if events:
        words = words + ["-e"]
    with Run(build, through, "" if events else INLINE) as run:
        server = run.start("perf/" + tool, "client", "-R", *words)
        wait(lambda: "Waiting" in run.text("client") or server.poll() is not None, "the server does not start")
        time.sleep(0.5)
        client = run.start("perf/" + tool, "peer", "-R", *words, "192.0.2.1")
        time.sleep(1)
        before = run.cpu()
        time.sleep(1)
        share = [100 * (b - a) for a, b in zip(before, run.cpu())]
        if client.wait(60) != 0:
            sys.exit(f"{tool}: {run.text('peer')}")
        lines = [line.split() for line in run.text("peer").splitlines() if re.match(r"\s*\d+\s+\d", line)]
        return float(lines[-1][column]), dict(zip(["softrnicd"] * through + ["client", "peer"], share))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("-e", "--events", action="store_true")
    parser.add_argument("-r", "--rounds", type=int, default=5)
    parser.add_argument("build", nargs="?", default="build")
    options = parser.parse_args()
    for row in ROWS:
        if options.events and row[1] == "nd_write_lat":
            continue
        figures, shares = {False: [], True: []}, {}
        for _ in range(options.rounds):
            for through in (False, True):
                figure, shares[through] = measure(options.build, through, row, options.events)
                figures[through].append(figure)
        own, daemon = (statistics.median(figures[k]) for k in (False, True))
        print(f"{row[0]:20} own port {own:10.2f} {row[4]:5} through softrnicd {daemon:10.2f}  ratio {daemon / own:.2f}", flush=True)
        if row[1] != "nd_write_lat":  # it ends too early
            for through in (False, True):
                print(f"    CPU {'through softrnicd' if through else 'own port':17}",
                      ", ".join(f"{name} {share:.0f} %" for name, share in shares[through].items()), flush=True)


if __name__ == "__main__":
    main()
