/* The headers every packet of a connected QP shares, made once and patched per packet: Ethernet to BTH with lengths,
 * opcode, PSN and flags left open. Shard thread. */
#ifndef RN_TMPL_H
#define RN_TMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "rn/abi.h"

struct rn_tmpl {
	uint8_t hdr[80];    /* Ethernet, VLAN, IP, UDP, BTH */
	uint8_t bytes;      /* of hdr in use */
	uint8_t ip_off;
	bool ipv4;
	uint32_t csum;      /* sum of the IPv4 header's words, without length and checksum */
	uint32_t icrc_len;  /* UDP length for which icrc holds; 0 = none */
	uint32_t icrc;      /* CRC state after the masked UDP header */
};

enum rn_tmpl_flag { RN_TMPL_SE = 0x80, RN_TMPL_ACK_REQ = 0x100 };

/* From address vector and port; qpn ours, dest_qpn the peer's. */
void rn_tmpl_make(struct rn_tmpl *t, const struct rn_av *av, const uint8_t smac[6], uint32_t qpn, uint32_t dest_qpn);

/* Bytes of a whole frame with ext bytes of extension headers and n of payload. */
static inline unsigned rn_tmpl_frame_bytes(const struct rn_tmpl *t, unsigned ext, unsigned n)
{
	return t->bytes + ext + ((n + 3) & ~3u) + 4;
}

/* Writes Ethernet to BTH for a packet of that size. Extension headers and payload go behind, at buf + t->bytes. */
void rn_tmpl_put(const struct rn_tmpl *t, uint8_t *buf, uint8_t opcode, uint32_t psn, unsigned flags, unsigned ext,
		 unsigned n);
/* Pads what is in buf. Returns the frame length, ICRC included. */
unsigned rn_tmpl_close(const struct rn_tmpl *t, uint8_t *buf, unsigned ext, unsigned n);
/* Writes the ICRC of a closed frame of that length. Best not at once: a CRC that loads what was stored a moment before
 * in other sizes waits for it to reach the cache. */
void rn_tmpl_seal(struct rn_tmpl *t, uint8_t *buf, unsigned len);

/* Writes a whole congestion notification to the QP's peer, ICRC included (docs/spec/rocev2.md 7.2): traffic class and, of a tagged
 * frame, VLAN priority are its own. Returns its length. */
unsigned rn_tmpl_cnp(struct rn_tmpl *t, uint8_t *buf, uint8_t tclass, uint8_t prio);

#endif
