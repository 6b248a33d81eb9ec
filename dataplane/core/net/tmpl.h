/* Template of the headers, Ethernet to BTH, that all packets of a connected QP share. The template
 * is built once. Each packet gets a copy, in which lengths, opcode, PSN and flags are set. Runs on
 * the shard's thread. */
#ifndef RN_TMPL_H
#define RN_TMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "rn/abi.h"

struct rn_tmpl {
	uint8_t hdr[80]; /* headers: Ethernet, VLAN, IP, UDP, BTH */
	uint8_t bytes;	 /* how many bytes of hdr are used */
	uint8_t ip_off;	 /* offset of the IP header */
	bool ipv4;
	uint32_t csum;	   /* sum of the IPv4 header's words except length and checksum */
	uint32_t udp_len;  /* UDP length that hdr has now; 0 = none */
	uint32_t icrc_len; /* UDP length to which `icrc` belongs; 0 = none cached */
	uint32_t icrc;	   /* CRC state after the UDP header (icrc_to_udp() in tmpl.c) */
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

/* Writes the headers of a packet, Ethernet to BTH. The caller writes ext bytes of extension headers
 * and then n bytes of payload at buf + t->bytes. `flags` is a set of enum rn_tmpl_flag bits. */
void rn_tmpl_put(struct rn_tmpl *t, uint8_t *buf, uint8_t opcode, uint32_t psn, unsigned flags,
		 unsigned ext, unsigned n);
/* Writes the pad bytes behind the payload. Returns the frame length, which includes the ICRC. */
unsigned rn_tmpl_close(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n);
/* Writes the ICRC of a frame of len bytes, after rn_tmpl_close(). For speed, build the next frame
 * before this call: the CRC reads this frame, and must wait until the frame's stores have reached
 * the cache. */
void rn_tmpl_seal(struct rn_tmpl *t, uint8_t *buf, unsigned len);

/* Writes a CNP to the QP's peer, with ICRC (docs/spec/rocev2.md 7.2). The CNP has the given traffic
 * class and, in a tagged frame, the given VLAN priority. Returns the frame length. */
unsigned rn_tmpl_cnp(struct rn_tmpl *t, uint8_t *buf, uint8_t tclass, uint8_t prio);

#endif
