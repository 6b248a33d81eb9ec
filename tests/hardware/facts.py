"""What a failed case with soft-RoCE shows about both sides and the wire between them, in short lines."""
import re
import struct

# Run in the guest with the variables `device` (PCI address) and `programs`. Counters that are 0 are left out.
KERNEL = r"""
for i in /sys/bus/pci/devices/$device/net/* /sys/bus/pci/devices/$device/*/net/*; do [ -e "$i" ] && interface=${i##*/}; done
rxe=/sys/class/infiniband/rxe0/ports/1
say() { words=$(tr '\n' ' '); [ -n "$words" ] && echo "$1: $words"; }
counters() { for f in "$@"; do v=$(cat "$f" 2>/dev/null); [ "${v:-0}" = 0 ] || echo "${f##*/}=$v"; done; }
ip -br link show dev "$interface" 2>&1 | say link
ip -br address show dev "$interface" 2>&1 | say addresses
counters /sys/class/net/$interface/statistics/* | say 'interface'
for n in $(ls /sys/bus/pci/devices/$device/msi_irqs 2>/dev/null); do grep "^ *$n:" /proc/interrupts | tr -s ' '; done | say interrupts
ip route | say routes
ip neigh show dev "$interface" 2>&1 | sed 's/$/;/' | say neighbours
rdma link show rxe0/1 2>&1 | say rxe0
counters $rxe/hw_counters/* $rxe/counters/* | grep -v lifespan | say 'rxe0 counters'
grep -vE '(0000:){7}0000' $rxe/gids/* | while IFS=: read -r f gid; do echo "${f##*/}=$gid $(cat $rxe/gid_attrs/types/${f##*/});"; done | say GIDs
rdma resource show cm_id 2>&1 | sed 's/$/;/' | say cm_id
rdma resource show qp 2>&1 | sed 's/$/;/' | say qp
nstat -asz 2>&1 | awk '$2 != 0 && /InReceives|InDelivers|Datagrams|OutRequests|NoPorts|Err|Discard|Drop|NoRoute|Filter/ { print $1 "=" $2 }' | say IP
awk '{ print $1 "/" $2 "/" $3 }' /proc/net/softnet_stat | say 'softnet (frames/dropped/squeezed, hex)'
for p in $programs; do
	for t in /proc/$p/task/*; do echo "$(cat $t/comm) $(grep State $t/status | cut -f2) $(cat $t/wchan 2>/dev/null);"; done
done | say threads
dmesg | tail -8 | cut -c1-160 | sed 's/^/dmesg: /'
true
"""

CM = {0x10: "REQ", 0x11: "MRA", 0x12: "REJ", 0x13: "REP", 0x14: "RTU", 0x15: "DREQ", 0x16: "DREP", 0x17: "SIDR_REQ", 0x18: "SIDR_REP"}
ND = {133: "router solicitation", 134: "router advertisement", 135: "neighbour solicitation", 136: "neighbour advertisement",
      143: "MLD report"}
TAGGED = b"\x81\x00"  # EtherType of a VLAN tag
ROCE = 4791
OFTEN = 3  # a CM message that was sent so often found no answer; its last frame is shown whole


def kind(frame):
    """What a frame is: a few words, and the number of its CM message or None."""
    at = 18 if frame[12:14] == TAGGED else 14
    ethertype, ip = frame[at - 2:at], frame[at:]
    if ethertype == b"\x08\x06":
        return f"ARP {'reply' if ip[7:8] == bytes([2]) else 'request'} for {'.'.join(map(str, ip[24:28]))}", None
    if ethertype == b"\x08\x00":
        protocol, inner = ip[9:10], ip[20:]  # headers with options are not expected
    elif ethertype == b"\x86\xdd":
        protocol, inner = ip[6:7], ip[40:]
        if protocol == b"\0":  # MLD messages have a hop-by-hop header
            protocol, inner = inner[:1], inner[8:]
        if protocol == b"\x3a" and inner:
            return f"ICMPv6 {ND.get(inner[0], inner[0])}", None
    else:
        return f"EtherType {ethertype.hex()}", None
    if protocol != b"\x11" or len(inner) < 20:
        return f"IP protocol {protocol.hex()}", None
    if struct.unpack_from(">H", inner, 2)[0] != ROCE:
        return f"UDP to port {struct.unpack_from('>H', inner, 2)[0]}", None
    opcode, qpn = inner[8], struct.unpack_from(">I", inner, 12)[0] & 0xFFFFFF
    if qpn == 1 and len(inner) >= 46:
        message, = struct.unpack_from(">H", inner, 44)  # after UDP, BTH and DETH, within the MAD
        return f"CM {CM.get(message, hex(message))}", message
    return f"RoCE opcode {opcode:#04x} to QP {qpn:#x}", None


def of_wire(frames, names):
    """One line for each kind of frame from each sender. frames: (seconds, length, bytes) of each frame; names: of MAC addresses."""
    rows, lines = {}, []
    start = frames[0][0] if frames else 0
    for seconds, _, frame in frames:
        what, message = kind(frame)
        sender, receiver = (names.get(mac.hex(":"), mac.hex(":")) for mac in (frame[6:12], frame[:6]))
        row = rows.setdefault((sender, receiver, what), [0, seconds, None, None])
        row[0], row[2], row[3] = row[0] + 1, seconds, frame if message else None
    for (sender, receiver, what), (count, first, last, cm) in rows.items():
        lines.append(f"wire: {first - start:6.2f}-{last - start:6.2f} s  {sender} to {receiver}: {count} x {what}")
        if cm and count >= OFTEN:
            lines += [f"wire:   {cm[at:at + 160].hex()}" for at in range(0, len(cm), 160)]
    return lines or ["wire: no frame"]


def of_kernel(lab, card, program):
    """The kernel's side, while its program may still run."""
    status, text = lab.guest.run(f"device={card.address} programs=$(pidof {program})\n{KERNEL}", 20)
    return [f"kernel: {line}" for line in text.splitlines()] + ([f"kernel: not all could be read: {status}"] if status else [])


def of_softrnic(output):
    """The counters that a program of softrnic has printed at its end."""
    counters = re.findall(r"^ *(\d+)  (\w+)$", output, re.M)
    return ["softrnic: " + (" ".join(f"{name}={value}" for value, name in counters) or "it printed no counters")]
