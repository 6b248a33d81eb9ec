/* Datagram services (SIDR) end to end, through the functions for front ends. Two adapters of one
 * process are joined by ports of kind "ring". The tests use idle policies with and without
 * threads. */
#include "rig.h"

#include "rn/client.h"

#include <errno.h>

#define PORT 7471

struct end {
	struct rn_client *client;
	struct rn_client_addr at;
	uint32_t id; /* CM id of the listener, or of the client that sends the SIDR_REQ */
};

static void open_end(struct end *e, const char *path, unsigned index)
{
	char err[256] = "";

	if (rn_client_open(path, index, &e->client, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	e->at = (struct rn_client_addr){.gid = rn_client_info(e->client)->gids[0]};
}

/* Waits for the next event of this kind and skips other events, such as link up. */
static struct rn_event event(struct end *e, enum rn_event_kind kind)
{
	uint64_t until = rig_now_ns() + 15000000000u;
	struct rn_event ev;

	while (rig_now_ns() < until)
		if (rn_client_wait(e->client, &ev, 1, 1000) == 1 && ev.kind == kind)
			return ev;
	fail_msg("event %d did not come", kind);
	return ev;
}

static int ask(struct end *a, const struct end *b, uint16_t len)
{
	struct rn_cm_param p = {.data_len = len, .data = "where"};
	struct rn_client_addr peer = {.gid = b->at.gid, .port = PORT};

	return rn_client_cm_connect(a->client, a->id, &a->at, &peer, &p, 7);
}

static void found_refused_and_gone(const char *policy)
{
	struct rn_cm_param here = {.qpn = 77, .data_len = 136, .data = "here"};
	struct end a, b;
	struct rn_event ev;
	char more[64];
	uint32_t id;

	snprintf(more, sizeof(more), "idle = { policy = \"%s\"; };", policy);
	const char *path = rig_pair(1, 1500, more);
	open_end(&a, path, 0);
	open_end(&b, path, 1);
	b.at.port = PORT;
	assert_int_equal(rn_client_cm_bind_service(a.client, 0x999, 0, &a.at, false, 7, &a.id),
			 -EPROTONOSUPPORT);
	assert_int_equal(
		rn_client_cm_bind_service(a.client, RN_PS_UDP, RN_QPT_RC, &a.at, false, 7, &a.id),
		-EPROTONOSUPPORT);
	assert_int_equal(rn_client_cm_bind_service(a.client, RN_PS_UDP, 0, &a.at, false, 7, &a.id),
			 0);
	assert_int_equal(rn_client_cm_bind_service(b.client, RN_PS_UDP, 0, &b.at, true, 8, &b.id),
			 0);
	assert_int_equal(rn_client_cm_listen(b.client, b.id, &b.at, 0, 8), 0);

	assert_int_equal(ask(&a, &b, 181), -EMSGSIZE);
	assert_int_equal(ask(&a, &b, 180), 0);
	ev = event(&b, RN_EVENT_CM_REQUEST);
	assert_int_equal(ev.parent, b.id);
	assert_int_equal(ev.user, 8);
	assert_int_equal(ev.peer_port, a.at.port);
	assert_memory_equal(ev.param.data, "where", 6);
	assert_int_equal(rn_client_cm_accept(b.client, ev.id, &here, 9), 0);
	id = ev.id;
	ev = event(&a, RN_EVENT_CM_RESPONSE);
	assert_int_equal(ev.user, 7);
	assert_int_equal(ev.param.qpn, 77);
	assert_int_equal(ev.param.qkey, RN_UDP_QKEY);
	assert_memory_equal(ev.param.data, "here", 5);
	assert_memory_equal(&ev.attr.av.dgid, &b.at.gid, 16);
	assert_true(ev.attr.av.dmac[0] | ev.attr.av.dmac[5]);
	assert_int_equal(rn_client_cm_destroy(b.client, id), 0);

	assert_int_equal(ask(&a, &b, 5), 0); /* a CM id can send a second SIDR_REQ */
	ev = event(&b, RN_EVENT_CM_REQUEST);
	assert_int_equal(rn_client_cm_reject(b.client, ev.id, 3, "no", 2), 0);
	id = ev.id;
	ev = event(&a, RN_EVENT_CM_REJECTED);
	assert_int_equal(ev.reason, 3);
	assert_memory_equal(ev.param.data, "no", 3);
	assert_int_equal(rn_client_cm_destroy(b.client, id), 0);

	assert_int_equal(rn_client_cm_destroy(b.client, b.id), 0);
	assert_int_equal(ask(&a, &b, 5), 0);
	assert_int_equal(event(&a, RN_EVENT_CM_REJECTED).reason, 1);
	assert_int_equal(rn_client_cm_destroy(a.client, a.id), 0);
	rn_client_close(a.client);
	rn_client_close(b.client);
}

static void wire_row_C29_services_are_found(void **state)
{
	found_refused_and_gone("adaptive");
	found_refused_and_gone("inline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(wire_row_C29_services_are_found)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
