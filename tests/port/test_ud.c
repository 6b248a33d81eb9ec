/* Datagrams between two adapters, through rn/client.h. Destinations are the other adapter, the
 * sending adapter itself, and multicast groups with members on all shards. Rings join the adapters,
 * which have two shards each. */
#include "rig.h"

#include <errno.h>
#include <sched.h>

#include "rn/client.h"

#define QKEY  0x11223344u
#define QPS   2u /* number of QPs per adapter, one on each shard */
#define SLOT  5000u
#define GRH   RN_UD_GRH_BYTES
#define DEPTH 16u

struct side {
	struct rn_client *client;
	uint32_t pd, lkey, rkey;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp[QPS];
	uint8_t *buf; /* DEPTH receive slots, then the data to send */
	struct rn_gid gid;
};

static struct side side[2];
static const struct rn_gid group = {{[10] = 0xff, 0xff, 239, 7, 8, 9}},
			   other_group = {{[10] = 0xff, 0xff, 239, 7, 8, 10}};

static void make_qp(struct side *s, unsigned i)
{
	struct rn_client_qp_init init = {.pd = s->pd,
					 .type = RN_QPT_UD,
					 .send_cq = s->cq,
					 .recv_cq = s->cq,
					 .sq_depth = DEPTH,
					 .rq_depth = DEPTH,
					 .sq_sge = 2,
					 .rq_sge = 2,
					 .inline_bytes = 200,
					 .qp_ctx = i};
	struct rn_qp_attr a = {.port = 1, .qkey = QKEY};

	assert_int_equal(rn_client_qp_create(s->client, &init, &s->qp[i]), 0);
	a.state = RN_QPS_INIT;
	assert_int_equal(
		rn_client_qp_modify(s->qp[i], &a,
				    RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_QKEY),
		0);
	a.state = RN_QPS_RTR;
	assert_int_equal(rn_client_qp_modify(s->qp[i], &a, RN_QP_STATE), 0);
	a.state = RN_QPS_RTS;
	assert_int_equal(rn_client_qp_modify(s->qp[i], &a, RN_QP_STATE | RN_QP_SQ_PSN), 0);
}

static int open_both(void **state)
{
	const char *path = rig_pair(2, 4200, "");
	char err[256];

	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		assert_int_equal(rn_client_open(path, k, &s->client, err, sizeof(err)), 0);
		s->gid = rn_client_info(s->client)->gids[0];
		assert_int_equal(rn_client_pd_create(s->client, &s->pd), 0);
		s->buf = calloc(2, DEPTH * SLOT);
		assert_int_equal(rn_client_mr_register(s->client, s->pd, s->buf, 2 * DEPTH * SLOT,
						       (uintptr_t)s->buf, RN_ACCESS_LOCAL_WRITE,
						       &s->lkey, &s->rkey),
				 0);
		assert_int_equal(rn_client_cq_create(s->client, 100, 0, 0, &s->cq), 0);
		for (unsigned i = 0; i < QPS; i++)
			make_qp(s, i);
		/* The two QPs must be on different shards. */
		assert_int_not_equal(rn_client_qp_number(s->qp[0]) % 2,
				     rn_client_qp_number(s->qp[1]) % 2);
	}
	return 0;
}

static int close_both(void **state)
{
	for (unsigned k = 0; k < 2; k++) {
		struct side *s = &side[k];

		for (unsigned i = 0; i < QPS; i++)
			assert_int_equal(rn_client_qp_destroy(s->qp[i]), 0);
		assert_int_equal(rn_client_cq_destroy(s->cq), 0);
		assert_int_equal(rn_client_mr_deregister(s->client, s->lkey), 0);
		assert_int_equal(rn_client_pd_destroy(s->client, s->pd), 0);
		rn_client_close(s->client);
		free(s->buf);
	}
	return 0;
}

/* Posts a receive of SLOT bytes into slot `id` of the buffer. */
static void receive(struct side *s, unsigned qp, uint64_t id)
{
	struct rn_sge sge = {(uintptr_t)s->buf + id * SLOT, SLOT, s->lkey};
	struct rn_client_wr wr = {.kind = RN_WQE_RECV, .wr_id = id, .sge = &sge, .num_sge = 1};

	memset(s->buf + id * SLOT, 0xEE, SLOT);
	assert_int_equal(rn_client_qp_post(s->qp[qp], &wr), 0);
}

static struct rn_av address_of(struct side *s, const struct rn_gid *peer)
{
	const struct rn_gid any = {{0}};
	struct rn_av av;
	int rc;

	/* On a slow machine too many addresses may be in resolution at once (-EAGAIN). Then try
	 * again. */
	for (unsigned i = 0;
	     (rc = rn_client_av_resolve(s->client, &any, peer, 7, &av)) == -EINPROGRESS ||
	     rc == -EAGAIN;
	     i++) {
		assert_true(i < 10000000);
		rn_client_progress(side[0].client);
		rn_client_progress(side[1].client);
		sched_yield();
	}
	assert_int_equal(rc, 0);
	assert_memory_equal(&av.sgid, &s->gid, 16);
	return av;
}

static void send_to(struct side *s, unsigned qp, const struct rn_gid *peer, uint32_t qpn,
		    uint64_t id, uint32_t len)
{
	uint8_t *data = s->buf + DEPTH * SLOT;
	struct rn_sge sge[2] = {{(uintptr_t)data, len / 3, s->lkey},
				{(uintptr_t)data + len / 3, len - len / 3, s->lkey}};
	const struct rn_ud to = {.av = address_of(s, peer), .qpn = qpn, .qkey = QKEY};
	struct rn_client_wr wr = {.kind = RN_WQE_SEND_IMM,
				  .flags = RN_WQE_SIGNALED | (len <= 200 ? RN_WQE_INLINE : 0),
				  .wr_id = id,
				  .imm = (uint32_t)id,
				  .sge = sge,
				  .num_sge = 2,
				  .ud = &to};

	for (uint32_t i = 0; i < len; i++)
		data[i] = (uint8_t)(i * 5 + id);
	assert_int_equal(rn_client_qp_post(s->qp[qp], &wr), 0);
}

static bool poll_once(struct side *s, struct rn_cqe *c)
{
	bool fired;

	rn_client_cq_lock(s->cq);
	unsigned n = rn_client_cq_poll(s->cq, c, 1, &fired);
	rn_client_cq_unlock(s->cq);
	return n == 1;
}

static struct rn_cqe completion(struct side *s)
{
	uint64_t end = rig_now_ns() + UINT64_C(20000000000);
	struct rn_cqe c;

	while (!poll_once(s, &c)) {
		assert_true(rig_now_ns() < end);
		rn_client_progress(side[0].client);
		rn_client_progress(side[1].client);
		sched_yield();
	}
	return c;
}

static void expect_sent(struct side *s, uint64_t id)
{
	struct rn_cqe c = completion(s);

	assert_int_equal(c.flags & RN_CQE_RECV, 0);
	assert_int_equal(c.wr_id, id);
	assert_int_equal(c.status, RN_STATUS_SUCCESS);
}

/* Checks the receive of message number `id` of `from`: the completion *c, the GRH, and all `len`
 * bytes of the message. */
static void check_received(struct side *s, const struct rn_cqe *c, const struct side *from,
			   unsigned qp, uint64_t id, uint32_t len)
{
	const uint8_t *p = s->buf + c->wr_id * SLOT;

	assert_int_equal(c->status, RN_STATUS_SUCCESS);
	assert_int_equal(c->flags, RN_CQE_RECV | RN_CQE_GRH | RN_CQE_IMM | RN_CQE_IPV4);
	assert_int_equal(c->byte_len, GRH + len);
	assert_int_equal(c->src_qpn, rn_client_qp_number(from->qp[qp]));
	assert_int_equal(c->imm, id);
	assert_int_equal(p[0], 0);
	assert_int_equal(p[20], 0x45);
	assert_memory_equal(p + 32, from->gid.b + 12, 4);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(p[GRH + i], (uint8_t)(i * 5 + id));
	if (GRH + len < SLOT)
		assert_int_equal(p[GRH + len], 0xEE);
}

static void test_to_a_peer(void **state)
{
	static const uint32_t lengths[] = {0, 1, 16, 17, 200, 201, 1000, 2048};

	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		unsigned from = i % QPS, to = i / QPS % QPS;

		receive(&side[1], to, 3);
		send_to(&side[0], from, &side[1].gid, rn_client_qp_number(side[1].qp[to]), 100 + i,
			lengths[i]);
		struct rn_cqe c = completion(&side[1]);
		assert_int_equal(c.qp_ctx, to);
		check_received(&side[1], &c, &side[0], from, 100 + i, lengths[i]);
		expect_sent(&side[0], 100 + i);
	}
}

/* Sends to the adapter's own address: once to the sending QP itself, once to the QP on the other
 * shard. */
static void test_to_the_sending_adapter(void **state)
{
	struct side *s = &side[0];

	for (unsigned from = 0; from < QPS; from++) {
		for (unsigned to = 0; to < QPS; to++) {
			uint64_t id = 10 * from + to;

			receive(s, to, 5);
			send_to(s, from, &s->gid, rn_client_qp_number(s->qp[to]), id, 300);
			for (unsigned n = 0; n < 2; n++) {
				struct rn_cqe c = completion(s);

				if (c.flags & RN_CQE_RECV)
					check_received(s, &c, s, from, id, 300);
				else
					assert_int_equal(c.wr_id, id);
			}
		}
	}
}

static uint64_t counter;
static const char *counter_name;

static void take_counter(void *arg, const char *name, uint64_t value)
{
	counter += strcmp(name, counter_name) == 0 ? value : 0;
}

static uint64_t stat_of(struct side *s, const char *name)
{
	counter = 0;
	counter_name = name;
	rn_client_stats(s->client, take_counter, NULL);
	return counter;
}

/* Every member of the multicast group gets one copy: the members on both shards of the receiving
 * adapter, and a member on the sending adapter itself. */
static void test_to_a_group(void **state)
{
	struct rn_cqe c;
	uint64_t before;

	for (unsigned i = 0; i < QPS; i++) {
		assert_int_equal(rn_client_qp_attach(side[1].qp[i], &group), 0);
		assert_int_equal(rn_client_qp_attach(side[1].qp[i], &group), 0);
		receive(&side[1], i, i);
		receive(&side[0], i, i);
	}
	assert_int_equal(rn_client_qp_attach(side[0].qp[1], &group), 0);
	send_to(&side[0], 0, &group, RN_QPN_GROUP, 50, 64);
	for (unsigned i = 0, seen = 0; i < QPS; i++) {
		c = completion(&side[1]);
		check_received(&side[1], &c, &side[0], 0, 50, 64);
		assert_memory_equal(side[1].buf + c.wr_id * SLOT + 36, group.b + 12, 4);
		assert_int_equal(seen >> c.qp_ctx & 1, 0);
		seen |= 1u << c.qp_ctx;
	}
	for (unsigned n = 0; n < 2; n++) {
		c = completion(&side[0]);
		if (!(c.flags & RN_CQE_RECV))
			continue;
		assert_int_equal(c.qp_ctx, 1);
		check_received(&side[0], &c, &side[0], 0, 50, 64);
	}
	/* One member leaves the multicast group. */
	assert_int_equal(rn_client_qp_detach(side[1].qp[0], &group), 0);
	assert_int_equal(rn_client_qp_detach(side[1].qp[0], &group), -ENOENT);
	receive(&side[1], 0, 2);
	receive(&side[1], 1, 3);
	receive(&side[0], 1, 3);
	send_to(&side[0], 0, &group, RN_QPN_GROUP, 51, 64);
	c = completion(&side[1]);
	assert_int_equal(c.qp_ctx, 1);
	check_received(&side[1], &c, &side[0], 0, 51, 64);
	for (unsigned n = 0; n < 2; n++)
		completion(&side[0]);
	assert_int_equal(rn_client_qp_detach(side[1].qp[1], &group), 0);
	assert_int_equal(rn_client_qp_detach(side[0].qp[1], &group), 0);
	/* The group has no members any more. The other adapter counts the datagram under verdict
	 * MULTICAST and delivers it to no QP. */
	before = stat_of(&side[1], "verdict_MULTICAST");
	send_to(&side[0], 0, &group, RN_QPN_GROUP, 52, 64);
	expect_sent(&side[0], 52);
	while (stat_of(&side[1], "verdict_MULTICAST") == before) {
		rn_client_progress(side[0].client);
		rn_client_progress(side[1].client);
		sched_yield();
	}
	assert_false(poll_once(&side[1], &c));
	assert_false(poll_once(&side[0], &c));
}

/* Two shards process the mbuf of a datagram at the same time, and both give it up. ThreadSanitizer
 * detects an access to the mbuf that is not synchronised. */
static void test_to_a_group_many_times(void **state)
{
	uint64_t before = stat_of(&side[1], "rx_packets");

	for (unsigned i = 0; i < QPS; i++)
		assert_int_equal(rn_client_qp_attach(side[1].qp[i], &group), 0);
	for (unsigned k = 0; k < 300; k += DEPTH) {
		for (unsigned i = 0; i < DEPTH; i++)
			send_to(&side[0], 0, &group, RN_QPN_GROUP, i, 64);
		for (unsigned i = 0; i < DEPTH; i++)
			expect_sent(&side[0], i);
	}
	for (unsigned i = 0; i < QPS; i++)
		assert_int_equal(rn_client_qp_detach(side[1].qp[i], &group), 0);
	assert_true(stat_of(&side[1], "rx_packets") > before);
}

static void test_what_is_refused(void **state)
{
	const struct rn_gid any = {{0}}, v6 = {{0xfd, [15] = 1}},
			    foreign = {{[10] = 0xff, 0xff, 192, 0, 2, 77}};
	struct rn_av av;

	assert_int_equal(rn_client_qp_attach(side[0].qp[0], &side[1].gid), -EINVAL);
	assert_int_equal(rn_client_av_resolve(side[0].client, &any, &v6, 1, &av), -EAFNOSUPPORT);
	assert_int_equal(rn_client_av_resolve(side[0].client, &side[0].gid, &v6, 1, &av),
			 -EAFNOSUPPORT);
	assert_int_equal(rn_client_av_resolve(side[0].client, &foreign, &side[1].gid, 1, &av),
			 -EADDRNOTAVAIL);
	av = address_of(&side[0], &group);
	assert_memory_equal(av.dmac, ((const uint8_t[]){0x01, 0x00, 0x5e, 7, 8, 9}), 6);
	av = address_of(&side[0], &side[0].gid);
	assert_memory_equal(av.dmac, rn_client_info(side[0].client)->mac, 6);
}

/* A destroyed QP leaves its multicast groups, so the limit of 64 groups can be reached a second
 * time. */
static void test_many_groups(void **state)
{
	struct rn_gid gid = other_group;

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 64; i++) {
			gid.b[15] = (uint8_t)i;
			assert_int_equal(rn_client_qp_attach(side[1].qp[i % QPS], &gid), 0);
		}
		gid.b[15] = 64;
		assert_int_equal(rn_client_qp_attach(side[1].qp[0], &gid), -ENOSPC);
		for (unsigned i = 0; i < QPS; i++) {
			assert_int_equal(rn_client_qp_destroy(side[1].qp[i]), 0);
			make_qp(&side[1], i);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_to_a_peer),
		cmocka_unit_test(test_to_the_sending_adapter),
		cmocka_unit_test(test_to_a_group),
		cmocka_unit_test(test_to_a_group_many_times),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_many_groups),
	};

	return cmocka_run_group_tests(tests, open_both, close_both);
}
