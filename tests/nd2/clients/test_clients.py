"""usage: test_clients.py CATALOGUE NAME=PROGRAM...

Runs the conversation of conversation.h between two processes on one memif, with each program as
server and each as client; prints TAP."""
import functools
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [TESTS, os.path.join(TESTS, "tools")]
import rig  # noqa: E402
import tap  # noqa: E402


def talk(catalogue, server, client):
    with rig.Rig(None, None, catalogue) as r:
        s = r.start("a", server, "-s", "192.0.2.1", "0").await_text(r"listening on port \d+\n")
        port = s.text.split()[-1]
        status, said = r.client("192.0.2.1", port, tool=client)
        ends = {"client": (status, said), "server": (s.end(), s.text)}
    return [f"{who}: exit status {status}: {said}" for who, (status, said) in ends.items()
            if status != 0 or not said.endswith("all is well\n")]


def main():
    programs = dict(word.split("=", 1) for word in sys.argv[2:])
    tap.run([(f"{server}_serves_{client}", functools.partial(talk, sys.argv[1], programs[server], programs[client]))
             for server in programs for client in programs])


main()
