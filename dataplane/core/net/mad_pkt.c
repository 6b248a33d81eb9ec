/* Fills the fields that are the same in all MADs, and the way of this one. */
#include "net/mad_pkt.h"

#include <string.h>

#include "wire/frame.h"

void rn_mad_pkt(struct rn_pkt *out, const struct rn_port_attr *port, const struct rn_mad_way *way,
		uint32_t psn, const uint8_t *mad)
{
	memset(out, 0, sizeof(*out));
	out->kind = RN_PKT_IB;
	out->has_vlan = port->has_vlan;
	out->vlan_tci = port->vlan_tci;
	memcpy(out->dmac, way->dmac, 6);
	memcpy(out->smac, port->mac, 6);
	out->src = way->src;
	out->dst = way->dst;
	out->ipv4 = rn_gid_is_ipv4(&way->dst);
	out->tclass = way->tclass;
	out->hop_limit = port->hop_limit ? port->hop_limit : RN_HOP_LIMIT;
	out->ip_df = true;
	out->udp_sport = rn_frame_sport(0, RN_GSI_QPN, RN_GSI_QPN);
	out->opcode = RN_T_UD | RN_OP_SEND_ONLY;
	out->op = rn_opcode_row(out->opcode);
	out->pkey = 0xFFFF;
	out->dest_qpn = RN_GSI_QPN;
	out->psn = psn & 0xFFFFFF;
	out->qkey = RN_GSI_QKEY;
	out->src_qpn = RN_GSI_QPN;
	out->payload = mad;
	out->payload_len = RN_MAD_BYTES;
}
