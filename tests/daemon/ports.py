"""The port of a client: which descriptors are taken, and what a hostile vhost-user end can do."""
import os
import socket
import struct
import tempfile
import time

from daemon import Daemon, case, wait_for
from protocol import INFO, PORT, Client, differ, plain
from vhost import GET_FEATURES, MEMORY, RESET_OWNER, SET_LOG_BASE, SET_MEM_TABLE, End, Memory

FRAME = b"\xff" * 6 + b"\x02\x00\x00\x00\x00\x07" + b"\x08\x06" + bytes(46)


def plugged(client, number):
    return any(c["number"] == number and c["plugged"] for c in client.show()[0]["clients"])


@case
def the_descriptor_of_a_port_is_checked(build):
    with Daemon(build) as d, Client(d.socket) as c:
        c.attach()
        before, bad = d.settled(), []
        path = os.path.join(d.folder, "port")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, tempfile.TemporaryFile() as regular:
            listener.bind(path)
            folder, null = os.open(d.folder, os.O_PATH), os.open("/dev/null", os.O_RDWR)
            bad += differ("none", c.err(plain(PORT)), "EINVAL")
            for what, fd in (("regular file", regular.fileno()), ("folder", folder), ("device", null)):
                bad += differ(what, c.err(plain(PORT), [fd]), "EINVAL")
            if os.geteuid() == 0:
                os.chown(path, 65534, -1)
                place = os.open(path, os.O_PATH)
                bad += differ("socket of another user", c.err(plain(PORT), [place]), "EPERM")
                os.close(place)
            os.close(folder)
            os.close(null)
        return bad + d.leaks(before)


@case
def a_client_has_one_port_that_comes_up(build):
    with Daemon(build) as d:
        End(d, "first").connect().close()  # librte_vhost keeps a pipe since the first
        before, memory, call = d.settled(), Memory(), os.eventfd(0)
        end = End(d).connect()
        bad = differ("second", end.pass_port(), "EALREADY")
        bad += differ("answers", (end.negotiate(), end.share(memory.fd), end.rings(call)), (0, 0, 0))
        wait_for("the port is up", lambda: plugged(end.client, end.client.number))
        memory.offer(1, [FRAME] * 5)
        wait_for("frames are taken", lambda: memory.used(1) == 5)
        report = end.client.show()[0]
        bad += differ("frames", [c["counters"].get("rx_frames") for c in report["clients"] if c["name"] == "end"], [5])
        end.close()
        return bad + d.leaks(before)


def others_attach(daemon):
    """Returns a complaint unless librte_vhost answers another client and the daemon answers that client's INFO. Each answer may take 20 s
    (Client, End), because a daemon that is held up by a client waits without end."""
    other = End(daemon, "other")
    try:
        if other.connect().ask(GET_FEATURES) is None:
            return ["another client gets no answer"]
        other.client.err(plain(INFO))
    except (TimeoutError, RuntimeError) as why:
        return [f"another client: {why!r}"]
    finally:
        other.close()
    return []


@case
def an_endless_message_does_not_hold_up_others(build):
    """The end that says half a message is a child of the client, so it has another process id."""
    with Daemon(build) as d:
        end = End(d)
        ready, go = os.pipe()
        child = os.fork()
        if child == 0:
            os.unlink(end.path)
            end.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            end.listener.bind(end.path)
            end.listener.listen()
            os.write(go, b"x")
            end.accept()
            end.sock.send(struct.pack("=III", SET_MEM_TABLE, 1, 40))  # and no body
            os.write(go, b"x")
            time.sleep(60)
            os._exit(0)
        try:
            os.read(ready, 1)
            end.pass_port()
            os.read(ready, 1)
            return others_attach(d)
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)


@case
def only_messages_of_the_list_are_handled(build):
    bad = []
    with Daemon(build) as d:
        for number in (0, RESET_OWNER, SET_LOG_BASE, 7, 14, 19, 20, 21, 26, 28, 29, 31, 33, 37, 38, 41, 255, 0xffffffff):
            end = End(d, f"end{number}").connect()
            end.negotiate()
            if end.ask(number, bytes(8)) not in (None, 1):  # closed, or refused
                bad.append(f"message {number} is handled")
            end.close()
        return bad + others_attach(d)


@case
def only_memory_of_the_kernel_is_mapped(build):
    """The page of a file can take as long as its file system likes; that of a memfd cannot."""
    with Daemon(build) as d:
        end, call = End(d).connect(), os.eventfd(0)
        with tempfile.TemporaryFile(dir="/var/tmp") as f:
            if os.statvfs("/var/tmp").f_fsid == os.statvfs("/dev/shm").f_fsid:
                return []
            f.truncate(MEMORY)
            end.negotiate()
            end.share(f.fileno())
            try:
                end.rings(call)
            except TypeError:
                pass  # the connection has been closed
            time.sleep(0.5)
            with Client(d.socket) as c:
                bad = ["the file is in use"] if plugged(c, end.client.number) else []
        end.close()
        return bad + others_attach(d)


@case
def memory_is_checked_while_rings_are_in_use(build):
    """A client that replaces its memory by a file is thrown out, and the file is not written."""
    with Daemon(build) as d, tempfile.TemporaryFile(dir="/var/tmp") as f:
        end, memory, call = End(d).connect(), Memory(), os.eventfd(0)
        if os.statvfs("/var/tmp").f_fsid == os.statvfs("/dev/shm").f_fsid:
            return []
        end.negotiate(), end.share(memory.fd), end.rings(call)
        wait_for("the port is up", lambda: plugged(end.client, end.client.number))
        memory.offer(1, [FRAME] * 5)
        wait_for("frames are taken", lambda: memory.used(1) == 5)
        f.write(memory.map[:])
        struct.pack_into("=H", memory.map, 0x12002, 10)
        f.seek(0x12002)
        f.write(struct.pack("=H", 10))
        f.flush()
        end.share(f.fileno(), MEMORY // 2)
        os.eventfd_write(end.kicks[1], 1)
        with Client(d.socket) as c:
            wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
        f.seek(0x13002)
        return differ("used entries in the file", struct.unpack("=H", f.read(2))[0], 5) + others_attach(d)


@case
def shortened_memory_ends_the_client_alone(build):
    with Daemon(build) as d:
        end, memory, call = End(d).connect(), Memory(), os.eventfd(0)
        end.negotiate(), end.share(memory.fd), end.rings(call)
        wait_for("the port is up", lambda: plugged(end.client, end.client.number))
        memory.offer(1, [FRAME])
        os.ftruncate(memory.fd, 0)
        with Client(d.socket) as c:
            wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
        return differ("client", end.client.err(plain(INFO)), "GONE") + others_attach(d)


@case
def a_table_of_missing_memory_ends_the_client_alone(build):
    """The library reads the rings in the new memory before the message is handled to its end."""
    with Daemon(build) as d:
        end, memory, call, empty = End(d).connect(), Memory(), os.eventfd(0), os.memfd_create("empty")
        end.negotiate(), end.share(memory.fd), end.rings(call)
        wait_for("the port is up", lambda: plugged(end.client, end.client.number))
        end.share(empty, 2 * MEMORY)
        with Client(d.socket) as c:
            wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
        return differ("client", end.client.err(plain(INFO)), "GONE") + others_attach(d)


@case
def descriptors_of_rings_are_eventfds(build):
    """Another file could take as long as the client likes to be written."""
    with Daemon(build) as d:
        end, memory, call = End(d).connect(), Memory(), os.memfd_create("no eventfd")
        end.negotiate(), end.share(memory.fd), end.rings(call)
        with Client(d.socket) as c:
            wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
        return others_attach(d)


@case
def a_full_eventfd_does_not_stop_the_daemon(build):
    """The daemon writes the client's eventfd when it has used entries. If its count is full, the write waits."""
    with Daemon(build) as d:
        end, memory, call = End(d).connect(), Memory(), os.eventfd(0)
        os.eventfd_write(call, 0xfffffffffffffffe)
        end.negotiate(), end.share(memory.fd), end.rings(call)
        with Client(d.socket) as c:
            try:
                wait_for("the port is up", lambda: plugged(c, end.client.number))
                memory.offer(1, [FRAME] * 5)
                wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
            except (TimeoutError, RuntimeError) as why:
                os.eventfd_read(call)
                return [f"the daemon waits for an eventfd of a client: {why!r}"]
        end.close()
        return others_attach(d)


@case
def full_eventfds_of_several_queues_cost_one_wait(build):
    """When the daemon has waited for one, it does not look at the other rings of the client."""
    with Daemon(build) as d:
        end, memory, call = End(d, queues=4).connect(), Memory(), os.eventfd(0)
        os.eventfd_write(call, 0xfffffffffffffffe)
        end.negotiate(), end.share(memory.fd), end.rings(call)
        with Client(d.socket) as c:
            wait_for("the port is up", lambda: plugged(c, end.client.number))
            for ring in (1, 3, 5, 7):
                memory.offer(ring, [FRAME] * 5)
            wait_for("the client is thrown out", lambda: not c.show()[0]["clients"])
        used = [memory.used(ring) for ring in (1, 3, 5, 7)]
        end.close()
        return differ("rings from which frames were taken", sum(n > 0 for n in used), 1) + others_attach(d)


@case
def a_client_cannot_reset_itself(build):
    """RESET_OWNER would unmap the client's memory, but the daemon would keep the addresses, at which others' memory may be mapped later."""
    with Daemon(build) as d:
        end, memory, call = End(d).connect(), Memory(), os.eventfd(0)
        end.negotiate(), end.share(memory.fd), end.rings(call)
        wait_for("the port is up", lambda: plugged(end.client, end.client.number))
        bad = differ("answer", end.ask(RESET_OWNER), 1)
        memory.offer(1, [FRAME] * 5)
        wait_for("frames are taken", lambda: memory.used(1) == 5)
        end.close()
        return bad + others_attach(d)
