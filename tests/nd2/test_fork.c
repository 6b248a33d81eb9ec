/* What a forked child may do. Checks:
 * - In a child of a process with open adapters every call is refused at once, whatever the parent's
 *   threads were doing at the fork.
 * - That child may call exec, exit or _exit. The parent is not disturbed.
 * - A child of a process that has not used the library yet can use adapters.
 *
 * usage: nd2_fork CATALOGUE POLICY */
#include "fixture.h"

#include "ndtypes.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 12

#ifdef __SANITIZE_ADDRESS__
/* BUSY is the number of threads that run busy() during a fork. Under ASan there are none, for two
 * reasons. The allocator's lock could stay locked in the child. The leak check would report the
 * threads' memory as leaked by the child. */
#define BUSY 0
static bool is_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_child;
}
#else
#define BUSY 2
#endif

static struct pair pair;
static _Atomic bool stop;

/* The child reports a wrong status by its exit status, since cmocka works in the parent process
 * only. */
#define GONE(call)                                                                                \
	do {                                                                                      \
		HRESULT said = (call);                                                            \
		if (said != (HRESULT)ND_DEVICE_REMOVED) {                                         \
			fprintf(stderr, "in the child %s answers %08x\n", #call, (unsigned)said); \
			_exit(2);                                                                 \
		}                                                                                 \
	} while (0)

static int run_child(void (*child)(void))
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
#ifdef __SANITIZE_ADDRESS__
		is_child = true;
#endif
		alarm(30); /* SIGALRM ends a child that hangs */
		child();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void opens(void)
{
	struct sockaddr_in sin = address_of(0, 0);
	struct sockaddr_storage local;
	SIZE_T cb = sizeof(local);
	void *adapter;

	GONE(NdStartup());
	GONE(NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), &adapter));
	GONE(NdCheckAddress(SA(&sin), sizeof(sin)));
	GONE(NdResolveAddress(SA(&sin), sizeof(sin), (struct sockaddr *)&local, &cb));
	GONE(NdCleanup());
}

static void uses_what_its_parent_has(void)
{
	struct end *e = &pair.a;
	struct sockaddr_in sin = address_of(0, 0);
	NDS_PORT_ENTRY entry;
	OVERLAPPED ov = {0};
	ND2_RESULT r[4];
	HANDLE h;
	void *out;
	ULONG n;

	GONE(CALL(adapters[0], CreateOverlappedFile, &h));
	GONE(CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 8, 0, 0,
		  &out));
	GONE(CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)e->cq,
		  (IUnknown *)e->cq, NULL, 2, 2, 1, 1, 0, &out));
	GONE(CALL(adapters[0], CreateMemoryRegion, &IID_IND2MemoryRegion, e->file, &out));
	GONE(CALL(adapters[0], CreateMemoryWindow, &IID_IND2MemoryWindow, &out));
	GONE(CALL(adapters[0], CreateConnector, &IID_IND2Connector, e->file, &out));
	GONE(CALL(adapters[0], CreateListener, &IID_IND2Listener, e->file, &out));
	GONE(CALL(e->mr, Register, e->buf, 100, 0, &ov));
	GONE(CALL(e->mr, Deregister, &ov));
	GONE(CALL(e->cq, Notify, ND_CQ_NOTIFY_ANY, &ov));
	GONE(CALL(e->cq, Resize, 16));
	GONE(CALL(e->cq, CancelOverlappedRequests));
	GONE(CALL(e->connector, Bind, SA(&sin), sizeof(sin)));
	GONE(CALL(e->connector, NotifyDisconnect, &ov));
	GONE(CALL(e->connector, Disconnect, &ov));
	GONE(CALL(pair.listener, GetConnectionRequest, (IUnknown *)e->connector, &ov));
	GONE(post_recv(e, 0, 8, 1));
	GONE(post_send(e, 0, 8, 1, 0));
	GONE(post_write(e, 0, 8, 1, 0, &pair.b, 0));
	GONE(post_read(e, 0, 8, 1, 0, &pair.b, 0));
	GONE(CALL(e->qp, Flush));
	if (CALL(e->cq, GetResults, r, 4) != 0)
		_exit(3);
	GONE(NdsEventCreate(1, 0, &h));
	GONE(NdsPortCreate(&h));
	GONE(NdsPortGet(h, &entry, 1, NDS_INFINITE, &n));
	GONE(NdsHandleClose(e->file));
	CALL(e->connector, Release);
	CALL(e->qp, Release);
	CALL(e->cq, Release);
	CALL(e->mr, Release);
	CALL(adapters[0], Release);
}

static void exits(void)
{
	exit(0);
}

static void execs(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(4);
}

/* Keeps the provider's locks busy while the main thread forks. */
static void *busy(void *arg)
{
	struct end *e = arg;
	ND2_RESULT r[8];

	while (!stop) {
		IND2CompletionQueue *cq = NULL;

		for (int i = 0; i < 20; i++)
			CALL(e->cq, GetResults, r, 8);
		if (CALL(adapters[e->which], CreateCompletionQueue, &IID_IND2CompletionQueue,
			 e->file, 8, 0, 0, (void **)&cq) == (HRESULT)ND_SUCCESS)
			CALL(cq, Release);
	}
	return NULL;
}

static void children_of_a_process_with_adapters(void **state)
{
	void (*const children[])(void) = {opens, uses_what_its_parent_has, exits, execs};
	struct pair other;
	struct end *ends[] = {&pair.a, &pair.b};
	pthread_t threads[2];

	pair_open_connected(&pair, NULL);
	pair_open_connected(&other, NULL);
	for (int i = 0; i < BUSY; i++)
		pthread_create(&threads[i], NULL, busy, ends[i]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		assert_int_equal(run_child(children[i % 4]), 0);
		exchange(&other.a, &other.b);
		exchange(&other.b, &other.a);
	}
	stop = true;
	for (int i = 0; i < BUSY; i++)
		pthread_join(threads[i], NULL);
	pair_close(&other);
	pair_close(&pair);
}

/* A child of a process that has not used the library yet opens an adapter of its own. */
static void works_by_itself(void)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Adapter *adapter;
	HANDLE file;

	if (NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), (void **)&adapter) !=
	    (HRESULT)ND_SUCCESS)
		_exit(5);
	if (CALL(adapter, CreateOverlappedFile, &file) != (HRESULT)ND_SUCCESS)
		_exit(6);
	NdsHandleClose(file);
	if (CALL(adapter, Release) != 0)
		_exit(7);
	_exit(0);
}

static void a_child_before_the_start(void **state)
{
	HR(NdStartup(), S_OK);
	alarm(60);
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		alarm(30);
		works_by_itself();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	open_adapters(NULL);
	alarm(0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_child_before_the_start),
	cmocka_unit_test(children_of_a_process_with_adapters),
};

int main(int argc, char **argv)
{
	setenv("SOFTRNIC_ND_CATALOG", argc > 1 ? argv[1] : "", 1);
	if (argc > 2)
		use_policy(argv[2]);
	return cmocka_run_group_tests(tests, NULL, close_adapters);
}
