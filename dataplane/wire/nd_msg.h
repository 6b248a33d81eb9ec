/* IPv6 neighbour discovery: solicitations and advertisements (RFC 4861, 4.3, 4.4, 7.1). A message
 * is what follows the IPv6 header. The caller checks that the hop limit is 255. All functions are
 * pure. Any thread may call these functions. */
#ifndef RN_ND_MSG_H
#define RN_ND_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/abi.h"

#define RN_ND_HOP_LIMIT 255
#define RN_ND_BYTES	32 /* maximum length built here: with one link-layer address option */
#define RN_ND_MIN	24

enum rn_nd_type { RN_ND_SOLICIT = 135, RN_ND_ADVERT = 136 };

struct rn_nd {
	uint8_t type;			  /* enum rn_nd_type */
	bool router, solicited, override; /* flags of an ADVERT; false in a SOLICIT */
	struct rn_gid target;
	bool has_mac; /* mac is the source (SOLICIT) or target (ADVERT) link-layer address */
	uint8_t mac[6];
};

/* Parses len bytes after the IPv6 header. Returns false for a message that a receiver must discard
 * (RFC 4861, 7.1):
 * - the type, code, length or checksum is wrong
 * - an option has length 0
 * - the target is a multicast address
 * - a solicitation from :: carries a MAC or is not sent to a group
 * - a solicited advertisement is sent to a group */
bool rn_nd_parse(const struct rn_gid *src, const struct rn_gid *dst, const uint8_t *p, size_t len,
		 struct rn_nd *nd);
/* Writes a message with its checksum. Returns the length: RN_ND_BYTES with a MAC, RN_ND_MIN without
 * one. */
size_t rn_nd_build(const struct rn_gid *src, const struct rn_gid *dst, const struct rn_nd *nd,
		   uint8_t p[RN_ND_BYTES]);

/* Stores the solicited-node multicast group of an address: ff02::1:ffXX:XXXX, where XX:XXXX are the
 * last 24 bits of the address. */
void rn_nd_solicited_node(const struct rn_gid *addr, struct rn_gid *group);

#endif
