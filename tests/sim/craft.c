/* Builds the packets that the peer of a QP would send; see craft.h. */
#include "craft.h"

#include <stdlib.h>
#include <string.h>

#include "wire/psn.h"

struct rn_pkt craft_packet(const struct sim *sim, unsigned node, unsigned qp, uint8_t opcode,
			   int32_t psn)
{
	const struct sim_node *to = &sim->node[node], *from = &sim->node[1 - node];
	unsigned space = rn_opcode_row(opcode)->response ? node : 1 - node;
	struct rn_pkt p = {
		.kind = RN_PKT_IB,
		.has_vlan = sim->spec.vlan,
		.vlan_tci = sim->spec.vlan ? 100 : 0,
		.src = from->port.gids[sim->spec.ipv6],
		.dst = to->port.gids[sim->spec.ipv6],
		.ipv4 = !sim->spec.ipv6,
		.hop_limit = 64,
		.ip_df = true,
		.udp_sport = 0xC123,
		.opcode = opcode,
		.mig = true,
		.pkey = 0xFFFF,
		.dest_qpn = to->qp[qp].qpn,
		.psn = rn_psn_add(sim->spec.first_psn, space * 1000 + (uint32_t)psn),
		.syndrome = 0x1F,
	};
	memcpy(p.dmac, to->port.mac, 6);
	memcpy(p.smac, from->port.mac, 6);
	return p;
}

enum rn_verdict craft_inject(struct sim *sim, unsigned node, const struct rn_pkt *pkt)
{
	uint8_t frame[SIM_FRAME_MAX];
	unsigned n = rn_frame_build(pkt, frame, sizeof(frame));
	if (n == 0)
		abort();
	return sim_inject(sim, node, frame, n);
}
