/* A constant table of all 256 BTH opcodes. The lists below give three columns of each operation:
 * its family, its extension headers, and its position in the message. ROW() derives all other
 * columns from these three. Any thread may read the table. */
#include "wire/opcode.h"

#include <assert.h>
#include <infiniband/opcode.h>
#include <infiniband/verbs.h>

#include "wire/hdr.h"
#include "rn/status.h"

enum position { MIDDLE = 0, START = 1, END = 2, ALONE = START | END };
enum extension {
	RETH = 1 << 0,
	AETH = 1 << 1,
	IMM = 1 << 2,
	IETH = 1 << 3,
	DETH = 1 << 4,
	ATOMIC = 1 << 5,
	ATOMIC_ACK = 1 << 6
};

/* clang-format off */
#define RC_ROWS(X) /* columns: operation, family, position in the message, extension headers */ \
	X(SEND_FIRST,       SEND,       START,  0) \
	X(SEND_MIDDLE,      SEND,       MIDDLE, 0) \
	X(SEND_LAST,        SEND,       END,    0) \
	X(SEND_LAST_IMM,    SEND,       END,    IMM) \
	X(SEND_ONLY,        SEND,       ALONE,  0) \
	X(SEND_ONLY_IMM,    SEND,       ALONE,  IMM) \
	X(WRITE_FIRST,      WRITE,      START,  RETH) \
	X(WRITE_MIDDLE,     WRITE,      MIDDLE, 0) \
	X(WRITE_LAST,       WRITE,      END,    0) \
	X(WRITE_LAST_IMM,   WRITE,      END,    IMM) \
	X(WRITE_ONLY,       WRITE,      ALONE,  RETH) \
	X(WRITE_ONLY_IMM,   WRITE,      ALONE,  RETH | IMM) \
	X(READ_REQUEST,     READ_REQ,   ALONE,  RETH) \
	X(READ_RESP_FIRST,  READ_RESP,  START,  AETH) \
	X(READ_RESP_MIDDLE, READ_RESP,  MIDDLE, 0) \
	X(READ_RESP_LAST,   READ_RESP,  END,    AETH) \
	X(READ_RESP_ONLY,   READ_RESP,  ALONE,  AETH) \
	X(ACK,              ACK,        ALONE,  AETH) \
	X(ATOMIC_ACK,       ATOMIC_ACK, ALONE,  AETH | ATOMIC_ACK) \
	X(CMP_SWAP,         ATOMIC,     ALONE,  ATOMIC) \
	X(FETCH_ADD,        ATOMIC,     ALONE,  ATOMIC) \
	X(SEND_LAST_INV,    SEND,       END,    IETH) \
	X(SEND_ONLY_INV,    SEND,       ALONE,  IETH)

/* UC has the SENDs and WRITEs of RC, without SEND with invalidate. */
#define UC_ROWS(X) \
	X(SEND_FIRST,       SEND,       START,  0) \
	X(SEND_MIDDLE,      SEND,       MIDDLE, 0) \
	X(SEND_LAST,        SEND,       END,    0) \
	X(SEND_LAST_IMM,    SEND,       END,    IMM) \
	X(SEND_ONLY,        SEND,       ALONE,  0) \
	X(SEND_ONLY_IMM,    SEND,       ALONE,  IMM) \
	X(WRITE_FIRST,      WRITE,      START,  RETH) \
	X(WRITE_MIDDLE,     WRITE,      MIDDLE, 0) \
	X(WRITE_LAST,       WRITE,      END,    0) \
	X(WRITE_LAST_IMM,   WRITE,      END,    IMM) \
	X(WRITE_ONLY,       WRITE,      ALONE,  RETH) \
	X(WRITE_ONLY_IMM,   WRITE,      ALONE,  RETH | IMM)

#define UD_ROWS(X) \
	X(SEND_ONLY,        SEND,       ALONE,  DETH) \
	X(SEND_ONLY_IMM,    SEND,       ALONE,  DETH | IMM)

/* The length in bytes of a set of extension headers (bits of enum extension). */
#define EXT_BYTES(ext) \
	(((ext) & RETH ? RN_RETH_BYTES : 0) + ((ext) & AETH ? RN_AETH_BYTES : 0) + \
	 ((ext) & IMM ? RN_IMM_BYTES : 0) + ((ext) & IETH ? RN_IETH_BYTES : 0) + \
	 ((ext) & DETH ? RN_DETH_BYTES : 0) + ((ext) & ATOMIC ? RN_ATOMIC_ETH_BYTES : 0) + \
	 ((ext) & ATOMIC_ACK ? RN_ATOMIC_ACK_BYTES : 0))

#define IS(family, of) (RN_F_##family == RN_F_##of)

/* Makes the table entry of one opcode. A SEND takes a receive with its first packet. A WRITE with
 * immediate data takes a receive with its last packet. */
#define ROW(T, OP, FAMILY, POSITION, EXT) \
	[RN_T_##T | RN_OP_##OP] = { \
		.name = #T " " #OP, \
		.opcode = RN_T_##T | RN_OP_##OP, \
		.transport = RN_T_##T, \
		.family = RN_F_##FAMILY, \
		.hdr_bytes = RN_BTH_BYTES + EXT_BYTES(EXT), \
		.known = true, \
		.response = IS(FAMILY, READ_RESP) || IS(FAMILY, ACK) || IS(FAMILY, ATOMIC_ACK), \
		.starts = (POSITION) & START, \
		.ends = ((POSITION) & END) != 0, \
		.has_reth = ((EXT) & RETH) != 0, \
		.has_aeth = ((EXT) & AETH) != 0, \
		.has_imm = ((EXT) & IMM) != 0, \
		.has_ieth = ((EXT) & IETH) != 0, \
		.has_deth = ((EXT) & DETH) != 0, \
		.has_atomic_eth = ((EXT) & ATOMIC) != 0, \
		.has_atomic_ack = ((EXT) & ATOMIC_ACK) != 0, \
		.has_payload = IS(FAMILY, SEND) || IS(FAMILY, WRITE) || IS(FAMILY, READ_RESP), \
		.takes_recv = (IS(FAMILY, SEND) && ((POSITION) & START)) || \
			      (IS(FAMILY, WRITE) && ((EXT) & IMM)), \
	},
#define RC_ROW(...) ROW(RC, __VA_ARGS__)
#define UC_ROW(...) ROW(UC, __VA_ARGS__)
#define UD_ROW(...) ROW(UD, __VA_ARGS__)
/* A reserved opcode keeps its transport. The parser accepts reserved opcodes of RC, UC, UD and CNP,
 * because the reply depends on the QP that gets the packet. */
#define UNKNOWN(T)  {.name = #T " reserved", .transport = RN_T_##T, .hdr_bytes = RN_BTH_BYTES}
/* clang-format on */

/* Indexed by opcode. The ranges that no list covers are reserved opcodes of their transport. */
static const struct rn_opcode_row table[256] = {
	RC_ROWS(RC_ROW)[0x15] = UNKNOWN(RC),
	[0x18 ... 0x1F] = UNKNOWN(RC),
	UC_ROWS(UC_ROW)[0x2C ... 0x3F] = UNKNOWN(UC),
	[0x40 ... 0x5F] = UNKNOWN(RD),
	[0x60 ... 0x63] = UNKNOWN(UD),
	UD_ROWS(UD_ROW)[0x66 ... 0x7F] = UNKNOWN(UD),
	[0x80] = UNKNOWN(CNP),
	[RN_OPCODE_CNP] =
		{
			.name = "CNP",
			.opcode = RN_OPCODE_CNP,
			.transport = RN_T_CNP,
			.family = RN_F_CNP,
			.hdr_bytes = RN_BTH_BYTES,
			.known = true,
			.starts = true,
			.ends = true,
			.has_payload = true,
		},
	[0x82 ... 0x9F] = UNKNOWN(CNP),
	[0xA0 ... 0xFF] = UNKNOWN(OTHER),
};

const struct rn_opcode_row *rn_opcode_row(uint8_t opcode)
{
	return &table[opcode];
}

/* Checks that a number of opcode.h equals the number in the verbs headers. */
#define SAME(ours, theirs) static_assert((unsigned)(ours) == (unsigned)(theirs), #theirs)
SAME(RN_T_RC | RN_OP_SEND_FIRST, IBV_OPCODE_RC_SEND_FIRST);
SAME(RN_T_RC | RN_OP_SEND_MIDDLE, IBV_OPCODE_RC_SEND_MIDDLE);
SAME(RN_T_RC | RN_OP_SEND_LAST, IBV_OPCODE_RC_SEND_LAST);
SAME(RN_T_RC | RN_OP_SEND_LAST_IMM, IBV_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE);
SAME(RN_T_RC | RN_OP_SEND_ONLY, IBV_OPCODE_RC_SEND_ONLY);
SAME(RN_T_RC | RN_OP_SEND_ONLY_IMM, IBV_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE);
SAME(RN_T_RC | RN_OP_WRITE_FIRST, IBV_OPCODE_RC_RDMA_WRITE_FIRST);
SAME(RN_T_RC | RN_OP_WRITE_MIDDLE, IBV_OPCODE_RC_RDMA_WRITE_MIDDLE);
SAME(RN_T_RC | RN_OP_WRITE_LAST, IBV_OPCODE_RC_RDMA_WRITE_LAST);
SAME(RN_T_RC | RN_OP_WRITE_LAST_IMM, IBV_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE);
SAME(RN_T_RC | RN_OP_WRITE_ONLY, IBV_OPCODE_RC_RDMA_WRITE_ONLY);
SAME(RN_T_RC | RN_OP_WRITE_ONLY_IMM, IBV_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE);
SAME(RN_T_RC | RN_OP_READ_REQUEST, IBV_OPCODE_RC_RDMA_READ_REQUEST);
SAME(RN_T_RC | RN_OP_READ_RESP_FIRST, IBV_OPCODE_RC_RDMA_READ_RESPONSE_FIRST);
SAME(RN_T_RC | RN_OP_READ_RESP_MIDDLE, IBV_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE);
SAME(RN_T_RC | RN_OP_READ_RESP_LAST, IBV_OPCODE_RC_RDMA_READ_RESPONSE_LAST);
SAME(RN_T_RC | RN_OP_READ_RESP_ONLY, IBV_OPCODE_RC_RDMA_READ_RESPONSE_ONLY);
SAME(RN_T_RC | RN_OP_ACK, IBV_OPCODE_RC_ACKNOWLEDGE);
SAME(RN_T_RC | RN_OP_ATOMIC_ACK, IBV_OPCODE_RC_ATOMIC_ACKNOWLEDGE);
SAME(RN_T_RC | RN_OP_CMP_SWAP, IBV_OPCODE_RC_COMPARE_SWAP);
SAME(RN_T_RC | RN_OP_FETCH_ADD, IBV_OPCODE_RC_FETCH_ADD);
/* The verbs headers lack the two SENDs with invalidate. Their numbers are in the IBTA
 * specification. */
static_assert(RN_OP_SEND_LAST_INV == 0x16 && RN_OP_SEND_ONLY_INV == 0x17, "numbers on the wire");
SAME(RN_T_UC | RN_OP_SEND_FIRST, IBV_OPCODE_UC_SEND_FIRST);
SAME(RN_T_UC | RN_OP_WRITE_ONLY_IMM, IBV_OPCODE_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE);
SAME(RN_T_UD | RN_OP_SEND_ONLY, IBV_OPCODE_UD_SEND_ONLY);
SAME(RN_T_UD | RN_OP_SEND_ONLY_IMM, IBV_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE);

/* The completion statuses of rn/status.h must be those of the verbs headers too. */
#define X(name, number, text) SAME(RN_STATUS_##name, IBV_WC_##name);
RN_STATUS_ROWS(X)
#undef X
