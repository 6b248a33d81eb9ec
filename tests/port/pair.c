/* The conversation of two processes that pair.h describes. */
#include "pair.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH	16
#define PEER_FD 100 /* the peer process's descriptor of its socket to the test process */
#define ALL	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)

static void make_qps(struct pair_end *e)
{
	e->scq = rig_cq(e->link, DEPTH * PAIR_QPS);
	e->rcq = rig_cq(e->link, DEPTH * PAIR_QPS);
	for (unsigned i = 0; i < e->nqps; i++)
		e->qp[i] = rig_qp(e->link, e->pd, &e->scq, &e->rcq, DEPTH);
}

static void drop_qps(struct pair_end *e)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};

	for (unsigned i = 0; i < e->nqps; i++) {
		cmd.qp.qpn = e->qp[i].qpn;
		cmd.qp.gen = e->qp[i].gen;
		assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	}
	cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_CQ, .obj.id = e->scq.id};
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
	cmd.obj.id = e->rcq.id;
	assert_int_equal(rig_exec(e->link, &cmd, NULL), 0);
}

void pair_open(struct pair_end *e, const char *path, unsigned nqps)
{
	*e = (struct pair_end){.nqps = nqps};
	e->link = rig_open(path, 0);
	e->pd = rig_pd(e->link);
	e->buf = calloc(1, PAIR_LEN);
	rig_reg(e->link, e->pd, e->buf, PAIR_LEN, ALL, &e->lkey, &e->rkey);
	make_qps(e);
}

void pair_renew(struct pair_end *e)
{
	drop_qps(e);
	make_qps(e);
}

void pair_close(struct pair_end *e)
{
	rn_link_close(e->link);
	free(e->buf);
}

static void put(int fd, const void *data, size_t len)
{
	assert_int_equal(send(fd, data, len, MSG_NOSIGNAL), len);
}

static void get(int fd, void *data, size_t len)
{
	assert_int_equal(recv(fd, data, len, MSG_WAITALL), len);
}

/* Exchanges the QPs over the socket, and connects them. */
static void connect_qps(struct pair_end *e, int fd)
{
	struct rig_qp other[PAIR_QPS];
	char ready = 0;

	put(fd, e->qp, sizeof(e->qp));
	get(fd, other, sizeof(other));
	for (unsigned i = 0; i < e->nqps; i++)
		rig_connect_one(&e->qp[i], &other[i]);
	put(fd, &ready, 1);
	get(fd, &ready, 1);
}

/* Each QP of the peer has a part of the buffer for its messages. The answer is sent from there
 * too. */
static uint8_t *part_of(struct pair_end *e, unsigned qp)
{
	return e->buf + qp * (PAIR_LEN / PAIR_QPS);
}

static unsigned qp_of(const struct pair_end *e, uint32_t qpn)
{
	unsigned i = 0;

	while (i < e->nqps && e->qp[i].qpn != qpn)
		i++;
	assert_true(i < e->nqps);
	return i;
}

static void echo(const char *path, unsigned nqps)
{
	struct pair_end e;
	char byte = 0;

	pair_open(&e, path, nqps);
	connect_qps(&e, PEER_FD);
	for (unsigned i = 0; i < nqps; i++)
		rig_post(&e.qp[i], RN_WQE_RECV, 0, part_of(&e, i), PAIR_LEN / PAIR_QPS, e.lkey, 0,
			 0);
	/* Report to the test process that receives are posted. */
	put(PEER_FD, &byte, 1);
	for (uint32_t len = 0; len != 1;) {
		struct rn_cqe cqe = rig_wait(&e.rcq);
		unsigned i = qp_of(&e, cqe.qpn);
		assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
		len = cqe.byte_len;
		rig_post(&e.qp[i], RN_WQE_SEND, 0, part_of(&e, i), len, e.lkey, 0, 0);
		assert_int_equal(rig_wait(&e.scq).status, RN_STATUS_SUCCESS);
		if (len != 1)
			rig_post(&e.qp[i], RN_WQE_RECV, 0, part_of(&e, i), PAIR_LEN / PAIR_QPS,
				 e.lkey, 0, 0);
	}
	/* Keep the adapter open until the test process writes a byte, because the test process may
	 * still need the last ACK. */
	get(PEER_FD, &byte, 1);
	pair_close(&e);
}

bool pair_main(int argc, char **argv)
{
	if (argc != 4 || strcmp(argv[1], "peer") != 0)
		return false;
	echo(argv[2], (unsigned)atoi(argv[3]));
	return true;
}

pid_t pair_start(int *fd, const char *path, unsigned nqps)
{
	char number[16];
	int pair[2];

	snprintf(number, sizeof(number), "%u", nqps);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pair[1] == PEER_FD)
			fcntl(PEER_FD, F_SETFD, 0);
		else
			dup2(pair[1], PEER_FD);
		execl("/proc/self/exe", "peer", "peer", path, number, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

void pair_meet(struct pair_end *e, int fd)
{
	char posted;

	connect_qps(e, fd);
	get(fd, &posted, 1);
}

void pair_round_trip(struct pair_end *e, uint32_t len, unsigned i)
{
	struct rig_qp *qp = &e->qp[i % e->nqps];
	uint8_t *back = e->buf + PAIR_LEN / 2;

	/* Neighbouring packets of a message, and neighbouring messages, have other bytes. */
	for (uint32_t k = 0; k < len; k++)
		e->buf[k] = (uint8_t)(i + k + k / 251);
	memset(back, 0, len);
	rig_post(qp, RN_WQE_RECV, i, back, PAIR_LEN / 2, e->lkey, 0, 0);
	rig_post(qp, RN_WQE_SEND, i, e->buf, len, e->lkey, 0, 0);
	struct rn_cqe r = rig_wait(&e->rcq), s = rig_wait(&e->scq);
	assert_int_equal(r.status, RN_STATUS_SUCCESS);
	assert_int_equal(s.status, RN_STATUS_SUCCESS);
	assert_int_equal(r.byte_len, len);
	assert_memory_equal(e->buf, back, len);
}

void pair_converse(struct pair_end *e, int fd)
{
	pair_meet(e, fd);
	for (unsigned i = 0; i < 50; i++)
		pair_round_trip(e, 2 + i, i);
	for (unsigned i = 0; i < 10; i++)
		pair_round_trip(e, PAIR_LEN / PAIR_QPS - i, i);
}

void pair_part(struct pair_end *e, int fd, pid_t pid)
{
	int status;

	pair_round_trip(e, 1, 0);
	put(fd, "b", 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}
