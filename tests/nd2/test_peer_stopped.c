/* The process at the other end is stopped: the link stays up, nobody answers. A queue pair that failed says so to who
 * posted before the connector has heard of it, and a Disconnect that comes in between must not wait for the peer. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PEER_FD 100 /* of the socket, in the peer */
#define MANY	24

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void configure(int which, int socket_owner)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@nd2-peer-stopped-%d\";\n"
		 "  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; } );\n"
		 "eal = { hugepages = \"no\"; };\n"
		 "limits = { mbufs = 1024; };\n"
		 "timers = { ack_timeout = 9; };\n",
		 which ? "b" : "a", which ? "client" : "server", socket_owner, which + 1, which + 1);
	use_config(text);
}

/* Accepts, then does nothing. */
static void be_the_peer(void **state)
{
	OVERLAPPED request = {0}, accept[MANY] = {{0}};
	IND2Listener *listener;
	struct end e[MANY];
	uint16_t port;

	configure(1, (int)getppid());
	adapters[1] = open_adapter(1);
	for (int i = 0; i < MANY; i++)
		end_open(&e[i], 1, NULL);
	listen_on(&e[0], &listener, &port, 0);
	assert_int_equal(write(PEER_FD, &port, sizeof(port)), sizeof(port));
	for (int i = 0; i < MANY; i++) {
		ENDS(listener, CALL(listener, GetConnectionRequest, (IUnknown *)e[i].connector, &request), &request,
		     ND_SUCCESS);
		HR(CALL(e[i].connector, Accept, (IUnknown *)e[i].qp, 1, 1, NULL, 0, &accept[i]), ND_PENDING);
	}
	sleep(100);
}

static pid_t start_peer(int *fd)
{
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pair[1], PEER_FD);
		execl("/proc/self/exe", "nd2_peer_stopped", "peer", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

/* How long a Disconnect takes that follows the first error at once. */
static double disconnect_after_failure(struct end *e)
{
	OVERLAPPED ov = {0};
	ND2_RESULT r;
	double start = now_s();

	HR(post_send(e, 0, 64, 2, 0), ND_SUCCESS);
	while (CALL(e->cq, GetResults, &r, 1) == 0)
		assert_true(now_s() - start < 20);
	HR(r.Status, ND_IO_TIMEOUT);
	start = now_s();
	ENDS(e->connector, CALL(e->connector, Disconnect, &ov), &ov, ND_SUCCESS);
	return now_s() - start;
}

static void nd2_own_disconnect_after_a_failure(void **state)
{
	OVERLAPPED connect = {0}, complete = {0};
	struct sockaddr_in to;
	struct end e[MANY];
	unsigned slow = 0;
	uint16_t port;
	pid_t pid;
	int fd;

	pid = start_peer(&fd);
	configure(0, (int)getpid());
	adapters[0] = open_adapter(0);
	assert_int_equal(recv(fd, &port, sizeof(port), MSG_WAITALL), sizeof(port));
	to = address_of(1, port);
	for (int i = 0; i < MANY; i++) {
		end_open(&e[i], 0, NULL);
		bind_any(&e[i], e[i].connector);
		ENDS(e[i].connector,
		     CALL(e[i].connector, Connect, (IUnknown *)e[i].qp, SA(&to), sizeof(to), 1, 1, NULL, 0, &connect),
		     &connect, ND_SUCCESS);
		ENDS(e[i].connector, CALL(e[i].connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
	}
	kill(pid, SIGSTOP);
	/* One that waits for the peer takes 17 s: two are enough to know. */
	for (int i = 0; i < MANY && slow < 2; i++)
		slow += disconnect_after_failure(&e[i]) > 4;
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(slow, 0);
	for (int i = 0; i < MANY; i++)
		end_close(&e[i]);
	RELEASE(adapters[0]);
	close(fd);
	nothing_lives();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_disconnect_after_a_failure)};
	const struct CMUnitTest peer[] = {cmocka_unit_test(be_the_peer)};

	if (argc > 1) {
		/* Its outcome is the other side's to report. */
		cmocka_set_message_output(CM_OUTPUT_STDOUT);
		unsetenv("CMOCKA_MESSAGE_OUTPUT");
		dup2(STDERR_FILENO, STDOUT_FILENO);
		return cmocka_run_group_tests(peer, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
