/* The process at the other end is killed: its side never says another word, and the link goes down. Connections end all
 * the same, and soon. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PEER_FD 100 /* of the socket, in the peer */
#define MANY	3

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
		 "adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@nd2-peer-death-%d\";\n"
		 "  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; } );\n"
		 "eal = { hugepages = \"no\"; };\n"
		 "limits = { mbufs = 1024; };\n"
		 "timers = { ack_timeout = 14; };\n",
		 which ? "b" : "a", which ? "client" : "server", socket_owner, which + 1, which + 1);
	use_config(text);
}

/* Accepts, then waits for its end. */
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
		execl("/proc/self/exe", "nd2_peer_death", "peer", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void disconnect(struct end *e)
{
	double start = now_s();
	OVERLAPPED ov = {0};

	ENDS(e->connector, CALL(e->connector, Disconnect, &ov), &ov, ND_SUCCESS);
	assert_true(now_s() - start < 8); /* all repeats together take 17 s */
}

static void nd2_own_the_peer_is_killed(void **state)
{
	OVERLAPPED connect = {0}, complete = {0}, notify = {0};
	struct sockaddr_in to;
	struct end e[MANY];
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
		HR(post_recv(&e[i], 0, 64, 1), ND_SUCCESS);
	}
	HR(CALL(e[2].connector, NotifyDisconnect, &notify), ND_PENDING);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	disconnect(&e[0]); /* the link goes down while it waits */
	reap_is(e[0].cq, 1, ND_CANCELED);
	disconnect(&e[1]); /* the link is down */
	reap_is(e[1].cq, 1, ND_CANCELED);
	/* Who sends something learns of it by that. */
	HR(post_send(&e[2], 0, 64, 2, 0), ND_SUCCESS);
	reap_is(e[2].cq, 2, ND_IO_TIMEOUT);
	reap_is(e[2].cq, 1, ND_CANCELED);
	HR(finish(e[2].connector, &notify), ND_SUCCESS);
	disconnect(&e[2]);
	for (int i = 0; i < MANY; i++)
		end_close(&e[i]);
	RELEASE(adapters[0]);
	close(fd);
	nothing_lives();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_the_peer_is_killed)};
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
