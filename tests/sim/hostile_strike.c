/* The packets of the attacker: valid except for single fields, or random. See hostile_strike.h. */
#include "hostile_strike.h"

#include <string.h>

#include "craft.h"
#include "hostile_frame.h"
#include "hostile_memory.h"
#include "hostile_window.h"
#include "wire/psn.h"
#include "net/group.h"
#include "shard/shard.h"

void hostile_strike_record(struct hostile *h, unsigned from, const struct rn_pkt *pkt)
{
	struct hostile_recent *r = &h->recent[h->nrecent++ % RECENT];
	hostile_cm_record(&h->cm, from, pkt);
	r->len = pkt->frame_len;
	memcpy(r->data, pkt->frame, pkt->frame_len);
}

/* Returns a PSN at or near a PSN in the QP's state (expected PSN, oldest unacknowledged PSN, next
 * PSN to send and so on). Sometimes returns a random PSN. */
static uint32_t some_psn(struct hostile *h, const struct rn_qp *qp, bool response)
{
	uint32_t at[] = {qp->rx.epsn,  qp->rx.rec[below(h, RN_MAX_RD_ATOMIC)].first_psn,
			 qp->win.una,  qp->win.high,
			 qp->win.next, qp->win.cur};
	if (one_in(h, 12))
		return below(h, 1 << 24);
	uint32_t psn = response ? at[2 + below(h, 4)] : at[one_in(h, 4)];
	switch (below(h, 8)) {
	case 0:
		return rn_psn_add(psn, 1 + below(h, 40));
	case 1:
		return rn_psn_add(psn, (uint32_t)-1 - below(h, 40));
	case 2:
		return one_in(h, 8) ? rn_psn_add(psn, RN_PSN_WINDOW - 1 + below(h, 3)) : psn;
	default:
		return psn;
	}
}

static uint32_t some_length(struct hostile *h, uint32_t mtu)
{
	switch (below(h, 6)) {
	case 0:
		return below(h, 9);
	case 1:
		return mtu - 2 + below(h, 5);
	case 2:
		return below(h, 2 * mtu);
	case 3:
		return one_in(h, 10) ? below(h, 8000) : 0;
	default:
		return mtu;
	}
}

/* Makes the packet repeat a READ or atomic that the QP has executed. Sometimes a repeated READ
 * requests only the last part of the response again. */
static void aim_at_record(struct hostile *h, struct rn_pkt *p, const struct rn_qp *qp)
{
	const struct rn_read_rec *rec = &qp->rx.rec[below(h, RN_MAX_RD_ATOMIC)];
	if (rec->npkts == 0)
		return;
	uint32_t skip = one_in(h, 3) ? below(h, rec->npkts) : 0;
	p->psn = rn_psn_add(rec->first_psn, skip);
	p->rkey = rec->rkey;
	p->va = rec->va + ((uint64_t)skip << qp->mtu_shift);
	p->dma_len = rec->length - (skip << qp->mtu_shift);
}

static void aim(struct hostile *h, unsigned node, struct rn_pkt *p, const struct rn_qp *qp)
{
	unsigned kind = below(h, REGIONS), window = below(h, WINDOWS);
	p->rkey = h->key[node][kind];
	p->va = (uint64_t)(uintptr_t)hostile_region(h, node, kind);
	p->dma_len = one_in(h, 2) ? p->payload_len : below(h, 2 * PART);
	if (one_in(h, 3)) { /* aims at the arena, where the peer may write every byte */
		p->rkey = h->sim.node[node].rkey;
		p->va = (uint64_t)(uintptr_t)h->sim.node[node].arena + (8 << 20);
	} else if (one_in(h, 3)) {
		p->rkey = h->window[node][window].key;
		p->va = (uint64_t)(uintptr_t)hostile_region(h, node,
							    hostile_window_region(window)) +
			PART / 4 + below(h, PART / 2);
		h->t->seen[HOSTILE_WINDOW_FOREIGN] +=
			window == FOREIGN_WINDOW && h->sim.spec.foreign;
		if (one_in(h, 2))
			p->dma_len = p->payload_len = RN_MIN(p->payload_len, below(h, 64));
	}
	p->rkey = one_in(h, 20) ? (uint32_t)rn_rng_next(&h->rng)
				: p->rkey ^ (one_in(h, 20) ? 1u << below(h, 32) : 0);
	switch (below(h, 10)) {
	case 0:
		p->va += PART - below(h, 16);
		break;
	case 1:
		p->va -= below(h, 16);
		break;
	case 2:
		p->va = rn_rng_next(&h->rng);
		break;
	case 3:
		p->va = UINT64_MAX - below(h, 16);
		break;
	case 4:
		p->dma_len = 0x80000000u - 1 + below(h, 3);
		break;
	case 5:
		p->va += below(h, PART);
		break;
	case 6:
		p->va &= ~7ull;
		break;
	}
	if (one_in(h, 4))
		aim_at_record(h, p, qp);
}

/* Sometimes sets a random or wrong QPN, address, P_Key, VLAN tag or traffic class. */
static void misaddress(struct hostile *h, struct rn_pkt *p)
{
	switch (below(h, 60)) {
	case 0:
		p->dest_qpn = below(h, 1 << 24);
		break;
	case 1:
		p->dest_qpn = below(h, 3);
		break;
	case 2:
		p->dest_qpn = RN_MCAST_QPN;
		break;
	case 3:
		p->src.b[15] ^= 0x40;
		break;
	case 4:
		p->dst.b[15] ^= 0x40;
		break;
	case 5:
		p->pkey = (uint16_t)below(h, 1 << 16);
		break;
	case 6:
		p->has_vlan = !p->has_vlan;
		p->vlan_tci = (uint16_t)below(h, 1 << 16);
		break;
	case 7:
		p->dmac[below(h, 6)] ^= (uint8_t)(1u << below(h, 8));
		break;
	case 8:
		p->udp_checksum = true;
		break;
	case 9:
		p->tclass = (uint8_t)below(h, 256);
		p->becn = p->fecn = true;
		break;
	}
}

static uint8_t some_opcode(struct hostile *h)
{
	static const uint8_t transports[] = {
		[RN_QPT_RC] = RN_T_RC, [RN_QPT_UC] = RN_T_UC, [RN_QPT_UD] = RN_T_UD};
	uint8_t type = h->sim.spec.type;
	if (one_in(h, 12))
		return (uint8_t)below(h, 256);
	if (one_in(h, 15))
		return RN_OPCODE_CNP;
	if (type == RN_QPT_UD)
		return (uint8_t)(RN_T_UD | (RN_OP_SEND_ONLY + below(h, 2)));
	return (uint8_t)(transports[type] | below(h, 32));
}

static void to_group(struct hostile *h, struct rn_pkt *p)
{
	p->dest_qpn = RN_MCAST_QPN;
	p->dst = h->group;
	rn_group_mac(&h->group, p->dmac);
}

/* Sets R_Key and address to one of three places: the arena, a region of any kind, or a memory
 * window bound on this QP. The address may also lie just before the memory window. */
static void aim_well(struct hostile *h, unsigned node, unsigned q, struct rn_pkt *p)
{
	unsigned i = below(h, FOREIGN_WINDOW), kind = below(h, REGIONS);
	for (unsigned n = 0; n < FOREIGN_WINDOW && !hostile_window_on(h, node, i, q); n++)
		i = (i + 1) % FOREIGN_WINDOW;
	p->rkey = h->sim.node[node].rkey;
	p->va = (uint64_t)(uintptr_t)h->sim.node[node].arena + (8 << 20);
	if (hostile_window_on(h, node, i, q) && !one_in(h, 3)) {
		p->rkey = h->window[node][i].key;
		p->va = h->window[node][i].va - (one_in(h, 4) ? 8 : 0) +
			below(h, h->window[node][i].length);
	} else if (one_in(h, 3)) {
		p->rkey = h->key[node][kind];
		p->va = (uint64_t)(uintptr_t)hostile_region(h, node, kind) + below(h, PART - 64);
	}
}

/* Gives the packet the PSN and fields of a packet that the peer could send next. */
static void make_likely(struct hostile *h, unsigned node, unsigned q, struct rn_pkt *p,
			const struct rn_qp *qp)
{
	static const uint8_t operations[] = {
		RN_OP_WRITE_ONLY,  RN_OP_WRITE_ONLY, RN_OP_READ_REQUEST, RN_OP_CMP_SWAP,
		RN_OP_FETCH_ADD,   RN_OP_ACK,	     RN_OP_ACK,		 RN_OP_ACK,
		RN_OP_ACK,	   RN_OP_ACK,	     RN_OP_SEND_ONLY,	 RN_OP_SEND_ONLY_INV,
		RN_OP_WRITE_FIRST, RN_OP_SEND_FIRST, RN_OP_ATOMIC_ACK,
	};
	uint32_t outstanding = rn_psn_steps(qp->win.una, qp->win.next);
	p->opcode = (uint8_t)(qp->transport | operations[below(h, RN_ARRAY_SIZE(operations))]);
	p->psn = rn_opcode_row(p->opcode)->response
			 ? rn_psn_add(qp->win.una, below(h, outstanding + 1))
			 : qp->rx.epsn;
	aim_well(h, node, q, p);
	p->payload_len = below(h, 65);
	if (!rn_opcode_row(p->opcode)->ends)
		p->payload_len = rn_qp_mtu(qp);
	p->dma_len = rn_opcode_row(p->opcode)->ends ? p->payload_len
						    : p->payload_len * (1 + below(h, 4));
	if (!rn_opcode_row(p->opcode)->has_payload)
		p->payload_len = 0;
	/* The AETH of an ACK has a syndrome of 0 to 0x1F; 0x1F means that there is no credit
	 * count. */
	p->syndrome = one_in(h, 2) ? 0x1F : (uint8_t)below(h, 0x20);
}

static struct rn_pkt forge(struct hostile *h, unsigned node)
{
	static const uint8_t syndromes[] = {0x1F, 0x1F, 0x00, 0x05, 0x20, 0x21, 0x2C, 0x3F,
					    0x60, 0x61, 0x62, 0x63, 0x64, 0x40, 0x7F, 0x9F};
	static uint8_t payload[8192];
	unsigned q = below(h, h->sim.spec.qps);
	uint32_t qpn = h->sim.node[node].qp[q].qpn;
	const struct rn_qp *qp = rn_shard_qp(shard_of_qpn(h, node, qpn), qpn);
	struct rn_pkt p = craft_packet(&h->sim, node, q, some_opcode(h), 0);
	const struct rn_opcode_row *row = rn_opcode_row(p.opcode);
	p.psn = some_psn(h, qp, row->response);
	p.payload_len = one_in(h, 30) ? 8000 : some_length(h, rn_qp_mtu(qp));
	if (!row->has_payload && !one_in(h, 6))
		p.payload_len = 0;
	memset(payload, (int)below(h, 256), sizeof(payload));
	p.payload = payload;
	aim(h, node, &p, qp);
	p.ack_req = one_in(h, 2);
	p.se = one_in(h, 4);
	p.syndrome = one_in(h, 16) ? (uint8_t)below(h, 256)
				   : syndromes[below(h, RN_ARRAY_SIZE(syndromes))];
	p.msn = below(h, 1 << 24);
	if (h->sim.spec.type != RN_QPT_UD && one_in(h, 3))
		make_likely(h, node, q, &p, qp);
	p.imm = p.inv_rkey = one_in(h, 2) ? h->window[node][below(h, WINDOWS)].key
					  : (uint32_t)rn_rng_next(&h->rng);
	p.swap_add = rn_rng_next(&h->rng);
	p.orig = rn_rng_next(&h->rng);
	p.qkey = one_in(h, 8) ? below(h, 1000) : SIM_QKEY;
	p.src_qpn = below(h, 1 << 24);
	if (p.opcode == RN_OPCODE_CNP) {
		p.becn = true;
		p.payload_len = one_in(h, 10) ? below(h, 40) : 16;
	}
	if (one_in(h, 5))
		p.tclass |= 3; /* sets the ECN field to CE (congestion experienced) */
	if (h->has_group && node == 1 && one_in(h, 4))
		to_group(h, &p);
	misaddress(h, &p);
	return p;
}

static void note_transport(struct hostile *h, unsigned node, const struct rn_pkt *p,
			   enum rn_verdict v)
{
	const struct rn_opcode_row *row = rn_opcode_row(p->opcode);
	if (v == RN_V_CNP)
		SEEN(h, CNP_FORGED);
	if (v != RN_V_OK || !row->known)
		return;
	h->t->seen[HOSTILE_GROUP] += p->dest_qpn == RN_MCAST_QPN;
	h->t->seen[HOSTILE_ATOMIC_FORGED] += row->family == RN_F_ATOMIC;
	h->t->seen[HOSTILE_READ_FORGED] += row->family == RN_F_READ_REQ;
	h->t->seen[HOSTILE_RESPONSE_FORGED] += row->response;
	h->t->seen[HOSTILE_CREDIT_FORGED] +=
		h->sim.spec.credits && row->has_aeth && p->syndrome < 0x1F;
	h->t->seen[HOSTILE_WINDOW_USED] +=
		row->has_reth && p->dma_len && hostile_window_is(h, node, p->rkey);
}

static void note_cm(struct hostile *h, enum rn_verdict v)
{
	static const uint8_t of_attr[] = {
		[RN_CM_REQ - RN_CM_REQ] = HOSTILE_CM_REQ,
		[RN_CM_MRA - RN_CM_REQ] = HOSTILE_CM_MRA,
		[RN_CM_REJ - RN_CM_REQ] = HOSTILE_CM_REJ,
		[RN_CM_REP - RN_CM_REQ] = HOSTILE_CM_REP,
		[RN_CM_RTU - RN_CM_REQ] = HOSTILE_CM_RTU,
		[RN_CM_DREQ - RN_CM_REQ] = HOSTILE_CM_DREQ,
		[RN_CM_DREP - RN_CM_REQ] = HOSTILE_CM_DREP,
		[RN_CM_SIDR_REQ - RN_CM_REQ] = HOSTILE_CM_SIDR_REQ,
		[RN_CM_SIDR_REP - RN_CM_REQ] = HOSTILE_CM_SIDR_REP,
	};
	unsigned i = (unsigned)h->cm.forged - RN_CM_REQ;
	if (h->cm.damaged)
		SEEN(h, CM_GARBAGE);
	else if (v == RN_V_OK && i < RN_ARRAY_SIZE(of_attr) && of_attr[i])
		h->t->seen[of_attr[i]]++;
}

/* Sends one forged packet. Sometimes changes some bytes of the packet and computes its ICRC again,
 * so that the change reaches the transport. */
static void inject_forged_packet(struct hostile *h, unsigned node, bool mad)
{
	uint8_t frame[SIM_FRAME_MAX];
	struct rn_pkt p = mad ? hostile_cm_forge(&h->cm, node) : forge(h, node);
	uint32_t len = rn_frame_build(&p, frame, sizeof(frame));
	bool whole = false;
	if (len == 0)
		return;
	if (one_in(h, 8)) {
		/* `ip` is the offset of the second byte of the IP header. The first byte stays
		 * intact, because rn_frame_finish() needs the IP version in it. */
		uint32_t ip = p.has_vlan ? 19 : 15;
		hostile_frame_flip(h, frame + ip, len - ip - 4, 66);
		rn_frame_finish(&p, frame);
	} else if (!p.has_vlan && one_in(h, 8)) {
		hostile_frame_twist(h, frame, p.ipv4);
		if (frame[14] >> 4 == (p.ipv4 ? 4 : 6))
			rn_frame_finish(&p, frame);
	} else {
		whole = true;
	}
	h->t->frames++;
	enum rn_verdict v = sim_inject(&h->sim, node, frame, len);
	if (whole && mad)
		note_cm(h, v);
	else if (whole)
		note_transport(h, node, &p, v);
}

/* Copies to `frame` an earlier frame of the link, unchanged or damaged. Returns its length. */
static uint32_t replay(struct hostile *h, uint8_t *frame)
{
	unsigned how = below(h, 4);
	if (h->nrecent == 0)
		return 0;
	const struct hostile_recent *r = &h->recent[below(h, RN_MIN(h->nrecent, RECENT))];
	memcpy(frame, r->data, r->len);
	if (how > 1)
		hostile_frame_flip(h, frame, r->len, how == 2 ? 60 : r->len);
	return one_in(h, 6) ? below(h, r->len + 1) : r->len;
}

void hostile_strike(struct hostile *h)
{
	uint8_t frame[SIM_FRAME_MAX];
	unsigned node = below(h, SIM_NODES), how = below(h, 20);
	uint32_t len = 0;
	if (how < 4)
		len = replay(h, frame);
	else if (how == 4)
		len = hostile_frame_noise(h, node, frame);
	else if (how == 5 && h->neighbours)
		len = hostile_frame_neighbour(h, node, frame);
	else
		inject_forged_packet(h, node, how < 11);
	if (len == 0)
		return;
	h->t->frames++;
	sim_inject(&h->sim, node, frame, len);
}
