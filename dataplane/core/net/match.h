/* Is a received frame an ordinary packet from the peer of one QP? rn_match_frame() compares the
 * frame's first 62 (IPv4) or 78 (IPv6) bytes with the bytes that the QP expects. A frame that
 * matches has:
 * - the port's MAC as destination, and no VLAN tag
 * - no IPv4 options, a correct IPv4 checksum, and no UDP checksum
 * - both addresses and the QPN of the connection, the transport RC, and a valid P_Key
 * The ICRC is not checked here.
 *
 * Most frames have the same headers as an earlier frame, up to the BTH. rn_match_again() finds such
 * a frame by one comparison, and knows the CRC of these headers; rn_match_large() is the same for
 * long frames. Both need AVX; without AVX no frame is remembered.
 *
 * A frame that does not match may still be valid: rn_frame_parse() and the functions behind it
 * decide. Owns nothing. Runs on the shard's thread. */
#ifndef RN_MATCH_H
#define RN_MATCH_H

#include <string.h>

#include "base/types.h"
#include "rn/abi.h"
#include "wire/fold.h"
#include "wire/hdr.h"
#include "wire/opcode.h"

/* The bytes of a frame are compared in blocks of 16: one block at offset 0, then blocks from the IP
 * header on. Block k > 0 starts at RN_ETH_BYTES + 16 * (k - 1). The last block contains the QPN;
 * the bytes after the QPN are not compared. */
#define RN_MATCH_V4 4u
#define RN_MATCH_V6 5u

/* The headers, Ethernet to QPN, of an earlier frame that matched and had a correct ICRC. A frame
 * that begins with the same bytes, up to the BTH, matches if its BTH does, and the CRC of the bytes
 * from the IP header to the BTH is known. */
struct rn_match_seen {
	uint32_t crc;	  /* rn_icrc_head() */
	uint16_t udp_len; /* UDP length of the frame; 0: no frame is remembered */
	/* how many frames must match without this help until the next frame is remembered */
	uint16_t wait;
	uint8_t hdr[72]; /* the first bytes of the frame, up to the first eight of its BTH */
};

struct rn_match {
	/* of the peer's requests, and of its responses, which have other lengths */
	struct rn_match_seen requests, responses;
	uint8_t blocks; /* RN_MATCH_V4, RN_MATCH_V6, or 0: no frame matches */
	/* The ICRC of the frame in `large` XOR the CRC of its bytes as they are, from large.crc on.
	 * The ICRC counts the byte RN_BTH_ECN as all ones. A CRC is linear, so this difference is
	 * the same in all frames with the same length and the same byte there. */
	uint32_t large_masked;
	_Alignas(16) uint8_t want[RN_MATCH_V6][16];
	/* Of a frame with more than RN_ICRC_TAIL_MAX bytes from the BTH on. Most packets of a large
	 * SEND, WRITE or READ are Middle packets, whose headers are the same up to the opcode. */
	struct rn_match_seen large;
};

/* The fields of a frame that matches. */
struct rn_brief {
	const uint8_t *ip;
	const uint8_t *ext; /* the first byte behind the BTH */
	const uint8_t *end; /* the first byte of the ICRC */
	uint32_t psn;
	uint8_t opcode;
	uint8_t flags; /* second byte of the BTH: RN_BTH_SE, pad count */
	bool ack_req;
};

/* Makes *m for the QP `qpn`: frames from the address `peer` to the address `own` of this port
 * match. `mac` is the port's MAC. The port must not use a VLAN tag. If `own` and `peer` are not of
 * the same family, no frame matches. */
void rn_match_make(struct rn_match *m, const uint8_t mac[6], const struct rn_gid *own,
		   const struct rn_gid *peer, uint32_t qpn);
/* From now on no frame matches. */
static inline void rn_match_none(struct rn_match *m)
{
	m->blocks = 0;
	m->requests.udp_len = m->responses.udp_len = m->large.udp_len = 0;
}

/* To be called with a frame that matched and had a correct ICRC, but for which rn_match_again() and
 * rn_match_large() returned false. `ip`, `bth` and `end` are the positions of its IP header, BTH
 * and ICRC. Remembers the headers for these two, but not those of every frame: if they change all
 * the time, remembering them is of no use. */
void rn_match_remember(struct rn_match *m, const uint8_t *frame, const uint8_t *ip,
		       const uint8_t *bth, const uint8_t *end);

/* Returns false if no frame can match. */
static inline bool rn_match_on(const struct rn_match *m)
{
	return m->blocks != 0;
}

/* A bit of a mask is 1 if the bit of the frame is compared. */
extern const uint8_t rn_match_mask_v4[RN_MATCH_V4][16], rn_match_mask_v6[RN_MATCH_V6][16];

/* Offset of the BTH in an untagged frame. */
static inline uint32_t rn_match_bth(bool ipv4)
{
	return RN_ETH_BYTES + (ipv4 ? RN_IPV4_BYTES : RN_IPV6_BYTES) + RN_UDP_BYTES;
}

/* Returns true if the frame is untagged, long enough, and either IPv4 (sets *ipv4) or IPv6. Then
 * sets *qpn to the bytes at the place of the destination QPN; the frame need not be a RoCEv2
 * frame. */
static inline bool rn_match_qpn(const uint8_t *f, uint32_t len, bool *ipv4, uint32_t *qpn)
{
	uint16_t type;

	if (len < RN_ETH_BYTES + 16 * (RN_MATCH_V4 - 1))
		return false;
	type = rn_load16(f + RN_ETH_TYPE);
	*ipv4 = type == RN_ETHERTYPE_IPV4;
	if (!*ipv4 && (type != RN_ETHERTYPE_IPV6 || len < RN_ETH_BYTES + 16 * (RN_MATCH_V6 - 1)))
		return false;
	*qpn = rn_load32(f + rn_match_bth(*ipv4) + RN_BTH_QPN - 1) & 0xFFFFFF;
	return true;
}

typedef uint64_t rn_match_block __attribute__((vector_size(16), aligned(1), may_alias));

/* The bits of block k in which the frame differs from what is expected. */
static inline rn_match_block rn_match_diff(const struct rn_match *m, const uint8_t *f, unsigned k,
					   const uint8_t mask[16])
{
	const uint8_t *at = k ? f + RN_ETH_BYTES + 16 * (k - 1) : f;

	return (*(const rn_match_block *)at ^ *(const rn_match_block *)m->want[k]) &
	       *(const rn_match_block *)mask;
}

static inline bool rn_match_bytes(const struct rn_match *m, const uint8_t *f, bool ipv4)
{
	const uint8_t(*mask)[16] = ipv4 ? rn_match_mask_v4 : rn_match_mask_v6;
	rn_match_block d = rn_match_diff(m, f, 0, mask[0]) | rn_match_diff(m, f, 1, mask[1]) |
			   rn_match_diff(m, f, 2, mask[2]) | rn_match_diff(m, f, 3, mask[3]);

	if (!ipv4)
		d |= rn_match_diff(m, f, 4, mask[4]);
	return !(d[0] | d[1]);
}

/* Where the headers of frames of this opcode are remembered. Opcodes from READ_RESP_FIRST on are
 * responses; the few requests behind them are rare. */
static inline struct rn_match_seen *rn_match_place(struct rn_match *m, uint8_t opcode)
{
	return opcode < RN_OP_READ_RESP_FIRST ? &m->requests : &m->responses;
}

/* Returns the 32 bytes at a XOR those at b: a bit is 1 where the two differ. */
RN_FOLDING static inline __m256 rn_match_differ(const uint8_t *a, const uint8_t *b)
{
	return _mm256_xor_ps(_mm256_loadu_ps((const void *)a), _mm256_loadu_ps((const void *)b));
}

/* Returns true if frame f has the same headers as the frame that is remembered. Of the first eight
 * bytes of the BTH only some bits are compared, as in rn_match_mask_v4: transport, version, P_Key,
 * QPN. The blocks overlap; together they are all bytes up to the QPN. */
RN_FOLDING static inline bool rn_match_same(const struct rn_match_seen *s, const uint8_t *f,
					    bool ipv4)
{
	const __m256 mask =
		_mm256_castsi256_ps(_mm256_set_epi64x((int64_t)0xFFFFFF00FF7F0FE0, -1, -1, -1));
	uint32_t last = rn_match_bth(ipv4) + 8 - (uint32_t)sizeof(mask);
	__m256 d = _mm256_and_ps(rn_match_differ(f + last, s->hdr + last), mask);

	d = _mm256_or_ps(d, rn_match_differ(f, s->hdr));
	if (!ipv4)
		d = _mm256_or_ps(d, rn_match_differ(f + 32, s->hdr + 32));
	return _mm256_testz_si256(_mm256_castps_si256(d), _mm256_castps_si256(d));
}

/* Returns the fields of a frame. `ip`, `bth` and `end` are the positions of its IP header, BTH and
 * ICRC. */
static inline struct rn_brief rn_brief_of(const uint8_t *ip, const uint8_t *bth, const uint8_t *end)
{
	uint32_t word = rn_load32(bth + RN_BTH_ACKREQ_BYTE);

	return (struct rn_brief){
		.ip = ip,
		.ext = bth + RN_BTH_BYTES,
		.end = end,
		.psn = word & 0xFFFFFF,
		.opcode = bth[0],
		.flags = bth[RN_BTH_FLAGS],
		.ack_req = word >> 31,
	};
}

/* Returns true and fills *b if frame f has the same headers as the frame that is remembered in s,
 * and is as long. */
RN_FOLDING static inline bool rn_match_known(const struct rn_match_seen *s, const uint8_t *f,
					     uint32_t len, bool ipv4, struct rn_brief *b)
{
	uint32_t at = rn_match_bth(ipv4);

	if (rn_unlikely(!s->udp_len || len < at - RN_UDP_BYTES + s->udp_len ||
			!rn_match_same(s, f, ipv4)))
		return false;
	*b = rn_brief_of(f + RN_ETH_BYTES, f + at,
			 f + at + s->udp_len - RN_UDP_BYTES - RN_ICRC_BYTES);
	return true;
}

/* Returns true and fills *b if the frame begins with headers that rn_match_remember() has stored,
 * and its BTH matches. Then *crc is the CRC of the bytes before the BTH, for
 * rn_icrc_tail_folded(), and rn_match_frame() would return true too. The result is false for many
 * frames that match. The caller has called rn_match_qpn(), which returned true. */
RN_FOLDING static inline bool rn_match_again(struct rn_match *m, const uint8_t *f, uint32_t len,
					     bool ipv4, struct rn_brief *b, uint32_t *crc)
{
	const struct rn_match_seen *s = rn_match_place(m, f[rn_match_bth(ipv4)]);

	if (rn_unlikely(!rn_match_known(s, f, len, ipv4, b)))
		return false;
	*crc = s->crc;
	return true;
}

/* Like rn_match_again(), for a frame with more than RN_ICRC_TAIL_MAX bytes from the BTH on. Its
 * ICRC is the CRC that rn_icrc_add() continues from m->large.crc, XOR m->large_masked. */
RN_FOLDING static inline bool rn_match_large(const struct rn_match *m, const uint8_t *f,
					     uint32_t len, bool ipv4, struct rn_brief *b)
{
	uint32_t ecn = rn_match_bth(ipv4) + RN_BTH_ECN;

	return rn_match_known(&m->large, f, len, ipv4, b) && f[ecn] == m->large.hdr[ecn];
}

/* Returns true and fills *b if the frame matches. The caller has called rn_match_qpn(), which
 * returned true. A frame that an overloaded switch has marked (ECN) never matches: rn_shard_rx()
 * must handle the mark. */
static inline bool rn_match_frame(const struct rn_match *m, const uint8_t *f, uint32_t len,
				  bool ipv4, struct rn_brief *b)
{
	const uint8_t *ip = f + RN_ETH_BYTES, *bth = f + rn_match_bth(ipv4);
	uint32_t udp_len = rn_load16(bth - RN_UDP_BYTES + RN_UDP_LENGTH);
	uint32_t head = rn_match_bth(ipv4) - RN_UDP_BYTES;
	uint32_t ip_len = ipv4 ? (uint32_t)rn_load16(ip + RN_IPV4_LENGTH) - RN_IPV4_BYTES
			       : rn_load16(ip + RN_IPV6_LENGTH);
	unsigned ecn = ipv4 ? ip[RN_IPV4_TOS] & 3 : ip[1] >> 4 & 3;

	if (rn_unlikely(m->blocks != (ipv4 ? RN_MATCH_V4 : RN_MATCH_V6) ||
			!rn_match_bytes(m, f, ipv4) || ecn == RN_ECN_CE || ip_len != udp_len ||
			udp_len > len - head || udp_len & 3 ||
			udp_len < RN_UDP_BYTES + RN_BTH_BYTES + RN_ICRC_BYTES))
		return false;
	if (ipv4 && rn_unlikely(!rn_ipv4_checksum_right(ip)))
		return false;
	*b = rn_brief_of(ip, bth, bth + udp_len - RN_UDP_BYTES - RN_ICRC_BYTES);
	return true;
}

/* The pad count of a frame that matches, 0..3. */
static inline unsigned rn_brief_pad(const struct rn_brief *b)
{
	return b->flags >> RN_BTH_PAD_SHIFT & 3;
}

#endif
