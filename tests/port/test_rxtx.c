/* Frames at a DPDK port:
 * - A port that accepts few frames per burst loses no frame.
 * - A port that accepts no frame at all does not block work requests for ever.
 * - With configured loss, duplication, reordering and corruption all work requests succeed and
 *   every frame is counted.
 * - With configured tampering, wrong data arrives undetected.
 * - An adapter that talks to itself through many QPs processes all frames of a turn in the next. */
#include "rig.h"

#include <sched.h>

#include <rte_ethdev.h>
#include <rte_rcu_qsbr.h>

#include "nic/nic.h"
#include "port/handover.h"

#define LEN   100000u
#define DEPTH 32
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t *buf;
	uint32_t pd, lkey, rkey;
};

static struct end e[2];

static void open_pair(const char *path)
{
	for (unsigned i = 0; i < 2; i++) {
		e[i] = (struct end){.link = rig_open(path, i)};
		e[i].pd = rig_pd(e[i].link);
		e[i].cq = rig_cq(e[i].link, DEPTH);
		e[i].qp = rig_qp(e[i].link, e[i].pd, &e[i].cq, &e[i].cq, DEPTH);
		e[i].buf = calloc(1, 2 * LEN);
		rig_reg(e[i].link, e[i].pd, e[i].buf, 2 * LEN, ALL, &e[i].lkey, &e[i].rkey);
	}
	rig_connect(&e[0].qp, &e[1].qp, 0);
}

static void close_pair(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {e[i].qp.qpn, e[i].qp.gen}};
		assert_int_equal(rig_exec(e[i].link, &cmd, NULL), 0);
		rn_link_close(e[i].link);
		free(e[i].buf);
	}
}

/* Each adapter WRITEs into the second half of the other adapter's buffer, at the same time. */
static void exchange(unsigned rounds, uint32_t len)
{
	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < 2; i++) {
			for (uint32_t k = 0; k < len; k++)
				e[i].buf[k] = (uint8_t)(k * 7 + r * 31 + i);
			rig_post(&e[i].qp, RN_WQE_WRITE, r, e[i].buf, len, e[i].lkey,
				 (uintptr_t)e[!i].buf + LEN, e[!i].rkey);
		}
		for (unsigned i = 0; i < 2; i++) {
			struct rn_cqe cqe = rig_wait(&e[i].cq);
			assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
			assert_int_equal(cqe.wr_id, r);
		}
		assert_memory_equal(e[0].buf, e[1].buf + LEN, len);
		assert_memory_equal(e[1].buf, e[0].buf + LEN, len);
	}
}

static uint16_t few(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n, void *arg)
{
	static const uint8_t taken[] = {0, 3, 1, 0, 0, 2, 1, 3};
	uint16_t k = taken[(*(unsigned *)arg)++ % sizeof(taken)];

	return k < n ? k : n;
}

static uint16_t none(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n, void *arg)
{
	return 0;
}

/* Installs `how` as TX callback on every DPDK port; the callback limits the frames per burst. `how`
 * = NULL removes the callback. Every callback must be removed, because DPDK keeps it for the next
 * port with the same number. */
static void throttle(rte_tx_callback_fn how)
{
	static const struct rte_eth_rxtx_callback *installed[RTE_MAX_ETHPORTS];
	static unsigned calls[RTE_MAX_ETHPORTS];
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
	{
		if (how != NULL) {
			installed[port] = rte_eth_add_tx_callback(port, 0, how, &calls[port]);
			assert_non_null(installed[port]);
		} else {
			assert_int_equal(rte_eth_remove_tx_callback(port, 0, installed[port]), 0);
		}
	}
}

static void loses_nothing_to_a_slow_port(void **state)
{
	static const char *const policies[] = {"adaptive", "inline"};

	for (unsigned p = 0; p < 2; p++) {
		char more[64];
		snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policies[p]);
		open_pair(rig_pair(1, 1500, more));
		throttle(few);
		exchange(10, LEN);
		for (unsigned i = 0; i < 2; i++) {
			assert_true(rig_stat(e[i].link, "port_tx_full") > 0);
			/* Wait until all sent bytes have arrived, the last ACK included. */
			for (unsigned k = 0;
			     k < 20000 && rig_stat(e[i].link, "port_tx_bytes") !=
						  rig_stat(e[!i].link, "port_rx_bytes");
			     k++) {
				struct rn_cqe none;
				assert_false(rig_poll(&e[i].cq, &none, 1));
			}
			assert_int_equal(rig_stat(e[i].link, "port_tx_bytes"),
					 rig_stat(e[!i].link, "port_rx_bytes"));
			assert_int_equal(rig_stat(e[i].link, "verdict_REQ_GAP"), 0);
		}
		throttle(NULL);
		close_pair();
	}
}

/* When a DPDK port has accepted no frame for a second, the adapter discards the frames for this
 * port. So work requests time out and do not wait for ever. When the port works again, new
 * connections work. */
static void gives_up_on_a_dead_port(void **state)
{
	open_pair(rig_pair(1, 1500, ""));
	exchange(2, LEN / 4);
	assert_int_equal(rig_stat(e[0].link, "port_tx_discarded"), 0);
	throttle(none);
	rig_post(&e[0].qp, RN_WQE_WRITE, 9, e[0].buf, 64, e[0].lkey, (uintptr_t)e[1].buf + LEN,
		 e[1].rkey);
	assert_int_equal(rig_wait(&e[0].cq).status, RN_STATUS_RETRY_EXC_ERR);
	assert_true(rig_stat(e[0].link, "port_tx_discarded") > 0);
	throttle(NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {e[i].qp.qpn, e[i].qp.gen}};
		assert_int_equal(rig_exec(e[i].link, &cmd, NULL), 0);
		e[i].qp = rig_qp(e[i].link, e[i].pd, &e[i].cq, &e[i].cq, DEPTH);
	}
	rig_connect(&e[0].qp, &e[1].qp, 0);
	exchange(2, LEN / 4);
	close_pair();
}

static void survives_a_bad_network(void **state)
{
	open_pair(rig_pair(
		1, 1500,
		"impair = { loss = 1.0; dup = 2.0; reorder = 1.0; corrupt = 1.0; delay_us = 20; seed = 5; };\n"
		"timers = { rto_floor_us = 200; rto_initial_us = 1000; };"));
	exchange(20, LEN / 4);
	uint64_t bad = 0, refused = 0;
	for (unsigned i = 0; i < 2; i++) {
		assert_true(rig_stat(e[i].link, "port_impaired_lost") > 0);
		assert_true(rig_stat(e[i].link, "port_impaired_dup") > 0);
		assert_true(rig_stat(e[i].link, "port_impaired_late") > 0);
		bad += rig_stat(e[i].link, "port_impaired_bad");
		refused += rig_stat(e[i].link, "rx_packets") - rig_stat(e[i].link, "verdict_OK");
	}
	assert_true(bad > 0);
	assert_true(refused > 0);
	close_pair();
}

/* Tampering changes one bit of each packet and computes the ICRC again. No packet is refused, and
 * every work request succeeds. The change is seen only when the data are compared. */
static void carries_changed_data(void **state)
{
	open_pair(rig_pair(1, 1500, "impair = { tamper = 100; seed = 5; };"));
	unsigned wrong = 0;
	for (uint32_t k = 0; k < LEN; k++)
		e[0].buf[k] = (uint8_t)(k * 7);
	rig_post(&e[0].qp, RN_WQE_WRITE, 1, e[0].buf, LEN, e[0].lkey, (uintptr_t)e[1].buf + LEN,
		 e[1].rkey);
	assert_int_equal(rig_wait(&e[0].cq).status, RN_STATUS_SUCCESS);
	for (uint32_t k = 0; k < LEN; k++)
		wrong += (unsigned)__builtin_popcount(e[0].buf[k] ^ e[1].buf[LEN + k]);
	assert_int_equal(wrong, (LEN + 1023) / 1024);
	assert_int_equal(rig_stat(e[0].link, "port_impaired_data"), wrong);
	assert_int_equal(rig_stat(e[1].link, "rx_packets"), rig_stat(e[1].link, "verdict_OK"));
	close_pair();
}

static void add_used(struct rte_mempool *pool, void *arg)
{
	if (strncmp(pool->name, "rn_pool", 7) == 0)
		*(unsigned *)arg += rte_mempool_in_use_count(pool);
}

static unsigned mbufs_in_use(void)
{
	unsigned used = 0;

	rte_mempool_walk(add_used, &used);
	return used;
}

/* The shards keep the mbufs of packets that arrive ahead of a lost one. When all work requests are
 * done, or the queue pairs are destroyed before, no mbuf is missing. The adapters still hold those
 * for the next bursts they send. */
static void no_mbuf_of_a_kept_packet_is_lost(void **state)
{
	static const char *const policies[] = {"adaptive", "inline"};

	for (unsigned run = 0; run < 4; run++) {
		char more[200];
		struct rn_cqe none;
		/* with 512 mbufs, half of the runs keep more packets than mbufs, and copy others */
		snprintf(more, sizeof(more),
			 "impair = { loss = 2.0; seed = %u; };\nidle = { policy = \"%s\"; };\n"
			 "limits = { mbufs = %u; port_ring = 256; };",
			 7 + run, policies[run % 2], run < 2 ? 512 : 4096);
		open_pair(rig_pair(1, 1500, more));
		exchange(20, LEN);
		for (unsigned i = 0; i < 2; i++) {
			struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP,
					     .qp = {e[i].qp.qpn, e[i].qp.gen}};
			assert_true(rig_stat(e[i].link, "rx_kept") > 0);
			/* some packets of this request are kept now */
			rig_post(&e[i].qp, RN_WQE_WRITE, 1, e[i].buf, LEN, e[i].lkey,
				 (uintptr_t)e[!i].buf + LEN, e[!i].rkey);
			rig_poll(&e[i].cq, &none, 1);
			assert_int_equal(rig_exec(e[i].link, &cmd, NULL), 0);
			/* on a busy machine the request is complete after all */
			rig_poll(&e[i].cq, &none, 0);
			e[i].qp = rig_qp(e[i].link, e[i].pd, &e[i].cq, &e[i].cq, DEPTH);
		}
		/* New connections run further turns of both shards. */
		rig_connect(&e[0].qp, &e[1].qp, 0);
		exchange(2, 1);
		rig_poll(&e[0].cq, &none, 20);
		rig_poll(&e[1].cq, &none, 20);
		assert_in_range(mbufs_in_use(), 1, 2 * 32);
		close_pair();
		assert_int_equal(mbufs_in_use(), 0);
	}
}

/* Packets whose frames another shard has received and handed over, and packets that the adapter has
 * looped back, are kept in their mbufs too. `own`: a QP of the first adapter talks to itself. */
static void exchange_over_shards(bool own)
{
	open_pair(rig_pair(
		2, 1500,
		"impair = { loss = 2.0; reorder = 2.0; dup = 2.0; delay_us = 20; seed = 3; };\n"
		"limits = { mbufs = 512; port_ring = 256; };"));
	struct rig_qp q = rig_qp(e[0].link, e[0].pd, &e[0].cq, &e[0].cq, DEPTH);

	if (own) {
		rig_connect(&q, &q, 0);
	} else {
		/* QPs come to the shards in turn. The peer is on the other shard. */
		struct rig_qp two[2] = {rig_qp(e[1].link, e[1].pd, &e[1].cq, &e[1].cq, DEPTH),
					rig_qp(e[1].link, e[1].pd, &e[1].cq, &e[1].cq, DEPTH)};
		rig_connect(&q, &two[two[0].qpn % 2 == q.qpn % 2], 0);
	}
	struct end *to = own ? &e[0] : &e[1];
	for (unsigned r = 0; r < 40; r++) {
		for (uint32_t k = 0; k < LEN; k++)
			e[0].buf[k] = (uint8_t)(k * 7 + r * 31);
		rig_post(&q, RN_WQE_WRITE, r, e[0].buf, LEN, e[0].lkey, (uintptr_t)to->buf + LEN,
			 to->rkey);
		assert_int_equal(rig_wait(&e[0].cq).status, RN_STATUS_SUCCESS);
		assert_memory_equal(e[0].buf, to->buf + LEN, LEN);
	}
	assert_true(rig_stat(to->link, "rx_kept") > 0);
	assert_true(rig_stat(to->link, own ? "port_loop_frames" : "port_handed_off") > 0);
	for (unsigned i = 0; i < 2; i++) {
		rn_link_close(e[i].link);
		free(e[i].buf);
	}
	assert_int_equal(mbufs_in_use(), 0);
}

static void kept_packets_of_other_ways(void **state)
{
	exchange_over_shards(false);
	exchange_over_shards(true);
}

/* Loses the first long frame, and all long frames after 40 others. */
static uint16_t lose_for_ever(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n,
			      uint16_t max, void *arg)
{
	unsigned *seen = arg;
	uint16_t left = 0;

	rn_handover_take(m, n);
	for (uint16_t i = 0; i < n; i++) {
		bool lost = m[i]->pkt_len > 1000 && (*seen == 0 || *seen > 40);

		*seen += m[i]->pkt_len > 1000;
		if (lost) {
			rn_handover_give(&m[i], 1);
			rte_pktmbuf_free(m[i]);
		} else {
			m[left++] = m[i];
		}
	}
	return left;
}

/* Lets adapter 1 keep some packets behind one that never comes. */
static void keep_some(void)
{
	const struct rte_eth_rxtx_callback *installed[RTE_MAX_ETHPORTS];
	static unsigned seen[RTE_MAX_ETHPORTS];
	uint16_t port;

	open_pair(rig_pair(1, 1500, ""));
	RTE_ETH_FOREACH_DEV(port)
	{
		seen[port] = 0;
		installed[port] = rte_eth_add_rx_callback(port, 0, lose_for_ever, &seen[port]);
		assert_non_null(installed[port]);
	}
	rig_post(&e[0].qp, RN_WQE_WRITE, 1, e[0].buf, LEN, e[0].lkey, (uintptr_t)e[1].buf + LEN,
		 e[1].rkey);
	for (unsigned k = 0; k < 5000 && rig_stat(e[1].link, "rx_kept") < 8; k++) {
		struct rn_cqe none;
		assert_false(rig_poll(&e[0].cq, &none, 1));
	}
	assert_true(rig_stat(e[1].link, "rx_kept") >= 8);
	RTE_ETH_FOREACH_DEV(port)
	assert_int_equal(rte_eth_remove_rx_callback(port, 0, installed[port]), 0);
}

/* An adapter is closed while its shard keeps the mbufs of packets. Then rn_rxtx_close() finds that
 * all of them have been given back. */
static void closes_with_kept_packets(void **state)
{
	keep_some();
	for (unsigned i = 2; i-- > 0;) {
		rn_link_close(e[i].link);
		free(e[i].buf);
	}
	assert_int_equal(mbufs_in_use(), 0);
}

/* Returns how many mbufs the shard keeps, when its thread sleeps. */
static unsigned mbufs_kept(struct rn_lcore *lc)
{
	while (atomic_exchange(&lc->turning, 1) != 0)
		sched_yield();
	unsigned n = lc->rxtx.nkept;
	atomic_store(&lc->turning, 0);
	return n;
}

/* A queue pair that is destroyed leaves its mbufs to other adapters, also while its own port has no
 * peer and so is not polled. */
static void gives_mbufs_back_without_a_peer(void **state)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
	struct rn_nic *nic;

	keep_some();
	nic = (struct rn_nic *)e[1].link;
	atomic_store(&nic->port->quiet, true);
	cmd.qp.qpn = e[1].qp.qpn;
	cmd.qp.gen = e[1].qp.gen;
	assert_int_equal(rig_exec(e[1].link, &cmd, NULL), 0);
	for (unsigned ms = 0; mbufs_kept(&nic->lcore[0]) > 0; ms++) {
		struct rn_cqe none;

		assert_in_range(ms, 0, 20000);
		rig_poll(&e[1].cq, &none, 1);
	}
	atomic_store(&nic->port->quiet, false);
	for (unsigned i = 0; i < 2; i++) {
		rn_link_close(e[i].link);
		free(e[i].buf);
	}
}

/* A turn may loop more frames back than a port delivers in one burst: here it answers the requests
 * of the turn before and sends as many new ones. A shard with this many QPs looks ahead. */
static void receives_more_looped_frames_than_a_burst(void **state)
{
	enum { QPS = 512, ROUNDS = 2 };
	static struct rig_qp qp[QPS];
	static uint8_t buf[2][QPS];
	struct rn_link *link = rig_open(rig_pair(1, 1500, "idle = { policy = \"inline\"; };"), 0);
	struct rn_lcore *lc = &((struct rn_nic *)link)->lcore[0];
	uint32_t pd = rig_pd(link), lkey, rkey;
	struct rig_cq cq = rig_cq(link, QPS * ROUNDS);
	unsigned most = 0;

	rig_reg(link, pd, buf, sizeof(buf), ALL, &lkey, &rkey);
	for (unsigned i = 0; i < QPS; i++) {
		qp[i] = rig_qp(link, pd, &cq, &cq, ROUNDS);
		rig_connect(&qp[i], &qp[i], 0);
		buf[0][i] = (uint8_t)(i * 7 + 1);
	}
	/* This thread alone runs the shard, and all work requests are posted before its next
	 * turn. */
	while (atomic_exchange(&lc->turning, 1) != 0)
		sched_yield();
	rte_rcu_qsbr_thread_online(lc->qsbr, lc->index);
	for (unsigned k = 0; k < QPS * ROUNDS; k++)
		rig_post(&qp[k % QPS], RN_WQE_WRITE, k, &buf[0][k % QPS], 1, lkey,
			 (uintptr_t)&buf[1][k % QPS], rkey);
	for (unsigned k = 0; k < QPS * ROUNDS;) {
		struct rn_cqe cqe;

		rn_lcore_turn(lc);
		most = lc->rxtx.nloop > most ? lc->rxtx.nloop : most;
		for (; rig_poll(&cq, &cqe, 0); k++)
			assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
	}
	assert_true(most > RN_BURST_MAX);
	assert_memory_equal(buf[0], buf[1], QPS);
	rte_rcu_qsbr_thread_offline(lc->qsbr, lc->index);
	atomic_store(&lc->turning, 0);
	rn_link_close(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loses_nothing_to_a_slow_port),
		cmocka_unit_test(gives_up_on_a_dead_port),
		cmocka_unit_test(survives_a_bad_network),
		cmocka_unit_test(carries_changed_data),
		cmocka_unit_test(no_mbuf_of_a_kept_packet_is_lost),
		cmocka_unit_test(kept_packets_of_other_ways),
		cmocka_unit_test(closes_with_kept_packets),
		cmocka_unit_test(gives_mbufs_back_without_a_peer),
		cmocka_unit_test(receives_more_looped_frames_than_a_burst),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
