/* What happens to a shard that sleeps under the adaptive policy.
 * - A producer is preempted in the middle of an enqueue. Once the producer goes on, the shard must
 *   soon take the work requests behind that enqueue.
 * - A command runs in the thread of the caller and wakes the shard's thread only if the command
 *   has started a timer. The signal mask of the caller stays as it was.
 * - On a port that waits for its first peer, the shard looks for frames no more often than on one
 *   that cannot wake it.
 * - On a memif port the frames of the peer wake the shard. A peer that does not signal its frames
 *   is heard too. A turn in another thread that takes frames wakes the shard. */
#include "rig.h"

#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "port/handover.h"
#include "nic/nic.h"

#define DEPTH 16
#define LEN   64

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t buf[LEN];
	uint32_t lkey, rkey;
};

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	uint32_t pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, 2 * DEPTH);
	e->qp = rig_qp(e->link, pd, &e->cq, &e->cq, DEPTH);
	rig_reg(e->link, pd, e->buf, LEN, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE, &e->lkey,
		&e->rkey);
}

static struct rte_ring *ring_of(struct end *e)
{
	struct rn_nic *nic = (struct rn_nic *)e->link;

	return nic->lcore[rn_qpn_shard(e->qp.qpn, nic->nshards)].submit.ring;
}

/* Starts an enqueue like rn_submit_put(), but returns as soon as the slot is reserved. A producer
 * that is preempted at this point leaves the ring in the same state. */
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

/* Posting a receive rings no doorbell. While the enqueue of a receive is unfinished, the shard
 * cannot see the work requests behind that receive in the ring. So the shard finds nothing when
 * their doorbells ring, and must look again later without a doorbell. */
static void an_unfinished_receive_delays_no_request_for_long(void **state)
{
	const char *path = rig_pair(1, 4200, "idle = { policy = \"adaptive\"; spin_us = 50; };");
	struct rn_wqe nobodys = {.kind = RN_WQE_RECV, .slots = 1};
	struct rn_cqe cqe;
	struct end a, b;

	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	for (unsigned i = 0; i < 3; i++) {
		rig_post(&b.qp, RN_WQE_RECV, i, b.buf, LEN, b.lkey, 0, 0);
		usleep(20000); /* waits until both shards sleep */
		uint32_t head = begin_to_put(ring_of(&a));
		rig_post(&a.qp, RN_WQE_SEND, i, a.buf, LEN, a.lkey, 0, 0);
		usleep(20000); /* waits until the shard has woken and found no work request */
		go_on_to_put(ring_of(&a), head, &nobodys);
		assert_true(rig_poll(&b.cq, &cqe, 20000));
		assert_int_equal(cqe.wr_id, i);
		assert_int_equal(rig_wait(&a.cq).wr_id, i);
	}
	rn_link_close(a.link);
	rn_link_close(b.link);
}

/* With spin_us = 0 the shard's thread sleeps again after each wake-up. So it would sleep and wake
 * once for each command that it runs itself. */
static void a_command_to_a_sleeping_shard_runs_in_the_callers_thread(void **state)
{
	const char *path = rig_pair(1, 4200, "idle = { policy = \"adaptive\"; spin_us = 0; };");
	struct end a;

	make_end(&a, path, 0);
	usleep(20000); /* waits until the shard sleeps */
	uint64_t calls = rig_stat(a.link, "lcore_calls"), rung = rig_stat(a.link, "lcore_rung");
	for (unsigned i = 0; i < 1000; i++) {
		struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP,
				     .qp = {.qpn = a.qp.qpn, .gen = a.qp.gen}};
		assert_int_equal(rig_exec(a.link, &cmd, NULL), 0);
	}
	/* The shard's thread counts a call only after the caller has gone on. */
	assert_in_range(rig_stat(a.link, "lcore_calls") - calls, 999, 1000);
	assert_in_range(rig_stat(a.link, "lcore_rung") - rung, 0, 100);
	rn_link_close(a.link);
}

/* A CM_CONNECT to an address that no host has starts the timer for probes of the address. The
 * shard's thread sleeps without limit, so only the caller can tell it of the timer. */
static void a_timer_started_by_the_callers_thread_expires_in_time(void **state)
{
	const char *path = rig_pair(1, 4200,
				    "idle = { policy = \"adaptive\"; spin_us = 0; };\n"
				    "timers = { neigh_retry_ms = 10; neigh_probes = 3; };");
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT, .user = 7};
	uint64_t until = rig_now_ns() + 20000000000u;
	struct rn_event ev = {0};
	struct end a;

	make_end(&a, path, 0);
	cmd.cm.local = cmd.cm.peer = a.qp.info.gids[0];
	cmd.cm.peer.b[15] = 77;
	cmd.cm.peer_port = 1;
	cmd.cm.param = (struct rn_cm_param){.qpn = a.qp.qpn};
	usleep(20000); /* waits until the shard sleeps */
	assert_int_equal(rig_exec(a.link, &cmd, NULL), 0);
	while (ev.kind != RN_EVENT_CM_UNREACHABLE && rig_now_ns() < until)
		a.link->ops->wait(a.link, &ev, 1, 1000);
	assert_int_equal(ev.kind, RN_EVENT_CM_UNREACHABLE);
	rn_link_close(a.link);
}

/* A thread that runs a command itself unblocks SIGSEGV and SIGBUS for that time. The thread must
 * have its own signal mask again afterwards, also if the shard was awake and ran the command. */
static void commands_to_a_shard_keep_the_signal_mask(void **state)
{
	static const char *const idle[] = {
		/* The shard sleeps. */
		"idle = { policy = \"adaptive\"; spin_us = 0; };",
		/* The shard is awake. */
		"idle = { policy = \"adaptive\"; spin_us = 1000000; };",
	};
	sigset_t faults, before, after;

	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	for (unsigned k = 0; k < RN_ARRAY_SIZE(idle); k++) {
		const char *path = rig_pair(1, 4200, idle[k]);
		struct end a;

		make_end(&a, path, 0);
		pthread_sigmask(SIG_BLOCK, &faults, &before);
		for (unsigned i = 0; i < 100; i++) {
			struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP,
					     .qp = {.qpn = a.qp.qpn, .gen = a.qp.gen}};
			assert_int_equal(rig_exec(a.link, &cmd, NULL), 0);
			pthread_sigmask(SIG_BLOCK, NULL, &after);
			assert_int_equal(sigismember(&after, SIGSEGV), 1);
			assert_int_equal(sigismember(&after, SIGBUS), 1);
		}
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		rn_link_close(a.link);
	}
}

/* Returns how often the shards of two ends sleep, or of one if b is NULL. */
static uint64_t sleeps_of(struct rn_link *a, struct rn_link *b)
{
	return rig_stat(a, "lcore_sleeps") + (b != NULL ? rig_stat(b, "lcore_sleeps") : 0);
}

/* The shards sleep at least twice, but on average not more often than once in `ms_between`. On a
 * busy machine the shards may not get a CPU for a while, so they are observed for 600 ms, and again
 * if they have slept less than twice. */
static void expect_few_sleeps(struct rn_link *a, struct rn_link *b, unsigned ms_between)
{
	uint64_t before = sleeps_of(a, b), since = rig_now_ns(), sleeps = 0, ms = 0;

	while (sleeps < 2 && ms < 20000) {
		usleep(600000);
		sleeps = sleeps_of(a, b) - before;
		ms = (rig_now_ns() - since) / 1000000;
	}
	assert_in_range(sleeps, 2, ms / ms_between);
}

/* A port without a peer takes no frame. The shard, which wants to announce its address, does not
 * look every 50 us for as long as that lasts, but every 100 ms. */
static void a_port_without_a_peer_is_looked_at_seldom(void **state)
{
	struct rn_link *link = rig_open(
		rig_config("adapters = ( { name = \"a\"; port = \"memif\"; role = \"server\";\n"
			   "  socket = \"@rn-sleep-%d\"; mac = \"02:00:00:00:00:01\";\n"
			   "  ipv4 = [ \"192.0.2.1/24\" ]; } );\n"
			   "eal = { hugepages = \"no\"; };\n",
			   (int)getpid()),
		0);

	usleep(300000);
	expect_few_sleeps(link, NULL, 25);
	rn_link_close(link);
}

/* Two adapters of this process, joined by memif. Both have a peer when the first message has
 * arrived. */
static void join_by_memif(struct end *a, struct end *b, unsigned shards)
{
	const char *path = rig_config(
		"adapters = ( { name = \"a\"; port = \"memif\"; role = \"server\"; shards = %u;\n"
		"  socket = \"@rn-bells-%d\"; mac = \"02:00:00:00:00:01\"; ipv4 = [ \"192.0.2.1/24\" ]; },\n"
		"  { name = \"b\"; port = \"memif\"; role = \"client\"; shards = %u;\n"
		"  socket = \"@rn-bells-%d\"; mac = \"02:00:00:00:00:02\"; ipv4 = [ \"192.0.2.2/24\" ]; } );\n"
		"idle = { policy = \"adaptive\"; };\n"
		"eal = { hugepages = \"no\"; };\n",
		shards, (int)getpid(), shards, (int)getpid());

	make_end(a, path, 0);
	make_end(b, path, 1);
	rig_connect(&a->qp, &b->qp, 0);
}

/* The target of a WRITE posts nothing, so only the frame can wake its shard. */
static void write_one(struct end *from, struct end *to)
{
	rig_post(&from->qp, RN_WQE_WRITE, 0, from->buf, LEN, from->lkey, (uintptr_t)to->buf,
		 to->rkey);
	assert_int_equal(rig_wait(&from->cq).status, RN_STATUS_SUCCESS);
}

static void part(struct end *a, struct end *b)
{
	rn_link_close(a->link);
	rn_link_close(b->link);
}

static void frames_wake_the_shards_of_a_memif_port(void **state)
{
	for (unsigned shards = 1; shards <= 2; shards++) {
		struct end a, b;

		join_by_memif(&a, &b, shards);
		write_one(&a, &b);
		write_one(&b, &a);
		usleep(300000);
		/* A pair of shards sleeps 12 times in 600 ms. If both shards looked for frames each
		 * millisecond, they would sleep 1,200 times. */
		expect_few_sleeps(a.link, b.link, 10 / shards);
		uint64_t before = rig_stat(b.link, "lcore_rung"), rung = 0;
		/* On a busy machine a shard may still be awake, and then needs no wake-up. */
		for (unsigned i = 0; i < 10 || (rung < 5 && i < 40); i++) {
			usleep(20000); /* waits until both shards sleep */
			write_one(&a, &b);
			rung = rig_stat(b.link, "lcore_rung") - before;
		}
		assert_in_range(rung, 5, 1000);
		part(&a, &b);
	}
}

static struct rn_lcore *lcore_of(struct end *e)
{
	return &((struct rn_nic *)e->link)->lcore[0];
}

/* Runs a poll iteration of a sleeping shard in this thread. Returns true if frames came. */
static bool turn_takes_frames(struct rn_lcore *lc)
{
	uint64_t before = lc->rxtx.stats.rx_frames;

	return atomic_load(&lc->wake.asleep) && rn_lcore_try_turn(lc) &&
	       lc->rxtx.stats.rx_frames != before;
}

/* A command runs in the thread of its caller, where the driver reads the eventfd that the peer has
 * written, so that it may no longer wake the shard. More frames may be left. The test gives the
 * shard an epoll instance without the eventfd, so that no frame wakes it. */
static void a_turn_with_frames_in_another_thread_wakes_the_shard(void **state)
{
	struct end a, b;
	bool taken = false;

	join_by_memif(&a, &b, 1);
	write_one(&a, &b);
	struct rn_lcore *lc = lcore_of(&b);
	int empty = epoll_create1(EPOLL_CLOEXEC);
	assert_int_equal(dup2(empty, lc->wake.fd), lc->wake.fd);
	close(empty);
	write_one(&a, &b); /* ends a sleep with the former instance */
	for (unsigned round = 0; round < 20 && !taken; round++) {
		usleep(20000); /* the first sleep, which is short, is over */
		uint64_t rung = lc->stats.rung;
		rig_post(&a.qp, RN_WQE_WRITE, 0, a.buf, LEN, a.lkey, (uintptr_t)b.buf, b.rkey);
		for (unsigned us = 0; us < 10000 && !taken; us += 10) {
			taken = turn_takes_frames(lc);
			usleep(10);
		}
		for (unsigned ms = 0; taken && lc->stats.rung == rung; ms++) {
			assert_in_range(ms, 0, 20000);
			usleep(1000);
		}
		assert_int_equal(rig_wait(&a.cq).status, RN_STATUS_SUCCESS);
	}
	assert_true(taken);
	part(&a, &b);
}

/* The test changes the flags of the ring back behind the shard's back. */
static void a_peer_that_does_not_signal_is_heard(void **state)
{
	struct end a, b;

	join_by_memif(&a, &b, 1);
	write_one(&a, &b);
	usleep(300000); /* waits until both shards sleep */
	_Atomic uint16_t *flags = atomic_load(&lcore_of(&b)->wake.flags);
	assert_non_null(flags);
	assert_int_equal(atomic_load(flags) & RN_WAKE_MASKED, 0);
	/* A frame that the shard finds before it sleeps does not count. */
	for (unsigned i = 0; i < 100 && lcore_of(&b)->unsignalled < 2; i++) {
		atomic_store(flags, RN_WAKE_MASKED);
		write_one(&a, &b);
		usleep(50000); /* waits until the shard sleeps again */
	}
	assert_int_equal(lcore_of(&b)->unsignalled, 2);
	/* Now the shard looks each millisecond, as on a port that cannot wake it. A shard that
	 * relies on the peer looks ten times a second. On a busy machine the shard may not get a
	 * CPU for a while, so the test needs one period in which the shard looks often. */
	uint64_t per_s = 0;
	for (unsigned i = 0; i < 60 && per_s < 100; i++) {
		uint64_t before = rig_stat(b.link, "lcore_sleeps"), since = rig_now_ns();
		usleep(300000);
		per_s = (rig_stat(b.link, "lcore_sleeps") - before) * 1000000000 /
			(rig_now_ns() - since);
	}
	assert_in_range(per_s, 100, 3300);
	/* The next frames are signalled, and the shard relies on the peer again. */
	for (unsigned i = 0; i < 100 && lcore_of(&b)->unsignalled > 0; i++) {
		usleep(20000);
		write_one(&a, &b);
	}
	assert_int_equal(lcore_of(&b)->unsignalled, 0);
	part(&a, &b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unfinished_receive_delays_no_request_for_long),
		cmocka_unit_test(a_command_to_a_sleeping_shard_runs_in_the_callers_thread),
		cmocka_unit_test(a_timer_started_by_the_callers_thread_expires_in_time),
		cmocka_unit_test(commands_to_a_shard_keep_the_signal_mask),
		cmocka_unit_test(a_port_without_a_peer_is_looked_at_seldom),
		cmocka_unit_test(frames_wake_the_shards_of_a_memif_port),
		cmocka_unit_test(a_turn_with_frames_in_another_thread_wakes_the_shard),
		cmocka_unit_test(a_peer_that_does_not_signal_is_heard),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
