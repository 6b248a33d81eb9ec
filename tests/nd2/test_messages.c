/* Tests the messages about connections and queue pairs that are logged at log.level info. A message
 * about a full table must name the configuration key that sets the size of the table. */
#include "fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#define CALLERS 8

static int saved = -1;
static FILE *caught;
static char text[65536];

/* Redirects standard error into a file for one test. */
static int hear(void **state)
{
	fflush(stderr);
	saved = dup(STDERR_FILENO);
	caught = tmpfile();
	assert_non_null(caught);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
	return 0;
}

static int stop(void **state)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(caught);
	return 0;
}

static const char *heard(void)
{
	ssize_t n;

	fflush(stderr);
	n = pread(fileno(caught), text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

/* Waits at most 10 s for a text in the log. The log is written up to 0.1 s after the event. */
static void await(const char *what)
{
	for (int i = 0; strstr(heard(), what) == NULL; i++) {
		if (i == 500)
			fail_msg("not heard: %s; but: %s", what, heard());
		sleep_ms(20);
	}
}

static HRESULT disconnect(struct end *e)
{
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(e->connector, Disconnect, &ov);

	return hr == ND_PENDING ? finish(e->connector, &ov) : hr;
}

static void connections_are_logged_with_their_end(void **state)
{
	char made[128], ended[128];
	struct pair p;

	pair_open_connected(&p, NULL);
	snprintf(made, sizeof(made), " to 192.0.2.2:%u made, queue pair ", p.port);
	await("softrnic: info: adapter a: connection 192.0.2.1:");
	await(made);
	snprintf(made, sizeof(made),
		 "softrnic: info: adapter b: connection 192.0.2.2:%u to 192.0.2.1:", p.port);
	await(made);
	HR(disconnect(&p.a), ND_SUCCESS);
	snprintf(ended, sizeof(ended), " to 192.0.2.2:%u ended, queue pair ", p.port);
	await(ended);
	await(": disconnected here\n");
	await(": the peer disconnected\n");
	pair_close(&p);
}

static void a_refused_connect_is_logged_with_its_reason(void **state)
{
	struct sockaddr_in nobody = address_of(1, 4711);
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	bind_any(&e, e.connector);
	HR(CALL(e.connector, Connect, (IUnknown *)e.qp, SA(&nobody), sizeof(nobody), 0, 0, NULL, 0,
		&ov),
	   ND_PENDING);
	HR(finish(e.connector, &ov), ND_CONNECTION_REFUSED);
	await(" to 192.0.2.2:4711: invalid service id: no listener\n");
	end_close(&e);
}

static void a_failed_queue_pair_says_why_on_both_sides(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	p.b.remote ^= 0x5500; /* a token that no region has */
	HR(post_write(&p.a, 0, 100, 1, 0, &p.b, 0), ND_SUCCESS);
	HR(reap(p.a.cq).Status, ND_ACCESS_VIOLATION);
	await(" to 192.0.2.2 failed: remote access error\n");
	await(" to 192.0.2.1 failed: R_Key unknown, of another PD, or of a window of another QP\n");
	pair_close(&p);
}

static void a_full_table_names_its_key(void **state)
{
	IND2CompletionQueue *cq[9] = {NULL};
	struct end e;
	unsigned n = 0;
	HRESULT hr = ND_SUCCESS;

	end_open(&e, 0, NULL);
	while (n < 9 && hr == ND_SUCCESS)
		hr = CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e.file, 16,
			  0, 0, (void **)&cq[n++]);
	HR(hr, ND_INSUFFICIENT_RESOURCES);
	await("softrnic: warning: adapter a: no room for another completion queue: limits.max_cq "
	      "is 8\n");
	for (unsigned i = 0; i < n; i++)
		RELEASE(cq[i]);
	end_close(&e);
}

/* A neighbour keeps its table entry while its address is being resolved. No host answers for these
 * addresses. */
static void a_full_table_of_neighbours_names_its_key(void **state)
{
	IND2Connector *c[6];
	IND2QueuePair *qp[6];
	OVERLAPPED ov[6] = {{0}};
	struct end e;

	end_open(&e, 0, NULL);
	for (int i = 0; i < 6; i++) {
		struct sockaddr_in to = address_of(1, 4711);

		to.sin_addr.s_addr += htonl(100 + (uint32_t)i);
		c[i] = new_connector(&e);
		qp[i] = new_qp(&e, e.cq, NULL, NULL);
		bind_any(&e, c[i]);
		HR(CALL(c[i], Connect, (IUnknown *)qp[i], SA(&to), sizeof(to), 0, 0, NULL, 0,
			&ov[i]),
		   ND_PENDING);
	}
	await("softrnic: warning: adapter a: all entries of the neighbour table are in use, ");
	await(": no MAC address could be found for the next hop\n");
	for (int i = 0; i < 6; i++) {
		CALL(OV(c[i]), CancelOverlappedRequests);
		assert_true(FAILED(finish(c[i], &ov[i])));
		RELEASE(c[i]);
		RELEASE(qp[i]);
	}
	end_close(&e);
}

/* No connector takes these connection requests, so they stay open. The number of open connection
 * requests per peer is limited. Further requests are refused. */
static void refused_requests_are_a_warning(void **state)
{
	struct sockaddr_in to;
	IND2Connector *c[CALLERS];
	IND2QueuePair *qp[CALLERS];
	OVERLAPPED ov[CALLERS] = {{0}};
	IND2Listener *listener;
	struct end a, b;
	uint16_t port;

	end_open(&a, 0, NULL);
	end_open(&b, 1, NULL);
	listen_on(&b, &listener, &port, 0);
	to = address_of(1, port);
	for (int i = 0; i < CALLERS; i++) {
		c[i] = new_connector(&a);
		qp[i] = new_qp(&a, a.cq, NULL, NULL);
		bind_any(&a, c[i]);
		HR(CALL(c[i], Connect, (IUnknown *)qp[i], SA(&to), sizeof(to), 0, 0, NULL, 0,
			&ov[i]),
		   ND_PENDING);
	}
	await("softrnic: warning: adapter b: connection requests are refused because a backlog or table is full, ");
	RELEASE(listener);
	for (int i = 0; i < CALLERS; i++) {
		assert_true(FAILED(finish(c[i], &ov[i])));
		RELEASE(c[i]);
		RELEASE(qp[i]);
	}
	end_close(&a);
	end_close(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, hear, stop)

static const struct CMUnitTest tests[] = {
	TEST(connections_are_logged_with_their_end),
	TEST(a_refused_connect_is_logged_with_its_reason),
	TEST(a_failed_queue_pair_says_why_on_both_sides),
	TEST(a_full_table_names_its_key),
	TEST(refused_requests_are_a_warning),
	TEST(a_full_table_of_neighbours_names_its_key),
};

int main(void)
{
	use_config("adapters = (\n"
		   "{ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv4 = [ \"192.0.2.1/24\" ]; "
		   "ipv6 = [ \"2001:db8::1/64\" ]; },\n"
		   "{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ \"192.0.2.2/24\" ]; "
		   "ipv6 = [ \"2001:db8::2/64\" ]; });\n"
		   "limits = { max_cq = 8; max_neigh = 4; max_cm = 32; };\nlog = { level = "
		   "\"info\"; };\n");
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
