/* Can a peer, or anybody on the wire, harm the NIC? A run as a function of its seed: two nodes exchange requests all the
 * time; frames of an attacker, who knows all keys and addresses, arrive in between; QPs he killed are made anew. Besides
 * the sanitizers, which see every access, the oracle is a block of memory with regions of all kinds and gaps between
 * them: only what may be written from afar may have changed. */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "cm.h"
#include "craft.h"
#include "hdr.h"
#include "hostile_cm.h"
#include "psn.h"
#include "shard.h"

#define PART   4096u /* bytes of a region and of a gap */
#define RECENT 32u   /* frames remembered for replay */

enum { WRITABLE, READABLE, LOCAL, FOREIGN, STALE, GONE, REGIONS };
static const struct {
	uint32_t pd, access;
} kinds[REGIONS] = {
	[WRITABLE] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE},
	[READABLE] = {SIM_PD, RN_ACCESS_REMOTE_READ},
	[LOCAL] = {SIM_PD, RN_ACCESS_LOCAL_WRITE},
	[FOREIGN] = {SIM_PD + 1, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ},
	[STALE] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ},
	[GONE] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ}, /* touching it faults */
};

static const uint8_t *gone[SIM_NODES]; /* of the present run */

static bool is_there(const uint8_t *p, size_t n)
{
	for (unsigned i = 0; i < SIM_NODES; i++)
		if (p + n > gone[i] && p < gone[i] + PART)
			return false;
	return true;
}

static bool gather(void *dst, const void *ptr, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.gather(dst, ptr, n);
}

static bool place(void *ptr, const void *src, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.place(ptr, src, n);
}

static bool cmp_swap(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.cmp_swap(ptr, compare, swap, old);
}

static bool fetch_add(void *ptr, uint64_t add, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.fetch_add(ptr, add, old);
}

static const struct rn_mem_ops faulty = {gather, place, cmp_swap, fetch_add};

struct recent {
	uint32_t len;
	uint8_t data[SIM_FRAME_MAX];
};

struct hostile {
	struct sim sim;
	struct rn_rng rng;
	uint64_t seed;
	uint8_t *block[SIM_NODES]; /* gap, region, gap, region, ... gap */
	uint32_t key[SIM_NODES][REGIONS];
	struct recent recent[RECENT];
	unsigned nrecent;
	struct hostile_cm cm;
	struct hostile_totals *t;
	unsigned objections;
	FILE *out;
};

#define OBJECT(h, ...) \
	do { \
		(h)->objections++; \
		fprintf((h)->out, "seed %llu: ", (unsigned long long)(h)->seed); \
		fprintf((h)->out, __VA_ARGS__); \
		fputc('\n', (h)->out); \
	} while (0)

static uint32_t below(struct hostile *h, uint64_t n)
{
	return (uint32_t)rn_rng_below(&h->rng, n);
}

static bool one_in(struct hostile *h, unsigned n)
{
	return below(h, n) == 0;
}

static uint8_t *region(const struct hostile *h, unsigned node, unsigned kind)
{
	return h->block[node] + PART * (2 * kind + 1);
}

/* ---- memory ---- */

static void make_regions(struct hostile *h, unsigned node)
{
	uint32_t lkey;
	h->block[node] = malloc(PART * (2 * REGIONS + 1));
	if (h->block[node] == NULL)
		abort();
	memset(h->block[node], 0x5A, PART * (2 * REGIONS + 1));
	for (unsigned i = 0; i < REGIONS; i++) {
		struct rn_mr_attr a = {region(h, node, i), (uint64_t)(uintptr_t)region(h, node, i), PART, kinds[i].pd,
				       kinds[i].access};
		if (rn_mr_add(h->sim.node[node].mrs, &a, &lkey, &h->key[node][i]))
			abort();
	}
	rn_mr_remove(h->sim.node[node].mrs, h->key[node][STALE]);
	rn_mr_reclaim(h->sim.node[node].mrs, h->key[node][STALE]);
	gone[node] = region(h, node, GONE);
}

static void check_regions(struct hostile *h, unsigned node)
{
	for (uint32_t i = 0; i < PART * (2 * REGIONS + 1); i++)
		if (h->block[node][i] != 0x5A && i / PART != 2 * WRITABLE + 1) {
			OBJECT(h, "node %u: byte %u of part %u was changed", node, i % PART, i / PART);
			return;
		}
}

static void drop_regions(struct hostile *h, unsigned node)
{
	for (unsigned i = 0; i < REGIONS; i++)
		if (i != STALE) {
			rn_mr_remove(h->sim.node[node].mrs, h->key[node][i]);
			rn_mr_reclaim(h->sim.node[node].mrs, h->key[node][i]);
		}
	free(h->block[node]);
}

/* ---- honest traffic ---- */

static bool dead(const struct hostile *h, unsigned node, unsigned q)
{
	return atomic_load(&h->sim.node[node].qp[q].shared->state) == RN_QPS_ERR;
}

static void revive(struct hostile *h, unsigned q)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		sim_destroy_qp(&h->sim, node, q);
	sim_connect(&h->sim, q);
	h->t->revived++;
}

static void keep_busy(struct hostile *h, unsigned node, unsigned q)
{
	struct sim_qp *qp = &h->sim.node[node].qp[q];
	static const enum rn_wqe_kind what[] = {RN_WQE_SEND, RN_WQE_WRITE, RN_WQE_READ};
	uint32_t receives = below(h, 5); /* now and then there is none */
	while (qp->rq_posted - atomic_load(&qp->shared->rq_retired) < receives) {
		struct sim_op op = {.kind = RN_WQE_RECV, .local = 1 << 20, .length = one_in(h, 20) ? 8 : 16384};
		op.lkey = one_in(h, 200) ? h->key[node][READABLE] : 0;
		sim_post(&h->sim, node, q, &op);
	}
	while (qp->sq_posted - atomic_load(&qp->shared->sq_retired) < 4) {
		struct sim_op op = {.kind = what[below(h, 3)], .flags = one_in(h, 2) ? RN_WQE_SIGNALED : 0,
				    .local = 2 << 20, .remote = 4 << 20, .length = below(h, 8000)};
		op.lkey = one_in(h, 300) ? h->key[node][READABLE] : 0; /* not for this memory */
		sim_post(&h->sim, node, q, &op);
	}
}

static void work(struct hostile *h)
{
	struct rn_cqe c;
	for (unsigned q = 0; q < h->sim.spec.qps; q++) {
		if (dead(h, 0, q) || dead(h, 1, q))
			revive(h, q);
		keep_busy(h, 0, q);
		keep_busy(h, 1, q);
	}
	for (unsigned node = 0; node < SIM_NODES; node++) {
		while (sim_poll(&h->sim, node, &c))
			h->t->done += c.status == RN_STATUS_SUCCESS;
	}
	hostile_cm_work(&h->cm);
}

/* ---- the attacker ---- */

static bool remember(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct hostile *h = arg;
	struct recent *r = &h->recent[h->nrecent++ % RECENT];
	hostile_cm_hear(&h->cm, from, pkt);
	r->len = pkt->frame_len;
	memcpy(r->data, pkt->frame, pkt->frame_len);
	return true;
}

/* Near the positions that matter, or anywhere. */
static uint32_t some_psn(struct hostile *h, const struct rn_qp *qp, bool response)
{
	uint32_t at[] = {qp->rx.epsn, qp->rx.rec[0].first_psn, qp->win.una, qp->win.high, qp->win.next};
	if (one_in(h, 12))
		return below(h, 1 << 24);
	uint32_t psn = response ? at[2 + below(h, 3)] : at[one_in(h, 4)];
	switch (below(h, 8)) {
	case 0: return rn_psn_add(psn, 1 + below(h, 3));
	case 1: return rn_psn_add(psn, (uint32_t)-1 - below(h, 3));
	case 2: return one_in(h, 8) ? rn_psn_add(psn, RN_PSN_WINDOW - 1 + below(h, 3)) : psn;
	default: return psn;
	}
}

static uint32_t some_length(struct hostile *h, uint32_t mtu)
{
	switch (below(h, 6)) {
	case 0: return below(h, 9);
	case 1: return mtu - 2 + below(h, 5);
	case 2: return below(h, 2 * mtu);
	case 3: return one_in(h, 10) ? below(h, 8000) : 0;
	default: return mtu;
	}
}

static void aim(struct hostile *h, unsigned node, struct rn_pkt *p, const struct rn_qp *qp)
{
	unsigned kind = below(h, REGIONS);
	p->rkey = h->key[node][kind];
	p->va = (uint64_t)(uintptr_t)region(h, node, kind);
	if (one_in(h, 3)) { /* the working memory, where all may be written */
		p->rkey = h->sim.node[node].rkey;
		p->va = (uint64_t)(uintptr_t)h->sim.node[node].arena + (8 << 20);
	}
	p->rkey = one_in(h, 20) ? (uint32_t)rn_rng_next(&h->rng) : p->rkey ^ (one_in(h, 20) ? 1u << below(h, 32) : 0);
	p->dma_len = one_in(h, 2) ? p->payload_len : below(h, 2 * PART);
	switch (below(h, 8)) {
	case 0: p->va += PART - below(h, 16); break;
	case 1: p->va -= below(h, 16); break;
	case 2: p->va = rn_rng_next(&h->rng); break;
	case 3: p->va = UINT64_MAX - below(h, 16); break;
	case 4: p->dma_len = 0x80000000u - 1 + below(h, 3); break;
	case 5: p->va += below(h, PART); break;
	}
	if (one_in(h, 4) && qp->rx.rec[0].npkts) { /* as a READ that was answered */
		p->rkey = qp->rx.rec[0].rkey;
		p->va = qp->rx.rec[0].va;
		p->dma_len = qp->rx.rec[0].length;
	}
}

/* A packet that fits, but for what was changed. */
static struct rn_pkt forge(struct hostile *h, unsigned node)
{
	static const uint8_t syndromes[] = {0x1F, 0x1F, 0x00, 0x20, 0x2C, 0x3F, 0x60, 0x61, 0x62, 0x63, 0x64, 0x40, 0x7F, 0x9F};
	static uint8_t payload[8192];
	unsigned q = below(h, h->sim.spec.qps);
	const struct rn_qp *qp = rn_shard_qp(h->sim.node[node].shard, h->sim.node[node].qp[q].qpn);
	uint8_t opcode = one_in(h, 10) ? (uint8_t)below(h, 256) : (uint8_t)below(h, 32);
	struct rn_pkt p = craft_packet(&h->sim, node, q, opcode, 0);
	p.psn = some_psn(h, qp, rn_opcode_row(opcode)->response);
	p.payload_len = one_in(h, 30) ? 8000 : some_length(h, rn_qp_mtu(qp));
	if (!rn_opcode_row(opcode)->has_payload && !one_in(h, 6))
		p.payload_len = 0;
	memset(payload, (int)below(h, 256), p.payload_len);
	p.payload = payload;
	aim(h, node, &p, qp);
	p.ack_req = one_in(h, 2);
	p.se = one_in(h, 4);
	p.syndrome = one_in(h, 16) ? (uint8_t)below(h, 256) : syndromes[below(h, RN_ARRAY_SIZE(syndromes))];
	p.msn = below(h, 1 << 24);
	p.imm = p.inv_rkey = one_in(h, 2) ? p.rkey : (uint32_t)rn_rng_next(&h->rng);
	p.swap_add = rn_rng_next(&h->rng);
	switch (below(h, 60)) {
	case 0: p.dest_qpn = below(h, 1 << 24); break;
	case 1: p.dest_qpn = below(h, 3); break;
	case 2: p.dest_qpn = RN_MCAST_QPN; break;
	case 3: p.src.b[15] ^= 0x40; break;
	case 4: p.dst.b[15] ^= 0x40; break;
	case 5: p.pkey = (uint16_t)below(h, 1 << 16); break;
	case 6: p.has_vlan = !p.has_vlan; p.vlan_tci = (uint16_t)below(h, 1 << 16); break;
	case 7: p.dmac[below(h, 6)] ^= (uint8_t)(1u << below(h, 8)); break;
	case 8: p.udp_checksum = true; break;
	case 9: p.tclass = (uint8_t)below(h, 256); p.becn = p.fecn = true; break;
	}
	return p;
}

static void reseal_ipv4(uint8_t *ip)
{
	uint32_t sum = 0;
	rn_store16(ip + 10, 0);
	for (unsigned i = 0; i < 20; i += 2)
		sum += rn_load16(ip + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rn_store16(ip + 10, (uint16_t)~sum);
}

static void flip(struct hostile *h, uint8_t *data, uint32_t len, uint32_t within)
{
	for (unsigned n = 1 + below(h, 3); n && len; n--) {
		uint32_t at = below(h, RN_MIN(len, within));
		data[at] = one_in(h, 2) ? (uint8_t)below(h, 256) : data[at] ^ (uint8_t)(1u << below(h, 8));
	}
}

/* ARP, neighbour discovery or ICMP: the right shape with a few wrong bytes, any address of the two nodes. */
static uint32_t forge_neighbour(struct hostile *h, unsigned node, uint8_t *f)
{
	const struct rn_port_attr *port[SIM_NODES] = {&h->sim.node[0].port, &h->sim.node[1].port};
	unsigned kind = below(h, 3);
	uint32_t len = kind == 0 ? 42 : kind == 1 ? 14 + 40 + 32 : 14 + 20 + 16;
	memset(f, 0, len);
	memcpy(f, port[node]->mac, 6);
	if (one_in(h, 3))
		memset(f, 0xFF, 6);
	memcpy(f + 6, port[below(h, 2)]->mac, 6);
	rn_store16(f + 12, kind == 0 ? 0x0806 : kind == 1 ? 0x86DD : 0x0800);
	if (kind == 0) {
		static const uint8_t head[] = {0, 1, 8, 0, 6, 4, 0};
		memcpy(f + 14, head, sizeof(head));
		f[21] = (uint8_t)(1 + below(h, 2));
		memcpy(f + 22, f + 6, 6);
		memcpy(f + 28, port[below(h, 2)]->gids[0].b + 12, 4);
		memcpy(f + 38, port[below(h, 2)]->gids[0].b + 12, 4);
	} else if (kind == 1) {
		f[14] = 0x60;
		f[19] = 32;
		f[20] = 58;
		f[21] = 255;
		memcpy(f + 22, port[below(h, 2)]->gids[1].b, 16);
		memcpy(f + 38, port[below(h, 2)]->gids[1].b, 16);
		f[54] = (uint8_t)(128 + below(h, 10));
		memcpy(f + 62, port[below(h, 2)]->gids[1].b, 16);
		f[78] = (uint8_t)below(h, 3);
		f[79] = 1;
	} else {
		static const uint8_t head[] = {0x45, 0, 0, 36, 0, 0, 0x40, 0, 64, 1};
		memcpy(f + 14, head, sizeof(head));
		memcpy(f + 26, port[1 - node]->gids[0].b + 12, 4);
		memcpy(f + 30, port[node]->gids[0].b + 12, 4);
		f[34] = (uint8_t)(one_in(h, 2) ? 8 : below(h, 256));
		reseal_ipv4(f + 14);
	}
	if (one_in(h, 2))
		flip(h, f + 12, len - 12, len - 12);
	return one_in(h, 8) ? below(h, len) : len;
}

/* One header field of an untagged frame set on purpose, checksums made right again. */
static void twist(struct hostile *h, uint8_t *f, bool ipv4)
{
	static const uint16_t types[] = {0x8915, 0x0806, 0x86DD, 0x0800, 0x88CC, 0x8100};
	uint8_t *ip = f + 14, *udp = ip + (ipv4 ? 20 : 40);
	switch (below(h, 8)) {
	case 0: rn_store16(f + 12, types[below(h, RN_ARRAY_SIZE(types))]); break;
	case 1: ip[ipv4 ? 6 : 4] = (uint8_t)below(h, 256); break; /* fragment; length */
	case 2: ip[0] = (uint8_t)(ip[0] ^ 1u << below(h, 8)); break;
	case 3: ip[ipv4 ? 9 : 6] = (uint8_t)(one_in(h, 2) ? 44 : below(h, 256)); break;
	case 4: rn_store16(ip + (ipv4 ? 2 : 4), (uint16_t)below(h, 2000)); break;
	case 5: rn_store16(udp + 4, (uint16_t)below(h, 2000)); break;
	case 6: rn_store16(udp + 2, (uint16_t)below(h, 1 << 16)); break;
	case 7: udp[8 + 1] = (uint8_t)below(h, 256); break; /* pad, transport version */
	}
	if (ipv4)
		reseal_ipv4(ip);
}

static void strike(struct hostile *h)
{
	uint8_t frame[SIM_FRAME_MAX];
	unsigned node = below(h, SIM_NODES), how = below(h, 20);
	uint32_t len;
	if (how < 4) { /* somebody's frame once more, to either end, as it was or damaged */
		if (h->nrecent == 0)
			return;
		const struct recent *r = &h->recent[below(h, RN_MIN(h->nrecent, RECENT))];
		len = r->len;
		memcpy(frame, r->data, len);
		if (how > 1)
			flip(h, frame, len, how == 2 ? 60 : len);
		if (one_in(h, 6))
			len = below(h, len + 1);
	} else if (how == 4) { /* noise */
		len = below(h, 200);
		for (uint32_t i = 0; i < len; i++)
			frame[i] = (uint8_t)below(h, 256);
		if (one_in(h, 2))
			memcpy(frame, h->sim.node[node].port.mac, RN_MIN(len, 6u));
	} else if (how == 5) {
		len = forge_neighbour(h, node, frame);
	} else {
		struct rn_pkt p = how < 8 ? hostile_cm_forge(&h->cm, node) : forge(h, node);
		len = rn_frame_build(&p, frame, sizeof(frame));
		if (len == 0)
			return;
		if (one_in(h, 8)) { /* damaged below the ICRC's eyes: sealed again */
			uint32_t ip = p.has_vlan ? 19 : 15; /* behind the version, which the seal goes by */
			flip(h, frame + ip, len - ip - 4, 66);
			rn_frame_seal(&p, frame);
		} else if (!p.has_vlan && one_in(h, 8)) {
			twist(h, frame, p.ipv4);
			if (frame[14] >> 4 == (p.ipv4 ? 4 : 6))
				rn_frame_seal(&p, frame);
		}
	}
	h->t->frames++;
	sim_inject(&h->sim, node, frame, len);
}

/* ---- a run ---- */

static void draw_spec(struct hostile *h, struct sim_spec *s)
{
	sim_spec_default(s);
	s->mem = &faulty;
	s->seed = h->seed;
	s->qps = 1 + below(h, 3);
	s->ipv6 = one_in(h, 2);
	s->vlan = one_in(h, 4);
	s->path_mtu = (uint8_t)(1 + below(h, 5));
	s->rd_atomic = (uint8_t)(1 + below(h, 4));
	s->first_psn = below(h, 1 << 24);
	s->timeout = 8;
	s->min_rnr_timer = 1;
	for (unsigned i = 0; i < SIM_NODES; i++)
		s->link[i].impair.loss_ppm = one_in(h, 2) ? 10000 : 0;
}

/* After all that: does it still work? */
static void check_alive(struct hostile *h)
{
	struct sim *sim = &h->sim;
	unsigned q = sim->spec.qps, good = 0;
	struct rn_cqe c;
	for (unsigned i = 0; i < SIM_NODES; i++)
		sim->spec.link[i].impair.loss_ppm = 0;
	for (unsigned i = 0; i < q; i++) /* they may wait for a receive for ever */
		for (unsigned node = 0; node < SIM_NODES; node++)
			sim_destroy_qp(sim, node, i);
	sim_connect(sim, q);
	memset(sim->node[0].arena, 0x11, 5000);
	memset(sim->node[1].arena, 0x22, 5000);
	sim_post(sim, 1, q, &(struct sim_op){.kind = RN_WQE_RECV, .local = 0, .length = 5000});
	sim_post(sim, 0, q, &(struct sim_op){.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .length = 5000});
	sim_run(sim, sim->now + RN_S(10));
	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(sim, node, &c))
			good += c.qpn == sim->node[node].qp[q].qpn && c.status == RN_STATUS_SUCCESS;
	if (good != 2 || memcmp(sim->node[0].arena, sim->node[1].arena, 5000))
		OBJECT(h, "a new connection does not work any more (%u completions)", good);
}

/* Without their client, connections end by themselves, and timewait after them. */
static void check_connections_end(struct hostile *h)
{
	hostile_cm_end(&h->cm);
	sim_run(&h->sim, h->sim.now + RN_S(3000));
	for (unsigned node = 0; node < SIM_NODES; node++) {
		const struct rn_cm *cm = h->sim.node[node].shard->cm;
		if (rn_cm_live(cm) || rn_cm_timewait(cm))
			OBJECT(h, "node %u: %u connections and %u timewait records do not end", node, rn_cm_live(cm),
			       rn_cm_timewait(cm));
	}
	if (h->cm.refused)
		OBJECT(h, "%u ids could not be destroyed", h->cm.refused);
}

unsigned hostile_run(uint64_t seed, unsigned frames, struct hostile_totals *totals, FILE *out)
{
	struct hostile *h = calloc(1, sizeof(*h));
	struct sim_spec spec;
	if (h == NULL)
		abort();
	h->seed = seed;
	h->t = totals;
	h->out = out;
	rn_rng_seed(&h->rng, seed ^ 0xD1B54A32D192ED03ull);
	draw_spec(h, &spec);
	sim_init(&h->sim, &spec);
	h->sim.filter = remember;
	h->sim.filter_arg = h;
	for (unsigned node = 0; node < SIM_NODES; node++)
		make_regions(h, node);
	for (unsigned q = 0; q < spec.qps; q++)
		sim_connect(&h->sim, q);
	hostile_cm_start(&h->cm, &h->sim, &h->rng);
	for (unsigned i = 0; i < frames; i++) {
		work(h);
		for (unsigned n = below(h, 3); n; n--)
			strike(h);
		sim_step(&h->sim, h->sim.now + RN_US(1 + below(h, 20)));
	}
	for (unsigned q = 0; q < spec.qps; q++)
		totals->survived += !dead(h, 0, q) && !dead(h, 1, q);
	check_alive(h);
	check_connections_end(h);
	for (unsigned node = 0; node < SIM_NODES; node++)
		check_regions(h, node);
	if (sim_balance(&h->sim, false, out))
		OBJECT(h, "the books do not balance");
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		totals->verdicts[v] += h->sim.verdicts[v];
	for (unsigned node = 0; node < SIM_NODES; node++)
		drop_regions(h, node);
	unsigned left = sim_fini(&h->sim);
	if (left)
		OBJECT(h, "%u objects left over", left);
	totals->runs++;
	unsigned objections = h->objections;
	free(h);
	return objections;
}
