/* Rows S (long runs) of docs/spec/rocev2.md, in virtual time. A mix of SENDs, WRITEs, READs and
 * atomics arrives intact over a link that loses, duplicates, reorders or delays frames. Every byte
 * is compared when its work request completes. Every completion comes once and in order. Late
 * packets change no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim.h"
#include "wire/stats.h"

/* Work request i uses area i % AREAS of the arena. A send queue holds fewer than AREAS work
 * requests. So the area's former work request has completed. */
#define AREAS 256u
#define BYTES 4096u
/* Offsets in the arenas of the nodes. */
#define OURS	0u	    /* node 0's arena: data of its SENDs and WRITEs */
#define THEIRS	(4u << 20)  /* node 1's arena: receive buffers and targets of WRITEs */
#define SOURCES (8u << 20)  /* node 1's arena: data that READs fetch */
#define RESULTS (12u << 20) /* node 0's arena: results of its READs and atomics */
#define COUNTER (15u << 20) /* node 1's arena: the word that the atomics change */

static const enum rn_wqe_kind kinds[] = {RN_WQE_SEND, RN_WQE_WRITE, RN_WQE_READ, RN_WQE_FETCH_ADD};

struct mixed {
	struct sim sim;
	uint32_t length;
	uint32_t posted, done, receives, received;
};

static uint32_t at(uint32_t base, uint32_t i)
{
	return base + i % AREAS * BYTES;
}

static bool is_send(uint32_t i)
{
	return kinds[i % 4] == RN_WQE_SEND;
}

static void pattern(uint8_t *p, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		p[k] = (uint8_t)((i * 40503u + k * 2654435761u) >> 11 | 1);
}

static void post_one(struct mixed *m)
{
	uint32_t i = m->posted++;
	struct sim_op op = {.kind = kinds[i % 4],
			    .flags = RN_WQE_SIGNALED,
			    .wr_id = i,
			    .length = m->length,
			    .local = at(OURS, i),
			    .remote = at(THEIRS, i),
			    .atomic = {1, 0}};

	if (op.kind == RN_WQE_READ || op.kind == RN_WQE_FETCH_ADD)
		op.local = at(RESULTS, i);
	if (op.kind == RN_WQE_READ) {
		op.remote = at(SOURCES, i);
		pattern(m->sim.node[1].arena + op.remote, m->length, i);
	} else if (op.kind == RN_WQE_FETCH_ADD) {
		op.remote = COUNTER;
		op.length = 8;
	} else {
		pattern(m->sim.node[0].arena + op.local, m->length, i);
	}
	sim_post(&m->sim, 0, 0, &op);
}

/* Checks the data that work request i has stored, then clears the memory that holds the data. */
static void check(struct mixed *m, uint32_t i)
{
	static const uint8_t none[BYTES];
	uint8_t expected[BYTES];
	bool fetched = kinds[i % 4] == RN_WQE_READ || kinds[i % 4] == RN_WQE_FETCH_ADD;
	uint8_t *area = fetched ? m->sim.node[0].arena + at(RESULTS, i)
				: m->sim.node[1].arena + at(THEIRS, i);
	uint32_t n = m->length;

	pattern(expected, n, i);
	if (kinds[i % 4] == RN_WQE_FETCH_ADD) {
		uint64_t before = i / 4;

		n = sizeof(before);
		memcpy(expected, &before, n);
	}
	assert_memory_equal(area, expected, n);
	assert_memory_equal(area + n, none, BYTES - n);
	memset(area, 0, BYTES);
}

static void look(struct mixed *m)
{
	struct rn_cqe c;

	while (sim_poll(&m->sim, 1, &c)) {
		assert_int_equal(c.status, RN_STATUS_SUCCESS);
		assert_int_equal(c.wr_id, m->received++ * 4);
		assert_int_equal(c.byte_len, m->length);
	}
	while (sim_poll(&m->sim, 0, &c)) {
		assert_int_equal(c.status, RN_STATUS_SUCCESS);
		assert_int_equal(c.wr_id, m->done);
		check(m, m->done++);
	}
}

static void begin(struct mixed *m, const struct sim_spec *spec, uint32_t length)
{
	memset(m, 0, sizeof(*m));
	sim_init(&m->sim, spec);
	sim_connect(&m->sim, 0);
	m->length = length;
}

/* Runs n work requests, or fewer if the time `until` comes first. Returns when all started work
 * requests have completed and no packet is in flight. */
static void run(struct mixed *m, uint32_t n, rn_time until)
{
	while (m->done < n) {
		while (m->receives < n && m->receives < m->done + 120) {
			if (is_send(m->receives))
				sim_post(&m->sim, 1, 0,
					 &(struct sim_op){.kind = RN_WQE_RECV,
							  .wr_id = m->receives,
							  .length = m->length,
							  .local = at(THEIRS, m->receives)});
			m->receives++;
		}
		while (m->posted < n && m->posted < m->done + 60)
			post_one(m);
		assert_true(sim_step(&m->sim, RN_S(100000)));
		look(m);
		if (m->sim.now > until)
			n = m->receives < n ? m->receives : n;
	}
	sim_run(&m->sim, m->sim.now + RN_S(1));
	look(m);
	assert_int_equal(m->done, n);
	assert_int_equal(m->received, (n + 3) / 4);
}

static void end(struct mixed *m)
{
	for (uint32_t i = 0; i < AREAS * BYTES; i++)
		assert_true(m->sim.node[0].arena[RESULTS + i] == 0 &&
			    m->sim.node[1].arena[THEIRS + i] == 0);
	for (unsigned i = 0; i < SIM_NODES; i++)
		assert_int_equal(atomic_load(&m->sim.node[i].qp[0].shared->state), RN_QPS_RTS);
	assert_int_equal(sim_fini(&m->sim), 0);
}

/* ---- rows S (long runs) of docs/spec/rocev2.md ---- */

struct loser {
	unsigned from, nth, seen;
};

static bool lose_nth(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct loser *l = arg;

	return pkt->kind != RN_PKT_IB || from != l->from || l->seen++ != l->nth;
}

static void wire_row_S1_each_packet_lost_once(void **state)
{
	static struct mixed m;
	struct sim_spec spec;
	unsigned frames[SIM_NODES];

	sim_spec_default(&spec);
	for (unsigned i = 0; i < SIM_NODES; i++) {
		struct loser none = {i, UINT32_MAX, 0};

		begin(&m, &spec, 2500);
		m.sim.filter = lose_nth;
		m.sim.filter_arg = &none;
		run(&m, 12, RN_S(60));
		frames[i] = none.seen;
		end(&m);
	}
	assert_true(frames[0] >= 3 * 3 + 3 * 3 + 3 + 3 && frames[1] >= 3 * 3 + 3);
	for (unsigned i = 0; i < SIM_NODES; i++)
		for (unsigned nth = 0; nth < frames[i]; nth++) {
			struct loser l = {i, nth, 0};

			begin(&m, &spec, 2500);
			m.sim.filter = lose_nth;
			m.sim.filter_arg = &l;
			run(&m, 12, RN_S(60));
			assert_true(l.seen > nth);
			end(&m);
		}
}

static void wire_row_S2_every_packet_twice(void **state)
{
	static struct mixed m;
	struct sim_spec spec;

	sim_spec_default(&spec);
	for (unsigned i = 0; i < SIM_NODES; i++)
		spec.link[i].impair.duplicate_ppm = 1000000;
	begin(&m, &spec, 2500);
	run(&m, 2000, RN_S(60));
	for (unsigned i = 0; i < SIM_NODES; i++)
		assert_int_equal(m.sim.node[i].duplicated, m.sim.node[i].frames);
	assert_true(rn_shard_stats(m.sim.node[1].shard)->verdict[RN_V_REQ_DUPLICATE] >= 2000);
	end(&m);
}

static void wire_row_S3_few_naks_for_packets_out_of_order(void **state)
{
	static struct mixed m;
	struct sim_spec spec;
	const struct rn_stats *s;

	sim_spec_default(&spec);
	for (unsigned i = 0; i < SIM_NODES; i++) {
		spec.link[i].rate = 10000000000ull;
		spec.link[i].impair.reorder_ppm = 10000;
		/* long enough for one or two frames to overtake the delayed one */
		spec.link[i].impair.reorder_ns = RN_US(2);
	}
	begin(&m, &spec, 2500);
	run(&m, 20000, RN_S(600));
	s = rn_shard_stats(m.sim.node[1].shard);
	assert_true(m.sim.node[0].reordered > 200 && s->tx_naks > 50);
	/* Each delayed packet causes at most two NAKs. The first NAK is for the gap that the
	 * delayed packet leaves. The second NAK is for the packets that overtook it and were
	 * dropped. */
	assert_true(s->tx_naks <= 2 * m.sim.node[0].reordered);
	end(&m);
}

/* Ten minutes of virtual time over a slow link (4 Mb/s). The link is slow because the duration
 * matters here and not the number of packets. */
static void wire_row_S4_five_percent_lost_for_ten_minutes(void **state)
{
	static struct mixed m;
	struct sim_spec spec;

	sim_spec_default(&spec);
	for (unsigned i = 0; i < SIM_NODES; i++) {
		spec.link[i].rate = 4000000;
		spec.link[i].impair.loss_ppm = 50000;
	}
	spec.retry_cnt = 7;
	spec.timeout = 16; /* ACK timeout code 16: 0.27 s; a packet takes 2 ms */
	begin(&m, &spec, 2500);
	run(&m, UINT32_MAX, RN_S(600));
	print_message("%u requests, lost %llu and %llu\n", m.done,
		      (unsigned long long)m.sim.node[0].dropped,
		      (unsigned long long)m.sim.node[1].dropped);
	assert_true(m.done > 5000 && m.sim.node[0].dropped > 500 && m.sim.node[1].dropped > 500);
	end(&m);
}

/* ACKs arrive long after the requester's timeout. So packets are retransmitted and arrive at least
 * twice, but each work request must be executed once. */
static void wire_row_S5_acknowledgements_50_ms_late(void **state)
{
	static struct mixed m;
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.link[1].impair.delay_min_ns = RN_MS(50);
	spec.timeout = 12; /* ACK timeout code 12: 17 ms */
	spec.retry_cnt = 7;
	begin(&m, &spec, 2500);
	run(&m, 400, RN_S(600));
	assert_true(rn_shard_stats(m.sim.node[1].shard)->verdict[RN_V_REQ_DUPLICATE] > 0);
	end(&m);
}

/* Filter for a link whose MTU is smaller than the path MTU of the QPs. Drops packets with more than
 * 1024 bytes of payload. */
static bool lose_large(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	return pkt->kind != RN_PKT_IB || pkt->payload_len <= 1024;
}

static void wire_row_S7_packets_larger_than_the_link_takes(void **state)
{
	static struct sim sim;
	struct sim_spec spec;
	struct rn_cqe c;

	sim_spec_default(&spec);
	spec.path_mtu = 5;
	spec.retry_cnt = 3;
	spec.timeout = 10;
	sim_init(&sim, &spec);
	sim.filter = lose_large;
	sim_connect(&sim, 0);
	for (unsigned i = 0; i < 2; i++)
		sim_post(&sim, 1, 0,
			 &(struct sim_op){
				 .kind = RN_WQE_RECV, .wr_id = i, .length = 4096, .local = THEIRS});
	sim_post(
		&sim, 0, 0,
		&(struct sim_op){
			.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .wr_id = 0, .length = 1024});
	sim_post(
		&sim, 0, 0,
		&(struct sim_op){
			.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .wr_id = 1, .length = 1025});
	sim_run(&sim, sim.now + RN_S(10));
	assert_true(sim_poll(&sim, 0, &c) && c.wr_id == 0 && c.status == RN_STATUS_SUCCESS);
	assert_true(sim_poll(&sim, 0, &c) && c.wr_id == 1 && c.status == RN_STATUS_RETRY_EXC_ERR);
	assert_true(rn_shard_stats(sim.node[0].shard)->tx_retransmitted >= 3);
	assert_true(sim_poll(&sim, 1, &c) && c.wr_id == 0 && c.status == RN_STATUS_SUCCESS);
	assert_false(sim_poll(&sim, 1, &c));
	assert_int_equal(atomic_load(&sim.node[0].qp[0].shared->state), RN_QPS_ERR);
	assert_int_equal(atomic_load(&sim.node[1].qp[0].shared->state), RN_QPS_RTS);
	assert_int_equal(sim_fini(&sim), 0);
}

#define SENDERS SIM_MAX_QP

static void wire_row_S9_sixty_four_senders_and_no_receives(void **state)
{
	static struct sim sim;
	struct sim_spec spec;
	struct rn_cqe c;
	unsigned done = 0, steps = 0;
	uint64_t before;

	assert_int_equal(SENDERS, 64);
	sim_spec_default(&spec);
	spec.qps = SENDERS;
	spec.min_rnr_timer = 12; /* RNR timer code 12: 0.64 ms */
	spec.rnr_retry = 7;
	sim_init(&sim, &spec);
	for (unsigned q = 0; q < SENDERS; q++) {
		sim_connect(&sim, q);
		for (unsigned i = 0; i < 4; i++)
			sim_post(&sim, 0, q,
				 &(struct sim_op){.kind = RN_WQE_SEND,
						  .flags = RN_WQE_SIGNALED,
						  .wr_id = i,
						  .length = 100});
	}
	for (rn_time until = sim.now + RN_S(1); sim.now < until; steps++)
		sim_step(&sim, until);
	/* For one second each sender has sent again after each RNR NAK, at most once per 0.64 ms.
	 * `steps` is bounded because the simulator makes a step only when a frame is sent or
	 * arrives. */
	before = rn_shard_stats(sim.node[1].shard)->tx_rnr_naks;
	assert_true(before >= SENDERS * 700);
	assert_true(before <= SENDERS * 1564);
	assert_true(sim.node[0].frames <= 4 * before + 4 * SENDERS);
	assert_true(steps <= 2 * sim.node[0].frames);
	assert_false(sim_poll(&sim, 0, &c));
	for (unsigned q = 0; q < SENDERS; q++)
		for (unsigned i = 0; i < 4; i++)
			sim_post(&sim, 1, q,
				 &(struct sim_op){.kind = RN_WQE_RECV,
						  .wr_id = i,
						  .length = 100,
						  .local = THEIRS});
	sim_run(&sim, sim.now + RN_MS(10));
	while (sim_poll(&sim, 0, &c))
		done += c.status == RN_STATUS_SUCCESS;
	assert_int_equal(done, 4 * SENDERS);
	while (sim_poll(&sim, 1, &c))
		done -= c.status == RN_STATUS_SUCCESS;
	assert_int_equal(done, 0);
	assert_int_equal(sim_fini(&sim), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_S1_each_packet_lost_once),
		cmocka_unit_test(wire_row_S2_every_packet_twice),
		cmocka_unit_test(wire_row_S3_few_naks_for_packets_out_of_order),
		cmocka_unit_test(wire_row_S4_five_percent_lost_for_ten_minutes),
		cmocka_unit_test(wire_row_S5_acknowledgements_50_ms_late),
		cmocka_unit_test(wire_row_S7_packets_larger_than_the_link_takes),
		cmocka_unit_test(wire_row_S9_sixty_four_senders_and_no_receives),
	};
	return cmocka_run_group_tests_name("long", tests, NULL, NULL);
}
