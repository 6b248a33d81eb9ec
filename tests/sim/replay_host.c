/* Sets up a shard with the addresses, QPs and memory of the captured host that the shard replaces.
 * A replay runs in one thread. */
#include "replay_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "wire/nd_msg.h"
#include "wire/psn.h"
#include "qp/qp.h"
#include "replay.h"
#include "replay_capture.h"
#include "shard/shard.h"
#include "base/types.h"

static bool note(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct replay *r = arg;

	if (from != DUT || pkt->kind != RN_PKT_IB)
		return false;
	assert_true(r->nout < RECORDS);
	capture_fill(&r->out[r->nout++], pkt->frame, pkt->frame_len);
	return false;
}

void host_settle(struct replay *r)
{
	sim_run(&r->sim, r->sim.now + RN_US(10));
}

/* Injects an ARP request or a neighbour solicitation from the peer, so that the shard learns the
 * peer's MAC. p: a packet of the captured host that the shard replaces. */
static void introduce(struct replay *r, const struct rn_pkt *p)
{
	struct rn_arp arp = {.op = RN_ARP_REQUEST, .sender = p->dst, .target = p->src};
	struct rn_nd nd = {.type = RN_ND_SOLICIT, .target = p->src, .has_mac = true};
	uint8_t f[128] = {0};

	memcpy(f, p->smac, 6);
	memcpy(f + 6, p->dmac, 6);
	memcpy(arp.sender_mac, p->dmac, 6);
	memcpy(nd.mac, p->dmac, 6);
	if (p->ipv4) {
		rn_store16(f + 12, RN_ETHERTYPE_ARP);
		rn_arp_build(&arp, f + 14);
	} else {
		rn_store16(f + 12, RN_ETHERTYPE_IPV6);
		f[14] = 0x60;
		f[19] = RN_ND_BYTES;
		f[20] = RN_IPPROTO_ICMPV6;
		f[21] = RN_ND_HOP_LIMIT;
		memcpy(f + 22, p->dst.b, 16);
		memcpy(f + 38, p->src.b, 16);
		rn_nd_build(&p->dst, &p->src, &nd, f + 54);
	}
	assert_int_equal(sim_inject(&r->sim, DUT, f, 14 + (p->ipv4 ? 46 : 40 + RN_ND_BYTES)),
			 RN_V_OK);
	host_settle(r);
}

static void move(struct replay *r, unsigned n, uint8_t from, struct rn_qp_attr *a, uint8_t to)
{
	const struct rn_qp_move_row *row = rn_qp_move(r->sim.spec.type, from, to);

	a->state = to;
	assert_int_equal(sim_modify(&r->sim, DUT, n, RN_QP_STATE | row->mandatory, a), 0);
}

static void connect_pair(struct replay *r, unsigned n, const struct rn_pkt *p)
{
	struct rn_qp_attr a = {
		.path_mtu = 3,
		.timeout = TIMEOUT,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 12,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 16,
		.dest_qpn = r->pair[n].peer,
		.rq_psn = capture_first_psn(r, n, false),
		.sq_psn = capture_first_psn(r, n, true),
		.av = {.sgid = p->src,
		       .dgid = p->dst,
		       .tclass = p->tclass,
		       .hop_limit = p->hop_limit},
	};

	r->pair[n].flow.next = a.rq_psn;
	r->pair[n].flow.end = r->pair[n].flow.una = a.sq_psn;
	memcpy(a.av.dmac, p->dmac, 6);
	sim_create_qp(&r->sim, DUT, n);
	move(r, n, RN_QPS_INIT, &a, RN_QPS_RTR);
	move(r, n, RN_QPS_RTR, &a, RN_QPS_RTS);
	a.qkey = r->rec[r->nrec - 1].pkt.qkey;
	if (r->sim.spec.type == RN_QPT_UD)
		assert_int_equal(sim_modify(&r->sim, DUT, n, RN_QP_QKEY, &a), 0);
	for (uint64_t i = 0; i < 16; i++)
		sim_post(&r->sim, DUT, n,
			 &(struct sim_op){.kind = RN_WQE_RECV,
					  .wr_id = i,
					  .length = 65536,
					  .local = RECEIVE + (n << 20) + (i << 16)});
}

uint8_t *host_region(struct replay *r, uint64_t va)
{
	const struct region *g = regions_find(&r->regions, va);

	return g->at + (va - g->low);
}

void host_remember(struct replay *r, const struct record *req)
{
	uint32_t packets = flow_psns(&req->pkt);

	for (unsigned i = 0; i < r->nrec; i++) {
		const struct record *rsp = &r->rec[i];
		uint32_t at = (uint32_t)rn_psn_diff(rsp->pkt.psn, req->pkt.psn);

		if (!rsp->ours || rsp->is_cm || !rsp->pkt.op->response)
			continue;
		if (req->pkt.op->family == RN_F_ATOMIC && at == 0)
			memcpy(host_region(r, req->pkt.va), &rsp->pkt.orig, 8);
		if (req->pkt.op->family == RN_F_READ_REQ && at < packets &&
		    rsp->pkt.op->family == RN_F_READ_RESP)
			memcpy(host_region(r, req->pkt.va) + at * 1024, rsp->pkt.payload,
			       rsp->pkt.payload_len);
	}
}

static void set_up_regions(struct replay *r)
{
	struct sim_node *n = &r->sim.node[DUT];

	for (unsigned i = 0; i < r->nrec; i++) {
		const struct rn_pkt *p = &r->rec[i].pkt;

		if (!r->rec[i].ours && (p->op->has_reth || p->op->has_atomic_eth))
			regions_add(&r->regions, p->va, p->op->has_reth ? p->dma_len : 8);
	}
	regions_register(&r->regions, n->mrs, n->arena + REGION, SIM_ARENA - REGION);
	/* Goes through the capture backwards. So the oldest value of a word is written last and
	 * remains. */
	for (unsigned i = r->nrec; i-- > 0;)
		if (!r->rec[i].ours && r->rec[i].pkt.op->family == RN_F_ATOMIC)
			host_remember(r, &r->rec[i]);
}

/* Returns a packet with the source addresses of the captured host that the shard replaces. The
 * addresses are those in the first packet of the capture. If the peer sent this packet, source and
 * destination are exchanged. */
static struct rn_pkt way_out(const struct replay *r)
{
	struct rn_pkt p = r->rec[0].pkt;

	if (r->rec[0].ours)
		return p;
	p.src = r->rec[0].pkt.dst;
	p.dst = r->rec[0].pkt.src;
	memcpy(p.smac, r->rec[0].pkt.dmac, 6);
	memcpy(p.dmac, r->rec[0].pkt.smac, 6);
	return p;
}

void host_begin(struct replay *r)
{
	struct rn_pkt ours = way_out(r);
	struct sim_node *n = &r->sim.node[DUT];
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.type = capture_type(r);
	spec.keep = 0; /* the captured hosts go back N */
	sim_init(&r->sim, &spec);
	r->sim.filter = note;
	r->sim.filter_arg = r;
	n->port.ngids = 1;
	n->port.gids[0] = ours.src;
	n->port.mtu = 1500;
	n->port.max_path_mtu = 3;
	memcpy(n->port.mac, ours.smac, 6);
	/* Prevent early retransmissions. Soft-RoCE retransmits only when the negotiated ACK timeout
	 * (4.096 us * 2^code) has expired. */
	n->shard->lane.cfg.rto_floor = n->shard->lane.cfg.rto_initial = RN_S(10);
	rn_shard_port(n->shard, &n->port, r->sim.now);
	introduce(r, &ours);
	for (unsigned i = 0; i < r->npairs; i++)
		connect_pair(r, i, &ours);
	set_up_regions(r);
}
