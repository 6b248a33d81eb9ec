"""The other end of a client's port, as a process that need not keep the rules of vhost-user: librte_vhost connects to its socket."""
import array
import mmap
import os
import socket
import struct

from protocol import PORT, Client, plain

(GET_FEATURES, SET_FEATURES, SET_OWNER, SET_MEM_TABLE, SET_LOG_BASE, VRING_NUM, VRING_ADDR, VRING_BASE, GET_VRING_BASE, VRING_KICK,
 VRING_CALL, GET_PROTOCOL, SET_PROTOCOL, VRING_ENABLE, SET_STATUS) = 1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 15, 16, 18, 39
FEATURES = 1 << 32 | 1 << 30 | 1 << 15  # VERSION_1, PROTOCOL_FEATURES, MRG_RXBUF
PROTOCOL = 1 << 3 | 1 << 16  # REPLY_ACK, STATUS
MEMORY = 1 << 20
RING = 256  # entries
RESET_OWNER = 4


class End:
    """Attaches a client and waits until the daemon connects to its port."""

    def __init__(self, daemon, name="end", queues=1):
        self.path = os.path.join(daemon.folder, name)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen()
        self.listener.settimeout(20)
        self.client = Client(daemon.socket)
        if self.client.attach(name=name, queues=queues) != "OK":
            raise RuntimeError("cannot attach")
        self.queues, self.sock, self.kicks = queues, None, []

    def pass_port(self):
        fd = os.open(self.path, os.O_PATH)
        try:
            return self.client.err(plain(PORT), [fd])
        finally:
            os.close(fd)

    def accept(self):
        self.sock, _ = self.listener.accept()
        self.sock.settimeout(20)
        return self

    def connect(self):
        if self.pass_port() != "OK":
            raise RuntimeError("the port is refused")
        return self.accept()

    def send(self, number, body=b"", fds=(), flags=1):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        self.sock.sendmsg([struct.pack("=III", number, flags, len(body)) + body], rights)

    def ask(self, number, body=b"", fds=()):
        """Sends a message whose reply is a number, and returns the number. None: the connection has been closed."""
        try:
            self.send(number, body, fds, 1 if number in (GET_FEATURES, GET_PROTOCOL, GET_VRING_BASE) else 9)
            reply = self.sock.recv(4096)
        except (ConnectionResetError, BrokenPipeError):
            reply = b""
        return struct.unpack_from("=Q", reply, 12)[0] if len(reply) >= 20 else None

    def negotiate(self):
        self.send(SET_OWNER)
        self.ask(GET_FEATURES)
        self.ask(GET_PROTOCOL)
        self.send(SET_PROTOCOL, struct.pack("=Q", PROTOCOL))
        return self.ask(SET_FEATURES, struct.pack("=Q", FEATURES))

    def share(self, fd, size=MEMORY):
        """Passes memory. Returns 0 if the daemon takes it. librte_vhost ignores a table that is the same as before."""
        return self.ask(SET_MEM_TABLE, struct.pack("=IIQQQQ", 1, 0, 0, size, 0x100000000, 0), [fd])

    def rings(self, call):
        """Sets up the pairs of rings with empty descriptors; `call` is what the daemon writes when it has used an entry."""
        bad = 0
        for ring in range(2 * self.queues):
            at = 0x100000000 + ring * 0x10000
            bad |= self.ask(VRING_NUM, struct.pack("=II", ring, RING))
            bad |= self.ask(VRING_BASE, struct.pack("=II", ring, 0))
            bad |= self.ask(VRING_CALL, struct.pack("=Q", ring), [call])
            bad |= self.ask(VRING_ADDR, struct.pack("=IIQQQQ", ring, 0, at, at + 0x3000, at + 0x2000, 0))
            kick = os.eventfd(0)
            bad |= self.ask(VRING_KICK, struct.pack("=Q", ring), [kick])
            self.kicks.append(kick)
            bad |= self.ask(VRING_ENABLE, struct.pack("=II", ring, 1))
        self.ask(SET_STATUS, struct.pack("=Q", 15))
        return bad

    def close(self):
        for s in (self.sock, self.listener, self.client):
            if s is not None:
                s.close()
        while self.kicks:
            os.close(self.kicks.pop())


class Memory:
    """A memfd, mapped, with room for eight rings and for the buffers of one."""

    def __init__(self):
        self.fd = os.memfd_create("client")
        os.ftruncate(self.fd, MEMORY)
        self.map = mmap.mmap(self.fd, MEMORY)

    def offer(self, ring, frames):
        """Puts frames into the ring as descriptors from 0 on."""
        at = ring * 0x10000
        for i, frame in enumerate(frames):
            place = MEMORY // 2 + i * 2048
            data = bytes(12) + frame  # with the header of virtio
            self.map[place:place + len(data)] = data
            struct.pack_into("=QIHH", self.map, at + 16 * i, place, len(data), 0, 0)
            struct.pack_into("=H", self.map, at + 0x2000 + 4 + 2 * i, i)
        struct.pack_into("=H", self.map, at + 0x2000 + 2, len(frames))

    def used(self, ring):
        return struct.unpack_from("=H", self.map, ring * 0x10000 + 0x3000 + 2)[0]
