"""usage: test_rping_server.py FOLDER CATALOGUE

Prints TAP: nd_rping -P in FOLDER serves several clients at a time, whose adapters are on a
bridge."""
import os
import re
import signal
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import nd_pair  # noqa: E402
from rig import Process, Rig  # noqa: E402

RPING = os.path.join(nd_pair.FOLDER, "nd_rping")
CLIENTS = 3
ROUNDS = 20
ENDS_S = 15
SERVER = {4: "192.0.2.1", 6: "2001:db8::1"}


class Bridge(Rig):
    """The adapters of a server and of CLIENTS clients, each on a port of a bridge. Host 1 is the
    server."""

    def __init__(self):
        super().__init__(None, None, nd_pair.CATALOGUE)

    def __enter__(self):
        super().__enter__()
        nd_pair.ip("link add rbr type bridge")
        nd_pair.ip("link set rbr up mtu 9000")
        for host in range(1, CLIENTS + 2):
            nd_pair.ip(f"link add rv{host} index {nd_pair.FAR_APART * (200 + host)} mtu 9000 type veth peer name rp{host} mtu 9000")
            nd_pair.ip(f"link set rp{host} master rbr")
            for name in ("rv", "rp"):
                with open(f"/proc/sys/net/ipv6/conf/{name}{host}/disable_ipv6", "w", encoding="ascii") as f:
                    f.write("1")
                nd_pair.ip(f"link set {name}{host} up")
            with open(self.path(f"{host}.conf"), "w", encoding="utf-8") as f:
                f.write(f'adapters = ({{ name = "h{host}"; port = "af_packet"; iface = "rv{host}"; mtu = 9000;'
                        f' ipv4 = [ "192.0.2.{host}/24" ]; ipv6 = [ "2001:db8::{host}/64" ]; }});\n'
                        'idle = { policy = "inline"; };\n')
        return self

    def __exit__(self, *what):
        super().__exit__(*what)
        for host in range(1, CLIENTS + 2):
            nd_pair.ip(f"link del rv{host}")
        nd_pair.ip("link del rbr")

    def run(self, host, *words):
        env = dict(self.env, SOFTRNIC_CONFIG=self.path(f"{host}.conf"))
        p = Process([RPING, *words], env, self.path(f"{len(self.processes)}.log"))
        self.processes.append(p)
        return p


def persistent():
    """Clients connect one after the other and at the same time, and one is killed; the server
    exits at SIGINT."""
    complaints = []
    with Bridge() as net:
        server = net.run(1, "-s", "-P", "-a", SERVER[4]).await_text("listening on port")
        # Connected during the whole test.
        lasting = net.run(2, "-c", "-a", SERVER[4], "-C", "0", "-v").await_text("ping data")
        dying = net.run(3, "-c", "-a", SERVER[4], "-C", "0", "-v").await_text("ping data")
        for size in (64, 65535):
            short = net.run(4, "-c", "-a", SERVER[4], "-C", str(ROUNDS), "-S", str(size), "-V")
            status = short.end()
            if status or f"{ROUNDS} rounds of {size} bytes, data compared" not in short.text:
                complaints.append(f"a client beside two others: exit status {status}: {short.text[-300:]}")
        dying.kill()
        if lasting.child.poll() is not None or server.child.poll() is not None:
            complaints.append(f"did not last: {server.text[-300:]} {lasting.text[-300:]}")
        server.child.send_signal(signal.SIGINT)
        status = server.end(ENDS_S)
        if status != 130 or server.text.count(f"served {ROUNDS} rounds\n") != 2:
            complaints.append(f"the server: exit status {status}: {server.text}")
        status = lasting.end(ENDS_S)
        if status != 1 or not re.search("nd_rping: .*connection ended", lasting.text):
            complaints.append(f"the client of a server that ends: exit status {status}: {lasting.text[-300:]}")
    return complaints


def no_number():
    """-C 0 means no limit of rounds, at both ends; the server has the same default."""
    with Bridge() as net:
        server = net.run(1, "-s", "-C", "0", "-a", SERVER[4]).await_text("listening on port")
        # Round 11: a client without -C would end before.
        client = net.run(2, "-c", "-C", "0", "-v", "-a", SERVER[4]).await_text("ping data: rdma-ping-11:")
        client.child.send_signal(signal.SIGINT)
        ended = client.end(ENDS_S), server.end(ENDS_S)
        served = re.search(r"served (\d+) rounds\n", server.text)
        # The server ends with 1 when the client leaves in the middle of a round.
        if ended[0] == 130 and ended[1] in (0, 1) and served and int(served[1]) > 10:
            return []
        return [f"exit status {ended}: {client.text[-300:]}", server.text]


if __name__ == "__main__":
    nd_pair.run([("a persistent server, several clients", persistent), ("-C 0", no_number)], at_once=1)
