/* A process that has closed its last adapter still answers peers for timers.close_linger_ms if it
 * had connections. A process without connections ends at once. The peer is another process of this
 * program, joined by memif. */
#include "rig.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PEER_FD		100  /* the peer process's descriptor of its socket to the test process */
#define NOBODY		7472 /* a CM port on which no process listens */
#define NO_SUCH_SERVICE 8    /* REJ reason: invalid service id */

static const char *config(bool server, unsigned linger_ms)
{
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@rn-linger-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; } );\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { mbufs = 1024; };\n"
		"timers = { close_linger_ms = %u; };\n",
		server ? "a" : "b", server ? "server" : "client",
		server ? (int)getpid() : (int)getppid(), server ? 1 : 2, server ? 1 : 2, linger_ms);
}

/* Connects to a CM port without a listener and expects a REJ. The peer process sends the REJ if it
 * still runs. */
static void is_refused_by(struct rn_link *l, uint8_t peer)
{
	struct rig_cq cq = rig_cq(l, 4);
	struct rig_qp qp = rig_qp(l, rig_pd(l), &cq, &cq, 4);
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT, .user = 7};
	uint64_t until = rig_now_ns() + UINT64_C(20000000000);
	struct rn_event ev;

	cmd.cm.local = qp.info.gids[0];
	cmd.cm.peer = cmd.cm.local;
	cmd.cm.peer.b[15] = peer;
	cmd.cm.peer_port = NOBODY;
	cmd.cm.param =
		(struct rn_cm_param){.qpn = qp.qpn, .psn = 1, .retry_cnt = 7, .rnr_retry = 7};
	assert_int_equal(rig_exec(l, &cmd, NULL), 0);
	do
		assert_true(rig_now_ns() < until);
	while (l->ops->wait(l, &ev, 1, 100) != 1 ||
	       (ev.kind != RN_EVENT_CM_REJECTED && ev.kind != RN_EVENT_CM_UNREACHABLE));
	assert_int_equal(ev.kind, RN_EVENT_CM_REJECTED);
	assert_int_equal(ev.reason, NO_SUCH_SERVICE);
}

/* The peer process. In mode "talk" it connects, is rejected, and then closes its adapter. In mode
 * "silent" it closes its adapter at once. */
static void peer(int fd, const char *mode)
{
	struct rn_link *l = rig_open(config(false, strcmp(mode, "talk") == 0 ? 30000 : 60000), 0);

	if (strcmp(mode, "talk") == 0)
		is_refused_by(l, 1);
	assert_int_equal(write(fd, "c", 1), 1);
	rn_link_close(l);
}

static pid_t start_peer(int *fd, const char *mode)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(pair[1], PEER_FD);
		execl("/proc/self/exe", "test_linger", "peer", mode, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void answers_after_the_last_close(void **state)
{
	struct rn_link *l = rig_open(config(true, 0), 0);
	char closing;
	int fd;
	pid_t pid = start_peer(&fd, "talk");

	assert_int_equal(read(fd, &closing, 1), 1);
	is_refused_by(l, 2);
	/* The peer process still runs. The duration of its linger time is not tested. */
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(fd);
	rn_link_close(l);
}

/* A peer process without connections must end at once and not linger for 60 s. The test allows 30 s
 * for the end, because the machine may be slow. */
static void ends_at_once_without_connections(void **state)
{
	struct rn_link *l = rig_open(config(true, 60000), 0);
	char closing;
	int fd, status;
	pid_t pid = start_peer(&fd, "silent"), gone;

	assert_int_equal(read(fd, &closing, 1), 1);
	for (uint64_t until = rig_now_ns() + UINT64_C(30000000000);
	     (gone = waitpid(pid, &status, WNOHANG)) == 0;) {
		assert_true(rig_now_ns() < until);
		usleep(10000);
	}
	assert_int_equal(gone, pid);
	assert_int_equal(status, 0);
	close(fd);
	rn_link_close(l);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_after_the_last_close),
		cmocka_unit_test(ends_at_once_without_connections),
	};

	if (argc == 3 && strcmp(argv[1], "peer") == 0) {
		peer(PEER_FD, argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
