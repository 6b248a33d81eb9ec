/* Pending requests and how a client learns of their end: rows 37 to 52 of docs/spec/nd2.md. */
#include "fixture.h"

#include <pthread.h>

static IND2MemoryRegion *fresh_region(struct end *e)
{
	RELEASE(e->mr);
	e->mr = new_mr(e);
	return e->mr;
}

static HANDLE low_bit(HANDLE h)
{
	return (HANDLE)((uintptr_t)h | 1);
}

static void one_packet(HANDLE port, OVERLAPPED *ov, ULONG_PTR key, HRESULT status)
{
	NDS_PORT_ENTRY entry;
	ULONG n;

	HR(NdsPortGet(port, &entry, 1, 10000, &n), ND_SUCCESS);
	assert_int_equal(n, 1);
	assert_ptr_equal(entry.lpOverlapped, ov);
	assert_int_equal(entry.lpCompletionKey, key);
	HR(entry.Internal, status);
}

static void no_packet(HANDLE port, ULONG ms)
{
	NDS_PORT_ENTRY entry;
	ULONG n;

	HR(NdsPortGet(port, &entry, 1, ms, &n), ND_TIMEOUT);
}

static void nd2_row_037_event_alone(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE event;
	struct end e;

	end_open(&e, 0, NULL);
	fresh_region(&e);
	/* The event is created in the set state. The start of a request must reset the event. */
	HR(NdsEventCreate(0, 1, &event), ND_SUCCESS);
	ov.hEvent = event;
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(NdsEventWait(event, 20), ND_TIMEOUT);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(NdsEventWait(event, 10000), ND_SUCCESS);
	HR(NdsEventWait(event, 20), ND_TIMEOUT);
	HR(CALL(e.mr, Register, e.buf, 4096, 0, &ov), ND_PENDING);
	HR(NdsEventWait(event, 10000), ND_SUCCESS);
	HR(CALL(e.mr, GetOverlappedResult, &ov, 0), ND_SUCCESS);
	HR(NdsEventWait(event, 20), ND_TIMEOUT);
	NdsHandleClose(event);
	end_close(&e);
}

static void nd2_row_038_low_bit_keeps_the_port_silent(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE event, port;
	struct end e;

	end_open(&e, 0, NULL);
	fresh_region(&e);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, e.file, 5), ND_SUCCESS);
	HR(NdsEventCreate(0, 0, &event), ND_SUCCESS);
	ov.hEvent = low_bit(event);
	HR(CALL(e.mr, Register, e.buf, 4096, 0, &ov), ND_PENDING);
	HR(NdsEventWait(event, 10000), ND_SUCCESS);
	no_packet(port, 50);
	NdsHandleClose(event);
	end_close(&e);
	NdsHandleClose(port);
}

static void nd2_row_039_port_alone(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE port;
	struct end e;

	end_open(&e, 0, NULL);
	fresh_region(&e);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, e.file, 77), ND_SUCCESS);
	HR(CALL(e.mr, Register, e.buf, 4096, 0, &ov), ND_PENDING);
	one_packet(port, &ov, 77, ND_SUCCESS);
	no_packet(port, 50);
	end_close(&e);
	NdsHandleClose(port);
}

static void nd2_row_040_event_and_port(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE event, port;
	struct end e;

	end_open(&e, 0, NULL);
	fresh_region(&e);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, e.file, 1), ND_SUCCESS);
	HR(NdsEventCreate(1, 0, &event), ND_SUCCESS);
	ov.hEvent = event;
	HR(CALL(e.mr, Register, e.buf, 4096, 0, &ov), ND_PENDING);
	HR(NdsEventWait(event, 10000), ND_SUCCESS);
	one_packet(port, &ov, 1, ND_SUCCESS);
	NdsHandleClose(event);
	end_close(&e);
	NdsHandleClose(port);
}

static void nd2_row_041_neither_event_nor_port(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	fresh_region(&e);
	HR(CALL(e.mr, Register, e.buf, 4096, 0, &ov), ND_PENDING);
	HR(CALL(e.mr, GetOverlappedResult, &ov, 1), ND_SUCCESS);
	assert_int_not_equal(CALL(e.mr, GetLocalToken), 0);
	end_close(&e);
}

static void nd2_row_042_result_of_a_pending_request(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.cq, GetOverlappedResult, &ov, 0), ND_PENDING);
	assert_true(ov.Internal == 0x103);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	/* The NTSTATUS must not be sign-extended to 64 bits. */
	assert_true(ov.Internal == 0xC0000120);
	end_close(&e);
}

static void nd2_row_043_result_asked_of_another_object(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.mr, GetOverlappedResult, &ov, 0), ND_PENDING);
	HR(CALL(e.connector, GetOverlappedResult, &ov, 0), ND_PENDING);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(CALL(e.connector, GetOverlappedResult, &ov, 1), ND_CANCELED);
	end_close(&e);
}

static void nd2_row_044_result_asked_twice(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	for (int i = 0; i < 3; i++)
		HR(CALL(e.cq, GetOverlappedResult, &ov, i & 1), ND_CANCELED);
	end_close(&e);
}

static void nd2_row_045_cancel_of_nothing(void **state)
{
	IND2Listener *l;
	struct end e;

	end_open(&e, 0, NULL);
	l = new_listener(&e);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(CALL(e.mr, CancelOverlappedRequests), ND_SUCCESS);
	HR(CALL(e.connector, CancelOverlappedRequests), ND_SUCCESS);
	HR(CALL(l, CancelOverlappedRequests), ND_SUCCESS);
	RELEASE(l);
	end_close(&e);
}

static void nd2_row_046_cancelled_in_the_order_of_issue(void **state)
{
	OVERLAPPED ov[3] = {{0}};
	HANDLE port;
	struct end e;

	end_open(&e, 0, NULL);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, e.file, 1), ND_SUCCESS);
	for (int round = 0; round < 100; round++) {
		NDS_PORT_ENTRY entry[4];
		ULONG n;

		HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[0]), ND_PENDING);
		HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov[1]), ND_PENDING);
		HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_SOLICITED, &ov[2]), ND_PENDING);
		HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
		HR(NdsPortGet(port, entry, 4, 0, &n), ND_SUCCESS);
		assert_int_equal(n, 3);
		for (int i = 0; i < 3; i++) {
			assert_ptr_equal(entry[i].lpOverlapped, &ov[i]);
			HR(entry[i].Internal, ND_CANCELED);
			assert_true(NdsPortEntryFailed(&entry[i]));
		}
	}
	end_close(&e);
	NdsHandleClose(port);
}

static void nd2_row_047_cancelled_in_the_order_of_the_calls(void **state)
{
	OVERLAPPED a = {0}, b = {0};
	NDS_PORT_ENTRY entry[2];
	IND2CompletionQueue *other;
	ULONG n;
	HANDLE port;
	struct end e;

	end_open(&e, 0, NULL);
	other = new_cq(&e, 10);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, e.file, 1), ND_SUCCESS);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &a), ND_PENDING);
	HR(CALL(other, Notify, ND_CQ_NOTIFY_ANY, &b), ND_PENDING);
	HR(CALL(other, CancelOverlappedRequests), ND_SUCCESS);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	/* Both packets are at the completion port before CancelOverlappedRequests returns. */
	HR(NdsPortGet(port, entry, 2, 0, &n), ND_SUCCESS);
	assert_int_equal(n, 2);
	assert_ptr_equal(entry[0].lpOverlapped, &b);
	assert_ptr_equal(entry[1].lpOverlapped, &a);
	for (int i = 0; i < 2; i++)
		HR(entry[i].Internal, ND_CANCELED);
	RELEASE(other);
	end_close(&e);
	NdsHandleClose(port);
}

static void nd2_row_048_cancel_leaves_a_connection_alone(void **state)
{
	OVERLAPPED notify = {0};
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(CALL(p.a.connector, NotifyDisconnect, &notify), ND_PENDING);
	HR(CALL(p.a.connector, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&notify, 0), ND_CANCELED);
	exchange(&p.a, &p.b);
	exchange(&p.b, &p.a);
	pair_close(&p);
}

static pthread_mutex_t client_lock = PTHREAD_MUTEX_INITIALIZER;
static int callbacks;

static void routine(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	pthread_mutex_lock(&client_lock);
	callbacks += status == (DWORD)ND_CANCELED;
	pthread_mutex_unlock(&client_lock);
}

static void nd2_row_049_cancel_under_a_lock_of_the_routine(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;
	int seen = 0;

	end_open(&e, 0, NULL);
	HR(NdsFileBindCallback(e.file, routine), ND_SUCCESS);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	pthread_mutex_lock(&client_lock);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	pthread_mutex_unlock(&client_lock);
	for (int i = 0; i < 10000 && !seen; i++) {
		sleep_ms(2);
		pthread_mutex_lock(&client_lock);
		seen = callbacks;
		pthread_mutex_unlock(&client_lock);
	}
	assert_int_equal(seen, 1);
	end_close(&e);
}

static void nd2_row_050_release_retires_what_is_pending(void **state)
{
	OVERLAPPED cq = {0}, listener = {0}, connect = {0};
	struct pair p;

	pair_open(&p, NULL);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &cq), ND_PENDING);
	assert_int_equal(CALL(p.a.cq, Release), 0);
	p.a.cq = NULL;
	HR(status_after(&cq, 0), ND_CANCELED);
	HR(start_connect(&p, NULL, NULL, 0, &connect), ND_PENDING);
	assert_int_equal(CALL(p.a.connector, Release), 0);
	p.a.connector = NULL;
	HR(status_after(&connect, 0), ND_CANCELED);
	RELEASE(p.listener);
	listen_on(&p.b, &p.listener, &p.port, 0);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &listener),
	   ND_PENDING);
	assert_int_equal(CALL(p.listener, Release), 0);
	p.listener = NULL;
	HR(status_after(&listener, 0), ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_051_one_block_for_two_requests(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE port;
	HRESULT hr;
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(NdsPortCreate(&port), ND_SUCCESS);
	HR(NdsPortBind(port, p.a.file, 1), ND_SUCCESS);
	HR(CALL(p.a.connector, Disconnect, &ov), ND_PENDING);
	HR(CALL(p.a.mr, Deregister, &ov), ND_PENDING);
	/* Each of the two requests ends with its own packet. The shared OVERLAPPED holds the status
	 * of one of these requests. */
	one_packet(port, &ov, 1, ND_SUCCESS);
	one_packet(port, &ov, 1, ND_SUCCESS);
	hr = finish(p.a.mr, &ov);
	HR(hr, ND_SUCCESS);
	for (int i = 0; i < 1000; i++) {
		OVERLAPPED again = {0};

		hr = CALL(p.a.connector, Disconnect, &again);
		if (hr == ND_CONNECTION_INVALID)
			break;
		HR(hr, ND_INVALID_DEVICE_STATE);
		sleep_ms(10);
	}
	HR(hr, ND_CONNECTION_INVALID);
	no_packet(port, 20);
	pair_close(&p);
	NdsHandleClose(port);
}

static void nd2_row_052_close_of_an_event_with_its_low_bit(void **state)
{
	HANDLE event;

	HR(NdsEventCreate(0, 0, &event), ND_SUCCESS);
	HR(NdsHandleClose(low_bit(event)), ND_SUCCESS);
	HR(NdsHandleClose(event), ND_INVALID_HANDLE);
}

/* A file belongs to the adapter instance (OpenAdapter) that created the file. Another instance of
 * the same adapter cannot use the file. */
static void nd2_own_file_of_another_instance(void **state)
{
	IND2Adapter *again = open_adapter(0);
	HANDLE files[2];
	void *made;

	HR(CALL(again, CreateOverlappedFile, &files[0]), ND_SUCCESS);
	HR(CALL(adapters[1], CreateOverlappedFile, &files[1]), ND_SUCCESS);
	for (int i = 0; i < 2; i++) {
		IND2Adapter *a = adapters[0];

		HR(CALL(a, CreateCompletionQueue, &IID_IND2CompletionQueue, files[i], 8, 0, 0,
			&made),
		   ND_INVALID_HANDLE);
		HR(CALL(a, CreateMemoryRegion, &IID_IND2MemoryRegion, files[i], &made),
		   ND_INVALID_HANDLE);
		HR(CALL(a, CreateSharedReceiveQueue, &IID_IND2SharedReceiveQueue, files[i], 8, 1, 0,
			0, 0, &made),
		   ND_INVALID_HANDLE);
		HR(CALL(a, CreateConnector, &IID_IND2Connector, files[i], &made),
		   ND_INVALID_HANDLE);
		HR(CALL(a, CreateListener, &IID_IND2Listener, files[i], &made), ND_INVALID_HANDLE);
		assert_null(made);
	}
	HR(CALL(again, CreateMemoryRegion, &IID_IND2MemoryRegion, files[0], &made), ND_SUCCESS);
	CALL((IND2MemoryRegion *)made, Release);
	HR(NdsHandleClose(files[0]), ND_SUCCESS);
	HR(NdsHandleClose(files[1]), ND_SUCCESS);
	assert_int_equal(CALL(again, Release), 0);
	assert_int_equal(live_objects("memory region"), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_037_event_alone),
	cmocka_unit_test(nd2_row_038_low_bit_keeps_the_port_silent),
	cmocka_unit_test(nd2_row_039_port_alone),
	cmocka_unit_test(nd2_row_040_event_and_port),
	cmocka_unit_test(nd2_row_041_neither_event_nor_port),
	cmocka_unit_test(nd2_row_042_result_of_a_pending_request),
	cmocka_unit_test(nd2_row_043_result_asked_of_another_object),
	cmocka_unit_test(nd2_row_044_result_asked_twice),
	cmocka_unit_test(nd2_row_045_cancel_of_nothing),
	cmocka_unit_test(nd2_row_046_cancelled_in_the_order_of_issue),
	cmocka_unit_test(nd2_row_047_cancelled_in_the_order_of_the_calls),
	cmocka_unit_test(nd2_row_048_cancel_leaves_a_connection_alone),
	cmocka_unit_test(nd2_row_049_cancel_under_a_lock_of_the_routine),
	cmocka_unit_test(nd2_row_050_release_retires_what_is_pending),
	cmocka_unit_test(nd2_row_051_one_block_for_two_requests),
	cmocka_unit_test(nd2_row_052_close_of_an_event_with_its_low_bit),
	cmocka_unit_test(nd2_own_file_of_another_instance),
};

nd2_main(tests)
