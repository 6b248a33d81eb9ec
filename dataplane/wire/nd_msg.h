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
#define RN_ND_BYTES	32 /* as built here: with one link-layer address option */
#define RN_ND_MIN	24

enum rn_nd_type { RN_ND_SOLICIT = 135, RN_ND_ADVERT = 136 };

struct rn_nd {
	uint8_t type;			  /* enum rn_nd_type */
	bool router, solicited, override; /* ADVERT */
	struct rn_gid target;
	bool has_mac; /* source (SOLICIT) or target (ADVERT) link-layer address */
	uint8_t mac[6];
};

/* False when malformed by the rules for receivers: type, code, length, options of length 0,
 * checksum, multicast target, solicitation from :: that names a MAC or is not sent to a group,
 * solicited advertisement sent to a group. */
bool rn_nd_parse(const struct rn_gid *src, const struct rn_gid *dst, const uint8_t *p, size_t len,
		 struct rn_nd *nd);
/* Returns the length: RN_ND_BYTES, or RN_ND_MIN without a MAC. */
size_t rn_nd_build(const struct rn_gid *src, const struct rn_gid *dst, const struct rn_nd *nd,
		   uint8_t p[RN_ND_BYTES]);

/* ff02::1:ffXX:XXXX, the group in which the owner of an address listens. */
void rn_nd_solicited_node(const struct rn_gid *addr, struct rn_gid *group);

#endif
