/* The opcode table: what each of the 256 BTH opcodes carries and means (docs/spec/rocev2.md 1.11).
 * The row of a reserved opcode has known == false, its transport, and the length of a bare BTH; all
 * else is zero. The 16 reserved bytes of a CNP count as payload. The numbers equal those of
 * rdma-core's <infiniband/opcode.h>. The table is constant. Any thread may read the table. */
#ifndef RN_OPCODE_H
#define RN_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum rn_transport {
	RN_T_RC = 0x00,
	RN_T_UC = 0x20,
	RN_T_RD = 0x40,
	RN_T_UD = 0x60,
	RN_T_CNP = 0x80,
	RN_T_OTHER = 0xA0 /* XRC and manufacturer-specific opcodes */
};

#define RN_OPCODE_CNP 0x81u

/* The operation is the low five bits of an opcode. An operation has the same number in every
 * transport. */
enum rn_operation {
	RN_OP_SEND_FIRST = 0x00,
	RN_OP_SEND_MIDDLE,
	RN_OP_SEND_LAST,
	RN_OP_SEND_LAST_IMM,
	RN_OP_SEND_ONLY,
	RN_OP_SEND_ONLY_IMM,
	RN_OP_WRITE_FIRST = 0x06,
	RN_OP_WRITE_MIDDLE,
	RN_OP_WRITE_LAST,
	RN_OP_WRITE_LAST_IMM,
	RN_OP_WRITE_ONLY,
	RN_OP_WRITE_ONLY_IMM,
	RN_OP_READ_REQUEST = 0x0C,
	RN_OP_READ_RESP_FIRST,
	RN_OP_READ_RESP_MIDDLE,
	RN_OP_READ_RESP_LAST,
	RN_OP_READ_RESP_ONLY,
	RN_OP_ACK,
	RN_OP_ATOMIC_ACK,
	RN_OP_CMP_SWAP,
	RN_OP_FETCH_ADD,
	RN_OP_SEND_LAST_INV = 0x16,
	RN_OP_SEND_ONLY_INV,
};

/* The kind of message that a packet belongs to. First, middle and last packets of a message have
 * the same family. */
enum rn_family {
	RN_F_NONE,
	RN_F_SEND,
	RN_F_WRITE,
	RN_F_READ_REQ,
	RN_F_READ_RESP,
	RN_F_ACK,
	RN_F_ATOMIC,
	RN_F_ATOMIC_ACK,
	RN_F_CNP
};

struct rn_opcode_row {
	const char *name; /* such as "RC SEND_FIRST" */
	uint8_t opcode;
	uint8_t transport; /* enum rn_transport */
	uint8_t family;	   /* enum rn_family */
	uint8_t hdr_bytes; /* length of BTH and extension headers */
	bool known;
	bool response;	   /* true: sent by the responder; false: sent by the requester */
	bool starts, ends; /* is the first packet / the last packet of a message */
	bool has_reth, has_aeth, has_imm, has_ieth, has_deth, has_atomic_eth, has_atomic_ack;
	bool has_payload; /* may carry payload, not only headers */
	bool takes_recv;  /* accepting this packet consumes a receive */
};

const struct rn_opcode_row *rn_opcode_row(uint8_t opcode);

#endif
