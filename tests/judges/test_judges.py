"""usage: test_judges.py VECTORS

Tests the judges: they must accept captures of another implementation and refuse damaged copies.
Prints TAP."""
import os
import struct
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import frame as wire  # noqa: E402
import judges  # noqa: E402
import mad  # noqa: E402
import tap  # noqa: E402

VECTORS = sys.argv[1]
# The shortest frame of each capture is the sample of its IP version. UNPROTECTED are the offsets in
# the sample, from the start of the Ethernet header, of the bytes that the ICRC does not cover.
SAMPLES = {4: "cm-rping-ipv4.pcap", 6: "cm-rping-ipv6.pcap"}
UNPROTECTED = {4: {15, 22, 24, 25, 40, 41, 46}, 6: {15, 16, 17, 21, 60, 61, 66}}
HALF_PROTECTED = {6: {14: 0x0F}}  # the high bits are the IP version, the low ones the traffic class


def sample(version):
    path = os.path.join(VECTORS, SAMPLES[version])
    frames = [f for f in wire.read_capture(path) if (r := wire.parse(f)) and r.rest]
    return min(frames, key=len)


def verdict(judge, frames):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pcap")
        wire.write_capture(path, frames)
        return judge(path)


def flipped(frame, byte, mask):
    return frame[:byte] + bytes([frame[byte] ^ mask]) + frame[byte + 1:]


def crc_is_the_one_of_ethernet():
    found = wire.crc32(b"123456789")
    return [] if found == 0xCBF43926 else [f"CRC of the check string is {found:#x}"]


def every_protected_bit(version):
    """A flipped bit behind the Ethernet header makes the ICRC judge complain, except in fields that
    routers may change."""
    good, bad = sample(version), []
    for byte in range(14, len(good)):
        for bit in range(8):
            mask = 1 << bit
            open_to_change = byte in UNPROTECTED[version] or HALF_PROTECTED.get(version, {}).get(byte, 0) & mask
            if bool(verdict(judges.icrc, [good, flipped(good, byte, mask)])) == bool(open_to_change):
                bad.append(f"byte {byte} bit {bit}: {'refused' if open_to_change else 'accepted'}")
    return [line for line in bad if not hidden(good, line)]


def hidden(good, line):
    """Returns whether the flipped bit made the frame one of another protocol, for which no ICRC is
    checked."""
    byte, bit = int(line.split()[1]), int(line.split()[3].rstrip(":"))
    try:
        return wire.parse(flipped(good, byte, 1 << bit)) is None
    except wire.Malformed:
        return True


def reserved_bits_break_the_rebuild():
    """The rebuild finds errors that the ICRC does not cover: scapy computes checksums and leaves
    reserved bits 0."""
    good = sample(4)
    return [f"byte {byte} mask {mask:#x} accepted"
            for byte, mask in ((46, 0x01), (46, 0x20), (24, 0x01), (25, 0x80), (41, 0x01), (50, 0x01))
            if not verdict(judges.scapy_rebuild, [flipped(good, byte, mask)])]


def with_icrc(roce, rest):
    """Returns the frame with `rest` behind its BTH, with right lengths and ICRC."""
    udp = roce.udp[:4] + struct.pack(">HH", 8 + 12 + len(rest) + 4, 0)
    ip = roce.ip[:2] + struct.pack(">H", 20 + 8 + 12 + len(rest) + 4) + roce.ip[4:]
    made = wire.Roce(roce.ether, 4, ip, udp, roce.bth + rest + b"\0\0\0\0", b"")
    made.icrc = made.expected_icrc()
    return made.ether + made.ip + made.udp + made.bth + made.rest + made.icrc


def truncated_header_is_refused():
    """A WRITE with a truncated RETH and a right ICRC: the judges of the form and tshark
    complain."""
    path = os.path.join(VECTORS, SAMPLES[4])
    write = next(r for f in wire.read_capture(path) if (r := wire.parse(f)) and r.bth[0] in (0x06, 0x0A))
    bad = with_icrc(write, write.rest[:8])
    return ([f"{judge.__name__} accepted" for judge in (judges.scapy_rebuild, judges.tshark) if not verdict(judge, [bad])] +
            verdict(judges.icrc, [bad]))


def flips_in_datagrams_and_plain_frames():
    """Flipped reserved bits of CM messages and flipped bits of ARP: scapy's frame differs, or the
    frame is malformed."""
    bad = []
    for path in (SAMPLES[4],):
        for raw in wire.read_capture(os.path.join(VECTORS, path)):
            roce = wire.parse(raw)
            attribute = roce and mad.attribute_of(roce)
            if not attribute:
                continue
            body, at = roce.rest[8 + 24:], 0
            for field, bits in mad.LAYOUTS[attribute][1]:
                if field is None:
                    byte, mask = divmod(at, 8)
                    spoilt = roce.rest[:32 + byte] + bytes([body[byte] ^ 0x80 >> mask]) + roce.rest[33 + byte:]
                    if not verdict(judges.scapy_rebuild, [with_icrc(roce, spoilt)]):
                        bad.append(f"{mad.LAYOUTS[attribute][0]}: reserved bit {at} accepted")
                at += bits
    arp = bytes.fromhex("ffffffffffff02000000000108060001080006040001020000000001c0000201000000000000c0000202") + bytes(18)
    if judges.compare("", judges.plain.rebuild(arp), arp):
        bad.append("a good ARP request is refused")
    for byte in list(range(14, 20)) + list(range(42, 60)):
        spoilt = flipped(arp, byte, 1)
        try:
            if judges.plain.rebuild(spoilt) == spoilt:
                bad.append(f"ARP: byte {byte} accepted")
        except wire.Malformed:
            pass
    return bad


def frames_that_are_not_roce_are_not_enough():
    other = b"\xff" * 6 + b"\x02\0\0\0\0\1" + b"\x08\x06" + bytes(46)
    return [f"{judge.__name__} accepted" for judge in judges.JUDGES if not verdict(judge, [other])]


def broken_captures_are_refused():
    good = sample(4)
    record = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    rows = {"empty": b"", "other magic": b"\0" * 24, "not Ethernet": record[:20] + struct.pack("<I", 101),
            "half a record": record + b"\0" * 9,
            "half a frame": record + struct.pack("<IIII", 0, 0, len(good), len(good)) + good[:-1],
            "cut frame": record + struct.pack("<IIII", 0, 0, 20, len(good)) + good[:20]}
    bad = []
    for name, data in rows.items():
        with tempfile.NamedTemporaryFile(suffix=".pcap") as f:
            f.write(data)
            f.flush()
            try:
                wire.read_capture(f.name)
                bad.append(f"{name} accepted")
            except wire.Malformed:
                pass
    return bad


tap.run([(f.__name__, f) for f in (crc_is_the_one_of_ethernet, reserved_bits_break_the_rebuild,
                                   truncated_header_is_refused, flips_in_datagrams_and_plain_frames, frames_that_are_not_roce_are_not_enough,
                                   broken_captures_are_refused)] +
        [(f"every_protected_bit IPv{v}", lambda v=v: every_protected_bit(v)) for v in (4, 6)])
