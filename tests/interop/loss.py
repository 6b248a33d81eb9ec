#!/usr/bin/env python3
"""Records the captures of lossy runs in tests/vectors, from two guests with Linux soft-RoCE.

usage: loss.py [--cache DIR] [--list] OUT [PATTERN...]

Each guest has a TAP device. This program forwards frames between the two and drops those that the
table of cases names. A case writes two captures to the folder OUT: NAME-requester.pcap has the
frames on the requester's TAP, including those that were dropped on their way to the responder, and
NAME-responder.pcap has the frames on the responder's TAP. Needs root, QEMU and /dev/net/tun, but no
KVM. The network namespace ends with this process.
"""
import argparse
import ctypes
import os
import pathlib
import re
import socket
import struct
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from peer import available, peer  # noqa: E402

REQUESTER, RESPONDER = 0, 1
TAP = ("tap0", "tap1")
ADDRESS = ("192.0.2.2", "192.0.2.1")
MAC = ("52:54:00:00:00:02", "52:54:00:00:00:01")
CLONE_NEWNET = 0x40000000
PACKET_IGNORE_OUTGOING = 23
SECONDS = 40  # longest duration of a case
# Waits until a perftest server or a CM listener is ready.
LISTENS = ("for n in $(seq 100); do ss -Hltn 'sport = :18515' | grep -q . && exit 0; "
           "rdma resource show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done; exit 1")

SEND_MIDDLE, SEND_LAST, WRITE_FIRST, WRITE_ONLY_IMM, READ_REQUEST, READ_MIDDLE, ACK, ATOMIC_ACK = 1, 2, 6, 11, 12, 14, 17, 18


class Case:
    """The programs of responder and requester, and the dropped frames: {opcode: [numbers of its
    frames, from 1]}."""

    def __init__(self, name, responder, lost, requester=None):
        self.name, self.lost = name, lost
        self.responder, self.requester = responder, requester or f"{responder} {ADDRESS[RESPONDER]}"


BW = "-d rxe0 -x 1 -F -n 5 -s 3000"
CASES = [
    Case("rc-send-lost-middle", f"ib_send_bw {BW}", {SEND_MIDDLE: [3]}),
    Case("rc-send-lost-last", f"ib_send_bw {BW}", {SEND_LAST: [5]}),
    Case("rc-send-lost-ack", f"ib_send_bw {BW}", {ACK: [2, 5]}),
    Case("rc-write-lost-first", f"ib_write_bw {BW}", {WRITE_FIRST: [3]}),
    Case("rc-write-lost-ack", f"ib_write_bw {BW}", {ACK: [5]}),
    Case("rc-read-lost-response", f"ib_read_bw {BW}", {READ_MIDDLE: [3]}),
    Case("rc-read-lost-request", f"ib_read_bw {BW}", {READ_REQUEST: [3]}),
    Case("rc-read-lost-last-request", f"ib_read_bw {BW}", {READ_REQUEST: [5]}),
    Case("rc-atomic-lost-ack", "ib_atomic_bw -d rxe0 -x 1 -F -n 5 -A FETCH_AND_ADD", {ATOMIC_ACK: [5]}),
    Case("rc-write-imm-lost", f"rstream -b {ADDRESS[RESPONDER]} -I 2 -C 3 -S 100", {WRITE_ONLY_IMM: [6]},
         f"rstream -s {ADDRESS[RESPONDER]} -I 2 -C 3 -S 100"),
]


class Wire:
    """Forwards frames between the TAPs, drops those that the case names, and records the frames of
    each side."""

    def __init__(self):
        self.sockets = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in TAP]
        for one, tap in zip(self.sockets, TAP):
            one.setsockopt(263, PACKET_IGNORE_OUTGOING, 1)  # SOL_PACKET
            one.bind((tap, 0))
        self.lock = threading.Lock()
        self.begin(None)
        for side in REQUESTER, RESPONDER:
            threading.Thread(target=self.forward, args=(side,), daemon=True).start()

    def begin(self, case):
        with self.lock:
            self.case, self.seen, self.counts, self.dropped = case, ([], []), {}, 0

    def forward(self, side):
        while True:
            frame = self.sockets[side].recv(65536)
            roce = len(frame) > 54 and frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"
            with self.lock:
                if roce:
                    self.seen[side].append((time.time(), frame))
                    if self.case and self.loses(frame[42]):
                        continue
                    self.seen[1 - side].append((time.time(), frame))
                self.sockets[1 - side].send(frame)

    def loses(self, opcode):
        self.counts[opcode] = count = self.counts.get(opcode, 0) + 1
        lost = count in self.case.lost.get(opcode, [])
        self.dropped += lost
        return lost


def save(path, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for when, frame in frames:
            out.write(struct.pack("<4I", int(when), int(when % 1 * 1e6), len(frame), len(frame)) + frame)


def play(wire, guests, case, out):
    """Returns None and writes the captures, or returns the reason of the failure."""
    wire.begin(case)
    server = guests[RESPONDER].start(case.responder, SECONDS)
    status, text = guests[RESPONDER].run(LISTENS)
    if status:
        return f"nobody listens: {text}"
    status, text = guests[REQUESTER].run(case.requester, SECONDS)
    if status:
        return f"the requester's program ended with {status}: {text}"
    if server.wait(10) != 0:
        return f"the responder's program ended with {server.status}: {server.output}"
    time.sleep(0.3)
    wanted = sum(len(which) for which in case.lost.values())
    if wire.dropped != wanted:
        return f"lost {wire.dropped} frames, wanted {wanted}"
    for side, name in (REQUESTER, "requester"), (RESPONDER, "responder"):
        save(out / f"{case.name}-{name}.pcap", wire.seen[side])
    return None


def own_network():
    """Moves this process into a new network namespace with the two TAPs, on which the host sends no
    frames itself."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no network namespace")
    for tap in TAP:
        for words in (f"ip tuntap add dev {tap} mode tap", f"sysctl -qw net.ipv6.conf.{tap}.disable_ipv6=1",
                      f"ip link set {tap} txqueuelen 20000 up"):
            if os.spawnvp(os.P_WAIT, words.split()[0], words.split()):
                raise OSError(f"failed: {words}")


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n", 2)[1][7:])
    p.add_argument("--cache", default="build/guest")
    p.add_argument("--list", action="store_true")
    p.add_argument("out")
    p.add_argument("pattern", nargs="*")
    options = p.parse_args()
    chosen = [c for c in CASES if not options.pattern or any(re.search(x, c.name) for x in options.pattern)]
    if options.list:
        print(*(c.name for c in chosen), sep="\n")
        return 0
    why = available()
    if why:
        sys.exit(why)
    own_network()
    out, failed = pathlib.Path(options.out), 0
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="loss-") as work:
        guests = []
        try:
            for side in REQUESTER, RESPONDER:
                place = pathlib.Path(work) / TAP[side]
                place.mkdir()
                guests.append(peer(pathlib.Path(options.cache).resolve(), place, [], TAP[side], ADDRESS[side] + "/24",
                                   f"2001:db8::{2 - side}/64", mac=MAC[side]))
                guests[side].boot()
            wire = Wire()
            for case in chosen:
                bad = play(wire, guests, case, out)
                failed += bad is not None
                print(f"{'FAILED' if bad else 'recorded'} {case.name}{': ' + bad if bad else ''}", flush=True)
        finally:
            for guest in guests:
                guest.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
