"""usage: test_nd_tools_send.py FOLDER CATALOGUE

Prints TAP: checks of ndadapterinfo, ndping and ndpingpong in FOLDER."""
import os
import re

import nd_pair
from nd_pair import Pair, Tool, ends_at_once, failures, good_run, json_rows, unlike

SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 70000]
NUMBER = r" +\d+\.\d\d"


def table(sizes, iterations):
    return r"\n? +Size +Iter +Latency +CPU +Bytes/Sec\n" + "".join(
        rf" +{size} +{iterations}{NUMBER}{NUMBER} +\d+\n" for size in sizes) + "$"


def received(sizes, iterations, warm):
    """The server's output: it also counts the `warm` messages of 40 bytes before the first row."""
    messages = len(sizes) * iterations + warm
    return rf"{messages} messages, {sum(sizes) * iterations + 40 * warm} bytes, data compared\n"


def tool(name):
    return Tool(name, quick=["--size", "1:70000", "--iterations", "30"], long=["--size", "65536", "--seconds", "60"],
                client_says=table(SIZES, 30), server_says=received(SIZES, 30, 30),
                tampered=("client",) if name == "ndping" else ("client", "server"))


PING, PINGPONG = TOOLS = (tool("ndping"), tool("ndpingpong"))


def options(row):
    """Options for SGEs, pipeline, seed, seconds, JSON, log and counters, some of them as on
    Windows (/n)."""
    complaints = []
    with Pair("memif") as pair:
        log, rows = pair.path("log"), pair.path("rows.json")
        server, client = pair.both(row.name, ["-N", "16", "--no-check"],
                                   ["/n", "3", "/Q", "5", "--seed=7", "--seconds", "1", "--size", "4k:8K", "--json", rows,
                                    "--logfile", log, "--stats", "--no-check", "/P"])
        with open(log, encoding="utf-8") as f:
            printed = f.read()
        result = json_rows(rows)
    complaints += failures(server, client) + ([f"stdout has {client[1]}"] if client[1] else [])
    complaints += unlike(table([4096, 8192], r"\d+")[:-1] + r" +\d+  .*port_tx_frames\n", printed)
    complaints += unlike(r"\d+ messages, \d+ bytes\n$", server[1])
    head = {"tool": row.name, "blocking": False, "sge": 3, "pipeline": 5, "checked": False}
    if {k: v for k, v in result.items() if k != "results"} != head or [r["size"] for r in result["results"]] != [4096, 8192]:
        complaints.append(f"JSON: {result}")
    complaints += [f"JSON: {r}" for r in result["results"] if not re.search(rf" {r['iterations']} +{r['latency_us']:.2f} ", printed)]
    return complaints


def seeds_differ(row):
    """The client sends its seed to the server; otherwise the server would find all data wrong."""
    return good_run(row, "memif", ["--seed", "1234567", "-q", "7", "-n", "2"])


def too_much(row):
    complaints = []
    with Pair("memif") as pair:
        server = pair.serve(row.name)
        for words, status, sentence in ((["-n", "17"], 2, "16 scatter/gather entries at most"),
                                        (["-q", "16384"], 1, "16384 messages of 4194304 bytes at a time are too much"),
                                        (["--json", "/nonexistent/x", "--size", "1"], 1, "cannot write /nonexistent/x")):
            client = pair.run("b", row.name, "-c", *words, nd_pair.ADDRESSES[4])
            got = client.end()
            if got != status or sentence not in client.text:
                complaints.append(f"{words}: exit status {got}: {client.text}")
        server.kill()
        absent = pair.run("a", row.name, "-s", "192.0.2.7")
        if absent.end() != 1 or "ND_INVALID_ADDRESS" not in absent.text:
            complaints.append(f"somebody else's address: {absent.text}")
    return complaints


def folder_is_missing(row):
    """The client reports a JSON file that it cannot create before it connects."""
    with Pair("memif") as pair:
        client = pair.run("b", row.name, "-c", "--json", "/nonexistent/x", nd_pair.ADDRESSES[4])
        status = client.end()
        want = f"{row.name}: cannot write /nonexistent/x: No such file or directory\n"
        return [] if (status, client.text) == (1, want) else [f"exit status {status}: {client.text}"]


def tells_how_far_it_is():
    """A client that runs for several seconds prints its progress, on standard error only."""
    with Pair("memif") as pair:
        pair.serve(PING.name, "-b")
        log = pair.path("log")
        client = pair.run("b", PING.name, "-c", "-b", "--seconds", "7", "--size", "4096", "-l", log, nd_pair.ADDRESSES[4])
        status = client.end()
        with open(log, encoding="utf-8") as f:
            printed = f.read()
        return failures((status, client.text)) + unlike(r"^4096 bytes: \d+ iterations done, \d+%\n", client.text) + \
            unlike(table([4096], r"\d+"), printed)


def fields_of_header():
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "nddef.h")
    with open(header, encoding="utf-8") as f:
        body = re.search(r"typedef struct _ND2_ADAPTER_INFO \{(.*?)\}", f.read(), re.S)[1]
    return re.findall(r"(\w+);", re.sub(r"/\*.*?\*/", "", body))


def adapter_info():
    complaints, fields = [], fields_of_header()
    with Pair("memif") as pair:
        conf, rows = pair.path("a.conf"), pair.path("rows.json")
        one = ends_at_once("ndadapterinfo", ["192.0.2.1", "--json", rows, "--config", conf])
        two = ends_at_once("ndadapterinfo", ["/config=" + conf])
        values = {k: int(v, 0) for k, v in re.findall(r"^(\w+): ((?:0x)?\w+)$", one[1], re.M)}
        result = json_rows(rows)
        other = ends_at_once("ndadapterinfo", ["192.0.2.2", "--config", conf])
        names = ends_at_once("ndadapterinfo", ["--config", conf, "--logFile", pair.path("log")])
        with open(pair.path("log"), encoding="utf-8") as f:
            logged = f.read()
    complaints += failures((one[0], one[2]), (two[0], two[2]), (names[0], names[2]))
    if list(values) != fields or len(fields) != 22:
        complaints.append(f"fields are {list(values)}")
    if result != [{"address": "192.0.2.1", **values}]:
        complaints.append(f"JSON: {result}")
    if values.get("InfoVersion") != 0x20000 or values.get("MaxReceiveSge") != 16:
        complaints.append(f"values: {values}")
    complaints += unlike("\n\tND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED\n.*\n\tND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED\n", one[1])
    complaints += unlike("^Address: 192.0.2.1\nInfoVersion.*\n\nAddress: 2001:db8::1\nInfoVersion", two[1])
    if logged != two[1] or names[1]:
        complaints.append(f"the log: {logged}")
    if other[0] != 1 or "ND_INVALID_ADDRESS" not in other[2]:
        complaints.append(f"another's address: {other}")
    return complaints


def statuses_have_names():
    """Each status of ndstatus.h has a row in the tools' table."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(top, "include", "ndstatus.h"), encoding="utf-8") as f:
        numbers = set(re.findall(r"#define (\w+)\s+\(\(HRESULT\)0x", f.read()))
    with open(os.path.join(top, "tools", "common", "status.c"), encoding="utf-8") as f:
        rows = set(re.findall(r"\bROW\((\w+),", f.read()))
    return [f"{name} has no row" for name in sorted(numbers - rows)] + ([] if len(numbers) > 40 else [f"{len(numbers)} only"])


PAIR_OPTIONS = ("-s", "-c", "-b", "-p", "-q", "-l", "-h", "--server", "--client", "--blocking", "--polling", "--pipeline",
                "--logFile", "--json", "--stats", "--config", "--timeout", "--iterations", "--seconds")
MESSAGE_OPTIONS = ("-n", "--sge", "--size", "--no-check", "--seed")

CHECKS = [
    ("statuses have names", statuses_have_names),
    ("ndadapterinfo", adapter_info),
    ("ndadapterinfo helps", lambda: nd_pair.helps("ndadapterinfo", "-l", "--json", "--config", "-h")),
    ("ndadapterinfo: wrong words", lambda: nd_pair.wrong_words("ndadapterinfo", (
        ("-s", "unknown option"), ("hello", "neither"), ("--size 1", "unknown option")))),
    ("a long run tells how far it is", tells_how_far_it_is),
]
for t in TOOLS:
    CHECKS += nd_pair.checks_of(t, TOOLS[t is TOOLS[0]])
    CHECKS += [
        (f"{t.name}: options", lambda t=t: options(t)),
        (f"{t.name}: the client's seed", lambda t=t: seeds_differ(t)),
        (f"{t.name}: a folder that is not there", lambda t=t: folder_is_missing(t)),
        (f"{t.name}: too much", lambda t=t: too_much(t)),
        (f"{t.name} helps", lambda t=t: nd_pair.helps(t.name, *PAIR_OPTIONS, *MESSAGE_OPTIONS)),
        (f"{t.name}: wrong words", lambda t=t: nd_pair.wrong_words(t.name, nd_pair.WRONG_WORDS + nd_pair.WRONG_MESSAGES)),
    ]

if __name__ == "__main__":
    nd_pair.run(CHECKS)
