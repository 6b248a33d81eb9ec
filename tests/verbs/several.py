"""Several servers and clients at a time behind one softrnicd, all with one address: UCX, and libfabric, which connects by rdma_cm."""
import concurrent.futures
import functools
import re

from rig import Process
from ucx import RC
from verbs import END_S, Folder, case, environment, need, need_namespace, pair, softrnicd

SERVER = "192.0.2.1"
PORTS = 13401, 13402
# On a busy machine an end of fi_pingpong may close its endpoint before the other has taken its last completion. The results are
# complete then, and the data was compared.
GOODBYE = r"cq_readerr: Work Request Flushed Error"


@case(core=False)
def several_ucx_pairs(build):
    """Each pair meets over TCP and exchanges the addresses of its queue pairs there."""
    need("ucx_perftest")
    words = [*RC, "ucx_perftest", "-w", "100", "-t", "tag_lat", "-n", "500", "-s", "3000"]
    with Folder() as f, softrnicd(build, f) as socket, concurrent.futures.ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda _: pair(build, words, daemon=socket), range(2)))
    bad = [line for complaints, *_ in ends for line in complaints]
    return bad or [f"no result: {text[-300:]}" for _, _, text in ends if not re.search(r"^Final: +\d+ ", text, re.M)]


@case
def several_ucx_rdmacm(build):
    """io_demo connects by rdma_cm. Each of two clients reads from and writes to both servers at a time, and the data is compared."""
    need("io_demo")
    words = ["env", *RC[1:], "UCX_SOCKADDR_TLS_PRIORITY=rdmacm", "io_demo", "-q", "-d", "512:20000"]
    ends, bad = [], []
    with Folder() as f, softrnicd(build, f) as socket:
        env = dict(environment(build), SOFTRNIC_DAEMON=socket)
        servers = [Process([*words, "-p", str(port)], env, f.path / f"server{port}.log") for port in PORTS]
        try:
            clients = [Process([*words, "-o", "read,write", "-i", "200", "-c", "100", "-y", "0.2", *(f"{SERVER}:{port}" for port in PORTS)], env,
                               f.path / f"client{i}.log") for i in range(2)]
            ends = [(client.end(END_S), client.text) for client in clients]
        finally:
            for server in servers:
                server.kill()
        bad = [f"a server says {line}" for server in servers for line in server.text.splitlines() if "ERROR" in line]
    return bad + [f"a client ends with {status}: {line}" for status, text in ends if status for line in text.splitlines()[-8:]]


FABRIC = """
ip link set lo up && ip link add v1 type veth peer name v2 && ip addr add 192.0.2.1/32 dev v1 && ip link set v1 up && ip link set v2 up
for n in 1 2; do timeout -k 1 {limit} fi_pingpong -B 4760$n "$@" > {folder}/server$n.log 2>&1 & done
for n in 1 2; do until ss -ltn | grep -q :4760$n; do sleep 0.05; done; done
for n in 1 2; do timeout {limit} fi_pingpong -P 4760$n "$@" 192.0.2.1 > {folder}/client$n.log 2>&1 & clients="$clients $!"; done
for pid in $clients; do wait $pid || status=1; done
[ -z "$status" ] || kill $(jobs -p)
exit $status
"""


def fabric(provider, kind, build):
    need("fi_pingpong")
    need_namespace()
    with Folder() as f, softrnicd(build, f) as socket:
        words = ["-p", provider, "-e", kind, "-I", "100", "-S", "4096", "-c"]
        done = Process(["unshare", "-rn", "sh", "-c", FABRIC.format(folder=f.path, limit=END_S // 2), "sh", *words],
                       dict(environment(build), SOFTRNIC_DAEMON=socket), f.path / "log")
        status = done.end(END_S)
        texts = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in sorted(f.path.glob("*[12].log"))}
    rows = sum(len(re.findall(r"^4k .*$", texts.get(f"client{n}.log", ""), re.M)) for n in (1, 2))
    errors = [line for text in texts.values() for line in text.splitlines() if "[error]" in line and not re.search(GOODBYE, line)]
    if rows == 2 and not errors and (status == 0 or any(re.search(GOODBYE, text) for text in texts.values())):
        return []
    return [f"ends with {status}, {rows} results"] + [f"{name}: {line}" for name, text in texts.items() for line in text.splitlines()[-6:]]


for label, fabric_provider, endpoint in ("msg", "verbs", "msg"), ("rdm", "verbs;ofi_rxm", "rdm"):
    case(functools.partial(fabric, fabric_provider, endpoint), core=False, name=f"several_libfabric_{label}")
