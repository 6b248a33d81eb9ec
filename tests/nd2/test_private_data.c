/* Private data: the size in each CM message, what the peer receives, and which arguments are
 * refused. */
#include "fixture.h"

#include <stdio.h>
#include <sys/mman.h>

#define REQ_DATA 56u
#define REP_DATA 196u
#define REJ_DATA 148u

static uint8_t said[256];

static void say_something(void)
{
	for (unsigned i = 0; i < sizeof(said); i++)
		said[i] = (uint8_t)(i * 7 + 1);
}

/* Checks that GetPrivateData returns the first `len` bytes of `said`, and zeros up to a length of
 * `field` bytes. */
static void hears(IND2Connector *c, ULONG len, ULONG field)
{
	uint8_t got[256], want[256] = {0};
	ULONG cb = sizeof(got);

	memcpy(want, said, len);
	memset(got, 0xee, sizeof(got));
	HR(CALL(c, GetPrivateData, got, &cb), ND_SUCCESS);
	assert_int_equal(cb, field);
	assert_memory_equal(got, want, field);
	assert_int_equal(got[field], 0xee);
	/* Calls GetPrivateData three times: with a buffer of exactly `field` bytes, with one byte
	 * less, and without a buffer. */
	cb = field;
	HR(CALL(c, GetPrivateData, got, &cb), ND_SUCCESS);
	memset(got, 0xee, sizeof(got));
	cb = field - 1;
	HR(CALL(c, GetPrivateData, got, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, field);
	assert_memory_equal(got, want, field - 1);
	assert_int_equal(got[field - 1], 0xee);
	cb = 0;
	HR(CALL(c, GetPrivateData, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, field);
}

static void silent(IND2Connector *c)
{
	ULONG cb = 0;

	HR(CALL(c, GetPrivateData, NULL, &cb), ND_CONNECTION_INVALID);
}

static void take_request(struct pair *p, ULONG len, OVERLAPPED *connect)
{
	OVERLAPPED request = {0};

	HR(start_connect(p, NULL, said, len, connect), ND_PENDING);
	ENDS(p->listener,
	     CALL(p->listener, GetConnectionRequest, (IUnknown *)p->b.connector, &request),
	     &request, ND_SUCCESS);
}

static void nd2_own_data_of_each_message_is_padded(void **state)
{
	const ULONG req[] = {0, 1, 36, REQ_DATA}, answer[] = {0, 1, 56, REJ_DATA};

	say_something();
	for (unsigned i = 0; i < 4; i++) {
		OVERLAPPED connect = {0}, accept = {0};
		struct pair p;

		/* Checks the private data of Connect, Accept and the active side's Reject. */
		pair_open(&p, NULL);
		silent(p.a.connector);
		silent(p.b.connector);
		take_request(&p, req[i], &connect);
		silent(p.a.connector);
		hears(p.b.connector, req[i], REQ_DATA);
		HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, said, answer[i], &accept),
		   ND_PENDING);
		HR(finish(p.a.connector, &connect), ND_SUCCESS);
		hears(p.a.connector, answer[i], REP_DATA);
		hears(p.b.connector, req[i], REQ_DATA);
		HR(CALL(p.a.connector, Reject, said, answer[i]), ND_SUCCESS);
		HR(finish(p.b.connector, &accept), ND_CONNECTION_REFUSED);
		hears(p.b.connector, answer[i], REJ_DATA);
		pair_close(&p);
		/* Checks the private data of the passive side's Reject. */
		pair_open(&p, NULL);
		take_request(&p, req[i], &connect);
		HR(CALL(p.b.connector, Reject, said, answer[i]), ND_SUCCESS);
		HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
		hears(p.a.connector, answer[i], REJ_DATA);
		pair_close(&p);
	}
}

/* GetPrivateData still returns the data after Disconnect. */
static void nd2_own_data_outlives_the_connection(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0}, part = {0};
	struct pair p;

	say_something();
	pair_open(&p, NULL);
	take_request(&p, 5, &connect);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, said, 6, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	ENDS(p.a.connector, CALL(p.a.connector, Disconnect, &part), &part, ND_SUCCESS);
	hears(p.a.connector, 6, REP_DATA);
	hears(p.b.connector, 5, REQ_DATA);
	pair_close(&p);
}

static void nd2_own_too_much_data_for_a_rejection(void **state)
{
	OVERLAPPED connect = {0};
	struct pair p;

	say_something();
	pair_open(&p, NULL);
	take_request(&p, 0, &connect);
	HR(CALL(p.b.connector, Reject, said, limits.MaxCalleeData + 1), ND_INVALID_BUFFER_SIZE);
	HR(status_after(&connect, 20), ND_PENDING);
	HR(CALL(p.b.connector, Reject, said, limits.MaxCalleeData), ND_SUCCESS);
	HR(finish(p.a.connector, &connect), ND_CONNECTION_REFUSED);
	pair_close(&p);
}

/* Private data at an unreadable address are refused. The refused call changes nothing: the same
 * call with valid data succeeds. */
static void nd2_own_private_data_at_unreadable_address(void **state)
{
	OVERLAPPED connect = {0}, accept = {0};
	uint8_t *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *const bad[] = {NULL, gone, (void *)8};
	struct pair p;

	say_something();
	pair_open(&p, NULL);
	for (int i = 0; i < 3; i++)
		HR(start_connect(&p, NULL, bad[i], 8, &connect), ND_ACCESS_VIOLATION);
	/* The refused Connects have not written to the OVERLAPPED `connect`. */
	HR(status_after(&connect, 0), ND_SUCCESS);
	take_request(&p, 8, &connect);
	for (int i = 0; i < 3; i++)
		HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, bad[i], 8, &accept),
		   ND_ACCESS_VIOLATION);
	for (int i = 0; i < 3; i++)
		HR(CALL(p.b.connector, Reject, bad[i], 8), ND_ACCESS_VIOLATION);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, said, 8, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	hears(p.a.connector, 8, REP_DATA);
	pair_close(&p);
	munmap(gone, 4096);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_data_of_each_message_is_padded),
	cmocka_unit_test(nd2_own_data_outlives_the_connection),
	cmocka_unit_test(nd2_own_too_much_data_for_a_rejection),
	cmocka_unit_test(nd2_own_private_data_at_unreadable_address),
};

nd2_main(tests)
