"""Reads captures and RoCEv2 frames, written from the definitions of the formats: the judges share
no code with softrnic, and the CRC is computed here."""
import struct

ROCE_PORT = 4791


def _make_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = _make_table()


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Malformed(Exception):
    """The text says what is wrong with a capture or a frame."""


def read_capture(path):
    """Returns the frames of a pcap file of Ethernet frames. Raises Malformed if a frame is not
    whole."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 24:
        raise Malformed("shorter than a pcap header")
    orders = {0xA1B2C3D4: "<", 0xA1B23C4D: "<", 0xD4C3B2A1: ">", 0x4D3CB2A1: ">"}
    order = orders.get(struct.unpack_from("<I", data)[0])
    if order is None:
        raise Malformed("not a pcap file")
    if struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF != 1:
        raise Malformed("not a capture of Ethernet")
    frames, at = [], 24
    while at < len(data):
        if at + 16 > len(data):
            raise Malformed("ends within a record")
        captured, original = struct.unpack_from(order + "II", data, at + 8)
        if captured != original:
            raise Malformed(f"frame {len(frames) + 1} was cut when captured")
        if at + 16 + captured > len(data):
            raise Malformed("ends within a frame")
        frames.append(data[at + 16:at + 16 + captured])
        at += 16 + captured
    return frames


def write_capture(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            f.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


class Roce:
    """The parts of a RoCEv2 frame: ether (with VLAN tags), ip, udp, bth, rest (extension headers,
    payload, pad), icrc (4 bytes), tail (Ethernet padding)."""

    def __init__(self, ether, version, ip, udp, transport, tail):
        self.ether, self.version, self.ip, self.udp, self.tail = ether, version, ip, udp, tail
        self.bth, self.rest, self.icrc = transport[:12], transport[12:-4], transport[-4:]

    def expected_icrc(self):
        """The CRC over 8 bytes of ones, IP, UDP and transport, where all fields that routers may
        change are ones."""
        ip, udp, bth = bytearray(self.ip), bytearray(self.udp), bytearray(self.bth)
        if self.version == 4:
            ip[1] = ip[8] = ip[10] = ip[11] = 0xFF  # TOS, TTL, checksum
        else:
            ip[0] |= 0x0F
            ip[1] = ip[2] = ip[3] = ip[7] = 0xFF    # traffic class, flow label, hop limit
        udp[6] = udp[7] = 0xFF                      # checksum
        bth[4] = 0xFF                               # FECN, BECN, reserved
        return struct.pack("<I", crc32(b"\xFF" * 8 + ip + udp + bth + self.rest))


def parse(frame):
    """Returns a Roce, or None for a frame of another protocol. Raises Malformed when a frame to the
    RoCEv2 port is not a RoCEv2 frame."""
    at = 12
    while frame[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    kind, at = frame[at:at + 2], at + 2
    ip = frame[at:]
    if kind == b"\x08\x00" and len(ip) >= 20 and ip[9] == 17:
        version, header, total = 4, (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0]
    elif kind == b"\x86\xdd" and len(ip) >= 40 and ip[6] == 17:
        version, header, total = 6, 40, 40 + struct.unpack_from(">H", ip, 4)[0]
    else:
        return None
    if len(ip) < header + 8 or struct.unpack_from(">H", ip, header + 2)[0] != ROCE_PORT:
        return None
    if ip[0] >> 4 != version or total > len(ip):
        raise Malformed("IP version or length")
    udp = ip[header:header + 8]
    if struct.unpack_from(">H", udp, 4)[0] != total - header:
        raise Malformed("UDP length differs from IP length")
    transport = ip[header + 8:total]
    if len(transport) < 16:
        raise Malformed("shorter than BTH and ICRC")
    if len(transport) % 4:
        raise Malformed("transport is not padded to 4 bytes")
    return Roce(frame[:at], version, ip[:header], udp, transport, ip[total:])
