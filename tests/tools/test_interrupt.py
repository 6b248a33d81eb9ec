"""usage: test_interrupt.py BUILD CATALOGUE

Prints TAP: one end of a tool gets a signal in the middle of its work. That end prints its
results so far and disconnects; the other end notices that and exits within seconds."""
import concurrent.futures
import json
import os
import re
import signal
import sys
import time
from typing import NamedTuple

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from rig import Rig, free_port  # noqa: E402
import tap  # noqa: E402

BUILD, CATALOGUE = sys.argv[1:3]
AT_ONCE = 3
ENDS_S = 10      # seconds in which both ends must exit: about two, and more for a busy machine
# Code of the ACK timeout. A peer is given up after eight timeouts, 17 s: an end that exits within
# ENDS_S has received the disconnect, and a slow machine does not look like an interruption.
ACK_TIMEOUT = 19
UNDER_WAY_S = 1
# An end that waits for a CPU in that time has no result. The test is then repeated, and its ends work for longer.
LONGER_S = UNDER_WAY_S, 4, 16
NO_RESULT = "there is no result"
TRIES = 3
BEGINS_S = 20    # seconds in which a client connects and starts its work, on a busy machine
LOOK_S = 0.02
HOST = "192.0.2.1"
SECOND_S = 0.5   # until the second signal: a tool ignores one that comes within 250 ms of the first
BIG = 1 << 34    # bytes of a sparse file whose transfer takes longer than a test


class Row(NamedTuple):
    """A tool and its arguments, in which PORT stands for a free port and FILE for a large file."""
    path: str
    server: str
    client: str
    server_ready: str
    # Output that shows that the client is at work; FILE: it has read from the large file.
    client_busy: str
    server_result: str   # output of an interrupted server beside the message about the interruption
    client_result: str   # output of an interrupted client beside the message about the interruption
    farewell: bool = True  # the other end must notice the interruption
    # Output of a server that exits with 0 when its client was interrupted.
    server_survives: str = ""


def customary(name):
    return Row(f"tools/{name}", f"-s {HOST}", f"-c --size 4096:8192 --seconds 60 {HOST}", "listening on", "Size",
               r"\d+ messages, \d+ bytes until then", r"\n +4096 +[1-9]\d* ", server_survives=r"messages, \d+ bytes")


def perftest(name, words="-D 60 -f 0", rdma_cm=False):
    words += f" -u {ACK_TIMEOUT}"
    cm, host = ("-R", HOST) if rdma_cm else ("", "127.0.0.1")
    if name.endswith("_bw"):
        # One result per message: a slow machine has counted some after UNDER_WAY_S too.
        words += " -Q 1"
    row = r"^ (65536|2|8) +[1-9]\d* +" if name != "nd_read_lat" else ""
    return Row(f"perf/{name}", f"-p PORT {cm} {words}", f"-p PORT {cm} {words} {host}",
               "Waiting for client", "remote address", "", row)


ROWS = (
    *(customary(name) for name in ("ndping", "ndpingpong", "ndrping", "ndrpingpong")),
    Row("tools/nd_rping", f"-s -a {HOST}", f"-c -a {HOST} -C 1000000 -v", "listening on", "ping data",
        r"served [1-9]\d* rounds", r"[1-9]\d* of 1000000 rounds", server_survives=r"served [1-9]\d* rounds"),
    Row("tools/nd_xfer", f"-s {HOST}", f"-c {HOST} FILE", "listening on", "FILE",
        r"received [1-9]\d* of \d+ bytes", r"sent [1-9]\d* of \d+ bytes"),
    Row("tools/nd_xfer", f"-s {HOST}", f"-c {HOST} --table", "listening on", r"\n +64 ", "", r"\n +64 "),
    Row("tools/nd_ucmatose", f"-b {HOST} -C 3000 -S 1000000 -r 1", f"-s {HOST} -C 3000 -S 1000000 -r 1", "listening on", "connected", "", ""),
    *(perftest(name) for name in ("nd_send_bw", "nd_write_lat", "nd_read_bw", "nd_atomic_lat")),
    perftest("nd_send_lat", rdma_cm=True),
    perftest("nd_write_bw", rdma_cm=True),
    perftest("nd_send_bw", "-n 100000000"),
    perftest("nd_write_bw", "-D 60 -f 0 -e", rdma_cm=True),
)


def tidy(text):
    return text.strip()[-400:]


class Pair(Rig):
    """A server of the row on side a, a client on side b."""

    def __init__(self):
        super().__init__(None, None, CATALOGUE)

    def write_config(self, side, **keys):
        super().write_config(side, timers=f"ack_timeout = {ACK_TIMEOUT};", **keys)

    def run(self, side, row, words, port):
        source = self.make_hole(BIG, "big") if "FILE" in words else None
        words = [{"PORT": str(port), "FILE": source}.get(w, w) for w in words.split()]
        return self.start(side, os.path.join(BUILD, row.path), *words)


def await_reading(process):
    """Waits until the process has read from the large file, as the position of its descriptor
    shows."""
    folder = f"/proc/{process.child.pid}"
    until = time.monotonic() + BEGINS_S
    while time.monotonic() < until:
        for fd in os.listdir(f"{folder}/fd"):
            try:
                if os.readlink(f"{folder}/fd/{fd}").endswith("/big"):
                    with open(f"{folder}/fdinfo/{fd}", encoding="ascii") as f:
                        if int(f.readline().split()[1]) > 0:
                            return
            except FileNotFoundError:
                pass
        time.sleep(LOOK_S)
    raise RuntimeError(f"has not begun: {process.text}")


def await_end(process, since, seconds=ENDS_S):
    """Waits for the end; returns (exit status, seconds since `since`)."""
    status = process.end(max(0.01, seconds - (time.monotonic() - since)))
    return status, time.monotonic() - since


def until_result(attempt):
    """Calls attempt(seconds in which both ends work) until it does not complain that there is no result; returns the last complaints."""
    complaints = []
    for seconds in LONGER_S:
        complaints = attempt(seconds)
        if not any(NO_RESULT in c for c in complaints):
            break
    return complaints


def interrupt(row, victim, number, under_way_s):
    """The victim gets the signal while both ends work."""
    with Pair() as pair:
        port = free_port()
        server = pair.run("a", row, row.server, port).await_text(row.server_ready)
        time.sleep(LOOK_S)
        client = pair.run("b", row, row.client, port)
        if row.client_busy == "FILE":
            await_reading(client)
        else:
            client.await_text(row.client_busy)
        time.sleep(under_way_s)
        stops, stays = (server, client) if victim == "server" else (client, server)
        for p in (server, client):
            if p.child.poll() is not None:
                return [f"has ended before the signal: {p.text}"]
        began = time.monotonic()
        stops.child.send_signal(number)
        status, took = await_end(stops, began)
        complaints = [] if status == 128 + number else [f"{victim}: exit status {status} after {took:.1f} s: {tidy(stops.text)}"]
        if not re.search(rf"interrupted by {number.name}\n", stops.text):
            complaints.append(f"{victim} does not say that it was interrupted: {tidy(stops.text)}")
        result = row.server_result if victim == "server" else row.client_result
        if not re.search(result, stops.text, re.M):
            complaints.append(f"{NO_RESULT}: {victim} does not print '{result}': {tidy(stops.text)}")
        if row.farewell:
            complaints += survives(row, victim, stays, began)
        if os.path.exists(pair.path("memif.sock")):
            complaints.append("the socket file of the memif is left")
        return complaints


def survives(row, victim, stays, began):
    """The end that was not interrupted exits within ENDS_S and prints the reason."""
    status, took = await_end(stays, began)
    well = row.server_survives if victim == "client" else ""
    name = os.path.basename(row.path)
    if status == 0 and well and re.search(well, stays.text):
        return []
    said = re.search(rf"{name}: (?!listening|connected)", stays.text)
    return ([] if status == 1 else [f"the other end: exit status {status} after {took:.1f} s: {tidy(stays.text)}"]) + \
        ([] if said else [f"the other end does not say why it ends: {tidy(stays.text)}"])


def alone(path, words, side="a", number=signal.SIGINT, said=""):
    """Interrupts a tool without a second end: a tool of one process, or an end that waits for
    its peer."""
    with Rig(None, None, CATALOGUE) as rig:
        p = rig.start(side, os.path.join(BUILD, path), *words.split())
        if said:
            p.await_text(said)
        time.sleep(UNDER_WAY_S)
        began = time.monotonic()
        p.child.send_signal(number)
        status, took = await_end(p, began)
        left = [rig.path("memif.sock")] if os.path.exists(rig.path("memif.sock")) else []
        complaints = [] if status == 128 + number else [f"exit status {status} after {took:.1f} s: {tidy(p.text)}"]
        complaints += [] if f"interrupted by {number.name}\n" in p.text else [f"does not say so: {tidy(p.text)}"]
        return complaints + [f"{name} is left" for name in left]


def twice():
    """The server is stopped, so the client's batch does not end and the client waits for the batch after
    SIGINT. SIGTERM ends the client during that wait, with the exit status of SIGTERM. On a busy machine
    SIGTERM may come too soon after a late SIGINT, so that the tool ignores it, or when the client has given
    the batch up and ended. Then the test is repeated."""
    complaints = []
    for _ in range(TRIES):
        complaints = interrupt_twice(ROWS[0])
        if not complaints:
            break
    return complaints


def interrupt_twice(row):
    """Sends both signals; returns complaints about the exit status of the client."""
    with Pair() as pair:
        server = pair.run("a", row, row.server, 0).await_text(row.server_ready)
        client = pair.run("b", row, row.client, 0).await_text(row.client_busy)
        time.sleep(UNDER_WAY_S)
        server.child.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        client.child.send_signal(signal.SIGINT)
        time.sleep(SECOND_S)
        client.child.send_signal(signal.SIGTERM)
        status, took = await_end(client, began)
        server.child.send_signal(signal.SIGCONT)
        return [] if status == 128 + signal.SIGTERM else [f"exit status {status} after {took:.1f} s: {tidy(client.text)}"]


def unfinished(row, under_way_s):
    """The server is stopped, so the client's batch does not end; the client prints the row with the
    batches before it."""
    with Pair() as pair:
        server = pair.run("a", row, row.server, 0).await_text(row.server_ready)
        client = pair.run("b", row, row.client + f" --json {pair.path('json')}", 0).await_text(row.client_busy)
        time.sleep(under_way_s)
        server.child.send_signal(signal.SIGSTOP)
        time.sleep(UNDER_WAY_S)  # a batch that had ended when the server stopped is followed by another
        client.child.send_signal(signal.SIGINT)
        status, took = await_end(client, time.monotonic())
        server.child.send_signal(signal.SIGCONT)
        complaints = [] if status == 130 else [f"exit status {status} after {took:.1f} s: {tidy(client.text)}"]
        found = re.findall(row.client_result, client.text, re.M)
        complaints += [] if len(found) == 1 else [f"{len(found)} rows: {tidy(client.text)}"] if found else [f"{NO_RESULT}: {tidy(client.text)}"]
        with open(pair.path("json"), encoding="utf-8") as f:
            rows = json.load(f)["results"]
        return complaints + ([] if len(rows) == 1 and rows[0]["iterations"] > 0 else [f"JSON: {rows}"])


def checks():
    for row in ROWS:
        words = " ".join(w for w in row.client.split() if w.startswith("-") and w not in ("-p", "-c", "-s", "-a"))
        for victim, number in (("server", signal.SIGINT), ("client", signal.SIGTERM)):
            yield (f"{os.path.basename(row.path)} {words}: the {victim} gets {number.name}",
                   lambda r=row, v=victim, n=number: until_result(lambda seconds: interrupt(r, v, n, seconds)))
    servers = [(r.path, r.server.replace("PORT", "18999"), r.server_ready) for r in ROWS[:6] + ROWS[8:9]]
    for path, words, said in servers:
        yield f"{os.path.basename(path)}: a server without a client", lambda p=path, w=words, s=said: alone(p, w, said=s)
    yield "nd_udaddy: a server without a client", lambda: alone("tools/nd_udaddy", f"-b {HOST}", said="listening on")
    for name in ("ndmrlat", "ndmrrate"):
        yield name, lambda n=name: alone(f"tools/{n}", f"--iterations 1000000 {HOST}", said="Size")
    yield "a client without a server", lambda: alone("tools/ndping", f"-c {HOST}", side="b")
    yield "nd_rping, a client without a server", lambda: alone("tools/nd_rping", f"-c -a {HOST}", side="b")
    yield "a second signal", twice
    for row in ROWS[:4]:
        yield f"{os.path.basename(row.path)}: the client's batch does not end", lambda r=row: until_result(lambda seconds: unfinished(r, seconds))


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        wanted = sys.argv[3:]
        tap.run([(name, pool.submit(function).result) for name, function in checks() if not wanted or any(w in name for w in wanted)])
