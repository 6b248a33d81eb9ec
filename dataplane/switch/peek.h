/* The fields of a frame by which the switch forwards, read without checking the rest. The
 * receiving client checks lengths, checksums and the ICRC, so the switch does not have to read
 * the payload. */
#ifndef RN_PEEK_H
#define RN_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/abi.h"

enum rn_peek_kind {
	RN_PEEK_BAD,  /* too short for its headers, a fragment, or another UDP port */
	RN_PEEK_DATA, /* RoCEv2 to a QPN other than 1 */
	RN_PEEK_MAD,  /* RoCEv2 to QPN 1 */
	RN_PEEK_OTHER /* not RoCEv2: the caller must parse the frame (wire/frame.h) */
};

struct rn_peek {
	enum rn_peek_kind kind;
	uint16_t vid; /* VLAN ID; 0: no VLAN, or a priority tag */
	const uint8_t *dmac, *smac;
	/* the fields below are set if kind is DATA or MAD */
	struct rn_gid src, dst; /* IPv4 addresses in mapped form, ::ffff:a.b.c.d */
	uint8_t opcode;
	uint32_t dest_qpn, src_qpn; /* src_qpn: datagrams only, otherwise 0 */
};

/* Reads the fields of the frame of len bytes, which must stay while *p is used. */
void rn_peek(const uint8_t *frame, size_t len, struct rn_peek *p);

#endif
