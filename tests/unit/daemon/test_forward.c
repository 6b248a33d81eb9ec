/* Tests whose turn it is in the forwarding thread, with a wire and rings of clients that are
 * functions of this file. */
#include "../switch/bench.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_vhost.h>

#include "daemon/forward_priv.h"
#include "port/port.h"
#include "switch/peek.h"

#define WIRE_PORT 7u /* number of an ethdev that does not exist */
#define CLIENTS	  4u
#define BURST	  32u

/* ---- the wire ---- */

static unsigned wire_room; /* frames that it takes in one call */
static unsigned pause_ms;  /* calls in which it still takes none; time passes in them, 1 ms each */
static unsigned wanted;	   /* the test ends when so many have been sent */
static unsigned sent, sent_of[8];
static unsigned most_users; /* of an mbuf that the wire was given */
static sem_t finished;

static struct rn_forward *f;

/* Frames name their client in the lowest bits of the destination QPN. */
static uint16_t wire_tx(void *queue, struct rte_mbuf **m, uint16_t n)
{
	unsigned taken = RN_MIN(n, wire_room);
	struct rn_peek p;

	if (pause_ms > 0) {
		pause_ms--;
		f->cfg.clock.start += RN_MS(1);
		return 0;
	}
	for (unsigned i = 0; i < taken; i++) {
		rn_peek(rte_pktmbuf_mtod(m[i], const uint8_t *), rte_pktmbuf_data_len(m[i]), &p);
		if (p.kind == RN_PEEK_DATA && sent < wanted) {
			sent_of[p.dest_qpn & 7]++;
			most_users = RN_MAX(most_users, rte_mbuf_refcnt_read(m[i]));
			if (++sent == wanted)
				sem_post(&finished);
		}
		rte_pktmbuf_free(m[i]);
	}
	return (uint16_t)taken;
}

/* Turns of the thread, each of which asks the wire first; and the client that each of the first
 * ones has asked first, or 0. */
static unsigned turns, first_of[16];

static uint16_t wire_rx(void *queue, struct rte_mbuf **m, uint16_t n)
{
	turns++;
	return 0;
}

/* ---- the rings of clients, whose vhost devices have the clients' numbers ---- */

static uint8_t frame[CLIENTS + 1][256];
static unsigned frame_len;
static unsigned taken_of[RN_MAX_SHARDS]; /* frames by queue, until the test ends */
static unsigned more = UINT_MAX;	 /* frames that the clients have */

uint16_t __wrap_rte_vhost_dequeue_burst(int vid, uint16_t ring, struct rte_mempool *pool,
					struct rte_mbuf **m, uint16_t n);
uint16_t __wrap_rte_vhost_enqueue_burst(int vid, uint16_t ring, struct rte_mbuf **m, uint16_t n);
int __wrap_rte_vhost_get_vhost_vring(int vid, uint16_t ring, struct rte_vhost_vring *out);

uint16_t __wrap_rte_vhost_dequeue_burst(int vid, uint16_t ring, struct rte_mempool *pool,
					struct rte_mbuf **m, uint16_t n)
{
	uint16_t i = 0;

	n = (uint16_t)RN_MIN(n, more);
	if (turns > 0 && turns <= RN_ARRAY_SIZE(first_of) && first_of[turns - 1] == 0)
		first_of[turns - 1] = (unsigned)vid;
	for (; i < n && (m[i] = rte_pktmbuf_alloc(pool)) != NULL; i++)
		memcpy(rte_pktmbuf_append(m[i], (uint16_t)frame_len), frame[vid], frame_len);
	if (sent < wanted)
		taken_of[ring / 2] += i;
	if (more != UINT_MAX)
		more -= i;
	return i;
}

/* The clients of these tests take no frames. */
uint16_t __wrap_rte_vhost_enqueue_burst(int vid, uint16_t ring, struct rte_mbuf **m, uint16_t n)
{
	return 0;
}

int __wrap_rte_vhost_get_vhost_vring(int vid, uint16_t ring, struct rte_vhost_vring *out)
{
	return -1;
}

/* ---- the thread ---- */

static struct rn_port port;
static struct bench bench;

static void attach(struct rn_forward *fwd, void *arg, rn_time now)
{
	*(int *)arg = rn_switch_attach(rn_forward_switch(fwd), now);
	rn_forward_reset(fwd, (unsigned)*(int *)arg);
}

static const struct rn_gid group = {{[10] = 0xff, 0xff, 239, 1, 2, 3}};

static void join(struct rn_forward *fwd, void *arg, rn_time now)
{
	assert_int_equal(rn_switch_join(rn_forward_switch(fwd), CLIENTS, &group), 0);
}

static void begin(unsigned room, unsigned frames)
{
	struct rn_forward_cfg cfg = {.port = &port, .burst = BURST, .cpu = -1};
	struct rn_pkt p;
	int number;

	bench_start(&bench);
	cfg.sw = bench.cfg;
	cfg.sw.grace = 0;
	memset(&cfg.sw.former, 0, sizeof(cfg.sw.former));
	cfg.pool = rte_mempool_lookup("frames");
	rn_clock_init(&cfg.clock);
	for (unsigned c = 1; c <= CLIENTS; c++) {
		p = packet(OWN, PEER, 0x04 /* RC SEND only */, 0x100 + c);
		frame_len = rn_frame_build(&p, frame[c], sizeof(frame[c]));
	}
	port = (struct rn_port){.id = WIRE_PORT, .nrxq = 1, .ntxq = 1, .wake = rn_wake_row("")};
	wire_room = room;
	wanted = frames;
	sent = most_users = turns = 0;
	memset(first_of, 0, sizeof(first_of));
	memset(sent_of, 0, sizeof(sent_of));
	memset(taken_of, 0, sizeof(taken_of));
	sem_init(&finished, 0, 0);
	assert_int_equal(rn_forward_create(&f, &cfg), 0);
	for (unsigned c = 1; c <= CLIENTS; c++) {
		rn_forward_call(f, attach, &number);
		assert_int_equal(number, c);
	}
}

static void start_and_wait(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += 30;
	assert_int_equal(rn_forward_start(f), 0);
	assert_int_equal(sem_timedwait(&finished, &at), 0);
	rn_forward_stop(f);
}

static void end(void)
{
	for (unsigned c = 1; c <= CLIENTS; c++)
		rn_forward_unplug(f, c);
	rn_forward_destroy(f);
	bench_stop(&bench);
}

/* Lets the thread run until enough frames have been sent. */
static void run(void)
{
	start_and_wait();
	end();
}

/* One client of several may not take what the others would have got. */
static void assert_fair(const unsigned *of, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += of[i];
	for (unsigned i = 0; i < n; i++)
		assert_in_range(of[i], sum / n * 9 / 10, sum / n * 11 / 10);
}

/* ---- tests ---- */

/* The wire takes less than one client has: a turn ends when its queue is half full. */
static void a_slow_wire_serves_all_clients(void **state)
{
	begin(1, 20000);
	for (unsigned c = 1; c <= CLIENTS; c++)
		assert_int_equal(rn_forward_plug(f, c, (int)c, 1), 0);
	run();
	assert_fair(sent_of + 1, CLIENTS);
}

static void a_fast_wire_serves_all_clients(void **state)
{
	begin(1024, 20000);
	for (unsigned c = 1; c <= CLIENTS; c++)
		assert_int_equal(rn_forward_plug(f, c, (int)c, 1), 0);
	run();
	assert_fair(sent_of + 1, CLIENTS);
}

/* Returns how many frames are lost if the wire takes none for so long. The clock stands still
 * otherwise. */
static uint64_t lost_in_a_pause(unsigned ms)
{
	uint64_t lost;

	begin(1024, 20000);
	pause_ms = ms;
	f->cfg.clock.mult = 0;
	assert_int_equal(rn_forward_plug(f, 1, 1, 1), 0);
	start_and_wait();
	lost = rn_forward_stats(f, RN_SWITCH_WIRE)->tx_dropped;
	end();
	return lost;
}

/* The other end of the wire may wait for a CPU: a pause shorter than 100 ms loses nothing. */
static void a_pause_of_the_wire_loses_nothing(void **state)
{
	assert_int_equal(lost_in_a_pause(95), 0);
	assert_in_range(lost_in_a_pause(150), 1, UINT64_MAX);
}

/* Whoever is first in a turn gets what others may not get any more, such as buffers, or the last
 * place in the queue of a common receiver. */
static void all_clients_are_first_in_turn(void **state)
{
	begin(1024, 20000);
	for (unsigned c = 1; c <= CLIENTS; c++)
		assert_int_equal(rn_forward_plug(f, c, (int)c, 1), 0);
	run();
	for (unsigned i = 0; i < RN_ARRAY_SIZE(first_of); i++)
		assert_int_equal(first_of[i], 1 + i % CLIENTS);
}

static void numbers_that_are_not_used_have_no_turn(void **state)
{
	begin(1024, 20000);
	for (unsigned c = 2; c <= CLIENTS; c += 2)
		assert_int_equal(rn_forward_plug(f, c, (int)c, 1), 0);
	run();
	for (unsigned i = 0; i < RN_ARRAY_SIZE(first_of); i++)
		assert_int_equal(first_of[i], i % 2 == 0 ? 2 : 4);
}

/* Each queue of a client alone has more frames than a burst. */
static void all_queues_of_a_client_are_served(void **state)
{
	for (unsigned room = 1; room <= 1024; room += 1023) {
		begin(room, 20000);
		assert_int_equal(rn_forward_plug(f, 1, 1, 4), 0);
		run();
		assert_fair(taken_of, 4);
	}
}

/* A client with several queues gets no more than one with a single queue. */
static void queues_give_no_larger_share(void **state)
{
	begin(1, 20000);
	for (unsigned c = 1; c <= CLIENTS; c++)
		assert_int_equal(rn_forward_plug(f, c, (int)c, c), 0);
	run();
	assert_fair(sent_of + 1, CLIENTS);
}

/* A multicast that waits for a client is another mbuf than the one that the wire gets: the driver
 * of a card may give that one back to the pool without looking at its users. */
static void the_wire_gets_mbufs_of_its_own(void **state)
{
	struct rn_pkt p = packet(OWN, 0, 0x64 /* UD SEND only */, RN_MCAST_QPN);

	begin(1024, 200);
	p.dst = group;
	p.dmac[0] = 1;
	p.dmac[2] = 0x5e;
	p.dmac[5] = 0;
	p.src_qpn = qpn_of(1, 0);
	frame_len = rn_frame_build(&p, frame[1], sizeof(frame[1]));
	rn_forward_call(f, join, NULL);
	assert_int_equal(rn_forward_plug(f, 1, 1, 1), 0);
	assert_int_equal(rn_forward_plug(f, CLIENTS, CLIENTS, 1), 0);
	memcpy(frame[CLIENTS], frame[1], frame_len); /* refused: another client's QPN */
	run();
	assert_int_equal(most_users, 1);
}

/* Client 1 has put frames into its ring, and ends before the forwarding thread has a turn. */
static void the_last_frames_of_a_client_are_sent(void **state)
{
	begin(1024, 100);
	assert_int_equal(rn_forward_plug(f, 1, 1, 1), 0);
	more = 100;
	rn_forward_unplug(f, 1);
	assert_int_equal(more, 0);
	more = UINT_MAX;
	run();
	assert_int_equal(sent_of[1], 100);
}

static void take_one(struct rn_forward *fwd, void *arg, rn_time now)
{
	assert_int_equal(rn_forward_take(fwd, 1), BURST);
}

/* FLUSH and UNCLAIM give no larger share: client 1 is left out of the first turn. */
static void a_burst_taken_before_its_turn_is_counted(void **state)
{
	begin(1024, 20000);
	for (unsigned c = 1; c <= CLIENTS; c++)
		assert_int_equal(rn_forward_plug(f, c, (int)c, 1), 0);
	rn_forward_call(f, take_one, NULL);
	run();
	assert_int_equal(first_of[0], 2);
	assert_int_equal(first_of[CLIENTS], 1);
}

static int start_eal(void **state)
{
	char *argv[] = {"test_forward", "--no-huge", "--no-pci",       "--no-shconf",
			"-m",		"64",	     "--no-telemetry", "--log-level=lib.*:error"};
	static void *queue[1];

	if (rte_eal_init(RN_ARRAY_SIZE(argv), argv) < 0 ||
	    rte_pktmbuf_pool_create("frames", 8191, 0, 0, 2048, SOCKET_ID_ANY) == NULL)
		return -1;
	rte_eth_fp_ops[WIRE_PORT].tx_pkt_burst = wire_tx;
	rte_eth_fp_ops[WIRE_PORT].rx_pkt_burst = wire_rx;
	rte_eth_fp_ops[WIRE_PORT].txq.data = queue;
	rte_eth_fp_ops[WIRE_PORT].rxq.data = queue;
	return 0;
}

/* Every buffer must have come back. */
static int stop_eal(void **state)
{
	int left = (int)rte_mempool_in_use_count(rte_mempool_lookup("frames"));

	return rte_eal_cleanup() != 0 ? -1 : left;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_wire_serves_all_clients),
		cmocka_unit_test(a_fast_wire_serves_all_clients),
		cmocka_unit_test(a_pause_of_the_wire_loses_nothing),
		cmocka_unit_test(all_clients_are_first_in_turn),
		cmocka_unit_test(numbers_that_are_not_used_have_no_turn),
		cmocka_unit_test(all_queues_of_a_client_are_served),
		cmocka_unit_test(queues_give_no_larger_share),
		cmocka_unit_test(the_wire_gets_mbufs_of_its_own),
		cmocka_unit_test(the_last_frames_of_a_client_are_sent),
		cmocka_unit_test(a_burst_taken_before_its_turn_is_counted),
	};

	return cmocka_run_group_tests(tests, start_eal, stop_eal);
}
