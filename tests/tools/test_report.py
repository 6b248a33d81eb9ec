"""usage: test_report.py REPORT_SH BUILD CATALOGUE

Prints TAP: the report over memif, with and without a peer, and what it hides."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from rig import Process, Rig  # noqa: E402
import tap  # noqa: E402

SCRIPT, BUILD, CATALOGUE = sys.argv[1:4]
PROGRAMS = ["config/softrnic-config", "tools/nd_portinfo/nd_portinfo", "tools/nd_rping", "perf/nd_write_bw"]
ADDRESS = re.compile(r"(\d{1,3}[.]){3}\d|([0-9a-f]{2}:){5}|2001:db8|::")
ALWAYS = ["^kernel: ", r"^softrnic-config \(softrnic\) \d", r"^CPUs: [1-9]", "^IOMMU groups: ", r"^hugepages-2048kB: \d+ free of \d+$",
          r"^user: .*, locked memory \(KB\): ", "^== softrnic-config --devices$", "^memory that this user may lock: "]
DRIVER = [r"^DPDK \d", r"^adapter 0: port memif, 1 shard, MTU 9000, idle policy inline$", r"^port 0: driver net_memif",
          r"^  link: (up|down), \d+ Mbit/s, ", r"^  MTU: \d+, from ", r"^  receive queues: 1 in use, at most ", r"^  receive offloads: ",
          r"^  RSS: table of \d+, ", r"^  receive interrupts: "]
PEER = [r"^== nd_rping -c -a ADDRESS ", r"100 rounds of 65535 bytes, data compared", r"^== nd_write_bw -R .* ADDRESS$", r"^ *65536 +1000 ",
        r"exit status 0\n(.*\n)*.*^exit status 0$"]

# What a program says, and what the report says instead.
HIDDEN = [
    ("peer 192.0.2.17, and 10.0.0.1:4791", "peer ADDRESS, and ADDRESS:4791"),
    ("[2001:db8::1]:7471 fe80::5054:ff:fe12:3456 ::1", "[ADDRESS]:7471 ADDRESS ADDRESS"),
    ("GID 0000:0000:0000:0000:0000:ffff:c000:0201", "GID ADDRESS"),
    ("mac 02:00:5e:10:00:ff, interface enx525400123456", "mac ADDRESS, interface enxADDRESS"),
    (f"at {socket.gethostname()}: it", "at HOST: it"),
    (f"{socket.gethostname()} {socket.gethostname()}", "HOST HOST"),
    ("peer ::ffff:192.0.2.17, interface wlx525400123456", "peer ADDRESS, interface wlxADDRESS"),
    ("0000:00:08.0 and 10000:e1:00.0 at 12:34:56", "0000:00:08.0 and 10000:e1:00.0 at 12:34:56"),
    ("DPDK 22.11.11, softrnic 0.1.0", "DPDK 22.11.11, softrnic 0.1.0"),
]


def unsaid(patterns, text):
    return [f"does not say {p!r}" for p in patterns if not re.search(p, text, re.M)]


def leaks(text):
    """Addresses and the host's name in a report, without the line of the kernel's version."""
    rest = "\n".join(line for line in text.splitlines() if not line.startswith("kernel: "))
    name = rf"(?<![\w-]){re.escape(socket.gethostname())}(?![\w-])"
    return [f"leaks {m[0]!r}" for m in [ADDRESS.search(rest), re.search(name, rest)] if m]


class Report(Rig):
    """The report of side b; side a is the peer."""

    def __init__(self):
        super().__init__(None, None, CATALOGUE)

    def __enter__(self):
        super().__enter__()
        tree = self.path("tree")
        os.makedirs(f"{tree}/tools")
        shutil.copy(SCRIPT, f"{tree}/tools/report.sh")
        os.symlink(BUILD, f"{tree}/build")
        for side in "ab":
            self.write_config(side)
        return self

    def run(self, *words):
        """(exit status, output)"""
        p = Process([self.path("tree/tools/report.sh"), *words], self.env, self.path("report.log"))
        self.processes.append(p)
        return p.end(150), p.text


def told(words, patterns, status=0, serve=False):
    with Report() as rig:
        if serve:
            # The client waits for the peer's second server, which may start late on a busy machine, for 20 s instead of 2.5 s.
            rig.write_config("b", timers="neigh_probes = 80;")
            server = f"{BUILD}/tools/nd_rping -s -a 192.0.2.1 && sleep 1 && exec {BUILD}/perf/nd_write_bw -R"
            rig.start("a", "/bin/sh", "-c", server).await_text("listening on port")
        got, text = rig.run(*(rig.path(w) if w.endswith(".conf") else w for w in words))
    bad = ([] if got == status else [f"exit status {got}"]) + unsaid(patterns, text) + leaks(text)
    return bad and bad + text.splitlines()


def told_wrong(words, pattern):
    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=30, check=False)
    return [] if done.returncode == 2 and not done.stdout and re.search(pattern, done.stderr) else [f"{done}"]


def hides():
    """A program that says all kinds of addresses."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SCRIPT, f"{folder}/softrnic-report")
        with open(f"{folder}/softrnic-config", "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\ncat <<'END'\n" + "".join(f"{said}\n" for said, _ in HIDDEN) + "END\n")
        os.chmod(f"{folder}/softrnic-config", 0o755)
        done = subprocess.run([f"{folder}/softrnic-report"], capture_output=True, text=True, timeout=30, check=False)
    return [f"no line {line!r}: {done.stdout}{done.stderr}" for _, line in HIDDEN if done.stdout.splitlines().count(line) != 2]


CHECKS = [
    ("without a configuration", lambda: told([], ALWAYS)),
    ("with a configuration", lambda: told(["b.conf"], ALWAYS + DRIVER)),
    ("with a peer", lambda: told(["b.conf", "192.0.2.1"], ALWAYS + DRIVER + PEER, serve=True)),
    ("a peer that does not answer", lambda: told(["b.conf", "192.0.2.1"], DRIVER + ["^exit status [1-9]"], status=1)),
    ("what is hidden", hides),
    ("no such file", lambda: told_wrong(["/nonexistent.conf"], "^softrnic-report: /nonexistent.conf: no such file")),
    ("wrong words", lambda: told_wrong(["-x"], r"softrnic-report \[CONFIGURATION \[PEER\]\]")),
]

if __name__ == "__main__":
    tap.run(CHECKS)
