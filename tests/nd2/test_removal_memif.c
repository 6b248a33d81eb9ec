/* Two processes with one adapter each, joined by memif. The network port of one adapter is removed.
 * In that process, requests end with ND_DEVICE_REMOVED.
 *
 * For the other process the peer is silent, so requests time out. The adapter of the other process
 * still works and can connect to another peer. */
#include "fixture.h"
#include "rn/link.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

#define REMOVED ND_DEVICE_REMOVED
#define PEER_FD 100 /* in the second process: file descriptor of its socket to the first */
#define PORT	7000

static char path[] = "/tmp/nd2-memif-XXXXXX";
static int other = -1; /* socket to the other process */

static void remove_file(void)
{
	unlink(path);
}

/* Opens the adapter of this process. `which` is 0 in the memif server, 1 in the memif client. */
static void open_mine(int which)
{
	struct sockaddr_in sin = address_of(which, 0);
	IND2Provider *provider;
	static const GUID any;
	UINT64 id;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&provider), S_OK);
	HR(CALL(provider, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	HR(CALL(provider, OpenAdapter, &IID_IND2Adapter, id, (void **)&adapters[which]),
	   ND_SUCCESS);
	CALL(provider, Release);
}

static void configure(int which)
{
	FILE *f = fdopen(mkstemp(path), "w");

	fprintf(f,
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@nd2-removal-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; mtu = 4200; } );\n"
		"eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n",
		which ? "b" : "a", which ? "client" : "server",
		which ? (int)getppid() : (int)getpid(), which + 1, which + 1);
	fclose(f);
	setenv("SOFTRNIC_CONFIG", path, 1);
	atexit(remove_file);
}

static void say(char c)
{
	assert_int_equal(write(other, &c, 1), 1);
}

static void hear(char expected)
{
	char c = 0;

	assert_int_equal(read(other, &c, 1), 1);
	assert_int_equal(c, expected);
}

/* ---- what both processes do ---- */

static void accept_one(struct end *e)
{
	OVERLAPPED ask = {0}, accept = {0};
	struct sockaddr_in sin = address_of(e->which, PORT);
	IND2Listener *l = new_listener(e);

	HR(CALL(l, Bind, SA(&sin), sizeof(sin)), ND_SUCCESS);
	HR(CALL(l, Listen, 0), ND_SUCCESS);
	HR(CALL(l, GetConnectionRequest, (IUnknown *)e->connector, &ask), ND_PENDING);
	say('l');
	HR(finish(l, &ask), ND_SUCCESS);
	ENDS(e->connector, CALL(e->connector, Accept, (IUnknown *)e->qp, 1, 1, NULL, 0, &accept),
	     &accept, ND_SUCCESS);
	RELEASE(l);
}

static void connect_one(struct end *e)
{
	OVERLAPPED connect = {0}, complete = {0};
	struct sockaddr_in to = address_of(!e->which, PORT);

	bind_any(e, e->connector);
	hear('l');
	ENDS(e->connector,
	     CALL(e->connector, Connect, (IUnknown *)e->qp, SA(&to), sizeof(to), 1, 1, NULL, 0,
		  &connect),
	     &connect, ND_SUCCESS);
	ENDS(e->connector, CALL(e->connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
}

static void talk(struct end *e)
{
	HR(post_recv(e, 0, 100, 1), ND_SUCCESS);
	say('r');
	hear('r');
	HR(post_send(e, 1000, 100, 2, 0), ND_SUCCESS);
	for (unsigned i = 0; i < 2; i++)
		HR(reap(e->cq).Status, ND_SUCCESS);
}

/* The test steps of the process whose network port is removed. */
static void lose_it(struct end *e)
{
	OVERLAPPED notify = {0}, gone = {0}, later = {0};
	ND2_ADAPTER_INFO info;
	ULONG cb = sizeof(info);

	HR(CALL(e->cq, Notify, ND_CQ_NOTIFY_ERRORS, &notify), ND_PENDING);
	HR(CALL(e->connector, NotifyDisconnect, &gone), ND_PENDING);
	HR(post_recv(e, 0, 100, 5), ND_SUCCESS);
	assert_int_equal(rn_link_unplug(e->which ? "b" : "a"), 0);
	HR(finish(e->cq, &notify), REMOVED);
	HR(finish(e->connector, &gone), REMOVED);
	reap_is(e->cq, 5, ND_CANCELED);
	HR(CALL(e->connector, NotifyDisconnect, &later), REMOVED);
	HR(CALL(adapters[e->which], Query, &info, &cb), REMOVED);
	HR(post_recv(e, 0, 100, 6), REMOVED);
	say('g');
}

/* The test steps of the process that keeps its network port. */
static void survive_it(struct end *e)
{
	OVERLAPPED gone = {0}, again = {0};
	struct sockaddr_in to = address_of(!e->which, PORT);
	ND2_ADAPTER_INFO info;
	ULONG cb = sizeof(info);
	IND2CompletionQueue *cq;
	IND2Connector *c;
	IND2QueuePair *qp;

	HR(CALL(e->connector, NotifyDisconnect, &gone), ND_PENDING);
	HR(post_recv(e, 0, 100, 7), ND_SUCCESS);
	hear('g');
	/* This side does not learn that the peer's network port was removed, so NotifyDisconnect
	 * stays pending. */
	HR(status_after(&gone, 100), ND_PENDING);
	HR(post_send(e, 0, 100, 8, 0), ND_SUCCESS);
	reap_is(e->cq, 8, ND_IO_TIMEOUT);
	reap_is(e->cq, 7, ND_CANCELED);
	HR(finish(e->connector, &gone), ND_SUCCESS);
	HR(CALL(adapters[e->which], Query, &info, &cb), ND_SUCCESS);
	cq = new_cq(e, 8);
	qp = new_qp(e, cq, NULL, NULL);
	c = new_connector(e);
	bind_any(e, c);
	HR(CALL(c, Connect, (IUnknown *)qp, SA(&to), sizeof(to), 1, 1, NULL, 0, &again),
	   ND_PENDING);
	HR(CALL(c, CancelOverlappedRequests), ND_SUCCESS);
	HR(finish(c, &again), ND_CANCELED);
	RELEASE(c);
	RELEASE(qp);
	RELEASE(cq);
}

/* Runs one process of the test. `which` is the number of the process's adapter: 0 is the memif
 * server, 1 the memif client. `loser` is the number of the adapter whose network port is
 * removed. */
static void play(int which, int loser)
{
	struct end e;

	end_open(&e, which, NULL);
	if (which == 0)
		accept_one(&e);
	else
		connect_one(&e);
	talk(&e);
	if (which == loser)
		lose_it(&e);
	else
		survive_it(&e);
	end_close(&e);
}

static pid_t start_peer(int loser)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (pair[1] == PEER_FD || dup2(pair[1], PEER_FD) == PEER_FD)
			execl("/proc/self/exe", "nd2_removal_memif", loser ? "1" : "0",
			      (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	other = pair[0];
	return pid;
}

static void with_a_peer(int loser)
{
	pid_t pid = start_peer(loser);
	int status;

	play(0, loser);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(other);
}

/* The client process loses its network port, and so does a second client process. The server's
 * adapter serves one client after the other. */
static void nd2_own_removed_port_of_the_peer(void **state)
{
	open_mine(0);
	for (unsigned i = 0; i < 2; i++)
		with_a_peer(1);
	close_adapters(NULL);
	nothing_lives();
}

static void nd2_own_removed_port_of_ours(void **state)
{
	open_mine(0);
	with_a_peer(0);
	close_adapters(NULL);
	nothing_lives();
}

/* The main program of the second process. A failed assert outside of a cmocka test ends the process
 * with a nonzero status. */
static int peer(int loser)
{
	other = PEER_FD;
	open_mine(1);
	play(1, loser);
	close_adapters(NULL);
	nothing_lives();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_removed_port_of_the_peer),
		cmocka_unit_test(nd2_own_removed_port_of_ours),
	};

	configure(argc > 1);
	return argc > 1 ? peer(argv[1][0] == '1') : cmocka_run_group_tests(tests, NULL, NULL);
}
