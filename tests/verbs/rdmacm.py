"""Programs of rdma_cm: Debian's librdmacm over the emulated device. They compare their data where they can."""
import filecmp
import functools
import os
import re
import time

from rig import Process
from verbs import END_S, Folder, case, environment, need, need_namespace, softrnicd

SERVER = "192.0.2.1"
# Threads of rping may wait for events while another closes the channel; without luck, of Linux too.
RACE = r"rdma_get_cm_event: Bad file descriptor"
TRIES = 4  # a client that comes before its server listens is refused, as by Linux; the server does not notice

# name, words of the server, words of the client, does the server end by itself, text that must appear, is in the core set
ROWS = [
    ("rping", "rping -s -v -C 10", "rping -c -v -C 10 -a {}", True, "ping data: rdma-ping-9", True),
    ("rping_odd_size", "rping -s -V -C 20 -S 4097", "rping -c -V -C 20 -S 4097 -a {}", True, "", True),
    ("rping_small_size", "rping -s -V -C 20 -S 67", "rping -c -V -C 20 -S 67 -a {}", True, "", False),
    ("rping_ipv6", "rping -s -v -C 10 -a ::", "rping -c -v -C 10 -a 2001:db8::1", True, "ping data: rdma-ping-9", True),
    ("rping_ipv6_address", "rping -s -v -C 10 -a 2001:db8::1", "rping -c -v -C 10 -a 2001:db8::1", True, "rdma-ping-9", False),
    ("rping_address", "rping -s -v -C 10 -a {}", "rping -c -v -C 10 -a {}", True, "ping data: rdma-ping-9", False),
    ("rping_source", "rping -s -v -C 10", "rping -c -v -C 10 -a {} -I 192.0.2.2", True, "ping data: rdma-ping-9", False),
    ("rping_port", "rping -s -v -C 10 -p 9000", "rping -c -v -C 10 -a {} -p 9000", True, "ping data: rdma-ping-9", False),
    ("rping_own_qp", "rping -s -v -C 10 -q", "rping -c -v -C 10 -a {} -q", True, "ping data: rdma-ping-9", True),
    ("rping_persistent", "rping -s -v -P", "rping -c -v -C 10 -a {}", False, "ping data: rdma-ping-9", True),
    ("ucmatose", "ucmatose", "ucmatose -s {}", True, "return status 0", True),
    ("ucmatose_many", "ucmatose -c 20 -C 5 -S 1001", "ucmatose -s {} -c 20 -C 5 -S 1001", True, "return status 0", True),
    ("ucmatose_migrate", "ucmatose -c 4 -m", "ucmatose -s {} -c 4 -m", True, "return status 0", False),
    ("ucmatose_tos", "ucmatose -t 8", "ucmatose -s {} -t 8", True, "return status 0", False),
    ("rdma_client", "rdma_server", "rdma_client -s {}", True, "end 0", True),
    ("cmtime", "cmtime", "cmtime -s {} -c 100", False, "disconnect", True),
    ("send_bw", "ib_send_bw -F -R -n 1000", "ib_send_bw -F -R -n 1000 {}", True, "#bytes", True),
    ("write_bw", "ib_write_bw -F -R -n 1000", "ib_write_bw -F -R -n 1000 {}", True, "#bytes", False),
    ("write_bw_4_qps", "ib_write_bw -F -R -n 1000 -q 4", "ib_write_bw -F -R -n 1000 -q 4 {}", True, "#bytes", False),
    ("read_lat", "ib_read_lat -F -R -n 1000", "ib_read_lat -F -R -n 1000 {}", True, "#bytes", True),
    ("atomic_bw", "ib_atomic_bw -F -R -n 200", "ib_atomic_bw -F -R -n 200 {}", True, "#bytes", False),
    ("send_bw_events", "ib_send_bw -F -R -e -n 1000", "ib_send_bw -F -R -e -n 1000 {}", True, "#bytes", False),
    ("send_bw_ud", "ib_send_bw -F -R -c UD -n 1000", "ib_send_bw -F -R -c UD -n 1000 {}", True, "#bytes", False),
    ("rstream_blocking", "rstream -T b -T v -S 4097 -C 20 -I 5", "rstream -T b -T v -S 4097 -C 20 -I 5 -s {}", True, "custom", True),
    ("rstream_nonblocking", "rstream -T n -T v -S 70001 -C 20 -I 5", "rstream -T n -T v -S 70001 -C 20 -I 5 -s {}", True, "custom", False),
    # A client with -T a may take the server's goodbye, which follows the last data, for an error.
    ("rstream_poll", "rstream -T a -T v -S 1001 -C 20 -I 5", "rstream -T b -T v -S 1001 -C 20 -I 5 -s {}", True, "custom", True),
    ("riostream", "riostream -T b -S 64 -C 10 -I 5", "riostream -T b -S 64 -C 10 -I 5 -s {}", True, "custom", False),
    ("udaddy", "udaddy", "udaddy -s {}", True, "return status 0", True),
    ("udaddy_many", "udaddy -c 8 -C 20 -S 1000", "udaddy -s {} -c 8 -C 20 -S 1000", True, "return status 0", False),
    ("mckey", "mckey -m 239.1.2.3 -b 192.0.2.1", "mckey -m 239.1.2.3 -b 192.0.2.2 -s", True, "return status 0", True),
    ("mckey_ipv6", "mckey -m ff0e::77 -b 2001:db8::1", "mckey -m ff0e::77 -b 2001:db8::2 -s", True, "return status 0", False),
]


def connect(one, start, tries, seconds):
    """Starts clients until one succeeds. Returns (exit status, text) of the last one."""
    for left in reversed(range(tries)):
        other = start()
        status = other.end(seconds)
        if status == 0 or left == 0 or one.child.poll() is not None:
            return status, other.text
        time.sleep(0.5)
    return -1, ""


def last_lines(who, status, text):
    lines = [line for line in text.splitlines() if "ping data" not in line]
    return [f"the {who} ends with {status}: {line}" for line in lines[-8:] or ["(says nothing)"]]


def meet(server, client, envs, folder, ends=True, expect="", clients=1, tries=TRIES, seconds=END_S):
    """Runs a server and its client or clients, one after another. Returns complaints."""
    need(server[0])
    need(client[0])
    one = Process(server, envs[0], folder / "server.log")
    bad, numbers = [], iter(range(100))
    try:
        # The server's adapter is the one that makes the socket of memif.
        until = time.monotonic() + 10
        while not (folder / "memif.sock").exists() and one.child.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.2)
        for _ in range(clients):
            status, text = connect(one, lambda: Process(client, envs[1], folder / f"client{next(numbers)}.log"), tries, seconds)
            bad += last_lines("client", status, text) if status else []
            bad += [f"the client does not say {expect!r}: {line}" for line in text.splitlines()[-8:]] if expect not in text else []
        if ends and not bad:
            status = one.end(END_S)
            bad += last_lines("server", status, one.text) if status and not re.search(RACE, one.text) else []
    finally:
        if one.child.poll() is None:
            one.kill()
    return bad


def play(row, build, clients=1, **limits):
    _, server, client, ends, expect, _ = row
    with Folder() as f:
        envs = [environment(build, f.memif(side)) for side in (1, 2)]
        return meet(server.format(SERVER).split(), client.format(SERVER).split(), envs, f.path, ends, expect, clients, **limits)


def until_met(attempt):
    """Plays perftest with -R, where the two meet twice. The server of perftest begins to listen for the second time when the client
    knows already that it may come. A client that is quicker is refused, as by Linux, and both are lost: they begin again."""
    bad = []
    for _ in range(6):
        bad = attempt()
        if not bad:
            break
    return bad


def play_perftest(row, build):
    return until_met(lambda: play(row, build, tries=1, seconds=25))


for columns in ROWS:
    if columns[1].startswith("ib_"):
        case(functools.partial(play_perftest, columns), core=columns[-1], name=f"rdmacm_{columns[0]}")
    else:
        case(functools.partial(play, columns, clients=3 if columns[0] == "rping_persistent" else 1), core=columns[-1], name=f"rdmacm_{columns[0]}")


@case(core=False)
def rdmacm_rcopy(build):
    with Folder() as f:
        envs = [environment(build, f.memif(side)) for side in (1, 2)]
        (f.path / "from").write_bytes(os.urandom(1000003))
        bad = meet(["rcopy"], ["rcopy", str(f.path / "from"), f"{SERVER}:{f.path}/to"], envs, f.path, ends=False)
        return bad or ([] if filecmp.cmp(f.path / "from", f.path / "to", shallow=False) else ["the copy differs"])


def fio(verb, build):
    """The rdma engine of fio: the job runs in a child of the program."""
    with Folder() as f:
        envs = [environment(build, f.memif(side)) for side in (1, 2)]
        words = ["fio", "--name=x", "--ioengine=rdma", "--port=7777", "--bs=64k", "--size=4m"]
        bad = meet([*words, "--rw=read", "--iodepth=16"],
                   [*words, f"--hostname={SERVER}", f"--verb={verb}", "--rw=write", "--iodepth=4"], envs, f.path,
                   expect="err= 0")
    return bad


for fio_verb in ("write", "read", "send"):
    case(functools.partial(fio, fio_verb), core=fio_verb == "write", name=f"rdmacm_fio_{fio_verb}")


@case(core=False)
def rdmacm_qperf(build):
    """qperf also meets its server over TCP at the address of the adapter: in a network namespace where the host has that address."""
    need("qperf")
    need_namespace()
    with Folder() as f:
        ours, theirs = f.memif(1), f.memif(2)
        env = environment(build, ours)
        script = (f"ip link set lo up && ip addr add {SERVER}/32 dev lo && (qperf & echo $! > {f.path}/pid) && "
                  "for i in $(seq 400); do ss -ltn | grep -q :19765 && break; sleep 0.05; done; "
                  f"SOFTRNIC_CONFIG={theirs} qperf {SERVER} -t 1 -cm1 rc_bw rc_lat; kill $(cat {f.path}/pid)")
        done = Process(["unshare", "-rn", "sh", "-c", script], env, f.path / "log")
        status, text = done.end(END_S), done.text
    return [] if re.search(r"bw +=", text) and re.search(r"latency +=", text) else last_lines("program", status, text)


@case
def rdmacm_two_processes_share_an_address(build):
    with Folder() as f, softrnicd(build, f) as socket:
        envs = [dict(environment(build), SOFTRNIC_DAEMON=socket)] * 2
        return meet(["rping", "-s", "-v", "-C", "10"], ["rping", "-c", "-v", "-C", "10", "-a", SERVER], envs, f.path,
                    expect="ping data: rdma-ping-9")
