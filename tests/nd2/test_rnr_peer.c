/* A peer with RNR values of its own. The peer announces an RNR retry count, and requests a short,
 * constant RNR delay, as some hardware adapters do. The peer is a queue pair of this provider. The
 * test replaces three functions of the provider (with the linker's --wrap) to change the peer's
 * retry count and RNR timer. */
#include "fixture.h"

#include "rn/client.h"

#define FOR_EVER 7
#define FINITE \
	6 /* rnr_retry that the provider announces for queue pairs without a shared receive queue */
#define DELAY 1 /* RNR timer code of 0.01 ms */

static struct {
	bool changed[2];  /* [0]: replace rnr_retry in the REQ; [1]: replace it in the REP */
	uint8_t announce; /* the rnr_retry that is sent instead */
	uint8_t own[2];	  /* rnr_retry that the provider would have sent in the REQ and the REP */
} said;

static struct rn_cm_param announce(const struct rn_cm_param *param, unsigned by)
{
	struct rn_cm_param p = *param;

	said.own[by] = p.rnr_retry;
	if (said.changed[by])
		p.rnr_retry = said.announce;
	return p;
}

int __real_rn_client_cm_connect(struct rn_client *client, uint32_t id,
				const struct rn_client_addr *local,
				const struct rn_client_addr *peer, const struct rn_cm_param *param,
				uint64_t user);
int __wrap_rn_client_cm_connect(struct rn_client *client, uint32_t id,
				const struct rn_client_addr *local,
				const struct rn_client_addr *peer, const struct rn_cm_param *param,
				uint64_t user);
int __wrap_rn_client_cm_connect(struct rn_client *client, uint32_t id,
				const struct rn_client_addr *local,
				const struct rn_client_addr *peer, const struct rn_cm_param *param,
				uint64_t user)
{
	struct rn_cm_param p = announce(param, 0);

	return __real_rn_client_cm_connect(client, id, local, peer, &p, user);
}

int __real_rn_client_cm_accept(struct rn_client *client, uint32_t id,
			       const struct rn_cm_param *param, uint64_t user);
int __wrap_rn_client_cm_accept(struct rn_client *client, uint32_t id,
			       const struct rn_cm_param *param, uint64_t user);
int __wrap_rn_client_cm_accept(struct rn_client *client, uint32_t id,
			       const struct rn_cm_param *param, uint64_t user)
{
	struct rn_cm_param p = announce(param, 1);

	return __real_rn_client_cm_accept(client, id, &p, user);
}

struct nd_qp;
int __real_nd_qp_connect(struct nd_qp *qp, const struct rn_qp_attr *want);
int __wrap_nd_qp_connect(struct nd_qp *qp, const struct rn_qp_attr *want);
int __wrap_nd_qp_connect(struct nd_qp *qp, const struct rn_qp_attr *want)
{
	struct rn_qp_attr attr = *want;

	attr.min_rnr_timer = DELAY;
	attr.rnr_step = 0;
	return __real_nd_qp_connect(qp, &attr);
}

/* Connects a pair and changes the rnr_retry that one end, the peer, announces. `peer` is 0 for the
 * active end and 1 for the passive end. Returns the end that is not the peer. Stores the peer in
 * *other. */
static struct end *connect_to(struct pair *p, unsigned peer, uint8_t announced, struct end **other)
{
	memset(&said, 0, sizeof(said));
	said.changed[peer] = true;
	said.announce = announced;
	pair_open_connected(p, NULL);
	*other = peer ? &p->b : &p->a;
	return peer ? &p->a : &p->b;
}

static void nd2_own_rnr_retry_7_has_no_limit(void **state)
{
	for (unsigned peer = 0; peer < 2; peer++) {
		struct end *me, *other;
		struct pair p;

		me = connect_to(&p, peer, FOR_EVER, &other);
		HR(post_send(me, 0, 64, 1, 0), ND_SUCCESS);
		sleep_ms(300); /* longer than the 6 retries would last */
		HR(post_recv(other, 0, 64, 2), ND_SUCCESS);
		reap_is(me->cq, 1, ND_SUCCESS);
		reap_is(other->cq, 2, ND_SUCCESS);
		pair_close(&p);
	}
}

static void nd2_own_rnr_retry_6_ends_with_timeout(void **state)
{
	for (unsigned peer = 0; peer < 2; peer++) {
		struct end *me, *other;
		struct pair p;

		me = connect_to(&p, peer, FINITE, &other);
		assert_int_equal(said.own[0], FINITE);
		assert_int_equal(said.own[1], FINITE);
		HR(post_send(me, 0, 64, 1, 0), ND_SUCCESS);
		reap_is(me->cq, 1, ND_IO_TIMEOUT);
		pair_close(&p);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_rnr_retry_7_has_no_limit),
	cmocka_unit_test(nd2_own_rnr_retry_6_ends_with_timeout),
};

nd2_main(tests)
