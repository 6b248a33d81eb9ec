"""usage: test_nd_tools_single.py FOLDER CATALOGUE

Prints TAP: checks of the tools of one process, ndcat, ndmrlat and ndmrrate."""
import re

import nd_pair
from nd_pair import Pair, ends_at_once, failures, json_rows, unlike

ALL = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"]
TWO_ADAPTERS = """adapters = (
 { name = "one"; port = "ring"; peer = "two"; mac = "02:00:00:00:0e:01"; ipv4 = [ "192.0.2.1/24" ]; ipv6 = [ "2001:db8::1/64" ]; },
 { name = "two"; port = "ring"; peer = "one"; mac = "02:00:00:00:0e:02"; ipv4 = [ "192.0.2.2/24" ]; ipv6 = [ "2001:db8::2/64" ]; });
idle = { policy = "inline"; };
"""


def run(port, name, *words, text=None):
    """Runs a tool with the configuration `text`, by default side a's; returns (status, stdout,
    stderr, JSON or None). The word JSON stands for the path of the JSON file."""
    with Pair(port) as pair:
        if text is not None:
            Pair.__mro__[1].write_config(pair, "a", text=text)
        rows = pair.path("rows.json")
        words = [rows if w == "JSON" else w for w in words]
        out = ends_at_once(name, [*words, "--config", pair.path("a.conf")])
        return (*out, json_rows(rows) if rows in words else None)


# ---- ndcat ----

def row_of(address, within):
    return re.search(rf"^ {re.escape(address)} +(0x\w{{16}})  (\S+)$", within, re.M)


def lists_all():
    status, said, complaint, _ = run("memif", "ndcat", text=TWO_ADAPTERS)
    rows = {a: row_of(a, said) for a in ALL}
    if None in rows.values():
        return [f"not all rows: {said}{complaint}"]
    ids = {a: m[1] for a, m in rows.items()}
    complaints = failures((status, complaint)) + unlike(r"\n4 addresses, all checks passed\n$", said)
    if ids[ALL[0]] != ids[ALL[2]] or ids[ALL[1]] != ids[ALL[3]] or ids[ALL[0]] == ids[ALL[1]]:
        complaints.append(f"ids: {ids}")
    return complaints + [f"{a} is reached from {m[2]}" for a, m in rows.items() if m[2] not in ALL]


def finds_one(port):
    complaints = []
    for address in ("192.0.2.1", "2001:db8::1"):
        status, said, complaint, _ = run(port, "ndcat", address)
        complaints += failures((status, complaint)) + ([] if row_of(address, said) and said.count("\n") == 2 else [said])
    status, said, complaint, _ = run(port, "ndcat", "192.0.2.9")
    if status != 1 or said or "ND_INVALID_ADDRESS" not in complaint:
        complaints.append(f"somebody else's address: {status}: {said}{complaint}")
    return complaints


def resolves():
    complaints = []
    for remote, local in (("192.0.2.77", "192.0.2.1"), ("2001:db8::77", "2001:db8::1")):
        status, said, complaint, _ = run("af_packet", "ndcat", "--remote", remote)
        complaints += failures((status, complaint)) + unlike(f"^{remote} is reached from {local}\n$", said)
    status, said, complaint, _ = run("af_packet", "ndcat", "-r", "203.0.113.9")
    if status != 1 or said or "ND_NETWORK_UNREACHABLE" not in complaint:
        complaints.append(f"out of reach: {status}: {said}{complaint}")
    return complaints


def nothing_there():
    """The catalogue is empty, so there is no provider."""
    with Pair("memif") as pair:
        status, said, complaint = ends_at_once("ndcat", [], {"SOFTRNIC_ND_CATALOG": pair.folder})
    return [] if status == 1 and not said and "no address of this machine" in complaint else [f"{status}: {said}{complaint}"]


# ---- ndmrlat ----

LATENCY = r" +IOCP +Size +Iter +Register +total +Deregister +total +CPU\n"
RATE = r" +Size +Iter +Register +CPU +Reg/Sec +Deregister +CPU +Dereg/Sec\n"
NUMBER = r" +\d+\.\d\d"


def latency_rows(kinds, sizes, iterations):
    return LATENCY + "".join(rf" +{kind} +{size} +{iterations}{NUMBER * 5}\n" for kind in kinds for size in sizes) + "$"


def latency(port, kinds, *words):
    sizes = [1, 2, 4, 8, 10]
    status, said, complaint, result = run(port, "ndmrlat", "--size", "1:10", "--iterations", "200", "--json", "JSON", *words,
                                          "192.0.2.1")
    complaints = failures((status, complaint)) + unlike(latency_rows(kinds, sizes, 200), said)
    rows = result["results"] if result else []
    if [(r["iocp"], r["size"], r["iterations"]) for r in rows] != [(k, s, 200) for k in kinds for s in sizes]:
        complaints.append(f"JSON: {result}")
    return complaints + [f"less in all than in the call: {r}" for r in rows if
                         r["register_total_us"] < r["register_call_us"] or r["deregister_total_us"] < r["deregister_call_us"]]


def latency_of_all_sizes():
    status, said, complaint, _ = run("memif", "ndmrlat", "--iterations", "20", "2001:db8::1")
    return failures((status, complaint)) + unlike(latency_rows((0, 1), [1 << i for i in range(23)], 20), said)


def latency_by_time():
    status, said, complaint, _ = run("memif", "ndmrlat", "--seconds", "1", "-e", "--size", "64k", "--stats", "192.0.2.1")
    return failures((status, complaint)) + unlike(rf"\n +0 +65536 +[1-9]\d+{NUMBER * 5}\n +\d+  ", said)


# ---- ndmrrate ----

def rate_rows(sizes, iterations):
    return RATE + "".join(rf" +{size} +{iterations}{(NUMBER * 2 + r' +[1-9][0-9]*') * 2}\n" for size in sizes) + "$"


def rate(port, threads, *words):
    sizes, each = [4096, 8192, 10000], 300
    status, said, complaint, result = run(port, "ndmrrate", "--size", "4k:10000", "--iterations", str(each), "--json", "JSON",
                                          *words, "192.0.2.1")
    complaints = failures((status, complaint))
    complaints += unlike(rf"^{threads} threads?\n" + rate_rows(sizes, each * threads), said)
    rows = result["results"] if result else []
    if [(r["size"], r["iterations"]) for r in rows] != [(s, each * threads) for s in sizes]:
        complaints.append(f"JSON: {result}")
    # The time is that of one thread for one region; the rate is that of all threads together.
    return complaints + [f"numbers: {r}" for r in rows if not
                         0.98 < r["registrations_per_s"] * r["register_us"] / 1e6 / threads < 1.02 or not
                         0.98 < r["deregistrations_per_s"] * r["deregister_us"] / 1e6 / threads < 1.02]


def customary_counts():
    """Without --iterations the number of regions depends on the size: 8000, 4000 and 2000 for 1,
    2 and 4 MiB."""
    status, said, complaint, _ = run("memif", "ndmrrate", "-t", "1", "--size", "1m:4m", "192.0.2.1")
    return failures((status, complaint)) + unlike(r"\n +1048576 +8000 .*\n +2097152 +4000 .*\n +4194304 +2000 ", said)


def no_room(name, *words):
    """An adapter with room for 100 regions: the tool prints the status and the limit, and exits."""
    text = ('adapters = ({ name = "x"; port = "ring"; peer = "y"; ipv4 = [ "192.0.2.1/24" ]; },'
            ' { name = "y"; port = "ring"; peer = "x"; ipv4 = [ "192.0.2.2/24" ]; });\n'
            'idle = { policy = "inline"; }; limits = { max_mr = 100; };\n')
    status, said, complaint, _ = run("memif", name, *words, "192.0.2.1", text=text)
    fails = [] if status == 1 else [f"exit status {status}: {said}"]
    # Three threads fail at about the same time: the one that writes the warning may already count
    # those of the others.
    warning = (r"softrnic: warning: adapter x: no room for another memory region: limits\.max_mr is 100"
               r"( \(and [12] more since the last such line\))?\n")
    return fails + unlike(rf"^({warning})?{name}: Register: .* \(ND_INSUFFICIENT_RESOURCES\)\n$", complaint)


def to_a_log():
    complaints = []
    for name, words in (("ndcat", []), ("ndmrlat", ["-i", "--size", "1", "--iterations", "1", "192.0.2.1"]),
                        ("ndmrrate", ["--size", "1", "--iterations", "1", "192.0.2.1"])):
        with Pair("memif") as pair:
            log = pair.path("log")
            status, said, complaint = ends_at_once(name, [*words, "-l", log, "--config", pair.path("a.conf")])
            with open(log, encoding="utf-8") as f:
                printed = f.read()
        complaints += failures((status, complaint)) + ([f"stdout has {said}"] if said else []) + unlike(r"\n +1 |AdapterId", printed)
    return complaints


WRONG = {
    "ndcat": (("hello", "neither"), ("192.0.2.1:80", "neither"), ("192.0.2.1 192.0.2.2", "one address is enough"),
              ("-r", "--remote wants an address"), ("-s", "unknown option"), ("--size 1", "unknown option")),
    "ndmrlat": (("", "an address is wanted"), ("-c 192.0.2.1", "unknown option"), ("--size 0 192.0.2.1", "A or A:B"),
                ("--size 2:1 192.0.2.1", "A or A:B"), ("--iterations 0 192.0.2.1", "from 1 to"), ("--seconds", "wants a value"),
                ("hello", "neither")),
    "ndmrrate": (("", "an address is wanted"), ("-t 0 192.0.2.1", "from 1 to 64"), ("-t 65 192.0.2.1", "from 1 to 64"),
                 ("-t 192.0.2.1", "from 1 to 64"), ("--size x 192.0.2.1", "A or A:B"), ("--seconds 1 192.0.2.1", "unknown option"),
                 ("--iterations 2000000 192.0.2.1", "from 1 to")),
}
OPTIONS = {"ndcat": ("-r", "--remote"), "ndmrlat": ("-e", "--event", "-i", "--iocp", "--size", "--iterations", "--seconds"),
           "ndmrrate": ("-t", "--threads", "--size", "--iterations")}

CHECKS = [
    ("ndcat lists and tries all", lists_all),
    ("ndcat, one address of memif", lambda: finds_one("memif")),
    ("ndcat, one address of af_packet", lambda: finds_one("af_packet")),
    ("ndcat says from where", resolves),
    ("ndcat, nothing there", nothing_there),
    ("ndmrlat, both ways", lambda: latency("memif", (0, 1))),
    ("ndmrlat over af_packet, events", lambda: latency("af_packet", (0,), "-e")),
    ("ndmrlat, completion port", lambda: latency("memif", (1,), "--iocp")),
    ("ndmrlat, all sizes", latency_of_all_sizes),
    ("ndmrlat by time", latency_by_time),
    ("ndmrrate, two threads", lambda: rate("memif", 2)),
    ("ndmrrate over af_packet, one thread", lambda: rate("af_packet", 1, "-t", "1")),
    ("ndmrrate, eight threads", lambda: rate("memif", 8, "--threads", "8")),
    ("ndmrrate, customary counts", customary_counts),
    ("ndmrrate, no room", lambda: no_room("ndmrrate", "-t", "3", "--size", "1k:4k")),
    ("logs", to_a_log),
]
for tool_name, wrong in WRONG.items():
    CHECKS += [
        (f"{tool_name}: wrong words", lambda n=tool_name, w=wrong: nd_pair.wrong_words(n, w)),
        (f"{tool_name} helps", lambda n=tool_name: nd_pair.helps(n, "-l", "--logFile", "--json", "--config", "--stats", "-h", *OPTIONS[n])),
    ]

if __name__ == "__main__":
    nd_pair.run(CHECKS)
