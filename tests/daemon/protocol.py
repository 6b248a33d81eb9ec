"""The messages of include/rn/daemon.h, version 1, and a process that sends them."""
import array
import errno
import json
import os
import socket
import struct

VERSION = 1
INFO, ATTACH, PORT, LISTEN, UNLISTEN, JOIN, LEAVE, CLAIM, UNCLAIM, SHOW, FLUSH = range(1, 12)
HEADER = "=II"
ATTACH_BODY = "=IIQ32s"
SERVICE_BODY = "=Q16s"
CLAIM_BYTES = 72
CLAIMS = 64
TRACK_PAIR = 10  # RN_TRACK_PAIR
BODY = {INFO: 0, ATTACH: 48, PORT: 0, LISTEN: 24, UNLISTEN: 24, JOIN: 16, LEAVE: 16, CLAIM: 8 + CLAIMS * CLAIM_BYTES, UNCLAIM: 20,
        SHOW: 4, FLUSH: 0}  # bytes after the header
LONGEST = struct.calcsize(HEADER) + BODY[CLAIM]
PORT_REPLY = "=IIQ6sBBHHBBBBI"
OUR_GID = bytes(10) + b"\xff\xff" + bytes((192, 0, 2, 1))


def request(op, body=b"", version=VERSION):
    return struct.pack(HEADER, version, op) + body


def plain(op):
    """A request of the right length that is full of zeros."""
    return request(op, bytes(BODY[op]))


def attach(number=0, token=0, queues=1, name="test"):
    return request(ATTACH, struct.pack(ATTACH_BODY, number, queues, token, name.encode("latin-1")))


def claims(n):
    return request(CLAIM, struct.pack("=II", n, 0) + bytes(CLAIMS * CLAIM_BYTES))


def pair(number, peer_qpn):
    """Claims a connection between a queue pair of client `number` and one of 192.0.2.9."""
    own, peer = OUR_GID, OUR_GID[:-1] + b"\x09"
    body = struct.pack("=5I6sBB4xQ16s16s", TRACK_PAIR, 0, 0, number << 16 | 0x100, peer_qpn, bytes((2, 0, 0, 0, 0, 9)), 0, 0, 0, own, peer)
    return request(CLAIM, struct.pack("=II", 1, 0) + body.ljust(CLAIMS * CLAIM_BYTES, b"\0"))


class Gone(Exception):
    """The daemon has closed the connection."""


class Client:
    """A connection to the daemon at a path. A request fails when its answer takes more than `seconds`."""

    def __init__(self, path, seconds=20):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.connect(path)
        self.sock.settimeout(seconds)
        self.number = self.token = 0

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, packet, fds=()):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        self.sock.sendmsg([packet], rights)

    def receive(self):
        """Returns (err, rest of the reply)."""
        try:
            reply = self.sock.recv(65536)
        except ConnectionResetError:
            reply = b""
        if not reply:
            raise Gone
        version, err = struct.unpack_from("=Ii", reply)
        if version != VERSION:
            raise RuntimeError(f"a reply of version {version}")
        return err, reply[8:]

    def ask(self, packet, fds=()):
        """Sends a request; returns (err, rest of the reply)."""
        try:
            self.send(packet, fds)
        except (BrokenPipeError, ConnectionResetError):
            raise Gone from None
        return self.receive()

    def err(self, packet, fds=()):
        """Sends a request; returns "OK" or the name of the error, and "GONE" if the daemon closes the connection."""
        try:
            number = self.ask(packet, fds)[0]
        except Gone:
            return "GONE"
        return "OK" if number == 0 else errno.errorcode.get(-number, str(number))

    def attach(self, **how):
        """Attaches and returns the name of the error or "OK"."""
        number, reply = self.ask(attach(**how))
        if number != 0:
            return errno.errorcode.get(-number, str(number))
        self.number, _, self.token = struct.unpack_from(PORT_REPLY, reply)[:3]
        return "OK"

    def info(self):
        number, reply = self.ask(plain(INFO))
        if number != 0:
            raise RuntimeError(f"INFO: {number}")
        names = ("number", "max_qp", "token", "mac", "has_vlan", "ngids", "vlan_tci", "mtu", "max_path_mtu", "tclass", "hop_limit",
                 "link_up", "speed")
        return dict(zip(names, struct.unpack_from(PORT_REPLY, reply)), gids=reply[36:292])

    def show(self):
        """The whole report, and the number of its parts."""
        whole, first, parts = {"clients": []}, 0, 0
        while True:
            number, reply = self.ask(request(SHOW, struct.pack("=I", first)))
            if number != 0:
                raise RuntimeError(f"SHOW: {os.strerror(-number)}")
            first = struct.unpack_from("=I", reply)[0]
            part = json.loads(reply[4:].split(b"\0", 1)[0])
            whole["clients"] += part.pop("clients")
            whole.update(part)
            parts += 1
            if first == 0:
                return whole, parts


def differ(what, got, wanted):
    """A list of one complaint, or none."""
    return [] if got == wanted else [f"{what}: {got} instead of {wanted}"]
