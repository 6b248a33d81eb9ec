/* The verdict table: one row for each outcome of a received packet. Every received packet is
 * counted under exactly one verdict. Columns:
 * - the name
 * - the reply that the responder sends to the peer: NONE = no packet; ACK = a cumulative ACK;
 *   NAK_SEQ, NAK_INV, NAK_ACC, NAK_OP = a NAK with AETH syndrome 0x60, 0x61, 0x62, 0x63; RNR = an
 *   RNR NAK
 * - KEEP if the QP keeps its state, ERROR if the QP enters the error state
 * - the text of the counter
 *
 * UC QPs are an exception: a UC QP never replies, and REQ_LOCAL is the only verdict that changes
 * the state of a UC QP. docs/spec/rocev2.md 9 describes the same outcomes (rows with the tags F..,
 * R.., D.., A.., Q.., U..). */
#ifndef RN_VERDICT_H
#define RN_VERDICT_H

/* clang-format off */
#define RN_VERDICT_ROWS(X) \
	X(OK,                NONE,    KEEP,  "packets accepted") \
	/* checks of the frame; no reply is allowed, because no QP is known yet */ \
	X(FRAME_SHORT,       NONE,    KEEP,  "frame shorter than its headers") \
	X(FRAME_MAC,         NONE,    KEEP,  "destination MAC is not the port's") \
	X(FRAME_VLAN,        NONE,    KEEP,  "wrong VLAN") \
	X(FRAME_ETHERTYPE,   NONE,    KEEP,  "unsupported EtherType") \
	X(FRAME_ROCE_V1,     NONE,    KEEP,  "RoCEv1 frame") \
	X(IP_HEADER,         NONE,    KEEP,  "bad IP version, length or header checksum") \
	X(IP_OPTIONS,        NONE,    KEEP,  "IPv4 options") \
	X(IP_FRAGMENT,       NONE,    KEEP,  "IP fragment") \
	X(IP_PROTOCOL,       NONE,    KEEP,  "unsupported IP protocol") \
	X(IP_NOT_OURS,       NONE,    KEEP,  "destination address is not the port's") \
	X(UDP_PORT,          NONE,    KEEP,  "UDP port is not RoCE") \
	X(UDP_LENGTH,        NONE,    KEEP,  "UDP length too small, or larger than the IP length") \
	X(UDP_CHECKSUM,      NONE,    KEEP,  "wrong UDP checksum") \
	X(BTH_VERSION,       NONE,    KEEP,  "BTH transport version is not 0") \
	X(BTH_OPCODE,        NONE,    KEEP,  "opcode outside RC, UC, UD and CNP") \
	X(BTH_LENGTH,        NONE,    KEEP,  "length does not match headers, payload and pad") \
	X(ICRC,              NONE,    KEEP,  "bad ICRC") \
	X(ARP_BAD,           NONE,    KEEP,  "malformed ARP") \
	X(ND_BAD,            NONE,    KEEP,  "malformed neighbour discovery") \
	X(ICMP_BAD,          NONE,    KEEP,  "malformed or unsupported ICMP") \
	/* choice of the QP that gets the packet */ \
	X(PKEY,              NONE,    KEEP,  "P_Key mismatch") \
	X(QP0,               NONE,    KEEP,  "QP0 does not exist on RoCE") \
	X(QP_UNKNOWN,        NONE,    KEEP,  "no such QP") \
	X(QP_TRANSPORT,      NONE,    KEEP,  "opcode of another transport") \
	X(QP_STATE,          NONE,    KEEP,  "QP is in a state that does not receive this packet") \
	X(QP_ADDRESS,        NONE,    KEEP,  "source or destination address is not the QP's") \
	X(QKEY,              NONE,    KEEP,  "Q_Key mismatch") \
	X(MULTICAST,         NONE,    KEEP,  "multicast group not joined") \
	X(CNP,               NONE,    KEEP,  "congestion notifications") \
	/* the responder's checks of RDMA requests */ \
	X(REQ_DUPLICATE,     ACK,     KEEP,  "duplicate requests") \
	X(REQ_DUP_READ,      NONE,    KEEP,  "duplicate READ or ATOMIC replayed") \
	X(REQ_DUP_STALE,     NONE,    KEEP,  "duplicate that matches no READ or ATOMIC record") \
	X(REQ_GAP,           NAK_SEQ, KEEP,  "PSN gap") \
	X(REQ_GAP_AGAIN,     NONE,    KEEP,  "PSN gap already reported") \
	X(REQ_SEQUENCE,      NAK_INV, ERROR, "opcode out of sequence") \
	X(REQ_UNSUPPORTED,   NAK_INV, ERROR, "opcode not supported") \
	X(REQ_QP_ACCESS,     NAK_INV, ERROR, "operation not enabled on the QP") \
	X(REQ_LENGTH,        NAK_INV, ERROR, "payload length does not match path MTU or RETH") \
	X(REQ_TOO_LONG,      NAK_INV, ERROR, "SEND longer than the receive") \
	X(REQ_READ_LIMIT,    NAK_INV, ERROR, "more outstanding READs and atomics than agreed") \
	X(REQ_MISALIGNED,    NAK_INV, ERROR, "atomic address not aligned") \
	X(REQ_RNR,           RNR,     KEEP,  "receiver not ready") \
	X(REQ_RNR_AGAIN,     NONE,    KEEP,  "requests after an RNR NAK, dropped until the retry") \
	X(REQ_RKEY,          NAK_ACC, ERROR, "R_Key unknown, of another PD, or of a window of another QP") \
	X(REQ_BOUNDS,        NAK_ACC, ERROR, "outside the memory region or window") \
	X(REQ_RIGHTS,        NAK_ACC, ERROR, "access right missing in the memory region or window") \
	X(REQ_FAULT,         NAK_ACC, ERROR, "target memory is no longer mapped") \
	X(REQ_LOCAL,         NAK_OP,  ERROR, "receive buffer not accessible") \
	X(REQ_INVALIDATE,    NONE,    ERROR, "R_Key to invalidate is not that of a window bound to this QP") \
	X(REQ_REPLAY_GONE,   NONE,    KEEP,  "duplicate READ of memory that is no longer accessible") \
	X(REQ_UC_REST,       NONE,    KEEP,  "rest of a UC message that was discarded") \
	/* the requester's checks of responses */ \
	X(RSP_STALE,         NONE,    KEEP,  "response to PSNs that are already acknowledged") \
	X(RSP_UNSENT,        NONE,    KEEP,  "response to a PSN never sent") \
	X(RSP_RESERVED,      NONE,    KEEP,  "reserved AETH syndrome") \
	X(RSP_IMPLIED_NAK,   NONE,    KEEP,  "response shows that a READ response was lost") \
	X(RSP_NAK_SEQ,       NONE,    KEEP,  "NAK: sequence error") \
	X(RSP_NAK_AGAIN,     NONE,    KEEP,  "NAK: sequence error already acted on") \
	X(RSP_RNR,           NONE,    KEEP,  "NAK: receiver not ready") \
	X(RSP_NAK_INV,       NONE,    ERROR, "NAK: invalid request") \
	X(RSP_NAK_ACC,       NONE,    ERROR, "NAK: remote access error") \
	X(RSP_NAK_OP,        NONE,    ERROR, "NAK: remote operational error") \
	X(RSP_BAD,           NONE,    ERROR, "response of the wrong kind or length") \
	X(RSP_LOCAL,         NONE,    ERROR, "local buffer for a response not accessible") \
	/* checks of management datagrams (MADs) for the CM */ \
	X(MAD_BAD,           NONE,    KEEP,  "malformed MAD, or a MAD of another class than CM") \
	X(CM_UNMATCHED,      NONE,    KEEP,  "CM message that matches no connection") \
	X(CM_DUPLICATE,      NONE,    KEEP,  "duplicate CM message") \
	X(CM_ADDRESS,        NONE,    KEEP,  "CM message from an address other than the peer's") \
	X(CM_FULL,           NONE,    KEEP,  "CM table full") \
	/* a UD QP's checks of received datagrams */ \
	X(UD_NO_RECEIVE,     NONE,    KEEP,  "datagram without a receive") \
	X(UD_TOO_LONG,       NONE,    KEEP,  "datagram longer than the receive") \
	X(UD_LOCAL,          NONE,    ERROR, "receive buffer for a datagram not accessible")
/* clang-format on */

enum rn_verdict {
#define X(name, reply, qp, text) RN_V_##name,
	RN_VERDICT_ROWS(X)
#undef X
		RN_V_COUNT
};

enum rn_reply {
	RN_REPLY_NONE,
	RN_REPLY_ACK,
	RN_REPLY_NAK_SEQ,
	RN_REPLY_NAK_INV,
	RN_REPLY_NAK_ACC,
	RN_REPLY_NAK_OP,
	RN_REPLY_RNR
};

enum rn_consequence { RN_QP_KEEP, RN_QP_ERROR };

struct rn_verdict_row {
	const char *name;
	const char *text;
	enum rn_reply reply;
	enum rn_consequence qp;
};

extern const struct rn_verdict_row rn_verdicts[RN_V_COUNT];

#endif
