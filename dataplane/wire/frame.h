/* Frames: Ethernet, 802.1Q, IPv4/IPv6, UDP 4791, BTH, extension headers, payload, pad, ICRC (sections 1, 2).
 * Pure functions of their arguments; any thread. */
#ifndef RN_FRAME_H
#define RN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "pkt.h"
#include "verdict.h"

/* Parses one Ethernet frame without FCS. Reads only frame[0..len). On RN_V_OK *pkt is filled and payload/ip
 * point into frame; on any other verdict *pkt holds what was understood so far (op is NULL before the BTH) and no payload.
 * The ICRC has been checked, of IB packets; ARP, ND and ICMP bodies are their own modules' to check, checksum included.
 * Opcodes of RC, UC, UD and CNP that the table does not know are accepted (op->known false): what to answer depends
 * on the QP.
 * Knows nothing of who we are: MAC, address and P_Key checks are the shard's. */
enum rn_verdict rn_frame_parse(const uint8_t *frame, size_t len, struct rn_pkt *pkt);

/* Number of header bytes before the payload, for these addresses, VLAN and opcode. */
unsigned rn_frame_hdr_bytes(const struct rn_pkt *pkt);

/* Whole frame length for pkt->payload_len bytes of payload (pad and ICRC included, FCS not). */
unsigned rn_frame_bytes(const struct rn_pkt *pkt);

/* Writes all headers in front of the payload: lengths, pad count, IPv4 checksum. buf holds at least
 * rn_frame_hdr_bytes(). Uses payload_len, not payload. Returns the header bytes written. */
unsigned rn_frame_put_headers(const struct rn_pkt *pkt, uint8_t *buf);

/* Completes a frame whose headers and payload (payload_len bytes) are in place at buf: writes pad bytes and the
 * ICRC computed over what is in buf. Returns the frame length. */
unsigned rn_frame_seal(const struct rn_pkt *pkt, uint8_t *buf);

/* put_headers + copy of pkt->payload + seal. Returns the frame length, 0 when cap is too small. */
unsigned rn_frame_build(const struct rn_pkt *pkt, uint8_t *buf, size_t cap);

/* UDP source port entropy, section 1.6: the same in both directions. */
uint16_t rn_frame_sport(uint32_t flow_label, uint32_t local_qpn, uint32_t remote_qpn);

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
