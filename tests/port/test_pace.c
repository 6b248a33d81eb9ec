/* A QP with a rate limit sends no faster than this limit, and its shard sleeps between packets. The
 * shards run on real threads. The test checks that a transfer is not too fast. The transfer may
 * take any longer time, because a busy machine may be slow. */
#include "rig.h"

#include <pthread.h>
#include <time.h>

#include "nic/nic.h"
#include "qp/pace.h"
#include "shard/shard.h"

#define LEN   (1u << 20)
#define MBITS 100

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t *buf;
	uint32_t lkey, rkey;
};

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	uint32_t pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, 16);
	e->qp = rig_qp(e->link, pd, &e->cq, &e->cq, 8);
	e->buf = calloc(1, LEN);
	rig_reg(e->link, pd, e->buf, LEN, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE, &e->lkey,
		&e->rkey);
}

struct notify {
	struct rn_call call; /* must be the first member: notify() casts to struct notify */
	uint32_t qpn;
};

static void notify(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	rn_pace_cnp(rn_shard_qp(lc->shard, ((struct notify *)call)->qpn), now);
}

static uint64_t cpu_ns(struct rn_lcore *lc)
{
	struct timespec t;
	clockid_t id;

	assert_int_equal(pthread_getcpuclockid(lc->thread, &id), 0);
	assert_int_equal(clock_gettime(id, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void a_limited_sender_sleeps(void **state)
{
	const char *path =
		rig_pair(1, 4200,
			 "idle = { policy = \"adaptive\"; spin_us = 5; };\n"
			 "congestion = { rate_to_set_on_first_cnp = 100; rpg_byte_reset = 0; "
			 "rpg_time_reset_us = 1000000; };");
	struct end a, b;

	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	struct rn_lcore *lc = &((struct rn_nic *)a.link)->lcore[0];
	struct notify n = {.call = {.run = notify}, .qpn = a.qp.qpn};
	rn_lcore_call(lc, &n.call);
	assert_int_equal(rig_stat(a.link, "rp_cnp_handled"), 1);
	assert_int_equal(rig_stat(a.link, "cc_limited"), 1);
	assert_int_equal(rig_stat(a.link, "cc_limited_rate"), MBITS * 1000000);

	uint64_t from = rig_now_ns(), cpu = cpu_ns(lc);
	rig_post(&a.qp, RN_WQE_WRITE, 1, a.buf, LEN, a.lkey, (uint64_t)(uintptr_t)b.buf, b.rkey);
	assert_int_equal(rig_wait(&a.cq).status, RN_STATUS_SUCCESS);
	uint64_t took = rig_now_ns() - from;
	cpu = cpu_ns(lc) - cpu;
	print_message("1 MiB at %d Mb/s: %.1f ms, CPU %.1f ms, %llu waits\n", MBITS,
		      (double)took / 1e6, (double)cpu / 1e6,
		      (unsigned long long)rig_stat(a.link, "cc_waits"));
	/* No pause follows the last packet, so the time of its bytes (4096 at most) is not
	 * counted. */
	assert_true(took >= (LEN - 4096) * 8ull * 1000 / MBITS);
	assert_true(cpu < took / 2);
	assert_true(rig_stat(a.link, "cc_waits") > 0);
	rn_link_close(a.link);
	rn_link_close(b.link);
	free(a.buf);
	free(b.buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limited_sender_sleeps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
