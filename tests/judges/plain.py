"""Frames of a NIC that are not RoCE: ARP, neighbour discovery and echo, rebuilt by scapy from their
decoded fields."""
import struct

import frame as wire


def layers(raw):
    """Returns (Ethernet header with tags, EtherType, offset of the payload)."""
    at = 12
    while raw[at:at + 2] == b"\x81\x00":
        at += 4
    return raw[:at + 2], struct.unpack_from(">H", raw, at)[0], at + 2


def kind_of(raw):
    """Returns the kind, such as "arp:1" or "nd:135"; None for other frames."""
    if len(raw) < 14:
        return None
    _, ethertype, at = layers(raw)
    body = raw[at:]
    if ethertype == 0x0806 and len(body) >= 28:
        return f"arp:{struct.unpack_from('>H', body, 6)[0]}"
    if ethertype == 0x0800 and len(body) >= 21 and body[9] == 1 and body[20] in (0, 8):
        return f"icmp:{body[20]}"
    if ethertype == 0x86DD and len(body) >= 41 and body[6] == 58:
        if body[40] in (128, 129):
            return f"icmp6:{body[40]}"
        if body[40] in (135, 136):
            return f"nd:{body[40]}"
    return None


def text4(address):
    return ".".join(map(str, address))


def text6(address):
    return ":".join(address.hex()[i:i + 4] for i in range(0, 32, 4))


def text_mac(mac):
    return mac.hex(":")


def arp(body):
    from scapy.layers.l2 import ARP
    kind, protocol, hard, soft, op = struct.unpack_from(">HHBBH", body)
    if (kind, protocol, hard, soft) != (1, 0x0800, 6, 4):
        raise wire.Malformed("ARP for something else than IPv4 over Ethernet")
    return ARP(hwtype=1, ptype=0x0800, hwlen=6, plen=4, op=op, hwsrc=text_mac(body[8:14]), psrc=text4(body[14:18]),
               hwdst=text_mac(body[18:24]), pdst=text4(body[24:28]))


def icmp(body):
    from scapy.layers.inet import ICMP, IP
    from scapy.packet import Raw
    total, ident, fragment = struct.unpack_from(">HHH", body, 2)
    if body[0] != 0x45:
        raise wire.Malformed("IPv4 options")
    header = IP(tos=body[1], id=ident, flags=fragment >> 13, frag=fragment & 0x1FFF, ttl=body[8],
                src=text4(body[12:16]), dst=text4(body[16:20]))
    echo = ICMP(type=body[20], code=0, id=struct.unpack_from(">H", body, 24)[0], seq=struct.unpack_from(">H", body, 26)[0])
    data = body[28:total]
    return header / echo / Raw(data) if data else header / echo


def ipv6(body):
    from scapy.layers.inet6 import IPv6
    word = struct.unpack_from(">I", body)[0]
    return IPv6(tc=word >> 20 & 0xFF, fl=word & 0xFFFFF, hlim=body[7], nh=58, src=text6(body[8:24]), dst=text6(body[24:40]))


def icmp6(body):
    from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest
    length = struct.unpack_from(">H", body, 4)[0]
    ident, seq = struct.unpack_from(">HH", body, 44)
    echo = ICMPv6EchoRequest if body[40] == 128 else ICMPv6EchoReply
    return ipv6(body) / echo(id=ident, seq=seq, data=body[48:40 + length])


def nd(body):
    from scapy.layers.inet6 import ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptSrcLLAddr
    target, flags = text6(body[48:64]), body[44]
    if body[40] == 135:
        message, option = ICMPv6ND_NS(tgt=target), ICMPv6NDOptSrcLLAddr
    else:
        message, option = ICMPv6ND_NA(tgt=target, R=flags >> 7, S=flags >> 6 & 1, O=flags >> 5 & 1), ICMPv6NDOptDstLLAddr
    packet = ipv6(body) / message
    if struct.unpack_from(">H", body, 4)[0] > 24:
        packet = packet / option(lladdr=text_mac(body[66:72]))
    return packet


MAKERS = {"arp": arp, "icmp": icmp, "icmp6": icmp6, "nd": nd}


def rebuild(raw):
    """Returns the frame as scapy builds it, padded with zeros to 60 bytes."""
    ether, _, at = layers(raw)
    made = ether + bytes(MAKERS[kind_of(raw).split(":")[0]](raw[at:]))
    return made + bytes(max(0, 60 - len(made)))
