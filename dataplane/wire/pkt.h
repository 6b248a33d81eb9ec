/* The fields of one packet as plain numbers in host byte order. rn_frame_parse() fills the struct
 * from a frame; rn_frame_build() writes a frame from the struct. The struct owns no memory: its
 * pointers point into the frame. */
#ifndef RN_PKT_H
#define RN_PKT_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/opcode.h"
#include "rn/abi.h"

#define RN_ROCE_PORT 4791
#define RN_GSI_QPN   1u
#define RN_GSI_QKEY  0x80010000u
#define RN_MCAST_QPN RN_QPN_GROUP
#define RN_MAD_BYTES 256
/* Ethernet 14 + VLAN 4 + IPv6 40 + UDP 8 + BTH 12 + AtomicETH 28 */
#define RN_HDR_MAX	      106
#define RN_FRAME_OVERHEAD_MAX (RN_HDR_MAX + 3 + 4)

enum rn_pkt_kind { RN_PKT_IB, RN_PKT_ARP, RN_PKT_ND, RN_PKT_ICMP };

struct rn_pkt {
	/* kind of packet; fields of the Ethernet, IP and UDP headers */
	uint8_t kind; /* enum rn_pkt_kind */
	/* true: the frame has a VLAN tag whose VID is not 0. A VLAN tag with VID 0 is stored in
	 * vlan_tci, but has_vlan is false. */
	bool has_vlan;
	uint16_t vlan_tci;
	uint8_t dmac[6], smac[6];
	struct rn_gid src, dst; /* IPv4 addresses in mapped form, ::ffff:a.b.c.d */
	bool ipv4;
	uint8_t tclass; /* DSCP << 2 | ECN */
	uint8_t hop_limit;
	uint16_t ip_id; /* IPv4 identification */
	bool ip_df;
	bool ip_resv;	     /* IPv4 reserved flag */
	uint32_t flow_label; /* IPv6 only */
	uint16_t udp_sport;
	/* parsing: true = the packet has a UDP checksum, which is right; building: true = write a
	 * UDP checksum */
	bool udp_checksum;
	/* fields of the BTH */
	uint8_t opcode;
	bool se, mig, ack_req, fecn, becn;
	uint8_t pad; /* in bytes; parsing stores the number received, building ignores this field */
	/* reserved bits of the BTH, kept so that frames re-encode byte for byte */
	uint8_t bth_resv6, bth_resv7;
	uint16_t pkey;
	uint32_t dest_qpn;
	uint32_t psn;
	const struct rn_opcode_row *op; /* set by parsing (NULL for ARP, ND, ICMP); ignored by
					 * building */
	/* fields of the extension headers */
	uint64_t va; /* RETH, AtomicETH: remote address */
	uint32_t rkey;
	uint32_t dma_len;
	uint8_t syndrome; /* AETH */
	uint32_t msn;
	uint32_t imm;		/* immediate data: four bytes in the order of the wire */
	uint32_t inv_rkey;	/* IETH: the R_Key to invalidate, host order */
	uint32_t qkey, src_qpn; /* DETH */
	uint8_t deth_resv;
	uint64_t swap_add, compare; /* AtomicETH */
	uint64_t orig;		    /* AtomicAckETH */
	/* The payload without pad. For ARP: the ARP body. For ND and ICMP: the ICMP or ICMPv6
	 * message. */
	const uint8_t *payload;
	uint32_t payload_len;
	/* the IP header in the frame, for the GRH area of UD and for ICMP and ND */
	const uint8_t *ip;
	const uint8_t *frame;
	uint32_t frame_len;
};

#endif
