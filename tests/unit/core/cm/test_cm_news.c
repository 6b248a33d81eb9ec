/* Log records of the connection manager. One record is made when a connection is made. One record
 * with the reason is made when a connection ends or cannot be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "cm/cm_priv.h"
#include "ground/news.h"

#define QPN 0x11

/* Takes the next log record of a host and checks its kind and addresses. Returns the reason in the
 * record; NULL = none. */
static const char *expect_next(struct net *net, unsigned box, enum rn_news_kind kind)
{
	struct rn_news n;

	assert_true(rn_cm_news(net->box[box].cm, &n));
	assert_int_equal(n.kind, kind);
	assert_memory_equal(&n.local, &net->box[box].port.gids[0], sizeof(n.local));
	assert_memory_equal(&n.peer, &net->box[1 - box].port.gids[0], sizeof(n.peer));
	assert_int_equal(box == 0 ? n.peer_port : n.port, NET_PORT);
	return n.why;
}

/* Like expect_next(); also checks that the host has no further log record. */
static const char *expect(struct net *net, unsigned box, enum rn_news_kind kind)
{
	const char *why = expect_next(net, box, kind);
	struct rn_news more;

	assert_false(rn_cm_news(net->box[box].cm, &more));
	return why;
}

static void expect_silence(struct net *net)
{
	struct rn_news n;

	for (unsigned i = 0; i < 2; i++)
		assert_false(rn_cm_news(net->box[i].cm, &n));
}

static uint32_t connect_both(struct net *net, uint32_t *listener)
{
	uint32_t id;

	net_init(net);
	*listener = net_listen(net, 1, 0);
	id = net_connect(net, 0, QPN);
	net_run(net, RN_S(1));
	assert_null(expect(net, 0, RN_NEWS_CONNECTED));
	assert_null(expect(net, 1, RN_NEWS_CONNECTED));
	return id;
}

/* Destroys the ids of both sides after 600 s, and checks that no further log record is made. */
static void end(struct net *net, uint32_t listener, uint32_t id)
{
	net_run(net, RN_S(600));
	net_destroy(net, 0, id);
	if (net_count(net, 1, RN_EVENT_CM_REQUEST) > 0)
		net_destroy(net, 1, net_event(net, 1, RN_EVENT_CM_REQUEST)->id);
	if (listener != 0)
		net_destroy(net, 1, listener);
	net_run(net, RN_S(600));
	expect_silence(net);
	net_fini(net);
}

static void made_and_ended(void **state)
{
	struct net net;
	uint32_t listener, id = connect_both(&net, &listener);

	assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, 0);
	net_run(&net, RN_S(10));
	assert_string_equal(expect(&net, 0, RN_NEWS_DISCONNECTED), "disconnected here");
	assert_string_equal(expect(&net, 1, RN_NEWS_DISCONNECTED), "the peer disconnected");
	end(&net, listener, id);
}

/* The RTU is lost. The DREQ shows the passive side that the connection was made, and also ends the
 * connection. So two log records are made. */
static void ended_before_the_rtu(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_RTU;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_MS(100));
	assert_null(expect(&net, 0, RN_NEWS_CONNECTED));
	assert_int_equal(net_op(&net, 0, RN_CMD_CM_DISCONNECT, id).err, 0);
	net_run(&net, RN_S(20));
	assert_string_equal(expect(&net, 0, RN_NEWS_DISCONNECTED), "disconnected here");
	assert_null(expect_next(&net, 1, RN_NEWS_CONNECTED));
	assert_string_equal(expect(&net, 1, RN_NEWS_DISCONNECTED), "the peer disconnected");
	end(&net, listener, id);
}

/* The passive side counts the connection as made when the first data arrives, and then disconnects.
 * The active side counts the attempt as failed, because its client has not yet executed the
 * ESTABLISH command. */
static void ended_before_it_is_made(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[0].establish = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_MS(100));
	/* host 1's client accepted with the QPN reply.qpn - 1, because the client increments
	 * reply.qpn after each accept */
	rn_cm_comm_est(net.box[1].cm, net.box[1].reply.qpn - 1, net.now);
	assert_null(expect(&net, 1, RN_NEWS_CONNECTED));
	assert_int_equal(
		net_op(&net, 1, RN_CMD_CM_DISCONNECT, net_event(&net, 1, RN_EVENT_CM_REQUEST)->id)
			.err,
		0);
	net_run(&net, RN_S(20));
	assert_string_equal(expect(&net, 0, RN_NEWS_NOT_CONNECTED),
			    "the peer disconnected before it was made");
	assert_string_equal(expect(&net, 1, RN_NEWS_DISCONNECTED), "disconnected here");
	end(&net, listener, id);
}

static void released(void **state)
{
	struct net net;
	uint32_t listener, id = connect_both(&net, &listener);

	net.box[1].follow = true;
	net_destroy(&net, 0, id);
	net_run(&net, RN_S(600));
	assert_string_equal(expect(&net, 0, RN_NEWS_DISCONNECTED), "released here");
	assert_string_equal(expect(&net, 1, RN_NEWS_DISCONNECTED), "the peer disconnected");
	net_destroy(&net, 1, listener);
	net_run(&net, RN_S(600));
	net_fini(&net);
}

static void nobody_listens(void **state)
{
	struct net net;
	uint32_t id;

	net_init(&net);
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_S(1));
	assert_string_equal(expect(&net, 0, RN_NEWS_NOT_CONNECTED),
			    rn_cm_rej_text(RN_CM_REJ_NO_SERVICE));
	end(&net, 0, id);
}

static void nobody_answers(void **state)
{
	struct net net;
	uint32_t id;

	net_init(&net);
	net.judge = net_lose_all;
	net.arg[0] = RN_CM_REQ;
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_S(600));
	assert_string_equal(expect(&net, 0, RN_NEWS_NOT_CONNECTED), "no answer");
	end(&net, 0, id);
}

static void no_neighbour(void **state)
{
	struct net net;
	uint32_t id;

	net_init(&net);
	net.box[1].deaf = true;
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_S(60));
	assert_string_equal(expect(&net, 0, RN_NEWS_NOT_CONNECTED),
			    "no MAC address could be found for the next hop");
	end(&net, 0, id);
}

/* The listener's client rejects the connection request. The peer host makes a log record. The
 * listener's host makes none, because a client needs no record of its own action. */
static void refused_by_the_client(void **state)
{
	struct net net;
	uint32_t listener, id;

	net_init(&net);
	net.box[1].accept = false;
	listener = net_listen(&net, 1, 0);
	id = net_connect(&net, 0, QPN);
	net_run(&net, RN_S(1));
	assert_int_equal(
		net_op(&net, 1, RN_CMD_CM_REJECT, net_event(&net, 1, RN_EVENT_CM_REQUEST)->id).err,
		0);
	net_run(&net, RN_S(1));
	assert_string_equal(expect(&net, 0, RN_NEWS_NOT_CONNECTED),
			    rn_cm_rej_text(RN_CM_REJ_CONSUMER));
	end(&net, listener, id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_and_ended),
		cmocka_unit_test(ended_before_the_rtu),
		cmocka_unit_test(ended_before_it_is_made),
		cmocka_unit_test(released),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(no_neighbour),
		cmocka_unit_test(refused_by_the_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
