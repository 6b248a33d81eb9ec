"""Two hosts joined by one wire, each with a softrnicd that several processes share."""
import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from daemon import GRACE_S, Daemon, case, wait_for, within_grace
from protocol import Client

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools")]
import tap  # noqa: E402
from rig import Process  # noqa: E402

FULL = "--tier" not in sys.argv or os.environ.get("SOFTRNIC_TIER") == "full"
KILLS = 1000 if FULL else 16
KILLERS = 4
RESTARTS = 200 if FULL else 10
CLIENTS, QPS = 64, 1024
HOSTILE = 5_000_000 if FULL else 100_000  # ring states of each of two processes
NEWS_S = 0.2  # 100 ms, and the period at which the adapter writes its log
NICE = -10  # of softrnicd.service
SEED = int(os.environ.get("SOFTRNIC_TEST_SEED", "1"))
WIRE = 'port = "memif"; socket = "{socket}"; role = "{role}"; mac = "02:00:00:00:07:0{n}"; mtu = 9000; {addresses}'
ADDRESSES = 'ipv4 = [ "192.0.2.{n}/24" ]; ipv6 = [ "2001:db8::{n}/64" ];'
CLIENT = ('adapters = ( {{ name = "shared"; port = "daemon"; socket = "{socket}"; {shards} }} );\n'
          'eal = {{ hugepages = "no"; }};\nlog = {{ level = "info"; }};\n')
TOOLS = {"nd_rping": "tools", "nd_xfer": "tools", "ndpingpong": "tools", "nd_write_bw": "perf", "nd_write_lat": "perf",
         "nd_send_bw": "perf", "nd_udaddy": "tools"}


class Host(Daemon):
    """A softrnicd with the address 192.0.2.N and 2001:db8::N, and programs that use it."""

    def __init__(self, build, n, wire, daemon="", addresses=ADDRESSES):
        super().__init__(build, daemon, WIRE.format(socket=wire, role="server" if n == 1 else "client", n=n,
                                                    addresses=addresses.format(n=n)))
        self.build, self.n, self.programs, self.serial = build, n, [], itertools.count()
        self.address, self.address6 = f"192.0.2.{n}", f"2001:db8::{n}"
        self.client_config("client")

    def client_config(self, name, shards="", more=""):
        path = os.path.join(self.folder, name + ".conf")
        pathlib.Path(path).write_text(CLIENT.format(socket=self.socket, shards=shards) + more, encoding="utf-8")

    def report(self):
        with Client(self.socket) as c:
            return c.show()[0]

    def port(self):
        return self.report()["port"]

    def clients(self):
        return [c["name"] for c in self.report()["clients"] if c["plugged"]]

    def run(self, tool, *words, config="client"):
        env = {**os.environ, "SOFTRNIC_CONFIG": os.path.join(self.folder, config + ".conf"),
               "SOFTRNIC_ND_CATALOG": os.path.join(self.build, "provider/nd.d")}
        path = os.path.join(self.build, TOOLS.get(tool, "tests/daemon"), tool)
        p = Process([path, *words], env, os.path.join(self.folder, f"{tool}{next(self.serial)}.log"))
        p.name = tool
        self.programs.append(p)
        return p

    def server(self, tool, *words, pattern="listening on port"):
        return self.run(tool, *words).await_text(pattern)

    def prefer(self):
        """Gives softrnicd the priority that its unit gives."""
        for thread in os.listdir(f"/proc/{self.child.pid}/task"):
            try:
                os.setpriority(os.PRIO_PROCESS, int(thread), NICE)
            except PermissionError as e:
                raise tap.Skip("raising the priority needs a capability") from e

    def crash(self):
        """Kills softrnicd and starts it again."""
        self.child.kill()
        self.child.wait()
        self.start()

    def __exit__(self, *what):
        for p in self.programs:
            if p.child.poll() is None:
                p.child.send_signal(signal.SIGCONT)
                p.kill()
        super().__exit__(*what)


@contextlib.contextmanager
def hosts(build, daemon="", addresses=ADDRESSES):
    """Two hosts whose wire is up. addresses: these and further keys of the adapters."""
    with tempfile.TemporaryDirectory(prefix="wire-") as folder:
        wire = os.path.join(folder, "wire.sock")
        with Host(build, 1, wire, daemon, addresses) as a, Host(build, 2, wire, daemon, addresses) as b:
            wait_for("the wire is up", lambda: a.port()["link_up"] and b.port()["link_up"])
            yield a, b


def failures(*programs, seconds=60):
    """Complaints about programs that do not end well."""
    return [f"{p.name} ended with {status}: {p.text[-1500:]}" for p in programs for status in [p.end(seconds)] if status != 0]


def be_patient(*of):
    """Lets the connections of programs that start later wait 70 s for a peer that is silent, instead of 4 s, which a busy machine or a
    restart may take."""
    for host in of:
        host.client_config("client", more="timers = { ack_timeout = 21; };\n")


def stand_still(*of):
    """Complaints about hosts whose clients do not go on exchanging frames with their peers. A connection that is patient does not end by
    itself when its frames are lost."""
    def frames(host):
        return {c["number"]: [c["counters"].get(way, 0) for way in ("rx_frames", "tx_frames")] for c in host.report()["clients"]}

    def go_on(host, before):
        now = frames(host)
        both = before.keys() & now.keys()
        return bool(both) and all(n > b + 100 for number in both for n, b in zip(now[number], before[number]))

    bad = []
    for host in of:
        before = frames(host)
        try:
            wait_for("all clients send and receive", lambda host=host, before=before: go_on(host, before))
        except RuntimeError as e:
            bad.append(f"host {host.n}: {e}: {before}, now {frames(host)}")
    return bad


def left_over(host):
    """Complaints about clients that are still there after the end of their processes."""
    try:
        wait_for("clients are gone", lambda: not host.clients())
    except RuntimeError:
        return [f"clients are left: {host.clients()}"]
    return []


def rings(a, b, port, *words, rounds=200, address=None):
    """A server on a and a client on b that compare their data."""
    address = address or a.address
    s = a.server("nd_rping", "-s", "-a", address, "-p", str(port), "-V")
    return s, b.run("nd_rping", "-c", "-a", address, "-p", str(port), "-V", "-C", str(rounds), *words)


@case
def six_processes_share_two_ports(build):
    with hosts(build) as (a, b):
        programs = list(rings(a, b, 7201, "-S", "50000"))
        programs += [a.server("nd_write_bw", "-R", "-p", "7202", "-n", "2000", pattern="Waiting"),
                     a.server("ndpingpong", "-s", "--iterations", "20", f"{a.address}:7203", pattern="listening on"),
                     b.run("nd_write_bw", "-R", "-p", "7202", "-n", "2000", a.address),
                     b.run("ndpingpong", "-c", "--iterations", "20", f"{a.address}:7203")]
        return failures(*programs)


@case
def processes_of_one_host_reach_each_other(build):
    with hosts(build) as (a, _):
        bad = failures(*rings(a, a, 7204, "-S", "20000"))
        bad += failures(*rings(a, a, 7205, "-S", "20000", address=a.address6))
        wire = a.port()["counters"]
        if wire.get("tx_frames", 0) > 100:
            bad.append(f"frames have gone to the wire: {wire}")
        return bad


@case
def ipv6_passes(build):
    with hosts(build) as (a, b):
        return failures(*rings(a, b, 7206, "-S", "20000", address=a.address6))


@case
def a_port_in_a_vlan_is_shared(build):
    with hosts(build, addresses=ADDRESSES + ' vlan_id = 7;') as (a, b):
        bad = failures(*rings(a, b, 7207, "-S", "30000"), *rings(a, b, 7208, address=a.address6), *rings(a, a, 7209))
    with hosts(build, addresses=ADDRESSES + ' vlan_id = {n};') as (a, b):  # frames of other VLANs are not taken
        _, client = rings(a, b, 7207)
        return bad + ([] if client.end(30) else ["two VLANs are connected"])


@case
def a_port_with_several_addresses_is_shared(build):
    with hosts(build, addresses='ipv4 = [ "192.0.2.{n}/24", "198.51.100.{n}/24" ]; ipv6 = [ "2001:db8::{n}/64" ];') as (a, b):
        return failures(*rings(a, b, 7210), *rings(a, b, 7211, address="198.51.100.1"), *rings(a, b, 7210, address="198.51.100.1"))


@case
def a_port_without_ipv4_is_shared(build):
    with hosts(build, addresses='ipv6 = [ "2001:db8::{n}/64" ];') as (a, b):
        return failures(*rings(a, b, 7212, "-S", "30000", address=a.address6), *rings(a, a, 7213, address="2001:db8::1"))


@case
def datagrams_and_connections_without_the_cm_pass(build):
    """A datagram service, and perftest over TCP: a strict daemon has to be told about its queue pairs."""
    with hosts(build) as (a, b):
        datagrams = [a.run("nd_udaddy", "-b", a.address, "-c", "4").await_text("listening|waiting|up:"),
                     b.run("nd_udaddy", "-s", a.address, "-c", "4")]
        bad = failures(*datagrams)
        for kind in ("RC", "UC", "UD"):
            words = ("-c", kind, "-p", "7215", "-n", "500", "-s", "1024")
            bad += failures(a.server("nd_send_bw", *words, pattern="Waiting"), b.run("nd_send_bw", *words, "127.0.0.1"))
        refused = b.port()["counters"]["outcomes"].get("CLIENT_PAIR", 0) + sum(
            c["counters"]["outcomes"].get("CLIENT_PAIR", 0) for c in b.report()["clients"])
        return bad + ([f"the switch has refused {refused} frames"] if refused else [])


@case
def a_process_without_a_configuration_finds_the_daemon(build):
    with hosts(build) as (a, _):
        bad = []
        for path, wanted in ((a.socket, "192.0.2.1"), (a.socket + "x", "2001:db8::2")):
            env = {**os.environ, "SOFTRNIC_DAEMON": path, "SOFTRNIC_ND_CATALOG": os.path.join(build, "provider/nd.d")}
            env.pop("SOFTRNIC_CONFIG", None)
            done = subprocess.run([os.path.join(build, "tools/ndadapterinfo")], env=env, capture_output=True, text=True,
                                  timeout=30, check=False)
            if done.returncode != 0 or wanted not in done.stdout:
                bad.append(f"{path}: {done.returncode} {done.stdout} {done.stderr}")
        return bad


@case
def a_program_starts_while_the_daemon_restarts(build):
    with hosts(build) as (a, b):
        a.stop(signal.SIGUSR1)
        a.client_config("client", "daemon_wait_ms = 20000;")  # softrnicd may take some seconds to start
        server = a.run("nd_rping", "-s", "-a", a.address, "-p", "7218", "-V")
        time.sleep(0.5)
        a.start()
        server.await_text("listening on port", 60)
        bad = failures(server, b.run("nd_rping", "-c", "-a", a.address, "-p", "7218", "-V", "-C", "20"))
        a.client_config("hasty", "daemon_wait_ms = 0;")
        a.stop()
        began = time.monotonic()
        hasty = a.run("nd_rping", "-s", "-a", a.address, "-p", "7219", config="hasty")
        status = hasty.end(20)
        if status != 1 or "no softrnicd answers" not in hasty.text:
            bad.append(f"without a daemon: {status} after {time.monotonic() - began:.1f} s: {hasty.text}")
        return bad


@case
def the_end_of_the_daemon_removes_the_adapters(build):
    """SIGTERM ends connections, and the daemon that is started later does not take the old clients."""
    with hosts(build) as (a, b):
        server, client = rings(a, b, 7216, rounds=0)
        server.await_text("connection .* made", 20)
        a.stop()
        bad = [] if client.end(20) == 1 else [client.text]
        a.start()
        if server.end(20) != 1:
            bad.append(f"the client of the ended daemon has not ended: {server.text}")
        return bad + failures(*rings(a, b, 7217))


@case
def two_shards_share_a_port(build):
    with hosts(build) as (a, b):
        for h in (a, b):
            h.client_config("client", shards="shards = 2;")
        return failures(*(p for port in (7207, 7208, 7209) for p in rings(a, b, port, "-S", "20000")))


@case
def eight_shards_share_a_port(build):
    """A client has 65,536 numbers of queue pairs in all, and its driver 8 pairs of queues: what does not fit is explained."""
    with hosts(build) as (a, b):
        for h in (a, b):
            h.client_config("client", shards="shards = 8;", more="limits = { max_qp = 8192; };\n")
        bad = failures(*rings(a, b, 7224, "-S", "20000"))
        for shards, sentence in ((5, "has room for 13106 queue pairs on each of 5 shards"), (9, "found 9 shards .* at most 8")):
            a.client_config("more", shards=f"shards = {shards};")
            p = a.run("nd_rping", "-s", "-a", a.address, "-p", "7225", config="more")
            if p.end(20) != 1 or not re.search(sentence, p.text):
                bad.append(f"{shards} shards: {p.text}")
        return bad


@case
def a_port_number_is_taken_once(build):
    with hosts(build) as (a, b):
        first = a.server("nd_rping", "-s", "-a", a.address, "-p", "7210", "-P")
        second = a.run("nd_rping", "-s", "-a", a.address, "-p", "7210")
        status = second.end(20)
        bad = [] if status == 1 and "in use" in second.text else [f"{status}: {second.text}"]
        first.kill(signal.SIGTERM)
        return bad + failures(*rings(a, b, 7210))  # the port number is free again


@case
def nobody_listens(build):
    with hosts(build) as (a, b):
        began = time.monotonic()
        c = b.run("nd_rping", "-c", "-a", a.address, "-p", "7211")
        status = c.end(20)
        took = time.monotonic() - began
        return [] if status == 1 and "refused" in c.text and took < 15 else [f"{status} after {took:.1f} s: {c.text}"]


@case
def a_stopped_process_does_not_hold_up_others(build):
    with hosts(build) as (a, b):
        stopped = rings(a, b, 7212, "-S", "30000", rounds=0)
        time.sleep(0.3)
        stopped[0].child.send_signal(signal.SIGSTOP)
        bad = failures(*rings(a, b, 7213, "-S", "30000"))
        stopped[0].child.send_signal(signal.SIGCONT)
        for p in reversed(stopped):
            p.kill(signal.SIGTERM)
        return bad


@case
def a_stopped_daemon_is_waited_for(build):
    """As in a debugger: connections go on afterwards, and a process that starts meanwhile ends soon and says why."""
    with hosts(build) as (a, b):
        be_patient(a, b)
        pair = rings(a, b, 7219, "-S", "30000", rounds=0)
        pair[0].await_text("connection .* made", 20)
        a.kill(signal.SIGSTOP)
        began = time.monotonic()
        late = a.run("nd_rping", "-s", "-a", a.address, "-p", "7220")
        status, took = late.end(20), time.monotonic() - began
        bad = [] if status == 1 and "no softrnicd answers" in late.text else [f"{status} after {took:.1f} s: {late.text}"]
        a.kill(signal.SIGCONT)
        bad += failures(*rings(a, b, 7221)) + stand_still(a, b)
        bad += [f"{p.name} has ended: {p.text[-600:]}" for p in pair if p.child.poll() is not None]
        for p in reversed(pair):
            p.kill(signal.SIGTERM)
        return bad


def hang_at_restart(build):
    """Returns complaints, and how long after its restart the daemon has answered its client."""
    with hosts(build) as (a, b):
        be_patient(a, b)
        pair = rings(a, b, 7222, "-S", "30000", rounds=0)
        pair[0].await_text("connection .* made", 20)
        pair[0].child.send_signal(signal.SIGSTOP)  # so that it does not come back yet
        began = time.monotonic()
        a.crash()
        a.kill(signal.SIGSTOP)
        pair[0].child.send_signal(signal.SIGCONT)
        time.sleep(3)
        a.kill(signal.SIGCONT)
        a.report()  # the client's request was in its socket before this one, and so is answered before
        took, bad = time.monotonic() - began, []
        if took >= GRACE_S:
            return bad, took
        try:
            wait_for("the client is back", a.clients)
        except RuntimeError as e:
            bad.append(f"{e}: {pair[0].text[-600:]}")
        bad += failures(*rings(a, b, 7223)) + stand_still(a, b)
        bad += [f"{p.name} has ended: {p.text[-600:]}" for p in pair if p.child.poll() is not None]
        for p in reversed(pair):
            p.kill(signal.SIGTERM)
        return bad, took


@case
def a_daemon_that_hangs_at_its_restart_gets_its_clients_back(build):
    """When the daemon goes on, it finds one request of each client in the socket, and the clients are still there to take the answers."""
    return within_grace(lambda: hang_at_restart(build))


def kill_one(a, b, port, rng):
    """Kills one process of a pair; returns after how many seconds its peer's connection ended, and complaints."""
    server, client = rings(a, b, port, "-S", "3000", rounds=0)
    server.await_text("connection .* made", 20)
    time.sleep(rng.random() / 10)
    victim, peer = (server, client) if rng.random() < 0.5 else (client, server)
    killed = time.monotonic()
    victim.kill()
    try:
        wait_for("the peer's connection ends", lambda: re.search(" ended|served|cancelled", peer.text), 30)
        bad = []
    except RuntimeError as e:
        bad = [f"{e}: {peer.text[-400:]}"]
    took = time.monotonic() - killed
    peer.end(10)
    return took, bad


def kill_many(a, b, rounds):
    """Kills `rounds` processes, of several pairs at a time, because most of a round is starting and ending."""
    def worker(k):
        rng = random.Random(SEED + k)
        return [kill_one(a, b, 7222 + k, rng) for _ in range(rounds // KILLERS)]

    with concurrent.futures.ThreadPoolExecutor(KILLERS) as pool:
        done = [d for part in pool.map(worker, range(KILLERS)) for d in part]
    return [took for took, _ in done], [text for _, bad in done for text in bad]


@case
def connections_of_a_killed_process_end_at_the_peer(build):
    """Busy processes are killed again and again. The connections of their peers end at once, and another busy process loses nothing."""
    with hosts(build) as (a, b):
        be_patient(a, b)  # so that only a message of the daemon ends the connection of a peer
        others = rings(a, b, 7220, "-S", "3000", rounds=0)
        _, bad = kill_one(a, b, 7221, random.Random(SEED))
        fds = a.settled()
        news, more = kill_many(a, b, KILLS)
        bad += more
        # A busy machine may let some processes wait for their turn, so the median is judged.
        print(f"# {len(news)} connections ended after {statistics.median(news) * 1000:.1f} ms, the slowest after {max(news) * 1000:.1f} ms")
        if statistics.median(news) > NEWS_S:
            bad.append(f"connections of peers ended too late: {sorted(news)}")
        bad += a.leaks(fds) + stand_still(a, b)
        bad += [f"the other process has ended: {p.text[-400:]}" for p in others if p.child.poll() is not None]
        others[1].kill(signal.SIGTERM)
        bad += [t for t in [others[0].text] if "differ" in t]
        others[0].end(10)
        return bad + left_over(a)


@case
def connections_outlive_the_daemon(build):
    """Both daemons are killed and started again under traffic; all data is compared."""
    with hosts(build) as (a, b):
        be_patient(a, b)
        pairs = [rings(a, b, 7230 + i, "-S", "20000", rounds=0) for i in range(2)]
        pairs.append(rings(b, a, 7232, "-S", "100", rounds=0))
        for server, _ in pairs:
            server.await_text("connection .* made", 20)
        rng = random.Random(SEED)
        bad = []
        for i in range(RESTARTS):
            time.sleep(0.2 + rng.random() / 2)
            h = rng.choice((a, b))
            h.crash()
            try:
                wait_for("clients are back", lambda h=h: len(h.clients()) == 3)
            except RuntimeError as e:
                return [f"restart {i}: {e}: {h.report()['clients']}", h.text[-1500:]] + [p.text[-900:] for p in h.programs]
            time.sleep(0.1)
            # Clients announce their addresses, which the switch drops (CLIENT_KIND).
            refused = [c["counters"]["outcomes"] for c in h.report()["clients"]
                       if any(o.startswith("CLIENT_") and o != "CLIENT_KIND" for o in c["counters"]["outcomes"])]
            if refused:
                return [f"restart {i}: frames of clients that are back are refused: {refused}"]
            dead = [p for pair in pairs for p in pair if p.child.poll() is not None]
            if dead:
                return [f"restart {i}: {p.text[-600:]}" for p in dead]
        bad += stand_still(a, b)
        bad += failures(*rings(a, b, 7240))  # the restarted daemons take new clients
        for _, client in pairs:
            client.kill(signal.SIGTERM)
            if "differ" in client.text:
                bad.append(client.text[-300:])
        return bad


@case
def many_clients_get_equal_shares(build):
    """All clients of one host send as fast as they may for some seconds; the daemon counts what each has sent. The daemons run first,
    as with their unit. The programs sleep while they wait, because 128 of them share the CPUs."""
    if not FULL:
        raise tap.Skip("takes minutes")
    with hosts(build, "clients = 254;") as (a, b):
        for host in (a, b):
            host.prefer()
        words = ("-R", "-e", "-q", str(QPS // CLIENTS), "-s", "4096", "-t", "4", "-D", "60", "-f", "1")
        servers = [a.server("nd_write_bw", *words, "-p", str(7300 + i), pattern="Waiting") for i in range(CLIENTS)]
        senders = [b.run("nd_write_bw", *words, "-p", str(7300 + i), a.address) for i in range(CLIENTS)]
        wait_for("all clients send", lambda: sum(c["counters"].get("tx_frames", 0) > 1000 for c in b.report()["clients"]) == CLIENTS, 120)
        first, second = (dict((c["number"], c["counters"]["rx_bytes"]) for c in b.report()["clients"]) for _ in range(2) if not time.sleep(10))
        sent = sorted(second[n] - first[n] for n in second)
        mean = sum(sent) / len(sent)
        print(f"# {CLIENTS} clients, {QPS} queue pairs: least {sent[0] / mean:.2f}, most {sent[-1] / mean:.2f} of the mean")
        bad = [] if sent[0] > 0.8 * mean and sent[-1] < 1.2 * mean else [f"shares differ: {sent}"]
        for p in senders + servers:
            p.kill(signal.SIGTERM)
        return bad


@case
def a_hostile_process_costs_itself_only(build):
    with hosts(build, "clients = 254;") as (a, b):
        times = []

        def play():
            start = time.monotonic()
            found = failures(*rings(a, b, 7250, "-S", "3000", rounds=500), seconds=30)
            times.append(time.monotonic() - start)
            return found

        bad = play()  # librte_vhost keeps a pipe from its first device on
        fds = a.settled()
        hostile = [a.run("hostile", a.socket, str(SEED + i), str(HOSTILE)) for i in range(2)]
        while not bad and any(p.child.poll() is None for p in hostile):
            bad += play()
        for p in hostile:
            status = p.end(5)
            if status != 0 and not bad:
                bad.append(f"hostile: {status}: {p.text}")
        if len(times) < 2:
            bad.append("the hostile processes have ended too early")
        else:
            print(f"# 500 rounds took {times[0]:.2f} s alone, beside hostile processes {statistics.median(times[1:]):.2f} s (median of "
                  f"{len(times) - 1}), at most {max(times[1:]):.2f} s")
        return bad + left_over(a) + a.leaks(fds)
