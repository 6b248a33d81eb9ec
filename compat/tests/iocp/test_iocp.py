"""usage: test_iocp.py CATALOGUE PROGRAM

Runs the server of iocp/ and its load in two processes over one memif: to the end, and with the server stopped in between.
Prints TAP."""
import os
import re
import signal
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
TESTS = os.path.join(ROOT, "tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "tools")]
import rig  # noqa: E402
import tap  # noqa: E402

CONNECTIONS, ROUNDS, PAGES = 200, 10, 2000
ASKED = CONNECTIONS * (ROUNDS + 3)  # requests of all connections: ROUNDS inversions, a lease, an add, a return
LISTENING = r"listening at (192\.0\.2\.1:\d+)\n"
END_S = 60  # seconds until a program must end; the program itself waits for half a minute


class Service(rig.Rig):
    def __init__(self):
        super().__init__(None, None, sys.argv[1])

    def serve(self):
        """Returns (server process, the address at which it listens)."""
        p = self.start("a", sys.argv[2], "-s", "192.0.2.1:0", "-p", str(PAGES)).await_text(LISTENING)
        return p, re.search(LISTENING, p.text).group(1)

    def load(self, where, rounds):
        return self.start("b", sys.argv[2], "-c", where, "-n", str(CONNECTIONS), "-r", str(rounds))


def ended(name, process, status, *said):
    got = process.end(END_S)
    return ([f"{name}: exit status {got}: {process.text}"] if got != status else
            [f"{name} does not say '{s}' but: {process.text}" for s in said if s not in process.text])


def served():
    with Service() as r:
        server, where = r.serve()
        bad = ended("load", r.load(where, ROUNDS), 0, f"connected {CONNECTIONS}\n", f"{ASKED} requests, ", "all is well\n")
        server.child.send_signal(signal.SIGINT)
        return bad + ended("server", server, 0, f"{PAGES} pages of 4096 bytes registered",
                           f"accepted {CONNECTIONS}, refused 1, at once {CONNECTIONS}, left 0, lost pages 0\n",
                           f"requests {ASKED}, bytes {512 * ASKED}, ")


def stopped_under_load():
    with Service() as r:
        server, where = r.serve()
        load = r.load(where, 1000000).await_text(f"connected {CONNECTIONS}\n")
        time.sleep(1)
        server.child.send_signal(signal.SIGINT)
        return (ended("server", server, 0, f"accepted {CONNECTIONS}, ", "left 0, lost pages 0\n") +
                ended("load", load, 1, "connections lost\n"))


tap.run([("served", served), ("stopped_under_load", stopped_under_load)])
