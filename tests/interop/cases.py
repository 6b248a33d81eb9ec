"""The table of cases: the program in the guest, softrnic's program, and what their output must
show. Continuous integration runs those with `core` set."""
from crowd import Crowd, DaemonEnds, DaemonRestarts, ProcessDies
from pairs import Pair
from perftest import MORE_ROWS, ROWS, perf
from special import Judged, PeerDies, Ping, Refused

LOSS = "impair = {{ loss = {0}; seed = {1}; }};"


class Case:
    """lab: how the guest is connected, a row of run.LABS."""

    def __init__(self, name, play, core=False, lab="tap"):
        self.name, self.play, self.core, self.lab = name, play, core, lab


def rping(who, family, size, rounds, port=7174, **more):
    """rping's protocol. `who` is the active side: "ours" is softrnic, "theirs" is soft-RoCE. The
    active side compares the data."""
    if who == "ours":
        return Pair("theirs", f"tools/nd_rping -c -a {{peer}} -p {port} -S {size} -C {rounds} -V",
                    f"rping -s -a {{peer}} -p {port} -S {size} -C {rounds}", family, cm_port=port,
                    says_ours=f"{rounds} rounds of {size} bytes, data compared", want_theirs=None, **more)
    return Pair("ours", f"tools/nd_rping -s -a {{own}} -p {port} -C {rounds}",
                f"rping -c -a {{own}} -p {port} -S {size} -C {rounds} -V", family, says_ours=f"served {rounds} rounds", **more)


def rping_cases():
    # bytes, rounds, core: the limits of rping's range, odd sizes, sizes next to the path MTU and
    # the page size
    sizes = [(23, 300, True), (26, 100, False), (27, 100, False), (63, 100, False), (64, 100, False), (1023, 100, False), (1024, 100, True),
             (1025, 100, True), (4097, 100, False), (30001, 60, False), (65535, 60, True)]
    for family in (4, 6):
        for who in ("ours", "theirs"):
            for size, rounds, core in sizes:
                yield Case(f"rping, {who} connects, IPv{family}, {size} bytes, {rounds} rounds",
                           rping(who, family, size, rounds), core and (family == 4 or size in (23, 65535)))


def mtu_cases():
    for mtu in (1500, 4200, 9000):
        for who in ("ours", "theirs"):
            yield Case(f"rping, {who} connects, MTU {mtu} here and there", rping(who, 4, 20001, 60, mtu=mtu), mtu == 9000)
    for who in ("ours", "theirs"):
        # CM messages do not carry the MTU of the peer's link: the active side needs a configured
        # path MTU, the passive side gets it from the REQ.
        yield Case(f"rping, {who} connects, MTU 9000 here, 1500 there",
                   rping(who, 4, 20001, 60, mtu=9000, peer_mtu=1500, adapter="max_path_mtu = 1024;" if who == "ours" else ""))
    yield Case("rping, ours connects, MTU 1500 here, 9000 there", rping("ours", 4, 20001, 60, mtu=1500, peer_mtu=9000))
    # Linux requests the path MTU of its own link. softrnic cannot use it and rejects with reason 26
    # (invalid path MTU).
    yield Case("rping, theirs connects, MTU 1500 here, 9000 there: refused",
               Refused("theirs", 4, "RDMA_CM_EVENT_REJECTED, error 26", 7000, mtu=1500, peer_mtu=9000))


def loss_cases():
    for who in ("ours", "theirs"):
        for percent, rounds in ((1, 40), (5, 12)):
            yield Case(f"rping, {who} connects, {percent} % of our frames lost",
                       rping(who, 4, 20001, rounds, allow="loss", seconds=90, more=LOSS.format(f"{percent}.0", percent),
                             want=["port_impaired_lost"]), percent == 1)
            yield Case(f"rping, {who} connects, {percent} % of the peer's frames lost",
                       rping(who, 4, 20001, rounds, allow="loss", seconds=90, netem=f"loss {percent}%"), percent == 1)
        yield Case(f"rping, {who} connects, our frames lost, doubled, overtaken",
                   rping(who, 4, 20001, 40, allow="loss", seconds=90,
                         more="impair = { loss = 1.0; dup = 2.0; reorder = 2.0; seed = 3; };",
                         want=["port_impaired_dup", "port_impaired_late"]))
        yield Case(f"rping, {who} connects, our frames corrupted",
                   rping(who, 4, 20001, 40, allow="loss", seconds=90, more="impair = { corrupt = 1.0; seed = 4; };",
                         want=["port_impaired_bad"]))
        yield Case(f"rping, {who} connects, the peer's frames lost, doubled, overtaken, late",
                   rping(who, 4, 20001, 40, allow="loss", seconds=90,
                         netem="delay 1ms loss 1% duplicate 2% reorder 90% 50%"))
        yield Case(f"rping, {who} connects, the peer's frames corrupted",
                   rping(who, 4, 20001, 40, allow="loss verdict_ICRC verdict_BTH_LENGTH verdict_BTH_OPCODE verdict_IP_HEADER "
                         "verdict_BTH_VERSION verdict_UDP_LENGTH verdict_FRAME_SHORT verdict_UDP_CHECKSUM verdict_ARP_BAD "
                         "verdict_IP_OPTIONS verdict_IP_FRAGMENT", seconds=90, netem="corrupt 1%"))


def ucmatose(who, family, connections, count, size, ours="", port=7471, **more):
    """ucmatose's protocol: the server sends, the client sends the same data back, the server
    disconnects."""
    numbers = f"-p {port} -c {connections} -C {count} -S {size}"
    if who == "ours":
        return Pair("theirs", f"tools/nd_ucmatose -s {{peer}} {numbers} {ours}", f"ucmatose -b {{peer}} {numbers}", family, cm_port=port,
                    says_ours="data compared", says_theirs="disconnected", **more)
    return Pair("ours", f"tools/nd_ucmatose -b {{own}} {numbers} {ours}", f"ucmatose -s {{own}} {numbers}", family,
                says_ours="data compared", says_theirs="data transfers complete" if count else "return status 0", **more)


def ucmatose_cases():
    for who in ("ours", "theirs"):
        for family, connections, count, size, core in (
                (4, 1, 10, 100, True), (6, 1, 10, 100, False), (4, 1, 0, 100, False), (4, 1, 1000, 1, True), (4, 1, 300, 4099, False),
                (4, 1, 20, 1048576, False), (4, 16, 50, 1000, True), (6, 64, 5, 3, False)):
            yield Case(f"ucmatose, {who} connects, IPv{family}, {connections} connections, {count} messages of {size} bytes",
                       ucmatose(who, family, connections, count, size), core)
        yield Case(f"ucmatose, {who} connects, 1 % lost each way",
                   # Linux repeats its DREQ after a second: the process must still exist then, in
                   # case its DREP was lost.
                   ucmatose(who, 4, 4, 50, 10000, seconds=90, allow="loss", netem="loss 1%",
                            more=LOSS.format("1.0", 7) + "timers = { close_linger_ms = 6000; };"))


def perftest_cases():
    for verb, flags, core in ROWS:
        for serve in ("theirs", "ours"):
            for cm in (False, True):
                if cm and "-c U" in flags:
                    continue  # perf/nd_* support the RDMA CM for RC only
                yield Case(f"perftest {verb} {flags}, {serve} serves, {'RDMA CM' if cm else 'TCP'}", perf(verb, flags, serve, cm),
                           core and cm == (serve == "ours"))
    for verb, flags, serve, cm, more in MORE_ROWS:
        told = " ".join(f"{k} {v}".strip() for k, v in more.items() if k != "allow")
        yield Case(f"perftest {verb} {flags}, {serve} serves, {'RDMA CM' if cm else 'TCP'} {told}".rstrip(),
                   perf(verb, flags, serve, cm, **more))


def udaddy(who, family, connections, count, size, **more):
    """udaddy's protocol: the client resolves the service by SIDR and sends datagrams, the server
    sends them back."""
    numbers = f"-c {connections} -C {count} -S {size}"
    if who == "ours":
        return Pair("theirs", f"tools/nd_udaddy -s {{peer}} {numbers}", f"udaddy -b {{peer}} {numbers}", family,
                    says_ours="data compared", want_theirs=0, **more)
    return Pair("ours", f"tools/nd_udaddy -b {{own}} {numbers}", f"udaddy -s {{own}} {numbers}", family, says_ours="data compared",
                **more)


def udaddy_cases():
    for who in ("ours", "theirs"):
        for family, connections, count, size, core in ((4, 1, 0, 100, False), (4, 1, 10, 100, True), (6, 1, 10, 100, True),
                                                       (4, 1, 100, 1000, False), (4, 8, 20, 33, False), (6, 4, 20, 1024, False)):
            yield Case(f"udaddy, {who} asks, IPv{family}, {connections} services, {count} datagrams of {size} bytes",
                       udaddy(who, family, connections, count, size), core)


def receive_cases():
    for who in ("ours", "theirs"):
        yield Case(f"ucmatose, {who} connects, we have 4 receives for 200 messages: RNR NAK from us",
                   ucmatose(who, 4, 1, 200, 1000, "-r 4 -w 200", allow="rnr", want=["tx_rnr_naks"]), True)
        yield Case(f"ucmatose, {who} connects, through a shared receive queue",
                   ucmatose(who, 4, 4, 100, 3000, "-Q", want=["srq_taken"]), who == "theirs")
        yield Case(f"ucmatose, {who} connects, 4 receives in a shared receive queue: RNR NAK from us",
                   ucmatose(who, 4, 1, 200, 3000, "-Q -r 4 -w 200", allow="rnr", want=["srq_taken", "tx_rnr_naks"]))
    # ucmatose requests rnr_retry_count 0: a sender that exceeds its receives fails at the first RNR
    # NAK.
    yield Case("ucmatose, theirs connects with 5 receives, we send 50: RNR NAK from the peer, no retry asked for",
               Pair("ours", "tools/nd_ucmatose -b {own} -C 50", "ucmatose -s {own} -C 5", 4, want_ours=1, want_theirs=None,
                    allow="rnr rnr_retry_exceeded done_error", want=["verdict_RSP_RNR"]), True)


def other_cases():
    for who in ("ours", "theirs"):
        for family in (4, 6):
            yield Case(f"every frame judged: rping, {who} connects, IPv{family}", Judged(rping(who, family, 5001, 20)), family == 4)
    for family in (4, 6):
        # cmtime disconnects as soon as all connections are up, and so does softrnic's server: the
        # DREQs cross.
        yield Case(f"cmtime, 100 connections over IPv{family}, both disconnect at once",
                   Pair("ours", "tools/nd_ucmatose -b {own} -c 100 -C 0", "cmtime -s {own} -c 100", family), family == 4)


def vhost_cases():
    """The guest's virtio card is softrnic's port."""
    def case(name, play, core=False):
        return Case(f"vhost: {name}", play, core, "vhost")

    for who in ("ours", "theirs"):
        for family, size, more, core in ((4, 23, {}, True), (4, 30001, {}, False), (6, 4097, {}, False), (6, 65535, {"mtu": 9000}, True)):
            yield case(f"rping, {who} connects, IPv{family}, {size} bytes, MTU {more.get('mtu', 1500)}", rping(who, family, size, 100, **more),
                       core)
        yield case(f"ucmatose, {who} connects, 300 messages of 4099 bytes", ucmatose(who, 4, 1, 300, 4099))
        yield case(f"ucmatose, {who} connects, 16 connections, 20 messages of 100001 bytes", ucmatose(who, 6, 16, 20, 100001))
    for verb in ("send_bw", "write_bw"):
        for serve in ("theirs", "ours"):
            yield case(f"perftest {verb}, {serve} serves", perf(verb, "-s 65537 -n 100", serve, True), True)


def crowd(n, rounds):
    """n pairs that can run at the same time, and last about equally long. An emulated peer that is busy with all of them answers late:
    windows are small, and our end waits longer for acknowledgements than it does by default."""
    late = {"seconds": 150, "more": "timers = { ack_timeout = 18; };"}
    perftest = "-s 16385 -t 8 -n 1000"
    return [rping("ours", 4, 20000, rounds, 7301, **late), rping("theirs", 4, 20000, rounds, 7302, **late),
            perf("write_bw", perftest, "ours", True, port=7303, **late), perf("send_bw", perftest, "theirs", port=7304, **late),
            ucmatose("theirs", 4, 4, 500, 2000, port=7305, **late), rping("theirs", 6, 3000, rounds, 7306, **late),
            perf("read_bw", perftest, "theirs", True, port=7307, **late), ucmatose("ours", 6, 4, 500, 2000, port=7308, **late)][:n]


def daemon_cases():
    """softrnic's programs are clients of one softrnicd."""
    def case(name, play, core=False):
        return Case(f"daemon: {name}", play, core, "daemon")

    for who in ("ours", "theirs"):
        for family in (4, 6):
            for size, mtu in ((23, 1500), (30001, 1500), (65535, 9000)):
                yield case(f"rping, {who} connects, IPv{family}, {size} bytes, MTU {mtu}", rping(who, family, size, 100, mtu=mtu))
            yield case(f"ucmatose, {who} connects, IPv{family}, 16 connections, 50 messages of 4099 bytes", ucmatose(who, family, 16, 50, 4099))
            yield case(f"udaddy, {who} asks, IPv{family}, 4 services, 20 datagrams of 1000 bytes", udaddy(who, family, 4, 20, 1000))
    for verb in ("send_bw", "write_bw", "read_bw"):
        for serve in ("theirs", "ours"):
            for cm in (False, True):
                yield case(f"perftest {verb}, {serve} serves, {'RDMA CM' if cm else 'TCP'}", perf(verb, "-s 65537 -n 100", serve, cm))
    for n, rounds in ((2, 600), (5, 400), (8, 400)):
        yield case(f"{n} processes at the same time", Crowd(crowd(n, rounds)), n == 2)
    for who in ("ours", "theirs"):
        yield case(f"a process is killed, {who} connects", ProcessDies(who), who == "theirs")
        yield case(f"softrnicd ends for good, {who} connects", DaemonEnds(who))
        yield case(f"softrnicd is killed and started again, {who} connects",
                   DaemonRestarts([rping(who, 4, 20000, 1000, allow="loss port_tx_discarded", seconds=120)]))
    yield case("softrnicd is killed and started again, two processes",
               DaemonRestarts([rping(who, family, 20000, 1000, port, allow="loss port_tx_discarded", seconds=120)
                               for who, family, port in (("ours", 6, 7301), ("theirs", 4, 7302))]))


def cases():
    for family in (4, 6):
        yield Case(f"ping and address resolution over IPv{family}", Ping(family), True)
    for family in (4, 6):
        for who in ("ours", "theirs"):
            yield Case(f"connecting to a closed port over IPv{family}, {who} connects",
                       Refused(who, family, "connection refused" if who == "ours" else "RDMA_CM_EVENT_REJECTED"), family == 4)
    yield from rping_cases()
    yield from mtu_cases()
    yield from loss_cases()
    yield from ucmatose_cases()
    yield from udaddy_cases()
    yield from receive_cases()
    yield from perftest_cases()
    yield from other_cases()
    for who in ("ours", "theirs"):
        yield Case(f"the peer is killed in mid-transfer and comes back, {who} connects", PeerDies(who), who == "ours")
    yield from vhost_cases()
    yield from daemon_cases()
