"""What one process can do to the others, and what it cannot."""
import os
import signal
import socket
import struct
import subprocess
import sys
import time

from daemon import Daemon, case, wait_for
from protocol import INFO, PORT, SHOW, Client, Gone, differ, pair, plain

NUMBERS = 254
TIMEWAIT_S = 18  # docs/switch.md

# A process that attaches and then waits for its end.
KEEPER = """
import sys, time
sys.path[:0] = [sys.argv[1]]
from protocol import Client, pair
c = Client(sys.argv[2])
print(c.attach(), c.number, c.err(pair(c.number, 0x1234)), flush=True)
time.sleep(600)
"""
# A process that sends one request again and again for some seconds and reads the replies, over many connections.
FLOODER = """
import sys, time
sys.path[:0] = [sys.argv[1]]
import protocol
packet = {"info": protocol.plain(protocol.INFO), "show": protocol.plain(protocol.SHOW), "claim": protocol.claims(64)}[sys.argv[3]]
room = 4 if sys.argv[3] == "show" else 64  # unread replies; more of this size than fit into a socket would end the session
clients = [protocol.Client(sys.argv[2]) for _ in range(8)]
for c in clients:
    c.attach()
    c.sock.setblocking(False)
    c.unread = 0
print("ready", flush=True)
start, n = time.monotonic(), 0
while time.monotonic() < start + 4:
    for c in clients:
        try:
            while True:
                c.sock.recv(65536)
                c.unread -= 1
        except BlockingIOError:
            pass
        try:
            while c.unread < room:
                c.send(packet)
                c.unread += 1
                n += 1
        except BlockingIOError:
            pass
print(n, time.monotonic() - start, flush=True)
"""


def process(text, *words):
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.Popen([sys.executable, "-c", text, here, *words], stdout=subprocess.PIPE, text=True)


@case
def more_clients_than_allowed(build):
    with Daemon(build, "clients = 3;") as d:
        clients = [Client(d.socket) for _ in range(5)]
        got = [c.attach() for c in clients]
        bad = differ("attach", got, ["OK"] * 3 + ["EAGAIN"] * 2)
        d.configure("clients = 4;")
        d.kill(signal.SIGHUP)
        wait_for("the configuration is read again", lambda: clients[0].show()[0]["port"]["clients_max"] == 4)
        bad += differ("one more after SIGHUP", [c.attach() for c in clients[3:]], ["OK", "EAGAIN"])
        clients[0].close()
        return bad + differ("after another has gone", [wait_for("room", lambda: clients[4].attach() == "OK")], [True])


@case
def a_broken_configuration_changes_nothing(build):
    with Daemon(build, "clients = 1;") as d, Client(d.socket) as c:
        d.configure("clients = 900;")
        d.kill(signal.SIGHUP)
        wait_for("the configuration is refused", lambda: "softrnicd keeps its settings" in d.text)
        return differ("attach", c.attach(), "OK") + differ("clients", c.show()[0]["port"]["clients_max"], 1)


@case
def more_connections_than_sessions(build):
    """The daemon closes what it has no room for, and has room again when others go."""
    with Daemon(build, "clients = 254;") as d:
        many, refused = [], 0
        for _ in range(400):
            c = Client(d.socket)
            if c.err(plain(INFO)) == "GONE":
                refused += 1
                c.close()
            else:
                many.append(c)
        bad = differ("accepted and refused", (len(many), refused), (318, 82))
        for c in many[:10]:
            c.close()

        def again():
            with Client(d.socket) as c:
                return c.err(plain(INFO)) == "OK"
        return bad + differ("afterwards", wait_for("room", again), True)


@case
def who_reads_no_replies_is_thrown_out(build):
    with Daemon(build) as d, Client(d.socket) as other, Client(d.socket) as c:
        before = d.settled()
        c.attach()
        try:
            for _ in range(1000):
                c.send(plain(SHOW))
        except (BrokenPipeError, ConnectionResetError):
            pass
        most, slowest = answer_time(other, 1)
        try:
            while True:
                c.receive()
        except Gone:
            pass
        c.close()
        before.remove("socket")
        return d.leaks(before) + held_up(most, slowest)


def answer_time(client, seconds):
    """How long nine of ten answers take at most within some seconds, and the slowest. A daemon that is unfair delays all answers; a busy
    machine delays single ones."""
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end or len(took) < 20:
        start = time.monotonic()
        client.ask(plain(INFO))
        took.append(time.monotonic() - start)
        time.sleep(0.02)
    took.sort()
    return took[len(took) * 9 // 10], took[-1]


def held_up(most, slowest):
    """A complaint unless another process was answered soon (answer_time)."""
    return [] if most < 1 and slowest < 10 else [f"another process waited {most:.2f} s, at most {slowest:.2f} s"]


def flood(build, what):
    with Daemon(build) as d, Client(d.socket) as other:
        flooder = process(FLOODER, d.socket, what)
        try:
            flooder.stdout.readline()
            most, slowest = answer_time(other, 3)
            sent, seconds = (float(word) for word in flooder.stdout.readline().split())
        finally:
            flooder.kill()
            flooder.wait()
        print(f"# {what}: {sent:.0f} requests, nine of ten answers to another process took at most {most * 1000:.0f} ms, the slowest "
              f"{slowest * 1000:.0f} ms")
        # 8 sessions, each 4000 at once and 4000 per second, and what their sockets hold
        return held_up(most, slowest) + ([] if sent < 8 * 4000 * (seconds + 2) else [f"{sent:.0f} requests in {seconds:.1f} s"])


@case
def a_flood_of_short_requests_leaves_time_for_others(build):
    return flood(build, "info")


@case
def a_flood_of_reports_leaves_time_for_others(build):
    return flood(build, "show")


@case
def a_flood_of_claims_leaves_time_for_others(build):
    return flood(build, "claim")


@case
def the_number_of_a_killed_client_rests(build):
    """All numbers but one are held; the last belongs to a process that is killed."""
    with Daemon(build, "clients = 254;") as d:
        others = [Client(d.socket) for _ in range(NUMBERS - 1)]
        for c in others:
            c.attach()
        victim = process(KEEPER, d.socket)
        said = victim.stdout.readline().split()
        bad = differ("the last number", (said[0], said[2]), ("OK", "OK"))
        killed = time.monotonic()  # the daemon can see the end from here on, so the time that it rests is never measured too short
        victim.kill()
        victim.wait()
        with Client(d.socket) as c:
            wait_for("the death is seen", lambda: c.show()[0]["port"]["clients"] == NUMBERS - 1)
            while c.attach() != "OK":
                if time.monotonic() - killed > TIMEWAIT_S + 30:
                    return bad + ["the number is not free again"]
                time.sleep(0.1)
            rested = time.monotonic() - killed
            bad += differ("number", str(c.number), said[1])
            if rested < TIMEWAIT_S - 0.5:
                bad.append(f"the number rested only {rested:.1f} s")
        return bad


@case
def a_user_leaves_half_of_the_numbers_to_others(build):
    """Clients that end at once, with numbers that peers know, use up what their user may have at rest."""
    with Daemon(build, "clients = 254;") as d, Client(d.socket) as watch:
        bad = []
        for i in range(NUMBERS // 2 + 1):
            with Client(d.socket) as c:
                said = c.attach()
                if said == "OK":
                    said = c.err(pair(c.number, 0x1000 + i))
            wait_for("the client has gone", lambda: watch.show()[0]["port"]["clients"] == 0)
            bad += differ(f"client {i}", said, "OK" if i < NUMBERS // 2 else "EAGAIN")
        return bad


def lingering_socket():
    """A TCP socket whose close waits 30 s for a peer that does not read. Returns it, and the peer, which must stay open."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        s = socket.create_connection(listener.getsockname())
        peer, _ = listener.accept()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 30))
    s.setblocking(False)
    try:
        while True:
            s.send(bytes(65536))
    except BlockingIOError:
        return s, peer


@case
def descriptors_that_are_slow_to_close_hold_nobody_up(build):
    """The daemon gets the last copies, so that its close() would wait."""
    bad = []
    with Daemon(build) as d, Client(d.socket) as c, Client(d.socket) as other:
        c.attach()
        for what, packet in (("not wanted", plain(INFO)), ("refused", plain(PORT)), ("with a packet that ends the session", b"")):
            pairs = [lingering_socket() for _ in range(2)]
            d.kill(signal.SIGSTOP)
            c.send(packet, [s.fileno() for s, _ in pairs])
            for s, _ in pairs:
                s.close()
            d.kill(signal.SIGCONT)
            _, slowest = answer_time(other, 0.5)
            if slowest > 10:  # the sockets linger for 30 s
                bad.append(f"{what}: another process waits {slowest:.1f} s")
            for _, peer in pairs:
                peer.close()
        return bad


@case
def who_may_connect(build):
    if os.geteuid() != 0:
        return []
    bad = []
    for group, mode in (("", 0o600), ("daemon", 0o660)):
        with Daemon(build, f'group = "{group}";' if group else "") as d:
            os.chmod(d.folder, 0o755)
            bad += differ("mode", os.stat(d.socket).st_mode & 0o7777, mode)
            for gid, wanted in ((65534, False), (1, bool(group))):  # 1: the group "daemon"
                child = os.fork()
                if child == 0:
                    try:
                        os.setgroups([])
                        os.setgid(gid)
                        os.setuid(65534)
                        Client(d.socket).close()
                        os._exit(0)
                    except OSError:
                        os._exit(1)
                bad += differ(f"group {gid} with group = \"{group}\"", os.waitpid(child, 0)[1] == 0, wanted)
    return bad


@case
def descriptors_are_as_many_as_the_system_allows(build):
    with Daemon(build) as d, open(f"/proc/{d.child.pid}/limits", encoding="utf-8") as f:
        soft, hard = next(line for line in f if line.startswith("Max open files")).split()[3:5]
        return differ("soft limit", soft, hard)
