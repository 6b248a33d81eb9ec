"""Debian's programs over softrnic's verbs at one end ("here"), the same programs over Linux soft-RoCE in the virtual machine of
tests/interop at the other ("there"), each once as the server. Here is a TAP, in some cases with softrnicd behind it."""
import atexit
import functools
import os
import pathlib
import re
import sys
import tempfile
import time

import tap
from pingpong import GIVEN_UP
from verbs import case, need

# At the end of the path: that folder has modules of the same names.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "interop"))
from lab import OWN, OWN_TCP, PEER, PEER_TCP, Lab  # noqa: E402
from pairs import Pair, peer_fault  # noqa: E402
from peer import available  # noqa: E402
from shared import SharedLab  # noqa: E402

LABS = {"tap": Lab, "daemon": SharedLab}
PORT = 18515
RESULTS = r"(?m)^ *#bytes.*\n *\d+ +\d+ +[\d.]+"
# A client of rdma_cm that comes before its server listens is refused; later.c is for perftest, which listens a second time.
# In the order of the texts: rping and ucmatose; udaddy; rdma_client and rstream; the first connection of perftest.
REFUSED = r"RDMA_CM_EVENT_REJECTED|RDMA_CM_EVENT_UNREACHABLE|Connection refused|Unexpected CM event bl blka 8"
LISTEN_S = 1.0  # a server of rdma_cm does not say that it listens
TRIES = 5
INLINE = 'idle = { policy = "inline"; };'
# Linux can have 128 READs and atomics on their way, softrnic 16. perftest takes over the other end's number, and fails if it is too large,
# as between any two devices that differ.
OUTS = "-o 16"
# An emulated peer may be stopped for longer than perftest waits by default for an acknowledgement.
PATIENCE = "-u 18"

VERBS = "send", "write", "read", "atomic"
SMALL = {"send_bw": "-s 65536 -n 100", "write_bw": "-s 65536 -n 100", "read_bw": "-s 65536 -n 100", "atomic_bw": "-n 300",
         "send_lat": "-n 200", "write_lat": "-n 200", "read_lat": "-s 64 -n 200", "atomic_lat": "-n 200"}

CORE = "send_lat_we_serve", "ud_pingpong_we_serve", "write_bw_cm_we_ask", "rc_pingpong_we_ask"
# The cases that are also played behind softrnicd.
BEHIND = "send_bw", "write_bw_cm", "read_bw", "atomic_lat", "send_lat_cm", "rc_pingpong", "ud_pingpong", "rping", "udaddy"

# perftest: verb with _bw or _lat, words for both ends, T: they meet over TCP, R: over rdma_cm
PERFTEST = [
    *((tool, words, "TR") for tool, words in SMALL.items()),
    *((tool, "-a -n 5", "T") for tool in ("send_bw", "write_bw", "read_bw", "send_lat")),
    *((f"{verb}_bw", "-q 8 -s 10000 -n 50", "TR") for verb in VERBS[:3]),
    ("atomic_bw", "-q 8 -n 50", "T"),
    *((f"{verb}_bw", "-e -s 20000 -n 100", "TR") for verb in ("send", "read")),
    ("atomic_bw", "-e -n 100", "T"),
    *((f"{verb}_lat", "-e -n 100", "T") for verb in ("send", "read", "atomic")),
    *((f"{verb}_bw", "-b -s 20000 -n 100", "TR") for verb in VERBS[:3]),
    ("atomic_bw", "-b -n 100", "T"),
    *((f"{verb}_{what}", "-I 64 -s 64 -n 200", "T") for verb in ("send", "write") for what in ("bw", "lat")),
    ("send_bw", "--use-srq -q 4 -s 1000 -n 100", "T"),
    *((f"{verb}_bw", "-c UC -s 30000 -n 50", "T") for verb in ("send", "write")),
    *((f"{verb}_lat", "-c UC -n 100", "T") for verb in ("send", "write")),
    # Nothing repeats lost datagrams: few are on their way at a time.
    ("send_bw", "-c UD -s 1024 -n 50 -t 4", "TR"),
    ("send_lat", "-c UD -s 200 -n 50", "T"),
    ("send_bw", "-c UD -e -s 1024 -n 50 -t 4", "T"),
    ("send_lat", "-c UD -a -n 20", "T"),
    ("send_lat", "-c UD -I 64 -s 64 -n 50", "T"),
]

# name, words of the server, words of the client, do the two meet over TCP. {at}: the server's address; {gid}: device and address, for
# programs without rdma_cm
OTHERS = [
    *((f"{kind}_pingpong{name}", f"ibv_{kind}_pingpong -c {{gid}} {words}", f"ibv_{kind}_pingpong -c {{gid}} {words} {{at}}", True)
      for kind, name, words in (("rc", "", "-n 200"), ("rc", "_events", "-e -s 100001 -n 20"), ("uc", "", "-s 1001 -n 100"),
                                ("srq", "", "-q 4 -n 200"), ("ud", "", "-s 1000 -n 100"), ("ud", "_events", "-e -s 33 -n 50"))),
    ("rping", "rping -s -C 50 -V -S 30001", "rping -c -a {at} -C 50 -V -S 30001", False),
    ("rping_small", "rping -s -C 50 -V -S 27", "rping -c -a {at} -C 50 -V -S 27", False),
    ("ucmatose", "ucmatose -c 8 -C 20 -S 4099", "ucmatose -s {at} -c 8 -C 20 -S 4099", False),
    ("udaddy", "udaddy -c 4 -C 20 -S 1000", "udaddy -s {at} -c 4 -C 20 -S 1000", False),
    ("rdma_client", "rdma_server", "rdma_client -s {at}", False),
    ("rstream", "rstream -T b -T v -S 4097 -C 20 -I 5", "rstream -T b -T v -S 4097 -C 20 -I 5 -s {at}", False),
]


class Programs(Pair):
    """Two programs of Debian. over_tcp: the two meet over TCP between the kernels, else over rdma_cm."""
    tries = TRIES

    def __init__(self, here_serves, server, client, over_tcp, **more):
        here, there = (server, client) if here_serves else (client, server)
        once_more = REFUSED if not over_tcp else GIVEN_UP if "_pingpong" in server else None
        super().__init__("ours" if here_serves else "theirs", here.format(gid="-g 0", x="-x 0", at=PEER_TCP if over_tcp else PEER[4]),
                         there.format(gid="-d rxe0 -g 1", x="-d rxe0 -x 1", at=OWN_TCP if over_tcp else OWN[4]),
                         once_more=once_more, port=PORT if over_tcp else None, **more)

    def start_ours(self, lab):
        preload = []
        if self.serve == "theirs" and "-R" in self.our_words.split():
            preload = ["env", f"LD_PRELOAD={lab.build / 'tests/verbs/verbs_later.so'}"]
        return lab.ours("provider/verbs/softrnic-run", "stdbuf", "-oL", *self.our_words.split(), before=preload, mtu=self.mtu, more=self.more)

    def start_server(self, lab):
        if self.serve == "theirs":
            return super().start_server(lab)
        self.their_output, self.ours = "", self.start_ours(lab)
        if not self.port:
            time.sleep(LISTEN_S)
            return []
        return [] if lab.own_listens(self.ours, self.port) else ["here nobody listens"] + self.ours.output.splitlines()

    def end(self, lab, notes):
        """Waits until both programs have ended. When the client fails, its server may wait for ever."""
        if self.serve == "ours":
            self.theirs.wait()
            status = self.ours.wait(2 if self.theirs.status else 30)
        else:
            status = self.ours.wait(self.seconds)
            if self.theirs.wait(2 if status else 30) is None:
                lab.kill_theirs(self.theirs, self.command)
                self.theirs.wait()
        return self.judge(self.ours, status, self.theirs, notes)

    def judge(self, ours, status, theirs, notes):
        status = 0 if peer_fault(self.our_words, status, ours.output) else status
        bad = self.judge_ends(ours, status, theirs, notes)
        self.their_output += ours.output  # either end may be the client that is refused
        return bad and bad + self.told(ours, theirs)


class Rooms:
    """The lab of the cases: one at a time, from the first case that needs it until the first that needs another, or the end."""
    kind = lab = work = trouble = None

    def enter(self, kind, build):
        if self.trouble:
            raise self.trouble
        if kind != self.kind:
            self.leave()
            self.work = tempfile.TemporaryDirectory(prefix="verbs-rxe-")
            try:
                self.lab = LABS[kind](build, os.path.join(build, "guest"), self.work.name)
                self.lab.__enter__()
            except Exception as trouble:
                self.trouble = trouble  # every further case would wait for the guest again
                raise
            self.kind = kind
        return self.lab

    def leave(self):
        if self.lab:
            self.lab.__exit__(None, None, None)
        if self.work:
            self.work.cleanup()
        self.kind = self.lab = self.work = None


ROOMS = Rooms()
atexit.register(ROOMS.leave)


def play(kind, pair, build):
    why = available() or (None if os.geteuid() == 0 else "network namespaces need root")
    if why:
        raise tap.Skip(why)
    need(pair.our_words.split()[0])
    lab, notes, bad = ROOMS.enter(kind, build), [], ["did not come to an end"]
    try:
        bad = pair.play(lab, notes)
    finally:
        lab.end_programs()
        if bad:
            lab.clean_up()
    return bad + lab.complaints()


def perftest(tool, words, here_serves, cm):
    more = ["-F", "{x}", words, f"-p {PORT}", *["-R"] * cm, *[PATIENCE] * ("-c U" not in words),
            *[OUTS] * (tool.partition("_")[0] in ("read", "atomic"))]
    line = f"ib_{tool} {' '.join(more)}"
    # The server of READs and atomics has no latencies.
    asked = {"says_theirs" if here_serves else "says_ours": RESULTS}
    return Programs(here_serves, line, line + " {at}", not cm, more=INLINE, seconds=180 if "-a" in words.split() else 60, **asked)


def label(*words):
    """Returns the name of a case, which leaves out the number of messages."""
    told = re.sub(r"-n \d+", "", " ".join(words)).split()
    return "_".join(word.lstrip("-").replace("-", "_") for word in told)


def rows():
    """Yields name and pair of each case."""
    for here_serves in (True, False):
        who = "we_serve" if here_serves else "we_ask"
        for tool, words, ways in PERFTEST:
            for way in ways:
                yield (label(tool, *[words] * (words != SMALL.get(tool)), *["cm"] * (way == "R"), who),
                       perftest(tool, words, here_serves, way == "R"))
        for name, server, client, over_tcp in OTHERS:
            yield label(name, who), Programs(here_serves, server, client, over_tcp, more=INLINE)


for text, programs in rows():
    case(functools.partial(play, "tap", programs), core=text in CORE, name=f"rxe_{text}")
for text, programs in rows():
    if text.rpartition("_we_")[0] in BEHIND:
        case(functools.partial(play, "daemon", programs), core=False, name=f"rxe_daemon_{text}")
