/* Template of the headers that all packets of a connected QP share, Ethernet to BTH: built once,
 * then copied for each packet and patched with lengths, opcode, PSN and flags. Runs on the shard's
 * thread. */
#ifndef RN_TMPL_H
#define RN_TMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "rn/abi.h"

struct rn_tmpl {
	uint8_t hdr[80]; /* Ethernet, VLAN, IP, UDP, BTH */
	uint8_t bytes;	 /* how many bytes of hdr are used */
	uint8_t ip_off;	 /* offset of the IP header */
	bool ipv4;
	uint32_t csum;	   /* sum of the IPv4 header's words, without length and checksum */
	uint32_t icrc_len; /* UDP length to which `icrc` belongs; 0 = none cached */
	uint32_t icrc;	   /* CRC state after the UDP header; fields that may change are ones */
};

enum rn_tmpl_flag { RN_TMPL_SE = 0x80, RN_TMPL_ACK_REQ = 0x100 };

/* Builds the template. qpn is the own QPN, dest_qpn the peer's. */
void rn_tmpl_make(struct rn_tmpl *t, const struct rn_av *av, const uint8_t smac[6], uint32_t qpn,
		  uint32_t dest_qpn);

/* Length of a frame with ext bytes of extension headers and n of payload; includes pad and ICRC. */
static inline unsigned rn_tmpl_frame_bytes(const struct rn_tmpl *t, unsigned ext, unsigned n)
{
	return t->bytes + ext + ((n + 3) & ~3u) + 4;
}

/* Writes the headers, Ethernet to BTH, of a packet with ext bytes of extension headers and n of
 * payload, which the caller writes at buf + t->bytes. flags: enum rn_tmpl_flag. */
void rn_tmpl_put(const struct rn_tmpl *t, uint8_t *buf, uint8_t opcode, uint32_t psn,
		 unsigned flags, unsigned ext, unsigned n);
/* Writes the pad bytes behind the payload. Returns the frame length, ICRC included. */
unsigned rn_tmpl_close(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n);
/* Writes the ICRC of a frame of len bytes, after rn_tmpl_close(). For speed, build the next frame
 * before this call. The CRC loads bytes soon after they were stored, and its loads are wider or
 * narrower than the stores; such loads wait until the stores have reached the cache. */
void rn_tmpl_seal(struct rn_tmpl *t, uint8_t *buf, unsigned len);

/* Writes a CNP to the QP's peer, ICRC included (docs/spec/rocev2.md 7.2), with the given traffic
 * class and, in a tagged frame, VLAN priority. Returns the frame length. */
unsigned rn_tmpl_cnp(struct rn_tmpl *t, uint8_t *buf, uint8_t tclass, uint8_t prio);

#endif
