/* Parses and builds ICMP and ICMPv6 echo messages. Stateless. Any thread may call these
 * functions. */
#include "wire/icmp_msg.h"

#include <string.h>

static const uint8_t echo_type[2][2] = {{128, 129}, {8, 0}}; /* ICMP type by [ipv4][reply] */

/* Returns the ones' complement sum of big-endian 16-bit words, folded to 16 bits. An odd last byte
 * counts as the high half of a word. */
static uint32_t sum_bytes(uint32_t sum, const uint8_t *p, size_t n)
{
	uint64_t wide = sum;

	for (size_t i = 0; i + 1 < n; i += 2)
		wide += (uint32_t)(p[i] << 8 | p[i + 1]);
	if (n & 1)
		wide += (uint32_t)p[n - 1] << 8;
	/* Add the carries back into the low 16 bits until no carry is left. */
	while (wide >> 16)
		wide = (wide & 0xffff) + (wide >> 16);
	return (uint32_t)wide;
}

uint16_t rn_ip_checksum(uint32_t sum, const uint8_t *p, size_t n)
{
	return (uint16_t)~sum_bytes(sum, p, n);
}

uint32_t rn_ipv6_pseudo_sum(const struct rn_gid *src, const struct rn_gid *dst, uint16_t len,
			    uint8_t protocol)
{
	uint32_t sum = sum_bytes(0, src->b, 16);

	sum = sum_bytes(sum, dst->b, 16);
	return sum_bytes(sum + len + protocol, NULL, 0);
}

/* Returns the sum with which the checksum starts. For ICMPv6 this is the sum of the pseudo header
 * (RFC 4443, 2.3). ICMP has no pseudo header, so the sum is 0. */
static uint32_t first_sum(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst, size_t len)
{
	return ipv4 ? 0 : rn_ipv6_pseudo_sum(src, dst, (uint16_t)len, RN_IPPROTO_ICMPV6);
}

bool rn_icmp_echo_parse(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			const uint8_t *p, size_t len, struct rn_icmp_echo *echo)
{
	/* The code (byte 1) of an echo is 0. The checksum over a whole message with a correct
	 * checksum field is 0. */
	if (len < RN_ICMP_ECHO_HDR || len > 65535 || p[1] != 0 ||
	    (p[0] != echo_type[ipv4][0] && p[0] != echo_type[ipv4][1]) ||
	    rn_ip_checksum(first_sum(ipv4, src, dst, len), p, len) != 0)
		return false;
	echo->reply = p[0] == echo_type[ipv4][1];
	echo->id = (uint16_t)(p[4] << 8 | p[5]);
	echo->seq = (uint16_t)(p[6] << 8 | p[7]);
	echo->data = p + RN_ICMP_ECHO_HDR;
	echo->data_len = (uint32_t)(len - RN_ICMP_ECHO_HDR);
	return true;
}

size_t rn_icmp_echo_build(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			  const struct rn_icmp_echo *echo, uint8_t *p, size_t cap)
{
	size_t len = RN_ICMP_ECHO_HDR + (size_t)echo->data_len;
	uint16_t sum;

	if (len > cap)
		return 0;
	p[0] = echo_type[ipv4][echo->reply];
	p[1] = p[2] = p[3] = 0;
	p[4] = (uint8_t)(echo->id >> 8);
	p[5] = (uint8_t)echo->id;
	p[6] = (uint8_t)(echo->seq >> 8);
	p[7] = (uint8_t)echo->seq;
	/* memmove(), because a reply may be built in the buffer of its echo request */
	if (echo->data_len)
		memmove(p + RN_ICMP_ECHO_HDR, echo->data, echo->data_len);
	sum = rn_ip_checksum(first_sum(ipv4, src, dst, len), p, len);
	p[2] = (uint8_t)(sum >> 8);
	p[3] = (uint8_t)sum;
	return len;
}
