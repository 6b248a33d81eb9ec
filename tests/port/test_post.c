/* Under the inline policy a work request goes straight into the queue of its QP if the posting
 * thread can run the shard at once, and else through the submission ring. No work request is lost,
 * doubled or overtaken when threads post in both ways at once, singly or in lists. */
#include "rig.h"

#include <pthread.h>
#include <sched.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "port/handover.h"
#include "nic/nic.h"

#define LEN	8
#define SENDERS 3
#define TAKERS	2
#define SHARE	16 /* work requests that one thread has outstanding at most */
#define EACH	12000u
#define LIST	7 /* most work requests of a list of the threads */

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp, second;
	uint64_t buf[4 * SHARE];
	uint32_t lkey, rkey;
};

static struct end a, b;

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	uint32_t pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, 16 * SHARE);
	e->qp = rig_qp(e->link, pd, &e->cq, &e->cq, 4 * SHARE);
	e->second = rig_qp(e->link, pd, &e->cq, &e->cq, 4 * SHARE);
	rig_reg(e->link, pd, e->buf, sizeof(e->buf), RN_ACCESS_LOCAL_WRITE, &e->lkey, &e->rkey);
}

static void open_pair_with(const char *policy)
{
	char more[64];
	const char *path;

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policy);
	path = rig_pair(1, 4200, more);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	rig_connect(&a.second, &b.second, 0);
}

static void open_pair(void)
{
	open_pair_with("inline");
}

static void close_pair(void)
{
	rn_link_close(a.link);
	rn_link_close(b.link);
}

static void post(struct end *e, enum rn_wqe_kind kind, uint64_t wr_id, unsigned slot)
{
	rig_post(&e->qp, kind, wr_id, &e->buf[slot], LEN, e->lkey, 0, 0);
}

#define NO_WRONG_KEY 99u
static unsigned wrong_key = NO_WRONG_KEY; /* the place in a list that gets a wrong key */

/* Posts a list of n work requests, each with the next wr_id and memory slot. */
static void post_list(struct end *e, struct rig_qp *q, enum rn_wqe_kind kind, uint64_t wr_id,
		      unsigned slot, unsigned n)
{
	_Alignas(RN_SLOT_BYTES) struct rn_wqe w[RN_LINK_LIST_SLOTS] = {0};
	uint32_t shard = q->link->ops->shard_of(q->link, q->qpn);

	for (unsigned i = 0; i < n; i++)
		w[i] = (struct rn_wqe){
			.kind = (uint8_t)kind,
			.slots = 1,
			.flags = RN_WQE_SIGNALED,
			.qpn = q->qpn,
			.qp_gen = q->gen,
			.num_sge = 1,
			.wr_id = wr_id + i,
			.length = LEN,
			.sge = {{(uintptr_t)&e->buf[slot + i], LEN,
				 e->lkey ^ (i == wrong_key ? 0x5500 : 0)}},
		};
	if (!q->link->ops->submit_list(q->link, shard, w, n))
		q->link->ops->doorbell(q->link, shard);
}

/* ---- one thread ---- */

static struct rn_lcore *lcore_of(struct end *e)
{
	return &((struct rn_nic *)e->link)->lcore[0];
}

/* Keeps every other thread from running the shard. */
static void hold_shard(struct rn_lcore *lc)
{
	while (atomic_exchange(&lc->turning, 1) != 0)
		sched_yield();
}

static void release_shard(struct rn_lcore *lc)
{
	atomic_store(&lc->turning, 0);
}

static void expect_in_order(struct end *e, uint64_t first, uint64_t last)
{
	for (uint64_t id = first; id <= last; id++) {
		struct rn_cqe cqe = rig_wait(&e->cq);

		assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
		assert_int_equal(cqe.wr_id, id);
	}
}

static void a_lone_post_goes_past_the_ring(void **state)
{
	open_pair();
	struct rn_submit *ring = &lcore_of(&a)->submit;
	uint32_t before = rn_submit_position(ring);

	post(&b, RN_WQE_RECV, 1, 0);
	/* the progress thread may hold the shard's lock for a moment */
	for (unsigned i = 0; i < 4; i++)
		post(&a, RN_WQE_RECV, i, 0);
	post(&a, RN_WQE_SEND, 1, 0);
	assert_in_range(rn_submit_position(ring) - before, 0, 4);
	expect_in_order(&b, 1, 1);
	expect_in_order(&a, 1, 1);
	close_pair();
}

/* While another thread runs the shard, work requests go through the ring. Work requests that are
 * posted behind them, when the shard is free again, do not overtake them. */
static void a_post_waits_for_earlier_posts_on_the_ring(void **state)
{
	open_pair();
	struct rn_lcore *lc = lcore_of(&a);

	for (unsigned round = 0; round < 50; round++) {
		uint32_t before = rn_submit_position(&lc->submit);

		for (unsigned i = 1; i <= 4; i++)
			post(&b, RN_WQE_RECV, i, i);
		hold_shard(lc);
		post(&a, RN_WQE_SEND, 1, 0);
		post(&a, RN_WQE_SEND, 2, 0);
		assert_int_equal(rn_submit_position(&lc->submit) - before, 2);
		release_shard(lc);
		post(&a, RN_WQE_SEND, 3, 0);
		post(&a, RN_WQE_SEND, 4, 0);
		expect_in_order(&a, 1, 4);
		expect_in_order(&b, 1, 4);
	}
	close_pair();
}

/* Starts an enqueue like rn_submit_put(), but returns as soon as the slot is reserved. */
static uint32_t begin_to_put(struct rte_ring *r)
{
	uint32_t head, room;

	assert_int_equal(__rte_ring_rts_move_prod_head(r, 1, RTE_RING_QUEUE_FIXED, &head, &room),
			 1);
	return head;
}

RN_HANDOVER_UNSEEN static void go_on_to_put(struct rte_ring *r, uint32_t head,
					    const struct rn_wqe *wqe)
{
	__rte_ring_enqueue_elems(r, head, wqe, RN_SLOT_BYTES, 1);
	__rte_ring_rts_update_tail(&r->rts_prod);
}

/* The unfinished enqueue of another thread hides a work request on the ring: the shard sees an
 * empty ring. A work request that is posted behind the hidden one does not overtake it. */
static void a_post_waits_for_hidden_posts_on_the_ring(void **state)
{
	struct rn_wqe nobodys = {.kind = RN_WQE_RECV, .slots = 1};
	struct rn_cqe cqe;

	open_pair();
	struct rn_lcore *lc = lcore_of(&a);

	for (unsigned i = 1; i <= 2; i++)
		post(&b, RN_WQE_RECV, i, i);
	uint32_t head = begin_to_put(lc->submit.ring);
	hold_shard(lc);
	post(&a, RN_WQE_SEND, 1, 0);
	release_shard(lc);
	assert_true(rn_submit_empty(&lc->submit));
	post(&a, RN_WQE_SEND, 2, 0);
	assert_false(rig_poll(&a.cq, &cqe, 20));
	go_on_to_put(lc->submit.ring, head, &nobodys);
	expect_in_order(&a, 1, 2);
	expect_in_order(&b, 1, 2);
	close_pair();
}

static void a_list_goes_past_the_ring(void **state)
{
	open_pair();
	struct rn_submit *ring = &lcore_of(&a)->submit;
	uint32_t before = rn_submit_position(ring), direct = 0;

	for (unsigned round = 0; round < 20; round++) {
		post_list(&b, &b.qp, RN_WQE_RECV, 1, 0, 12);
		before = rn_submit_position(ring);
		post_list(&a, &a.qp, RN_WQE_SEND, 1, 0, 12);
		direct += rn_submit_position(ring) == before;
		expect_in_order(&b, 1, 12);
		expect_in_order(&a, 1, 12);
	}
	/* the progress thread may hold the shard's lock for a moment */
	assert_in_range(direct, 1, 20);
	close_pair();
}

/* A list that does not get the shard goes through the ring in one piece, and one behind it does not
 * overtake it. */
static void a_list_waits_for_earlier_posts_on_the_ring(void **state)
{
	open_pair();
	struct rn_lcore *lc = lcore_of(&a);

	for (unsigned round = 0; round < 50; round++) {
		post_list(&b, &b.qp, RN_WQE_RECV, 1, 0, 9);
		uint32_t before = rn_submit_position(&lc->submit);
		hold_shard(lc);
		post_list(&a, &a.qp, RN_WQE_SEND, 1, 0, 5);
		assert_int_equal(rn_submit_position(&lc->submit) - before, 5);
		release_shard(lc);
		post_list(&a, &a.qp, RN_WQE_SEND, 6, 5, 4);
		expect_in_order(&a, 1, 9);
		expect_in_order(&b, 1, 9);
	}
	close_pair();
}

static void set_error(struct rig_qp *q)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP,
			     .modify_qp = {.qpn = q->qpn,
					   .gen = q->gen,
					   .mask = RN_QP_STATE,
					   .attr = {.state = RN_QPS_ERR}}};

	assert_int_equal(rig_exec(q->link, &cmd, NULL), 0);
}

/* In the error state the queues take nothing, so a list goes through the ring. Each of its work
 * requests is flushed once and in order. */
static void a_list_is_flushed_in_order(void **state)
{
	struct rn_cqe cqe;

	open_pair();
	set_error(&a.qp);
	for (unsigned round = 0; round < 2; round++) {
		post_list(&a, &a.qp, round ? RN_WQE_RECV : RN_WQE_SEND, 1, 0, 7);
		for (uint64_t id = 1; id <= 7; id++) {
			cqe = rig_wait(&a.cq);
			assert_int_equal(cqe.wr_id, id);
			assert_int_equal(cqe.status, RN_STATUS_WR_FLUSH_ERR);
		}
	}
	assert_false(rig_poll(&a.cq, &cqe, 0));
	assert_int_equal(rig_stat(a.link, "posts"), 14);
	close_pair();
}

/* If a front end posts more than the queue holds, which rn_client_qp_post_list() prevents, the
 * queue takes what it has room for, and the rest of the list is dropped. */
static void a_list_beyond_the_depth_is_dropped(void **state)
{
	struct rn_cqe cqe;

	open_pair();
	post_list(&a, &a.qp, RN_WQE_RECV, 1, 0, 30);
	post_list(&a, &a.qp, RN_WQE_RECV, 31, 0, 20);
	post_list(&a, &a.qp, RN_WQE_RECV, 51, 0, 30);
	set_error(&a.qp);
	for (uint64_t id = 1; id <= 4 * SHARE; id++) {
		cqe = rig_wait(&a.cq);
		assert_int_equal(cqe.wr_id, id);
		assert_int_equal(cqe.status, RN_STATUS_WR_FLUSH_ERR);
	}
	assert_false(rig_poll(&a.cq, &cqe, 0));
	assert_int_equal(rig_stat(a.link, "posts_dropped"), 80 - 4 * SHARE);
	close_pair();
}

/* A wrong key in the middle of a list fails its request, and the later ones are flushed. */
static void a_wrong_key_in_a_list_fails_its_request(void **state)
{
	struct rn_cqe cqe;

	open_pair();
	post_list(&b, &b.qp, RN_WQE_RECV, 1, 0, 6);
	wrong_key = 2;
	post_list(&a, &a.qp, RN_WQE_SEND, 1, 0, 5);
	wrong_key = NO_WRONG_KEY;
	expect_in_order(&a, 1, 2);
	cqe = rig_wait(&a.cq);
	assert_int_equal(cqe.wr_id, 3);
	assert_int_equal(cqe.status, RN_STATUS_LOC_PROT_ERR);
	for (uint64_t id = 4; id <= 5; id++) {
		cqe = rig_wait(&a.cq);
		assert_int_equal(cqe.wr_id, id);
		assert_int_equal(cqe.status, RN_STATUS_WR_FLUSH_ERR);
	}
	close_pair();
}

/* Shards with threads of their own take lists from the ring. */
static void other_policies_take_lists_from_the_ring(void **state)
{
	static const char *const policies[] = {"adaptive", "poll"};

	for (unsigned p = 0; p < 2; p++) {
		open_pair_with(policies[p]);
		struct rn_submit *ring = &lcore_of(&a)->submit;

		for (unsigned round = 0; round < 20; round++) {
			uint32_t before = rn_submit_position(ring);

			post_list(&b, &b.qp, RN_WQE_RECV, 1, 0, 30);
			post_list(&a, &a.qp, RN_WQE_SEND, 1, 0, 30);
			assert_int_equal(rn_submit_position(ring) - before, 30);
			expect_in_order(&b, 1, 30);
			expect_in_order(&a, 1, 30);
		}
		close_pair();
	}
}

/* The application posts more than it polls: the posts behind the first one wait for a burst to
 * fill, and the progress thread sends them if none fills. */
static void gathered_requests_leave_without_a_poll(void **state)
{
	open_pair();
	for (unsigned i = 1; i <= 8; i++)
		post(&b, RN_WQE_RECV, i, i);
	for (unsigned i = 1; i <= 8; i++)
		post(&a, RN_WQE_SEND, i, 0);
	for (unsigned ms = 0; atomic_load(&b.qp.shared->rq_retired) < 8; ms++) {
		struct timespec one = {.tv_nsec = 1000000};

		assert_in_range(ms, 0, 10000);
		nanosleep(&one, NULL);
	}
	expect_in_order(&a, 1, 8);
	expect_in_order(&b, 1, 8);
	close_pair();
}

/* ---- several threads ---- */

/* A thread that posts EACH work requests, with wr_ids index << 32 | 0, 1, 2... */
struct poster {
	struct end *end;
	struct rig_qp *qp;
	enum rn_wqe_kind kind;
	unsigned index;
	bool lists;	       /* posts up to LIST work requests at once */
	_Atomic uint32_t done; /* number of its work requests that have completed */
	uint32_t total;
	pthread_t thread;
};

static void *post_all(void *arg)
{
	struct poster *p = arg;

	for (uint32_t seq = 0, n; seq < p->total; seq += n) {
		unsigned slot = p->index * SHARE + seq % SHARE;
		uint64_t wr_id = (uint64_t)p->index << 32 | seq;

		n = p->lists ? 1 + seq % LIST : 1;
		if (n > SHARE - seq % SHARE)
			n = SHARE - seq % SHARE;
		if (n > p->total - seq)
			n = p->total - seq;
		while (seq + n - atomic_load_explicit(&p->done, memory_order_acquire) > SHARE)
			sched_yield();
		for (unsigned i = 0; i < n && p->kind == RN_WQE_SEND; i++)
			p->end->buf[slot + i] = wr_id + i;
		if (p->lists)
			post_list(p->end, p->qp, p->kind, wr_id, slot, n);
		else
			rig_post(p->qp, p->kind, wr_id, &p->end->buf[slot], LEN, p->end->lkey, 0,
				 0);
	}
	return NULL;
}

/* Checks that this completion is the next one of its thread. */
static void complete(struct poster *p, unsigned n, const struct rn_cqe *cqe)
{
	unsigned index = (unsigned)(cqe->wr_id >> 32);

	assert_int_equal(cqe->status, RN_STATUS_SUCCESS);
	assert_in_range(index, 0, n - 1);
	assert_int_equal((uint32_t)cqe->wr_id, atomic_load(&p[index].done));
}

/* SENDERS threads send to TAKERS threads over one QP; or, with `apart`, TAKERS threads send over a
 * QP each, whose receives one thread posts. */
static void threads_post(bool lists, bool apart)
{
	static struct poster sender[SENDERS], taker[TAKERS];
	const unsigned senders = apart ? TAKERS : SENDERS;
	const uint32_t each = lists ? EACH / 2 : EACH;
	uint32_t next[SENDERS] = {0}, left = 2 * senders * each;
	struct rn_cqe cqe;

	open_pair();
	for (unsigned i = 0; i < TAKERS; i++)
		taker[i] = (struct poster){.end = &b,
					   .qp = apart && i > 0 ? &b.second : &b.qp,
					   .kind = RN_WQE_RECV,
					   .index = i,
					   .lists = lists,
					   .total = senders * each / TAKERS};
	for (unsigned i = 0; i < senders; i++)
		sender[i] = (struct poster){.end = &a,
					    .qp = apart && i > 0 ? &a.second : &a.qp,
					    .kind = RN_WQE_SEND,
					    .index = i,
					    .lists = lists,
					    .total = each};
	for (unsigned i = 0; i < TAKERS; i++)
		assert_int_equal(pthread_create(&taker[i].thread, NULL, post_all, &taker[i]), 0);
	for (unsigned i = 0; i < senders; i++)
		assert_int_equal(pthread_create(&sender[i].thread, NULL, post_all, &sender[i]), 0);
	uint64_t until = rig_now_ns() + 60000000000u;
	while (left > 0) {
		assert_true(rig_now_ns() < until);
		for (; rig_poll(&b.cq, &cqe, 0); left--) {
			complete(taker, TAKERS, &cqe);
			struct poster *p = &taker[cqe.wr_id >> 32];
			uint64_t sent = b.buf[p->index * SHARE + (uint32_t)cqe.wr_id % SHARE];

			assert_in_range(sent >> 32, 0, SENDERS - 1);
			assert_int_equal((uint32_t)sent, next[sent >> 32]++);
			atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
		}
		for (; rig_poll(&a.cq, &cqe, 0); left--) {
			complete(sender, senders, &cqe);
			atomic_fetch_add_explicit(&sender[cqe.wr_id >> 32].done, 1,
						  memory_order_release);
		}
	}
	for (unsigned i = 0; i < senders; i++)
		pthread_join(sender[i].thread, NULL);
	for (unsigned i = 0; i < TAKERS; i++)
		pthread_join(taker[i].thread, NULL);
	assert_int_equal(rig_stat(a.link, "posts_dropped"), 0);
	assert_int_equal(rig_stat(b.link, "posts_dropped"), 0);
	close_pair();
}

static void threads_post_in_both_ways(void **state)
{
	threads_post(false, false);
}

static void threads_post_lists_to_one_qp(void **state)
{
	threads_post(true, false);
}

static void threads_post_lists_to_a_qp_each(void **state)
{
	threads_post(true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_post_goes_past_the_ring),
		cmocka_unit_test(a_post_waits_for_earlier_posts_on_the_ring),
		cmocka_unit_test(a_post_waits_for_hidden_posts_on_the_ring),
		cmocka_unit_test(a_list_goes_past_the_ring),
		cmocka_unit_test(a_list_waits_for_earlier_posts_on_the_ring),
		cmocka_unit_test(a_list_is_flushed_in_order),
		cmocka_unit_test(a_list_beyond_the_depth_is_dropped),
		cmocka_unit_test(a_wrong_key_in_a_list_fails_its_request),
		cmocka_unit_test(other_policies_take_lists_from_the_ring),
		cmocka_unit_test(gathered_requests_leave_without_a_poll),
		cmocka_unit_test(threads_post_in_both_ways),
		cmocka_unit_test(threads_post_lists_to_one_qp),
		cmocka_unit_test(threads_post_lists_to_a_qp_each),
	};

	return cmocka_run_group_tests_name("post", tests, NULL, NULL);
}
