/* Tests the client's connection to softrnicd against a fake daemon: a thread that answers each
 * request as the test has prescribed, and records what it received. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "nic/daemon_link.h"

#define LEAVE (-1) /* reply length: the daemon closes the connection */

#define PORT_BYTES ((int)RN_DAEMON_BYTES(struct rn_daemon_reply, port))
#define HEAD_BYTES ((int)offsetof(struct rn_daemon_reply, port))

struct fake {
	char folder[64], path[96];
	int listener;
	pthread_t thread;
	unsigned late_ms;     /* when the thread begins to listen */
	pthread_mutex_t gate; /* the daemon hangs while the test holds it */
	/* prescribed: length and content of the replies, in order; the last one is repeated */
	struct {
		int len;
		struct rn_daemon_reply reply;
	} answer[4];
	unsigned nanswers;
	/* recorded */
	unsigned requests;
	uint32_t op[16]; /* of the first requests */
	struct rn_daemon_request last;
	ssize_t last_len;
	struct stat passed; /* st_ino is 0 if no descriptor came */
};

static struct rn_daemon_reply good(void)
{
	struct rn_daemon_reply r = {.version = RN_DAEMON_VERSION};

	r.port = (struct rn_daemon_port){
		.number = 7,
		.token = 99,
		.mac = {2, 0, 0, 0, 0, 9},
		.ngids = 2,
		.mtu = 1500,
		.max_path_mtu = 5,
		.hop_limit = 64,
		.gids = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}}, {{0xfe, 0x80, [15] = 1}}},
		.prefix_len = {24, 64},
	};
	return r;
}

static ssize_t receive(struct fake *f, int fd)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&f->last, sizeof(f->last)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	int passed;

	if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
		memcpy(&passed, CMSG_DATA(c), sizeof(passed));
		fstat(passed, &f->passed);
		close(passed);
	}
	return n;
}

static void reply(int fd, int len, const struct rn_daemon_reply *r)
{
	send(fd, r, (size_t)len, MSG_NOSIGNAL);
}

/* Serves one connection. Returns false if there will be no other. */
static bool serve(struct fake *f)
{
	int fd = accept(f->listener, NULL, NULL);

	if (fd < 0)
		return false;
	while ((f->last_len = receive(f, fd)) > 0) {
		unsigned i = f->requests < f->nanswers ? f->requests : f->nanswers - 1;

		if (f->requests < 16)
			f->op[f->requests] = f->last.op;
		f->requests++;
		pthread_mutex_lock(&f->gate);
		pthread_mutex_unlock(&f->gate);
		if (f->answer[i].len == LEAVE)
			break;
		reply(fd, f->answer[i].len, &f->answer[i].reply);
	}
	close(fd);
	return true;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *run(void *arg)
{
	struct fake *f = arg;

	usleep(f->late_ms * 1000);
	listen(f->listener, 4);
	while (serve(arg))
		;
	return NULL;
}

/* Makes a daemon that does not serve yet. */
static void make(struct fake *f)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	*f = (struct fake){.folder = "/tmp/rn-test-XXXXXX", .gate = PTHREAD_MUTEX_INITIALIZER};
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof(f->path), "%s/d", f->folder);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", f->path);
	f->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&un, sizeof(un)), 0);
}

static void start(struct fake *f)
{
	make(f);
	assert_int_equal(listen(f->listener, 4), 0);
	assert_int_equal(pthread_create(&f->thread, NULL, run, f), 0);
}

static void stop(struct fake *f)
{
	shutdown(f->listener, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->listener);
	unlink(f->path);
	rmdir(f->folder);
}

static void answer(struct fake *f, int len, const struct rn_daemon_reply *reply)
{
	f->answer[f->nanswers].len = len;
	f->answer[f->nanswers++].reply = *reply;
}

static void test_asks_for_the_port(void **state)
{
	const struct rn_daemon_reply reply = good();
	struct rn_daemon_port port;
	struct fake f;

	start(&f);
	answer(&f, PORT_BYTES, &reply);
	assert_int_equal(rn_daemon_link_ask(f.path, 0, &port), 0);
	assert_memory_equal(&port, &reply.port, sizeof(port));
	stop(&f);
	assert_int_equal(f.last.op, RN_DAEMON_INFO);
	assert_int_equal(f.last.version, RN_DAEMON_VERSION);
	assert_int_equal(rn_daemon_link_ask(f.path, 0, &port), -ENOENT);
}

/* Asks a daemon that is away five times, and returns the seconds that the quickest call took. A
 * call that waits is never quick, but a call that does not wait may be slow on a busy machine. */
static double quickest_refusal(const struct fake *f)
{
	struct rn_daemon_port port;
	double quickest = 100;

	for (unsigned i = 0; i < 5; i++) {
		double began = seconds();

		assert_int_equal(rn_daemon_link_ask(f->path, 0, &port), -ECONNREFUSED);
		double took = seconds() - began;

		if (took < quickest)
			quickest = took;
	}
	return quickest;
}

static void test_waits_for_a_daemon_that_is_away(void **state)
{
	const struct rn_daemon_reply reply = good();
	struct rn_daemon_port port;
	struct fake f;

	/* nobody listens at the socket, as after a crash */
	make(&f);
	answer(&f, PORT_BYTES, &reply);
	assert_true(quickest_refusal(&f) < 0.2);
	double began = seconds();
	assert_int_equal(rn_daemon_link_ask(f.path, 300, &port), -ECONNREFUSED);
	assert_true(seconds() - began >= 0.3);
	f.late_ms = 200;
	assert_int_equal(pthread_create(&f.thread, NULL, run, &f), 0);
	assert_int_equal(rn_daemon_link_ask(f.path, 20000, &port), 0);
	stop(&f);
	/* there is no socket, as after an end */
	began = seconds();
	assert_int_equal(rn_daemon_link_ask(f.path, 100, &port), -ENOENT);
	assert_true(seconds() - began >= 0.1);
}

/* Each row spoils one member of a reply. */
static void test_refuses_what_no_port_can_have(void **state)
{
	static const struct rn_gid none;
	struct rn_daemon_port port;

#define SPOIL(statement)                                                            \
	do {                                                                        \
		struct rn_daemon_reply r = good();                                  \
		int len = PORT_BYTES;                                               \
		struct fake f;                                                      \
		(void)len;                                                          \
		statement;                                                          \
		start(&f);                                                          \
		answer(&f, len, &r);                                                \
		assert_int_equal(rn_daemon_link_ask(f.path, 9000, &port), -EPROTO); \
		stop(&f);                                                           \
	} while (0)

	SPOIL(r.version++);
	SPOIL(r.err = 1);
	SPOIL(r.err = -5000);
	SPOIL(r.err = -EPROTO);
	SPOIL(len -= 1);
	SPOIL(len = HEAD_BYTES);
	SPOIL(len = HEAD_BYTES - 1);
	SPOIL(len += 1);
	SPOIL(r.port.ngids = 0);
	SPOIL(r.port.ngids = RN_DAEMON_GIDS + 1);
	SPOIL(r.port.mtu = 1279);
	SPOIL(r.port.mtu = 9001);
	SPOIL(r.port.max_path_mtu = 0);
	SPOIL(r.port.max_path_mtu = 6);
	SPOIL(r.port.hop_limit = 0);
	SPOIL(r.port.mac[0] = 3);
	SPOIL(memset(r.port.mac, 0, 6));
	SPOIL(r.port.has_vlan = 1);
	SPOIL(r.port.prefix_len[0] = 33);
	SPOIL(r.port.prefix_len[1] = 129);
	SPOIL(r.port.gids[1] = none);
#undef SPOIL
}

static void test_comes_back_with_number_and_token(void **state)
{
	struct rn_daemon_reply reply = good(), bad = good(), busy = good();
	struct rn_daemon_port port;
	struct rn_daemon_link l;
	struct fake f;

	bad.port.number = 255;
	busy.err = -EBUSY;
	start(&f);
	answer(&f, PORT_BYTES, &bad);
	answer(&f, PORT_BYTES, &reply);
	answer(&f, PORT_BYTES, &reply);
	answer(&f, HEAD_BYTES, &busy);
	rn_daemon_link_init(&l, f.path);
	assert_true(rn_daemon_link_lost(&l));
	assert_int_equal(rn_daemon_link_attach(&l, 2, "x", &port), -EPROTO);
	assert_int_equal(rn_daemon_link_attach(&l, 2, "x", &port), 0);
	assert_false(rn_daemon_link_lost(&l));
	assert_int_equal(f.last.attach.number, 0);
	assert_int_equal(f.last.attach.queues, 2);
	assert_string_equal(f.last.attach.name, "x");
	assert_int_equal(rn_daemon_link_attach(&l, 2, "x", &port), 0);
	assert_int_equal(f.last.attach.number, 7);
	assert_int_equal(f.last.attach.token, 99);
	assert_int_equal(rn_daemon_link_attach(&l, 2, "x", &port), -EBUSY);
	assert_true(rn_daemon_link_lost(&l));
	assert_int_equal(l.number, 7);
	rn_daemon_link_fini(&l);
	stop(&f);
}

/* Attaches to a daemon that answers as prescribed after that. */
static void attach(struct fake *f, struct rn_daemon_link *l)
{
	const struct rn_daemon_reply reply = good();
	struct rn_daemon_port port;

	start(f);
	answer(f, PORT_BYTES, &reply);
	rn_daemon_link_init(l, f->path);
	assert_int_equal(rn_daemon_link_attach(l, 1, "x", &port), 0);
}

static void test_passes_its_socket(void **state)
{
	const struct rn_daemon_reply ok = {.version = RN_DAEMON_VERSION};
	struct rn_daemon_link l;
	struct stat st;
	struct fake f;

	attach(&f, &l);
	answer(&f, HEAD_BYTES, &ok);
	assert_int_equal(rn_daemon_link_port(&l, "/nonexistent/x"), -ENOENT);
	assert_int_equal(rn_daemon_link_port(&l, f.path), 0);
	assert_int_equal(stat(f.path, &st), 0);
	assert_true(f.passed.st_ino == st.st_ino && f.passed.st_dev == st.st_dev);
	assert_int_equal(f.last.op, RN_DAEMON_PORT);
	rn_daemon_link_fini(&l);
	stop(&f);
}

static void test_registers(void **state)
{
	static const struct rn_gid addr = {{1, [15] = 2}};
	const struct rn_daemon_reply ok = {.version = RN_DAEMON_VERSION},
				     used = {.version = RN_DAEMON_VERSION, .err = -EADDRINUSE},
				     some = {.version = RN_DAEMON_VERSION,
					     .err = -EPERM,
					     .claimed = 1};
	const struct rn_daemon_claim claims[2] = {{.remote_qpn = 5}, {.remote_qpn = 6}};
	struct rn_daemon_link l;
	uint32_t accepted;
	struct fake f;

	attach(&f, &l);
	answer(&f, HEAD_BYTES, &used);
	answer(&f, HEAD_BYTES, &ok);
	assert_int_equal(rn_daemon_link_listen(&l, 77, &addr), -EADDRINUSE);
	assert_int_equal(f.last.op, RN_DAEMON_LISTEN);
	assert_int_equal(f.last.service.id, 77);
	assert_memory_equal(&f.last.service.addr, &addr, 16);
	assert_int_equal(rn_daemon_link_unlisten(&l, 77, &addr), 0);
	assert_int_equal(f.last.op, RN_DAEMON_UNLISTEN);
	assert_int_equal(rn_daemon_link_join(&l, &addr), 0);
	assert_int_equal(f.last.op, RN_DAEMON_JOIN);
	assert_int_equal(rn_daemon_link_leave(&l, &addr), 0);
	assert_int_equal(f.last.op, RN_DAEMON_LEAVE);
	assert_memory_equal(&f.last.group, &addr, 16);
	assert_int_equal(rn_daemon_link_unclaim(&l, 9, &addr), 0);
	assert_int_equal(f.last.pair.qpn, 9);
	f.answer[2].reply = some;
	f.answer[2].len = (int)RN_DAEMON_BYTES(struct rn_daemon_reply, claimed);
	assert_int_equal(rn_daemon_link_claim(&l, claims, 2, &accepted), -EPERM);
	assert_int_equal(accepted, 1);
	assert_int_equal(f.last.claims.n, 2);
	assert_int_equal(f.last.claims.of[1].remote_qpn, 6);
	assert_int_equal(rn_daemon_link_claim(&l, claims, RN_DAEMON_CLAIMS + 1, &accepted),
			 -EINVAL);
	rn_daemon_link_fini(&l);
	stop(&f);
}

/* Runs the steps up to three times, until they take less than 1 s. The steps return the seconds
 * that they took. A request that waits makes them take RN_DAEMON_LINK_WAIT_S at least each time; a
 * busy machine can make them slow too, but not each time. */
static bool are_quick(double (*steps)(void))
{
	for (unsigned i = 0; i < 3; i++)
		if (steps() < 1)
			return true;
	return false;
}

/* Waits until a daemon that hung answers again. */
static int join_at_last(struct rn_daemon_link *l, const struct rn_gid *group)
{
	int rc = -ETIMEDOUT;

	for (unsigned i = 0; i < 500 && rc == -ETIMEDOUT; i++) {
		usleep(10000);
		rc = rn_daemon_link_join(l, group);
	}
	return rc;
}

static double requests_to_a_daemon_that_hangs(void)
{
	static const enum rn_daemon_op wanted[] = {
		RN_DAEMON_ATTACH,  RN_DAEMON_LISTEN, RN_DAEMON_UNLISTEN, RN_DAEMON_CLAIM,
		RN_DAEMON_UNCLAIM, RN_DAEMON_LEAVE,  RN_DAEMON_JOIN};
	static const struct rn_gid addr = {{1}};
	static const struct rn_daemon_claim pair = {.remote_qpn = 5};
	const struct rn_daemon_reply ok = {.version = RN_DAEMON_VERSION};
	struct rn_daemon_link l;
	uint32_t accepted;
	struct fake f;

	attach(&f, &l);
	answer(&f, HEAD_BYTES, &ok);
	pthread_mutex_lock(&f.gate);
	assert_int_equal(rn_daemon_link_listen(&l, 1, &addr), -ETIMEDOUT);
	double start = seconds();
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(rn_daemon_link_listen(&l, 1, &addr), -ETIMEDOUT);
		assert_int_equal(rn_daemon_link_join(&l, &addr), -ETIMEDOUT);
		assert_int_equal(rn_daemon_link_claim(&l, &pair, 1, &accepted), -ETIMEDOUT);
	}
	assert_int_equal(rn_daemon_link_unlisten(&l, 1, &addr), -ETIMEDOUT);
	assert_int_equal(rn_daemon_link_announce(&l, &pair), -ETIMEDOUT);
	assert_int_equal(rn_daemon_link_unclaim(&l, 5, &addr), -ETIMEDOUT);
	assert_int_equal(rn_daemon_link_leave(&l, &addr), -ETIMEDOUT);
	rn_daemon_link_settle(&l);
	double took = seconds() - start;
	assert_false(rn_daemon_link_lost(&l));
	pthread_mutex_unlock(&f.gate);
	assert_int_equal(join_at_last(&l, &addr), 0);
	rn_daemon_link_fini(&l);
	stop(&f);
	assert_int_equal(f.requests, sizeof(wanted) / sizeof(wanted[0]));
	for (unsigned i = 0; i < f.requests; i++)
		assert_int_equal(f.op[i], wanted[i]);
	return took;
}

/* One request waits for a daemon that hangs. Those that end something reach it later, in their
 * order; the others fail. */
static void test_waits_once_for_a_daemon_that_hangs(void **state)
{
	assert_true(are_quick(requests_to_a_daemon_that_hangs));
}

static double returns_to_a_daemon_that_hangs(void)
{
	const struct rn_daemon_reply reply = good();
	struct rn_daemon_port port;
	struct rn_daemon_link l;
	struct fake f;
	int rc;

	start(&f);
	answer(&f, PORT_BYTES, &reply);
	answer(&f, PORT_BYTES, &reply);
	answer(&f, HEAD_BYTES, &reply);
	attach(&f, &l);
	shutdown(l.fd, SHUT_RDWR);
	assert_true(rn_daemon_link_lost(&l));
	pthread_mutex_lock(&f.gate);
	double began = seconds();
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(rn_daemon_link_return(&l, 1, "t", &port), -EINPROGRESS);
		assert_true(rn_daemon_link_lost(&l));
		assert_int_equal(rn_daemon_link_listen(&l, 1, &reply.port.gids[0]), -ENOTCONN);
		rn_daemon_link_settle(&l);
		usleep(1000);
	}
	double took = seconds() - began;
	pthread_mutex_unlock(&f.gate);
	for (unsigned i = 0; (rc = rn_daemon_link_return(&l, 1, "t", &port)) == -EINPROGRESS; i++) {
		assert_in_range(i, 0, 20000);
		usleep(1000);
	}
	assert_int_equal(rc, 0);
	assert_memory_equal(&port, &reply.port, sizeof(port));
	assert_false(rn_daemon_link_lost(&l));
	assert_int_equal(rn_daemon_link_listen(&l, 1, &reply.port.gids[0]), 0);
	assert_int_equal(f.requests, 3);
	assert_int_equal(f.last.op, RN_DAEMON_LISTEN);
	rn_daemon_link_fini(&l);
	stop(&f);
	return took;
}

/* Returning does not wait, and asks once. Then requests and replies are in step. */
static void test_returns_to_a_daemon_that_hangs(void **state)
{
	assert_true(are_quick(returns_to_a_daemon_that_hangs));
}

static double returns_after_an_end(void)
{
	struct rn_daemon_port port;
	struct rn_daemon_link l;
	struct fake f;
	int rc, full[8];

	make(&f);
	rn_daemon_link_init(&l, f.path);
	assert_int_equal(rn_daemon_link_return(&l, 1, "t", &port), -ECONNREFUSED);
	assert_int_equal(listen(f.listener, 0), 0);
	double began = seconds();
	assert_int_equal(rn_daemon_link_return(&l, 1, "t", &port), -EINPROGRESS);
	int fd = accept(f.listener, NULL, NULL);
	close(fd);
	rc = rn_daemon_link_return(&l, 1, "t", &port);
	assert_true(rc == -ECONNRESET || rc == -EPIPE);
	for (unsigned i = 0; i < 8; i++) {
		struct sockaddr_un un = {.sun_family = AF_UNIX};

		snprintf(un.sun_path, sizeof(un.sun_path), "%s", f.path);
		full[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		connect(full[i], (struct sockaddr *)&un, sizeof(un));
	}
	assert_int_equal(rn_daemon_link_return(&l, 1, "t", &port), -ETIMEDOUT);
	double took = seconds() - began;
	for (unsigned i = 0; i < 8; i++)
		close(full[i]);
	rn_daemon_link_fini(&l);
	close(f.listener);
	unlink(f.path);
	rmdir(f.folder);
	return took;
}

/* A daemon that ends while it is asked is called again, and one that does not accept is not waited
 * for. */
static void test_returns_after_an_end(void **state)
{
	assert_true(are_quick(returns_after_an_end));
}

/* What is kept is sent without another request, and not to the next daemon. */
static void test_settles_with_a_daemon_that_hung(void **state)
{
	static const struct rn_gid addr = {{1}};
	const struct rn_daemon_reply ok = {.version = RN_DAEMON_VERSION};
	struct rn_daemon_port port;
	struct rn_daemon_link l;
	struct fake f;

	attach(&f, &l);
	answer(&f, HEAD_BYTES, &ok);
	pthread_mutex_lock(&f.gate);
	assert_int_equal(rn_daemon_link_leave(&l, &addr), -ETIMEDOUT); /* is sent */
	for (unsigned i = 0; i < RN_DAEMON_LINK_KEPT + 5; i++)
		assert_int_equal(rn_daemon_link_leave(&l, &addr), -ETIMEDOUT);
	pthread_mutex_unlock(&f.gate);
	for (unsigned i = 0; i < 500 && l.kept != NULL; i++) {
		usleep(10000);
		rn_daemon_link_settle(&l);
	}
	assert_int_equal(f.requests, 2 + RN_DAEMON_LINK_KEPT);

	pthread_mutex_lock(&f.gate);
	assert_int_equal(rn_daemon_link_leave(&l, &addr), -ETIMEDOUT);
	assert_int_equal(rn_daemon_link_leave(&l, &addr), -ETIMEDOUT);
	f.requests = 0; /* the next answer is that to an attachment */
	pthread_mutex_unlock(&f.gate);
	assert_int_equal(rn_daemon_link_attach(&l, 1, "x", &port), 0);
	assert_null(l.kept);
	rn_daemon_link_fini(&l);
	stop(&f);
}

/* A reply that comes too late does not count as that of the next request. */
static void test_skips_a_late_reply(void **state)
{
	static const struct rn_gid addr = {{1}};
	const struct rn_daemon_reply late = {.version = RN_DAEMON_VERSION, .err = -ENOENT},
				     ok = {.version = RN_DAEMON_VERSION};
	struct rn_daemon_link l;
	struct fake f;

	attach(&f, &l);
	answer(&f, HEAD_BYTES, &late);
	answer(&f, HEAD_BYTES, &ok);
	pthread_mutex_lock(&f.gate);
	assert_int_equal(rn_daemon_link_join(&l, &addr), -ETIMEDOUT);
	assert_false(rn_daemon_link_lost(&l));
	pthread_mutex_unlock(&f.gate);
	assert_int_equal(join_at_last(&l, &addr), 0);
	assert_int_equal(rn_daemon_link_join(&l, &addr), 0);
	rn_daemon_link_fini(&l);
	stop(&f);
}

static void test_notices_that_the_daemon_has_gone(void **state)
{
	static const struct rn_gid addr = {{1}};
	struct rn_daemon_reply reply = good();
	struct rn_daemon_link l;
	struct fake f;

	attach(&f, &l);
	answer(&f, LEAVE, &reply);
	assert_int_equal(rn_daemon_link_join(&l, &addr), -ECONNRESET);
	assert_true(rn_daemon_link_lost(&l));
	assert_int_equal(rn_daemon_link_join(&l, &addr), -ENOTCONN);
	rn_daemon_link_fini(&l);
	stop(&f);

	attach(&f, &l);
	shutdown(f.listener, SHUT_RDWR);
	shutdown(l.fd, SHUT_WR); /* the fake's thread ends */
	pthread_join(f.thread, NULL);
	assert_true(rn_daemon_link_lost(&l));
	rn_daemon_link_fini(&l);
	close(f.listener);
	unlink(f.path);
	rmdir(f.folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asks_for_the_port),
		cmocka_unit_test(test_waits_for_a_daemon_that_is_away),
		cmocka_unit_test(test_refuses_what_no_port_can_have),
		cmocka_unit_test(test_comes_back_with_number_and_token),
		cmocka_unit_test(test_passes_its_socket),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_waits_once_for_a_daemon_that_hangs),
		cmocka_unit_test(test_returns_to_a_daemon_that_hangs),
		cmocka_unit_test(test_returns_after_an_end),
		cmocka_unit_test(test_settles_with_a_daemon_that_hung),
		cmocka_unit_test(test_skips_a_late_reply),
		cmocka_unit_test(test_notices_that_the_daemon_has_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
