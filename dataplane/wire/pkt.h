/* A received packet after parsing, and a packet to be born before building. Plain values, host order.
 * The same struct goes both ways: rn_frame_parse() fills it from bytes, rn_frame_build() makes the bytes. */
#ifndef RN_PKT_H
#define RN_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "opcode.h"
#include "rn/abi.h"

#define RN_ROCE_PORT 4791
#define RN_GSI_QPN   1u
#define RN_GSI_QKEY  0x80010000u
#define RN_MCAST_QPN RN_QPN_GROUP
#define RN_MAD_BYTES 256
/* Ethernet 14 + VLAN 4 + IPv6 40 + UDP 8 + BTH 12 + AtomicETH 28 */
#define RN_HDR_MAX   106
#define RN_FRAME_OVERHEAD_MAX (RN_HDR_MAX + 3 + 4)

enum rn_pkt_kind { RN_PKT_IB, RN_PKT_ARP, RN_PKT_ND, RN_PKT_ICMP };

struct rn_pkt {
	/* link and network */
	uint8_t kind;            /* enum rn_pkt_kind */
	bool has_vlan;           /* a tag with VID 0 (priority only) counts as none; vlan_tci keeps it */
	uint16_t vlan_tci;
	uint8_t dmac[6], smac[6];
	struct rn_gid src, dst;  /* IPv4 in mapped form */
	bool ipv4;
	uint8_t tclass;          /* DSCP << 2 | ECN */
	uint8_t hop_limit;
	uint16_t ip_id;          /* IPv4 identification */
	bool ip_df;
	bool ip_resv;            /* IPv4 reserved flag */
	uint32_t flow_label;     /* IPv6 */
	uint16_t udp_sport;
	bool udp_checksum;       /* parse: came with one (verified); build: compute one. Normally neither. */
	/* BTH */
	uint8_t opcode;
	bool se, mig, ack_req, fecn, becn;
	uint8_t pad;             /* parse: as received; build: computed */
	uint8_t bth_resv6, bth_resv7; /* reserved bits, kept so that frames re-encode byte for byte */
	uint16_t pkey;
	uint32_t dest_qpn;
	uint32_t psn;
	const struct rn_opcode_row *op; /* parse only; NULL when not IB. Building looks up opcode. */
	/* extension headers */
	uint64_t va;             /* RETH, AtomicETH */
	uint32_t rkey;
	uint32_t dma_len;
	uint8_t syndrome;        /* AETH */
	uint32_t msn;
	uint32_t imm;            /* four opaque bytes, memory order */
	uint32_t inv_rkey;       /* IETH, host order */
	uint32_t qkey, src_qpn;  /* DETH */
	uint8_t deth_resv;
	uint64_t swap_add, compare; /* AtomicETH */
	uint64_t orig;           /* AtomicAckETH */
	/* payload: points into the frame; without pad. ARP: the ARP body; ND, ICMP: the ICMP(v6) message */
	const uint8_t *payload;
	uint32_t payload_len;
	const uint8_t *ip;       /* the IP header in the frame (GRH area, ICMP, ND) */
	const uint8_t *frame;
	uint32_t frame_len;
};

#endif
