/* ICMP and ICMPv6 echo messages and their checksums. All functions are pure. Any thread may call
 * these functions. */
#ifndef RN_ICMP_MSG_H
#define RN_ICMP_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/abi.h"

#define RN_IPPROTO_ICMP	  1
#define RN_IPPROTO_ICMPV6 58
#define RN_ICMP_ECHO_HDR  8

struct rn_icmp_echo {
	bool reply; /* true = echo reply, false = echo request */
	uint16_t id, seq;
	const uint8_t *data; /* points into the parsed message, or to the data of a message to
			      * build */
	uint32_t data_len;
};

/* Returns the RFC 1071 checksum of n bytes, in host byte order. The checksum starts with `sum`: 0,
 * or the sum of a pseudo header. For a message with a correct checksum field the result is 0. */
uint16_t rn_ip_checksum(uint32_t sum, const uint8_t *p, size_t n);
/* Returns the sum of the IPv6 pseudo header for an upper-layer message of len bytes. */
uint32_t rn_ipv6_pseudo_sum(const struct rn_gid *src, const struct rn_gid *dst, uint16_t len,
			    uint8_t protocol);

/* Parses an ICMP or ICMPv6 message, without the IP header. echo->data points into p. src and dst
 * are part of the ICMPv6 checksum; the ICMP checksum ignores src and dst. Returns false if p is no
 * echo message, the length is invalid, or the checksum is wrong. */
bool rn_icmp_echo_parse(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			const uint8_t *p, size_t len, struct rn_icmp_echo *echo);
/* Writes an echo message with its checksum to p, which has room for cap bytes. echo->data may
 * overlap p. Returns the length of the message (RN_ICMP_ECHO_HDR + data_len), or 0 if cap is too
 * small. */
size_t rn_icmp_echo_build(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			  const struct rn_icmp_echo *echo, uint8_t *p, size_t cap);

#endif
