"""usage: test_scapy.py SHARD_PEER WRITE_FRAMES

Scapy is the peer of a shard: it builds frames of every kind from given values and sends them to the
shard. The shard must read the same values in the frames and accept them, and the judges check its
answers. Prints TAP."""
import ipaddress
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import frame as wire  # noqa: E402
import judges  # noqa: E402
import kinds  # noqa: E402
import mad  # noqa: E402
import tap  # noqa: E402

SHARD_PEER, WRITE_FRAMES = sys.argv[1:]
MTU = 1024
MACS = "02:00:00:00:00:02", "02:00:00:00:00:01"
IPS = "192.0.2.2", "192.0.2.1"
IPS6 = "2001:db8::2", "2001:db8::1"

# Kinds whose frames get another verdict than OK: kind: (verdict, reason)
OTHERWISE = {
    "bth:81": ("CNP", "taken, and counted as what it is"),
    **{f"cm:{attribute:04X}": ("CM_UNMATCHED", "of no connection, and nobody listens") for attribute in mad.LAYOUTS},
}


def facts(transport):
    said = subprocess.run([SHARD_PEER, transport], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in (line.split() for line in said.splitlines())}


class Built:
    """A frame and the values in it, by the names that shard_peer prints."""

    def __init__(self, raw, values):
        self.raw, self.values = raw, values


def payload_values(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) & 0xFFFFFFFF
    return {"length": len(data), "sum": total}


def ib(opcode, dqpn, psn, headers=(), data=b"", ipv6=False, tclass=0x68, hops=64, sport=0xC123, **bth):
    """Builds a RoCEv2 frame. headers: [(layout, values)] as in judges.py; bth: BTH fields that
    differ from the usual."""
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Ether
    from scapy.contrib.roce import BTH
    from scapy.packet import Raw

    fields = {"opcode": opcode, "dqpn": dqpn, "psn": psn, "migreq": 1, "pkey": 0xFFFF, "padcount": -len(data) & 3, **bth}
    body = judges.encode_extensions(headers) + data + bytes(-len(data) & 3)
    ip = (IPv6(src=IPS6[1], dst=IPS6[0], tc=tclass, hlim=hops, nh=17) if ipv6 else
          IP(src=IPS[1], dst=IPS[0], tos=tclass, ttl=hops, flags=2, id=0))
    ether = Ether(dst=MACS[0], src=MACS[1], type=0x86DD if ipv6 else 0x0800)

    def made(**more):
        transport = BTH(**fields, **more)
        return bytes(ether / ip / UDP(sport=sport, dport=4791, chksum=0) / (transport / Raw(body) if body else transport))

    # scapy computes the ICRC over IPv4 only
    raw = made(icrc=int.from_bytes(wire.parse(made(icrc=0)).expected_icrc(), "big")) if ipv6 else made()
    values = {"opcode": opcode, "dqpn": dqpn, "psn": psn, "migreq": 1, "pkey": 0xFFFF, "tclass": tclass, "hops": hops,
              "sport": sport, "vlan": 0, **bth, **payload_values(data)}
    for layout, given in headers:
        names = {"rkey": "invalidate"} if layout == judges.IETH else {"length": "dma_length"}
        values.update({names.get(name, name): value for name, value in given.items()})
    return Built(raw, values)


def data_of(size, seed):
    return bytes((i * 7 + seed) & 0xFF for i in range(size))


def requests(known):
    """Yields packets of every RC request opcode in a legal order, with consecutive PSNs."""
    psn, va, key = known["psn"], known["va"], known["rkey"]
    reth = lambda size, at=0: (judges.RETH, {"va": va + at, "rkey": key, "length": size})  # noqa: E731
    imm = (judges.IMMDT, {"imm": 0x11223344})
    atomic = lambda swap, compare: (judges.ATOMIC, {"va": va + 4096, "rkey": key, "swap_or_add": swap,  # noqa: E731
                                                    "compare": compare})
    plan = [
        (0x00, (), MTU, 0), (0x01, (), MTU, 0), (0x02, (), 77, 1),
        (0x00, (), MTU, 0), (0x03, (imm,), 1, 1),
        (0x04, (), 5, 1), (0x05, (imm,), 6, 1),
        (0x06, (reth(2 * MTU + 9),), MTU, 0), (0x07, (), MTU, 0), (0x08, (), 9, 1),
        (0x06, (reth(MTU + 2),), MTU, 0), (0x09, (imm,), 2, 1),
        (0x0A, (reth(11, 8),), 11, 1), (0x0B, (reth(12, 16), imm), 12, 1),
        (0x13, (atomic(0x0102030405060708, 5),), 0, 1), (0x14, (atomic(3, 0),), 0, 1),
        (0x17, ((judges.IETH, {"rkey": known["window0"]}),), 3, 1),
        (0x00, (), MTU, 0), (0x16, ((judges.IETH, {"rkey": known["window1"]}),), 4, 1),
        (0x0C, (reth(2500),), 0, 1),
    ]
    for opcode, headers, size, ackreq in plan:
        yield ib(opcode, known["qpn"], psn, headers, data_of(size, psn), ackreq=ackreq)
        psn += 1


def responses(known):
    """Yields the responses to the first requests of shard_peer: READs of three packets and of one,
    an atomic, a WRITE."""
    psn, qpn = known["own_psn"], known["qpn"]
    aeth = lambda msn: (judges.AETH, {"syndrome": 0x1F, "msn": msn})  # noqa: E731
    yield ib(0x0D, qpn, psn, (aeth(1),), data_of(MTU, 1))
    yield ib(0x0E, qpn, psn + 1, (), data_of(MTU, 2))
    yield ib(0x0F, qpn, psn + 2, (aeth(1),), data_of(3000 - 2 * MTU, 3))
    yield ib(0x10, qpn, psn + 3, (aeth(2),), data_of(100, 4))
    yield ib(0x12, qpn, psn + 4, (aeth(3), (judges.ATOMIC_ACK, {"original": 0x8877665544332211})))
    yield ib(0x11, qpn, psn + 5, (aeth(4),))


def unreliable(known):
    """Yields messages with every opcode of UC."""
    reth = lambda size, at=0: (judges.RETH, {"va": known["va"] + at, "rkey": known["rkey"], "length": size})  # noqa: E731
    imm = (judges.IMMDT, {"imm": 0x55667788})
    plan = [
        (0x20, (), MTU), (0x21, (), MTU), (0x22, (), 3), (0x20, (), MTU), (0x23, (imm,), 5), (0x24, (), 0),
        (0x25, (imm,), 2), (0x26, (reth(2 * MTU + 1),), MTU), (0x27, (), MTU), (0x28, (), 1), (0x26, (reth(MTU + 4),), MTU),
        (0x29, (imm,), 4), (0x2A, (reth(33, 7),), 33), (0x2B, (reth(0), imm), 0),
    ]
    for i, (opcode, headers, size) in enumerate(plan):
        yield ib(opcode, known["qpn"], known["psn"] + i, headers, data_of(size, i))


def datagram_service(known):
    deth = (judges.DETH, {"qkey": known["qkey"], "src_qpn": 0x777})
    for size in (0, 1, MTU, 4096):
        yield ib(0x64, known["qpn"], size, (deth,), data_of(size, 1), solicited=1)
        yield ib(0x65, known["qpn"], size, (deth, (judges.IMMDT, {"imm": size})), data_of(size, 2))


def gid(address):
    return int(ipaddress.IPv6Address(address))


def congestion(known):
    yield ib(0x81, known["qpn"], 0, (), bytes(16), becn=1, migreq=0)


def datagrams():
    """Yields every CM message, over IPv4 and IPv6, with a different value in each field."""
    for attribute, (_, fields) in mad.LAYOUTS.items():
        for ipv6 in (False, True):
            values = {name: (0x9E3779B97F4A7C15F39CC0605CEDC835 * (i + 3)) % (1 << bits)
                      for i, (name, bits) in enumerate(fields) if name}
            if "primary_local_gid" in values:  # a REQ must name its source in its path
                values["primary_local_gid"] = gid(IPS6[1] if ipv6 else "::ffff:" + IPS[1])
            message = mad.packet_class(attribute)(**values, private=data_of(mad.private_bytes(attribute), attribute),
                                                  transaction=0x1122334455667788)
            deth = (judges.DETH, {"qkey": 0x80010000, "src_qpn": 1})
            yield ib(0x64, 1, 9, (deth,), bytes(message), ipv6=ipv6)


def plain_frames():
    from scapy.layers.inet import ICMP, IP
    from scapy.layers.inet6 import (ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr,
                                    ICMPv6NDOptSrcLLAddr, IPv6)
    from scapy.layers.l2 import ARP, Ether
    from scapy.packet import Raw

    ether = Ether(dst=MACS[0], src=MACS[1])
    four, six = IP(src=IPS[1], dst=IPS[0]), IPv6(src=IPS6[1], dst=IPS6[0])
    nd = IPv6(src=IPS6[1], dst=IPS6[0], hlim=255)
    for packet in (
            Ether(dst="ff:ff:ff:ff:ff:ff", src=MACS[1]) / ARP(op=1, hwsrc=MACS[1], psrc=IPS[1], pdst=IPS[0]),
            ether / ARP(op=2, hwsrc=MACS[1], psrc=IPS[1], hwdst=MACS[0], pdst=IPS[0]),
            ether / nd / ICMPv6ND_NS(tgt=IPS6[0]) / ICMPv6NDOptSrcLLAddr(lladdr=MACS[1]),
            ether / nd / ICMPv6ND_NA(tgt=IPS6[1], R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=MACS[1]),
            ether / four / ICMP(type=8, id=7, seq=1) / Raw(data_of(56, 0)),
            ether / four / ICMP(type=0, id=7, seq=1) / Raw(data_of(56, 0)),
            ether / six / ICMPv6EchoRequest(id=7, seq=2, data=data_of(1400, 0)),
            ether / six / ICMPv6EchoReply(id=7, seq=2, data=data_of(5, 0))):
        yield Built(bytes(packet), {"vlan": 0})


def reliable(known):
    return [*responses(known), *datagrams(), *plain_frames(), *requests(known),
            *congestion(known)]  # last, because a CNP limits the shard's rate


class Talk:
    """One run of shard_peer: the frames sent, what it printed about each, and the capture of its
    answers."""

    def __init__(self, transport, frames):
        self.known = facts(transport)
        self.sent = list(frames(self.known))
        self.folder = tempfile.TemporaryDirectory()
        asked, self.answers = (os.path.join(self.folder.name, name) for name in ("in.pcap", "out.pcap"))
        wire.write_capture(asked, [built.raw for built in self.sent])
        said = subprocess.run([SHARD_PEER, transport, asked, self.answers], check=True, capture_output=True, text=True).stdout
        self.said = [dict(word.split("=") for word in line.split()) for line in said.splitlines()]


talk = Talk("rc", reliable)
talks = [talk, Talk("uc", unreliable), Talk("ud", datagram_service)]


def frames():
    return [(kinds.kind_of(built.raw), built, said) for each in talks for built, said in zip(each.sent, each.said)]


def every_kind_is_among_them():
    names = subprocess.run([WRITE_FRAMES, "--kinds"], check=True, capture_output=True, text=True).stdout
    names = dict(line.split("\t") for line in names.splitlines())
    made = {kind for kind, _, _ in frames()}
    return [f"{kind} {name}" for kind, name in names.items()
            if kind not in made and kind not in kinds.NOT_BUILT]


def every_value_is_read():
    bad = [f"{len(each.said)} of {len(each.sent)} frames read" for each in talks if len(each.said) != len(each.sent)]
    for kind, built, said in frames():
        if said["parsed"] != "OK" or said["remade"] != "1":
            bad.append(f"{kind}: parsed={said['parsed']} remade={said['remade']}")
            continue
        bad += [f"{kind}: {name} is {said.get(name)}, not {value}" for name, value in built.values.items()
                if said.get(name) != str(value)]
    return bad


def every_frame_is_taken():
    bad = []
    for kind, _, said in frames():
        wanted, why = OTHERWISE.get(kind, ("OK", ""))
        if said["verdict"] != wanted:
            bad.append(f"{kind}: {said['verdict']}, not {wanted} {why}")
    return bad


def answers():
    return [(kinds.kind_of(raw), wire.parse(raw), raw) for raw in wire.read_capture(talk.answers)]


def every_request_is_answered():
    """Checks the ACKs of all packets with AckReq, in order; the READ data of three packets; the
    atomics' old values."""
    acks, reads, atomics, bad = [], b"", [], []
    for kind, roce, _ in answers():
        if kind in ("bth:11", "bth:12"):
            acks.append(int.from_bytes(roce.bth[9:12], "big"))
            if roce.rest[0] != 0x1F:
                bad.append(f"syndrome {roce.rest[0]:#x} of PSN {acks[-1]}")
        if kind == "bth:12":
            atomics.append(int.from_bytes(roce.rest[4:12], "big"))
        if kind in ("bth:0D", "bth:0E", "bth:0F"):
            data = roce.rest[4 if kind != "bth:0E" else 0:]
            reads += data[:len(data) - (roce.bth[1] >> 4 & 3)]
    wanted = [built.values["psn"] for built in requests(talk.known) if built.values["ackreq"] and built.values["opcode"] != 0x0C]
    memory = {talk.known["va"] + i: byte for i, byte in enumerate(bytes((i * 5) & 0xFF for i in range(2500)))}
    address = 0
    for built in requests(talk.known):
        if 0x06 <= built.values["opcode"] <= 0x0B:
            address = built.values.get("va", address)
            data = data_of(built.values["length"], built.values["psn"])
            memory.update({address + i: byte for i, byte in enumerate(data)})
            address += len(data)
    expected = bytes(memory[talk.known["va"] + i] for i in range(2500))
    before = int.from_bytes(bytes((i * 5) & 0xFF for i in range(4096, 4104)), "little")
    if acks != wanted:
        bad.append(f"acknowledged {acks}, not {wanted}")
    if reads != expected:
        bad.append("READ returned other bytes than were written")
    if atomics != [before, before]:
        bad.append(f"atomics returned {atomics}, not {before} twice")
    return bad


def every_question_is_answered():
    said = {kind for kind, _, _ in answers()}
    return [f"no {kind}" for kind in ("arp:2", "nd:136", "icmp:0", "icmp6:129", "cm:0012", "cm:0016", "cm:0018")
            if kind not in said]


def judged(judge):
    return judge(talk.answers)


tap.run([(f.__name__, f) for f in (every_kind_is_among_them, every_value_is_read, every_frame_is_taken,
                                   every_request_is_answered, every_question_is_answered)] +
        [(f"{judge.__name__} of the answers", lambda judge=judge: judged(judge)) for judge in judges.JUDGES])
