/* Parses and builds frames: Ethernet, 802.1Q, IPv4/IPv6, UDP 4791, BTH, extension headers,
 * payload, pad, ICRC (docs/spec/rocev2.md 1, 2). Pure functions of their arguments; any thread. */
#ifndef RN_FRAME_H
#define RN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "wire/pkt.h"
#include "wire/verdict.h"

/* Parses one Ethernet frame without FCS. Reads only frame[0..len).
 *
 * On RN_V_OK *pkt is filled; pkt->payload and pkt->ip point into frame. On any other verdict *pkt
 * holds the fields that were parsed before the error, but no payload; pkt->op is NULL if the error
 * was found before the BTH.
 *
 * The ICRC of an IB packet is checked. The bodies and checksums of ARP, ND and ICMP messages are
 * not: the functions of arp_msg.h, nd_msg.h and icmp_msg.h check them. MAC, IP address and P_Key
 * are not compared with those of the port: the shard compares them. Reserved opcodes of RC, UC, UD
 * and CNP are accepted with pkt->op->known false, because the reply to such a packet depends on the
 * QP. */
enum rn_verdict rn_frame_parse(const uint8_t *frame, size_t len, struct rn_pkt *pkt);

/* The number of bytes before the payload, for the addresses, VLAN tag and opcode in *pkt. */
unsigned rn_frame_hdr_bytes(const struct rn_pkt *pkt);

/* Length in bytes of the whole frame for pkt->payload_len bytes of payload: pad and ICRC are
 * included, the FCS is not. */
unsigned rn_frame_bytes(const struct rn_pkt *pkt);

/* Writes all headers in front of the payload, with lengths, pad count and IPv4 checksum. buf has
 * room for rn_frame_hdr_bytes(). Reads pkt->payload_len, not the payload. Returns the number of
 * bytes written. */
unsigned rn_frame_put_headers(const struct rn_pkt *pkt, uint8_t *buf);

/* Completes a frame whose headers and payload (payload_len bytes) are in place at buf: writes the
 * pad bytes and the ICRC, computed over the bytes in buf, and the UDP checksum when
 * pkt->udp_checksum is set. Returns the frame length. */
unsigned rn_frame_finish(const struct rn_pkt *pkt, uint8_t *buf);

/* Writes headers, a copy of pkt->payload, pad and ICRC. Returns the frame length, or 0 when cap
 * is too small or the IP length field cannot hold the length. */
unsigned rn_frame_build(const struct rn_pkt *pkt, uint8_t *buf, size_t cap);

/* The UDP source port, which gives routers entropy for load balancing (docs/spec/rocev2.md 1.6):
 * derived from the flow label or, when that is 0, from the two QPNs in such a way that both
 * directions get the same port. */
uint16_t rn_frame_sport(uint32_t flow_label, uint32_t local_qpn, uint32_t remote_qpn);

/* True when the GID is an IPv4 address, that is, of the form ::ffff:a.b.c.d. */
static inline bool rn_gid_is_ipv4(const struct rn_gid *g)
{
	static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	return __builtin_memcmp(g->b, mapped, 12) == 0;
}

static inline bool rn_gid_same_family(const struct rn_gid *a, const struct rn_gid *b)
{
	return rn_gid_is_ipv4(a) == rn_gid_is_ipv4(b);
}

static inline bool rn_gid_equal(const struct rn_gid *a, const struct rn_gid *b)
{
	return __builtin_memcmp(a->b, b->b, 16) == 0;
}

#endif
