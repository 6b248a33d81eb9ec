/* Two adapters of one process, joined by rings and used through struct rn_link. Objects and
 * messages work under every idle policy, with one shard and with several. Everything is freed at
 * the end. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH 64
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

struct end {
	struct rn_link *link;
	uint32_t pd, lkey, rkey;
	struct rig_cq scq, rcq;
	struct rig_qp qp;
	uint8_t *buf;
	size_t len;
};

static void make_end(struct end *e, const char *path, unsigned index, size_t len)
{
	e->link = rig_open(path, index);
	e->pd = rig_pd(e->link);
	e->scq = rig_cq(e->link, DEPTH);
	e->rcq = rig_cq(e->link, DEPTH);
	e->qp = rig_qp(e->link, e->pd, &e->scq, &e->rcq, DEPTH);
	e->len = len;
	e->buf = calloc(1, len);
	rig_reg(e->link, e->pd, e->buf, len, ALL, &e->lkey, &e->rkey);
}

static void destroy(struct rn_link *l, uint16_t op, uint32_t id, uint32_t gen)
{
	struct rn_cmd cmd = {.op = op};

	if (op == RN_CMD_DESTROY_QP) {
		cmd.qp.qpn = id;
		cmd.qp.gen = gen;
	} else {
		cmd.obj.id = id;
	}
	assert_int_equal(rig_exec(l, &cmd, NULL), 0);
}

static void unmake_end(struct end *e)
{
	destroy(e->link, RN_CMD_DESTROY_QP, e->qp.qpn, e->qp.gen);
	destroy(e->link, RN_CMD_DEREG_MR, e->lkey, 0);
	destroy(e->link, RN_CMD_DESTROY_CQ, e->scq.id, 0);
	destroy(e->link, RN_CMD_DESTROY_CQ, e->rcq.id, 0);
	destroy(e->link, RN_CMD_DESTROY_PD, e->pd, 0);
	rn_link_close(e->link);
	free(e->buf);
}

static void expect(struct rig_cq *cq, uint64_t wr_id)
{
	struct rn_cqe cqe = rig_wait(cq);

	assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
	assert_int_equal(cqe.wr_id, wr_id);
	assert_int_equal(cqe.qp_ctx, 77);
}

static void ping(struct end *a, struct end *b, unsigned rounds, uint32_t len)
{
	for (unsigned i = 0; i < rounds; i++) {
		memset(a->buf, (int)i, len);
		rig_post(&b->qp, RN_WQE_RECV, i, b->buf, len, b->lkey, 0, 0);
		rig_post(&a->qp, RN_WQE_SEND, i, a->buf, len, a->lkey, 0, 0);
		expect(&b->rcq, i);
		expect(&a->scq, i);
		assert_memory_equal(a->buf, b->buf, len);
	}
}

struct row {
	const char *policy;
	unsigned shards, mtu;
};

/* Sends messages in both directions, then a WRITE and a READ. */
static void talk(const struct row *row)
{
	char more[128];
	struct end a, b;

	/* shows which row of the test's table failed */
	print_message("%s, %u shards, MTU %u\n", row->policy, row->shards, row->mtu);
	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", row->policy);
	const char *path = rig_pair(row->shards, row->mtu, more);
	make_end(&a, path, 0, 100000);
	make_end(&b, path, 1, 100000);
	rig_connect(&a.qp, &b.qp, 0);
	ping(&a, &b, 50, 100);
	ping(&b, &a, 20, 100000);
	for (unsigned i = 0; i < a.len; i++)
		a.buf[i] = (uint8_t)(i * 13);
	rig_post(&a.qp, RN_WQE_WRITE, 5, a.buf, 100000, a.lkey, (uintptr_t)b.buf, b.rkey);
	expect(&a.scq, 5);
	assert_memory_equal(a.buf, b.buf, 100000);
	memset(a.buf, 0, a.len);
	rig_post(&a.qp, RN_WQE_READ, 6, a.buf, 99999, a.lkey, (uintptr_t)b.buf, b.rkey);
	expect(&a.scq, 6);
	assert_memory_equal(a.buf, b.buf, 99999);
	unmake_end(&a);
	unmake_end(&b);
}

static void talks_under_every_policy(void **state)
{
	static const struct row rows[] = {
		{"adaptive", 1, 4200}, {"poll", 1, 4200},   {"inline", 1, 4200},
		{"adaptive", 2, 4200}, {"inline", 3, 4200}, {"adaptive", 1, 1280},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		talk(&rows[i]);
}

static void talks_to_itself_without_the_port(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct end a;

	make_end(&a, path, 0, 20000);
	rig_connect(&a.qp, &a.qp, 0);
	rig_post(&a.qp, RN_WQE_RECV, 1, a.buf + 10000, 10000, a.lkey, 0, 0);
	memset(a.buf, 9, 10000);
	rig_post(&a.qp, RN_WQE_SEND, 2, a.buf, 10000, a.lkey, 0, 0);
	expect(&a.rcq, 1);
	expect(&a.scq, 2);
	assert_memory_equal(a.buf, a.buf + 10000, 10000);
	/* The DPDK port carried nothing but ARP and ND announcements. The data went through the
	 * adapter's internal loopback. */
	assert_true(rig_stat(a.link, "port_tx_frames") <= rig_stat(a.link, "tx_arp_nd"));
	assert_true(rig_stat(a.link, "port_loop_frames") >= 8);
	unmake_end(&a);
}

/* With QPs on both shards of both adapters, some packets arrive at the RX queue of the wrong shard.
 * This shard hands such packets over to the shard that owns the QP. */
static void hands_packets_to_the_owner(void **state)
{
	const char *path = rig_pair(2, 1500, "");
	enum { N = 6 };
	struct end a, b;
	struct rig_qp qa[N], qb[N];
	unsigned of[2] = {0, 0};

	make_end(&a, path, 0, 65536);
	make_end(&b, path, 1, 65536);
	for (unsigned i = 0; i < N; i++) {
		qa[i] = rig_qp(a.link, a.pd, &a.scq, &a.rcq, 8);
		qb[i] = rig_qp(b.link, b.pd, &b.scq, &b.rcq, 8);
	}
	for (unsigned i = 0; i < N; i++) {
		of[qa[i].qpn % 2]++;
		rig_connect(&qa[i], &qb[N - 1 - i], 0);
	}
	assert_int_equal(of[0], N / 2);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < N; i++) {
			rig_post(&qb[N - 1 - i], RN_WQE_RECV, i, b.buf + 4096 * i, 4096, b.lkey, 0,
				 0);
			memset(a.buf + 4096 * i, (int)(round * N + i), 4096);
			rig_post(&qa[i], RN_WQE_SEND, i, a.buf + 4096 * i, 4096, a.lkey, 0, 0);
		}
		for (unsigned i = 0; i < N; i++) {
			assert_int_equal(rig_wait(&b.rcq).status, RN_STATUS_SUCCESS);
			assert_int_equal(rig_wait(&a.scq).status, RN_STATUS_SUCCESS);
		}
		assert_memory_equal(a.buf, b.buf, 4096 * N);
	}
	assert_true(rig_stat(b.link, "port_handed_off") > 0);
	assert_int_equal(rig_stat(b.link, "port_handoff_full"), 0);
	for (unsigned i = 0; i < N; i++) {
		destroy(a.link, RN_CMD_DESTROY_QP, qa[i].qpn, qa[i].gen);
		destroy(b.link, RN_CMD_DESTROY_QP, qb[i].qpn, qb[i].gen);
	}
	unmake_end(&a);
	unmake_end(&b);
}

struct sender {
	struct end *e;
	const struct end *target;
	unsigned n;
	/* number of completions read so far; at most DEPTH unread completions fit into the CQ */
	_Atomic uint64_t seen;
};

static void *send_many(void *arg)
{
	struct sender *s = arg;

	for (unsigned i = 0; i < s->n; i++) {
		while (i - atomic_load(&s->seen) >= DEPTH)
			sched_yield();
		rig_post(&s->e->qp, RN_WQE_WRITE, i, s->e->buf, 64, s->e->lkey,
			 (uintptr_t)s->target->buf, s->target->rkey);
	}
	return NULL;
}

/* Four threads post to one submission ring. Each thread has a QP of its own. */
static void takes_requests_of_four_threads(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct end a, b;
	struct {
		pthread_t t;
		struct rig_qp qp;
	} w[4];
	struct sender s[4];
	struct end ends[4];

	make_end(&a, path, 0, 4096);
	make_end(&b, path, 1, 4096);
	for (unsigned i = 0; i < 4; i++) {
		ends[i] = a;
		ends[i].qp = rig_qp(a.link, a.pd, &a.scq, &a.rcq, DEPTH);
		w[i].qp = rig_qp(b.link, b.pd, &b.scq, &b.rcq, DEPTH);
		rig_connect(&ends[i].qp, &w[i].qp, 0);
		s[i] = (struct sender){&ends[i], &b, 500, 0};
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&w[i].t, NULL, send_many, &s[i]);
	for (unsigned i = 0; i < 2000; i++) {
		struct rn_cqe cqe = rig_wait(&a.scq);
		for (unsigned k = 0; k < 4; k++)
			if (cqe.qpn == ends[k].qp.qpn)
				assert_int_equal(cqe.wr_id, atomic_fetch_add(&s[k].seen, 1));
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(w[i].t, NULL);
		assert_int_equal(atomic_load(&s[i].seen), 500);
		destroy(a.link, RN_CMD_DESTROY_QP, ends[i].qp.qpn, ends[i].qp.gen);
		destroy(b.link, RN_CMD_DESTROY_QP, w[i].qp.qpn, w[i].qp.gen);
	}
	unmake_end(&a);
	unmake_end(&b);
}

static void refuses_to_destroy_what_is_in_use(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_PD};
	struct end a;

	make_end(&a, path, 0, 4096);
	cmd.obj.id = a.pd;
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -EBUSY);
	cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_CQ, .obj.id = a.scq.id};
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -EBUSY);
	cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_QP, .qp = {a.qp.qpn, a.qp.gen + 1}};
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -ENOENT);
	cmd = (struct rn_cmd){.op = RN_CMD_DEREG_MR, .obj.id = a.lkey ^ 0x100};
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -ENOENT);
	cmd = (struct rn_cmd){.op = 999};
	assert_int_equal(rig_exec(a.link, &cmd, NULL), -ENOSYS);
	unmake_end(&a);
}

struct lent {
	uint32_t id;
	const struct rn_mw_shared *shared;
};

static struct lent make_window(struct end *e)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_MW, .create_mw.pd = e->pd};
	struct rn_rsp rsp;

	assert_int_equal(rig_exec(e->link, &cmd, &rsp), 0);
	return (struct lent){rsp.id, (const struct rn_mw_shared *)(uintptr_t)rsp.mw.shared};
}

static int unmake_window(struct end *e, uint32_t id, uint32_t qpn)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_MW, .destroy_mw = {.id = id, .qpn = qpn}};

	return rig_exec(e->link, &cmd, NULL);
}

static void bind_window(struct end *e, uint32_t key, uint32_t lkey)
{
	struct rn_wqe w = {.kind = RN_WQE_BIND,
			   .slots = 1,
			   .flags = RN_WQE_SIGNALED,
			   .qpn = e->qp.qpn,
			   .qp_gen = e->qp.gen,
			   .wr_id = 1,
			   .remote_va = (uintptr_t)e->buf,
			   .rkey = key,
			   .bind = {.length = 100, .lkey = lkey, .access = RN_ACCESS_REMOTE_WRITE}};

	uint32_t shard = e->link->ops->shard_of(e->link, e->qp.qpn);

	if (!e->link->ops->submit(e->link, shard, &w))
		e->link->ops->doorbell(e->link, shard);
	expect(&e->scq, 1);
}

/* DESTROY_MW ends the binding of a memory window. The command works even when the client names a
 * wrong QP as the QP of that binding. The QP stays usable. */
static void destroys_bound_windows(void **state)
{
	const char *path = rig_pair(2, 4200, "");
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_MW, .create_mw.pd = 4711};
	uint32_t lkey, rkey;
	struct end a, b;

	make_end(&a, path, 0, 4096);
	make_end(&b, path, 1, 4096);
	rig_connect(&a.qp, &b.qp, 0);
	rig_reg(b.link, b.pd, b.buf, 4096, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND, &lkey, &rkey);
	assert_int_equal(rig_exec(b.link, &cmd, NULL), -ENOENT);
	assert_int_equal(unmake_window(&b, 4711, 0), -ENOENT);
	assert_int_equal(unmake_window(&b, lkey, 0), -ENOENT);
	for (unsigned i = 0; i < 4; i++) {
		struct lent w = make_window(&b);
		uint32_t key = (w.id & ~0xFFu) | ((w.id & 0xFF) % 255 + 1);
		/* QPNs that the client names in DESTROY_MW; the memory window is bound on
		 * b.qp.qpn */
		uint32_t lies[] = {0, b.qp.qpn, b.qp.qpn ^ 1, a.qp.qpn};

		assert_int_equal(atomic_load(&w.shared->ended), w.id);
		bind_window(&b, key, lkey);
		assert_int_equal(atomic_load(&w.shared->ended), w.id);
		rig_post(&a.qp, RN_WQE_WRITE, 2, a.buf, 100, a.lkey, (uintptr_t)b.buf, key);
		expect(&a.scq, 2);
		cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_PD, .obj.id = b.pd};
		assert_int_equal(rig_exec(b.link, &cmd, NULL), -EBUSY);
		cmd = (struct rn_cmd){.op = RN_CMD_DEREG_MR, .obj.id = key};
		assert_int_equal(rig_exec(b.link, &cmd, NULL), -ENOENT);
		assert_int_equal(unmake_window(&b, w.id, lies[i]), 0);
		assert_int_equal(unmake_window(&b, w.id, 0), -ENOENT);
		if (i < 3)
			continue;
		rig_post(&a.qp, RN_WQE_WRITE, 3, a.buf, 100, a.lkey, (uintptr_t)b.buf, key);
		assert_int_equal(rig_wait(&a.scq).status, RN_STATUS_REM_ACCESS_ERR);
	}
	destroy(b.link, RN_CMD_DEREG_MR, lkey, 0);
	unmake_end(&a);
	unmake_end(&b);
}

/* An adapter that closes frees the memory windows that the client has not destroyed. The sanitizer
 * builds check this. */
static void frees_forgotten_windows(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct end e = {.link = rig_open(path, 0)};

	e.pd = rig_pd(e.link);
	make_window(&e);
	rn_link_close(e.link);
}

static void grows_completion_queues(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct end a, b;
	struct rig_qp qa[8], qb[8];
	struct rig_cq cq, sink;

	make_end(&a, path, 0, 4096);
	make_end(&b, path, 1, 4096);
	cq = rig_cq(a.link, 1);
	sink = rig_cq(b.link, 1);
	/* No completion is read in this loop. Each further QP makes the CQ add a larger ring while
	 * completions of earlier QPs are unread. */
	for (unsigned i = 0; i < 8; i++) {
		qa[i] = rig_qp(a.link, a.pd, &cq, &cq, 32);
		qb[i] = rig_qp(b.link, b.pd, &sink, &sink, 32);
		rig_connect(&qa[i], &qb[i], 0);
		for (unsigned k = 0; k < 32; k++)
			rig_post(&qa[i], RN_WQE_WRITE, i * 32 + k, a.buf, 64, a.lkey,
				 (uintptr_t)b.buf, b.rkey);
		while (atomic_load(&qa[i].shared->sq_retired) < 32)
			sched_yield();
	}
	for (unsigned i = 0; i < 8 * 32; i++)
		expect(&cq, i);
	assert_int_equal(atomic_load(&cq.view->shared->overrun), 0);
	for (unsigned i = 0; i < 8; i++) {
		destroy(a.link, RN_CMD_DESTROY_QP, qa[i].qpn, qa[i].gen);
		destroy(b.link, RN_CMD_DESTROY_QP, qb[i].qpn, qb[i].gen);
	}
	destroy(a.link, RN_CMD_DESTROY_CQ, cq.id, 0);
	destroy(b.link, RN_CMD_DESTROY_CQ, sink.id, 0);
	unmake_end(&a);
	unmake_end(&b);
}

static void reports_completions_of_armed_cqs(void **state)
{
	const char *path = rig_pair(1, 1500, "");
	struct rn_event ev;
	struct end a, b;

	make_end(&a, path, 0, 4096);
	make_end(&b, path, 1, 4096);
	rig_connect(&a.qp, &b.qp, 0);
	assert_int_equal(b.link->ops->wait(b.link, &ev, 1, 5), 0);
	for (unsigned i = 0; i < 20; i++) {
		rig_post(&b.qp, RN_WQE_RECV, i, b.buf, 64, b.lkey, 0, 0);
		atomic_store(&b.rcq.view->shared->armed, RN_CQ_ARM_ANY);
		rig_post(&a.qp, RN_WQE_SEND, i, a.buf, 64, a.lkey, 0, 0);
		assert_int_equal(b.link->ops->wait(b.link, &ev, 1, 10000), 1);
		assert_int_equal(ev.kind, RN_EVENT_CQ);
		assert_int_equal(ev.id, b.rcq.id);
		expect(&b.rcq, i);
		expect(&a.scq, i);
	}
	b.link->ops->interrupt(b.link);
	assert_int_equal(b.link->ops->wait(b.link, &ev, 1, -1), 0);
	unmake_end(&a);
	unmake_end(&b);
}

/* The target of a WRITE is unmapped, write-protected or truncated while frames arrive. The QPs
 * fail, but the process survives. */
static void survives_vanished_memory(void **state)
{
	const char *path = rig_pair(1, 4200, "");
	size_t len = 1 << 20;

	for (unsigned crime = 0; crime < 3; crime++) {
		struct end a, b;
		uint32_t lkey, rkey;
		make_end(&a, path, 0, len);
		make_end(&b, path, 1, 4096);
		int fd = memfd_create("target", 0);
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		uint8_t *target = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		rig_reg(b.link, b.pd, target, len, ALL, &lkey, &rkey);
		rig_connect(&a.qp, &b.qp, 0);
		for (unsigned i = 0; i < 8; i++)
			rig_post(&a.qp, RN_WQE_WRITE, i, a.buf, (uint32_t)len, a.lkey,
				 (uintptr_t)target, rkey);
		/* the first WRITE has completed; packets of the later WRITEs are in flight */
		expect(&a.scq, 0);
		if (crime == 0)
			munmap(target, len);
		else if (crime == 1)
			mprotect(target, len, PROT_READ);
		else
			assert_int_equal(ftruncate(fd, 4096), 0);
		rig_post(&a.qp, RN_WQE_WRITE, 8, a.buf, (uint32_t)len, a.lkey, (uintptr_t)target,
			 rkey);
		unsigned errors = 0;
		for (unsigned i = 1; i < 9; i++) {
			struct rn_cqe cqe = rig_wait(&a.scq);
			if (cqe.status != RN_STATUS_SUCCESS && errors++ == 0)
				assert_int_equal(cqe.status, RN_STATUS_REM_ACCESS_ERR);
		}
		assert_true(errors > 0);
		destroy(b.link, RN_CMD_DEREG_MR, lkey, 0);
		close(fd);
		if (crime != 0)
			munmap(target, len);
		unmake_end(&a);
		unmake_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(talks_under_every_policy),
		cmocka_unit_test(talks_to_itself_without_the_port),
		cmocka_unit_test(hands_packets_to_the_owner),
		cmocka_unit_test(takes_requests_of_four_threads),
		cmocka_unit_test(refuses_to_destroy_what_is_in_use),
		cmocka_unit_test(destroys_bound_windows),
		cmocka_unit_test(frees_forgotten_windows),
		cmocka_unit_test(grows_completion_queues),
		cmocka_unit_test(reports_completions_of_armed_cqs),
		cmocka_unit_test(survives_vanished_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
