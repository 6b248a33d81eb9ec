"""Kinds of frames: "bth:04", "cm:0010", "arp:1", "nd:135", "icmp:8", "icmp6:128". The tables of
softrnic list the kinds that exist (write_frames --kinds), so that a new opcode must be judged, or
be listed here with the reason why not."""
import frame as wire
import mad
import plain

# Kinds that the builder does not make: kind: reason
NOT_BUILT = {
    "cm:0019": "alternate paths do not exist on RoCE",
    "cm:001A": "alternate paths do not exist on RoCE",
}
# Kinds that the builder makes, but write_traffic and write_control do not send: kind: reason
NOT_SENT = {
    "icmp:8": "a NIC is pinged, it does not ping",
    "icmp6:128": "a NIC is pinged, it does not ping",
}


def kind_of(raw):
    """Returns the kind of a frame; None for a frame that no NIC sends."""
    roce = wire.parse(raw)
    if roce is None:
        return plain.kind_of(raw)
    attribute = mad.attribute_of(roce)
    return f"bth:{roce.bth[0]:02X}" if attribute is None else f"cm:{attribute:04X}"


def kinds_in(path):
    return {kind for kind in map(kind_of, wire.read_capture(path)) if kind}
