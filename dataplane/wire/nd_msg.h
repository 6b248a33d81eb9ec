/* IPv6 neighbour discovery: solicitations and advertisements (RFC 4861, sections 4.3, 4.4, 7.1).
 * The message follows the IPv6 header, whose hop limit the caller checks (255). Pure functions; any
 * thread. */
#ifndef RN_ND_MSG_H
#define RN_ND_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/abi.h"

#define RN_ND_HOP_LIMIT 255
#define RN_ND_BYTES	32 /* length with one link-layer address option, the longest built here */
#define RN_ND_MIN	24

enum rn_nd_type { RN_ND_SOLICIT = 135, RN_ND_ADVERT = 136 };

struct rn_nd {
	uint8_t type;			  /* enum rn_nd_type */
	bool router, solicited, override; /* flags of an ADVERT; false in a SOLICIT */
	struct rn_gid target;
	bool has_mac; /* mac is the source (SOLICIT) or target (ADVERT) link-layer address */
	uint8_t mac[6];
};

/* Parses len bytes after the IPv6 header. Returns false for what a receiver must discard (RFC 4861,
 * 7.1): wrong type, code, length or checksum; an option of length 0; a multicast target; a
 * solicitation from :: that carries a MAC or is not sent to a group; a solicited advertisement sent
 * to a group. */
bool rn_nd_parse(const struct rn_gid *src, const struct rn_gid *dst, const uint8_t *p, size_t len,
		 struct rn_nd *nd);
/* Writes a message with its checksum. Returns its length: RN_ND_BYTES, or RN_ND_MIN without a
 * MAC. */
size_t rn_nd_build(const struct rn_gid *src, const struct rn_gid *dst, const struct rn_nd *nd,
		   uint8_t p[RN_ND_BYTES]);

/* The solicited-node multicast group of an address: ff02::1:ffXX:XXXX with its last 24 bits. */
void rn_nd_solicited_node(const struct rn_gid *addr, struct rn_gid *group);

#endif
