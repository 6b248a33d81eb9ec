"""libfabric's verbs provider: fi_info lists the device, and fi_pingpong compares its data.

libfabric looks for source addresses at the interfaces of the host, except lo, and the two programs of fi_pingpong also meet over TCP.
So they run in a network namespace with the addresses on a pair of veth interfaces, over which no frame of RoCE passes."""
import functools

from rig import Process
from verbs import END_S, Folder, case, environment, need, need_namespace

# name, provider, kind of endpoint, is in the core set
ROWS = [("msg", "verbs", "msg", True), ("rdm", "verbs;ofi_rxm", "rdm", True), ("dgram", "verbs", "dgram", False)]
SIZES = 64, 256, 1024, 4096
SCRIPT = """
ip link set lo up && ip link add v1 type veth peer name v2
for n in 1 2; do ip addr add 192.0.2.$n/32 dev v$n; ip link set v$n up; done
timeout -k 1 {limit} fi_pingpong "$@" > {folder}/server.log 2>&1 &
server=$!
for i in $(seq 400); do ss -ltn | grep -q :47592 && break; sleep 0.05; done
SOFTRNIC_CONFIG={config} timeout {limit} fi_pingpong "$@" 192.0.2.1 || kill $server
wait $server
"""


def in_namespace(build, folder, script, words, configs):
    """Runs a shell script in a network namespace of its own, with the adapter of the first configuration; returns status and text."""
    need_namespace()
    script = script.format(folder=folder, config=configs[1], limit=END_S // 2)
    done = Process(["unshare", "-rn", "sh", "-c", script, "sh", *words], environment(build, configs[0]), folder / "log")
    return done.end(END_S), done.text


@case
def libfabric_lists(build):
    need("fi_info")
    with Folder() as f:
        status, text = in_namespace(build, f.path, "ip link set lo up; exec fi_info -p verbs", [], [f.memif(1), f.memif(2)])
    wanted = ["domain: softrnic0", "type: FI_EP_MSG", "type: FI_EP_DGRAM", "provider: verbs;ofi_rxm"]
    return [f"fi_info ends with {status}: {text[-300:]}"] if status else [f"not listed: {line}" for line in wanted if line not in text]


def pingpong(provider, kind, build):
    need("fi_pingpong")
    with Folder() as f:
        status, text = in_namespace(build, f.path, SCRIPT, ["-p", provider, "-e", kind, "-I", "100", "-c"], [f.memif(1), f.memif(2)])
        server = (f.path / "server.log").read_text(encoding="utf-8") if (f.path / "server.log").exists() else ""
    rows = [line for line in text.splitlines() if "=100" in line]
    if status == 0 and len(rows) >= len(SIZES):
        return []
    return [f"ends with {status}: {line}" for line in text.splitlines()[-6:] + server.splitlines()[-6:]]


for label, provider, kind, is_core in ROWS:
    case(functools.partial(pingpong, provider, kind), core=is_core, name=f"libfabric_{label}")
