/* Starts and stops a peer process. Owns the process and a socket. Through this socket the peer
 * sends the port number of its listener. */
#include "peer.h"

#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PEER_FD 100 /* descriptor number of the socket in the peer's process */
#define MANY	32  /* upper limit of peer_plan.connections */

static const struct peer_plan *the_plan; /* set in the peer's process only */

double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void configure(const struct peer_plan *plan, int which, int test)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@nd2-%s-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; } );\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { mbufs = 1024; };\n"
		"timers = { %s };\n",
		which ? "b" : "a", which ? "client" : "server", plan->name, test, which + 1,
		which + 1, plan->timers);
	use_config(text);
}

/* The test function of the peer's process. Accepts all connections, then sleeps until the process
 * is killed. */
static void accept_all(void **state)
{
	OVERLAPPED request = {0}, accept[MANY] = {{0}};
	unsigned n = the_plan->connections;
	IND2Listener *listener;
	struct end e[MANY];
	uint16_t port;

	assert_true(n <= MANY);
	configure(the_plan, 1, (int)getppid());
	adapters[1] = open_adapter(1);
	for (unsigned i = 0; i < n; i++)
		end_open(&e[i], 1, NULL);
	listen_on(&e[0], &listener, &port, 0);
	assert_int_equal(write(PEER_FD, &port, sizeof(port)), sizeof(port));
	for (unsigned i = 0; i < n; i++) {
		ENDS(listener,
		     CALL(listener, GetConnectionRequest, (IUnknown *)e[i].connector, &request),
		     &request, ND_SUCCESS);
		HR(CALL(e[i].connector, Accept, (IUnknown *)e[i].qp, 1, 1, NULL, 0, &accept[i]),
		   ND_PENDING);
	}
	sleep(100);
}

int peer_be(const struct peer_plan *plan)
{
	const struct CMUnitTest peer[] = {cmocka_unit_test(accept_all)};

	the_plan = plan;
	/* Print the peer's test result as plain text (CM_OUTPUT_STDOUT). dup2() then redirects it
	 * to stderr, because stdout belongs to the TAP output of the test process. */
	cmocka_set_message_output(CM_OUTPUT_STDOUT);
	unsetenv("CMOCKA_MESSAGE_OUTPUT");
	dup2(STDERR_FILENO, STDOUT_FILENO);
	return cmocka_run_group_tests(peer, NULL, NULL);
}

void peer_start(struct peer *peer, const struct peer_plan *plan)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	*peer = (struct peer){.plan = plan, .pid = fork(), .socket = pair[0]};
	if (peer->pid == 0) {
		dup2(pair[1], PEER_FD);
		execl("/proc/self/exe", plan->name, "peer", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	configure(plan, 0, (int)getpid());
	adapters[0] = open_adapter(0);
	assert_int_equal(recv(peer->socket, &peer->port, sizeof(peer->port), MSG_WAITALL),
			 sizeof(peer->port));
}

void peer_connect(const struct peer *peer, struct end *e)
{
	struct sockaddr_in to = address_of(1, peer->port);
	OVERLAPPED connect = {0}, complete = {0};

	end_open(e, 0, NULL);
	bind_any(e, e->connector);
	ENDS(e->connector,
	     CALL(e->connector, Connect, (IUnknown *)e->qp, SA(&to), sizeof(to), 1, 1, NULL, 0,
		  &connect),
	     &connect, ND_SUCCESS);
	ENDS(e->connector, CALL(e->connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
}

void peer_kill(struct peer *peer)
{
	kill(peer->pid, SIGKILL);
	assert_int_equal(waitpid(peer->pid, NULL, 0), peer->pid);
	close(peer->socket);
}
