/* Tests of failed queue pairs, of flushes and of the order of execution: rows 91 to 101 of
 * docs/spec/nd2.md. The rows about memory windows are in test_window.c. */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

static void nd2_row_091_bad_local_memory(void **state)
{
	struct pair p;
	ND2_SGE sge;

	/* A Send with an unknown local token. */
	pair_open_connected(&p, NULL);
	sge = (ND2_SGE){p.a.buf, 10, p.a.local ^ 0x5a5a5a00};
	HR(post_recv(&p.b, 0, 100, 9), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)1, &sge, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	pair_close(&p);
	/* A Write whose source ends one byte after the end of the region. */
	pair_open_connected(&p, NULL);
	sge = (ND2_SGE){p.a.buf + BUF_BYTES - 10, 11, p.a.local};
	HR(CALL(p.a.qp, Write, (void *)1, &sge, 1, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	pair_close(&p);
	/* A Read whose sink ends one byte after the end of the region. */
	pair_open_connected(&p, NULL);
	sge = (ND2_SGE){p.a.buf + BUF_BYTES - 10, 11, p.a.local};
	HR(CALL(p.a.qp, Read, (void *)1, &sge, 1, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	pair_close(&p);
}

static void beyond_the_remote_region(bool read)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 100, 9), ND_SUCCESS);
	if (read)
		HR(post_read(&p.a, 0, 101, 1, 0, &p.b, BUF_BYTES - 100), ND_SUCCESS);
	else
		HR(post_write(&p.a, 0, 101, 1, 0, &p.b, BUF_BYTES - 100), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	reap_is(p.b.cq, 9, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_092_beyond_the_remote_memory(void **state)
{
	beyond_the_remote_region(false);
	beyond_the_remote_region(true);
}

/* Returns the seconds after which a Send without a receive at the peer has failed. */
static double seconds_without_receive(void)
{
	struct timespec t0, t1;
	struct pair p;

	pair_open_connected(&p, NULL);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	HR(post_send(&p.a, 0, 10, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_IO_TIMEOUT);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	reap_none(p.b.cq, 100);
	pair_close(&p);
	return (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;
}

static void nd2_row_094_nothing_to_receive_it(void **state)
{
	double seconds = 5;

	/* On a busy machine the threads may get no CPU time for seconds, so a Send has three
	 * tries to fail within 5 s. */
	for (int i = 0; i < 3 && seconds >= 5; i++)
		seconds = seconds_without_receive();
	assert_true(seconds < 5);
	/* The receiving application may wait 0.8 s for a CPU before it posts a receive. The RNR
	 * retries must last longer than 0.8 s. */
	assert_true(seconds > 0.8);
}

static void nd2_row_095_receive_too_small(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 1023, 1), ND_SUCCESS);
	HR(post_send(&p.a, 0, 1024, 2, 0), ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_DATA_OVERRUN);
	reap_is(p.a.cq, 2, STATUS_DATA_ERROR);
	pair_close(&p);
}

static void nd2_row_096_after_a_failure_the_rest_is_cancelled_in_order(void **state)
{
	ND2_RESULT r;
	struct pair p;

	pair_open_connected(&p, NULL);
	for (uintptr_t i = 20; i < 24; i++)
		HR(post_recv(&p.a, 0, 10, i), ND_SUCCESS);
	HR(CALL(p.a.qp, Write, (void *)1, &(ND2_SGE){p.a.buf, 8, p.a.local}, 1, 0, 0x77, 0),
	   ND_SUCCESS);
	HR(post_send(&p.a, 0, 10, 2, ND_OP_FLAG_SILENT_SUCCESS), ND_SUCCESS);
	HR(post_read(&p.a, 0, 10, 3, 0, &p.b, 0), ND_SUCCESS);
	HR(post_write(&p.a, 0, 10, 4, 0, &p.b, 0), ND_SUCCESS);
	r = reap(p.a.cq);
	HR(r.Status, ND_ACCESS_VIOLATION);
	assert_int_equal(r.RequestType, Nd2RequestTypeWrite);
	for (uintptr_t sends = 2, recvs = 20; sends < 5 || recvs < 24;) {
		r = reap(p.a.cq);
		HR(r.Status, ND_CANCELED);
		assert_int_equal(r.BytesTransferred, 0);
		if (r.RequestType == Nd2RequestTypeReceive)
			assert_int_equal((uintptr_t)r.RequestContext, recvs++);
		else
			assert_int_equal((uintptr_t)r.RequestContext, sends++);
	}
	pair_close(&p);
}

static void nd2_row_097_more_reads_than_the_limit(void **state)
{
	const struct how how = {.in = 2, .out = 2};
	struct pair p;

	pair_open_connected(&p, &how);
	fill(&p.b, 0, 60 * 1000, 5);
	for (uintptr_t i = 0; i < 60; i++)
		HR(post_read(&p.a, i * 1000, 1000, i, 0, &p.b, i * 1000), ND_SUCCESS);
	for (uintptr_t i = 0; i < 60; i++)
		reap_is(p.a.cq, i, ND_SUCCESS);
	assert_true(filled(&p.a, 0, 60 * 1000, 5));
	pair_close(&p);
}

static void nd2_row_098_reads_one_at_a_time(void **state)
{
	OVERLAPPED connect = {0}, accept = {0}, complete = {0};
	const struct how how = {.depth = 128, .in = 8, .out = 8};
	struct pair p;

	pair_open(&p, &how);
	reach_request(&p, &how, &connect);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 0, NULL, 0, &accept), ND_PENDING);
	HR(finish(p.a.connector, &connect), ND_SUCCESS);
	ENDS(p.a.connector, CALL(p.a.connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	HR(finish(p.b.connector, &accept), ND_SUCCESS);
	for (uintptr_t i = 0; i < 100; i++)
		HR(post_read(&p.a, 0, 2000, i, 0, &p.b, 0), ND_SUCCESS);
	for (uintptr_t i = 0; i < 100; i++)
		reap_is(p.a.cq, i, ND_SUCCESS);
	/* Accept set the outbound read limit of end b to 0, so end b's Read is refused. */
	HR(post_read(&p.b, 0, 10, 1, 0, &p.a, 0), ND_INVALID_DEVICE_REQUEST);
	exchange(&p.b, &p.a);
	pair_close(&p);
}

static void nd2_row_099_flush_without_a_connection(void **state)
{
	OVERLAPPED ov = {0};
	ND2_RESULT r[2];
	struct end e;

	end_open(&e, 0, NULL);
	HR(post_recv(&e, 0, 10, 1), ND_SUCCESS);
	HR(post_recv(&e, 0, 10, 2), ND_SUCCESS);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.qp, Flush), ND_SUCCESS);
	HR(finish(e.cq, &ov), ND_SUCCESS);
	assert_int_equal(CALL(e.cq, GetResults, r, 2), 2);
	for (uintptr_t i = 0; i < 2; i++) {
		HR(r[i].Status, ND_CANCELED);
		assert_int_equal((uintptr_t)r[i].RequestContext, i + 1);
		assert_int_equal(r[i].RequestType, Nd2RequestTypeReceive);
	}
	/* A Send is refused, because there is no connection. The flushed queue pair accepts a
	 * receive and flushes it at once. */
	HR(post_send(&e, 0, 10, 3, 0), ND_CONNECTION_INVALID);
	HR(post_recv(&e, 0, 10, 4), ND_SUCCESS);
	reap_is(e.cq, 4, ND_CANCELED);
	end_close(&e);
}

static void nd2_row_100_flush_of_one_of_two(void **state)
{
	IND2QueuePair *other;
	ND2_SGE sge;
	struct end e;

	end_open(&e, 0, NULL);
	other = new_qp(&e, e.cq, NULL, NULL);
	sge = (ND2_SGE){e.buf, 10, e.local};
	HR(post_recv(&e, 0, 10, 1), ND_SUCCESS);
	HR(CALL(other, Receive, (void *)2, &sge, 1), ND_SUCCESS);
	HR(CALL(e.qp, Flush), ND_SUCCESS);
	reap_is(e.cq, 1, ND_CANCELED);
	reap_none(e.cq, 50);
	RELEASE(other);
	reap_is(e.cq, 2, ND_CANCELED);
	end_close(&e);
}

/* Waits in a busy loop until the last byte of the Write has arrived. The test can then check the
 * other bytes without delay. Fails after some seconds. */
static void await_byte(const volatile uint8_t *at, uint8_t value)
{
	for (unsigned spins = 0; *at != value; spins++) {
		if (spins % 1000 != 999)
			continue;
		if (spins > 5000 * 1000)
			sleep_ms(1);
		else
			sched_yield();
		if (spins > 5010 * 1000)
			fail_msg("the data never came");
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static bool all_are(const uint8_t *bytes, size_t n, uint8_t value)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

static void nd2_row_101_the_last_byte_comes_last(void **state)
{
	enum { LEN = 100 * 1000, LAST_PACKET = 2000 };
	struct pair p;

	pair_open_connected(&p, NULL);
	for (unsigned round = 1; round <= 100; round++) {
		memset(p.a.buf, (int)round, LEN);
		HR(post_write(&p.a, 0, LEN, round, 0, &p.b, 0), ND_SUCCESS);
		await_byte(p.b.buf + LEN - 1, (uint8_t)round);
		/* Check the last packet first. Any byte of that packet that is still missing could
		 * arrive while the other packets are checked. */
		assert_true(all_are(p.b.buf + LEN - LAST_PACKET, LAST_PACKET, (uint8_t)round));
		assert_true(all_are(p.b.buf, LEN, (uint8_t)round));
		reap_is(p.a.cq, round, ND_SUCCESS);
	}
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_091_bad_local_memory),
	cmocka_unit_test(nd2_row_092_beyond_the_remote_memory),
	cmocka_unit_test(nd2_row_094_nothing_to_receive_it),
	cmocka_unit_test(nd2_row_095_receive_too_small),
	cmocka_unit_test(nd2_row_096_after_a_failure_the_rest_is_cancelled_in_order),
	cmocka_unit_test(nd2_row_097_more_reads_than_the_limit),
	cmocka_unit_test(nd2_row_098_reads_one_at_a_time),
	cmocka_unit_test(nd2_row_099_flush_without_a_connection),
	cmocka_unit_test(nd2_row_100_flush_of_one_of_two),
	cmocka_unit_test(nd2_row_101_the_last_byte_comes_last),
};

nd2_main(tests)
