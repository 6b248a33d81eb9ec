"""usage: test_tools.py ND_XFER ND_RPING CATALOGUE ND_UCMATOSE

Prints TAP: two processes transfer files and pings over memif, and print a message for each
failure."""
import fcntl
import os
import pathlib
import re
import struct
import sys
import termios
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from rig import Process, Rig, same, socket_files  # noqa: E402
import tap  # noqa: E402

TOOLS = sys.argv[1:4]
UCMATOSE = sys.argv[4]
SERVERS = {4: "192.0.2.1", 6: "2001:db8::1"}
VIAS = ("send", "write", "read")
SIZES = (0, 1, 4095, 4096, (1 << 20) + 1)
BIG = 20_000_000
ENDS_S = 30      # seconds in which a tool that fails must exit, and more than enough for a busy machine
ENDLESS = 1 << 32  # bytes of a sparse file whose transfer takes longer than a test
PINGS = ((4, 26), (6, 4097), (4, 65536))


def moves(version, jobs, loss=0):
    """Transfers a file for each (verb, size) of jobs, with one server."""
    complaints = []
    with Rig(*TOOLS) as rig:
        for side in "ab":
            rig.write_config(side, loss=loss)
        server = rig.server(SERVERS[version], "-n", str(len(jobs)), "-o", rig.path("received"))
        for via, size in jobs:
            source = rig.make_file(size)
            status, text = rig.client(SERVERS[version], "--via", via, source)
            if status != 0 or not same(source, rig.path("received")):
                return [f"{size} bytes by {via}: exit status {status}: {text}", server.text]
            if f"sent {size} bytes by {via}" not in text:
                complaints.append(f"{size} bytes by {via}: said {text}")
        if server.end() != 0 or server.text.count("received") != len(jobs):
            complaints.append(f"server: {server.text}")
    return complaints


def pings(version, size):
    with Rig(*TOOLS) as rig:
        address = SERVERS[version]
        server = rig.server("-a", address, "-C", "5", tool="rping")
        status, text = rig.client("-a", address, "-C", "5", "-S", str(size), "-V", tool="rping")
        ended = server.end()
        if status or ended or f"5 rounds of {size} bytes, data compared" not in text or "served 5" not in server.text:
            return [f"exit status {status}: {text}", f"server {ended}: {server.text}"]
    return []


def await_polls(process, number=50, seconds=20):
    """Waits until the thread of the process that looks for frames, in the background of the application's, has slept `number` times."""
    def slept():
        for path in pathlib.Path(f"/proc/{process.child.pid}/task").glob("*/status"):
            try:
                text = path.read_text(encoding="ascii")
            except OSError:  # a thread that has ended
                continue
            if text.startswith("Name:\trn-progress\n"):
                return int(re.search(r"^voluntary_ctxt_switches:\t(\d+)$", text, re.M)[1])
        raise RuntimeError("no thread looks for frames")

    before, until = slept(), time.monotonic() + seconds
    while slept() < before + number and time.monotonic() < until:
        time.sleep(0.01)


def farewell_is_lost():
    """rping sends its last message once and exits. This client is killed after its last
    round, before that message: no process reads its output pipe, so the client blocks there.
    The server must not fail."""
    with Rig(*TOOLS) as rig:
        server = rig.server("-a", SERVERS[4], "-C", "2", tool="rping")
        pipe = rig.path("pipe")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)
        client = Process([rig.rping_path, "-c", "-a", SERVERS[4], "-C", "2", "-S", "40000", "-v"],
                         dict(rig.env, SOFTRNIC_CONFIG=rig.path("b.conf")), pipe)
        rig.processes.append(client)
        unread, until = bytearray(4), time.monotonic() + 20
        while int.from_bytes(unread, sys.byteorder) < 65536 and time.monotonic() < until:
            time.sleep(0.01)
            fcntl.ioctl(reader, termios.FIONREAD, unread)
        # The server must have the last ACK, which the client may have yet to send: frames in the memif rings are lost with the client.
        await_polls(client)
        await_polls(server)
        client.kill()
        os.close(reader)
        status = server.end(20)
        if status or "served 2 rounds" not in server.text or "no disconnect" not in server.text:
            return [f"exit status {status}: {server.text}"]
    return []


def client_is_silent():
    """A client blocks in mid-transfer, because no process reads its output pipe. The server gives up after its timeout."""
    with Rig(*TOOLS) as rig:
        server = rig.server("-a", SERVERS[4], "--timeout", "2", tool="rping")
        pipe = rig.path("pipe")
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR)
        rig.processes.append(Process([rig.rping_path, "-c", "-a", SERVERS[4], "-C", "9", "-S", "40000", "-v"],
                                     dict(rig.env, SOFTRNIC_CONFIG=rig.path("b.conf")), pipe))
        server.end()
        os.close(reader)
        return [] if "no message from the peer for 2 s" in server.text else [f"server: {server.text}"]


def echoes(version, served, *words):
    """Runs nd_ucmatose; `served` are arguments of the server alone, `words` of both ends."""
    with Rig(*TOOLS) as rig:
        address = SERVERS[version]
        server = rig.start("a", UCMATOSE, "-b", address, *words, *served).await_text("listening on port")
        client = rig.start("b", UCMATOSE, "-s", address, *words)
        status, ended = client.end(), server.end()
        if status or ended or not all("data compared" in p.text for p in (client, server)):
            return [f"exit status {status}: {client.text}", f"server {ended}: {server.text}"]
    return []


def cm_kinds(path):
    """The attribute ids of the CM messages in a capture of IPv4 frames."""
    kinds = set()
    with open(path, "rb") as f:
        f.read(24)
        while head := f.read(16):
            frame = f.read(struct.unpack("<4I", head)[2])
            if frame[12:14] == b"\x08\x00" and frame[36:38] == b"\x12\xb7" and frame[42] == 0x64:
                kinds.add(int.from_bytes(frame[78:80], "big"))
    return kinds


def captures_are_whole():
    """The last frames of an adapter, DREQ and DREP, are in its capture file when the process has
    ended."""
    complaints = []
    for attempt in range(3):
        with Rig(*TOOLS) as rig:
            for side in "ab":
                rig.write_config(side, capture=True)
            server = rig.server(SERVERS[4])
            status, text = rig.client(SERVERS[4], rig.make_file(0))
            if status or server.end():
                return [text, server.text]
            for side in "ab":
                missing = {0x15, 0x16} - cm_kinds(rig.path(side + ".pcap"))
                if missing:
                    complaints.append(f"attempt {attempt}, side {side}: no CM message {missing}")
    return complaints


def complains(process, *words):
    """The process must exit with 1 within ENDS_S and print these words, in one or two lines."""
    began = time.monotonic()
    status = process.end(ENDS_S)
    said = [line for line in process.text.splitlines() if not line.startswith("listening")]
    complaints = [] if status == 1 else [f"exit status {status} after {time.monotonic() - began:.1f} s"]
    complaints += [f"does not say '{w}'" for w in words if w not in process.text]
    if not 1 <= len(said) <= 2:
        complaints.append("says it in one sentence or two")
    return [f"{process.child.args[1:]}: {c}: {process.text}" for c in complaints]


def config_error(text, *words):
    with Rig(*TOOLS) as rig:
        if text is None:
            os.unlink(rig.path("a.conf"))
        else:
            rig.write_config("a", text=text)
        return complains(rig.start("a", "xfer", "-s", SERVERS[4]), "a.conf", *words)


ADAPTER = 'name = "x"; port = "memif"; socket = "/tmp/x"; role = "server"; ipv4 = [ "192.0.2.1/24" ];'
CONFIG_ERRORS = (
    ("no such file", None, "No such file"),
    ("syntax", "adapters = (", ":1: syntax error"),
    ("unknown key", f'adapters = ({{ {ADAPTER} colour = "red"; }});', "colour", "unknown key"),
    ("wrong type", f'adapters = ({{ {ADAPTER} mtu = "big"; }});', "mtu", "1280..9000"),
    ("out of range", f"adapters = ({{ {ADAPTER} mtu = 90000; }});", "mtu", "1280..9000"),
    ("no such port", 'adapters = ({ name = "x"; port = "pigeon"; });', "pigeon", '"memif"'),
)


def port_does_not_open():
    complaints = []
    for keys, word in (({"socket": "/nonexistent/memif"}, "/nonexistent/memif: No such file"),
                       ({"port": "af_packet", "iface": "nope0", "socket": None, "role": None, "mac": None}, "nope0")):
        with Rig(*TOOLS) as rig:
            rig.write_config("a", **keys)
            complaints += complains(rig.start("a", "xfer", "-s", SERVERS[4]), word)
    return complaints


def nobody_there():
    with Rig(*TOOLS) as rig:
        source = rig.make_file(10)
        complaints = complains(rig.start("b", "xfer", "-c", SERVERS[4], source), "cannot connect: host unreachable")
        rig.server(SERVERS[4])
        for words, text in (((SERVERS[4], "-p", "4000", source), "connection refused"),
                            (("192.0.2.77", source), "host unreachable"),
                            (("203.0.113.7", source), "cannot connect: host unreachable"),
                            (("hello", source), "'hello' is neither"),
                            ((SERVERS[4], rig.path("missing")), "No such file"),
                            ((SERVERS[4], rig.folder), "not a regular file"),
                            ((SERVERS[4], "--via", "pigeon", source), "send, write or read"),
                            ((SERVERS[4], "-l", "192.0.2.3", source), "has this address")):
            complaints += complains(rig.start("b", "xfer", "-c", *words), text)
        complaints += complains(rig.start("a", "xfer", "-s", SERVERS[4]), "memif.sock: Address already in use")
    return complaints


def foreign_file_is_left_alone():
    """A file that is not a socket stays unchanged, even if the configuration names it as the
    memif's socket."""
    with Rig(*TOOLS) as rig:
        rig.make_file(5, "memif.sock")
        complaints = complains(rig.start("a", "xfer", "-s", SERVERS[4]), "memif.sock: Address already in use")
        return complaints + ([] if os.path.getsize(rig.path("memif.sock")) == 5 else ["the file is gone"])


def disk_full():
    complaints = []
    for output, theirs in (("/dev/full", "the server failed: No space left"),
                           ("/nonexistent/x", "the server refused: No such file")):
        with Rig(*TOOLS) as rig:
            server = rig.server(SERVERS[4], "-o", output)
            client = rig.start("b", "xfer", "-c", SERVERS[4], rig.make_file(3_000_000))
            complaints += complains(client, theirs) + complains(server, theirs.split(": ")[1])
    return complaints


def killed(victim, vias):
    """One end is killed during a transfer: the other end prints a message within its timeout,
    and no socket file but the memif's is left."""
    complaints = []
    for via in vias:
        with Rig(*TOOLS) as rig:
            for side in "ab":
                rig.write_config(side, loss=3)
            server = rig.server(SERVERS[4], "--timeout", "3", "-o", rig.path("received"))
            client = rig.start("b", "xfer", "-c", SERVERS[4], "--timeout", "3", "--via", via, rig.make_hole(ENDLESS))
            while client.child.poll() is None and not (
                    os.path.exists(rig.path("received")) and os.path.getsize(rig.path("received"))):
                time.sleep(0.005)
            dies, stays = (server, client) if victim == "server" else (client, server)
            left = socket_files(dies.child.pid) - {rig.path("memif.sock")}
            complaints += [f"{via}: {path} will be left" for path in left]
            dies.kill()
            complaints += complains(stays)
            # A new server takes over the socket file of the killed one.
            again = rig.server(SERVERS[4])
            status, text = rig.client(SERVERS[4], rig.make_file(1))
            if status or again.end():
                complaints.append(f"{via}: afterwards: {text}")
    return complaints


def killed_while_connecting():
    """Ten clients are killed at different moments between their start and their first rounds;
    the server still serves the next client."""
    address = SERVERS[4]
    with Rig(*TOOLS) as rig:
        server = rig.server("-a", address, "-P", tool="rping")
        for ms in range(40, 440, 40):
            client = rig.start("b", "rping", "-c", "-a", address, "-C", "1000000")
            time.sleep(ms / 1000)
            client.kill()
        status, text = rig.client("-a", address, "-C", "5", "-V", tool="rping")
        if status or "5 rounds" not in text or server.child.poll() is not None:
            return [f"exit status {status}: {text}", f"server: {server.text}"]
    return []


CHECKS = [
    ("IPv4: every size by every verb", lambda: moves(4, [(via, size) for via in VIAS for size in SIZES])),
    ("IPv6: every size", lambda: moves(6, list(zip(VIAS * 2, SIZES)))),
    (f"IPv4: {BIG} bytes", lambda: moves(4, [(via, BIG) for via in VIAS])),
    (f"IPv6: {BIG} bytes, 1% lost", lambda: moves(6, [(via, BIG) for via in VIAS], loss=1)),
    *((f"rping over IPv{v}, {size} bytes", lambda v=v, size=size: pings(v, size)) for v, size in PINGS),
    ("rping, the client's farewell lost", farewell_is_lost),
    ("rping, a silent client", client_is_silent),
    ("ucmatose, 8 connections", lambda: echoes(4, [], "-c", "8", "-C", "50", "-S", "4097")),
    ("ucmatose, few receives", lambda: echoes(6, ["-Q", "-r", "4", "-w", "100"], "-C", "100")),
    ("captures are whole", captures_are_whole),
    *((f"configuration: {name}", lambda row=row: config_error(*row)) for name, *row in CONFIG_ERRORS),
    ("a port that does not open", port_does_not_open),
    ("nobody there, wrong words", nobody_there),
    ("a socket name that is a file", foreign_file_is_left_alone),
    ("no room for the file", disk_full),
    ("server killed", lambda: killed("server", ("write", "read"))),
    ("client killed", lambda: killed("client", ("send",))),
    ("clients killed while they connect", killed_while_connecting),
]

if __name__ == "__main__":
    tap.run(CHECKS)
