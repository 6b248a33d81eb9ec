"""Cases that need more than a pair of programs which both end with success."""
import os
import pathlib
import re
import struct
import subprocess
import sys
import time

import counters
from lab import OWN, PEER
from pairs import Pair, lines

OWN_MAC = bytes.fromhex("020000000002")
JUDGE = str(pathlib.Path(__file__).resolve().parent.parent / "judges/judge.py")


class Ping:
    """The guest resolves softrnic's address and pings it with several sizes, up to one frame."""

    def __init__(self, family):
        self.family = family

    def play(self, lab, _notes):
        lab.peer()
        ours = lab.ours("tools/nd_rping", "-s", "-a", OWN[self.family])
        if not ours.says("listening"):
            return ["ours does not listen"] + lines("ours", ours.output)
        lab.must("ip neigh flush dev eth0")
        bad = []
        for size in (0, 56, 1400):
            status, text = lab.guest.run(f"ping -{self.family} -c 4 -i 0.2 -W 2 -s {size} {OWN[self.family]}", 20)
            if status or "4 packets received" not in text:
                bad += [f"ping with {size} bytes ended with {status}"] + lines("theirs", text)
        _, text = lab.guest.run(f"ip neigh show {OWN[self.family]}")
        if "02:00:00:00:00:02" not in text:
            bad.append(f"the guest's neighbour: {text}")
        return bad


class Refused:
    """A connection attempt must be rejected, and at once. want: pattern in the output of the active
    side. No server listens on the default port; with port 7000 the listener itself rejects."""

    def __init__(self, who, family, want, port=7001, **more):
        serve, self.says = ("theirs", "ours")[who == "theirs"], want
        ours = f"tools/nd_rping -c -a {{peer}} -p {port}" if who == "ours" else "tools/nd_rping -s -a {own} -p 7000"
        self.pair = Pair(serve, ours, f"rping -c -a {{own}} -C 1 -p {port}", family, **more)

    def play(self, lab, _notes):
        pair = self.pair
        lab.peer(pair.peer_mtu)
        ours = pair.start_ours(lab)
        if pair.serve == "theirs":
            start, status, text = time.monotonic(), ours.wait(30), ours.output
        else:
            if not ours.says("listening"):
                return ["ours does not listen"] + lines("ours", ours.output)
            theirs = pair.start_theirs(lab)
            start, status, text = time.monotonic(), theirs.wait(), theirs.output
        bad = [] if status else ["connecting ended with 0"]
        if not re.search(self.says, text):
            bad += [f"who connects does not say {self.says}"] + lines("text", text)
        if time.monotonic() - start > 15:
            bad.append(f"it took {time.monotonic() - start:.0f} s")
        return bad + counters.complaints(counters.parse(ours.output), [])


def pad_theirs(path):
    """Pads the peer's frames to 60 bytes: a TAP does not pad short frames as Ethernet does, and the
    judges require it."""
    data = pathlib.Path(path).read_bytes()
    out, at = [data[:24]], 24
    while at < len(data):
        seconds, micros, length, _ = struct.unpack_from("<4I", data, at)
        frame = data[at + 16:at + 16 + length]
        at += 16 + length
        if frame[6:12] != OWN_MAC:
            frame = frame.ljust(60, b"\0")
        out += [struct.pack("<4I", seconds, micros, len(frame), len(frame)), frame]
    pathlib.Path(path).write_bytes(b"".join(out))


class Judged:
    """A pair whose frames, as captured by softrnic, are also checked by the independent judges of
    tests/judges."""

    def __init__(self, pair):
        self.pair = pair

    def play(self, lab, notes):
        before, lab.capture = lab.capture, str(lab.work / "judged")
        try:
            bad = self.pair.play(lab, notes)
        finally:
            lab.capture = before
        path = f"{lab.work}/judged-{lab.serial}.pcap"
        pad_theirs(path)
        done = subprocess.run([sys.executable, JUDGE, path], capture_output=True, text=True, timeout=200, check=False)
        passed = len(re.findall(r"^ok", done.stdout, re.M))
        notes.append(f"{passed} judges had nothing against {os.path.getsize(path)} bytes of frames")
        return bad + ([] if passed and not done.returncode else lines("judges", done.stdout + done.stderr))


class PeerDies:
    """The guest is killed during a transfer. softrnic's program must end with an error. After the
    guest has booted again the next connection must work, although the peer may use the same QPNs
    and ids as before."""

    def __init__(self, who):
        self.who = who

    def play(self, lab, notes):
        lab.peer()
        more = "timers = { ack_timeout = 14; retry_cnt = 4; };"
        if self.who == "ours":
            theirs = lab.guest.start(f"rping -s -a {PEER[4]} -S 60000 -C 1000000", 60)
            lab.peer_listens()
            ours = lab.ours("tools/nd_rping", "-c", "-v", "-a", PEER[4], "-S", 60000, "-C", 1000000, "--timeout", 8, "--stats", more=more)
        else:
            ours = lab.ours("tools/nd_rping", "-s", "-v", "-a", OWN[4], "--timeout", 8, "--stats", more=more)
            if not ours.says("listening"):
                return ["ours does not listen"]
            theirs = lab.guest.start(f"rping -c -a {OWN[4]} -S 60000 -C 1000000", 60)
        if not ours.says(r"rdma-ping-20:"):
            return ["no data flows"] + lines("ours", ours.output[-2000:])
        del theirs
        start = time.monotonic()
        lab.guest.kill()
        status = ours.wait(60)
        seconds = time.monotonic() - start
        text = re.sub(r"^.*ping data.*\n", "", ours.output, flags=re.M)
        bad = counters.complaints(counters.parse(ours.output), ["death", "loss"])
        if self.who == "ours" and status != 1:
            bad.append(f"ours ended with {status}")
        if status is None:
            bad.append("ours did not notice")
        lab.reborn()
        notes.append(f"ours ended {seconds:.1f} s after the peer")
        pair = Pair("theirs", "tools/nd_rping -c -a {peer} -S 1000 -C 20 -V", "rping -s -a {peer} -S 1000 -C 20",
                    says_ours="20 rounds", want_theirs=None)
        return bad + (lines("ours", text) if bad else []) + pair.play(lab, notes)
