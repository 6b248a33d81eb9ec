/* One end of the connection that bench_link measures: opens the adapter, creates its objects,
 * connects without the CM, posts and polls. Uses only the client API (rn/client.h). Each end is
 * used by one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench_link.h"
#include "nic/nic.h"

#define PSN    0x123456u
#define RIGHTS (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)
#define ALIGN  4096u

static void give_up(const char *what, const char *more)
{
	fprintf(stderr, "bench_link: %s %s\n", what, more);
	exit(EXIT_FAILURE);
}

static void wait_for_port(struct rn_link *link)
{
	struct rn_link_info info;

	for (int i = 0; i < 10000; i++) {
		link->ops->info(link, &info);
		if (info.link_up)
			return;
		usleep(1000);
	}
	give_up("the port stays down", "");
}

static void make_objects(const struct link_options *o, struct link_end *e)
{
	unsigned depth = link_depth(o);
	struct rn_client_qp_init init = {
		.type = RN_QPT_RC,
		.sq_depth = depth,
		.rq_depth = depth,
		.sq_sge = 1,
		.rq_sge = 1,
		.inline_bytes = o->inline_bytes,
	};

	e->stride = ((size_t)o->size + 63) & ~(size_t)63;
	e->mem = aligned_alloc(ALIGN, (o->buffer + ALIGN - 1) & ~(size_t)(ALIGN - 1));
	if (e->mem == NULL)
		give_up("no memory", "");
	for (size_t i = 0; i < o->buffer; i++)
		e->mem[i] = (uint8_t)(i * 131 >> 5);
	if (rn_client_pd_create(e->client, &e->pd) != 0 ||
	    rn_client_mr_register(e->client, e->pd, e->mem, o->buffer, (uintptr_t)e->mem, RIGHTS,
				  &e->lkey, &e->rkey) != 0 ||
	    rn_client_cq_create(e->client, 2 * depth, 0, 0, &e->cq) != 0)
		give_up("no region or completion queue", "");
	init.pd = e->pd;
	init.send_cq = init.recv_cq = e->cq;
	if (rn_client_qp_create(e->client, &init, &e->qp) != 0)
		give_up("no queue pair", "");
}

void link_end_open(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		   const char *config, unsigned adapter, unsigned side)
{
	struct link_card *card = &sh->card[side];
	const struct rn_link_info *info;
	char err[256] = "";

	if (rn_link_open(config, adapter, &e->link, err, sizeof(err)) != 0)
		give_up("no adapter:", err);
	e->client = rn_client_attach(e->link);
	if (e->client == NULL)
		give_up("no memory", "");
	make_objects(o, e);
	info = rn_client_info(e->client);
	card->gid = info->gids[0];
	memcpy(card->mac, info->mac, 6);
	card->qpn = rn_client_qp_number(e->qp);
	card->rkey = e->rkey;
	card->va = (uintptr_t)e->mem;
	__atomic_store_n(&card->ready, 1, __ATOMIC_RELEASE);
}

static void modify(struct link_end *e, const struct rn_qp_attr *a, uint32_t mask)
{
	if (rn_client_qp_modify(e->qp, a, RN_QP_STATE | mask) != 0)
		give_up("the queue pair does not connect", "");
}

/* Fills the fields that are the same in all requests. */
static void prepare_requests(const struct link_options *o, struct link_end *e)
{
	const struct rn_sge first = {(uintptr_t)e->mem, o->size, e->lkey};

	e->from = e->into = first;
	e->last = first.addr + (o->buffer / e->stride - 1) * e->stride;
	e->request = (struct rn_client_wr){
		.remote_va = e->peer.va, .rkey = e->peer.rkey, .sge = &e->from, .num_sge = 1};
	e->receive = (struct rn_client_wr){.kind = RN_WQE_RECV, .sge = &e->into, .num_sge = 1};
	e->unsignaled = o->signal - 1;
	for (unsigned i = 0; i < LINK_BATCH_MAX; i++) {
		e->requests.wr[i] = e->request;
		e->requests.wr[i].kind = o->kind;
		e->requests.wr[i].sge = &e->requests.sge[i];
		e->receives.wr[i] = e->receive;
		e->receives.wr[i].sge = &e->receives.sge[i];
		e->requests.sge[i] = e->receives.sge[i] = first;
	}
}

void link_end_connect(const struct link_options *o, struct link_end *e, struct link_shared *sh,
		      unsigned side)
{
	struct rn_qp_attr a = {
		.state = RN_QPS_INIT,
		.path_mtu = (uint8_t)(__builtin_ctz(o->mtu) - 7),
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 1,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 16,
		.access = RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ,
		.rq_psn = PSN,
		.sq_psn = PSN,
		.av = {.sgid = rn_client_info(e->client)->gids[0], .hop_limit = 64},
	};

	for (int i = 0; !__atomic_load_n(&sh->card[!side].ready, __ATOMIC_ACQUIRE); i++) {
		if (i == 20000)
			give_up("the other end has not started within 20 s", "");
		usleep(1000);
	}
	e->peer = sh->card[!side];
	a.dest_qpn = e->peer.qpn;
	a.av.dgid = e->peer.gid;
	memcpy(a.av.dmac, e->peer.mac, 6);
	modify(e, &a, RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS);
	a.state = RN_QPS_RTR;
	modify(e, &a,
	       RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
		       RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER);
	a.state = RN_QPS_RTS;
	modify(e, &a,
	       RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
		       RN_QP_MAX_RD_ATOMIC);
	prepare_requests(o, e);
	for (unsigned i = 0; o->kind == RN_WQE_SEND && i < link_depth(o); i++)
		link_post_recv(e);
	wait_for_port(e->link);
}

void link_end_close(struct link_end *e)
{
	rn_client_qp_destroy(e->qp);
	rn_client_cq_destroy(e->cq);
	rn_client_mr_deregister(e->client, e->lkey);
	rn_client_pd_destroy(e->client, e->pd);
	rn_client_close(e->client);
	rn_link_close(e->link);
	free(e->mem);
}

/* Moves the address of the receive on to the next message. */
static inline void next_receive(struct link_end *e)
{
	e->into.addr = e->into.addr == e->last ? (uintptr_t)e->mem : e->into.addr + e->stride;
}

/* Moves the local address and the remote address of the request on to the next message. */
static inline void next_request(struct link_end *e)
{
	if (e->from.addr == e->last) {
		e->from.addr = (uintptr_t)e->mem;
		e->request.remote_va = e->peer.va;
	} else {
		e->from.addr += e->stride;
		e->request.remote_va += e->stride;
	}
}

/* Returns the flags of the next request: every o->signal-th is signaled. */
static inline uint16_t next_flags(const struct link_options *o, struct link_end *e)
{
	bool signaled = e->unsignaled == 0;

	e->unsignaled = signaled ? o->signal - 1 : e->unsignaled - 1;
	return signaled ? RN_WQE_SIGNALED : 0;
}

void link_post_recv(struct link_end *e)
{
	e->receive.wr_id = e->expected;
	if (rn_client_qp_post(e->qp, &e->receive) != 0)
		give_up("a receive was refused", "");
	next_receive(e);
	e->expected++;
}

void link_post_request(const struct link_options *o, struct link_end *e, uint8_t kind)
{
	e->request.kind = kind;
	e->request.flags = next_flags(o, e);
	e->request.wr_id = ++e->sent;
	if (rn_client_qp_post(e->qp, &e->request) != 0)
		give_up("a request was refused", "");
	next_request(e);
}

static void post_list(struct link_end *e, const struct link_list *l, unsigned n)
{
	uint32_t posted;

	if (rn_client_qp_post_list(e->qp, l->wr, n, &posted) != 0)
		give_up("a list was refused", "");
}

void link_post_recvs(const struct link_options *o, struct link_end *e, unsigned n)
{
	struct link_list *l = &e->receives;

	for (unsigned k; n > 0; n -= k) {
		k = n < o->list ? n : o->list;
		for (unsigned i = 0; i < k; i++) {
			l->wr[i].wr_id = e->expected++;
			l->sge[i].addr = e->into.addr;
			next_receive(e);
		}
		post_list(e, l, k);
	}
}

void link_post_requests(const struct link_options *o, struct link_end *e, unsigned n)
{
	struct link_list *l = &e->requests;

	for (unsigned k; n > 0; n -= k) {
		k = n < o->list ? n : o->list;
		for (unsigned i = 0; i < k; i++) {
			l->wr[i].flags = next_flags(o, e);
			l->wr[i].wr_id = ++e->sent;
			l->sge[i].addr = e->from.addr;
			l->wr[i].remote_va = e->request.remote_va;
			next_request(e);
		}
		post_list(e, l, k);
	}
}

void link_set_loss(struct link_end *e, bool on)
{
	/* The link is the first member of its adapter, which has one shard. */
	struct rn_impair *rule = &((struct rn_nic *)e->link)->lcore[0].rxtx.rule;

	if (e->loss_ppm == 0)
		e->loss_ppm = rule->loss_ppm;
	rule->loss_ppm = on ? e->loss_ppm : 0;
}

static void stop_clock(struct link_end *e)
{
	/* The link is the first member of its adapter. Each shard has a copy of the clock; the
	 * adapters of bench_link have one shard each. */
	struct rn_nic *nic = (struct rn_nic *)e->link;

	e->clock = &nic->lcore[0].clock;
	e->clock->start = rn_clock_now(e->clock);
	e->clock->mult = 0;
	/* The progress thread would run some of the turns, depending on the real time. */
	rn_progress_stop(&nic->progress);
}

void link_virtual_time(struct link_end *a, struct link_end *b)
{
	stop_clock(a);
	stop_clock(b);
	/* The adapters of one process have one time. */
	if (a->clock->start < b->clock->start)
		a->clock->start = b->clock->start;
	else
		b->clock->start = a->clock->start;
}

static void advance_clock(struct link_end *e)
{
	if (e->clock != NULL)
		e->clock->start += LINK_STEP;
}

void link_turn(struct link_end *e)
{
	advance_clock(e);
	e->link->ops->progress(e->link);
}

void link_post_batch(const struct link_options *o, struct link_end *e)
{
	if (o->list > 1) {
		link_post_requests(o, e, o->batch);
		return;
	}
	for (unsigned i = 0; i < o->batch; i++)
		link_post_request(o, e, o->kind);
}

static unsigned take(struct link_end *e, unsigned max)
{
	struct rn_cqe cqe[LINK_BATCH_MAX];
	bool fired;
	unsigned n;

	rn_client_cq_lock(e->cq);
	n = rn_client_cq_poll(e->cq, cqe, max, &fired);
	rn_client_cq_unlock(e->cq);
	if (n == 0)
		return 0;
	for (const struct rn_cqe *c = cqe; c != cqe + n; c++) {
		e->bad += c->status != RN_STATUS_SUCCESS;
		if (c->flags & RN_CQE_RECV)
			e->recvd++;
		else
			e->send_done = c->wr_id;
	}
	return n;
}

unsigned link_reap(struct link_end *e, unsigned n)
{
	return take(e, n);
}

void link_poll(struct link_end *e)
{
	advance_clock(e);
	take(e, 32);
}
