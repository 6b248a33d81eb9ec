"""usage: test_nd_tools_rdma.py FOLDER CATALOGUE

Prints TAP: checks of ndrping and ndrpingpong in FOLDER."""
import re

import nd_pair
from nd_pair import ADDRESSES, Pair, Tool, failures, good_run, json_rows, killed, unlike, wrong_byte

SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 9000]
ITERATIONS = 5
NUMBER = r" +\d+\.\d\d"
TITLES = {("ndrping", "w"): "Writes, 128 under way", ("ndrping", "r"): "Reads, 128 under way",
          ("ndrpingpong", "w"): "Latency of a Write: half a round trip", ("ndrpingpong", "r"): "Latency of a Read"}
# Number of messages before the first row, and bytes of each.
WARM = {"ndrping": (64, 1), "ndrpingpong": (20, 40)}


def table(sizes, iterations):
    return r" +Size +Iter +Latency +CPU +Bytes/Sec\n" + "".join(
        rf" +{size} +{iterations}{NUMBER}{NUMBER} +\d+\n" for size in sizes) + "$"


def tool(name, how):
    warm, warm_bytes = WARM[name]
    moved = f"{name}: {warm + len(SIZES) * ITERATIONS} messages, {warm * warm_bytes + sum(SIZES) * ITERATIONS} bytes"
    sides = {("ndrping", "w"): ("client",), ("ndrpingpong", "w"): ("client", "server")}.get((name, how), ("server",))
    mode = [] if how == "w" else ["-r"]
    many = ["--size", "70000", "--iterations", "100", *mode] # many messages of many packets
    return Tool(name, quick=["--size", "1:9000", "--iterations", str(ITERATIONS), *mode],
                long=["--size", "65536", "--seconds", "60", *mode],
                client_says=f"{TITLES[name, how]}, scatter/gather entries: 1, checked\n{table(SIZES, ITERATIONS)}",
                server_says=moved + (", data compared\n$" if how == "w" else " were read\n$"), tampered=sides, tamper=many)


WRITERS, READERS = ([tool(name, how) for name in ("ndrping", "ndrpingpong")] for how in "wr")


def options(row, how):
    """The client's options for SGEs, pipeline, seed, seconds, JSON, log, counters and --no-check
    determine the run; the server's options for the same have no effect."""
    with Pair("memif") as pair:
        log, rows = pair.path("log"), pair.path("rows.json")
        server, client = pair.both(row.name, ["-w", "-n", "16", "-q", "3"],
                                   [f"-{how}", "-n", "3", "-q", "5", "--seed", "7", "--seconds", "1", "--size", "4k:8k",
                                    "--json", rows, "-l", log, "--stats", "--no-check", "-p"])
        with open(log, encoding="utf-8") as f:
            printed = f.read()
        result = json_rows(rows)
    title = TITLES[row.name, how].replace("128", "5")
    complaints = failures(server, client) + ([f"stdout has {client[1]}"] if client[1] else [])
    complaints += unlike(rf"^{title}, scatter/gather entries: 3, not checked\n" + table([4096, 8192], r"\d+")[:-1] +
                         r" +\d+  .*port_tx_frames\n", printed)
    complaints += unlike(rf"{row.name}: \d+ messages, \d+ bytes were {'written' if how == 'w' else 'read'}\n$", server[1])
    head = {"tool": row.name, "blocking": False, "sge": 3, "pipeline": 5, "checked": False}
    if {k: v for k, v in result.items() if k != "results"} != head or [r["size"] for r in result["results"]] != [4096, 8192]:
        complaints.append(f"JSON: {result}")
    return complaints + [f"JSON: {r}" for r in result["results"]
                         if not re.search(rf" {r['iterations']} +{r['latency_us']:.2f} ", printed)]


def numbers_are_sound(row, how):
    """In the JSON rows bytes per second are the size divided by the latency, within 2 %."""
    with Pair("memif") as pair:
        rows = pair.path("rows.json")
        ends = pair.both(row.name, ["-b"], [f"-{how}", "-b", "--iterations", "20", "--size", "4k:64k", "--json", rows])
        result = json_rows(rows)["results"]
    return failures(*ends) + [f"JSON: {r}" for r in result if r["iterations"] != 20 or r["latency_us"] <= 0 or not
                              0.98 < r["bytes_per_s"] * r["latency_us"] / 1e6 / r["size"] < 1.02]


def one_large(row, how):
    """A message that is longer than the buffer for the messages of a batch."""
    with Pair("memif") as pair:
        ends = pair.both(row.name, ["--timeout", "30"], [f"-{how}", "--iterations", "2", "--size", "17m", "--timeout", "30"])
    return failures(*ends) + unlike(rf" {17 << 20} +2{NUMBER}", ends[1][1])


def too_much(row):
    complaints = []
    with Pair("memif") as pair:
        server = pair.serve(row.name)
        for words, status, sentence in ((["-n", "17"], 2, "16 scatter/gather entries at most"),
                                        (["-w", "-r"], 2, "-w and -r exclude each other")):
            client = pair.run("b", row.name, "-c", *words, ADDRESSES[4])
            got = client.end()
            if got != status or sentence not in client.text:
                complaints.append(f"{words}: exit status {got}: {client.text}")
        server.kill()
    return complaints


PAIR_OPTIONS = ("-s", "-c", "-b", "-p", "-q", "-l", "-h", "-n", "-w", "-r", "--write", "--read", "--size", "--no-check", "--seed",
                "--json", "--stats", "--config", "--timeout", "--iterations", "--seconds")

CHECKS = []
for t, r in zip(WRITERS, READERS):
    CHECKS += nd_pair.checks_of(t, WRITERS[t is WRITERS[0]])
    for port in nd_pair.PORTS:
        CHECKS += [
            (f"{t.name} -r over {port}, polling", lambda r=r, p=port: good_run(r, p)),
            (f"{t.name} -r over {port}, blocking, IPv6", lambda r=r, p=port: good_run(r, p, ["-b"], ["-b"], 6, ":5000")),
            (f"{t.name} -r over {port}: data of the server is changed", lambda r=r, p=port: wrong_byte(r, p, "server")),
        ]
    CHECKS += [(f"{t.name} -r: the server is killed", lambda r=r: killed(r, "memif", "server"))]
    for mode in "wr":
        CHECKS += [
            (f"{t.name} -{mode}: options", lambda t=t, m=mode: options(t, m)),
            (f"{t.name} -{mode}: numbers", lambda t=t, m=mode: numbers_are_sound(t, m)),
            (f"{t.name} -{mode}: a long message", lambda t=t, m=mode: one_large(t, m)),
        ]
    CHECKS += [
        (f"{t.name}: too much", lambda t=t: too_much(t)),
        (f"{t.name} helps", lambda t=t: nd_pair.helps(t.name, *PAIR_OPTIONS)),
        (f"{t.name}: wrong words", lambda t=t: nd_pair.wrong_words(t.name, nd_pair.WRONG_WORDS + nd_pair.WRONG_MESSAGES)),
    ]

if __name__ == "__main__":
    # Few in parallel: both ends of a check poll memory without a pause.
    nd_pair.run(CHECKS, at_once=3)
