/* Two processes joined by memif exchange messages. When one process dies, the surviving process
 * connects to a new process. */
#include "rig.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEN	200000u
#define DEPTH	16
#define PEER_FD 100 /* the peer process's descriptor of its socket to the test process */
#define ALL	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

struct hello {
	struct rig_qp qp;
	uint64_t buf;
	uint32_t rkey;
};

static const char *config(bool server, const char *policy)
{
	return rig_config(
		"adapters = ( { name = \"%s\"; port = \"memif\"; role = \"%s\"; socket = \"@rn-test-%d\";\n"
		"  mac = \"02:00:00:00:00:0%d\"; ipv4 = [ \"192.0.2.%d/24\" ]; mtu = 4200; } );\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { mbufs = 1024; };\n"
		"idle = { policy = \"%s\"; };\n"
		/* so that some frames arrive ahead of a lost one */
		"impair = { loss = 1.0; seed = 3; };\n",
		server ? "a" : "b", server ? "server" : "client",
		server ? (int)getpid() : (int)getppid(), server ? 1 : 2, server ? 1 : 2, policy);
}

struct end {
	struct rn_link *link;
	struct rig_cq scq, rcq;
	struct rig_qp qp;
	uint8_t *buf;
	uint32_t pd, lkey, rkey;
};

static void make_qp(struct end *e)
{
	e->scq = rig_cq(e->link, DEPTH);
	e->rcq = rig_cq(e->link, DEPTH);
	e->qp = rig_qp(e->link, e->pd, &e->scq, &e->rcq, DEPTH);
}

static void make_end(struct end *e, bool server, const char *policy)
{
	e->link = rig_open(config(server, policy), 0);
	e->pd = rig_pd(e->link);
	e->buf = calloc(1, LEN);
	rig_reg(e->link, e->pd, e->buf, LEN, ALL, &e->lkey, &e->rkey);
	make_qp(e);
}

/* Sends e's QPN, address and key over a socket, receives those of the peer, and connects the QP. */
static struct hello meet(struct end *e, int fd)
{
	struct hello mine = {e->qp, (uintptr_t)e->buf, e->rkey}, other;

	assert_int_equal(write(fd, &mine, sizeof(mine)), sizeof(mine));
	assert_int_equal(read(fd, &other, sizeof(other)), sizeof(other));
	struct rig_qp peer = other.qp;
	rig_connect_one(&e->qp, &peer);
	char ready = 0;
	assert_int_equal(write(fd, &ready, 1), 1);
	assert_int_equal(read(fd, &ready, 1), 1);
	return other;
}

/* The peer process: echoes every message. After the echo of a one-byte message the peer process
 * ends, unless it was killed before. */
static void echo(int fd, const char *policy)
{
	struct end e;

	make_end(&e, false, policy);
	meet(&e, fd);
	rig_post(&e.qp, RN_WQE_RECV, 0, e.buf, LEN, e.lkey, 0, 0);
	/* Report to the parent process that a receive is posted. */
	assert_int_equal(write(fd, "r", 1), 1);
	for (uint32_t len = 0; len != 1;) {
		struct rn_cqe cqe = rig_wait(&e.rcq);
		assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
		len = cqe.byte_len;
		memcpy(e.buf + LEN / 2, e.buf, len);
		if (len != 1)
			rig_post(&e.qp, RN_WQE_RECV, 0, e.buf, LEN / 2, e.lkey, 0, 0);
		rig_post(&e.qp, RN_WQE_SEND, 0, e.buf + LEN / 2, len, e.lkey, 0, 0);
		assert_int_equal(rig_wait(&e.scq).status, RN_STATUS_SUCCESS);
	}
	/* Keep the adapter open until the parent process writes a byte, because the parent process
	 * may still need the last ACK. */
	char bye;
	assert_int_equal(read(fd, &bye, 1), 1);
	rn_link_close(e.link);
	free(e.buf);
}

static pid_t start_peer(int *fd, const char *policy)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (pair[1] == PEER_FD)
			fcntl(PEER_FD, F_SETFD, 0);
		else
			dup2(pair[1], PEER_FD);
		execl("/proc/self/exe", "test_memif", "peer", policy, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void round_trip(struct end *e, uint32_t len, unsigned i)
{
	memset(e->buf, (int)i, len);
	rig_post(&e->qp, RN_WQE_RECV, i, e->buf + LEN / 2, LEN / 2, e->lkey, 0, 0);
	rig_post(&e->qp, RN_WQE_SEND, i, e->buf, len, e->lkey, 0, 0);
	struct rn_cqe r = rig_wait(&e->rcq), s = rig_wait(&e->scq);
	assert_int_equal(r.status, RN_STATUS_SUCCESS);
	assert_int_equal(s.status, RN_STATUS_SUCCESS);
	assert_int_equal(r.byte_len, len);
	assert_memory_equal(e->buf, e->buf + LEN / 2, len);
}

static void converse(struct end *e, int fd)
{
	char posted;

	meet(e, fd);
	assert_int_equal(read(fd, &posted, 1), 1);
	for (unsigned i = 0; i < 50; i++)
		round_trip(e, 2 + i, i);
	for (unsigned i = 0; i < 10; i++)
		round_trip(e, LEN / 2, i);
}

static void part(struct end *e, int fd, pid_t pid)
{
	int status;

	round_trip(e, 1, 9);
	assert_int_equal(write(fd, "b", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

static void drop_qp(struct end *e)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {e->qp.qpn, e->qp.gen}};

	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_CQ, .obj.id = e->scq.id};
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	cmd.obj.id = e->rcq.id;
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
}

static void survives_its_peers(void **state)
{
	struct end e;
	int fd, status;

	make_end(&e, true, "adaptive");
	/* The first peer process ends by itself. */
	pid_t pid = start_peer(&fd, "adaptive");
	converse(&e, fd);
	part(&e, fd, pid);
	drop_qp(&e);
	/* The second peer process is killed while messages are in flight. */
	make_qp(&e);
	pid = start_peer(&fd, "adaptive");
	converse(&e, fd);
	rig_post(&e.qp, RN_WQE_SEND, 1, e.buf, LEN / 2, e.lkey, 0, 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fd);
	drop_qp(&e);
	/* A connection to a third peer process, which has another idle policy, works again. */
	make_qp(&e);
	pid = start_peer(&fd, "inline");
	converse(&e, fd);
	part(&e, fd, pid);
	rn_link_close(e.link);
	free(e.buf);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(survives_its_peers)};

	signal(SIGPIPE, SIG_IGN);
	if (argc == 3 && strcmp(argv[1], "peer") == 0) {
		echo(PEER_FD, argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
