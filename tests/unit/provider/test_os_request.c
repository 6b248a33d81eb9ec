/* Requests from begin to end: where a client sees the end, in which order requests end, and that
 * the client's memory is not touched afterwards. Also tested: files, their bindings to completion
 * ports, and the threads that call completion routines. */
#include "os_testing.h"

#include "os/event.h"
#include "os/file.h"
#include "os/request.h"

#include <sched.h>
#include <stdatomic.h>

/* A file as an adapter creates it, with or without a completion port bound to the file. */
struct rig {
	HANDLE h_file;
	struct os_file *file;
	HANDLE port;
};

static struct rig new_rig(bool with_port)
{
	struct rig rig = {0};

	assert_status(os_file_create(77, &rig.h_file), ND_SUCCESS);
	rig.file = os_file_get(rig.h_file);
	assert_non_null(rig.file);
	if (with_port) {
		assert_status(NdsPortCreate(&rig.port), ND_SUCCESS);
		assert_status(NdsPortBind(rig.port, rig.h_file, 42), ND_SUCCESS);
	}
	return rig;
}

static void drop_rig(struct rig *rig)
{
	os_file_put(rig->file);
	NdsHandleClose(rig->h_file);
	if (rig->port)
		NdsHandleClose(rig->port);
}

static HANDLE new_event(bool manual, bool set)
{
	HANDLE event;

	assert_status(NdsEventCreate(manual, set, &event), ND_SUCCESS);
	return event;
}

static struct os_request *begin_only(const struct rig *rig, OVERLAPPED *overlapped)
{
	struct os_request *request;

	assert_status(os_request_begin(rig->file, overlapped, &request), ND_SUCCESS);
	return request;
}

/* Begins a request and makes it pending by adding it to a list, as the provider's methods do. Then
 * takes the request out of the list. */
static struct os_request *begin(const struct rig *rig, OVERLAPPED *overlapped)
{
	struct os_request *request = begin_only(rig, overlapped);
	struct os_request_list list;

	os_request_list_init(&list);
	os_request_list_add(&list, request);
	os_request_list_remove(&list, request);
	assert_int_equal(overlapped->Internal, (uint32_t)ND_PENDING);
	return request;
}

static ULONG packets_in(const struct rig *rig, NDS_PORT_ENTRY *entries, ULONG n)
{
	ULONG got;

	NdsPortGet(rig->port, entries, n, 0, &got);
	return got;
}

/* Columns: the file is bound to a completion port; hEvent is set; the low bit of hEvent is set;
 * number of packets queued by the end of the request. */
static void request_end_is_visible_by_event_and_port(void **state)
{
	static const struct {
		bool port, event, low_bit;
		ULONG packets;
	} rows[] = {
		{false, true, false, 0}, {true, true, true, 0},	 {true, false, false, 1},
		{true, true, false, 1},	 {true, false, true, 0}, {false, false, false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig = new_rig(rows[i].port);
		HANDLE event = rows[i].event ? new_event(true, true) : NULL;
		OVERLAPPED ov = {.hEvent = with_bits(event, rows[i].low_bit)};
		struct os_request *request = begin(&rig, &ov);
		NDS_PORT_ENTRY e[2];

		if (event)
			assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
		os_request_complete(request, ND_CONNECTION_REFUSED);
		assert_status(os_overlapped_result(&ov, true), ND_CONNECTION_REFUSED);
		os_notice_flush();
		assert_int_equal(ov.Internal, UINT64_C(0xC0000236));
		if (event)
			assert_status(NdsEventWait(event, 0), ND_SUCCESS);
		if (rig.port)
			assert_int_equal(packets_in(&rig, e, 2), rows[i].packets);
		if (rows[i].packets) {
			assert_ptr_equal(e[0].lpOverlapped, &ov);
			assert_int_equal(e[0].lpCompletionKey, 42);
			assert_int_equal(e[0].Internal, UINT64_C(0xC0000236));
			assert_true(NdsPortEntryFailed(&e[0]));
		}
		if (event)
			NdsHandleClose(event);
		drop_rig(&rig);
	}
}

static void bad_blocks_are_refused_untouched(void **state)
{
	struct rig rig = new_rig(true);
	OVERLAPPED ov = {.Internal = 5, .hEvent = rig.port};
	struct os_request *request;

	assert_status(os_request_begin(rig.file, NULL, &request), ND_INVALID_PARAMETER);
	assert_status(os_request_begin(rig.file, &ov, &request), ND_INVALID_HANDLE);
	assert_int_equal(ov.Internal, 5);
	ov.hEvent = &ov;
	assert_status(os_request_begin(rig.file, &ov, &request), ND_INVALID_HANDLE);
	drop_rig(&rig);
}

static void a_refused_request_signals_nothing(void **state)
{
	struct rig rig = new_rig(true);
	HANDLE event = new_event(true, false);
	OVERLAPPED ov = {.hEvent = event};
	NDS_PORT_ENTRY e;

	os_request_refuse(begin_only(&rig, &ov), ND_DEVICE_BUSY);
	assert_status(os_overlapped_result(&ov, true), ND_DEVICE_BUSY);
	assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
	assert_int_equal(packets_in(&rig, &e, 1), 0);
	NdsHandleClose(event);
	drop_rig(&rig);
}

/* A second request is begun with the OVERLAPPED of a pending request, and is refused. The refusal
 * changes nothing: the pending request stays pending and the event stays set. */
static void a_refused_request_leaves_anothers_block_alone(void **state)
{
	struct rig rig = new_rig(true);
	HANDLE event = new_event(true, false);
	OVERLAPPED ov = {.hEvent = event};
	struct os_request *first = begin(&rig, &ov);
	struct os_request_list list;

	os_request_list_init(&list);
	os_request_list_add(&list, first);
	assert_status(os_overlapped_result(&ov, false), ND_PENDING);
	NdsEventSet(event);
	os_request_refuse(begin_only(&rig, &ov), ND_DEVICE_BUSY);
	assert_status(os_overlapped_result(&ov, false), ND_PENDING);
	assert_status(NdsEventWait(event, 0), ND_SUCCESS);
	assert_int_equal(os_request_list_cancel(&list, ND_CANCELED), 1);
	assert_status(os_overlapped_result(&ov, false), ND_CANCELED);
	/* No request is pending with this OVERLAPPED. So the refusal stores its status in Internal,
	 * whatever Internal held before. */
	ov.Internal = UINT64_C(0xdeadbeef00000005);
	os_request_refuse(begin_only(&rig, &ov), ND_DEVICE_BUSY);
	assert_true(ov.Internal == (uint32_t)ND_DEVICE_BUSY);
	NdsHandleClose(event);
	drop_rig(&rig);
}

static void results_can_be_asked_for_again(void **state)
{
	struct rig rig = new_rig(false);
	OVERLAPPED ov = {0};
	struct os_request *request = begin(&rig, &ov);

	assert_status(os_overlapped_result(&ov, false), ND_PENDING);
	os_request_finish(request, ND_IO_TIMEOUT);
	for (int i = 0; i < 2; i++) {
		assert_status(os_overlapped_result(&ov, false), ND_IO_TIMEOUT);
		assert_status(os_overlapped_result(&ov, true), ND_IO_TIMEOUT);
	}
	drop_rig(&rig);
}

static void cancelling_is_ordered_and_visible_at_once(void **state)
{
	struct rig rig = new_rig(true);
	struct os_request_list a, b;
	OVERLAPPED ov[5] = {0};
	NDS_PORT_ENTRY e[8];

	os_request_list_init(&a);
	os_request_list_init(&b);
	os_request_list_add(&a, begin(&rig, &ov[0]));
	os_request_list_add(&a, begin(&rig, &ov[1]));
	os_request_list_add(&b, begin(&rig, &ov[2]));
	os_request_list_add(&a, begin(&rig, &ov[3]));
	/* This request ends before the other requests are cancelled, so its packet must come
	 * first. */
	os_request_complete(begin(&rig, &ov[4]), ND_SUCCESS);
	assert_int_equal(os_request_list_cancel(&b, ND_CANCELED), 1);
	assert_int_equal(os_request_list_cancel(&a, ND_CANCELED), 3);
	assert_true(os_request_list_empty(&a));
	assert_int_equal(packets_in(&rig, e, 8), 5);
	assert_ptr_equal(e[0].lpOverlapped, &ov[4]);
	assert_ptr_equal(e[1].lpOverlapped, &ov[2]);
	assert_ptr_equal(e[2].lpOverlapped, &ov[0]);
	assert_ptr_equal(e[3].lpOverlapped, &ov[1]);
	assert_ptr_equal(e[4].lpOverlapped, &ov[3]);
	for (int i = 1; i < 5; i++)
		assert_true(NdsPortEntryFailed(&e[i]));
	drop_rig(&rig);
}

static void cancelling_nothing_still_publishes_what_was_posted(void **state)
{
	struct rig rig = new_rig(false);
	struct os_request_list list;

	os_request_list_init(&list);
	for (int i = 0; i < 1000; i++) {
		OVERLAPPED *ov = calloc(1, sizeof(*ov));

		os_request_complete(begin(&rig, ov), ND_SUCCESS);
		assert_int_equal(os_request_list_cancel(&list, ND_CANCELED), 0);
		assert_int_equal(ov->Internal, 0);
		/* Release calls os_request_list_cancel(). After Release a client may free its
		 * OVERLAPPED. */
		free(ov);
	}
	drop_rig(&rig);
}

static void lists_keep_the_order_of_requests(void **state)
{
	struct rig rig = new_rig(false);
	struct os_request_list list;
	struct os_request *r[4];
	OVERLAPPED ov[4] = {0};

	os_request_list_init(&list);
	assert_null(os_request_list_take(&list));
	for (int i = 0; i < 4; i++) {
		r[i] = begin(&rig, &ov[i]);
		r[i]->kind = i & 1;
		os_request_list_add(&list, r[i]);
	}
	os_request_list_remove(&list, r[2]);
	assert_ptr_equal(os_request_list_take_kind(&list, 1), r[1]);
	assert_ptr_equal(os_request_list_take_kind(&list, 1), r[3]);
	assert_null(os_request_list_take_kind(&list, 1));
	assert_ptr_equal(os_request_list_take(&list), r[0]);
	assert_true(os_request_list_empty(&list));
	for (int i = 3; i >= 0; i--)
		os_request_list_add(&list, r[i]);
	assert_int_equal(os_request_list_complete(&list, ND_SUCCESS), 4);
	for (int i = 0; i < 4; i++)
		assert_status(os_overlapped_result(&ov[i], true), ND_SUCCESS);
	drop_rig(&rig);
}

static void one_block_may_serve_two_requests(void **state)
{
	struct rig rig = new_rig(true);
	HANDLE event = new_event(true, false);
	OVERLAPPED ov = {.hEvent = event};
	struct os_request *first = begin(&rig, &ov);
	struct os_request *second = begin(&rig, &ov);
	NDS_PORT_ENTRY e[4];

	os_request_finish(second, ND_SUCCESS);
	os_request_finish(first, ND_CANCELED);
	assert_int_equal(packets_in(&rig, e, 4), 2);
	assert_false(NdsPortEntryFailed(&e[0]));
	assert_true(NdsPortEntryFailed(&e[1]));
	NdsHandleClose(event);
	drop_rig(&rig);
}

static void everything_may_be_closed_early(void **state)
{
	struct rig rig = new_rig(true);
	HANDLE event = new_event(true, false);
	OVERLAPPED ov = {.hEvent = event}, late = {0};
	struct os_request *request = begin(&rig, &ov);
	NDS_PORT_ENTRY e;

	NdsHandleClose(event);
	NdsHandleClose(rig.h_file);
	os_request_finish(request, ND_SUCCESS);
	assert_int_equal(packets_in(&rig, &e, 1), 1); /* rig.file has kept the file open */
	request = begin(&rig, &late);
	NdsHandleClose(rig.port);
	os_file_put(rig.file);
	os_request_finish(request, ND_SUCCESS); /* only the request still refers to the file */
	assert_status(os_overlapped_result(&late, true), ND_SUCCESS);
}

static void a_file_is_bound_once_and_late(void **state)
{
	struct rig rig = new_rig(false);
	OVERLAPPED ov[2] = {0};
	struct os_request *request;
	NDS_PORT_ENTRY e[2];
	HANDLE other;

	/* No completion port is bound to the file yet, so no packet is queued. */
	os_request_finish(begin(&rig, &ov[0]), ND_SUCCESS);
	request = begin(&rig, &ov[1]);
	NdsPortCreate(&rig.port);
	NdsPortCreate(&other);
	assert_status(NdsPortBind(rig.port, rig.h_file, 9), ND_SUCCESS);
	assert_status(NdsPortBind(other, rig.h_file, 9), ND_INVALID_PARAMETER);
	assert_status(NdsPortBind(rig.port, rig.h_file, 9), ND_INVALID_PARAMETER);
	os_request_finish(request, ND_SUCCESS);
	assert_int_equal(packets_in(&rig, e, 2), 1);
	assert_ptr_equal(e[0].lpOverlapped, &ov[1]);
	assert_int_equal(e[0].lpCompletionKey, 9);
	assert_int_equal(os_file_owner(rig.file), 77);
	assert_status(NdsFileSetModes(rig.h_file, 3), ND_SUCCESS);
	assert_status(NdsFileSetModes(rig.h_file, 4), ND_INVALID_PARAMETER);
	assert_status(NdsFileBindCallback(rig.h_file, NULL), ND_INVALID_PARAMETER);
	NdsHandleClose(other);
	drop_rig(&rig);
}

/* ---- Waiting for the end of a request ------------------------------------------------------- */

static void *finish_later(void *request)
{
	usleep(20000);
	os_request_complete(request, ND_HOST_UNREACHABLE);
	return NULL;
}

/* A request ends before its file is bound to a completion port. The client has seen the end, so no
 * packet for this request is queued to the port. */
static void what_ended_before_the_binding_is_not_delivered(void **state)
{
	for (int i = 0; i < 2000; i++) {
		struct rig rig = new_rig(false);
		OVERLAPPED ov = {0};
		NDS_PORT_ENTRY e;

		assert_status(NdsPortCreate(&rig.port), ND_SUCCESS);
		os_request_complete(begin(&rig, &ov), ND_SUCCESS);
		assert_status(os_overlapped_result(&ov, true), ND_SUCCESS);
		assert_status(NdsPortBind(rig.port, rig.h_file, 42), ND_SUCCESS);
		os_notice_flush();
		assert_int_equal(packets_in(&rig, &e, 1), 0);
		drop_rig(&rig);
	}
}

static void waiting_needs_neither_event_nor_port(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct rig rig = new_rig(i == 2);
		HANDLE event = i == 1 ? new_event(false, false) : NULL;
		OVERLAPPED ov = {.hEvent = event};
		pthread_t thread;

		pthread_create(&thread, NULL, finish_later, begin(&rig, &ov));
		assert_status(os_overlapped_result(&ov, true), ND_HOST_UNREACHABLE);
		pthread_join(thread, NULL);
		os_notice_flush();
		if (event) {
			/* The wait in os_overlapped_result() has consumed the signal of the
			 * auto-reset event. */
			assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
			NdsHandleClose(event);
		}
		drop_rig(&rig);
	}
}

static void *steal_signal(void *event)
{
	return (void *)(intptr_t)NdsEventWait(event, 20000);
}

static void *wait_for_block(void *overlapped)
{
	return (void *)(intptr_t)os_overlapped_result(overlapped, true);
}

/* Two threads wait for an OVERLAPPED with an auto-reset event. A third thread takes the event's
 * only signal. Both waits return all the same. */
static void all_waiters_return_when_one_takes_the_signal(void **state)
{
	for (int i = 0; i < 20; i++) {
		struct rig rig = new_rig(false);
		HANDLE event = new_event(false, false);
		OVERLAPPED ov = {.hEvent = event};
		struct os_request *request = begin(&rig, &ov);
		pthread_t waiters[2], thief;
		void *status;

		pthread_create(&thief, NULL, steal_signal, event);
		for (int w = 0; w < 2; w++)
			pthread_create(&waiters[w], NULL, wait_for_block, &ov);
		usleep(1000);
		os_request_complete(request, ND_CANCELED);
		for (int w = 0; w < 2; w++) {
			pthread_join(waiters[w], &status);
			assert_status((HRESULT)(intptr_t)status, ND_CANCELED);
		}
		NdsEventSet(event); /* ends steal_signal() if it missed the first signal */
		pthread_join(thief, NULL);
		NdsHandleClose(event);
		drop_rig(&rig);
	}
}

/* ---- Races with the thread that completes a request ------------------------------------------ */

static struct os_request *_Atomic handed;
static bool _Atomic over;

static void *complete_what_is_handed(void *unused)
{
	while (!over) {
		struct os_request *request = atomic_exchange(&handed, NULL);

		if (request)
			os_request_complete(request, ND_SUCCESS);
	}
	return NULL;
}

static bool pending(const OVERLAPPED *ov)
{
	return __atomic_load_n(&ov->Internal, __ATOMIC_ACQUIRE) == (uint32_t)ND_PENDING;
}

/* A client uses one OVERLAPPED for two requests. The second request starts as soon as the client
 * sees the first status. The OVERLAPPED is freed as soon as the client sees the second status. The
 * end of the first request must not set the event for the second, and no end may touch freed
 * memory. */
static void blocks_are_reused_and_freed_at_once(void **state)
{
	struct rig rig = new_rig(false);
	HANDLE event = new_event(true, false);
	pthread_t thread;

	over = false;
	pthread_create(&thread, NULL, complete_what_is_handed, NULL);
	for (int i = 0; i < 3000; i++) {
		OVERLAPPED *ov = calloc(1, sizeof(*ov));
		struct os_request *next;

		ov->hEvent = event;
		handed = begin(&rig, ov);
		while (pending(ov))
			sched_yield();
		next = begin(&rig, ov);
		assert_status(NdsEventWait(event, 0), ND_TIMEOUT);
		handed = next;
		if (i & 1)
			assert_status(os_overlapped_result(ov, true), ND_SUCCESS);
		else
			assert_status(NdsEventWait(event, 20000), ND_SUCCESS);
		free(ov);
	}
	over = true;
	pthread_join(thread, NULL);
	NdsHandleClose(event);
	drop_rig(&rig);
}

struct client {
	struct rig *rig;
	unsigned int waits;
};

static void *register_many(void *arg)
{
	struct client *client = arg;

	for (int i = 0; i < 3000; i++) {
		OVERLAPPED ov = {0};

		os_request_complete(begin(client->rig, &ov), ND_SUCCESS);
		if (os_overlapped_result(&ov, true) == ND_SUCCESS)
			client->waits++;
	}
	return NULL;
}

static void many_threads_share_a_file(void **state)
{
	struct rig rig = new_rig(true);
	struct client clients[4];
	pthread_t threads[4];
	NDS_PORT_ENTRY e[64];
	ULONG packets = 0, n;

	for (int i = 0; i < 4; i++) {
		clients[i] = (struct client){&rig, 0};
		pthread_create(&threads[i], NULL, register_many, &clients[i]);
	}
	while (packets < 4 * 3000) {
		assert_status(NdsPortGet(rig.port, e, 64, 20000, &n), ND_SUCCESS);
		packets += n;
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(clients[i].waits, 3000);
	}
	assert_int_equal(packets_in(&rig, e, 1), 0);
	drop_rig(&rig);
}

/* ---- Completion routines --------------------------------------------------------------------- */

static pthread_mutex_t client_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned int called, cancelled, failures;
static pthread_t caller;

static void routine(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	if (pthread_equal(pthread_self(), caller) || bytes || overlapped->Internal != status)
		failures++;
	pthread_mutex_lock(&client_lock);
	if ((HRESULT)status == ND_CANCELED)
		cancelled++;
	pthread_mutex_unlock(&client_lock);
	called++;
}

static bool reaches(const _Atomic unsigned int *counter, unsigned int n)
{
	for (int i = 0; *counter < n && i < 20000; i++)
		usleep(1000);
	return *counter == n;
}

static void callbacks_get_the_raw_status_on_another_thread(void **state)
{
	struct rig rig = new_rig(false);
	struct os_request_list list;
	OVERLAPPED ov[10] = {0};

	called = cancelled = failures = 0;
	caller = pthread_self();
	os_request_list_init(&list);
	assert_status(NdsFileBindCallback(rig.h_file, routine), ND_SUCCESS);
	assert_status(NdsFileBindCallback(rig.h_file, routine), ND_INVALID_PARAMETER);
	for (int i = 0; i < 10; i++)
		os_request_list_add(&list, begin(&rig, &ov[i]));
	/* The client cancels a request while it holds a lock that its completion routine also
	 * takes. */
	pthread_mutex_lock(&client_lock);
	os_request_complete(os_request_list_take(&list), ND_SUCCESS);
	assert_int_equal(os_request_list_cancel(&list, ND_CANCELED), 9);
	assert_int_equal(called, 0);
	pthread_mutex_unlock(&client_lock);
	assert_true(reaches(&called, 10));
	assert_int_equal(cancelled, 9);
	assert_int_equal(failures, 0);
	drop_rig(&rig);
}

static void low_bit_also_keeps_callbacks_away(void **state)
{
	struct rig rig = new_rig(false);
	OVERLAPPED quiet = {.hEvent = (HANDLE)1}, loud = {0};

	called = 0;
	caller = pthread_self();
	NdsFileBindCallback(rig.h_file, routine);
	os_request_finish(begin(&rig, &quiet), ND_SUCCESS);
	os_request_finish(begin(&rig, &loud), ND_SUCCESS);
	assert_true(reaches(&called, 1));
	usleep(10000);
	assert_int_equal(called, 1);
	drop_rig(&rig);
}

static HANDLE gate;

static void blocking_routine(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	if (status)
		NdsEventSet(gate);
	else
		NdsEventWait(gate, 20000);
	called++;
}

static void a_blocked_routine_does_not_stop_the_others(void **state)
{
	struct rig rig = new_rig(false);
	OVERLAPPED ov[4] = {0};

	called = 0;
	gate = new_event(true, false);
	NdsFileBindCallback(rig.h_file, blocking_routine);
	for (int i = 0; i < 3; i++)
		os_request_finish(begin(&rig, &ov[i]), ND_SUCCESS);
	os_request_finish(begin(&rig, &ov[3]), ND_CANCELED);
	assert_true(reaches(&called, 4));
	NdsHandleClose(gate);
	drop_rig(&rig);
}

enum { CROWD = 20 };
static _Atomic unsigned int arrived;

/* This completion routine returns only when all CROWD routines have been called. */
static void waits_for_all(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	arrived++;
	reaches(&arrived, CROWD);
	called++;
}

static void routines_may_wait_for_one_another(void **state)
{
	struct rig rig = new_rig(false);
	OVERLAPPED ov[CROWD] = {0};

	called = 0;
	NdsFileBindCallback(rig.h_file, waits_for_all);
	for (int i = 0; i < CROWD; i++)
		os_request_finish(begin(&rig, &ov[i]), ND_SUCCESS);
	assert_true(reaches(&arrived, CROWD));
	assert_true(reaches(&called, CROWD));
	drop_rig(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(request_end_is_visible_by_event_and_port),
		os_test(bad_blocks_are_refused_untouched),
		os_test(a_refused_request_signals_nothing),
		os_test(a_refused_request_leaves_anothers_block_alone),
		os_test(results_can_be_asked_for_again),
		os_test(cancelling_is_ordered_and_visible_at_once),
		os_test(cancelling_nothing_still_publishes_what_was_posted),
		os_test(lists_keep_the_order_of_requests),
		os_test(one_block_may_serve_two_requests),
		os_test(everything_may_be_closed_early),
		os_test(a_file_is_bound_once_and_late),
		os_test(what_ended_before_the_binding_is_not_delivered),
		os_test(waiting_needs_neither_event_nor_port),
		os_test(all_waiters_return_when_one_takes_the_signal),
		os_test(blocks_are_reused_and_freed_at_once),
		os_test(many_threads_share_a_file),
		os_test(callbacks_get_the_raw_status_on_another_thread),
		os_test(low_bit_also_keeps_callbacks_away),
		os_test(a_blocked_routine_does_not_stop_the_others),
		os_test(routines_may_wait_for_one_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
