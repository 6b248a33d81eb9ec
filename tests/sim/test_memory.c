/* The memory of a work request goes away: a region is deregistered and its memory freed, or its
 * pages begin to fault. The tests do this at every stage of SEND, WRITE and READ, on both sides.
 * The table below gives the required status. The sanitizer checks that freed memory is not
 * accessed. Accesses to faulting memory are counted: if the work request succeeds, there must be
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "balance.h"
#include "sim.h"

#define BYTES 5000u /* length of the message: five packets of 1024 bytes */

/* Which memory goes away.
 * - SOURCE: at the requester, the data of a SEND or WRITE;
 * - SINK: at the requester, the target of a READ;
 * - TARGET: at the peer, the memory that a WRITE or READ names;
 * - RECEIVE: at the peer, the buffer of a posted receive. */
enum role { SOURCE, SINK, TARGET, RECEIVE };
enum moment {
	UNSENT,	     /* the work request is posted, no packet was sent */
	PARTLY,	     /* one packet of five was sent */
	SENT,	     /* all packets were sent, none of them has arrived */
	ARRIVED,     /* all packets have arrived, no answer was sent */
	FIRST_IN,    /* the first packet of five has arrived */
	ANSWERING,   /* one packet of the answer was sent */
	LOST,	     /* all packets were lost and will be retransmitted */
	RNR_WAIT,    /* the peer had no receive posted, the requester waits (RNR) */
	ANSWER_LOST, /* the answer was lost, all packets will be retransmitted */
};

/* clang-format off */
static const struct stage {
	const char *name;
	enum rn_wqe_kind kind;
	enum role role;
	enum moment moment;
	uint8_t status;      /* expected status of the work request */
	uint8_t recv_status; /* expected status of the receive; 255 = it does not complete */
} stages[] = {
	{"source unsent", RN_WQE_SEND, SOURCE, UNSENT, RN_STATUS_LOC_PROT_ERR, 255},
	{"source partly sent", RN_WQE_SEND, SOURCE, PARTLY, RN_STATUS_LOC_PROT_ERR, 255},
	{"source of a WRITE partly sent", RN_WQE_WRITE, SOURCE, PARTLY, RN_STATUS_LOC_PROT_ERR, 255},
	{"source in flight", RN_WQE_SEND, SOURCE, SENT, RN_STATUS_SUCCESS, RN_STATUS_SUCCESS},
	{"source of a WRITE in flight", RN_WQE_WRITE, SOURCE, SENT, RN_STATUS_SUCCESS, 255},
	{"source awaiting retransmission", RN_WQE_SEND, SOURCE, LOST, RN_STATUS_LOC_PROT_ERR, 255},
	{"source in an RNR wait", RN_WQE_SEND, SOURCE, RNR_WAIT, RN_STATUS_LOC_PROT_ERR, 255},
	{"source whose ACK was lost", RN_WQE_WRITE, SOURCE, ANSWER_LOST, RN_STATUS_LOC_PROT_ERR, 255},
	{"sink before the request", RN_WQE_READ, SINK, UNSENT, RN_STATUS_LOC_PROT_ERR, 255},
	{"sink awaiting data", RN_WQE_READ, SINK, SENT, RN_STATUS_LOC_PROT_ERR, 255},
	{"sink with a part of the data", RN_WQE_READ, SINK, ANSWERING, RN_STATUS_LOC_PROT_ERR, 255},
	{"target of a WRITE in flight", RN_WQE_WRITE, TARGET, SENT, RN_STATUS_REM_ACCESS_ERR, 255},
	{"target of a WRITE half arrived", RN_WQE_WRITE, TARGET, FIRST_IN, RN_STATUS_REM_ACCESS_ERR, 255},
	{"target of a WRITE not acknowledged", RN_WQE_WRITE, TARGET, ARRIVED, RN_STATUS_SUCCESS, 255},
	{"target of a WRITE sent again as a duplicate", RN_WQE_WRITE, TARGET, ANSWER_LOST, RN_STATUS_SUCCESS, 255},
	{"target of a READ in flight", RN_WQE_READ, TARGET, SENT, RN_STATUS_REM_ACCESS_ERR, 255},
	{"target of a READ taken, unanswered", RN_WQE_READ, TARGET, ARRIVED, RN_STATUS_REM_ACCESS_ERR, 255},
	{"target of a READ being answered", RN_WQE_READ, TARGET, ANSWERING, RN_STATUS_REM_ACCESS_ERR, 255},
	{"target of a READ to be answered again", RN_WQE_READ, TARGET, ANSWER_LOST, RN_STATUS_RETRY_EXC_ERR, 255},
	{"receive before the SEND", RN_WQE_SEND, RECEIVE, UNSENT, RN_STATUS_REM_OP_ERR, RN_STATUS_LOC_PROT_ERR},
	{"receive with a part of the SEND", RN_WQE_SEND, RECEIVE, FIRST_IN, RN_STATUS_REM_OP_ERR, RN_STATUS_LOC_PROT_ERR},
	{"receive that is complete", RN_WQE_SEND, RECEIVE, ARRIVED, RN_STATUS_SUCCESS, RN_STATUS_SUCCESS},
	{"receive of a duplicate", RN_WQE_SEND, RECEIVE, ANSWER_LOST, RN_STATUS_SUCCESS, RN_STATUS_SUCCESS},
};
/* clang-format on */

static struct {
	uint8_t *from, *to; /* every access to the bytes from `from` to `to` fails */
	unsigned faults, touches;
	uint8_t *block; /* region whose accesses `touches` counts; NULL = freed */
} mem;

static bool sound(const uint8_t *p, size_t n)
{
	mem.touches += mem.block && p >= mem.block && p < mem.block + BYTES;
	if (p + n <= mem.from || p >= mem.to)
		return true;
	mem.faults++;
	return false;
}

static bool gather(void *dst, const void *ptr, size_t n)
{
	return sound(ptr, n) && rn_mem_plain.gather(dst, ptr, n);
}

static bool gather_icrc(void *dst, const void *ptr, size_t n, uint32_t *icrc)
{
	return sound(ptr, n) && rn_mem_plain.gather_icrc(dst, ptr, n, icrc);
}

static bool place(void *ptr, const void *src, size_t n)
{
	return sound(ptr, n) && rn_mem_plain.place(ptr, src, n);
}

static bool cmp_swap(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	return sound(ptr, 8) && rn_mem_plain.cmp_swap(ptr, compare, swap, old);
}

static bool fetch_add(void *ptr, uint64_t add, uint64_t *old)
{
	return sound(ptr, 8) && rn_mem_plain.fetch_add(ptr, add, old);
}

static const struct rn_mem_ops faulty = {gather, place, cmp_swap, fetch_add, gather_icrc};

struct losing {
	bool lose[SIM_NODES];
};

static bool lose(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	return !((struct losing *)arg)->lose[from];
}

static void reach(struct sim *sim, struct losing *l, enum moment moment)
{
	switch (moment) {
	case UNSENT:
		break;
	case PARTLY:
		sim_send(sim, 0, 1);
		break;
	case SENT:
		sim_send(sim, 0, UINT32_MAX);
		break;
	case ARRIVED:
		sim_step(sim, sim->now + RN_US(10));
		break;
	case FIRST_IN:
		sim_send(sim, 0, 1);
		l->lose[0] = true; /* the other packets are lost and retransmitted later */
		sim_step(sim, sim->now + RN_US(10));
		break;
	case ANSWERING:
		sim_step(sim, sim->now + RN_US(10));
		sim_send(sim, 1, 1);
		break;
	case LOST:
		l->lose[0] = true;
		sim_run(sim, sim->now + RN_US(10));
		break;
	case RNR_WAIT:
		sim_run(sim, sim->now + RN_US(50));
		break;
	case ANSWER_LOST:
		l->lose[1] = true;
		sim_run(sim, sim->now + RN_US(50));
		break;
	}
	l->lose[0] = l->lose[1] = false;
}

struct region {
	uint8_t *ptr;
	uint32_t lkey, rkey;
	struct rn_mr_table *mrs;
};

static struct region make_region(struct sim *sim, unsigned node)
{
	struct region r = {.ptr = malloc(BYTES), .mrs = sim->node[node].mrs};
	struct rn_mr_attr a = {r.ptr, (uint64_t)(uintptr_t)r.ptr, BYTES, SIM_PD,
			       RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE |
				       RN_ACCESS_REMOTE_READ};
	assert_non_null(r.ptr);
	memset(r.ptr, 0x33, BYTES);
	assert_int_equal(rn_mr_add(r.mrs, &a, &r.lkey, &r.rkey), 0);
	mem.block = r.ptr;
	return r;
}

static void deregister(struct region *r)
{
	assert_int_equal(rn_mr_remove(r->mrs, r->lkey), 0);
	rn_mr_reclaim(r->mrs, r->lkey);
	free(r->ptr);
}

static void post(struct sim *sim, const struct stage *s, const struct region *r)
{
	uint64_t at = (uint64_t)(uintptr_t)r->ptr;
	struct sim_op recv = {.kind = RN_WQE_RECV, .length = BYTES, .local = 1 << 20};
	struct sim_op op = {
		.kind = s->kind, .flags = RN_WQE_SIGNALED, .length = BYTES, .remote = 2 << 20};
	if (s->role == RECEIVE) {
		recv.local = at - (uint64_t)(uintptr_t)sim->node[1].arena;
		recv.lkey = r->lkey;
	} else if (s->role == TARGET) {
		op.remote = at - (uint64_t)(uintptr_t)sim->node[1].arena;
		op.rkey = r->rkey;
	} else {
		op.local = at - (uint64_t)(uintptr_t)sim->node[0].arena;
		op.lkey = r->lkey;
	}
	if (s->kind == RN_WQE_SEND && s->moment != RNR_WAIT)
		sim_post(sim, 1, 0, &recv);
	sim_post(sim, 0, 0, &op);
}

static void run_stage(const struct stage *s, bool faulting)
{
	struct sim_spec spec;
	struct sim sim;
	struct losing l = {{0}};
	struct rn_cqe c;
	memset(&mem, 0, sizeof(mem));
	sim_spec_default(&spec);
	spec.mem = &faulty;
	spec.timeout = 8;
	spec.retry_cnt = 2;
	spec.min_rnr_timer = 8;
	sim_init(&sim, &spec);
	sim.filter = lose;
	sim.filter_arg = &l;
	sim_connect(&sim, 0);
	sim_settle(&sim); /* lets the first ARP and ND announcements pass */
	sim_run(&sim, sim.now + RN_MS(1));
	bool here = s->role == SOURCE || s->role == SINK;
	struct region r = make_region(&sim, here ? 0 : 1);
	post(&sim, s, &r);
	reach(&sim, &l, s->moment);
	unsigned touched = mem.touches;
	if (faulting) {
		mem.from = r.ptr;
		mem.to = r.ptr + BYTES;
	} else {
		mem.block = NULL; /* no longer counted: malloc() may reuse this memory */
		deregister(&r);
	}
	if (s->moment == RNR_WAIT)
		sim_post(&sim, 1, 0,
			 &(struct sim_op){.kind = RN_WQE_RECV, .length = BYTES, .local = 1 << 20});
	sim_run(&sim, sim.now + RN_S(1));
	bool good = s->status == RN_STATUS_SUCCESS;
	assert_true(sim_poll(&sim, 0, &c));
	assert_int_equal(c.status, s->status);
	assert_false(sim_poll(&sim, 0, &c));
	bool got = sim_poll(&sim, 1, &c) && c.status != RN_STATUS_WR_FLUSH_ERR;
	assert_int_equal(got && (good || c.status) ? c.status : 255, s->recv_status);
	/* Every access to the faulting memory must have failed. If the work request succeeds, no
	 * access may have happened. */
	if (faulting) {
		assert_int_equal(mem.touches - touched, mem.faults);
		assert_true(good ? mem.faults == 0 : mem.faults > 0);
		deregister(&r);
	}
	assert_int_equal(sim_balance(&sim, false, stderr), 0);
	assert_int_equal(sim_fini(&sim), 0);
}

static void test_deregistered(void **state)
{
	run_stage(*state, false);
}

static void test_faulting(void **state)
{
	run_stage(*state, true);
}

int main(void)
{
	static char names[2 * RN_ARRAY_SIZE(stages)][80];
	struct CMUnitTest tests[2 * RN_ARRAY_SIZE(stages)];
	for (unsigned i = 0; i < RN_ARRAY_SIZE(tests); i++) {
		const struct stage *s = &stages[i / 2];
		snprintf(names[i], sizeof(names[i]), "%s: %s", i & 1 ? "faulting" : "deregistered",
			 s->name);
		tests[i] = (struct CMUnitTest){names[i], i & 1 ? test_faulting : test_deregistered,
					       NULL, NULL, (void *)s};
	}
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
