"""The judges. Each takes the path of a capture and returns complaints: at least one per wrong
frame, none when all are right."""
import logging
import os
import struct
import subprocess

import frame as wire
import mad
import plain

logging.getLogger("scapy.runtime").setLevel(logging.ERROR)


def roce_frames(path):
    """Returns (number, raw frame, Roce) of every RoCEv2 frame, and a list of complaints about
    malformed ones."""
    found, complaints = [], []
    for number, raw in enumerate(wire.read_capture(path), 1):
        try:
            roce = wire.parse(raw)
        except wire.Malformed as what:
            complaints.append(f"{os.path.basename(path)} frame {number}: {what}")
            continue
        if roce:
            found.append((number, raw, roce))
    if not found:
        complaints.append(f"{os.path.basename(path)}: no RoCEv2 frame")
    return found, complaints


# ---- the ICRC ----

def icrc(path):
    found, complaints = roce_frames(path)
    for number, _, roce in found:
        expected = roce.expected_icrc()
        if roce.icrc != expected:
            complaints.append(f"{os.path.basename(path)} frame {number}: ICRC {roce.icrc.hex()}, "
                              f"should be {expected.hex()}")
    return complaints


# ---- the form: scapy rebuilds every frame from its decoded fields, and the bytes are compared ----

RETH = (("va", 8), ("rkey", 4), ("length", 4))
IMMDT, IETH, AETH = (("imm", 4),), (("rkey", 4),), (("syndrome", 1), ("msn", 3))
ATOMIC = (("va", 8), ("rkey", 4), ("swap_or_add", 8), ("compare", 8))
ATOMIC_ACK = (("original", 8),)
DETH = (("qkey", 4), ("reserved", 1), ("src_qpn", 3))

# opcode: (extension headers, may it carry payload)
CONNECTED = {
    0x00: ((), True), 0x01: ((), True), 0x02: ((), True), 0x03: ((IMMDT,), True), 0x04: ((), True), 0x05: ((IMMDT,), True),
    0x06: ((RETH,), True), 0x07: ((), True), 0x08: ((), True), 0x09: ((IMMDT,), True), 0x0A: ((RETH,), True),
    0x0B: ((RETH, IMMDT), True),
}
OPCODES = {
    **CONNECTED, **{0x20 + opcode: row for opcode, row in CONNECTED.items()},
    0x0C: ((RETH,), False), 0x0D: ((AETH,), True), 0x0E: ((), True), 0x0F: ((AETH,), True), 0x10: ((AETH,), True),
    0x11: ((AETH,), False), 0x12: ((AETH, ATOMIC_ACK), False), 0x13: ((ATOMIC,), False), 0x14: ((ATOMIC,), False),
    0x16: ((IETH,), True), 0x17: ((IETH,), True),
    0x64: ((DETH,), True), 0x65: ((DETH, IMMDT), True),
    0x81: ((), True),  # CNP: 16 reserved bytes
}


def decode_transport(roce):
    """Returns (BTH fields, extension headers as [(layout, values)], payload and pad). Raises
    Malformed."""
    opcode, flags, pkey, cn, dqpn, ack, psn = struct.unpack(">BBHB3sB3s", roce.bth)
    if opcode not in OPCODES:
        raise wire.Malformed(f"opcode {opcode:#x}")
    bth = {"opcode": opcode, "solicited": flags >> 7, "migreq": flags >> 6 & 1, "padcount": flags >> 4 & 3,
           "version": flags & 15, "pkey": pkey, "fecn": cn >> 7, "becn": cn >> 6 & 1, "dqpn": int.from_bytes(dqpn, "big"),
           "ackreq": ack >> 7, "psn": int.from_bytes(psn, "big")}  # reserved bits are left out: they must be 0
    layouts, may_carry = OPCODES[opcode]
    rest, extensions = roce.rest, []
    for layout in layouts:
        values = {}
        for name, size in layout:
            if len(rest) < size:
                raise wire.Malformed(f"opcode {opcode:#x}: ends within its headers")
            values[name], rest = int.from_bytes(rest[:size], "big"), rest[size:]
        values.pop("reserved", None)
        extensions.append((layout, values))
    if rest and not may_carry:
        raise wire.Malformed(f"opcode {opcode:#x} with payload")
    if bth["padcount"] > len(rest) or any(rest[len(rest) - bth["padcount"]:]):
        raise wire.Malformed("pad count, or pad that is not zero")
    return bth, extensions, rest


def encode_extensions(extensions):
    return b"".join(values.get(name, 0).to_bytes(size, "big") for layout, values in extensions for name, size in layout)


def scapy_layers():
    """Scapy's RoCE layer and those below it. Scapy computes no ICRC over IPv6; rebuild() takes that
    from frame.py."""
    from scapy.contrib.roce import BTH
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.packet import Raw
    return BTH, IP, UDP, IPv6, Raw


def rebuild_ip(roce, IP, IPv6):
    if roce.version == 4:
        if len(roce.ip) != 20:
            raise wire.Malformed("IPv4 options")
        _, tos, _, ident, fragment, ttl, _, _, src, dst = struct.unpack(">BBHHHBBH4s4s", roce.ip)
        return IP(tos=tos, id=ident, flags=fragment >> 13, frag=fragment & 0x1FFF, ttl=ttl, proto=17,
                  src=".".join(map(str, src)), dst=".".join(map(str, dst)))
    word, _, _, hops = struct.unpack_from(">IHBB", roce.ip)
    text = [":".join(address.hex()[i:i + 4] for i in range(0, 32, 4)) for address in (roce.ip[8:24], roce.ip[24:40])]
    return IPv6(tc=word >> 20 & 0xFF, fl=word & 0xFFFFF, hlim=hops, nh=17, src=text[0], dst=text[1])


def rebuild(roce):
    """Returns the bytes of the frame as scapy builds it. Checksums, lengths and the ICRC are
    computed, not copied; a UDP checksum of 0 means "none" and stays."""
    BTH, IP, UDP, IPv6, Raw = scapy_layers()
    bth, extensions, payload = decode_transport(roce)
    sport, dport, _, checksum = struct.unpack(">HHHH", roce.udp)
    udp = UDP(sport=sport, dport=dport, chksum=0) if checksum == 0 else UDP(sport=sport, dport=dport)
    if roce.version == 6:
        bth["icrc"] = int.from_bytes(roce.expected_icrc(), "big")
    body = encode_extensions(extensions) + payload
    packet = rebuild_ip(roce, IP, IPv6) / udp / (BTH(**bth) / Raw(body) if body else BTH(**bth))
    return roce.ether + bytes(packet) + roce.tail


def compare(where, made, raw):
    if made == raw:
        return []
    at = next((i for i, (a, b) in enumerate(zip(made, raw)) if a != b), min(len(made), len(raw)))
    return [f"{where}: differs from scapy's at byte {at}: {raw[at:at + 4].hex()}, scapy {made[at:at + 4].hex()}"]


def plain_frames(path):
    """Returns (number, raw frame) of each ARP, neighbour discovery and echo frame."""
    return [(number, raw) for number, raw in enumerate(wire.read_capture(path), 1) if plain.kind_of(raw)]


def scapy_rebuild(path):
    found, complaints = roce_frames(path)
    for number, raw, roce in found:
        where = f"{os.path.basename(path)} frame {number}"
        try:
            complaints += compare(where, rebuild(roce), raw)
            datagram = mad.rebuild(roce)
        except wire.Malformed as what:
            complaints.append(f"{where}: {what}")
            continue
        if datagram is not None:
            complaints += compare(f"{where}, MAD", datagram, roce.rest[8:])
    for number, raw in plain_frames(path):
        where = f"{os.path.basename(path)} frame {number}"
        try:
            complaints += compare(where, plain.rebuild(raw), raw)
        except wire.Malformed as what:
            complaints.append(f"{where}: {what}")
    return complaints


# ---- tshark decodes every frame as InfiniBand, without complaint ----

KNOWN_COMPLAINTS = {
    # RoCEv2 allows a UDP checksum of 0 over IPv6 too, because the ICRC protects more; Linux
    # soft-RoCE sends it.
    "Illegal checksum value (0)",
    # A capture of one end, or of a builder, has no answers.
    "No response seen to ICMP request",
    "No response seen to ICMPv6 request",
}
# Dissectors of tshark that guess the protocol of a payload, and report a wrong guess as a malformed
# packet.
GUESSING = ("rpcordma", "smb_direct", "iser", "nvme-rdma", "infiniband.eoib", "infiniband_sdp", "fcoib", "lnet", "smc")


def tshark(path):
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=|", "-e", "frame.number",
               "-e", "frame.protocols", "-e", "_ws.expert.message"]
    for name in GUESSING:
        command += ["--disable-protocol", name]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    found, complaints = roce_frames(path)
    if shown.returncode:
        return [f"tshark: {shown.stderr.strip().splitlines()[-1]}"]
    rows = {int(line.split("|", 1)[0]): line.split("|", 2)[1:] for line in shown.stdout.splitlines() if line}
    expected = [(number, {"infiniband"}) for number, _, _ in found]
    expected += [(number, {"arp", "icmp", "icmpv6"}) for number, _ in plain_frames(path)]
    for number, names in expected:
        protocols, expert = rows.get(number, ("", ""))
        if not names & set(protocols.split(":")):
            complaints.append(f"{os.path.basename(path)} frame {number}: tshark sees {protocols}")
        complaints += [f"{os.path.basename(path)} frame {number}: tshark says {said}"
                       for said in expert.split(",") if said and said not in KNOWN_COMPLAINTS]
    return complaints


JUDGES = [icrc, scapy_rebuild, tshark]
