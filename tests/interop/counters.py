"""What softrnic's counters may say after a case.

A counter that is in no row must be zero or is mere volume. Rows of a group are allowed only where a case names the group (or
the counter itself); what is in no group never is, unless by name.
"""
import re

# Counters that count work done, and need no explanation.
VOLUME = re.compile(r"verdict_OK$|rx_|tx_(packets|bytes|requests|acks|read_responses|atomic_acks|mads|arp_nd)|posts$|"
                    r"done_(send|write|write_imm|read|atomic|recv|bind|invalidate|flushed)$|srq_taken|bytes_|port_|lcore_")
PORT_TROUBLE = re.compile(r"port_(rx_dropped|tx_discarded|handoff_full)$")

GROUPS = {
    # Any Linux host beside us, and an emulated one that is late: nothing was lost.
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
        "qp_errors": "our queue pair is moved to ERROR when it disconnects",
    },
    # Frames were lost, doubled or overtaken.
    "loss": {
        "verdict_REQ_GAP": "", "verdict_REQ_GAP_AGAIN": "", "verdict_REQ_DUP_STALE": "", "verdict_RSP_NAK_SEQ": "",
        "verdict_RSP_NAK_AGAIN": "", "verdict_RSP_IMPLIED_NAK": "", "tx_naks": "",
    },
    # Receives were missing, on either side.
    "rnr": {
        "verdict_REQ_RNR": "", "verdict_REQ_RNR_AGAIN": "", "verdict_RSP_RNR": "", "tx_rnr_naks": "", "rnr_waits": "",
        "verdict_RSP_NAK_SEQ": "rxe sends one for the packet behind the one it was not ready for",
        "verdict_RSP_NAK_AGAIN": "the same, again",
    },
    # The peer went away in mid-transfer.
    "death": {
        "retry_exceeded": "", "done_error": "", "tx_given_up": "", "port_tx_discarded": "",
    },
}


def parse(text):
    """name -> value of what counters_print() wrote."""
    return {name: int(value) for value, name in re.findall(r"^ *(\d+)  (\w+)$", text, re.M)}


def complaints(counters, allow):
    """Lines on counters that are not zero and neither volume nor allowed."""
    fine = set(GROUPS["always"])
    for word in allow:
        fine |= set(GROUPS.get(word, [word]))
    return [f"counter {name} is {value}" for name, value in counters.items() if value and name not in fine and
            (not VOLUME.match(name) or PORT_TROUBLE.match(name))]
