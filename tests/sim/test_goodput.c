/* The goodput of WRITEs and READs over a path that loses frames, if the ends need CPU time: against
 * the same path without loss. Each end has a CPU, which takes a burst of frames from its ring, then
 * sends a burst, and so on, as dataplane/port does. So packets wait in rings and for the turns of
 * the two ends, and a round trip takes tens of microseconds although the path has no delay. Time is
 * virtual, so the results are properties of the protocol and the same on every computer. --print
 * shows the table without checking it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sim.h"
#include "wire/stats.h"

#define BURST	    32
#define TURN_BYTES  65536 /* an end sends no more in a turn */
#define OUTSTANDING 4
#define LENGTH	    (1u << 20)
#define RUN	    RN_US(200000)

struct course {
	const char *name;
	unsigned loss_ppm; /* in each direction */
	bool drops;	   /* end b drops packets that arrive ahead of a lost one */
	/* nanoseconds that end a needs to send a packet, and end b to receive it */
	unsigned send_ns, receive_ns;
	unsigned ring;	   /* frames in the ring of an end */
	unsigned delay_us; /* of the path */
	unsigned demanded; /* goodput against no loss, in thousandths */
	bool reads;	   /* READs, which end b answers; else WRITEs */
};

/* clang-format off */
static const struct course courses[] = {
	{"0.1 %, sender slower", 1000, false, 300, 200, 1024, 1, 970},
	{"0.1 %, equal", 1000, false, 290, 285, 1024, 1, 970},
	{"0.1 %, receiver slower", 1000, false, 200, 300, 1024, 1, 955},
	{"1 %, sender slower", 10000, false, 300, 200, 1024, 1, 850},
	{"1 %, equal", 10000, false, 290, 285, 1024, 1, 850},
	{"1 %, receiver slower", 10000, false, 200, 300, 1024, 1, 820},
	{"0.1 %, drops, sender slower", 1000, true, 300, 200, 256, 1, 930},
	{"0.1 %, drops, equal", 1000, true, 290, 285, 256, 1, 930},
	{"0.1 %, drops, receiver slower", 1000, true, 200, 300, 256, 1, 910},
	{"1 %, drops, sender slower", 10000, true, 300, 200, 256, 1, 550},
	{"1 %, drops, equal", 10000, true, 290, 285, 256, 1, 550},
	{"1 %, drops, receiver slower", 10000, true, 200, 300, 256, 1, 550},
	{"0.1 %, 50 us", 1000, false, 290, 285, 1024, 50, 800},
	{"1 %, 50 us", 10000, false, 290, 285, 1024, 50, 140},
	{"0.1 %, drops, 50 us", 1000, true, 290, 285, 1024, 50, 600},
	{"1 %, drops, 50 us", 10000, true, 290, 285, 1024, 50, 120},
	{"0.1 %, READ, equal", 1000, false, 290, 285, 1024, 1, 970, true},
	{"1 %, READ, equal", 10000, false, 290, 285, 1024, 1, 720, true},
	{"1 %, READ, receiver slower", 10000, false, 200, 300, 1024, 1, 650, true},
	{"0.1 %, READ, 50 us", 1000, false, 290, 285, 1024, 50, 720, true},
	{"1 %, READ, 50 us", 10000, false, 290, 285, 1024, 50, 200, true},
};
/* clang-format on */

#define FLIGHT_MAX 4096

/* The frames on their way to an end: in its ring, or on the path. */
struct flight {
	struct {
		rn_time when;
		uint32_t len;
		uint8_t *data;
	} f[FLIGHT_MAX];
	uint32_t head, tail;
};

struct ends {
	struct sim sim;
	const struct course *c;
	unsigned loss_ppm;
	struct rn_rng rng;
	rn_time clock[SIM_NODES];
	struct flight to[SIM_NODES];
	uint64_t sent, lost;
};

static rn_time cost(const struct ends *e, bool data, bool sends)
{
	return !data ? 60 : sends ? e->c->send_ns : e->c->receive_ns;
}

static unsigned receive(struct ends *e, unsigned i)
{
	struct flight *in = &e->to[i];
	rn_time start = e->clock[i];
	unsigned n = 0;

	for (; n < BURST && in->head != in->tail && in->f[in->head % FLIGHT_MAX].when <= start;
	     n++) {
		uint8_t *data = in->f[in->head % FLIGHT_MAX].data;
		uint32_t len = in->f[in->head % FLIGHT_MAX].len;
		uint64_t kept = rn_shard_stats(e->sim.node[i].shard)->rx_kept;

		in->head++;
		e->sim.now = start;
		sim_inject(&e->sim, i, data, len);
		kept = rn_shard_stats(e->sim.node[i].shard)->rx_kept - kept;
		/* a kept packet is parsed, may have to be copied, and takes the general way */
		e->clock[i] += cost(e, len > 1000, false) + kept * 100;
		free(data);
	}
	return n;
}

static void transmit(struct ends *e, unsigned i)
{
	static uint8_t data[BURST][SIM_FRAME_MAX];
	struct flight *out = &e->to[1 - i];
	struct rn_txbuf bufs[BURST];
	unsigned bytes = 0, n, want;

	do {
		want = RN_MIN((unsigned)BURST, (TURN_BYTES - bytes) / SIM_FRAME_MAX + 1);
		want = RN_MIN(want, e->c->ring - RN_MIN(out->tail - out->head, e->c->ring));
		for (unsigned k = 0; k < want; k++)
			bufs[k] = (struct rn_txbuf){data[k], SIM_FRAME_MAX, 0};
		n = want ? rn_shard_tx(e->sim.node[i].shard, bufs, want, e->sim.now) : 0;
		for (unsigned k = 0; k < n; k++) {
			e->clock[i] += cost(e, bufs[k].len > 1000, true);
			bytes += bufs[k].len;
		}
		/* the burst is handed over as a whole */
		for (unsigned k = 0; k < n; k++) {
			e->sent += i == 0;
			if (rn_rng_chance(&e->rng, e->loss_ppm)) {
				e->lost += i == 0;
				continue;
			}
			out->f[out->tail % FLIGHT_MAX].when = e->clock[i] + RN_US(e->c->delay_us);
			out->f[out->tail % FLIGHT_MAX].len = bufs[k].len;
			out->f[out->tail % FLIGHT_MAX].data =
				memcpy(malloc(bufs[k].len), data[k], bufs[k].len);
			out->tail++;
		}
	} while (n && n == want && bytes < TURN_BYTES);
}

static void turn(struct ends *e, unsigned i)
{
	struct sim_node *node = &e->sim.node[i];

	e->clock[i] += 100;
	receive(e, i);
	e->sim.now = e->clock[i];
	if (rn_shard_next(node->shard) <= e->sim.now)
		rn_shard_tick(node->shard, e->sim.now);
	transmit(e, i);
	rn_shard_done(node->shard, e->sim.now);
}

/* Returns how many messages of 1 MiB, WRITEs or READs, complete. */
static uint64_t run(const struct course *c, uint8_t kind, unsigned loss_ppm, bool print)
{
	static struct ends e;
	struct sim_spec spec;
	struct rn_cqe cqe;
	uint32_t posted = 0;
	uint64_t done = 0;

	sim_spec_default(&spec);
	spec.path_mtu = 5;
	spec.window = 1024;
	spec.drops = c->drops;
	memset(&e, 0, sizeof(e));
	sim_init(&e.sim, &spec);
	sim_connect(&e.sim, 0);
	sim_settle(&e.sim);
	e.c = c;
	e.loss_ppm = loss_ppm;
	rn_rng_seed(&e.rng, 7);
	rn_time start = e.sim.now;
	e.clock[0] = e.clock[1] = start;
	while (e.clock[0] < start + RUN) {
		struct sim_qp *a = &e.sim.node[0].qp[0];

		while (posted - done < OUTSTANDING &&
		       a->sq_posted - atomic_load(&a->shared->sq_retired) < OUTSTANDING) {
			e.sim.now = e.clock[0];
			sim_post(&e.sim, 0, 0,
				 &(struct sim_op){
					 .kind = kind, .flags = RN_WQE_SIGNALED, .length = LENGTH});
			posted++;
		}
		turn(&e, e.clock[1] < e.clock[0]);
		while (sim_poll(&e.sim, 0, &cqe)) {
			assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
			done++;
		}
	}
	const struct rn_stats *s = rn_shard_stats(e.sim.node[0].shard),
			      *r = rn_shard_stats(e.sim.node[1].shard);
	if (print)
		print_message(
			"  %llu MiB sent %llu lost %llu again %llu patches %llu naks %llu early %llu timeouts %llu kept %llu\n",
			(unsigned long long)done, (unsigned long long)e.sent,
			(unsigned long long)e.lost, (unsigned long long)s->tx_retransmitted,
			(unsigned long long)s->tx_patches,
			(unsigned long long)s->verdict[RN_V_RSP_NAK_SEQ],
			(unsigned long long)s->timeouts_early, (unsigned long long)s->timeouts,
			(unsigned long long)r->rx_kept);
	for (unsigned i = 0; i < SIM_NODES; i++)
		while (e.to[i].head != e.to[i].tail)
			free(e.to[i].f[e.to[i].head++ % FLIGHT_MAX].data);
	sim_fini(&e.sim);
	return done;
}

static bool same_path(const struct course *a, const struct course *b)
{
	return a->drops == b->drops && a->send_ns == b->send_ns && a->receive_ns == b->receive_ns &&
	       a->ring == b->ring && a->delay_us == b->delay_us;
}

/* Returns how many messages complete without loss. Courses with the same path and ends share the
 * result, since a run takes up to a second. */
static uint64_t without_loss(const struct course *c, uint8_t kind)
{
	static uint64_t done[RN_ARRAY_SIZE(courses)][2];
	unsigned first = 0;

	while (!same_path(&courses[first], c))
		first++;
	uint64_t *found = &done[first][kind == RN_WQE_READ];
	if (*found == 0)
		*found = run(c, kind, 0, false);
	return *found;
}

static unsigned course(const struct course *c, bool print)
{
	uint8_t kind = c->reads ? RN_WQE_READ : RN_WQE_WRITE;
	uint64_t without = without_loss(c, kind), with = run(c, kind, c->loss_ppm, print);
	unsigned found = (unsigned)(with * 1000 / without);

	print_message("%-32s %4u of 1000; %.1f Gbit/s without loss\n", c->name, found,
		      (double)without * LENGTH * 8 / RUN);
	return found;
}

static void test_course(void **state)
{
	const struct course *c = *state;

	assert_true(course(c, true) >= c->demanded);
}

/* Without loss READs are as fast as WRITEs: the responder always has requests that it has not yet
 * answered, so that neither end waits for the other more than with WRITEs. */
static void reads_are_as_fast_as_writes(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		const struct course *c = &courses[i];
		uint64_t writes, reads;

		if (c->loss_ppm != 1000 || c->reads) /* the others have the same path and ends */
			continue;
		writes = without_loss(c, RN_WQE_WRITE);
		reads = without_loss(c, RN_WQE_READ);
		print_message("%-32s %llu WRITEs, %llu READs without loss\n", c->name,
			      (unsigned long long)writes, (unsigned long long)reads);
		assert_true(reads * 100 >= writes * 97);
	}
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[RN_ARRAY_SIZE(courses) + 1];

	tests[RN_ARRAY_SIZE(courses)] =
		(struct CMUnitTest)cmocka_unit_test(reads_are_as_fast_as_writes);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		tests[i] = (struct CMUnitTest){courses[i].name, test_course, NULL, NULL,
					       (void *)&courses[i]};
		if (argc > 1)
			course(&courses[i], true);
	}
	return argc > 1 ? 0 : cmocka_run_group_tests_name("goodput", tests, NULL, NULL);
}
