/* A process, the target, sends the address of its memory to a second process and then sleeps. The
 * sleeping target makes no call. Meanwhile the second process Writes to the memory and Reads it
 * back.
 *
 * The target's NIC must work under every idle policy. Under the policy inline, a thread of the
 * library polls the NIC. usage: nd2_sleeper POLICY [SECONDS] */
#include "fixture.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TARGET_FD 100	 /* target's file descriptor for talking to the active side */
#define LEN	  20000u /* bytes of a Write or Read; several packets */
#define PAUSE_US  2000

static const char *policy = "inline";
static unsigned seconds = 30;

/* The message that the target sends before it sleeps: the target's memory, and the port number of
 * its listener. When the target is awake again, it sends the byte "w". */
struct about {
	uint64_t buf;
	UINT32 token;
	uint16_t port;
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void configure(int which, int socket_owner)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@nd2-sleeper-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; mtu = 4200; } );\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { mbufs = 1024; };\n"
		"idle = { policy = \"%s\"; };\n",
		which ? "b" : "a", which ? "client" : "server", socket_owner, which + 1, which + 1,
		policy);
	use_config(text);
}

static void say(int fd, const void *what, size_t len)
{
	assert_int_equal(write(fd, what, len), len);
}

static void hear(int fd, void *what, size_t len)
{
	assert_int_equal(recv(fd, what, len, MSG_WAITALL), len);
}

/* ---- the target process ---- */

static void sleep_as_target(void **state)
{
	struct timespec rest = {.tv_sec = seconds};
	OVERLAPPED request = {0}, accept = {0};
	IND2Listener *listener;
	struct about me;
	struct end e;
	uint8_t last;

	configure(1, (int)getppid());
	adapters[1] = open_adapter(1);
	end_open(&e, 1, NULL);
	listen_on(&e, &listener, &me.port, 0);
	me.buf = (uintptr_t)e.buf;
	me.token = e.remote;
	say(TARGET_FD, &me, sizeof(me));
	HR(CALL(listener, GetConnectionRequest, (IUnknown *)e.connector, &request), ND_PENDING);
	HR(finish(listener, &request), ND_SUCCESS);
	HR(CALL(e.connector, Accept, (IUnknown *)e.qp, 4, 4, NULL, 0, &accept), ND_PENDING);
	HR(finish(e.connector, &accept), ND_SUCCESS);
	say(TARGET_FD, "s", 1);
	while (nanosleep(&rest, &rest) != 0)
		;
	say(TARGET_FD, "w", 1);
	hear(TARGET_FD, &last, 1);
	assert_true(filled(&e, 0, LEN, last));
	reap_none(e.cq, 0); /* the active side's Write and Read leave no result at the target */
	say(TARGET_FD, "d", 1);
	/* Keeps the adapter open until the active side has received all ACKs. */
	hear(TARGET_FD, &last, 1);
	RELEASE(listener);
	end_close(&e);
	RELEASE(adapters[1]);
	close(TARGET_FD);
}

/* ---- the active side ---- */

static pid_t start_target(int *fd)
{
	char length[16];
	int pair[2];
	pid_t pid;

	snprintf(length, sizeof(length), "%u", seconds);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pair[1], TARGET_FD);
		execl("/proc/self/exe", "nd2_sleeper", policy, length, "target", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void connect_to(struct end *e, const struct about *it)
{
	OVERLAPPED connect = {0}, complete = {0};
	struct sockaddr_in to = address_of(1, it->port);

	bind_any(e, e->connector);
	ENDS(e->connector,
	     CALL(e->connector, Connect, (IUnknown *)e->qp, SA(&to), sizeof(to), 4, 4, NULL, 0,
		  &connect),
	     &connect, ND_SUCCESS);
	ENDS(e->connector, CALL(e->connector, CompleteConnect, &complete), &complete, ND_SUCCESS);
}

/* True once the target has reported that it is awake. This process does not time the sleep itself,
 * because the target may sleep longer on a busy machine. */
static bool is_awake(int fd)
{
	char w;

	return recv(fd, &w, 1, MSG_DONTWAIT) == 1;
}

/* Writes LEN bytes to the target and Reads them back. */
static void round_trip(struct end *e, const struct end *target, uint8_t seed)
{
	fill(e, 0, LEN, seed);
	memset(e->buf + LEN, 0, LEN);
	HR(post_write(e, 0, LEN, 1, 0, target, 0), ND_SUCCESS);
	reap_is(e->cq, 1, ND_SUCCESS);
	HR(post_read(e, LEN, LEN, 2, 0, target, 0), ND_SUCCESS);
	reap_is(e->cq, 2, ND_SUCCESS);
	assert_true(filled(e, LEN, LEN, seed));
}

static void nd2_own_target_of_rdma_sleeps(void **state)
{
	uint64_t began;
	unsigned rounds = 0;
	struct end e, there = {0};
	struct about it;
	int fd, status;
	pid_t pid;
	uint8_t c;

	pid = start_target(&fd);
	configure(0, (int)getpid());
	adapters[0] = open_adapter(0);
	end_open(&e, 0, NULL);
	hear(fd, &it, sizeof(it));
	there.buf = (uint8_t *)(uintptr_t)it.buf;
	there.remote = it.token;
	connect_to(&e, &it);
	hear(fd, &c, 1);
	began = now_ms();
	while (!is_awake(fd)) {
		round_trip(&e, &there, (uint8_t)rounds++);
		usleep(PAUSE_US);
		assert_true(now_ms() - began < (seconds + 60) * UINT64_C(1000));
	}
	print_message("%u rounds in %u ms\n", rounds, (unsigned)(now_ms() - began));
	assert_true(rounds >= seconds); /* one round per second is a low limit, for slow machines */
	c = (uint8_t)(rounds - 1);
	say(fd, &c, 1);
	hear(fd, &c, 1);
	say(fd, "b", 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	end_close(&e);
	RELEASE(adapters[0]);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nd2_own_target_of_rdma_sleeps)};
	const struct CMUnitTest target[] = {cmocka_unit_test(sleep_as_target)};

	if (argc > 1)
		policy = argv[1];
	if (argc > 2)
		seconds = (unsigned)atoi(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	if (argc > 3) {
		/* The target process writes its test result to stderr, since stdout belongs to the
		 * TAP output of the test. */
		cmocka_set_message_output(CM_OUTPUT_STDOUT);
		unsetenv("CMOCKA_MESSAGE_OUTPUT");
		dup2(STDERR_FILENO, STDOUT_FILENO);
		return cmocka_run_group_tests(target, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
