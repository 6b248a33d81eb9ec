/* The ACK timeout and the RNR retry count of a QP. The connection manager computes them from the
 * values in REQ and REP and from its own configuration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm/cm_priv.h"

#define EV(name) RN_EVENT_CM_##name

static unsigned said_timeout, said_delay;

/* Callback for net->judge: writes said_timeout into REQs and said_delay into REPs. */
static unsigned say(struct net *net, unsigned from, struct rn_cm_msg *m)
{
	if (m->attr == RN_CM_REQ)
		m->req.ack_timeout = said_timeout & 31;
	if (m->attr == RN_CM_REP)
		m->rep.target_ack_delay = said_delay & 31;
	return 1;
}

/* Connects the two hosts and returns the ACK timeout codes of both QPs. `own` is the configured ACK
 * timeout code of both CMs, `timeout` the code in the REQ, and `delay` the ACK delay code in the
 * REP. */
static void connect_with(uint8_t own, unsigned timeout, unsigned delay, uint8_t *passive,
			 uint8_t *active)
{
	uint32_t listener, id;
	struct net net;

	net_init(&net);
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = &net.box[i];

		b->cfg.ack_timeout = own;
		rn_cm_destroy(b->cm);
		b->cm = rn_cm_create(&b->cfg, &b->port, b->neigh, net.now);
	}
	said_timeout = timeout;
	said_delay = delay;
	net.judge = say;
	net.box[1].follow = true;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, 0x11);
	net_pump(&net);
	*passive = net_event(&net, 1, EV(REQUEST))->attr.timeout;
	*active = net_event(&net, 0, EV(RESPONSE))->attr.timeout;
	/* The REQUEST event shows the client the code that was in the REQ. */
	assert_int_equal(net_event(&net, 1, EV(REQUEST))->param.ack_timeout, timeout);
	net_destroy(&net, 0, id);
	net_pump(&net);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

/* The passive QP uses the ACK timeout code in the REQ, within bounds. When the peer is gone, work
 * requests would wait for ever with code 0 (no timeout), and for hours with code 31. */
static void of_a_request(void **state)
{
	static const struct {
		uint8_t own, said, used;
	} rows[] = {{17, 0, 17},  {17, 1, 1},	{17, 17, 17}, {17, 19, 19},
		    {17, 20, 20}, {17, 21, 20}, {17, 31, 20}, {10, 14, 13},
		    {30, 31, 31}, {31, 0, 31},	{0, 0, 0},    {0, 18, 18}};
	uint8_t passive, active;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		connect_with(rows[i].own, rows[i].said, 2, &passive, &active);
		assert_int_equal(passive, rows[i].used);
	}
}

/* The target ACK delay in the REP says how late its sender may send ACKs. This delay lengthens the
 * ACK timeout of the active QP. */
static void of_a_reply(void **state)
{
	static const struct {
		uint8_t own, said, used;
	} rows[] = {{17, 0, 17},  {17, 15, 17}, {17, 16, 18}, {17, 18, 19},
		    {17, 20, 20}, {17, 31, 20}, {31, 31, 31}, {0, 20, 0}};
	uint8_t passive, active;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		connect_with(rows[i].own, 17, rows[i].said, &passive, &active);
		assert_int_equal(active, rows[i].used);
	}
}

/* A QP uses the RNR retry count that the peer sent, but at most the configured RNR retry count. */
static void of_a_peer_that_is_not_ready(void **state)
{
	static const struct {
		uint8_t bound, said, used;
	} rows[] = {{7, 7, 7}, {7, 6, 6}, {7, 0, 0}, {6, 7, 6}, {3, 7, 3}, {3, 2, 2}, {0, 7, 0}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
		uint32_t listener, id;
		struct net net;

		net_init(&net);
		for (unsigned b = 0; b < 2; b++) {
			struct box *box = &net.box[b];

			box->cfg.rnr_retry = rows[i].bound;
			rn_cm_destroy(box->cm);
			box->cm = rn_cm_create(&box->cfg, &box->port, box->neigh, net.now);
		}
		net.box[1].follow = true;
		net.box[1].reply.rnr_retry = cmd.cm.param.rnr_retry = rows[i].said;
		listener = net_listen(&net, 1, 0);
		id = net_exec(&net, 0, cmd).id;
		net_pump(&net);
		assert_int_equal(net_event(&net, 1, EV(REQUEST))->attr.rnr_retry, rows[i].used);
		assert_int_equal(net_event(&net, 0, EV(RESPONSE))->attr.rnr_retry, rows[i].used);
		net_destroy(&net, 0, id);
		net_pump(&net);
		net_destroy(&net, 1, listener);
		net_fini(&net);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_request),
		cmocka_unit_test(of_a_reply),
		cmocka_unit_test(of_a_peer_that_is_not_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
