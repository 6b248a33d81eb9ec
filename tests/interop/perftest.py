"""perftest's programs against our counterparts: who serves, how parameters are exchanged, verb, size, path MTU, queue pairs."""
from lab import OWN_TCP, PEER_TCP
from pairs import Pair

TCP_PORT = 18515
# perftest -R connects twice, the second time to a port where its server may not listen again yet.
ONCE_MORE = r"RDMA_CM_EVENT_REJECTED, error: 8|refused, reason 8"


def perf(verb, flags, serve, cm=False, family=4, theirs_more="", allow="", **more):
    """verb: as in ib_VERB_bw. theirs_more: flags of the peer alone. cm: parameters go through the RDMA CM; else over TCP, beside softrnic, between the kernels."""
    gid = {4: 1, 6: 2}[family]
    # A window of packets keeps an emulated peer busy for up to 0.2 s, and its machine may stop it for longer: more than eight
    # times the 67 ms that -u is otherwise.
    if verb.endswith("_bw") and " -c " not in flags:
        flags += " -u 18"
    ours, theirs = f"perf/nd_{verb} {flags}", f"ib_{verb} -d rxe0 -x {gid} -F {flags} {theirs_more}"
    if cm:
        ours, theirs = ours + " -R", theirs + " -R"
        to_theirs, to_ours = "{peer}", "{own}"
    else:
        ours += f" -x {gid - 1}"
        to_theirs, to_ours = PEER_TCP, OWN_TCP
    if serve == "theirs":
        ours += " " + to_theirs
    else:
        theirs += " " + to_ours
    return Pair(serve, ours, theirs, family, listens="Waiting for client", port=None if cm else TCP_PORT,
                once_more=ONCE_MORE if cm else "",
                # What READs ask for comes at the peer's pace: the kernel's ring runs over while our thread waits for a CPU.
                allow=allow + (" loss" if verb == "read_bw" else ""), **more)


# verb, flags, in the core. Bytes are bounded: the guest moves some tens of megabytes a second.
ROWS = [
    ("send_bw", "-s 65536 -n 100", True), ("write_bw", "-s 65536 -n 100", True), ("read_bw", "-s 65536 -n 100", True),
    ("atomic_bw", "-n 500", True), ("atomic_bw", "-n 300 -A CMP_AND_SWAP", False),
    ("send_lat", "-s 2 -n 200", False), ("write_lat", "-s 8 -n 200", False), ("read_lat", "-s 64 -n 200", False),
    ("atomic_lat", "-n 200", False),
    ("send_bw", "-s 1 -n 1000", False), ("write_bw", "-s 33 -n 500", False), ("read_bw", "-s 1025 -n 200", False),
    ("write_bw", "-s 8388607 -n 5", False), ("read_bw", "-s 8388607 -n 5", False), ("send_bw", "-s 8388607 -n 5", False),
    ("send_bw", "-s 10000 -n 100 -q 8", False), ("write_bw", "-s 10000 -n 100 -q 8", False),
    ("read_bw", "-s 10000 -n 50 -q 8", False),
    ("write_bw", "-s 20000 -n 100 -b", False), ("send_bw", "-s 20000 -n 100 -b", False), ("read_bw", "-s 20000 -n 100 -b", False),
    ("send_bw", "-s 30000 -n 50 -m 256", False), ("write_bw", "-s 30000 -n 50 -m 512", False),
    ("read_bw", "-s 30000 -n 50 -m 256", False),
    ("send_bw", "-s 30000 -n 50 -c UC", False), ("write_bw", "-s 30000 -n 50 -c UC", False),
    ("send_bw", "-s 1024 -n 50 -t 4 -c UD", False), ("send_lat", "-s 200 -n 50 -c UD", False),
]

# verb, flags, who serves, RDMA CM?, what else
MORE_ROWS = [
    *((verb, "-s 65536 -n 100 -m 4096", serve, True, {"mtu": 9000})
      for verb in ("send_bw", "write_bw", "read_bw") for serve in ("ours", "theirs")),
    *((verb, "-s 4097 -n 200", serve, False, {"family": 6})
      for verb in ("send_bw", "write_bw", "read_bw") for serve in ("ours", "theirs")),
    # Few receives on the peer's side: it says so with RNR NAKs, and we wait.
    ("send_bw", "-s 1000 -n 500", "theirs", False, {"theirs_more": "-r 5", "allow": "rnr"}),
    ("send_bw", "-s 1000 -n 500", "theirs", False, {"theirs_more": "--use-srq", "allow": "rnr"}),
]
