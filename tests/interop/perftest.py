"""Cases of perftest's programs against perf/nd_*: by server, exchange of parameters, verb, size,
path MTU and number of QPs."""
from lab import OWN_TCP, PEER_TCP
from pairs import Pair

TCP_PORT = 18515
# perftest -R connects twice; its server may not listen yet when the second connection arrives.
ONCE_MORE = r"RDMA_CM_EVENT_REJECTED, error: 8|refused, reason 8"


def perf(verb, flags, serve, cm=False, family=4, theirs_more="", allow="", port=TCP_PORT, **more):
    """verb: as in ib_VERB. theirs_more: additional flags of the peer. cm: parameters are exchanged
    through the RDMA CM, else over TCP between the two kernels."""
    gid = {4: 1, 6: 2}[family]
    # An emulated peer may need 0.2 s for one window of packets, and the host may suspend it for
    # longer than the eight timeouts of 67 ms that the default -u gives.
    if verb.endswith("_bw") and " -c " not in flags:
        flags += " -u 18"
    flags += f" -p {port}"
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
    return Pair(serve, ours, theirs, family, listens="Waiting for client", port=None if cm else port,
                cm_port=port if cm else None,
                once_more=ONCE_MORE if cm else "",
                # The peer chooses the rate of READ responses: the kernel's socket ring may overflow
                # while softrnic's thread waits for a CPU.
                allow=allow + (" loss" if verb == "read_bw" else ""), **more)


# verb, flags, core. The amounts are small because the guest only transfers some tens of MB per
# second.
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

# verb, flags, server, through the RDMA CM?, further arguments of perf()
MORE_ROWS = [
    *((verb, "-s 65536 -n 100 -m 4096", serve, True, {"mtu": 9000})
      for verb in ("send_bw", "write_bw", "read_bw") for serve in ("ours", "theirs")),
    *((verb, "-s 4097 -n 200", serve, False, {"family": 6})
      for verb in ("send_bw", "write_bw", "read_bw") for serve in ("ours", "theirs")),
    # The peer has few receives: it sends RNR NAKs, and softrnic waits.
    ("send_bw", "-s 1000 -n 500", "theirs", False, {"theirs_more": "-r 5", "allow": "rnr"}),
    ("send_bw", "-s 1000 -n 500", "theirs", False, {"theirs_more": "--use-srq", "allow": "rnr"}),
]
