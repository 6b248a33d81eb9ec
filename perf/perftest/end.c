/* One end of a perftest run: opens the adapter, creates memory and queues, connects, posts and
 * polls. Owns the client object, its memory and its queues. One thread calls these functions. */
#include "end.h"

#include "common/stop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE	 4096u
#define HUGEPAGE (2u << 20)
/* minimum bytes of a memory block, because a peer that runs the original perftest spreads small
 * WRITEs over this many bytes */
#define CYCLE	       4096u
#define RESOLVE_MS     5000
#define PORT_UP_MS     10000
#define MIN_RNR_TIMER  12
#define POLL_BATCH     16
#define POLLS_PER_LOOK 1024
#define QKEY	       0x11111111u /* the Q_Key that perftest uses */

uint64_t pt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

const char *pt_status_text(uint8_t status)
{
	static const char *const texts[] = {
#define X(name, number, text) [number] = text,
		RN_STATUS_ROWS(X)
#undef X
	};

	return status < sizeof(texts) / sizeof(texts[0]) && texts[status] ? texts[status]
									  : "unknown status";
}

static int complain(const struct pt_end *e, const char *what, int rc)
{
	if (!stop_asked())
		fprintf(stderr, "%s: %s: %s\n", e->o->tool->name, what, strerror(-rc));
	return -1;
}

/* ---- choosing and opening the adapter ---- */

static int find_adapter(const struct pt_options *o, unsigned *index)
{
	static struct rn_link_info infos[64];
	char err[256] = "";
	int n;

	*index = 0;
	if (!o->device)
		return 0;
	n = rn_client_list(NULL, infos, 64, err, sizeof(err));
	if (n < 0) {
		fprintf(stderr, "%s: no adapters: %s\n", o->tool->name, err);
		return -1;
	}
	for (int i = 0; i < n && i < 64; i++) {
		if (!strcmp(infos[i].name, o->device)) {
			*index = (unsigned)i;
			return 0;
		}
	}
	fprintf(stderr, "%s: the configuration has no adapter '%s'; it has:", o->tool->name,
		o->device);
	for (int i = 0; i < n && i < 64; i++)
		fprintf(stderr, " %s", infos[i].name);
	fprintf(stderr, "\n");
	return -1;
}

/* True with --ipv6, and if the exchange goes through the RDMA CM to a numeric IPv6 address. In all
 * other cases IPv4 is preferred, as in perftest. */
static bool wants_v6(const struct pt_options *o)
{
	return o->v6 || (o->cm_talk && (o->v6_talk || (o->server && strchr(o->server, ':'))));
}

/* With the RDMA CM --source_ip is an address of the adapter. */
static int choose_source(struct pt_end *e)
{
	struct rn_gid gid = {{[10] = 0xff, [11] = 0xff}};

	if (inet_pton(AF_INET, e->o->source_ip, &gid.b[12]) != 1 &&
	    inet_pton(AF_INET6, e->o->source_ip, gid.b) != 1) {
		fprintf(stderr, "%s: --source_ip %s is no address\n", e->o->tool->name,
			e->o->source_ip);
		return -1;
	}
	for (unsigned i = 0; i < e->info->ngids; i++) {
		if (!rn_client_gid_equal(&gid, &e->info->gids[i]))
			continue;
		e->gid_index = i;
		e->gid = gid;
		return 0;
	}
	fprintf(stderr, "%s: --source_ip %s is no address of the adapter\n", e->o->tool->name,
		e->o->source_ip);
	return -1;
}

static int choose_gid(struct pt_end *e)
{
	bool v6 = wants_v6(e->o);
	bool any = e->o->gid == PT_ANY_GID;

	if (!any && e->o->gid >= e->info->ngids) {
		fprintf(stderr, "%s: -x %u, but the adapter has %u addresses\n", e->o->tool->name,
			e->o->gid, e->info->ngids);
		return -1;
	}
	if (e->o->cm_talk && e->o->source_ip)
		return choose_source(e);
	e->gid_index = any ? 0 : e->o->gid;
	for (unsigned i = 0; any && i < e->info->ngids; i++) {
		if (rn_client_gid_is_v4(&e->info->gids[i]) != v6) {
			e->gid_index = i;
			break;
		}
	}
	e->gid = e->info->gids[e->gid_index];
	return 0;
}

void pt_end_use_gid(struct pt_end *e, const struct rn_gid *gid)
{
	e->gid = *gid;
	for (unsigned i = 0; i < e->info->ngids; i++)
		if (rn_client_gid_equal(gid, &e->info->gids[i]))
			e->gid_index = i;
}

int pt_end_open(struct pt_end *e, const struct pt_options *o)
{
	char err[256] = "";
	unsigned index;
	int rc;

	*e = (struct pt_end){.o = o, .peer_fd = -1};
	if (find_adapter(o, &index) != 0)
		return -1;
	if (rn_client_open(NULL, index, &e->client, err, sizeof(err)) != 0) {
		fprintf(stderr, "%s: no adapter: %s\n", o->tool->name, err);
		e->client = NULL;
		return -1;
	}
	e->info = rn_client_info(e->client);
	e->mtu = e->info->max_path_mtu;
	if (o->mtu && __builtin_ctz(o->mtu) - 7 > e->mtu) {
		fprintf(stderr, "%s: --mtu %u, but the adapter can do %u\n", o->tool->name, o->mtu,
			128u << e->mtu);
		return -1;
	}
	if (o->mtu)
		e->mtu = (uint8_t)(__builtin_ctz(o->mtu) - 7);
	rc = rn_client_pd_create(e->client, &e->pd);
	return rc ? complain(e, "no protection domain", rc) : choose_gid(e);
}

/* ---- events of the client API ---- */

static void keep(struct pt_end *e, const struct rn_event *ev)
{
	if (ev->kind < 32 && e->npending < PT_EVENTS && ev->kind != RN_EVENT_CQ)
		e->pending[e->npending++] = *ev;
}

void pt_events(struct pt_end *e, int timeout_ms)
{
	struct rn_event ev;

	for (unsigned i = 0; i < PT_EVENTS && rn_client_wait(e->client, &ev, 1, timeout_ms) == 1;
	     i++) {
		keep(e, &ev);
		timeout_ms = 0;
	}
}

bool pt_event(struct pt_end *e, uint64_t kinds, uint32_t id, struct rn_event *ev, int timeout_ms)
{
	uint64_t end = pt_now_ns() + (uint64_t)timeout_ms * 1000000u;

	for (;;) {
		for (unsigned i = 0; i < e->npending; i++) {
			if (!(kinds >> e->pending[i].kind & 1) || (id && e->pending[i].id != id))
				continue;
			*ev = e->pending[i];
			e->npending--;
			memmove(&e->pending[i], &e->pending[i + 1],
				(e->npending - i) * sizeof(e->pending[0]));
			return true;
		}
		if (pt_now_ns() >= end || stop_asked())
			return false;
		pt_events(e, 10);
	}
}

/* ---- memory and queues ---- */

static uint32_t rights(const struct pt_options *o)
{
	switch (o->tool->verb) {
	case PT_WRITE:
		return RN_ACCESS_REMOTE_WRITE;
	case PT_READ:
		return RN_ACCESS_REMOTE_READ;
	case PT_ATOMIC:
		return RN_ACCESS_REMOTE_ATOMIC;
	case PT_SEND:
		break;
	}
	return 0;
}

struct rn_client_qp *pt_end_qp(struct pt_end *e, struct rn_client_cq *cq, struct rn_client_srq *srq,
			       unsigned tx, unsigned rx, uint64_t ctx)
{
	struct rn_client_qp_init init = {.pd = e->pd,
					 .type = e->o->type,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .srq = srq,
					 .sq_depth = tx,
					 .rq_depth = srq ? 0 : rx,
					 .sq_sge = 1,
					 .rq_sge = 1,
					 .inline_bytes = e->o->inline_bytes,
					 .qp_ctx = ctx};
	struct rn_qp_attr attr = {.state = RN_QPS_INIT, .access = rights(e->o), .qkey = QKEY};
	uint32_t has = e->o->type == RN_QPT_UD ? RN_QP_QKEY : RN_QP_ACCESS;
	struct rn_client_qp *qp;
	int rc = rn_client_qp_create(e->client, &init, &qp);

	if (rc == 0) {
		rc = rn_client_qp_modify(qp, &attr,
					 RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | has);
		if (rc != 0)
			rn_client_qp_destroy(qp);
	}
	if (rc != 0) {
		complain(e, "no queue pair", rc);
		return NULL;
	}
	return qp;
}

/* Returns the bytes of a receive buffer: the largest message and, for UD, the GRH before the
 * message. */
static uint64_t room(const struct pt_options *o)
{
	return (uint64_t)o->size + (o->type == RN_QPT_UD ? RN_UD_GRH_BYTES : 0);
}

static uint8_t *get_memory(const struct pt_end *e)
{
	void *at;

	if (!e->o->hugepages)
		return aligned_alloc(PAGE, e->mem_bytes);
	at = mmap(NULL, e->mem_bytes, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void free_memory(struct pt_end *e)
{
	if (e->mem && e->o->hugepages)
		munmap(e->mem, e->mem_bytes);
	else
		free(e->mem);
}

static int make_memory(struct pt_end *e)
{
	uint64_t bytes = room(e->o);

	e->stride = bytes < CYCLE ? CYCLE : (bytes + PAGE - 1) / PAGE * PAGE;
	e->mem_bytes = 2 * e->stride * e->o->qps;
	if (e->o->hugepages)
		e->mem_bytes = (e->mem_bytes + HUGEPAGE - 1) / HUGEPAGE * HUGEPAGE;
	e->mem = get_memory(e);
	if (!e->mem)
		return complain(e, e->o->hugepages ? "no hugepages of 2 MiB" : "no memory",
				-ENOMEM);
	/* All bytes start as zero, because the receiver of a WRITE polls the last byte of the
	 * message for a certain number. */
	memset(e->mem, 0, e->mem_bytes);
	return 0;
}

static int register_range(struct pt_end *e, uint8_t *from, uint64_t bytes, struct pt_qp *q)
{
	int rc = rn_client_mr_register(e->client, e->pd, from, bytes, (uintptr_t)from,
				       RN_ACCESS_LOCAL_WRITE | rights(e->o), &q->lkey, &q->rkey);

	return rc ? complain(e, "no memory region", rc) : 0;
}

/* All queue pairs share a region, or each has one for its two blocks. */
static int register_memory(struct pt_end *e)
{
	if (!e->o->mr_per_qp && register_range(e, e->mem, e->mem_bytes, &e->qp[0]) != 0)
		return -1;
	for (unsigned i = 0; i < e->o->qps; i++) {
		if (e->o->mr_per_qp &&
		    register_range(e, pt_send_at(e, i), 2 * e->stride, &e->qp[i]) != 0)
			return -1;
		if (!e->o->mr_per_qp) {
			e->qp[i].lkey = e->qp[0].lkey;
			e->qp[i].rkey = e->qp[0].rkey;
		}
	}
	return 0;
}

static int make_srq(struct pt_end *e)
{
	struct rn_client_srq_init init = {.pd = e->pd, .depth = e->o->rx, .max_sge = 1};
	int rc = e->o->srq ? rn_client_srq_create(e->client, &init, &e->srq) : 0;

	return rc ? complain(e, "no shared receive queue", rc) : 0;
}

static unsigned receives(const struct pt_options *o)
{
	return o->tool->verb == PT_SEND ? o->rx : 1;
}

int pt_end_make(struct pt_end *e)
{
	const struct pt_options *o = e->o;
	unsigned outs =
		o->set['o'] && o->outs < e->info->max_rd_atomic ? o->outs : e->info->max_rd_atomic;
	int rc;

	if (make_memory(e) != 0 || make_srq(e) != 0)
		return -1;
	rc = rn_client_cq_create(e->client, (o->tx + receives(o)) * o->qps, 0, 0, &e->cq);
	if (rc != 0)
		return complain(e, "no completion queue", rc);
	e->qp = calloc(o->qps, sizeof(e->qp[0]));
	if (!e->qp)
		return complain(e, "no memory", -ENOMEM);
	if (register_memory(e) != 0)
		return -1;
	srand48((long)pt_now_ns());
	for (unsigned i = 0; i < o->qps; i++) {
		e->qp[i].qp = pt_end_qp(e, e->cq, e->srq, o->tx, receives(o), i);
		if (!e->qp[i].qp)
			return -1;
		e->qp[i].mine = (struct pt_card){
			.outs = o->tool->verb >= PT_READ ? outs : 1,
			.qpn = rn_client_qp_number(e->qp[i].qp),
			.psn = (uint32_t)lrand48() & 0xffffff,
			.rkey = e->qp[i].rkey,
			.va = (uintptr_t)pt_recv_at(e, i),
			.gid = e->gid,
		};
	}
	return 0;
}

void pt_end_close(struct pt_end *e)
{
	for (unsigned i = 0; e->qp && i < e->o->qps; i++) {
		if (e->qp[i].cm)
			rn_client_cm_destroy(e->client, e->qp[i].cm);
		if (e->qp[i].qp)
			rn_client_qp_destroy(e->qp[i].qp);
	}
	for (unsigned i = 0; e->qp && i < e->o->qps; i++)
		if (e->qp[i].lkey && (i == 0 || e->o->mr_per_qp))
			rn_client_mr_deregister(e->client, e->qp[i].lkey);
	free(e->qp);
	if (e->srq)
		rn_client_srq_destroy(e->srq);
	if (e->cq)
		rn_client_cq_destroy(e->cq);
	if (e->pd)
		rn_client_pd_destroy(e->client, e->pd);
	if (e->client)
		rn_client_close(e->client);
	free_memory(e);
	*e = (struct pt_end){.o = e->o};
}

uint8_t *pt_send_at(const struct pt_end *e, unsigned i)
{
	return e->mem + 2 * e->stride * i;
}

uint8_t *pt_recv_at(const struct pt_end *e, unsigned i)
{
	return pt_send_at(e, i) + e->stride;
}

/* ---- connecting without the CM ---- */

/* The attributes that the moves to RTR and to RTS need besides the state, for each type of queue
 * pair. No other attribute may be given. */
static const struct {
	uint32_t rtr, rts;
} moves[] = {
	[RN_QPT_RC] = {RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
			       RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER,
		       RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
			       RN_QP_MAX_RD_ATOMIC},
	[RN_QPT_UC] = {RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN, RN_QP_SQ_PSN},
	[RN_QPT_UD] = {0, RN_QP_SQ_PSN},
};

int pt_end_to_rts(struct rn_client_qp *qp, enum rn_qp_type type, const struct rn_qp_attr *attr)
{
	struct rn_qp_attr a = *attr;
	int rc;

	a.state = RN_QPS_RTR;
	rc = rn_client_qp_modify(qp, &a, RN_QP_STATE | moves[type].rtr);
	a.state = RN_QPS_RTS;
	return rc ? rc : rn_client_qp_modify(qp, &a, RN_QP_STATE | moves[type].rts);
}

static int find_mac(struct pt_end *e, const struct rn_gid *peer, uint8_t mac[6])
{
	uint64_t end = pt_now_ns() + PORT_UP_MS * 1000000ull;
	struct rn_event ev;
	int rc;

	do {
		rc = rn_client_resolve(e->client, &e->gid, peer, 1, mac);
		if (rc == -EINPROGRESS) {
			if (!pt_event(e, 1ull << RN_EVENT_RESOLVED, 0, &ev, RESOLVE_MS))
				return -ETIMEDOUT;
			rc = ev.err;
			memcpy(mac, ev.attr.av.dmac, 6);
		}
		/* EHOSTUNREACH: the peer process of the memif may still be opening its DPDK
		 * port. */
	} while (rc == -EHOSTUNREACH && pt_now_ns() < end && !stop_asked());
	return rc;
}

int pt_end_connect(struct pt_end *e)
{
	const struct pt_options *o = e->o;
	uint8_t mac[6];
	int rc;

	if (rn_client_gid_is_v4(&e->gid) != rn_client_gid_is_v4(&e->qp[0].theirs.gid)) {
		fprintf(stderr,
			"%s: one end has an IPv4 address and the other IPv6: choose with -x\n",
			o->tool->name);
		return -1;
	}
	for (unsigned i = 0; i < o->qps && o->tool->verb >= PT_READ; i++)
		if (e->qp[i].theirs.outs == 0)
			return complain(e, "the other end takes no READs or atomics", -EPROTO);
	rc = find_mac(e, &e->qp[0].theirs.gid, mac);
	if (rc != 0)
		return complain(e, "the peer's adapter does not answer", rc);
	for (unsigned i = 0; i < o->qps; i++) {
		struct pt_qp *q = &e->qp[i];
		struct rn_qp_attr a = {
			.path_mtu = e->mtu,
			.timeout = (uint8_t)o->timeout,
			.retry_cnt = (uint8_t)o->retry,
			.rnr_retry = 7,
			.min_rnr_timer = MIN_RNR_TIMER,
			.max_rd_atomic = (uint8_t)(q->theirs.outs < q->mine.outs ? q->theirs.outs
										 : q->mine.outs),
			.max_dest_rd_atomic = (uint8_t)q->mine.outs,
			.dest_qpn = q->theirs.qpn,
			.rq_psn = q->theirs.psn,
			.sq_psn = q->mine.psn,
			.av = {.sgid = e->gid,
			       .dgid = q->theirs.gid,
			       .hop_limit = (uint8_t)o->hops,
			       .flow_label = o->flow,
			       .tclass = (uint8_t)o->tclass,
			       .sl = (uint8_t)o->sl},
		};

		memcpy(a.av.dmac, mac, 6);
		q->to = (struct rn_ud){.av = a.av, .qpn = q->theirs.qpn, .qkey = QKEY};
		rc = pt_end_to_rts(q->qp, o->type, &a);
		if (rc != 0)
			return complain(e, "a queue pair does not connect", rc);
	}
	return 0;
}

/* ---- posting and polling ---- */

#define PT_LIST 32u /* most work requests of one call; longer lists take several */

static uint8_t kind_of(const struct pt_options *o)
{
	static const uint8_t kinds[] = {[PT_SEND] = RN_WQE_SEND,
					[PT_WRITE] = RN_WQE_WRITE,
					[PT_READ] = RN_WQE_READ,
					[PT_ATOMIC] = RN_WQE_FETCH_ADD};

	return o->cas ? RN_WQE_CMP_SWAP : kinds[o->tool->verb];
}

/* Returns the work request that is number `number` of queue pair q. *sge is the whole message. */
static struct rn_client_wr request_of(const struct pt_end *e, const struct pt_qp *q,
				      const struct rn_sge *sge, bool signaled, uint64_t number)
{
	static const struct rn_atomic operands = {.swap_add = 1, .compare = 0};
	bool fits = sge->length <= e->o->inline_bytes && e->o->tool->verb <= PT_WRITE;

	return (struct rn_client_wr){
		.kind = kind_of(e->o),
		.flags = (signaled ? RN_WQE_SIGNALED : 0) | (fits ? RN_WQE_INLINE : 0),
		.wr_id = number,
		.remote_va = q->theirs.va,
		.rkey = q->theirs.rkey,
		.sge = sge,
		.num_sge = 1,
		.atomic = &operands,
		.ud = &q->to,
	};
}

int pt_post(struct pt_end *e, unsigned i, uint32_t size, bool signaled)
{
	struct pt_qp *q = &e->qp[i];
	const struct rn_sge sge = {(uintptr_t)pt_send_at(e, i), size, q->lkey};
	struct rn_client_wr wr = request_of(e, q, &sge, signaled, q->posted + 1);
	int rc = rn_client_qp_post(q->qp, &wr);

	if (rc != 0)
		return complain(e, "a request was refused", rc);
	q->posted++;
	return 0;
}

static bool is_signaled(const struct pt_options *o, uint64_t number, uint64_t last)
{
	return number % o->cq_mod == 0 || number == last;
}

int pt_post_list(struct pt_end *e, unsigned i, uint32_t size, uint64_t n, uint64_t last)
{
	struct pt_qp *q = &e->qp[i];
	const struct rn_sge sge = {(uintptr_t)pt_send_at(e, i), size, q->lkey};
	struct rn_client_wr wr[PT_LIST];

	if (n == 1) /* costs less than a list */
		return pt_post(e, i, size, is_signaled(e->o, q->posted + 1, last));
	while (n > 0) {
		uint32_t k = n < PT_LIST ? (uint32_t)n : PT_LIST, posted;

		for (uint32_t j = 0; j < k; j++) {
			uint64_t number = q->posted + 1 + j;

			wr[j] = request_of(e, q, &sge, is_signaled(e->o, number, last), number);
		}
		int rc = rn_client_qp_post_list(q->qp, wr, k, &posted);

		q->posted += posted;
		n -= posted;
		if (rc != 0)
			return complain(e, "a request was refused", rc);
	}
	return 0;
}

int pt_post_recvs(struct pt_end *e, unsigned i, uint64_t n)
{
	struct pt_qp *q = &e->qp[i];
	const struct rn_sge sge = {(uintptr_t)pt_recv_at(e, i), (uint32_t)room(e->o), q->lkey};
	struct rn_client_wr wr[PT_LIST];

	while (n > 0) {
		uint32_t k = n < PT_LIST ? (uint32_t)n : PT_LIST, posted;

		for (uint32_t j = 0; j < k; j++)
			wr[j] = (struct rn_client_wr){.kind = RN_WQE_RECV,
						      .wr_id = q->rposted + 1 + j,
						      .sge = &sge,
						      .num_sge = 1};
		int rc = e->srq ? rn_client_srq_post_list(e->srq, wr, k, &posted)
				: rn_client_qp_post_list(q->qp, wr, k, &posted);

		q->rposted += posted;
		n -= posted;
		if (rc != 0)
			return complain(e, "a receive was refused", rc);
	}
	return 0;
}

int pt_post_recv(struct pt_end *e, unsigned i)
{
	return pt_post_recvs(e, i, 1);
}

static unsigned take(struct pt_end *e, struct rn_cqe *cqe, bool arm)
{
	bool fired;
	unsigned n;

	rn_client_cq_lock(e->cq);
	n = rn_client_cq_poll(e->cq, cqe, POLL_BATCH, &fired);
	if (n == 0 && arm)
		rn_client_cq_arm(e->cq, RN_CQ_ARM_ANY);
	rn_client_cq_unlock(e->cq);
	return n;
}

static unsigned take_or_sleep(struct pt_end *e, struct rn_cqe *cqe, unsigned ms)
{
	struct rn_event ev;
	unsigned n = take(e, cqe, true);

	if (n != 0)
		return n;
	n = take(e, cqe, false);
	if (n == 0 && rn_client_wait(e->client, &ev, 1, ms) == 1)
		keep(e, &ev);
	rn_client_cq_lock(e->cq);
	rn_client_cq_disarm(e->cq);
	rn_client_cq_unlock(e->cq);
	return n ? n : take(e, cqe, false);
}

int pt_poll_for(struct pt_end *e, unsigned ms)
{
	struct rn_cqe cqe[POLL_BATCH];
	unsigned n;

	if ((ms > 0 || ++e->polls % POLLS_PER_LOOK == 0) && pt_check_peer(e) != 0)
		return -1;
	n = ms > 0 ? take_or_sleep(e, cqe, ms) : take(e, cqe, false);
	for (unsigned k = 0; k < n; k++) {
		struct pt_qp *q = &e->qp[cqe[k].qp_ctx];

		if (cqe[k].status != RN_STATUS_SUCCESS) {
			fprintf(stderr, "%s: a %s on queue pair 0x%06x failed: %s\n",
				e->o->tool->name,
				cqe[k].flags & RN_CQE_RECV ? "receive" : "request", cqe[k].qpn,
				pt_status_text(cqe[k].status));
			return -1;
		}
		if (cqe[k].flags & RN_CQE_RECV)
			q->rdone++;
		else
			q->done = cqe[k].wr_id;
	}
	return (int)n;
}

int pt_poll(struct pt_end *e, bool wait)
{
	return pt_poll_for(e, wait ? PT_SLEEP_MS : 0);
}
