/*
 * Tests of completion ports and overlapped files as programs for Windows use them: return values
 * and last errors. As the ND2 objects do, the tests create files and requests with the functions of
 * provider/os.
 */
#include "threading.h"

#include "os/file.h"
#include "os/request.h"
#include <ndstatus.h>

static HANDLE new_port(void)
{
	HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);

	assert_non_null(port);
	return port;
}

static HANDLE new_file(void)
{
	HANDLE file;

	assert_int_equal(os_file_create(1, &file), 0);
	return file;
}

/* Starts a request on the file. The request is pending until finish() ends it. */
static struct os_request *start(HANDLE handle, OVERLAPPED *overlapped, struct os_request_list *list)
{
	struct os_file *file = os_file_get(handle);
	struct os_request *request;

	os_request_list_init(list);
	assert_int_equal(os_request_begin(file, overlapped, &request), 0);
	os_request_list_add(list, request);
	os_file_put(file);
	return request;
}

static void finish(struct os_request *request, struct os_request_list *list, HRESULT status)
{
	os_request_list_remove(list, request);
	os_request_finish(request, status);
}

static void run_request(HANDLE file, OVERLAPPED *overlapped, HRESULT status)
{
	struct os_request_list list;

	finish(start(file, overlapped, &list), &list, status);
}

struct packet {
	DWORD bytes;
	ULONG_PTR key;
	OVERLAPPED *overlapped;
};

static BOOL get(HANDLE port, struct packet *packet)
{
	return GetQueuedCompletionStatus(port, &packet->bytes, &packet->key, &packet->overlapped,
					 20000);
}

static UINT64 live_ports(void)
{
	NDS_LIVE live[32];
	ULONG n = NdsLiveObjects(live, _countof(live));

	for (ULONG i = 0; i < n; i++)
		if (!strcmp(live[i].Kind, "port"))
			return live[i].Count;
	return 0;
}

static void test_CreateIoCompletionPort(void **state)
{
	HANDLE port = new_port(), file = new_file(), other = new_file(), fresh;
	OVERLAPPED overlapped = {0};
	struct packet packet;

	assert_ptr_equal(CreateIoCompletionPort(file, port, 77, 0), port);
	assert_fails(CreateIoCompletionPort(file, port, 77, 0), ERROR_INVALID_PARAMETER);
	assert_fails(CreateIoCompletionPort(file, NULL, 77, 0), ERROR_INVALID_PARAMETER);
	assert_int_equal(live_ports(), 1); /* the failed call left no new completion port */
	assert_fails(CreateIoCompletionPort(INVALID_HANDLE_VALUE, port, 0, 0),
		     ERROR_INVALID_PARAMETER);
	assert_fails(CreateIoCompletionPort(NULL, port, 0, 0), ERROR_INVALID_HANDLE);
	assert_fails(CreateIoCompletionPort(port, port, 0, 0), ERROR_INVALID_HANDLE);
	assert_fails(CreateIoCompletionPort(other, file, 0, 0), ERROR_INVALID_HANDLE);
	run_request(file, &overlapped, ND_SUCCESS);
	assert_true(get(port, &packet));
	assert_int_equal(packet.key, 77);
	assert_ptr_equal(packet.overlapped, &overlapped);

	/* If `port` is NULL, the call creates a completion port and binds the file to that port. */
	fresh = CreateIoCompletionPort(other, NULL, 5, 1);
	assert_non_null(fresh);
	assert_ptr_not_equal(fresh, port);
	run_request(other, &overlapped, ND_SUCCESS);
	assert_true(get(fresh, &packet));
	assert_int_equal(packet.key, 5);
	assert_true(CloseHandle(fresh) && CloseHandle(port) && CloseHandle(file) &&
		    CloseHandle(other));
}

static void *close_soon(void *port)
{
	Sleep(50);
	CloseHandle(port);
	return NULL;
}

static void test_GetQueuedCompletionStatus(void **state)
{
	static const struct {
		HRESULT status;
		BOOL answer;
		DWORD error;
	} rows[] = {
		{ND_SUCCESS, TRUE, 0},
		{ND_TIMEOUT, TRUE, 0}, /* ND_TIMEOUT is not negative, so it is a success */
		{ND_CANCELED, FALSE, 995},
		{ND_CONNECTION_REFUSED, FALSE, 1225},
		{ND_IO_TIMEOUT, FALSE, 121},
		{ND_REMOTE_ERROR, FALSE, 51},
		{(HRESULT)0xC0009999, FALSE, 317},
	};
	HANDLE port = new_port(), file = new_file();
	OVERLAPPED overlapped = {0};
	struct packet packet;
	pthread_t closer;

	assert_ptr_equal(CreateIoCompletionPort(file, port, 9, 0), port);
	for (size_t i = 0; i < _countof(rows); i++) {
		run_request(file, &overlapped, rows[i].status);
		SetLastError(0);
		assert_int_equal(get(port, &packet), rows[i].answer);
		assert_int_equal(GetLastError(), rows[i].error);
		assert_ptr_equal(packet.overlapped, &overlapped);
		assert_int_equal(packet.key, 9);
		assert_int_equal((ULONG)overlapped.Internal, (ULONG)rows[i].status);
	}
	assert_takes(20, assert_fails(GetQueuedCompletionStatus(port, &packet.bytes, &packet.key,
								&packet.overlapped, 20),
				      WAIT_TIMEOUT));
	assert_null(packet.overlapped);

	closer = run_beside(close_soon, port);
	packet.overlapped = &overlapped;
	assert_fails(GetQueuedCompletionStatus(port, &packet.bytes, &packet.key, &packet.overlapped,
					       INFINITE),
		     ERROR_ABANDONED_WAIT_0);
	assert_null(packet.overlapped);
	pthread_join(closer, NULL);
	packet.overlapped = &overlapped;
	assert_fails(get(port, &packet), ERROR_INVALID_HANDLE);
	assert_null(packet.overlapped);
	CloseHandle(file);
}

static void test_GetQueuedCompletionStatusEx(void **state)
{
	HANDLE port = new_port(), file = new_file();
	OVERLAPPED blocks[3] = {0};
	OVERLAPPED_ENTRY entries[8];
	ULONG n = 99;

	CreateIoCompletionPort(file, port, 4, 0);
	assert_fails(GetQueuedCompletionStatusEx(port, entries, 8, &n, 0, FALSE), WAIT_TIMEOUT);
	assert_int_equal(n, 0);
	assert_fails(GetQueuedCompletionStatusEx(port, entries, 0, &n, 0, FALSE),
		     ERROR_INVALID_PARAMETER);
	assert_fails(GetQueuedCompletionStatusEx(file, entries, 8, &n, 0, FALSE),
		     ERROR_INVALID_HANDLE);
	run_request(file, &blocks[0], ND_SUCCESS);
	run_request(file, &blocks[1], ND_CANCELED);
	assert_true(PostQueuedCompletionStatus(port, 12, 13, &blocks[2]));
	assert_true(GetQueuedCompletionStatusEx(port, entries, 2, &n, INFINITE, TRUE));
	assert_int_equal(n, 2);
	assert_ptr_equal(entries[0].lpOverlapped, &blocks[0]);
	assert_int_equal(entries[0].Internal, 0);
	assert_ptr_equal(entries[1].lpOverlapped, &blocks[1]);
	assert_int_equal(entries[1].Internal, 0xC0000120);
	assert_int_equal(entries[1].lpCompletionKey, 4);
	assert_true(GetQueuedCompletionStatusEx(port, entries, 8, &n, INFINITE, FALSE));
	assert_int_equal(n, 1);
	assert_int_equal(entries[0].dwNumberOfBytesTransferred, 12);
	assert_int_equal(entries[0].lpCompletionKey, 13);
	CloseHandle(port);
	CloseHandle(file);
}

static void test_PostQueuedCompletionStatus(void **state)
{
	HANDLE port = new_port();
	struct packet packet;

	assert_true(PostQueuedCompletionStatus(port, 1, 2, NULL));
	assert_true(
		PostQueuedCompletionStatus(port, 0xFFFFFFFF, ~(ULONG_PTR)0, (OVERLAPPED *)0x30));
	assert_true(get(port, &packet));
	assert_int_equal(packet.bytes, 1);
	assert_int_equal(packet.key, 2);
	assert_null(packet.overlapped);
	assert_true(get(port, &packet));
	assert_int_equal(packet.bytes, 0xFFFFFFFF);
	assert_true(packet.key == ~(ULONG_PTR)0);
	assert_ptr_equal(packet.overlapped, (OVERLAPPED *)0x30);
	CloseHandle(port);
	assert_fails(PostQueuedCompletionStatus(port, 0, 0, NULL), ERROR_INVALID_HANDLE);
}

struct later {
	struct os_request *request;
	struct os_request_list *list;
};

static void *finish_soon(void *argument)
{
	struct later *later = argument;

	Sleep(30);
	finish(later->request, later->list, ND_CANCELED);
	return NULL;
}

/* Waits for a request whose OVERLAPPED has no event, an event with automatic reset, or an event
 * with manual reset. */
static void test_GetOverlappedResult(void **state)
{
	HANDLE file = new_file();

	for (int kind = 0; kind < 3; kind++) {
		OVERLAPPED overlapped = {.hEvent = kind ? CreateEvent(NULL, kind == 2, FALSE, NULL)
							: NULL};
		struct os_request_list list;
		struct later later = {start(file, &overlapped, &list), &list};
		pthread_t other;
		DWORD bytes = 5;

		assert_false(HasOverlappedIoCompleted(&overlapped));
		assert_fails(GetOverlappedResult(file, &overlapped, &bytes, FALSE),
			     ERROR_IO_INCOMPLETE);
		other = run_beside(finish_soon, &later);
		assert_fails(GetOverlappedResult(file, &overlapped, &bytes, TRUE),
			     ERROR_OPERATION_ABORTED);
		pthread_join(other, NULL);
		assert_true(HasOverlappedIoCompleted(&overlapped));
		assert_int_equal(bytes, 0);
		run_request(file, &overlapped, ND_SUCCESS);
		assert_true(GetOverlappedResult(file, &overlapped, &bytes, FALSE));
		if (kind)
			CloseHandle(overlapped.hEvent);
	}
	CloseHandle(file);
}

static struct packet called;
static HANDLE called_event;

static void routine(DWORD status, DWORD bytes, LPOVERLAPPED overlapped)
{
	called = (struct packet){bytes, status, overlapped};
	SetEvent(called_event);
}

static void test_BindIoCompletionCallback(void **state)
{
	HANDLE file = new_file(), port = new_port();
	OVERLAPPED overlapped = {0};

	called_event = CreateEvent(NULL, FALSE, FALSE, NULL);
	assert_true(BindIoCompletionCallback(file, routine, 0));
	assert_fails(BindIoCompletionCallback(file, routine, 0), ERROR_INVALID_PARAMETER);
	assert_fails(CreateIoCompletionPort(file, port, 0, 0), ERROR_INVALID_PARAMETER);
	assert_fails(BindIoCompletionCallback(port, routine, 0), ERROR_INVALID_HANDLE);
	run_request(file, &overlapped, ND_CANCELED);
	assert_int_equal(WaitForSingleObject(called_event, 10000), WAIT_OBJECT_0);
	assert_int_equal(called.key, 0xC0000120); /* routine() gets the NTSTATUS, no error number */
	assert_ptr_equal(called.overlapped, &overlapped);
	CloseHandle(called_event);
	CloseHandle(port);
	CloseHandle(file);
}

static void test_SetFileCompletionNotificationModes(void **state)
{
	HANDLE file = new_file();

	assert_true(SetFileCompletionNotificationModes(
		file, FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE));
	assert_true(SetFileCompletionNotificationModes(file, 0));
	assert_fails(SetFileCompletionNotificationModes(file, 4), ERROR_INVALID_PARAMETER);
	CloseHandle(file);
	assert_fails(SetFileCompletionNotificationModes(file, 1), ERROR_INVALID_HANDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_CreateIoCompletionPort),
		cmocka_unit_test(test_GetQueuedCompletionStatus),
		cmocka_unit_test(test_GetQueuedCompletionStatusEx),
		cmocka_unit_test(test_PostQueuedCompletionStatus),
		cmocka_unit_test(test_GetOverlappedResult),
		cmocka_unit_test(test_BindIoCompletionCallback),
		cmocka_unit_test(test_SetFileCompletionNotificationModes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
