"""Of which kind is a frame? "bth:04", "cm:0010", "arp:1", "nd:135", "icmp:8", "icmp6:128"; None: of none that a NIC sends.
Which kinds there are is said by softrnic's own tables (write_frames --kinds): whoever adds an opcode there must have it
judged, or say here why not."""
import frame as wire
import mad
import plain

# Nobody builds them: kind: why
NOT_BUILT = {
    "cm:0019": "alternate paths do not exist on RoCE",
    "cm:001A": "alternate paths do not exist on RoCE",
}
# The builder makes them, the transport does not send them in write_traffic: kind: why
NOT_SENT = {
    "icmp:8": "a NIC is pinged, it does not ping",
    "icmp6:128": "a NIC is pinged, it does not ping",
}


def kind_of(raw):
    roce = wire.parse(raw)
    if roce is None:
        return plain.kind_of(raw)
    attribute = mad.attribute_of(roce)
    return f"bth:{roce.bth[0]:02X}" if attribute is None else f"cm:{attribute:04X}"


def kinds_in(path):
    return {kind for kind in map(kind_of, wire.read_capture(path)) if kind}
