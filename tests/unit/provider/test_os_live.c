/* Counters of live objects: each object is counted from its creation to its destruction, whatever
 * destroys the object. */
#include "os_testing.h"

#include "os/file.h"
#include "os/live.h"
#include "os/request.h"

#include <string.h>

static UINT64 count_of(const char *kind)
{
	NDS_LIVE live[OS_LIVE_MAX];
	ULONG n = NdsLiveObjects(live, OS_LIVE_MAX);

	for (ULONG i = 0; i < n; i++)
		if (strcmp(live[i].Kind, kind) == 0)
			return live[i].Count;
	fail_msg("no kind %s", kind);
	return 0;
}

static void handles_are_counted_by_kind(void **state)
{
	HANDLE event, port, file;

	NdsEventCreate(0, 0, &event);
	NdsPortCreate(&port);
	os_file_create(1, &file);
	assert_int_equal(count_of("event"), 1);
	assert_int_equal(count_of("port"), 1);
	assert_int_equal(count_of("file"), 1);
	NdsPortBind(port, file, 0);
	NdsHandleClose(port);
	/* The file is bound to the completion port and keeps the port alive. */
	assert_int_equal(count_of("port"), 1);
	NdsHandleClose(file);
	assert_int_equal(count_of("port"), 0);
	assert_int_equal(count_of("file"), 0);
	NdsHandleClose(event);
	assert_int_equal(count_of("event"), 0);
}

static void routine(DWORD status, DWORD bytes, OVERLAPPED *overlapped)
{
	*(_Atomic bool *)overlapped->Pointer = true;
}

static void requests_and_packets_are_counted_to_their_end(void **state)
{
	OVERLAPPED ov[3] = {0};
	struct os_request *request[3];
	struct os_file *file;
	_Atomic bool called = false;
	NDS_PORT_ENTRY e;
	HANDLE h, port;
	ULONG n;

	os_file_create(1, &h);
	file = os_file_get(h);
	for (int i = 0; i < 3; i++)
		os_request_begin(file, &ov[i], &request[i]);
	assert_int_equal(count_of("request"), 3);
	os_request_refuse(request[0], ND_DEVICE_BUSY);
	os_request_finish(request[1], ND_SUCCESS); /* no packet: file has no completion port yet */
	assert_int_equal(count_of("request"), 1);
	assert_int_equal(count_of("packet"), 0);
	NdsPortCreate(&port);
	NdsPortBind(port, h, 0);
	os_request_finish(request[2], ND_SUCCESS);
	NdsPortPost(port, 0, 0, NULL);
	assert_int_equal(count_of("request"), 0);
	assert_int_equal(count_of("packet"), 2);
	NdsPortGet(port, &e, 1, 0, &n);
	assert_int_equal(count_of("packet"), 1);
	NdsHandleClose(port); /* frees the packet that nobody has taken */
	assert_int_equal(count_of("packet"), 0);
	NdsPortPost(port, 0, 0, NULL);
	assert_int_equal(count_of("packet"), 0);
	os_file_put(file);
	NdsHandleClose(h);

	os_file_create(1, &h);
	file = os_file_get(h);
	NdsFileBindCallback(h, routine);
	ov[0].Pointer = &called;
	os_request_begin(file, &ov[0], &request[0]);
	os_request_finish(request[0], ND_SUCCESS);
	for (int i = 0; i < 5000 && !called; i++)
		usleep(1000);
	assert_true(called);
	assert_int_equal(count_of("packet"), 0);
	os_file_put(file);
	NdsHandleClose(h);
}

static void live_objects_fills_a_short_array(void **state)
{
	NDS_LIVE live[2] = {{0}};
	ULONG n = NdsLiveObjects(NULL, 0);

	assert_true(n >= 5);
	assert_int_equal(NdsLiveObjects(live, 1), n);
	assert_non_null(live[0].Kind);
	assert_null(live[1].Kind);
}

/* Must be the last test of this program, because it fills the table of kinds (os_live)
 * completely. */
static void more_kinds_than_rows_share_the_last(void **state)
{
	static char names[OS_LIVE_MAX + 2][4];
	struct os_live *last = NULL;

	assert_ptr_equal(os_live_of("event"), &os_live[OS_LIVE_EVENT]);
	for (unsigned i = 0; i < OS_LIVE_MAX + 2; i++) {
		char again[4] = {'x', (char)('a' + i / 16), (char)('a' + i % 16)};

		memcpy(names[i], again, 4);
		last = os_live_of(names[i]);
		if (i < 10)
			assert_ptr_equal(os_live_of(again), last);
	}
	assert_ptr_equal(last, &os_live[OS_LIVE_MAX - 1]);
	os_live_add(last);
	assert_int_equal(count_of("other"), 1);
	os_live_remove(last);
	assert_int_equal(NdsLiveObjects(NULL, 0), OS_LIVE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		os_test(handles_are_counted_by_kind),
		os_test(requests_and_packets_are_counted_to_their_end),
		os_test(live_objects_fills_a_short_array),
		os_test(more_kinds_than_rows_share_the_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
