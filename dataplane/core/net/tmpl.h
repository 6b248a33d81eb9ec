/* Template of the headers, Ethernet to BTH, that all packets of a connected QP share. The template
 * is built once. Each packet gets a copy, in which lengths, opcode, PSN and flags are set. Runs on
 * the shard's thread. */
#ifndef RN_TMPL_H
#define RN_TMPL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/types.h"
#include "ground/txbuf.h"
#include "rn/abi.h"
#include "wire/hdr.h"
#include "wire/icrc_parts.h"

struct rn_tmpl {
	uint8_t hdr[80]; /* headers: Ethernet, VLAN, IP, UDP, BTH */
	uint8_t bytes;	 /* how many bytes of hdr are used */
	uint8_t ip_off;	 /* offset of the IP header */
	bool ipv4;
	uint16_t csum; /* sum of the IPv4 header's words except length and checksum, folded */
	/* value of the UDP length field in hdr, which rn_tmpl_set_length() writes; 0 = not written
	 * yet */
	uint16_t udp_len;
	/* icrc[i] is the CRC after the UDP header (rn_icrc_head()) of packets with the UDP length
	 * icrc_len[i]; 0 = none cached. Entry 0 belongs to the last packet sealed, and entry 1 to
	 * an earlier one: a QP that answers each message sends ACKs and data in turn. */
	uint16_t icrc_len[2];
	uint32_t icrc[2];
	uint32_t so_far; /* CRC of the packet that is being built; see rn_tmpl_icrc() */
};

enum rn_tmpl_flag { RN_TMPL_SE = 0x80, RN_TMPL_ACK_REQ = 0x100 };

/* Builds the template. qpn is this side's QPN, dest_qpn the peer's. */
void rn_tmpl_make(struct rn_tmpl *t, const struct rn_av *av, const uint8_t smac[6], uint32_t qpn,
		  uint32_t dest_qpn);

/* Returns the length of a frame with ext bytes of extension headers and n bytes of payload. The
 * length includes pad bytes and ICRC. */
static inline unsigned rn_tmpl_frame_bytes(const struct rn_tmpl *t, unsigned ext, unsigned n)
{
	return t->bytes + ext + ((n + 3) & ~3u) + 4;
}

/* Writes the lengths, and the IPv4 checksum, into the template. They stay until a packet of another
 * length is built. */
void rn_tmpl_set_length(struct rn_tmpl *t, unsigned udp_len);
/* Makes t->icrc[0] the CRC for the frame in buf, whose headers are complete. */
void rn_tmpl_cache_icrc(struct rn_tmpl *t, const uint8_t *buf);
/* rn_tmpl_seal() for a frame with many bytes behind the UDP header. */
void rn_tmpl_seal_long(struct rn_tmpl *t, uint8_t *buf, unsigned len);

/* Sets the fields of the BTH in buf, a copy of the template, that differ from packet to packet. */
static inline void rn_tmpl_set_bth(const struct rn_tmpl *t, uint8_t *buf, uint8_t opcode,
				   uint32_t psn, unsigned flags, unsigned n)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES;
	unsigned pad = -n & 3;

	bth[0] = opcode;
	bth[RN_BTH_FLAGS] = (uint8_t)(RN_BTH_MIG | (flags & RN_TMPL_SE) | pad << RN_BTH_PAD_SHIFT);
	rn_store32(bth + RN_BTH_ACKREQ_BYTE, (flags & RN_TMPL_ACK_REQ ? 0x80000000u : 0) | psn);
}

/* Makes the template one for packets of this length. */
static inline void rn_tmpl_want_length(struct rn_tmpl *t, unsigned ext, unsigned n)
{
	unsigned udp_len = RN_UDP_BYTES + RN_BTH_BYTES + ext + ((n + 3) & ~3u) + RN_ICRC_BYTES;

	if (rn_unlikely(udp_len != t->udp_len))
		rn_tmpl_set_length(t, udp_len);
}

/* Writes the headers of a packet, Ethernet to BTH. The caller writes ext bytes of extension headers
 * and then n bytes of payload at buf + t->bytes. `flags` is a set of enum rn_tmpl_flag bits. */
static inline void rn_tmpl_put(struct rn_tmpl *t, uint8_t *buf, uint8_t opcode, uint32_t psn,
			       unsigned flags, unsigned ext, unsigned n)
{
	rn_tmpl_want_length(t, ext, n);
	/* Copy the whole array, because a copy of constant size is faster. buf has room: at least
	 * RN_FRAME_OVERHEAD_MAX bytes. */
	memcpy(buf, t->hdr, sizeof(t->hdr));
	rn_tmpl_set_bth(t, buf, opcode, psn, flags, n);
}

/* rn_tmpl_put() with registers of 32 bytes. The caller has checked rn_fold_usable(). */
RN_FOLDING static inline void rn_tmpl_put_folded(struct rn_tmpl *t, uint8_t *buf, uint8_t opcode,
						 uint32_t psn, unsigned flags, unsigned ext,
						 unsigned n)
{
	rn_tmpl_want_length(t, ext, n);
	_mm256_storeu_ps((void *)buf, _mm256_loadu_ps((const void *)t->hdr));
	_mm256_storeu_ps((void *)(buf + 32), _mm256_loadu_ps((const void *)(t->hdr + 32)));
	_mm_storeu_ps((void *)(buf + 64), _mm_loadu_ps((const void *)(t->hdr + 64)));
	rn_tmpl_set_bth(t, buf, opcode, psn, flags, n);
}

/* Sets t->so_far to the CRC from the IP header to the ext bytes of extension headers. */
void rn_tmpl_icrc_to_payload(struct rn_tmpl *t, uint8_t *buf, unsigned ext);

/* Payloads of this many bytes are copied and checksummed in one pass. For fewer bytes this is
 * slower: the CRC has to wait until the stores of the headers have reached the cache. */
#define RN_TMPL_ONE_PASS 512u

/* To be called when the headers are complete, before n bytes of payload are gathered. If the CRC is
 * to be continued while the payload is copied, returns a pointer to the CRC up to the payload.
 * Otherwise returns NULL. */
static inline uint32_t *rn_tmpl_icrc(struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n)
{
	if (n < RN_TMPL_ONE_PASS)
		return NULL;
	rn_tmpl_icrc_to_payload(t, buf, ext);
	return &t->so_far;
}

/* Writes the pad bytes behind the payload. Returns the frame length, which includes the ICRC. */
static inline unsigned rn_tmpl_close(const struct rn_tmpl *t, uint8_t *buf, unsigned ext,
				     unsigned n)
{
	/* Up to three pad bytes and the first byte or bytes of the ICRC, which rn_tmpl_seal()
	 * writes. One store of constant size is faster than a loop. */
	rn_store32(buf + t->bytes + ext + n, 0);
	return rn_tmpl_frame_bytes(t, ext, n);
}

/* rn_tmpl_close() for a frame whose payload was gathered with the pointer of rn_tmpl_icrc(). Also
 * writes the frame's ICRC. */
unsigned rn_tmpl_close_sealed(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n);
/* Closes a frame whose payload was gathered with `icrc`, the result of rn_tmpl_icrc(). */
static inline unsigned rn_tmpl_close_icrc(const struct rn_tmpl *t, uint8_t *buf, unsigned ext,
					  unsigned n, const uint32_t *icrc)
{
	return icrc ? rn_tmpl_close_sealed(t, buf, ext, n) : rn_tmpl_close(t, buf, ext, n);
}

/* Writes the ICRC of a frame of len bytes, after rn_tmpl_close(). Also to be called after
 * rn_tmpl_close_sealed(), whose ICRC it keeps. For speed, build the next frame
 * before this call: the CRC reads this frame, and must wait until the frame's stores have reached
 * the cache. */
static inline void rn_tmpl_seal(struct rn_tmpl *t, uint8_t *buf, unsigned len)
{
	uint8_t *bth = buf + t->bytes - RN_BTH_BYTES, *end = buf + len - RN_ICRC_BYTES;
	unsigned n = (unsigned)(end - bth);
	uint32_t crc;

	if (rn_unlikely(n > RN_ICRC_TAIL_MAX)) {
		rn_tmpl_seal_long(t, buf, len);
		return;
	}
	if (rn_unlikely(n + RN_UDP_BYTES + RN_ICRC_BYTES != t->icrc_len[0]))
		rn_tmpl_cache_icrc(t, buf);
	crc = rn_icrc_tail(t->icrc[0], bth, n);
	/* The wire order of the ICRC is little-endian. */
	memcpy(end, &crc, RN_ICRC_BYTES);
}

/* rn_tmpl_seal() for each of n frames. The caller has checked rn_fold_usable(). */
RN_FOLDING void rn_tmpl_seal_run(struct rn_tmpl *t, struct rn_txbuf *bufs, unsigned n);

/* Writes a CNP to the QP's peer, with ICRC (docs/spec/rocev2.md 7.2). The CNP has the given traffic
 * class and, in a tagged frame, the given VLAN priority. Returns the frame length. */
unsigned rn_tmpl_cnp(struct rn_tmpl *t, uint8_t *buf, uint8_t tclass, uint8_t prio);

#endif
