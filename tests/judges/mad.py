"""CM messages (MADs) as scapy packets: every bit of the 256 bytes is a field or reserved, and
reserved bits are 0. The layouts are written from the tables of the InfiniBand specification, not
from those of softrnic."""
import struct

import frame as wire

HEADER = (("base_version", 8), ("management_class", 8), ("class_version", 8), ("method", 8), ("status", 16),
          ("class_specific", 16), ("transaction", 64), ("attribute", 16), (None, 16), ("modifier", 32))

IDS = (("local_id", 32), ("remote_id", 32))
PATH = (("local_lid", 16), ("remote_lid", 16), ("local_gid", 128), ("remote_gid", 128), ("flow_label", 20), (None, 6),
        ("packet_rate", 6), ("traffic_class", 8), ("hop_limit", 8), ("sl", 4), ("subnet_local", 1), (None, 3),
        ("ack_timeout", 5), (None, 3))


def path(name):
    return tuple((field and f"{name}_{field}", bits) for field, bits in PATH)


# attribute: (name, fields as (name, bits)); the rest of the 232 bytes is private data
LAYOUTS = {
    0x10: ("REQ", (("local_id", 32), (None, 8), ("vendor", 24), ("service_id", 64), ("ca_guid", 64), (None, 32),
                   ("qkey", 32), ("qpn", 24), ("responder_resources", 8), ("eecn", 24), ("initiator_depth", 8),
                   ("remote_eecn", 24), ("remote_response", 5), ("transport", 2), ("flow_control", 1), ("psn", 24),
                   ("local_response", 5), ("retry_count", 3), ("pkey", 16), ("mtu", 4), ("rdc_exists", 1),
                   ("rnr_retry", 3), ("max_cm_retries", 4), ("srq", 1), ("extended_transport", 3),
                   *path("primary"), *path("alternate"))),
    0x11: ("MRA", (*IDS, ("message", 2), (None, 6), ("service_timeout", 5), (None, 3))),
    0x12: ("REJ", (*IDS, ("message", 2), (None, 6), ("info_length", 7), (None, 1), ("reason", 16), ("info", 576))),
    0x13: ("REP", (*IDS, ("qkey", 32), ("qpn", 24), ("vendor_high", 8), ("eecn", 24), ("vendor_middle", 8), ("psn", 24),
                   ("vendor_low", 8), ("responder_resources", 8), ("initiator_depth", 8), ("ack_delay", 5),
                   ("failover", 2), ("flow_control", 1), ("rnr_retry", 3), ("srq", 1), (None, 4), ("ca_guid", 64))),
    0x14: ("RTU", IDS),
    0x15: ("DREQ", (*IDS, ("remote_qpn", 24), (None, 8))),
    0x16: ("DREP", IDS),
    0x17: ("SIDR_REQ", (("request_id", 32), ("pkey", 16), (None, 16), ("service_id", 64))),
    0x18: ("SIDR_REP", (("request_id", 32), ("sidr_status", 8), ("info_length", 8), ("vendor_high", 16), ("qpn", 24),
                        ("vendor_low", 8), ("service_id", 64), ("qkey", 32), ("info", 576))),
}
BODY_BYTES = 232


def private_bytes(attribute):
    return BODY_BYTES - sum(bits for _, bits in LAYOUTS[attribute][1]) // 8


def packet_class(attribute):
    """Returns the scapy class of this message: header, fields, private data. By default the header
    is right and the fields are zero."""
    from scapy.fields import BitField, StrFixedLenField
    from scapy.packet import Packet

    name, fields = LAYOUTS[attribute]
    defaults = {"base_version": 1, "management_class": 7, "class_version": 2, "method": 3, "attribute": attribute}
    described = [BitField(field or f"reserved{i}", defaults.get(field, 0), bits)
                 for i, (field, bits) in enumerate(HEADER + fields)]
    size = private_bytes(attribute)
    return type("CM_" + name, (Packet,), {
        "name": "CM " + name, "fields_desc": described + [StrFixedLenField("private", bytes(size), length=size)]})


def attribute_of(roce):
    """Returns the attribute of a MAD to QP 1 in a RoCEv2 frame, None for other packets. Raises
    Malformed for a MAD that is not a CM message."""
    if roce.bth[0] != 0x64 or roce.bth[5:8] != b"\0\0\1":
        return None
    mad = roce.rest[8:]
    if len(mad) != 256 or mad[:4] != b"\1\7\2\3":
        raise wire.Malformed("a MAD of another class, or of another length than 256")
    attribute = struct.unpack_from(">H", mad, 16)[0]
    if attribute not in LAYOUTS:
        raise wire.Malformed(f"CM attribute {attribute:#x}")
    return attribute


def values_of(roce, attribute):
    """Returns {field: number} of the message's named fields, and its private data under
    "private"."""
    number, values = int.from_bytes(roce.rest[8:], "big"), {}
    left = 256 * 8
    for field, bits in HEADER + LAYOUTS[attribute][1]:
        left -= bits
        values[field] = number >> left & ((1 << bits) - 1)
    values.pop(None, None)
    values["private"] = roce.rest[8:][256 - private_bytes(attribute):]
    return values


def rebuild(roce):
    """Returns the MAD's 256 bytes as scapy builds them from the named fields alone; None for a
    frame without a MAD."""
    attribute = attribute_of(roce)
    if attribute is None:
        return None
    return bytes(packet_class(attribute)(**values_of(roce, attribute)))
