"""usage: test_perftest.py FOLDER

Prints TAP: checks of the eight perftest counterparts in FOLDER, over memif."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from rig import Process, Rig, free_port, listens  # noqa: E402
import tap  # noqa: E402

FOLDER = sys.argv[1]
TOOLS = [f"nd_{verb}_{what}" for verb in ("send", "write", "read", "atomic") for what in ("bw", "lat")]
LINE = "-" * 87
# The long names of the flags of ib_write_bw and its relatives, perftest 4.5 of Debian 12.
PERFTEST_FLAGS = """all atomic_type bidirectional connection report-cycles ib-dev duration events margin CPU-freq help report-histogram
    ib-port inline_size post_list hop_limit mtu MGID mcg iters noPeak outs dualport port qp cq-mod rx-depth rdma_cm size sl tx-depth tos
    qp-timeout report-unsorted version limit_bw report-counters gid-index vector limit_msgrate comm_rdma_cm aes_block_size burst_size
    cpu_util disable_pcie_relaxed dlid dont_xchg_versions flow_label flows flows_burst force-link inline_recv ipv6 latency_gap
    log_active_dci_streams log_dci_streams mmap mmap-offset mr_per_qp odp out_json out_json_file output perform_warm_up pkey_index
    rate_limit rate_limit_type rate_units recv_post_list report-both report-per-port report_gbits retry_count reversed run_infinitely
    source_ip tclass typical_pkt_size use-srq use_hugepages use_old_post_send wait_destroy""".split()
# The connection fails after eight ACK timeouts without an answer: 17 s with -u 19. With perftest's default -u 14
# that is 0.5 s, and on a loaded machine a process was seen to wait longer than that for a CPU.
PATIENCE = ["-u", "19"]
STANDS_STILL_S = 1.5
TRIES = 3  # of a run whose output depends on how soon an end gets a CPU
BW_ROW = re.compile(r"^ (\d+) +(\d+) +(\d+\.\d\d) +(\d+\.\d\d) *\t\t   (\d+\.\d{6})$", re.M)
LAT_ROW = re.compile(r"^ (\d+) +(\d+) +" + r"[ \t]+".join([r"(\d+\.\d\d)"] * 7) + r" *$", re.M)


class Pair(Rig):
    """A rig whose side a is the server of a tool and side b the client."""

    def __init__(self):
        super().__init__(None, None, "")

    def run_tool(self, side, tool, *words):
        env = dict(self.env, SOFTRNIC_CONFIG=self.path(side + ".conf"))
        p = Process([os.path.join(FOLDER, tool), *words], env, self.path(f"{side}{len(self.processes)}.log"))
        self.processes.append(p)
        return p

    def run(self, tool, flags, host, meanwhile=lambda server, client: None):
        """Runs a server and a client; returns ((status, text) of the server, of the client).
        SIDE in a flag stands for the side's letter, a or b."""
        port = ["-p", str(free_port()), *PATIENCE]
        sides = {side: [*port, *(f.replace("SIDE", side) for f in flags)] for side in "ab"}
        server = self.run_tool("a", tool, *sides["a"]).await_text("Waiting for client")
        while host == "127.0.0.1" and not listens(int(port[1])):
            if server.child.poll() is not None:
                break
        client = self.run_tool("b", tool, *sides["b"], host)
        meanwhile(server, client)
        ended = client.end()
        return (server.end(), server.text), (ended, client.text)


def rows(tool, text):
    return (LAT_ROW if tool.endswith("lat") else BW_ROW).findall(text)


def wrong_rows(tool, flags, who, text):
    """Complaints about the table that one end has printed."""
    size = 8 if "atomic" in tool else int(flags[flags.index("-s") + 1])
    iters = int(flags[flags.index("-n") + 1]) * (int(flags[flags.index("-q") + 1]) if "-q" in flags else 1)
    found = rows(tool, text)
    if who == "server" and re.search("(read|atomic)_lat", tool):
        return [] if not found else ["the server has a table"]
    if [(int(r[0]), int(r[1])) for r in found] != [(size, iters)]:
        return [f"rows {found}"]
    numbers = [float(x) for x in found[0][2:]]
    if tool.endswith("lat"):
        least, most, typical, average = numbers[:4]
        return [] if least <= typical <= most and least <= average <= most else [f"not in order: {numbers}"]
    return [] if numbers[2] > 0 else ["a rate of 0"]


def talks(tool, flags, host="127.0.0.1"):
    with Pair() as pair:
        ends = dict(zip(("server", "client"), pair.run(tool, flags, host)))
    complaints = []
    for who, (status, text) in ends.items():
        bad = wrong_rows(tool, flags, who, text) if status == 0 else ["failed"]
        if f"{' Bidirectional' if '-b' in flags else ''} {'Latency' if 'lat' in tool else 'BW'} Test\n" not in text:
            bad.append("no title")
        complaints += [f"{who}, status {status}: {b}: {text}" for b in bad]
    mine, theirs = (re.findall(r"(local|remote) address: (.*)\n GID: (.*)\n", ends[who][1]) for who in ("server", "client"))
    if sorted(r[1:] for r in mine if r[0] == "local") != sorted(r[1:] for r in theirs if r[0] == "remote"):
        complaints.append(f"the client knows other queue pairs than the server has: {mine} {theirs}")
    return complaints


def stands_still():
    """The server is stopped for a while, as on a loaded machine; the client must wait for the server."""
    def stop_and_go_on(server, client):
        client.await_text("BW average")
        time.sleep(0.3)
        server.child.send_signal(signal.SIGSTOP)
        time.sleep(STANDS_STILL_S)
        server.child.send_signal(signal.SIGCONT)

    with Pair() as pair:
        ends = pair.run("nd_write_bw", ["-D", "3", "-f", "0"], "127.0.0.1", stop_and_go_on)
    return [f"status {status}: {text}" for status, text in ends if status != 0]


def waits_asleep():
    """With -e, the server of WRITEs over the RDMA CM has nothing to do until its client has ended: it must leave the CPU to others."""
    used = []

    def cpu_s(child):
        with open(f"/proc/{child.pid}/task/{child.pid}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0]) / 1e9

    def watch(server, client):
        client.await_text("BW average")
        before, since = cpu_s(server.child), time.monotonic()
        time.sleep(1)
        used.append((cpu_s(server.child) - before) / (time.monotonic() - since))

    with Pair() as pair:
        ends = pair.run("nd_write_bw", ["-R", "-e", "-D", "3", "-f", "0"], "192.0.2.1", watch)
    complaints = [f"status {status}: {text}" for status, text in ends if status != 0]
    if used[0] > 0.1:
        complaints.append(f"the thread of the server has used {used[0]:.2f} of a CPU")
    return complaints


def all_sizes(*flags):
    with Pair() as pair:
        (status, text), (ended, _) = pair.run("nd_send_bw", ["-a", "-n", "5", *flags], "127.0.0.1")
    sizes = [int(r[0]) for r in rows("nd_send_bw", text)]
    return [] if (status, ended, sizes) == (0, 0, [1 << i for i in range(1, 24)]) else [text]


def json_files():
    complaints = []
    for tool, keys in (("nd_write_bw", {"MsgSize", "n_iterations", "BW_peak", "BW_average", "MsgRate", "counters"}),
                       ("nd_send_lat", {"MsgSize", "n_iterations", "t_min", "t_max", "t_typical", "t_avg", "t_stdev",
                                        "percentile_99", "percentile_99.9", "counters"})):
        with Pair() as pair:
            ends = pair.run(tool, ["-n", "50", "-s", "64", f"--out_json_file={pair.path('SIDE.json')}"], "127.0.0.1")
            written = []
            for side in "ab":
                with open(pair.path(side + ".json"), encoding="utf-8") as f:
                    written.append(json.load(f))
        for found in written:
            if any(status for status, _ in ends) or set(found["results"]) != keys or found["results"]["MsgSize"] != 64 \
                    or found["test_info"]["Connection_type"] != "RC":
                complaints.append(f"{tool}: {found} {ends}")
    return complaints


def hostile_name():
    """JSON files are valid if the adapter's name has a quotation mark, a backslash and a byte
    that is not UTF-8."""
    complaints = []
    for tool in ("nd_write_bw", "nd_send_lat"):
        with Pair() as pair:
            for side in "ab":
                pair.write_config(side, name=rf'te\"s\\t\xe9-{side}')
            ends = pair.run(tool, ["-n", "50", "-s", "64", f"--out_json_file={pair.path('SIDE.json')}"], "127.0.0.1")
            for side in "ab":
                with open(pair.path(side + ".json"), encoding="utf-8") as f:
                    device = json.load(f)["test_info"]["Device"]
                if device != f'te"s\\t\u00e9-{side}' or any(status for status, _ in ends):
                    complaints.append(f"{tool}: {device!r} {ends}")
    return complaints


def folder_is_missing():
    """The tool reports a JSON file that it cannot create before it opens the adapter, not after
    the test."""
    complaints = []
    for words in ([], ["127.0.0.1"]):
        with Pair() as pair:
            p = pair.run_tool("a", "nd_send_bw", "--out_json_file=/nonexistent/x.json", "-p", str(free_port()), *words)
            status = p.end(10)
            if status != 1 or p.text != "nd_send_bw: cannot write /nonexistent/x.json: No such file or directory\n":
                complaints.append(f"{words}: status {status}: {p.text}")
    return complaints


def surroundings():
    """The head of the output describes the machine; with one CPU there is a warning, as both
    ends busy-wait."""
    complaints = []
    with Pair() as pair:
        ends = pair.run("nd_send_lat", ["-n", "20"], "127.0.0.1")
    cpus = len(os.sched_getaffinity(0))
    for status, text in ends:
        line = re.search(r"^ Runs on +: (\d+) CPUs?, load \d+\.\d, memif, MTU 9000, idle policy inline, with(out)? hugepages$", text, re.M)
        if status or not line or int(line[1]) > cpus:
            complaints.append(f"status {status}, {cpus} CPUs: {text}")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        with Pair() as pair:
            ends = pair.run("nd_send_lat", ["-n", "20"], "127.0.0.1")
    finally:
        os.sched_setaffinity(0, allowed)
    for status, text in ends:
        if status or " Runs on         : 1 CPU, " not in text or not re.search(r"^Warning: \d\.\d CPUs are free for 2 busy threads", text, re.M):
            complaints.append(f"on one CPU: status {status}: {text}")
    return complaints


def raw_results():
    with Pair() as pair:
        _, (status, text) = pair.run("nd_send_lat", ["-n", "20", "-U"], "127.0.0.1")
    listed = re.findall(r"^(\d+), [\d.e+-]+$", text, re.M)
    return [] if status == 0 and listed == [str(i) for i in range(1, 20)] else [text]


def too_slow():
    with Pair() as pair:
        _, (status, text) = pair.run("nd_send_bw", ["-n", "50", "-w", "1e12"], "127.0.0.1")
    return [] if status == 1 and "below the limit" in text else [f"status {status}: {text}"]


def too_few():
    with Pair() as pair:
        _, (status, text) = pair.run("nd_send_bw", ["-n", "50", "-y", "1e6"], "127.0.0.1")
    return [] if status == 1 and "below the limit" in text else [f"status {status}: {text}"]


def paced(flags, mpps, least=0):
    """The message rate does not exceed the limit. A loaded machine may stay below it."""
    with Pair() as pair:
        ends = pair.run("nd_write_bw", ["-s", "1000", *flags], "127.0.0.1")
    found = [float(r[4]) for status, text in ends for r in rows("nd_write_bw", text) if status == 0]
    return [] if len(found) == 2 and all(least < rate < mpps * 1.2 for rate in found) else [f"{found}: {ends}"]


def runs_on(tool):
    """A run without an end prints one row a second until it is interrupted, then one of the whole run."""
    def interrupt(server, client):
        client.await_text(r"Mpps\](\n \d+ .*){2}\n")
        client.child.send_signal(signal.SIGINT)

    with Pair() as pair:
        _, (status, text) = pair.run(tool, ["-s", "64", "--run_infinitely", "-D", "1"], "127.0.0.1", interrupt)
    counts = [int(r[1]) for r in rows(tool, text)]
    return [] if status == 130 and len(counts) >= 3 and 0 < sum(counts[:-1]) <= counts[-1] else [f"status {status}: {text}"]


def every_second(tool, words, pattern, wanted, ends):
    """Runs a tool with --progress. `pattern` finds the numbers of the seconds that an end has printed; `ends`: 0 = server, 1 = client.
    An end that waits for a CPU for a second leaves one out, or has no message to count: then the run is repeated."""
    for left in reversed(range(TRIES)):
        with Pair() as pair:
            ran = pair.run(tool, [*words, "--progress"], "127.0.0.1")
        bad = [f"status {status}: {text}" for status, text in ran if status]
        late = [f"not every second: {ran[i][1]}" for i in ends if re.findall(pattern, ran[i][1], re.M) != wanted]
        if bad or not late or not left:
            return bad + late, ran
    raise AssertionError


def progress():
    """Each end prints the rate of every second, and one row at the end."""
    bad, ran = every_second("nd_send_bw", ["-s", "64", "-D", "3"], r"^ second (\d): \d+\.\d\d MB/sec, (?!0\.0+ )\d+\.\d{6} Mpps$",
                            ["1", "2", "3"], (0, 1))
    return bad + [text for _, text in ran if len(rows("nd_send_bw", text)) != 1]


def percentiles(flags, n):
    """The percentiles ascend, and the histogram has all latencies. n: their number, or 0 if it is not known."""
    complaints = []
    with Pair() as pair:
        ends = pair.run("nd_write_lat", [*flags, "--percentiles", f"--out_json_file={pair.path('SIDE.json')}"], "127.0.0.1")
        for side in "ab":
            with open(pair.path(side + ".json"), encoding="utf-8") as f:
                result = json.load(f)["results"]
            keys = [result[k] for k in ("p50", "p90", "p99", "p99.9", "p99.99", "p99.999", "max")]
            if keys != sorted(keys) or keys[0] <= 0:
                complaints.append(str(result))
    for status, text in ends:
        shares = [float(x) for x in re.findall(r"^ +[\d.]+% : (\d+\.\d\d) usec$", text, re.M)]
        longest = [float(x) for x in re.findall(r"^ +max : (\d+\.\d\d) usec$", text, re.M)]
        counted = sum(int(x) for x in re.findall(r"^ +[\d.]+ - +[\d.]+ usec : (\d+) \([\d.]+%\)$", text, re.M))
        if status or len(shares) != 6 or sorted(shares) != shares or longest[0] < shares[-1] or (counted != n if n else counted < 10):
            complaints.append(f"status {status}, {shares} {longest} {counted}: {text}")
    return complaints


def pauses():
    """Pauses of 50 ms are made, and not counted as latency, which would be 25 ms with them."""
    began = time.monotonic()
    with Pair() as pair:
        ends = pair.run("nd_send_lat", ["-n", "10", "--latency_gap", "50000"], "127.0.0.1")
    took = time.monotonic() - began
    bad = [f"status {status}: {text}" for status, text in ends if status or float(rows("nd_send_lat", text)[0][2]) > 20000]
    return bad + ([] if took > 9 * 0.05 else [f"the run took {took} s"])


def lat_progress():
    """The client of a READ latency test prints every second."""
    return every_second("nd_read_lat", ["-D", "2"], r"^ second (\d): t_avg \d+\.\d\d usec, [1-9]\d* messages$", ["1", "2"], (1,))[0]


def usage():
    """The lines that -C and -W add, the column of --cpu_util, and their keys in JSON."""
    complaints = []
    with Pair() as pair:
        flags = ["-D", "2", "-s", "64", "-C", "--cpu_util", "-W", "done_send,posts,qp_errors", f"--out_json_file={pair.path('SIDE.json')}"]
        ends = pair.run("nd_send_bw", flags, "127.0.0.1")
        with open(pair.path("b.json"), encoding="utf-8") as f:
            result = json.load(f)["results"]
    for status, text in ends:
        util = re.search(r"MsgRate\[Mpps\]    CPU_Util\[%\]\n.*\d\t +(\d+\.\d\d)\n", text)
        cycles = re.search(r"^ CPU cycles      : (\d+\.\d) of this process per message, at (\d+) MHz$", text, re.M)
        if status or not util or not 0 < float(util[1]) <= 100 or not cycles or not (float(cycles[1]) > 50 and int(cycles[2]) > 400):
            complaints.append(f"status {status}: {text}")
    counters = {name: int(value) for name, value in re.findall(r"^ (done_send|posts|qp_errors) +: (\d+)$", ends[1][1], re.M)}
    if counters.get("qp_errors") != 0 or not counters["posts"] >= counters["done_send"] > 0 \
            or not counters.items() <= result["counters"].items() or result["CPU_util"] <= 0 or result["CPU_cycles"] < 50:
        complaints.append(f"{counters} {result} {ends[1][1]}")
    return complaints


def counts_from_the_start():
    """The CM's messages, which were sent before the run, do not count."""
    with Pair() as pair:
        _, (status, text) = pair.run("nd_write_bw", [*SHORT, "-R", "-W", "tx_mads", "--stats"], "192.0.2.1")
    return [] if status == 0 and re.search(r"^ tx_mads +: 0$", text, re.M) and re.search(r"^ +\d+  tx_mads$", text, re.M) else [text]


def cycles():
    """A latency in cycles is a latency in microseconds times the clock rate, which no machine has below 400 MHz."""
    with Pair() as pair:
        ends = pair.run("nd_write_lat", ["-n", "100", "-C", "-U"], "127.0.0.1")
    return [f"status {status}: {text}" for status, text in ends
            if status or "t_min[cycles]" not in text or "#, cycles\n" not in text or float(rows("nd_write_lat", text)[0][2]) < 400]


def losses():
    """Packets that are lost on purpose are told after the row."""
    with Pair() as pair:
        for side in "ab":
            pair.write_config(side, loss=2)
        ends = pair.run("nd_write_bw", ["-n", "2000", "-s", "8"], "127.0.0.1")
    status, text = ends[1]
    return [] if status == 0 and re.search(r"^ Lost or slowed  : tx_retransmitted [1-9]\d*", text, re.M) else [f"status {status}: {text}"]


def head():
    """The head says what is measured, and how requests are posted."""
    complaints = []
    for tool, flags, texts in (("nd_send_bw", ["-l", "4", "-t", "32", "-n", "40"],
                                ["SENDs received here", "SENDs completed here; posted 4 at a time, up to 32 outstanding, 1 in 4 signaled"]),
                               ("nd_write_lat", ["-n", "20"], ["half a round trip of WRITEs, one at a time"] * 2),
                               ("nd_read_lat", ["-n", "20"], ["READs, from posting to the completion, one at a time"] * 2)):
        with Pair() as pair:
            ends = pair.run(tool, flags, "127.0.0.1")
        for (status, text), told in zip(ends, texts):
            if status or f" Measured        : {told}\n" not in text \
                    or not re.search(r"^ Checked         : ICRC of every packet, in software; this thread is on CPU \d+$", text, re.M):
                complaints.append(f"{tool}, status {status}: {text}")
    return complaints


def fields(flags, **expected):
    """The captured frames of the client have these bytes."""
    with Pair() as pair:
        pair.write_config("b", capture=True)
        ends = pair.run("nd_send_bw", ["-n", "20", "-s", "64", *flags], "127.0.0.1")
        with open(pair.path("b.pcap"), "rb") as f:
            capture = f.read()
    if any(status for status, _ in ends):
        return [str(ends)]
    wrong = {name: value.hex() for name, value in expected.items() if value not in capture}
    return [f"not in the capture: {wrong}"] if wrong else []


def says(flags, host, *sentences):
    """A run with these flags succeeds, and both ends print these sentences."""
    complaints = talks("nd_write_bw", flags_of("", *flags), host)
    with Pair() as pair:
        ends = pair.run("nd_write_bw", flags_of("", *flags), host)
    return complaints + [f"not '{s}': {text}" for s in sentences for _, text in ends if s not in text]


def first_contact(flags, source, first):
    """A client with these flags connects from this address, and sends these bytes first."""
    with Pair() as pair, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        client = pair.run_tool("b", "nd_write_bw", "-p", str(listener.getsockname()[1]), *flags, "127.0.0.1")
        listener.settimeout(20)
        peer, address = listener.accept()
        with peer:
            peer.settimeout(20)
            found = peer.recv(len(first), socket.MSG_WAITALL)
        status = client.end()
        return [] if (address[0], found, status) == (source, first, 1) else [f"{address} {found} {status}: {client.text}"]


def own_regions(tool):
    """Each of three queue pairs has a region of its own, and so another R_Key."""
    flags = flags_of(tool, "--mr_per_qp", "-q", "3")
    with Pair() as pair:
        ends = pair.run(tool, flags, "127.0.0.1")
    keys = [len(set(re.findall(r"local address: .* RKey (\S+) ", text))) for _, text in ends]
    return talks(tool, flags) + ([] if keys == [3, 3] else [str(ends)])


def no_such_source(words, sentence):
    with Pair() as pair:
        p = pair.run_tool("a", "nd_send_bw", *words)
        status = p.end()
        return [] if status == 1 and sentence in p.text else [f"status {status}: {p.text}"]


def one_figure(tool, output):
    with Pair() as pair:
        port = ["-p", str(free_port()), *PATIENCE, "-n", "30", "--output", output]
        server = pair.run_tool("a", tool, *port)
        while server.child.poll() is None and not listens(int(port[1])):
            pass
        client = pair.run_tool("b", tool, *port, "127.0.0.1")
        ended = client.end(), server.end()
        return [] if ended == (0, 0) and re.fullmatch(r"(?!0\.0+\n)\d+\.\d{6}\n", client.text) else [f"status {ended}: {client.text}"]


def waits():
    began = time.monotonic()
    with Pair() as pair:
        ends = pair.run("nd_write_bw", ["-n", "30", "--wait_destroy", "2"], "127.0.0.1")
    took = time.monotonic() - began
    return [] if took > 2 and all(status == 0 for status, _ in ends) else [f"{took} s: {ends}"]


def warms_up():
    """The messages before the clock starts reach the adapter, but are not counted."""
    with Pair() as pair:
        _, (status, text) = pair.run("nd_write_bw", ["-n", "40", "-t", "16", "--perform_warm_up", "--stats"], "127.0.0.1")
    done = re.search(r"^ *(\d+)  done_write$", text, re.M)
    return [] if status == 0 and rows("nd_write_bw", text)[0][1] == "40" and done and done[1] == "56" else [f"status {status}: {text}"]


def hugepages():
    with open("/proc/meminfo", encoding="ascii") as f:
        free = int(re.search(r"HugePages_Free: +(\d+)", f.read())[1])
    if free >= 4:
        return talks("nd_write_bw", flags_of("", "--use_hugepages"))
    with Pair() as pair:
        ends = pair.run("nd_write_bw", ["--use_hugepages"], "127.0.0.1")
    return [] if all(status == 1 for status, _ in ends) and "no hugepages of 2 MiB" in ends[1][1] else [str(ends)]


def shares_receives():
    """The server takes all receives from its shared queue."""
    with Pair() as pair:
        (status, text), (ended, _) = pair.run("nd_send_bw", ["-n", "40", "-q", "3", "-r", "16", "--use-srq", "--stats"], "127.0.0.1")
    taken = re.search(r"^ *(\d+)  srq_taken$", text, re.M)
    return [] if (status, ended) == (0, 0) and "Using SRQ      : ON" in text and taken and taken[1] == "120" else [text]


def refuses(words, status, sentence):
    with Pair() as pair:
        p = pair.run_tool("a", "nd_send_bw", *words)
        ended = p.end()
        return [] if ended == status and sentence in p.text else [f"status {ended}: {p.text}"]


def perftest_flags():
    """Each flag of perftest is taken, or refused by its name."""
    def told(*words):
        done = subprocess.run([os.path.join(FOLDER, "nd_write_bw"), *words], capture_output=True, text=True, timeout=20, check=False)
        return done.returncode, done.stdout + done.stderr

    status, text = told("--help")
    here, refused = (re.findall(r"^ +(?:-\w, )?--([\w-]+)", part, re.M) for part in text.split("\nFlags of perftest that are refused:\n"))
    bad = [f"neither taken nor refused: {name}" for name in PERFTEST_FLAGS if name not in here + refused]
    for name in refused:
        status, text = told(f"--{name}")
        bad += [] if status == 2 and f"--{name} of perftest is not here: " in text else [f"--{name}: {status} {text}"]
    return bad


def too_long():
    with Pair() as pair:
        ends = pair.run("nd_send_bw", ["-c", "UD", "-s", "1025", "-m", "1024"], "127.0.0.1")
    return [] if all(status == 1 and "longest datagram is 1024" in text for status, text in ends) else [str(ends)]


def server_dies():
    """The client of a killed server prints a message and exits within END_S."""
    with Pair() as pair:
        port = ["-p", str(free_port())]
        server = pair.run_tool("a", "nd_write_bw", *port, "-D", "30").await_text("Waiting for client")
        while not listens(int(port[1])):
            pass
        client = pair.run_tool("b", "nd_write_bw", *port, "-D", "30", "127.0.0.1").await_text("BW average")
        server.kill()
        status = client.end()
        return [] if status == 1 and "failed" in client.text else [f"status {status}: {client.text}"]


def echo_without_reads(listener):
    """A server that sends back what it receives, but changes its READ limit to 0."""
    with listener, listener.accept()[0] as peer:
        while data := peer.recv(4096):
            peer.sendall(re.sub(rb"^([0-9a-f]{4}):[0-9a-f]{4}:", rb"\1:0000:", data))


def no_reads():
    with Pair() as pair, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        threading.Thread(target=echo_without_reads, args=(listener,), daemon=True).start()
        client = pair.run_tool("b", "nd_read_bw", "-p", str(listener.getsockname()[1]), "-n", "40", "127.0.0.1")
        status = client.end()
        return [] if status == 1 and "takes no READs" in client.text else [f"status {status}: {client.text}"]


SHORT = ["-n", "40"]


def flags_of(tool, *more):
    return SHORT + ([] if "atomic" in tool else ["-s", "4097"]) + list(more)


CHECKS = [
    *((f"{t} over TCP", lambda t=t: talks(t, flags_of(t))) for t in TOOLS),
    *((f"{t} over the RDMA CM", lambda t=t: talks(t, flags_of(t, "-R"), "192.0.2.1")) for t in TOOLS),
    *((f"{t} over UC", lambda t=t: talks(t, flags_of(t, "-c", "UC"))) for t in TOOLS[:4]),
    *((f"{t} over UD", lambda t=t: talks(t, SHORT + ["-s", "1000", "-c", "UD", "-m", "1024"])) for t in TOOLS[:2]),
    ("a datagram that no packet holds", too_long),
    *((f"{t} both ways, 3 queue pairs", lambda t=t: talks(t, flags_of(t, "-b", "-q", "3"))) for t in TOOLS[::2]),
    ("nd_write_bw over the RDMA CM and IPv6, 2 queue pairs",
     lambda: talks("nd_write_bw", flags_of("", "-R", "-q", "2", "-x", "1"), "2001:db8::1")),
    *((f"{t} over the RDMA CM and IPv6, whose server is not told an address", lambda t=t: talks(t, flags_of(t, "-R"), "2001:db8::1"))
      for t in ("nd_write_bw", "nd_send_lat")),
    ("nd_read_bw over IPv6", lambda: talks("nd_read_bw", flags_of("", "-x", "1"))),
    *((f"nd_send_bw, path MTU {m}", lambda m=m: talks("nd_send_bw", flags_of("", "-m", str(m)))) for m in (256, 1024, 4096)),
    *((f"{t} asleep until something comes", lambda t=t: talks(t, flags_of(t, "-e"))) for t in ("nd_send_bw", "nd_read_lat")),
    ("a server asleep while its client writes", waits_asleep),
    ("nd_write_bw inline", lambda: talks("nd_write_bw", SHORT + ["-s", "100", "-I", "128"])),
    ("nd_atomic_bw, compare and swap", lambda: talks("nd_atomic_bw", SHORT + ["-A", "CMP_AND_SWAP"])),
    ("an end that stands still for a while", stands_still),
    ("all sizes", all_sizes),
    ("all sizes with a shared receive queue", lambda: all_sizes("--use-srq", "-q", "2")),
    ("JSON", json_files),
    ("JSON with a hostile name", hostile_name),
    ("JSON into a folder that is not there", folder_is_missing),
    ("what it runs on", surroundings),
    ("what it measures", head),
    ("every result", raw_results),
    ("a limit that is missed", too_slow),
    ("a message rate that is missed", too_few),
    *((f"{t} in lists", lambda t=t: talks(t, flags_of(t, "-l", "8", "-q", "2", "-t", "20")))
      for t in ("nd_send_bw", "nd_read_bw")),
    ("nd_send_bw, receives in lists", lambda: talks("nd_send_bw", flags_of("", "-b", "--recv_post_list", "7", "-r", "15"))),
    ("messages a second are limited", lambda: paced(["-n", "40", "--rate_limit", "1e3", "--rate_units", "p", "--burst_size", "2"], 1e-3)),
    ("messages a second are limited with events",
     lambda: paced(["-n", "400", "-e", "--rate_limit", "1e3", "--rate_units", "p", "--burst_size", "2"], 1e-3, least=5e-5)),
    ("bits a second are limited", lambda: paced(["-n", "40", "-l", "4", "--burst_size", "4", "--rate_limit", "0.008"], 1e-3)),
    *((f"{t} without an end", lambda t=t: runs_on(t)) for t in ("nd_send_bw", "nd_write_bw")),
    ("every second", progress),
    ("percentiles of a number of messages", lambda: percentiles(["-n", "200"], 199)),
    ("percentiles of a duration", lambda: percentiles(["-D", "2"], 0)),
    ("pauses between messages", pauses),
    ("latency of every second", lat_progress),
    ("CPU time and counters", usage),
    ("counters of the run alone", counts_from_the_start),
    ("latency in cycles", cycles),
    ("losses", losses),
    ("a counter that is not there", lambda: refuses(["-W", "posts,pots"], 1, "no counter 'pots'")),
    *((f"{t} with parameters over the RDMA CM only", lambda t=t: talks(t, flags_of(t, "-z"), "192.0.2.1"))
      for t in ("nd_send_bw", "nd_write_lat", "nd_read_bw")),
    ("-z over IPv6", lambda: says(["-z", "-q", "2"], "2001:db8::1", "rdma_cm QPs\t : OFF\n Data ex. method : rdma_cm\n")),
    ("--ipv6", lambda: says(["--ipv6"], "127.0.0.1", "GID index       : 1\n")),
    ("--ipv6-addr", lambda: refuses(["--ipv6-addr", "127.0.0.1"], 1, "nd_send_bw: 127.0.0.1: ")),
    ("without versions", lambda: talks("nd_write_bw", flags_of("", "--dont_xchg_versions"))),
    ("hop limit and flow label", lambda: fields(["--ipv6", "-L", "7", "--flow_label", "0x12345", "--tclass", "0x12"], header=b"\x61\x21\x23\x45\x00\x58\x11\x07")),
    ("source address over TCP", lambda: first_contact(["--source_ip", "127.0.0.3"], "127.0.0.3", b"6.06" + bytes(12))),
    ("no versions", lambda: first_contact(["--dont_xchg_versions"], "127.0.0.1", b"\0\0\x10\0")),
    ("a source address that is not there", lambda: no_such_source(["--source_ip", "203.0.113.9"], "cannot listen")),
    ("a source address that the adapter does not have", lambda: no_such_source(["-R", "--source_ip", "203.0.113.9"], "no address of the adapter")),
    *((f"{t} prints its {o} alone", lambda t=t, o=o: one_figure(t, o))
      for t, o in (("nd_write_bw", "bandwidth"), ("nd_send_bw", "message_rate"), ("nd_read_lat", "latency"))),
    ("waits before the queue pairs go", waits),
    ("messages before the clock starts", warms_up),
    ("memory in hugepages", hugepages),
    ("a shared receive queue", shares_receives),
    *((f"{t} with a shared receive queue, {' '.join(more)}", lambda t=t, more=more: talks(t, flags_of(t, "--use-srq", *more)))
      for t, more in (("nd_send_bw", ["-b", "-q", "3"]), ("nd_send_bw", ["--recv_post_list", "5", "-r", "16"]), ("nd_send_lat", []))),
    *((f"{t}, a region for each queue pair", lambda t=t: own_regions(t)) for t in ("nd_write_bw", "nd_read_bw")),
    ("an adapter that is not there", lambda: refuses(["-d", "nobody"], 1, "no adapter 'nobody'; it has: test-a")),
    ("an address that is not there", lambda: refuses(["-x", "9"], 1, "the adapter has 2 addresses")),
    ("every flag of perftest", perftest_flags),
    ("a flag that is not there", lambda: refuses(["--oddp"], 2, "--oddp is no flag")),
    ("a flag of perftest's that is refused", lambda: refuses(["--odp"], 2, "--odp of perftest is not here: memory is never pinned")),
    ("a host that is not there", lambda: refuses(["-p", "1", "127.0.0.1"], 1, "cannot connect: Connection refused")),
    ("server killed", server_dies),
    ("a server that takes no READs", no_reads),
]

if __name__ == "__main__":
    tap.run(CHECKS)
