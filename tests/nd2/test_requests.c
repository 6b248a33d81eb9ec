/* Tests of pending requests, in addition to the rows of docs/spec/nd2.md. The tests ask:
 * - Where is the end of a request reported if the request's file is bound to a completion port
 *   late, or if a handle is closed early?
 * - Is the end of each request reported exactly once?
 * - Does a refused call report nothing? */
#include "fixture.h"
#include "sleeping.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <unistd.h>

static HANDLE new_port(HANDLE file, ULONG_PTR key)
{
	HANDLE port;

	HR(NdsPortCreate(&port), ND_SUCCESS);
	if (file != NULL)
		HR(NdsPortBind(port, file, key), ND_SUCCESS);
	return port;
}

static HANDLE new_event(bool manual)
{
	HANDLE event;

	HR(NdsEventCreate(manual, 0, &event), ND_SUCCESS);
	return event;
}

/* Takes up to n packets that are at the completion port now. Returns the number of packets
 * taken. */
static ULONG take(HANDLE port, NDS_PORT_ENTRY *entries, ULONG n)
{
	ULONG got;

	NdsPortGet(port, entries, n, 0, &got);
	return got;
}

static void packet_is(HANDLE port, OVERLAPPED *ov, ULONG_PTR key, HRESULT status)
{
	NDS_PORT_ENTRY entry;
	ULONG n;

	HR(NdsPortGet(port, &entry, 1, 10000, &n), ND_SUCCESS);
	assert_ptr_equal(entry.lpOverlapped, ov);
	assert_int_equal(entry.lpCompletionKey, key);
	HR(entry.Internal, status);
}

static void fire(struct end *e)
{
	HR(post_recv(e, 0, 10, 1), ND_SUCCESS);
	HR(CALL(e->qp, Flush), ND_SUCCESS);
}

/* ---- files bound to a completion port ---- */

/* A request's packet goes to the completion port to which the request's file is bound when the
 * request ends. The file may be bound after the request was started. */
static void nd2_own_a_file_bound_late(void **state)
{
	OVERLAPPED ov[2] = {{0}};
	HANDLE port;
	struct end e;

	end_open(&e, 0, NULL);
	for (int i = 0; i < 2; i++)
		HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov[i]), ND_PENDING);
	port = new_port(e.file, 9);
	fire(&e);
	packet_is(port, &ov[0], 9, ND_SUCCESS);
	packet_is(port, &ov[1], 9, ND_SUCCESS);
	/* A file can be bound to a completion port only once. The file stays bound for its whole
	 * life. */
	HR(NdsPortBind(port, e.file, 10), ND_INVALID_PARAMETER);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov[0]), ND_PENDING);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	packet_is(port, &ov[0], 9, ND_CANCELED);
	end_close(&e);
	NdsHandleClose(port);
}

/* The modes NDS_FILE_SKIP_* are always on, so setting them succeeds and changes nothing. */
static void nd2_own_modes_set_again(void **state)
{
	OVERLAPPED ov = {0};
	HANDLE port;
	struct end e;

	end_open(&e, 0, NULL);
	HR(NdsFileSetModes(e.file, NDS_FILE_SKIP_PORT_ON_SUCCESS | NDS_FILE_SKIP_EVENT_ON_FILE),
	   ND_SUCCESS);
	port = new_port(e.file, 1);
	HR(CALL(e.mr, Deregister, &ov), ND_PENDING);
	packet_is(port, &ov, 1, ND_SUCCESS);
	end_close(&e);
	NdsHandleClose(port);
}

/* ---- completion routines ---- */

static struct {
	struct end *e;
	_Atomic int again, calls;
	_Atomic uint32_t last;
} heard;

/* The completion routine starts the next Notify with the same OVERLAPPED, as clients do. */
static void notify_again(DWORD status, DWORD bytes, OVERLAPPED *ov)
{
	heard.last = status;
	if (heard.again-- > 0) {
		HR(CALL(heard.e->cq, Notify, ND_CQ_NOTIFY_ERRORS, ov), ND_PENDING);
		HR(CALL(heard.e->cq, CancelOverlappedRequests), ND_SUCCESS);
	}
	heard.calls++;
}

static void wait_for_calls(int n)
{
	for (int i = 0; i < 10000 && heard.calls < n; i++)
		sleep_ms(1);
	assert_int_equal(heard.calls, n);
}

static void nd2_own_routines_get_the_raw_status(void **state)
{
	OVERLAPPED ov = {0};
	struct end e;

	end_open(&e, 0, NULL);
	memset(&heard, 0, sizeof(heard));
	heard.e = &e;
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	HR(NdsFileBindCallback(e.file, notify_again), ND_SUCCESS);
	HR(NdsFileBindCallback(e.file, notify_again), ND_INVALID_PARAMETER);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	wait_for_calls(1);
	assert_int_equal(heard.last, (uint32_t)ND_CANCELED);
	HR(CALL(e.mr, Deregister, &ov), ND_PENDING);
	wait_for_calls(2);
	assert_int_equal(heard.last, 0);
	heard.again = 500;
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	wait_for_calls(503);
	end_close(&e);
}

/* ---- CancelOverlappedRequests ---- */

static void ended_in_order(HANDLE port, OVERLAPPED *ov, ULONG n, HRESULT status)
{
	NDS_PORT_ENTRY e[16];

	assert_int_equal(take(port, e, 16), n);
	for (ULONG i = 0; i < n; i++) {
		assert_ptr_equal(e[i].lpOverlapped, ov + i);
		HR(e[i].Internal, status);
	}
}

/* When CancelOverlappedRequests returns, the packets of all requests of the object are at the
 * completion port. They are in the order of the requests. Each kind of object is tested. */
static void nd2_own_cancel_has_queued_everything(void **state)
{
	enum { N = 5 };
	OVERLAPPED ov[N] = {{0}};
	IND2Connector *waiting[N];
	IND2MemoryRegion *mr;
	HANDLE port[2];
	struct pair p;

	pair_open_connected(&p, NULL);
	port[0] = new_port(p.a.file, 1);
	port[1] = new_port(p.b.file, 1);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < N; i++)
			HR(CALL(p.a.cq, Notify, (ULONG)i % 3, &ov[i]), ND_PENDING);
		HR(CALL(p.a.cq, CancelOverlappedRequests), ND_SUCCESS);
		ended_in_order(port[0], ov, N, ND_CANCELED);
		for (int i = 0; i < N; i++)
			HR(CALL(p.a.connector, NotifyDisconnect, &ov[i]), ND_PENDING);
		HR(CALL(p.a.connector, CancelOverlappedRequests), ND_SUCCESS);
		ended_in_order(port[0], ov, N, ND_CANCELED);
		for (int i = 0; i < N; i++) {
			waiting[i] = new_connector(&p.b);
			HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)waiting[i], &ov[i]),
			   ND_PENDING);
		}
		HR(CALL(p.listener, CancelOverlappedRequests), ND_SUCCESS);
		ended_in_order(port[1], ov, N, ND_CANCELED);
		for (int i = 0; i < N; i++)
			RELEASE(waiting[i]);
		/* These requests succeed and are not cancelled. CancelOverlappedRequests waits
		 * until the packets of all these requests are at the completion port. */
		mr = new_mr(&p.a);
		HR(CALL(mr, Register, p.a.buf, 100, 0, &ov[0]), ND_PENDING);
		HR(CALL(mr, Deregister, &ov[1]), ND_PENDING);
		HR(CALL(mr, Register, p.a.buf, 100, 0, &ov[2]), ND_PENDING);
		HR(CALL(mr, CancelOverlappedRequests), ND_SUCCESS);
		ended_in_order(port[0], ov, 3, ND_SUCCESS);
		/* Like CancelOverlappedRequests, Release returns only when the completions of the
		 * pending requests are at the completion port. */
		HR(CALL(mr, Deregister, &ov[0]), ND_PENDING);
		RELEASE(mr);
		ended_in_order(port[0], ov, 1, ND_SUCCESS);
	}
	exchange(&p.a, &p.b);
	pair_close(&p);
	for (int i = 0; i < 2; i++)
		NdsHandleClose(port[i]);
}

/* ---- each request ends once ---- */

/* Makes all calls from Connect to Disconnect, each with its own OVERLAPPED. Each call returns
 * ND_PENDING, and each request ends with exactly one packet. */
static void nd2_own_each_pending_call_ends_once(void **state)
{
	enum { CONNECT, COMPLETE, NOTIFY_A, PART, DEREG, CQ_A, A_BLOCKS };
	enum { REQUEST, ACCEPT, NOTIFY_B, PART_B, CQ_B, B_BLOCKS };
	static const HRESULT at_a[A_BLOCKS] = {[NOTIFY_A] = STATUS_CONNECTION_DISCONNECTED};
	OVERLAPPED a[A_BLOCKS] = {{0}}, b[B_BLOCKS] = {{0}};
	unsigned seen_a[A_BLOCKS] = {0}, seen_b[B_BLOCKS] = {0};
	NDS_PORT_ENTRY e[32];
	HANDLE port[2];
	ULONG n;
	struct pair p;

	pair_open(&p, NULL);
	port[0] = new_port(p.a.file, 1);
	port[1] = new_port(p.b.file, 1);
	HR(CALL(p.listener, GetConnectionRequest, (IUnknown *)p.b.connector, &b[REQUEST]),
	   ND_PENDING);
	HR(start_connect(&p, NULL, NULL, 0, &a[CONNECT]), ND_PENDING);
	HR(finish(p.listener, &b[REQUEST]), ND_SUCCESS);
	HR(CALL(p.b.connector, Accept, (IUnknown *)p.b.qp, 1, 1, NULL, 0, &b[ACCEPT]), ND_PENDING);
	HR(finish(p.a.connector, &a[CONNECT]), ND_SUCCESS);
	HR(CALL(p.a.connector, CompleteConnect, &a[COMPLETE]), ND_PENDING);
	HR(finish(p.b.connector, &b[ACCEPT]), ND_SUCCESS);
	HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &a[CQ_A]), ND_PENDING);
	HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &b[CQ_B]), ND_PENDING);
	HR(CALL(p.a.connector, NotifyDisconnect, &a[NOTIFY_A]), ND_PENDING);
	HR(CALL(p.b.connector, NotifyDisconnect, &b[NOTIFY_B]), ND_PENDING);
	exchange(&p.a, &p.b);
	HR(CALL(p.a.mr, Deregister, &a[DEREG]), ND_PENDING);
	HR(CALL(p.a.connector, Disconnect, &a[PART]), ND_PENDING);
	HR(finish(p.b.connector, &b[NOTIFY_B]), ND_SUCCESS);
	HR(CALL(p.b.connector, Disconnect, &b[PART_B]), ND_PENDING);
	HR(finish(p.b.connector, &b[PART_B]), ND_SUCCESS);
	HR(finish(p.a.connector, &a[PART]), ND_SUCCESS);
	pair_close(&p);
	n = take(port[0], e, 32);
	for (ULONG i = 0; i < n; i++)
		seen_a[e[i].lpOverlapped - a]++;
	n = take(port[1], e, 32);
	for (ULONG i = 0; i < n; i++)
		seen_b[e[i].lpOverlapped - b]++;
	for (int i = 0; i < A_BLOCKS; i++) {
		assert_int_equal(seen_a[i], 1);
		HR(status_after(&a[i], 0), at_a[i]);
	}
	for (int i = 0; i < B_BLOCKS; i++) {
		assert_int_equal(seen_b[i], 1);
		HR(status_after(&b[i], 0), ND_SUCCESS);
	}
	for (int i = 0; i < 2; i++)
		NdsHandleClose(port[i]);
}

/* Two requests of one object, or of two objects, share an OVERLAPPED. Each of the requests ends
 * with its own packet. */
static void nd2_own_one_block_twice_two_packets(void **state)
{
	NDS_PORT_ENTRY e[4];
	OVERLAPPED ov = {0};
	HANDLE port;
	struct pair p;
	ULONG n = 0;

	pair_open_connected(&p, NULL);
	port = new_port(p.a.file, 1);
	for (int i = 0; i < 2; i++)
		HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	HR(CALL(p.a.cq, CancelOverlappedRequests), ND_SUCCESS);
	assert_int_equal(take(port, e, 4), 2);
	assert_true(e[0].lpOverlapped == &ov && e[1].lpOverlapped == &ov);
	HR(CALL(p.a.connector, Disconnect, &ov), ND_PENDING);
	HR(CALL(p.a.mr, Deregister, &ov), ND_PENDING);
	for (int i = 0; i < 10000 && n < 2; i++) {
		n += take(port, e + n, 4 - n);
		sleep_ms(1);
	}
	assert_int_equal(n, 2);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(e[i].lpOverlapped, &ov);
		HR(e[i].Internal, ND_SUCCESS);
	}
	pair_close(&p);
	NdsHandleClose(port);
}

/* A refused call has no effect except its return value. The call sets no event and queues no
 * packet. A pending request with the same OVERLAPPED goes on. */
static void nd2_own_a_refused_call_shows_nothing(void **state)
{
	struct sockaddr_in nowhere = {.sin_family = AF_INET};
	HANDLE event = new_event(true), port;
	OVERLAPPED ov = {.hEvent = event};
	IND2MemoryRegion *mr;
	IND2Listener *l;
	struct end e;

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	l = new_listener(&e);
	port = new_port(e.file, 1);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	for (int set = 0; set < 2; set++) {
		NDS_PORT_ENTRY packet;

		if (set)
			NdsEventSet(event);
		HR(CALL(e.cq, Notify, 3, &ov), ND_INVALID_PARAMETER_1);
		HR(CALL(e.mr, Register, e.buf, 100, 0, &ov), ND_INVALID_DEVICE_STATE);
		HR(CALL(mr, Register, NULL, 100, 0, &ov), ND_INVALID_PARAMETER);
		HR(CALL(mr, Register, e.buf, 0, 0, &ov), ND_INVALID_BUFFER_SIZE);
		HR(CALL(mr, Deregister, &ov), ND_INVALID_DEVICE_STATE);
		HR(CALL(e.connector, Connect, (IUnknown *)e.cq, SA(&nowhere), sizeof(nowhere), 0, 0,
			NULL, 0, &ov),
		   ND_INVALID_PARAMETER_1);
		HR(CALL(e.connector, Connect, (IUnknown *)e.qp, SA(&nowhere), sizeof(nowhere), 0, 0,
			NULL, 0, &ov),
		   STATUS_ADDRESS_NOT_ASSOCIATED);
		HR(CALL(e.connector, CompleteConnect, &ov), ND_CONNECTION_INVALID);
		HR(CALL(e.connector, NotifyDisconnect, &ov), ND_CONNECTION_INVALID);
		HR(CALL(e.connector, Disconnect, &ov), ND_CONNECTION_INVALID);
		HR(CALL(l, GetConnectionRequest, (IUnknown *)e.connector, &ov),
		   ND_INVALID_DEVICE_STATE);
		HR(status_after(&ov, 0), ND_PENDING);
		HR(NdsEventWait(event, 0), set ? ND_SUCCESS : ND_TIMEOUT);
		assert_int_equal(take(port, &packet, 1), 0);
	}
	NdsEventReset(event);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	packet_is(port, &ov, 1, ND_CANCELED);
	HR(NdsEventWait(event, 0), ND_SUCCESS);
	RELEASE(l);
	RELEASE(mr);
	end_close(&e);
	NdsHandleClose(event);
	NdsHandleClose(port);
}

/* ---- handles closed while in use ---- */

static void nd2_own_handles_closed_early(void **state)
{
	OVERLAPPED ov = {.hEvent = new_event(true)}, other = {.hEvent = new_event(true)};
	uint64_t events = live_objects("event"), ports = live_objects("port"),
		 files = live_objects("file");
	NDS_PORT_ENTRY entry;
	HANDLE mine, others;
	struct end e, f;
	ULONG n;

	end_open(&e, 0, NULL);
	end_open(&f, 0, NULL);
	mine = new_port(e.file, 1);
	others = new_port(f.file, 2);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_PENDING);
	HR(CALL(f.cq, Notify, ND_CQ_NOTIFY_ERRORS, &other), ND_PENDING);
	HR(NdsHandleClose(ov.hEvent), ND_SUCCESS);
	HR(NdsHandleClose(e.file), ND_SUCCESS);
	HR(NdsHandleClose(mine), ND_SUCCESS);
	/* The handles are invalid. But the event, the file and the completion port exist until the
	 * pending request has ended. */
	HR(NdsPortGet(mine, &entry, 1, 0, &n), ND_INVALID_HANDLE);
	HR(NdsHandleClose(e.file), ND_INVALID_HANDLE);
	assert_int_equal(live_objects("event"), events);
	assert_int_equal(live_objects("port"), ports + 2);
	assert_int_equal(live_objects("file"), files + 2);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(status_after(&ov, 0), ND_CANCELED);
	assert_int_equal(live_objects("event"), events - 1);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ERRORS, &ov), ND_INVALID_HANDLE);
	ov.hEvent = NULL;
	ENDS(e.mr, CALL(e.mr, Deregister, &ov), &ov, ND_SUCCESS);
	/* The steps above have not affected the pending request on the other file, f.file. */
	HR(status_after(&other, 0), ND_PENDING);
	HR(CALL(f.cq, CancelOverlappedRequests), ND_SUCCESS);
	packet_is(others, &other, 2, ND_CANCELED);
	HR(NdsEventWait(other.hEvent, 0), ND_SUCCESS);
	end_close(&e);
	end_close(&f);
	NdsHandleClose(others);
	NdsHandleClose(other.hEvent);
	assert_int_equal(live_objects("event"), events - 2);
	assert_int_equal(live_objects("port"), ports);
	assert_int_equal(live_objects("file"), files);
}

static _Atomic unsigned waiting;
static _Atomic pid_t waiter[2];

static void *wait_at_port(void *port)
{
	NDS_PORT_ENTRY entry;
	ULONG n;

	waiter[waiting++] = gettid();
	return (void *)(intptr_t)NdsPortGet(port, &entry, 1, 10000, &n);
}

static void nd2_own_a_port_closed_while_threads_wait(void **state)
{
	pthread_t thread[2];
	void *hr;
	struct end e;
	HANDLE port;

	end_open(&e, 0, NULL);
	port = new_port(e.file, 1);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, wait_at_port, port), 0);
	for (int ms = 0; ms < 20000 && !(thread_sleeps(waiter[0]) && thread_sleeps(waiter[1]));
	     ms++)
		sleep_ms(1);
	HR(NdsHandleClose(port), ND_SUCCESS);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &hr);
		HR((HRESULT)(intptr_t)hr, ND_CANCELED);
	}
	end_close(&e);
}

/* ---- a client's epoll loop ---- */

static int next_ready(int epoll, int ms)
{
	struct epoll_event ready;

	return epoll_wait(epoll, &ready, 1, ms) == 1 ? ready.data.fd : -1;
}

static void nd2_own_descriptors_in_a_poll_loop(void **state)
{
	HANDLE event = new_event(true), port;
	OVERLAPPED at_event = {.hEvent = event}, at_port = {0};
	int epoll = epoll_create1(0), event_fd, port_fd;
	struct pair p;

	pair_open_connected(&p, NULL);
	port = new_port(p.b.file, 3);
	event_fd = NdsEventGetFd(event);
	port_fd = NdsPortGetFd(port);
	assert_true(epoll >= 0 && event_fd >= 0 && port_fd >= 0);
	/* NdsPortGetFd returns the same descriptor every time. */
	assert_int_equal(NdsPortGetFd(port), port_fd);
	for (int i = 0; i < 2; i++) {
		int fd = i ? port_fd : event_fd;
		struct epoll_event in = {.events = EPOLLIN, .data.fd = fd};

		assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &in), 0);
	}
	for (int i = 0; i < 50; i++) {
		assert_int_equal(next_ready(epoll, 0), -1);
		HR(CALL(p.a.cq, Notify, ND_CQ_NOTIFY_ANY, &at_event), ND_PENDING);
		HR(post_send(&p.a, 0, 10, 1, 0), ND_SUCCESS);
		HR(post_recv(&p.b, 0, 10, 2), ND_SUCCESS);
		assert_int_equal(next_ready(epoll, 10000), event_fd);
		HR(NdsEventReset(event), ND_SUCCESS);
		reap_is(p.a.cq, 1, ND_SUCCESS);
		HR(CALL(p.b.cq, Notify, ND_CQ_NOTIFY_ANY, &at_port), ND_PENDING);
		assert_int_equal(next_ready(epoll, 10000), port_fd);
		packet_is(port, &at_port, 3, ND_SUCCESS);
		reap_is(p.b.cq, 2, ND_SUCCESS);
	}
	pair_close(&p);
	NdsHandleClose(event);
	NdsHandleClose(port);
	close(epoll);
	assert_int_equal(NdsEventGetFd(event), -1);
	assert_int_equal(NdsPortGetFd(port), -1);
}

/* ---- teardown and main ---- */

static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return 0;
}

#define own(f) cmocka_unit_test_setup_teardown(f, open_adapters, nothing_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		own(nd2_own_a_file_bound_late),
		own(nd2_own_modes_set_again),
		own(nd2_own_routines_get_the_raw_status),
		own(nd2_own_cancel_has_queued_everything),
		own(nd2_own_each_pending_call_ends_once),
		own(nd2_own_one_block_twice_two_packets),
		own(nd2_own_a_refused_call_shows_nothing),
		own(nd2_own_handles_closed_early),
		own(nd2_own_a_port_closed_while_threads_wait),
		own(nd2_own_descriptors_in_a_poll_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
