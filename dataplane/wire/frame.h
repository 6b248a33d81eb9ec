/* Parses and builds RoCEv2 frames, from the Ethernet header to the ICRC (docs/spec/rocev2.md 1, 2).
 * All functions are pure. Any thread may call these functions. */
#ifndef RN_FRAME_H
#define RN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "wire/pkt.h"
#include "wire/verdict.h"

/* Parses the len bytes at `frame`: an Ethernet frame without FCS. On RN_V_OK *pkt is filled, and
 * pkt->payload and pkt->ip point into `frame`. On any other verdict *pkt has the
 * fields that were parsed before the error, and no payload. pkt->op is NULL if the error was found
 * before the BTH.
 *
 * The ICRC of an IB packet is checked. Not checked:
 * - body and checksum of ARP, ND and ICMP messages (see arp_msg.h, nd_msg.h, icmp_msg.h)
 * - MAC, IP address and P_Key against those of the NIC (the shard checks them)
 * - reserved opcodes of RC, UC, UD and CNP: such a packet gets RN_V_OK and pkt->op->known false,
 *   because the reply depends on the QP */
enum rn_verdict rn_frame_parse(const uint8_t *frame, size_t len, struct rn_pkt *pkt);

/* Parses BTH, extension headers and payload of a frame. The caller has checked the headers before
 * the BTH, and the ICRC at `end`. Sets pkt->frame, pkt->frame_len and the fields of *pkt that come
 * from the parsed bytes; all other fields are zero. Returns false if rn_frame_parse() would refuse
 * the frame. */
bool rn_frame_parse_matched(const uint8_t *frame, uint32_t len, const uint8_t *bth,
			    const uint8_t *end, struct rn_pkt *pkt);

/* Returns the number of bytes before the payload. The number depends on the IP version, VLAN tag
 * and opcode in *pkt. */
unsigned rn_frame_hdr_bytes(const struct rn_pkt *pkt);

/* Returns the length in bytes of a frame with pkt->payload_len bytes of payload. The pad and the
 * ICRC are included, but not the FCS. */
unsigned rn_frame_bytes(const struct rn_pkt *pkt);

/* Writes all headers, with lengths, pad count and IPv4 checksum. buf has room for
 * rn_frame_hdr_bytes(). Reads pkt->payload_len, but not the payload. Returns the number of bytes
 * written. */
unsigned rn_frame_put_headers(const struct rn_pkt *pkt, uint8_t *buf);

/* Completes a frame: writes the pad bytes, the ICRC and, if pkt->udp_checksum is set, the UDP
 * checksum. The headers and pkt->payload_len bytes of payload must be in buf already. Returns the
 * frame length. */
unsigned rn_frame_finish(const struct rn_pkt *pkt, uint8_t *buf);

/* Writes a whole frame: headers, a copy of pkt->payload, pad and ICRC. buf has room for cap bytes.
 * Returns the frame length, or 0 if cap or the IP length field is too small for the frame. */
unsigned rn_frame_build(const struct rn_pkt *pkt, uint8_t *buf, size_t cap);

/* Returns the UDP source port of packets between two QPs, derived from the flow label. If the flow
 * label is 0, the port is derived from the two QPNs and is the same in both directions. Routers
 * balance load by this port (docs/spec/rocev2.md 1.6). */
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
