"""What rn_ctl says about a daemon, and when no daemon answers."""
import json
import os
import re
import socket
import subprocess

from daemon import Daemon, case
from protocol import Client, differ


def rn_ctl(build, *words):
    """Returns (exit status, standard output, standard error)."""
    done = subprocess.run([os.path.join(build, "tools/rn_ctl"), *words], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr


def says(build, patterns, *words):
    status, out, err = rn_ctl(build, *words)
    return (differ(words, (status, err), (0, "")) + [f"{words}: no {p!r} in {out}" for p in patterns if not re.search(p, out, re.M)])


@case
def tables_of_rn_ctl(build):
    with Daemon(build, "clients = 7; max_qp = 99;") as d, Client(d.socket) as c:
        c.attach(name="a client", queues=3)
        place = ("-s", d.socket)
        bad = says(build, [rf"^ *{c.number}  a client +{os.getpid()}  \S+ +down +3 +0 +0 +0 +0 +0$", "^1 of at most 7 clients$"],
                   *place, "clients")
        bad += says(build, ["^port shared: MAC 02:00:00:00:00:07$", "^  link: (up|down), [0-9]+ Mbit/s$", "^  address: 192.0.2.1/24$",
                            "^  address: 2001:db8::1/64$", "^  MTU: 1500, path MTU at most 1024$",
                            "^  queue pairs of a client: at most 99$", "^  clients: 1 of at most 7$"], *place, "show", "port")
        return bad + says(build, ["^port shared$", rf"^client {c.number} \(a client, process {os.getpid()}\)$"], "stats", *place)


@case
def json_of_rn_ctl_is_whole(build):
    with Daemon(build, "clients = 254;") as d:
        clients = [Client(d.socket) for _ in range(254)]
        for c in clients:
            c.attach()
        status, out, _ = rn_ctl(build, "-j", "-s", d.socket, "clients")
        report = json.loads(out)
        lines = rn_ctl(build, "-s", d.socket, "clients")[1].splitlines()
        return (differ("exit status", status, 0) + differ("members", sorted(report), ["clients", "port"]) +
                differ("numbers", [c["number"] for c in report["clients"]], list(range(1, 255))) + differ("lines", len(lines), 256))


@case
def rn_ctl_says_why_nobody_answers(build):
    with Daemon(build) as d:
        d.stop()
        bad = []
        deaf, other = (os.path.join(d.folder, name) for name in ("deaf", "other"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as dead, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wrong:
            dead.bind(deaf)
            wrong.bind(other)
            wrong.listen()
            for path, words in ((d.socket, "no such socket"), (deaf, "nobody listens"), (other, "not the socket of a softrnicd"),
                                ("/" + "x" * 200, "too long")):
                status, out, err = rn_ctl(build, "-s", path, "clients")
                if (status, out) != (1, "") or words not in err or err.count("\n") != 1:
                    bad.append(f"{path[:30]}: {status}, {out!r}, {err!r}")
        return bad


@case
def rn_ctl_explains_itself(build):
    bad = []
    for words in ([], ["show"], ["clients", "more"], ["show", "clients"], ["-x"], ["-s"], ["-j"]):
        status, out, err = rn_ctl(build, *words)
        if (status, out) != (2, "") or "usage: rn_ctl" not in err:
            bad.append(f"{words}: {status}, {out!r}, {err!r}")
    for word in ("-h", "--help"):
        status, out, err = rn_ctl(build, word)
        if (status, err) != (0, "") or not out.startswith("usage: rn_ctl"):
            bad.append(f"{word}: {status}, {out!r}, {err!r}")
    return bad
