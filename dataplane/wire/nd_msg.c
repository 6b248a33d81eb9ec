/* Parses and builds neighbour solicitations and advertisements. Stateless. Any thread may call
 * these functions. */
#include "wire/nd_msg.h"

#include <string.h>

#include "wire/icmp_msg.h"

enum { OPT_SOURCE_MAC = 1, OPT_TARGET_MAC = 2 };
enum { FLAG_ROUTER = 0x80, FLAG_SOLICITED = 0x40, FLAG_OVERRIDE = 0x20 };

/* Returns the type of the option that carries a MAC. A solicitation carries the MAC of its source,
 * an advertisement the MAC of its target. */
static uint8_t option_for(uint8_t type)
{
	return type == RN_ND_SOLICIT ? OPT_SOURCE_MAC : OPT_TARGET_MAC;
}

/* Reads the options of a message. The first link-layer address option of the expected type gives
 * the MAC; all other options are skipped. Option lengths are in units of 8 bytes. Returns false if
 * an option is malformed, which makes the message invalid. */
static bool options_get(const uint8_t *p, size_t len, struct rn_nd *nd)
{
	while (len > 0) {
		size_t n;

		if (len < 8)
			return false;
		n = (size_t)p[1] * 8;
		if (n == 0 || n > len)
			return false;
		if (p[0] == option_for(nd->type) && !nd->has_mac) {
			nd->has_mac = true;
			memcpy(nd->mac, p + 2, 6);
		}
		p += n;
		len -= n;
	}
	return true;
}

/* True for the unspecified address "::". */
static bool unspecified(const struct rn_gid *g)
{
	static const struct rn_gid zero;
	return memcmp(g, &zero, sizeof(zero)) == 0;
}

bool rn_nd_parse(const struct rn_gid *src, const struct rn_gid *dst, const uint8_t *p, size_t len,
		 struct rn_nd *nd)
{
	bool to_group = dst->b[0] == 0xff;

	if (len < RN_ND_MIN || len > 65535 || (p[0] != RN_ND_SOLICIT && p[0] != RN_ND_ADVERT) ||
	    p[1] != 0 ||
	    rn_ip_checksum(rn_ipv6_pseudo_sum(src, dst, (uint16_t)len, RN_IPPROTO_ICMPV6), p,
			   len) != 0)
		return false;
	memset(nd, 0, sizeof(*nd));
	nd->type = p[0];
	memcpy(nd->target.b, p + 8, 16);
	if (nd->target.b[0] == 0xff || !options_get(p + RN_ND_MIN, len - RN_ND_MIN, nd))
		return false;
	/* A solicitation with source :: checks for a duplicate address. Such a solicitation goes to
	 * a group and carries no MAC. */
	if (nd->type == RN_ND_SOLICIT)
		return !unspecified(src) || (to_group && !nd->has_mac);
	nd->router = p[4] & FLAG_ROUTER;
	nd->solicited = p[4] & FLAG_SOLICITED;
	nd->override = p[4] & FLAG_OVERRIDE;
	/* An advertisement to a group must not claim to answer a solicitation (RFC 4861, 7.1.2). */
	return !(nd->solicited && to_group);
}

size_t rn_nd_build(const struct rn_gid *src, const struct rn_gid *dst, const struct rn_nd *nd,
		   uint8_t p[RN_ND_BYTES])
{
	size_t len = nd->has_mac ? RN_ND_BYTES : RN_ND_MIN;
	uint16_t sum;

	memset(p, 0, len);
	p[0] = nd->type;
	if (nd->type == RN_ND_ADVERT)
		p[4] = (uint8_t)((nd->router ? FLAG_ROUTER : 0) |
				 (nd->solicited ? FLAG_SOLICITED : 0) |
				 (nd->override ? FLAG_OVERRIDE : 0));
	memcpy(p + 8, nd->target.b, 16);
	/* The option with the MAC: type, length 1 (in units of 8 bytes), MAC. */
	if (nd->has_mac) {
		p[24] = option_for(nd->type);
		p[25] = 1;
		memcpy(p + 26, nd->mac, 6);
	}
	/* Compute the sum over all bytes while the checksum field is 0, then store the sum
	 * there. */
	sum = rn_ip_checksum(rn_ipv6_pseudo_sum(src, dst, (uint16_t)len, RN_IPPROTO_ICMPV6), p,
			     len);
	p[2] = (uint8_t)(sum >> 8);
	p[3] = (uint8_t)sum;
	return len;
}

void rn_nd_solicited_node(const struct rn_gid *addr, struct rn_gid *group)
{
	static const uint8_t prefix[13] = {0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff};

	memcpy(group->b, prefix, 13);
	memcpy(group->b + 13, addr->b + 13, 3);
}
