/* ICMP and ICMPv6 echo, and the checksums of both. Pure functions; any thread. */
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
	bool reply; /* else a request */
	uint16_t id, seq;
	const uint8_t *data; /* not owned */
	uint32_t data_len;
};

/* RFC 1071 over n bytes, starting from `sum` (0, or that of a pseudo header); 0 over a message
 * whose checksum field is right. */
uint16_t rn_ip_checksum(uint32_t sum, const uint8_t *p, size_t n);
/* Sum to start from for an upper-layer message of len bytes over IPv6. */
uint32_t rn_ipv6_pseudo_sum(const struct rn_gid *src, const struct rn_gid *dst, uint16_t len,
			    uint8_t protocol);

/* One ICMP (v4) or ICMPv6 message, IP header excluded; for v4 src and dst are not looked at. False
 * when not an echo, or too short, or the checksum is wrong. echo->data points into p. */
bool rn_icmp_echo_parse(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			const uint8_t *p, size_t len, struct rn_icmp_echo *echo);
/* Returns the message's length, RN_ICMP_ECHO_HDR + data_len; 0 when cap is too small. */
size_t rn_icmp_echo_build(bool ipv4, const struct rn_gid *src, const struct rn_gid *dst,
			  const struct rn_icmp_echo *echo, uint8_t *p, size_t cap);

#endif
