"""Which of softrnic's counters may be non-zero after a case.

Counters of volume always may. A counter of a group may be non-zero if the case names the group; any
other counter only if the case names it. The texts give the reason for a counter.
"""
import re

# Counters of volume: they count normal work.
VOLUME = re.compile(r"verdict_OK$|rx_|tx_(packets|bytes|requests|acks|read_responses|atomic_acks|mads|arp_nd)|posts$|"
                    r"done_(send|write|write_imm|read|atomic|recv|bind|invalidate|flushed)$|srq_taken|bytes_|port_|lcore_")
PORT_TROUBLE = re.compile(r"port_(rx_dropped|tx_discarded|handoff_full)$")

GROUPS = {
    # Always allowed: caused by other traffic of a Linux host, or by the slowness of an emulated
    # one, without loss.
    "always": {
        "verdict_FRAME_MAC": "the guest's multicast",
        "verdict_FRAME_ETHERTYPE": "other protocols of the guest",
        "verdict_IP_PROTOCOL": "the guest's MLD reports, its TCP",
        "verdict_IP_NOT_OURS": "the guest's multicast",
        "verdict_ICMP_BAD": "the guest's MLD reports",
        "verdict_UDP_PORT": "the guest's other UDP",
        "verdict_REQ_DUPLICATE": "rxe's timer ran out before our ACK came",
        "verdict_REQ_DUP_READ": "the same, a READ",
        "verdict_RSP_STALE": "rxe acknowledged again what it had",
        "verdict_CM_DUPLICATE": "rxe asked again before our answer came",
        "verdict_CM_UNMATCHED": "the answer to a message that was sent twice",
        "verdict_QP_UNKNOWN": "what came after the queue pair was gone",
        "verdict_QP_STATE": "what came before or after the queue pair was ready",
        "timeouts_early": "the guest was late",
        "timeouts": "the guest was late",
        "tx_retransmitted": "the guest was late",
        "tx_patches": "the guest was late",
        "qp_errors": "our queue pair is moved to ERROR when it disconnects",
    },
    # Allowed when frames are lost, duplicated or reordered.
    "loss": {
        "verdict_REQ_GAP": "", "verdict_REQ_GAP_AGAIN": "", "verdict_REQ_DUP_STALE": "", "verdict_RSP_NAK_SEQ": "",
        "verdict_RSP_NAK_AGAIN": "", "verdict_RSP_IMPLIED_NAK": "", "tx_naks": "",
    },
    # Allowed when receives are missing on either side.
    "rnr": {
        "verdict_REQ_RNR": "", "verdict_REQ_RNR_AGAIN": "", "verdict_RSP_RNR": "", "tx_rnr_naks": "", "rnr_waits": "",
        "verdict_RSP_NAK_SEQ": "rxe sends one for the packet behind the one it was not ready for",
        "verdict_RSP_NAK_AGAIN": "the same, again",
    },
    # Allowed when the peer dies during a transfer.
    "death": {
        "retry_exceeded": "", "done_error": "", "tx_given_up": "", "port_tx_discarded": "",
    },
}


def parse(text):
    """Parses the output of counters_print() into {name: value}."""
    return {name: int(value) for value, name in re.findall(r"^ *(\d+)  (\w+)$", text, re.M)}


def complaints(counters, allow):
    """One line for each non-zero counter that is neither volume nor allowed."""
    fine = set(GROUPS["always"])
    for word in allow:
        fine |= set(GROUPS.get(word, [word]))
    return [f"counter {name} is {value}" for name, value in counters.items() if value and name not in fine and
            (not VOLUME.match(name) or PORT_TROUBLE.match(name))]
