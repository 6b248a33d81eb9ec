/* A poll iteration ("turn") of a shard without work only looks for new work: it reads no clock, but
 * finds everything that arrives. Every RN_CLOCKED_TURN-th turn is a whole one, so that timers
 * run. */
#include "rig.h"

#include <sched.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_rcu_qsbr.h>

#include "nic/nic.h"

#define LEN 8

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint64_t buf;
	uint32_t lkey, rkey;
};

static struct end a, b;

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	uint32_t pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, 32);
	e->qp = rig_qp(e->link, pd, &e->cq, &e->cq, 8);
	rig_reg(e->link, pd, &e->buf, LEN, RN_ACCESS_LOCAL_WRITE, &e->lkey, &e->rkey);
}

static struct rn_lcore *lcore_of(struct end *e)
{
	return &((struct rn_nic *)e->link)->lcore[0];
}

/* Opens two adapters and makes the test's thread the only one that runs the shard of adapter a. */
static struct rn_lcore *open_pair(void)
{
	const char *path = rig_pair(1, 4200, "idle = { policy = \"inline\"; };");

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	struct rn_lcore *lc = lcore_of(&a);
	while (atomic_exchange(&lc->turning, 1) != 0)
		sched_yield();
	rte_rcu_qsbr_thread_online(lc->qsbr, lc->index);
	return lc;
}

static void close_pair(struct rn_lcore *lc)
{
	rte_rcu_qsbr_thread_offline(lc->qsbr, lc->index);
	atomic_store(&lc->turning, 0);
	rn_link_close(a.link);
	rn_link_close(b.link);
}

/* Runs turns until a whole one has found nothing. */
static void calm_down(struct rn_lcore *lc)
{
	for (unsigned i = 0; lc->idle_left != RN_CLOCKED_TURN - 1; i++) {
		assert_in_range(i, 0, 100000);
		rn_lcore_turn(lc);
	}
}

static void turns_without_work_read_no_clock(void **state)
{
	struct rn_lcore *lc = open_pair();
	unsigned read = 0;

	calm_down(lc);
	for (unsigned i = 1; i <= 4 * RN_CLOCKED_TURN; i++) {
		rn_time before = lc->now;

		assert_int_equal(rn_lcore_turn(lc), 0);
		assert_int_equal(lc->now != before, i % RN_CLOCKED_TURN == 0);
		read += lc->now != before;
	}
	assert_int_equal(read, 4);
	close_pair(lc);
}

/* ---- a receive and its message that come between two steps of a turn ---- */

static eth_rx_burst_t driver_rx;
static bool met; /* the receive was posted and its message was sent */

/* Stands for a thread that is preempted before it asks the driver for frames. Meanwhile the program
 * posts a receive, and the peer sends the message for it. */
static uint16_t rx_after_a_pause(void *queue, struct rte_mbuf **m, uint16_t n)
{
	uint64_t before = lcore_of(&b)->rxtx.stats.tx_frames;

	if (!met) {
		met = true;
		rig_post(&a.qp, RN_WQE_RECV, 1, &a.buf, LEN, a.lkey, 0, 0);
		rig_post(&b.qp, RN_WQE_SEND, 2, &b.buf, LEN, b.lkey, 0, 0);
		for (unsigned i = 0; lcore_of(&b)->rxtx.stats.tx_frames == before; i++) {
			assert_in_range(i, 0, 100000);
			b.link->ops->progress(b.link);
		}
	}
	return driver_rx(queue, m, n);
}

/* A message finds the receive that was posted before the message was sent, whatever the turn does
 * in between: one turn takes both, in a whole turn and in one that begins as an idle turn. */
static void a_message_finds_a_receive_that_was_posted_before(void **state)
{
	struct rn_lcore *lc = open_pair();
	uint16_t id = lc->rxtx.port->id;
	struct rn_cqe cqe;

	driver_rx = rte_eth_fp_ops[id].rx_pkt_burst;
	for (unsigned idle = 0; idle < 2; idle++) {
		calm_down(lc);
		if (!idle)
			lc->idle_left = 0;
		met = false;
		rte_eth_fp_ops[id].rx_pkt_burst = rx_after_a_pause;
		assert_true(rn_lcore_turn(lc) > 0);
		rte_eth_fp_ops[id].rx_pkt_burst = driver_rx;
		assert_true(met);
		assert_true(rig_poll(&a.cq, &cqe, 0));
		assert_int_equal(cqe.wr_id, 1);
		assert_int_equal(cqe.status, 0);
	}
	close_pair(lc);
}

static void ran(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
}

/* A work request on the ring, a frame and a command make the next turn a whole one. */
static void the_next_turn_takes_new_work(void **state)
{
	struct rn_lcore *lc = open_pair();
	struct rn_call call = {.run = ran};
	struct rn_cqe cqe;

	calm_down(lc);
	rig_post(&a.qp, RN_WQE_RECV, 1, &a.buf, LEN, a.lkey, 0, 0);
	assert_true(rn_lcore_turn(lc) > 0);
	calm_down(lc);
	rig_post(&b.qp, RN_WQE_SEND, 2, &b.buf, LEN, b.lkey, 0, 0);
	for (unsigned ms = 0; lcore_of(&b)->rxtx.stats.tx_frames == 0; ms++) {
		assert_in_range(ms, 0, 100000);
		b.link->ops->progress(b.link);
	}
	for (unsigned i = 0; !rig_poll(&a.cq, &cqe, 0); i++) {
		assert_in_range(i, 0, 100000);
		rn_lcore_turn(lc);
	}
	assert_int_equal(cqe.wr_id, 1);
	calm_down(lc);
	rn_mailbox_post(&lc->mailbox, &call, &lc->submit);
	assert_true(rn_lcore_turn(lc) > 0);
	assert_true(rn_call_done(&call));
	close_pair(lc);
}

static uint64_t sent_before_call;

static void count_sent(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	sent_before_call = lc->rxtx.stats.tx_frames;
}

/* An ACK that is held back for the program's reply leaves before the next command runs, which may
 * destroy the QP. */
static void commands_run_after_the_replies_that_are_owed(void **state)
{
	struct rn_lcore *lc = open_pair();
	struct rn_call call = {.run = count_sent};
	struct rn_cqe cqe;

	rig_post(&a.qp, RN_WQE_RECV, 1, &a.buf, LEN, a.lkey, 0, 0);
	calm_down(lc);
	uint64_t before = lc->rxtx.stats.tx_frames;
	rig_post(&b.qp, RN_WQE_SEND, 2, &b.buf, LEN, b.lkey, 0, 0);
	for (unsigned i = 0; !rig_poll(&a.cq, &cqe, 0); i++) {
		assert_in_range(i, 0, 100000);
		b.link->ops->progress(b.link);
		rn_lcore_turn(lc);
	}
	assert_true(lc->acks_held);
	assert_int_equal(lc->rxtx.stats.tx_frames, before);
	rn_mailbox_post(&lc->mailbox, &call, &lc->submit);
	rn_lcore_turn(lc);
	assert_true(rn_call_done(&call));
	assert_int_equal(sent_before_call, before + 1);
	close_pair(lc);
}

/* A SEND that the peer does not acknowledge is sent again, although the shard is idle meanwhile. */
static void timers_run_while_the_shard_is_idle(void **state)
{
	struct rn_lcore *lc = open_pair(), *peer = lcore_of(&b);
	uint64_t before = rig_stat(a.link, "tx_packets"), until = rig_now_ns() + 20000000000u;

	while (atomic_exchange(&peer->turning, 1) != 0)
		sched_yield();
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	while (rig_stat(a.link, "tx_packets") < before + 2) {
		assert_true(rig_now_ns() < until);
		rn_lcore_turn(lc);
	}
	atomic_store(&peer->turning, 0);
	close_pair(lc);
}

/* A request that is sent at once looks at the timers when it has left, so that they run however
 * many requests and idle turns follow each other. */
static void timers_run_between_requests(void **state)
{
	struct rn_lcore *lc = open_pair();

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	calm_down(lc);
	atomic_store(&lc->turning, 0);
	usleep(100);
	rn_time before = lc->timers_seen;
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	assert_int_equal(lc->timers_seen, lc->now);
	assert_true(lc->timers_seen >= before + RN_US(100));
	close_pair(lc);
}

/* The timers have something sent again: the turn after the request is a whole one. */
static void timers_that_run_between_requests_are_heeded(void **state)
{
	struct rn_lcore *lc = open_pair(), *peer = lcore_of(&b);

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	while (atomic_exchange(&peer->turning, 1) != 0)
		sched_yield();
	atomic_store(&lc->turning, 0);
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	rn_time due = rn_shard_next(lc->shard);
	assert_true(due < lc->now + RN_S(10));
	do
		usleep(100);
	while (rn_clock_now(&lc->clock) < due);
	atomic_store(&lc->gathers, false);
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	assert_int_equal(lc->idle_left, 0);
	atomic_store(&peer->turning, 0);
	close_pair(lc);
}

/* A frame that the port did not take leaves in the first turn in which the port takes it. */
static void a_frame_left_over_is_not_idle(void **state)
{
	struct rn_lcore *lc = open_pair();
	struct rn_port *port = lc->rxtx.port;

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	calm_down(lc);
	atomic_store(&port->quiet, true);
	atomic_store(&lc->turning, 0);
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	assert_int_equal(lc->rxtx.nout, 1);
	assert_int_equal(atomic_exchange(&lc->turning, 1), 0);
	assert_int_equal(rn_lcore_turn(lc), 0);
	assert_int_equal(rn_lcore_turn(lc), 0);
	uint64_t before = lc->rxtx.stats.tx_frames;
	atomic_store(&port->quiet, false);
	rn_lcore_turn(lc);
	assert_int_equal(lc->rxtx.stats.tx_frames, before + 1);
	close_pair(lc);
}

/* Posts a SEND and returns how many frames have left by then. */
static uint64_t frames_after_a_post(struct rn_lcore *lc)
{
	rig_post(&a.qp, RN_WQE_SEND, 1, &a.buf, LEN, a.lkey, 0, 0);
	return lc->rxtx.stats.tx_frames;
}

static void the_first_request_after_a_poll_leaves_at_once(void **state)
{
	struct rn_lcore *lc = open_pair();

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	atomic_store(&lc->turning, 0);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t before = lc->rxtx.stats.tx_frames;

		atomic_store(&lc->gathers, false);
		uint64_t first = frames_after_a_post(lc);
		assert_true(first > before);
		assert_int_equal(frames_after_a_post(lc), first);
	}
	close_pair(lc);
}

static void a_full_burst_leaves_without_a_poll(void **state)
{
	struct rn_lcore *lc = open_pair();

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	atomic_store(&lc->turning, 0);
	atomic_store(&lc->gathers, true);
	lc->gathered = lc->rxtx.burst - 4; /* four requests more fill the burst */
	uint64_t before = lc->rxtx.stats.tx_frames;
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(frames_after_a_post(lc), before);
	assert_int_equal(frames_after_a_post(lc), before + 4);
	close_pair(lc);
}

/* The shard is short of mbufs when the pool and its own cache have none. Those in the cache of
 * another lcore id do not help it. */
static void mbufs_of_other_caches_do_not_count(void **state)
{
	struct rn_lcore *lc = open_pair();
	struct rte_mempool *pool = lc->rxtx.port->pool;
	struct rte_mempool_cache *other =
		rte_mempool_default_cache(pool, lc->rxtx.lcore_id == 0 ? 1 : 0);
	void **m = calloc(pool->size, sizeof(*m));
	unsigned n = 0, put = 2 * lc->rxtx.burst;

	rn_progress_stop(&((struct rn_nic *)a.link)->progress);
	assert_non_null(other);
	assert_false(rn_rxtx_short(&lc->rxtx));
	rte_mempool_cache_flush(lc->rxtx.cache, pool);
	while (n < pool->size && rte_mempool_generic_get(pool, m + n, 1, NULL) == 0)
		n++;
	assert_true(n > put);
	assert_true(rn_rxtx_short(&lc->rxtx));
	rte_mempool_generic_put(pool, m + n - put, put, other);
	assert_true(rn_rxtx_short(&lc->rxtx));
	rte_mempool_generic_put(pool, m, n - put, NULL);
	assert_false(rn_rxtx_short(&lc->rxtx));
	rte_mempool_cache_flush(other, pool);
	free(m);
	close_pair(lc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_without_work_read_no_clock),
		cmocka_unit_test(the_next_turn_takes_new_work),
		cmocka_unit_test(a_message_finds_a_receive_that_was_posted_before),
		cmocka_unit_test(commands_run_after_the_replies_that_are_owed),
		cmocka_unit_test(timers_run_while_the_shard_is_idle),
		cmocka_unit_test(timers_run_between_requests),
		cmocka_unit_test(timers_that_run_between_requests_are_heeded),
		cmocka_unit_test(a_frame_left_over_is_not_idle),
		cmocka_unit_test(the_first_request_after_a_poll_leaves_at_once),
		cmocka_unit_test(a_full_burst_leaves_without_a_poll),
		cmocka_unit_test(mbufs_of_other_caches_do_not_count),
	};

	return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
