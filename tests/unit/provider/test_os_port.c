/* Completion ports through the Nds* calls: order, batches, timeouts, closing, many threads. */
#include "os_testing.h"

#include "../../nd2/sleeping.h"

#include <stdio.h>
#include <string.h>

static HANDLE new_port(void)
{
	HANDLE port;

	assert_status(NdsPortCreate(&port), ND_SUCCESS);
	return port;
}

static void packets_come_in_order(void **state)
{
	HANDLE port = new_port();
	OVERLAPPED blocks[3];
	NDS_PORT_ENTRY e[8];
	ULONG n = 9;

	assert_status(NdsPortGet(port, e, 8, 0, &n), ND_TIMEOUT);
	assert_int_equal(n, 0);
	for (ULONG i = 0; i < 3; i++)
		assert_status(NdsPortPost(port, 100 + i, 7 + i, &blocks[i]), ND_SUCCESS);
	assert_status(NdsPortGet(port, e, 1, 0, &n), ND_SUCCESS);
	assert_int_equal(n, 1);
	assert_ptr_equal(e[0].lpOverlapped, &blocks[0]);
	assert_status(NdsPortGet(port, e, 8, NDS_INFINITE, &n), ND_SUCCESS);
	assert_int_equal(n, 2);
	assert_ptr_equal(e[1].lpOverlapped, &blocks[2]);
	assert_int_equal(e[1].lpCompletionKey, 9);
	assert_int_equal(e[1].dwNumberOfBytesTransferred, 102);
	assert_int_equal(e[1].Internal, 0);
	assert_false(NdsPortEntryFailed(&e[1]));
	assert_status(NdsPortGet(port, e, 8, 0, &n), ND_TIMEOUT);
	NdsHandleClose(port);
}

static void failure_is_the_sign_of_the_status(void **state)
{
	static const struct {
		HRESULT status;
		bool failed;
	} rows[] = {
		{ND_SUCCESS, false},
		{ND_TIMEOUT, false},
		{ND_BUFFER_OVERFLOW, true},
		{ND_CANCELED, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		NDS_PORT_ENTRY entry = {.Internal = (uint32_t)rows[i].status};

		assert_int_equal(NdsPortEntryFailed(&entry), rows[i].failed);
	}
}

static void the_descriptor_follows_the_queue(void **state)
{
	HANDLE port = new_port();
	NDS_PORT_ENTRY e[2];
	int fd;
	ULONG n;

	NdsPortPost(port, 0, 0, NULL);
	fd = NdsPortGetFd(port);
	assert_true(readable(fd));
	NdsPortPost(port, 0, 0, NULL);
	NdsPortGet(port, e, 1, 0, &n);
	assert_true(readable(fd));
	NdsPortGet(port, e, 1, 0, &n);
	assert_false(readable(fd));
	NdsPortPost(port, 0, 0, NULL);
	assert_true(readable(fd));
	NdsHandleClose(port); /* the port is closed with a packet still queued */
}

static void *get_one(void *port)
{
	NDS_PORT_ENTRY entry;
	ULONG n;

	return (void *)(intptr_t)NdsPortGet(port, &entry, 1, 20000, &n);
}

/* Closes a completion port on which two threads wait. Returns how many of the waits ended with
 * ND_CANCELED. A thread that begins to wait after the close gets ND_INVALID_HANDLE. */
static int released_by_closing(useconds_t head_start)
{
	HANDLE port = new_port();
	pthread_t threads[2];
	void *result;
	int released = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, get_one, port);
	usleep(head_start);
	NdsHandleClose(port);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &result);
		if ((HRESULT)(intptr_t)result == ND_CANCELED)
			released++;
		else
			assert_status((HRESULT)(intptr_t)result, ND_INVALID_HANDLE);
	}
	assert_status(NdsPortPost(port, 0, 0, NULL), ND_INVALID_HANDLE);
	assert_int_equal(NdsPortGetFd(port), -1);
	return released;
}

static void closing_releases_the_waiters(void **state)
{
	useconds_t head_start = 10000;

	/* On a busy machine a thread may need longer to begin its wait. */
	while (released_by_closing(head_start) != 2) {
		head_start *= 2;
		assert_true(head_start < 2000000);
	}
}

static void arguments_are_checked(void **state)
{
	HANDLE port = new_port();
	NDS_PORT_ENTRY entry;
	HANDLE event;
	ULONG n = 5;

	NdsEventCreate(1, 1, &event);
	assert_status(NdsPortGet(port, &entry, 0, 0, &n), ND_INVALID_PARAMETER);
	assert_int_equal(n, 0);
	assert_status(NdsPortGet(event, &entry, 1, 0, &n), ND_INVALID_HANDLE);
	assert_status(NdsPortBind(port, event, 0), ND_INVALID_HANDLE);
	assert_status(NdsFileBindCallback(port, NULL), ND_INVALID_HANDLE);
	assert_status(NdsFileSetModes(port, 3), ND_INVALID_HANDLE);
	NdsHandleClose(event);
	NdsHandleClose(port);
}

/* Several producers and consumers use one completion port. No packet is lost or taken twice. The
 * packets of each producer stay in order. */
enum { PRODUCERS = 3, CONSUMERS = 3, EACH = 10000 };

static struct {
	HANDLE port;
	_Atomic unsigned char seen[PRODUCERS][EACH];
	_Atomic unsigned int taken;
} crowd;

static void *produce(void *arg)
{
	ULONG_PTR me = (ULONG_PTR)arg;

	for (ULONG i = 0; i < EACH; i++)
		NdsPortPost(crowd.port, i, me, NULL);
	return NULL;
}

static void *consume(void *ordered)
{
	int64_t last[PRODUCERS] = {-1, -1, -1};
	NDS_PORT_ENTRY e[16];
	ULONG n;

	while (crowd.taken < PRODUCERS * EACH) {
		if (NdsPortGet(crowd.port, e, 16, 10, &n) != ND_SUCCESS)
			continue;
		for (ULONG i = 0; i < n; i++) {
			ULONG number = e[i].dwNumberOfBytesTransferred;

			if ((int64_t)number <= last[e[i].lpCompletionKey])
				*(bool *)ordered = false;
			last[e[i].lpCompletionKey] = number;
			crowd.seen[e[i].lpCompletionKey][number]++;
			crowd.taken++;
		}
	}
	return NULL;
}

static void several_threads_share_a_port(void **state)
{
	bool ordered[CONSUMERS] = {true, true, true};
	pthread_t producers[PRODUCERS], consumers[CONSUMERS];

	crowd.port = new_port();
	for (uintptr_t i = 0; i < CONSUMERS; i++)
		pthread_create(&consumers[i], NULL, consume, &ordered[i]);
	for (uintptr_t i = 0; i < PRODUCERS; i++)
		pthread_create(&producers[i], NULL, produce, (void *)i);
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i], NULL);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(consumers[i], NULL);
	for (int i = 0; i < CONSUMERS; i++)
		assert_true(ordered[i]);
	for (int p = 0; p < PRODUCERS; p++)
		for (int i = 0; i < EACH; i++)
			assert_int_equal(crowd.seen[p][i], 1);
	NdsHandleClose(crowd.port);
}

struct waiting {
	pthread_t thread;
	_Atomic pid_t tid;
	HANDLE port;
	ULONG timeout_ms;
	_Atomic ULONG got; /* number of packets taken; in take_one(): 1 + the packet's key */
	_Atomic bool stop;
};

static void *take_for_ever(void *arg)
{
	struct waiting *w = arg;
	NDS_PORT_ENTRY e;
	ULONG n;

	w->tid = gettid();
	while (!w->stop)
		if (NdsPortGet(w->port, &e, 1, w->timeout_ms, &n) == (HRESULT)ND_SUCCESS &&
		    e.lpCompletionKey)
			w->got++;
	return NULL;
}

/* NdsPortGet is the only call in which the thread sleeps. */
static bool sleeps(const struct waiting *w)
{
	return thread_sleeps(w->tid);
}

/* A packet wakes a waiting thread and is kept for that thread. Another thread that calls NdsPortGet
 * at once does not get the packet. */
static void a_waiter_keeps_the_packet_that_woke_it(void **state)
{
	struct waiting w = {.port = new_port(), .timeout_ms = NDS_INFINITE};
	unsigned mine = 0, theirs = 0;
	NDS_PORT_ENTRY e;
	ULONG n;

	pthread_create(&w.thread, NULL, take_for_ever, &w);
	for (unsigned i = 0; i < 300; i++) {
		while (w.got + mine < i || !sleeps(&w))
			usleep(100);
		assert_status(NdsPortPost(w.port, 0, 1, NULL), ND_SUCCESS);
		mine += NdsPortGet(w.port, &e, 1, 0, &n) == (HRESULT)ND_SUCCESS;
	}
	w.stop = true;
	assert_status(NdsPortPost(w.port, 0, 0, NULL), ND_SUCCESS);
	pthread_join(w.thread, NULL);
	theirs = (unsigned)w.got;
	assert_int_equal(mine + theirs, 300);
	print_message("%u of 300 taken by the thread that did not wait\n", mine);
	assert_int_equal(mine, 0);
	NdsHandleClose(w.port);
}

static void *take_one(void *arg)
{
	struct waiting *w = arg;
	NDS_PORT_ENTRY e;
	ULONG n;

	w->tid = gettid();
	if (NdsPortGet(w->port, &e, 1, NDS_INFINITE, &n) == (HRESULT)ND_SUCCESS)
		w->got = 1 + (ULONG)e.lpCompletionKey;
	return NULL;
}

/* Each packet goes to the waiting thread that called NdsPortGet last. */
static void waiters_are_served_newest_first(void **state)
{
	struct waiting w[4];
	HANDLE port = new_port();

	for (ULONG i = 0; i < 4; i++) {
		w[i] = (struct waiting){.port = port};
		pthread_create(&w[i].thread, NULL, take_one, &w[i]);
		for (unsigned k = 0; k < 20000 && !sleeps(&w[i]); k++)
			usleep(1000);
		assert_true(sleeps(&w[i]));
	}
	for (ULONG i = 0; i < 4; i++)
		assert_status(NdsPortPost(port, 0, i, NULL), ND_SUCCESS);
	for (ULONG i = 0; i < 4; i++) {
		pthread_join(w[i].thread, NULL);
		assert_int_equal(w[i].got, 1 + (3 - i));
	}
	NdsHandleClose(port);
}

/* The waits time out after 1 ms, often at the moment when a packet arrives. No packet is lost or
 * taken twice. */
static void packets_survive_waits_that_time_out(void **state)
{
	struct waiting w[3];
	HANDLE port = new_port();
	ULONG sum = 0, n;
	NDS_PORT_ENTRY e;

	for (unsigned i = 0; i < 3; i++) {
		w[i] = (struct waiting){.port = port, .timeout_ms = 1};
		pthread_create(&w[i].thread, NULL, take_for_ever, &w[i]);
	}
	for (unsigned i = 0; i < 500; i++) {
		usleep(200 + i * 37 % 900);
		assert_status(NdsPortPost(port, 0, 1, NULL), ND_SUCCESS);
	}
	for (unsigned i = 0; i < 3; i++) {
		w[i].stop = true;
		pthread_join(w[i].thread, NULL);
		sum += w[i].got;
	}
	/* The threads have ended before they took the last packets. */
	while (NdsPortGet(port, &e, 1, 0, &n) == (HRESULT)ND_SUCCESS)
		sum++;
	assert_int_equal(sum, 500);
	NdsHandleClose(port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(packets_come_in_order),
		os_test(failure_is_the_sign_of_the_status),
		os_test(the_descriptor_follows_the_queue),
		os_test(closing_releases_the_waiters),
		os_test(arguments_are_checked),
		os_test(several_threads_share_a_port),
		os_test(a_waiter_keeps_the_packet_that_woke_it),
		os_test(waiters_are_served_newest_first),
		os_test(packets_survive_waits_that_time_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
