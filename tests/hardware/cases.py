"""The table of cases, by model. Continuous integration plays those with `core` set."""
import re

from models import MODELS
from plays import (Demo, Described, Filtered, Idle, LinkDown, Pair, Refused, Removed, Report, Reset, Restart, Ruled, Shards, SoftRoce,
                   Transfer, Watched)


class Case:
    def __init__(self, name, play, core=False):
        self.name, self.play, self.core = name, play, core
        self.model = name.split(":")[0]


# What fails today: (pattern of the names of cases, reason). Such a case is not played, but shown as skipped.
KNOWN = [
    # Seen with QMP's x-query-virtio-queue-status: the transmit queue has an inuse of 4294967295 when the link is down, and keeps it.
    ("virtio-packed: the link goes", "QEMU 7.2 counts a frame that it drops from a packed ring, because the link is down, as "
     "returned without having been taken. Afterwards it takes nothing from that ring until the card is reset"),
    # Seen: both ends send, and nothing more arrives. Without RSS the same card passes. Read in virtio_net_receive_rcu(): a frame
    # that RSS sends to another queue stays at the queue of the TAP if that other queue is full. QEMU then reads from the TAP's queue
    # again when its own queue gets buffers, and that one waits for frames.
    ("virtio-rss: perftest", "QEMU 7.2 with RSS in software delivers nothing more from a queue of a TAP when a receive queue has been "
     "full"),
]


# The other drivers have no receive interrupt per queue, or it does not come (docs/threads.md).
INTERRUPTS = ("vmxnet3", "virtio", "virtio-packed")
# Those whose driver announces changes of the link. The link of the others is polled.
ANNOUNCE = ("virtio", "virtio-packed")
# The other drivers take no list of multicast addresses; their cards pass on all multicasts.
TAKE_LIST = ("e1000", "82545em", "e1000e")
TWIN = "82545em"  # its driver is that of the 82540EM (e1000), which plays more cases


def known(case):
    """Why a case is known to fail, or None."""
    return next((why for pattern, why in KNOWN if re.search(pattern, case.name)), None)


def rping(model, family=4, size=64, rounds=100, **more):
    """rping's protocol: the server reads the data and writes them back, the client compares."""
    return Pair(model, f"tools/nd_rping -s -a {{0}} -C {rounds}", f"tools/nd_rping -c -a {{0}} -S {size} -C {rounds} -V",
                f"{rounds} rounds of {size} bytes, data compared", family, **more)


def ucmatose(model, connections, count, size, **more):
    """ucmatose's protocol: the server sends, the client sends the same data back."""
    numbers = f"-c {connections} -C {count} -S {size}"
    return Pair(model, f"tools/nd_ucmatose -b {{0}} {numbers}", f"tools/nd_ucmatose -s {{0}} {numbers}", "data compared", **more)


def counting(model):
    """rping's protocol over IPv6, with MAC addresses that the cards do not have by themselves; both ends print their counters."""
    return Pair(model, "tools/nd_rping -s -a {0} -C 100 --stats", "tools/nd_rping -c -a {0} -C 100 -V --stats", "data compared", 6,
                adapter='mac = "02:00:00:00:12:3SIDE";')


def soft_roce_rping(model, who, family, size, rounds, **more):
    """`who` is the active side, which compares the data: "ours" is softrnic, "theirs" is Linux soft-RoCE."""
    if who == "ours":
        return SoftRoce(model, "theirs", f"tools/nd_rping -c -a {{0}} -S {size} -C {rounds} -V", f"rping -s -a {{0}} -S {size} -C {rounds}",
                        f"{rounds} rounds of {size} bytes, data compared", family, **more)
    return SoftRoce(model, "ours", f"tools/nd_rping -s -a {{1}} -C {rounds}", f"rping -c -a {{1}} -S {size} -C {rounds} -V",
                    f"served {rounds} rounds", family, **more)


def soft_roce_perftest(model, verb, serve):
    # An emulated peer is slow: -u 18 makes both ends wait a second for an acknowledgement.
    flags = "-R -s 65536 -n 100 -u 18"
    ours, theirs = f"perf/nd_{verb} {flags}", f"ib_{verb} -d rxe0 -x 1 -F {flags}"
    if serve == "theirs":
        return SoftRoce(model, serve, f"{ours} {{0}}", theirs)
    return SoftRoce(model, serve, ours, f"{theirs} {{1}}", listens="Waiting for client")


def all_are_tagged(frames):
    """Every RoCEv2 frame has the tag of VLAN 100 with priority 3."""
    tagged = [frame for _, frame in frames if frame[12:16] == b"\x81\x00\x60\x64"]
    return [] if frames and len(tagged) == len(frames) else [f"{len(tagged)} of {len(frames)} frames are tagged"]


def some_are_long(frames):
    """Packets of the path MTU 4096 are on the wire."""
    longest = max((length for length, _ in frames), default=0)
    return [] if longest > 4096 else [f"the longest frame has {longest} bytes"]


def sixteen(name, says, queues, handed=None):
    """Connections so many that no hash sends all of them to one queue. All their frames fit into a queue: see KNOWN."""
    return Shards(ucmatose(name, 16, 4, 2001), says, queues, handed)


def ruled(family):
    """Messages so many that each connection whose packets arrive at the wrong shard gets a rule early."""
    numbers = "-c 16 -C 600 -S 1001"
    return Ruled(f"tools/nd_ucmatose -b {{0}} {numbers}", f"ucmatose -s {{0}} {numbers}", family)


def busy(name):
    """Frames so many that receive queues become full."""
    command = "perf/nd_write_bw -R -q 8 -s 65536 -n 100"
    return Pair(name, command, f"{command} {{0}}", adapter="shards = 2;", listens="Waiting for client")


def cases_of_several_queues():
    """The frames of virtio-mq are spread without RSS: the TAP chooses the queues. With virtio-rss the client chooses flow labels with
    which the server's packets arrive at the right shard. Its shards hand over only messages of the connection manager, two for each
    connection, or three if some come twice. A connection with a wrong label would add eight or more packets."""
    for name, says, handed in (("virtio-rss", "RSS spreads UDP over IPv4 and IPv6 to 2 receive queues", 16 * 3),
                               ("virtio-mq", "not spread by RSS: its driver offers no RSS for UDP", None)):
        yield Case(f"{name}: rping over IPv6", rping(name, 6, 4097, 60, adapter="shards = 2;"))
        yield Case(f"{name}: files by write, MTU 9000", Transfer(name, "write", (4097, 200001), mtu=9000, adapter="shards = 2;"))
        yield Case(f"{name}: sixteen connections over two shards", sixteen(name, says, (0, 1), handed), True)
        yield Case(f"{name}: the adapter starts five times", Restart(name, 5, "shards = 2;"))
        yield Case(f"{name}: the card is reset in mid-transfer", Reset(name, "shards = 2;"))
        yield Case(f"{name}: the kernel takes the card away", Removed(name))
        for who in ("ours", "theirs"):
            yield Case(f"{name}: rping with soft-RoCE, {who} connects", soft_roce_rping(name, who, 4, 5001, 50))
        yield Case(f"{name}: perftest write_bw over two shards", busy(name))
    # Of the queues of vmxnet3 QEMU fills the first one only.
    for name, says in (("e1000e", "the port has one receive queue"), ("vmxnet3", "its driver offers no RSS for UDP")):
        yield Case(f"{name}: sixteen connections over two shards", sixteen(name, says, (0,)))


def cases_of_one_queue(name):
    yield Case(f"{name}: rping over IPv4", rping(name, size=23), True)
    yield Case(f"{name}: rping over IPv6", rping(name, 6, 4097, 60))
    for via in ("send", "write", "read"):
        yield Case(f"{name}: files by {via}", Transfer(name, via, (1, 4097, 1048576)), via == "write" and name != TWIN)
    yield Case(f"{name}: rping over IPv6, MTU 9000", rping(name, 6, 65535, 30, mtu=9000))
    for via in ("send", "write", "read"):
        yield Case(f"{name}: files by {via}, MTU 9000", Watched(Transfer(name, via, (4097, 1048575), mtu=9000), some_are_long),
                   via == "write" and name in ("e1000e", "virtio"))
    yield Case(f"{name}: rping in VLAN 100", Watched(rping(name, size=4097, adapter="vlan_id = 100; vlan_prio = 3;"), all_are_tagged))
    yield Case(f"{name}: eight connections over two shards", ucmatose(name, 8, 20, 3001, adapter="shards = 2;"),
               name in ("e1000", "virtio"))
    yield Case(f"{name}: the link goes down and up", LinkDown(name, name in ANNOUNCE), name == "e1000e")
    if name in INTERRUPTS:
        yield Case(f"{name}: the link goes down and up, without receive interrupts", LinkDown(name, name in ANNOUNCE, "inline"))
    # A start takes five seconds with e1000 and its twin.
    times, number = ("five", 5) if name == TWIN else ("twenty", 20)
    yield Case(f"{name}: the adapter starts {times} times, in a flood", Restart(name, number), name == "virtio")
    yield Case(f"{name}: the card is reset in mid-transfer", Reset(name), name == "vmxnet3")
    yield Case(f"{name}: the kernel takes the card away", Removed(name), name == "virtio")
    yield Case(f"{name}: frames to others stay outside", Filtered(counting(name), name in TAKE_LIST), name in ("e1000e", "virtio"))
    yield Case(f"{name}: datagrams to groups arrive", Pair(name, "tests/hardware/groups receive", "tests/hardware/groups send", "sent 180",
                                                           listens="joined"))
    if name in INTERRUPTS:
        yield Case(f"{name}: an idle shard is woken by interrupts", Idle(name), name == "vmxnet3")
    if name == "e1000e":
        yield Case(f"{name}: says what is missing", Refused(name), True)
        yield Case(f"{name}: the demo", Demo(name))
        yield Case(f"{name}: as many descriptors as the driver prefers",
                   Described(rping(name, size=4097, more="limits = { port_ring = 0; };"), "^  descriptors: 256 per receive queue, 256 "))
        yield Case(f"{name}: the report", Report(name, r"port 0: driver net_e1000_em, PCI 0000:00:[0-9a-f]{2}\.0(, |$)"))
    for who in ("ours", "theirs"):
        yield Case(f"{name}: rping with soft-RoCE, {who} connects", soft_roce_rping(name, who, 4, 5001, 50),
                   name == "vmxnet3")
    for verb in ("write_bw", "send_bw"):
        for serve in ("theirs", "ours"):
            yield Case(f"{name}: perftest {verb} with soft-RoCE, {serve} serves", soft_roce_perftest(name, verb, serve))


# Every case had the same result with the TWIN as with the 82540EM. So these are left out, as all cases together may take 20 minutes.
NOT_FOR_82545EM = re.compile("perftest|files by (send|read), MTU 9000|datagrams to groups")


def cases():
    for family in (4, 6):
        yield Case(f"tap: connections of soft-RoCE over IPv{family} get flow rules", ruled(family), family == 4)
    yield from cases_of_several_queues()
    for model in MODELS:
        if not model.queues:
            yield from (c for c in cases_of_one_queue(model.name) if model.name != TWIN or not NOT_FOR_82545EM.search(c.name))
