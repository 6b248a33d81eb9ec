"""Checks of the customary ND tools, which run as a server and a client process over memif, and
over af_packet on a veth pair. A tool is a row (Tool); the functions here check what each row
must do. A test file has rows and further checks."""
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import time
from typing import NamedTuple

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from rig import Rig  # noqa: E402
import tap  # noqa: E402

PORTS = ("memif", "af_packet")
ADDRESSES = {4: "192.0.2.1", 6: "[2001:db8::1]"}
AT_ONCE = 8  # number of checks in parallel, which wait most of the time
IMPATIENT = ["--timeout", "2"]
FAR_APART = 4096
RUNS_ON = r"^Runs on \d+ CPUs?, load \d+\.\d, {}, MTU 9000, idle policy inline, with(?:out)? hugepages$"
# Seconds in which an end exits after its peer has gone: all retransmissions, on a busy machine.
LEAVES_S = 15

FOLDER, CATALOGUE = sys.argv[1:3]
veth_number = itertools.count()


class Tool(NamedTuple):
    """A tool of two processes. Words are command line arguments."""
    name: str
    quick: list             # the client's words for a run of about a second
    long: list              # the client's words for a run of a minute, always with data in flight
    client_says: str        # regular expression for the client's output after a quick run
    server_says: str        # regular expression for the server's output after a quick run
    tampered: tuple = ("client", "server")  # the ends that send data which the other end checks
    tamper: list = None     # the client's words for a run with tampered data; None: quick
    server: list = ()       # further words of the server in every run


class Pair(Rig):
    """A rig whose side a is the server and side b the client, over this kind of port."""

    def __init__(self, port):
        super().__init__(None, None, CATALOGUE)
        self.port, self.veth = port, None

    def __enter__(self):
        if self.port == "af_packet":
            n = next(veth_number)
            self.veth = f"nd{n}"
            # DPDK derives the id of a packet fanout group from process id xor interface index.
            # Indices that are FAR_APART prevent processes with close ids from having the same
            # group.
            ip(f"link add {self.veth}a index {FAR_APART * (2 * n + 1)} mtu 9000 type veth"
               f" peer name {self.veth}b index {FAR_APART * (2 * n + 2)} mtu 9000")
            for side in "ab":
                with open(f"/proc/sys/net/ipv6/conf/{self.veth}{side}/disable_ipv6", "w", encoding="ascii") as f:
                    f.write("1")
                ip(f"link set {self.veth}{side} up")
        return super().__enter__()

    def __exit__(self, *what):
        super().__exit__(*what)
        if self.veth:
            ip(f"link del {self.veth}a")

    def write_config(self, side, **keys):
        if self.port == "af_packet":
            keys = {"port": "af_packet", "iface": self.veth + side, "socket": None, "role": None, **keys}
        super().write_config(side, **keys)

    def run(self, side, tool, *words):
        return self.start(side, os.path.join(FOLDER, tool), *words)

    def serve(self, tool, *words, address=ADDRESSES[4]):
        return self.run("a", tool, "-s", *words, address).await_text("listening on")

    def both(self, tool, server_words, client_words, address=ADDRESSES[4]):
        """((status, text) of the server, of the client)"""
        server = self.serve(tool, *server_words, address=address)
        client = self.run("b", tool, "-c", *client_words, address)
        status = client.end()
        return (server.end(LEAVES_S), server.text), (status, client.text)


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def unlike(pattern, text):
    """Complains unless the text matches. The lines about the machine are removed first: they
    differ from run to run."""
    text = re.sub(r"^(Runs on \d|Warning: \d).*\n", "", text, flags=re.M)
    return [] if re.search(pattern, text, re.S) else [f"is not like '{pattern}': {text}"]


def failures(*ends):
    """Complains about each (status, text) of a process whose exit status is not 0."""
    return [f"exit status {status}: {text}" for status, text in ends if status != 0]


def good_run(tool, port, words=(), server_words=(), version=4, number=""):
    """Both ends succeed and print what the row expects. `words` follow the quick words and may
    override them."""
    with Pair(port) as pair:
        server, client = pair.both(tool.name, [*tool.server, *server_words], [*tool.quick, *words], ADDRESSES[version] + number)
        return (failures(server, client) or
                ([] if len(re.findall(RUNS_ON.format(port), client[1], re.M)) == 1 else [f"what it runs on: {client[1]}"]) +
                unlike(tool.client_says, client[1]) + unlike(tool.server_says, server[1]) + unlike(r"listening on \S+:\d+\n", server[1]))


def wrong_byte(tool, port, culprit):
    """The impairment changes a bit in some frames of one end (culprit): both ends fail, and the other
    end prints which byte is wrong. By chance the bit may be in a control message of the tool,
    which is refused with another text; so up to three attempts, with 1, 2 and 3 % of the frames."""
    said = []
    for attempt in (1, 2, 3):
        with Pair(port) as pair:
            pair.write_config("b" if culprit == "client" else "a", impair=f"tamper = {attempt};")
            words = tool.quick if tool.tamper is None else tool.tamper
            server, client = pair.both(tool.name, [*tool.server, *IMPATIENT], [*words, *IMPATIENT])
            if server[0] != 1 or client[0] != 1:
                return [f"exit status of server and client {server[0]}, {client[0]}", *server[1:], *client[1:]]
            said += [server[1] if culprit == "client" else client[1]]
            if re.search(r"wrong data: byte \d+ of .* is 0x\w\w instead of 0x\w\w", said[-1]):
                return []
    return ["nobody says that data is wrong", *said]


def killed(tool, port, victim):
    """One end is killed while data is in flight: the other end fails within LEAVES_S and prints
    a message."""
    with Pair(port) as pair:
        server = pair.serve(tool.name, *tool.server, *IMPATIENT)
        client = pair.run("b", tool.name, "-c", *tool.long, *IMPATIENT, ADDRESSES[4])
        client.await_text("Size" if victim else "")
        time.sleep(0.3)
        dies, stays = (server, client) if victim == "server" else (client, server)
        if dies.child.poll() is not None:
            return [f"has ended before it is killed: {dies.text}"]
        dies.kill()
        status = stays.end(LEAVES_S)
        return ([] if status == 1 else [f"exit status {status}: {stays.text}"]) + unlike(rf"{tool.name}: .+", stays.text)


def nobody_there(tool, port):
    with Pair(port) as pair:
        server = pair.serve(tool.name, *tool.server)
        client = pair.run("b", tool.name, "-c", "192.0.2.1:4000")
        status = client.end(LEAVES_S)
        server.kill()
        return ([] if status == 1 else [f"exit status {status}"]) + unlike("Connect: .*refused", client.text)


def another_tool(tool, other, port="memif"):
    """A client of this tool connects to a server of another tool: both fail, and the server
    prints why."""
    with Pair(port) as pair:
        server = pair.serve(other.name, *other.server, address=ADDRESSES[4] + ":4001")
        client = pair.run("b", tool.name, "-c", *IMPATIENT, ADDRESSES[4] + ":4001")
        status, ended = client.end(LEAVES_S), server.end(LEAVES_S)
        return ([] if (status, ended) == (1, 1) else [f"exit status {status}, {ended}"]) + \
            unlike("another program", server.text) + unlike(rf"{tool.name}: .+", client.text)


# Wrong arguments of every tool of two processes, and a part of the message about each.
WRONG_WORDS = (
    ("", "give either -s or -c"), ("192.0.2.1", "give either -s or -c"), ("-s -c 192.0.2.1", "either -s or -c"),
    ("-s", "an address is wanted"), ("-s -b -p 192.0.2.1", "-b and -p exclude each other"),
    ("-s hello", "'hello' is neither"), ("-s 192.0.2.1:", "neither"), ("-s 192.0.2.1:0", "neither"),
    ("-s 192.0.2.1:65536", "neither"), ("-s 192.0.2.1:80x", "neither"), ("-s [192.0.2.1]:80", "neither"),
    ("-s [2001:db8::1", "neither"), ("-s [2001:db8::1]80", "neither"), ("-s 192.0.2.1 192.0.2.2", "one address is enough"),
    ("-x 192.0.2.1", "unknown option '-x'"), ("--sink 192.0.2.1", "unknown option '--sink'"), ("-server 192.0.2.1", "unknown option"),
    ("--server=yes 192.0.2.1", "--server takes no value"), ("-s 192.0.2.1 --timeout", "--timeout wants a value"),
    ("-s --timeout 0 192.0.2.1", "from 1 to 3600"), ("-s --timeout -1 192.0.2.1", "from 1 to 3600"),
    ("-s --timeout 1h 192.0.2.1", "from 1 to 3600"), ("-s --timeout 99999999999999999999 192.0.2.1", "from 1 to 3600"),
    ("-s -q 0 192.0.2.1", "--pipeline '0'"), ("-s -l /nonexistent/log 192.0.2.1", "/nonexistent/log: No such file"),
)
# Wrong arguments of the tools with options about messages, and a part of the message about each.
WRONG_MESSAGES = (
    ("-s -n 0 192.0.2.1", "--sge '0'"), ("-s --size 0 192.0.2.1", "A or A:B"), ("-s --size 2:1 192.0.2.1", "A or A:B"),
    ("-s --size 1: 192.0.2.1", "A or A:B"), ("-s --size 2g 192.0.2.1", "A or A:B"), ("-s --size 1:2:3 192.0.2.1", "A or A:B"),
    ("-s --size 5000000000 192.0.2.1", "A or A:B"), ("-s --seed x 192.0.2.1", "--seed 'x'"),
)


def ends_at_once(name, words, env=None):
    p = subprocess.run([os.path.join(FOLDER, name), *words], capture_output=True, text=True, timeout=20, check=False,
                       env={**os.environ, "SOFTRNIC_ND_CATALOG": CATALOGUE, **(env or {})})
    return p.returncode, p.stdout, p.stderr


def wrong_words(name, rows):
    complaints = []
    for words, sentence in rows:
        status, said, complaint = ends_at_once(name, words.split())
        if status != 2 or said or sentence not in complaint or len(complaint.splitlines()) > 2 or name not in complaint:
            complaints.append(f"'{words}': exit status {status}: {said}{complaint}")
    return complaints


def helps(name, *options):
    """All spellings of --help print the same text, which contains these options."""
    answers = [ends_at_once(name, [word]) for word in ("--help", "-h", "-?", "/?", "/h", "--HELP")]
    complaints = [f"has no {o}" for o in options if not re.search(rf"(?<![\w-]){re.escape(o)}(?!\w)", answers[0][1])]
    return complaints + [str(a) for a in answers if a != answers[0] or a[0] != 0 or f"usage: {name} " not in a[1]]


def json_rows(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def checks_of(tool, other):
    """Yields the checks of every tool of two processes, most of them over both kinds of port, as
    (name, function)."""
    for port in PORTS:
        yield f"{tool.name} over {port}, polling", lambda p=port: good_run(tool, p)
        yield f"{tool.name} over {port}, blocking, IPv6", lambda p=port: good_run(tool, p, ["-b"], ["-b"], 6, ":5000")
        for culprit in tool.tampered:
            yield f"{tool.name} over {port}: data of the {culprit} is changed", lambda p=port, c=culprit: wrong_byte(tool, p, c)
        for victim in ("server", "client"):
            yield f"{tool.name} over {port}: the {victim} is killed", lambda p=port, v=victim: killed(tool, p, v)
    yield f"{tool.name}: nobody there", lambda: nobody_there(tool, "memif")
    yield f"{tool.name} meets {other.name}", lambda: another_tool(tool, other)


def run(checks, at_once=AT_ONCE):
    """Runs the checks in a network namespace of their own, several at a time; prints TAP in the
    order of the checks."""
    if os.environ.get("ND_PAIR_INSIDE") is None:
        if subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print("1..0 # SKIP no network namespaces here")
            return
        os.environ["ND_PAIR_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        tap.run([(name, pool.submit(function).result) for name, function in checks])
