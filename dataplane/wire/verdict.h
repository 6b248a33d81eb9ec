/* The verdict table: one row per outcome of a received packet. No packet vanishes uncounted.
 *
 * Columns: name; what the responder owes the peer for it; what becomes of the QP; text of its counter.
 * UC owes nothing and goes on, whatever the row says, unless a receive is no good (REQ_LOCAL).
 * Replies: NONE silent; ACK cumulative (re-)ACK; NAK_SEQ/INV/ACC/OP AETH syndromes 0x60..0x63; RNR NAK.
 * Checklist rows (F.., R.., D.., A.., Q.., U..) refer to the wire rules, section 9.
 */
#ifndef RN_VERDICT_H
#define RN_VERDICT_H

/* clang-format off */
#define RN_VERDICT_ROWS(X) \
	X(OK,                NONE,    KEEP,  "packets accepted") \
	/* frame: before any object is known; silent by rule */ \
	X(FRAME_SHORT,       NONE,    KEEP,  "frame shorter than its headers") \
	X(FRAME_MAC,         NONE,    KEEP,  "destination MAC is not ours") \
	X(FRAME_VLAN,        NONE,    KEEP,  "wrong VLAN") \
	X(FRAME_ETHERTYPE,   NONE,    KEEP,  "EtherType nobody here speaks") \
	X(FRAME_ROCE_V1,     NONE,    KEEP,  "RoCEv1 frame") \
	X(IP_HEADER,         NONE,    KEEP,  "bad IP version, length or header checksum") \
	X(IP_OPTIONS,        NONE,    KEEP,  "IPv4 options") \
	X(IP_FRAGMENT,       NONE,    KEEP,  "IP fragment") \
	X(IP_PROTOCOL,       NONE,    KEEP,  "IP protocol nobody here speaks") \
	X(IP_NOT_OURS,       NONE,    KEEP,  "destination address is not ours") \
	X(UDP_PORT,          NONE,    KEEP,  "UDP port is not RoCE") \
	X(UDP_LENGTH,        NONE,    KEEP,  "UDP length does not fit") \
	X(UDP_CHECKSUM,      NONE,    KEEP,  "wrong UDP checksum") \
	X(BTH_VERSION,       NONE,    KEEP,  "BTH transport version") \
	X(BTH_OPCODE,        NONE,    KEEP,  "opcode outside RC, UC, UD and CNP") \
	X(BTH_LENGTH,        NONE,    KEEP,  "headers, payload and pad do not add up") \
	X(ICRC,              NONE,    KEEP,  "bad ICRC") \
	X(ARP_BAD,           NONE,    KEEP,  "malformed ARP") \
	X(ND_BAD,            NONE,    KEEP,  "malformed neighbour discovery") \
	X(ICMP_BAD,          NONE,    KEEP,  "malformed or unsupported ICMP") \
	/* demultiplex */ \
	X(PKEY,              NONE,    KEEP,  "P_Key mismatch") \
	X(QP0,               NONE,    KEEP,  "QP0 does not exist on RoCE") \
	X(QP_UNKNOWN,        NONE,    KEEP,  "no such QP") \
	X(QP_TRANSPORT,      NONE,    KEEP,  "opcode of another transport") \
	X(QP_STATE,          NONE,    KEEP,  "QP state does not receive this") \
	X(QP_ADDRESS,        NONE,    KEEP,  "source or destination address is not the QP's") \
	X(QKEY,              NONE,    KEEP,  "Q_Key mismatch") \
	X(MULTICAST,         NONE,    KEEP,  "multicast group not joined") \
	X(CNP,               NONE,    KEEP,  "congestion notifications") \
	/* responder */ \
	X(REQ_DUPLICATE,     ACK,     KEEP,  "duplicate requests") \
	X(REQ_DUP_READ,      NONE,    KEEP,  "duplicate READ or ATOMIC replayed") \
	X(REQ_DUP_STALE,     NONE,    KEEP,  "duplicate READ or ATOMIC without a record") \
	X(REQ_GAP,           NAK_SEQ, KEEP,  "PSN gap") \
	X(REQ_GAP_AGAIN,     NONE,    KEEP,  "PSN gap already reported") \
	X(REQ_SEQUENCE,      NAK_INV, ERROR, "opcode out of sequence") \
	X(REQ_UNSUPPORTED,   NAK_INV, ERROR, "opcode not supported") \
	X(REQ_QP_ACCESS,     NAK_INV, ERROR, "operation not enabled on the QP") \
	X(REQ_LENGTH,        NAK_INV, ERROR, "payload length against PMTU or RETH") \
	X(REQ_TOO_LONG,      NAK_INV, ERROR, "SEND longer than the receive") \
	X(REQ_READ_LIMIT,    NAK_INV, ERROR, "more READs than agreed") \
	X(REQ_MISALIGNED,    NAK_INV, ERROR, "atomic address not aligned") \
	X(REQ_RNR,           RNR,     KEEP,  "receiver not ready") \
	X(REQ_RNR_AGAIN,     NONE,    KEEP,  "behind a receiver not ready") \
	X(REQ_RKEY,          NAK_ACC, ERROR, "R_Key unknown, of another PD, or of a window of another QP") \
	X(REQ_BOUNDS,        NAK_ACC, ERROR, "outside the memory region or window") \
	X(REQ_RIGHTS,        NAK_ACC, ERROR, "memory region or window forbids it") \
	X(REQ_FAULT,         NAK_ACC, ERROR, "target memory is gone") \
	X(REQ_LOCAL,         NAK_OP,  ERROR, "receive buffer not accessible") \
	X(REQ_INVALIDATE,    NONE,    ERROR, "key to invalidate is of no window bound here") \
	X(REQ_REPLAY_GONE,   NONE,    KEEP,  "replayed READ whose region is gone") \
	X(REQ_UC_REST,       NONE,    KEEP,  "rest of a UC message that was given up") \
	/* requester */ \
	X(RSP_STALE,         NONE,    KEEP,  "response already known") \
	X(RSP_UNSENT,        NONE,    KEEP,  "response to a PSN never sent") \
	X(RSP_RESERVED,      NONE,    KEEP,  "reserved AETH syndrome") \
	X(RSP_IMPLIED_NAK,   NONE,    KEEP,  "response implies a lost READ response") \
	X(RSP_NAK_SEQ,       NONE,    KEEP,  "NAK: sequence error") \
	X(RSP_NAK_AGAIN,     NONE,    KEEP,  "NAK: sequence error already acted on") \
	X(RSP_RNR,           NONE,    KEEP,  "NAK: receiver not ready") \
	X(RSP_NAK_INV,       NONE,    ERROR, "NAK: invalid request") \
	X(RSP_NAK_ACC,       NONE,    ERROR, "NAK: remote access error") \
	X(RSP_NAK_OP,        NONE,    ERROR, "NAK: remote operational error") \
	X(RSP_BAD,           NONE,    ERROR, "response of the wrong kind or length") \
	X(RSP_LOCAL,         NONE,    ERROR, "response cannot be placed locally") \
	/* management */ \
	X(MAD_BAD,           NONE,    KEEP,  "malformed or foreign MAD") \
	X(CM_UNMATCHED,      NONE,    KEEP,  "CM message for no connection") \
	X(CM_DUPLICATE,      NONE,    KEEP,  "CM message seen before") \
	X(CM_ADDRESS,        NONE,    KEEP,  "CM message from another address than the peer's") \
	X(CM_FULL,           NONE,    KEEP,  "CM table full") \
	/* datagrams */ \
	X(UD_NO_RECEIVE,     NONE,    KEEP,  "datagram without a receive") \
	X(UD_TOO_LONG,       NONE,    KEEP,  "datagram longer than the receive") \
	X(UD_LOCAL,          NONE,    ERROR, "receive of a datagram not accessible")
/* clang-format on */

enum rn_verdict {
#define X(name, reply, qp, text) RN_V_##name,
	RN_VERDICT_ROWS(X)
#undef X
	RN_V_COUNT
};

enum rn_reply {
	RN_REPLY_NONE, RN_REPLY_ACK, RN_REPLY_NAK_SEQ, RN_REPLY_NAK_INV,
	RN_REPLY_NAK_ACC, RN_REPLY_NAK_OP, RN_REPLY_RNR
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
