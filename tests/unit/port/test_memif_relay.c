/* The memif relay between a memif peer and DPDK's memif driver. A connection is ended only while
 * no thread polls the port. The driver is stopped only when it has handled all messages. The
 * test acts as peer and as driver on plain sockets, and reads end of file when the relay has
 * closed a socket. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "port/memif_relay.h"

enum { HELLO = 2, INIT = 3, ADD_REGION = 4, CONNECT = 6, CONNECTED = 7 };

static struct {
	char dir[32], peer_path[64], pmd_path[64];
	struct rn_memif_relay *relay;
	/* Sockets of the test.
	 * - listener: the listening socket, as driver or as peer, to which the relay connects
	 * - pmd: the test's end of the connection as the driver
	 * - peer: the test's end of the connection as the peer */
	int listener, pmd, peer;
	atomic_int ups, quiesces, settles, restarts;
	atomic_bool ended_while_live;
	atomic_uint passed, with_fd; /* bits of message types; messages with a descriptor */
} T;

static struct sockaddr_un at(const char *path, socklen_t *len)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	*len = sizeof(un);
	if (path[0] == '@') {
		un.sun_path[0] = '\0';
		*len = offsetof(struct sockaddr_un, sun_path) + strlen(path);
	}
	return un;
}

static int open_listener(const char *path)
{
	socklen_t len;
	struct sockaddr_un un = at(path, &len);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&un, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static int open_connection(const char *path)
{
	socklen_t len;
	struct sockaddr_un un = at(path, &len);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	for (int i = 0; i < 2000; i++) {
		if (connect(fd, (struct sockaddr *)&un, len) == 0)
			return fd;
		usleep(10000);
	}
	fail_msg("nobody at %s", path);
	return -1;
}

static bool readable(int fd, int ms)
{
	struct pollfd p = {fd, POLLIN, 0};

	return poll(&p, 1, ms) == 1;
}

static int accept_within(int fd)
{
	assert_true(readable(fd, 20000));
	return accept(fd, NULL, NULL);
}

#define FDS 5

static void say_with(int fd, unsigned type, const int *pass, size_t n)
{
	union {
		char bytes[CMSG_SPACE(FDS * sizeof(int))];
		struct cmsghdr h;
	} ctl = {.h = {CMSG_LEN(n * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	uint8_t m[128] = {(uint8_t)type, 0, 0, 0, 0, 16};
	struct iovec iov = {m, sizeof(m)};
	struct msghdr mh = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n > 0) {
		mh.msg_control = &ctl;
		mh.msg_controllen = CMSG_SPACE(n * sizeof(int));
		memcpy(CMSG_DATA(&ctl.h), pass, n * sizeof(int));
	}
	assert_int_equal(sendmsg(fd, &mh, MSG_NOSIGNAL), sizeof(m));
}

static void say(int fd, unsigned type, int pass)
{
	say_with(fd, type, &pass, pass >= 0);
}

/* Returns the type of the next memif message. Returns 0 when the connection has ended, -1 when
 * nothing arrives within 20 s. */
static int heard(int fd)
{
	uint8_t m[128];

	if (!readable(fd, 20000))
		return -1;
	return recv(fd, m, sizeof(m), 0) == sizeof(m) ? m[0] : 0;
}

static void note_quiesce(void *arg)
{
	usleep(20000); /* as if a polling thread left its burst late */
	if (T.pmd >= 0 && readable(T.pmd, 0))
		T.ended_while_live = true;
	T.quiesces++;
}

static void note_up(void *arg)
{
	T.ups++;
}

static void note_settle(void *arg)
{
	T.settles++;
}

static int connect_driver(void *arg)
{
	if (T.pmd >= 0)
		close(T.pmd);
	T.pmd = open_connection(T.pmd_path);
	T.restarts++;
	return 0;
}

/* Notes the messages, and whether each descriptor is still open. */
static void note_passing(void *arg, const uint8_t *message, int fd)
{
	T.passed |= 1u << message[0];
	T.with_fd += fd >= 0 && fcntl(fd, F_GETFD) >= 0;
}

static void open_relay(bool server)
{
	struct rn_memif_relay_config cfg = {
		server,
		T.peer_path,
		T.pmd_path,
		{note_quiesce, note_up, note_settle, connect_driver, note_passing},
		NULL};

	if (server)
		T.listener = open_listener(T.pmd_path);
	assert_int_equal(rn_memif_relay_create(&T.relay, &cfg), 0);
	if (!server)
		T.pmd = open_connection(T.pmd_path);
	assert_int_equal(rn_memif_relay_start(T.relay), 0);
}

static void wait_for(atomic_int *counter, int value)
{
	for (int i = 0; i < 2000 && *counter < value; i++)
		usleep(10000);
	assert_int_equal(*counter, value);
}

static void reach_connected(void)
{
	say(T.pmd, HELLO, -1);
	assert_int_equal(heard(T.peer), HELLO);
	say(T.peer, INIT, -1);
	assert_int_equal(heard(T.pmd), INIT);
	assert_int_equal(T.ups, 0);
	say(T.pmd, CONNECTED, -1);
	assert_int_equal(heard(T.peer), CONNECTED);
	wait_for(&T.ups, 1);
}

static void meet_as_server(void)
{
	open_relay(true);
	T.peer = open_connection(T.peer_path);
	T.pmd = accept_within(T.listener);
}

static int set_up(void **state)
{
	memset(&T, 0, sizeof(T));
	T.pmd = T.peer = T.listener = -1;
	strcpy(T.dir, "/tmp/relay.XXXXXX");
	if (mkdtemp(T.dir) == NULL)
		return -1;
	snprintf(T.peer_path, sizeof(T.peer_path), "%s/peer", T.dir);
	snprintf(T.pmd_path, sizeof(T.pmd_path), "%s/pmd", T.dir);
	return 0;
}

static int tear_down(void **state)
{
	if (T.relay != NULL)
		rn_memif_relay_destroy(T.relay);
	close(T.pmd);
	close(T.peer);
	close(T.listener);
	unlink(T.pmd_path);
	unlink(T.peer_path);
	return rmdir(T.dir);
}

static void peer_loss_waits_for_pollers(void **state)
{
	meet_as_server();
	reach_connected();
	close(T.peer);
	T.peer = -1;
	assert_int_equal(heard(T.pmd), 0);
	assert_int_equal(T.quiesces, 1);
	assert_false(T.ended_while_live);
}

static void unexpected_message_ends_a_live_connection(void **state)
{
	meet_as_server();
	reach_connected();
	say(T.peer, CONNECT, -1);
	assert_int_equal(heard(T.pmd), 0);
	assert_int_equal(T.quiesces, 1);
	assert_false(T.ended_while_live);
}

static void destroy_quiesces_and_drains(void **state)
{
	meet_as_server();
	reach_connected();
	rn_memif_relay_destroy(T.relay);
	T.relay = NULL;
	assert_int_equal(T.quiesces, 1);
	assert_int_equal(T.settles, 1);
	assert_false(T.ended_while_live);
	assert_int_equal(heard(T.pmd), 0);
	assert_int_not_equal(access(T.peer_path, F_OK), 0);
}

static void server_waits_for_hello_before_it_closes(void **state)
{
	meet_as_server();
	close(T.peer);
	T.peer = -1;
	assert_false(readable(T.pmd, 100));
	say(T.pmd, HELLO, -1);
	assert_int_equal(heard(T.pmd), 0);
}

static void region_must_be_sealed(void **state)
{
	static const struct {
		unsigned seals;
		long size;
		int heard;
	} rows[] = {
		{0, 4096, 0},
		{F_SEAL_SHRINK, 4095, 0}, /* the ADD_REGION message says 4096 bytes (16 << 8) */
		{F_SEAL_SHRINK, 4096, ADD_REGION},
	};

	open_relay(true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int fd = memfd_create("region", MFD_ALLOW_SEALING);

		assert_int_equal(ftruncate(fd, rows[i].size), 0);
		assert_int_equal(fcntl(fd, F_ADD_SEALS, rows[i].seals), 0);
		T.peer = open_connection(T.peer_path);
		T.pmd = accept_within(T.listener);
		say(T.pmd, HELLO, -1);
		say(T.peer, ADD_REGION, fd);
		assert_int_equal(heard(T.pmd), rows[i].heard);
		close(fd);
		close(T.peer);
		close(T.pmd);
	}
	T.pmd = T.peer = -1;
}

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* The port learns from the messages by what the peer can wake a shard. */
static void the_port_sees_each_message_of_the_handshake(void **state)
{
	int fd = memfd_create("region", MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	meet_as_server();
	say(T.pmd, HELLO, -1);
	assert_int_equal(heard(T.peer), HELLO);
	say(T.peer, ADD_REGION, fd);
	assert_int_equal(heard(T.pmd), ADD_REGION);
	assert_int_equal(T.passed, 1u << HELLO | 1u << ADD_REGION);
	assert_int_equal(T.with_fd, 1);
	close(fd);
}

/* A memif message carries at most one file descriptor. The relay must close any further descriptors
 * that a peer sends. */
static void spare_descriptors_are_closed(void **state)
{
	int fds[FDS];
	unsigned before;

	for (int i = 0; i < FDS; i++)
		fds[i] = memfd_create("spare", 0);
	meet_as_server();
	say(T.pmd, HELLO, -1);
	assert_int_equal(heard(T.peer), HELLO);
	before = open_files();
	say_with(T.peer, INIT, fds, FDS);
	assert_int_equal(heard(T.pmd), 0);
	assert_int_equal(heard(T.peer), 0);
	assert_int_equal(open_files(), before - 2); /* the relay has closed its two sockets */
	for (int i = 0; i < FDS; i++)
		close(fds[i]);
}

static void client_comes_back_after_its_server(void **state)
{
	open_relay(false); /* the server's socket does not exist yet */
	T.listener = open_listener(T.peer_path);
	for (int round = 0; round < 3; round++) {
		T.peer = accept_within(T.listener);
		wait_for(&T.restarts, round);
		say(T.peer, HELLO, -1);
		assert_int_equal(heard(T.pmd), HELLO);
		say(T.peer, CONNECTED, -1);
		assert_int_equal(heard(T.pmd), CONNECTED);
		wait_for(&T.ups, round + 1);
		close(T.peer);
		T.peer = -1;
	}
	wait_for(&T.quiesces, 3);
	rn_memif_relay_destroy(T.relay);
	T.relay = NULL;
}

/* Any local process can connect to an abstract socket name, which has no file mode. So the relay
 * must check the process id of a connecting driver. */
static void another_process_is_refused_as_driver(void **state)
{
	snprintf(T.pmd_path, sizeof(T.pmd_path), "@softrnic-test-%d", (int)getpid());
	struct rn_memif_relay_config cfg = {false,
					    T.peer_path,
					    T.pmd_path,
					    {note_quiesce, note_up, note_settle, connect_driver},
					    NULL};

	T.listener = open_listener(T.peer_path);
	assert_int_equal(rn_memif_relay_create(&T.relay, &cfg), 0);
	int connected[2];
	char byte;

	assert_int_equal(pipe(connected), 0);
	pid_t child = fork();
	if (child == 0) {
		int fd = open_connection(T.pmd_path);

		_exit(fd >= 0 && write(connected[1], "", 1) == 1 && heard(fd) == 0 ? 0 : 1);
	}
	/* The child must be the first that connects. */
	close(connected[1]);
	assert_int_equal(read(connected[0], &byte, 1), 1);
	close(connected[0]);
	T.pmd = open_connection(T.pmd_path);
	assert_int_equal(rn_memif_relay_start(T.relay), 0);
	T.peer = accept_within(T.listener);
	say(T.peer, HELLO, -1);
	assert_int_equal(heard(T.pmd), HELLO);
	int status = 1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void socket_file_is_its_owners(void **state)
{
	mode_t before = umask(0);
	struct stat st;

	open_relay(true);
	umask(before);
	assert_int_equal(stat(T.peer_path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

#define NOBODY 65534

/* Runs the function `play` in a child process of an unprivileged user. The child exits with status
 * 0 when `play` returns true. */
static pid_t as_another_user(bool (*play)(void))
{
	if (geteuid() != 0)
		skip(); /* only root can change the user id */
	pid_t child = fork();

	if (child == 0)
		_exit(setuid(NOBODY) == 0 && play() ? 0 : 1);
	return child;
}

static bool played_well(pid_t child)
{
	int status = 1;

	return waitpid(child, &status, 0) == child && status == 0;
}

static bool is_refused_by_relay(void)
{
	return heard(open_connection(T.peer_path)) == 0;
}

static void server_refuses_another_user(void **state)
{
	snprintf(T.peer_path, sizeof(T.peer_path), "@softrnic-peer-%d", (int)getpid());
	open_relay(true);
	pid_t child = as_another_user(is_refused_by_relay);

	bool well = played_well(child);
	bool driver_heard = readable(T.listener, 0);

	/* Close the driver's connection; otherwise the relay waits for the driver's first
	 * message. */
	if (driver_heard)
		close(accept_within(T.listener));
	assert_true(well);
	assert_false(driver_heard);
	T.peer = open_connection(T.peer_path);
	T.pmd = accept_within(T.listener);
	reach_connected();
}

static bool gets_no_message(void)
{
	return heard(accept_within(open_listener(T.peer_path))) == 0;
}

static void client_refuses_another_users_server(void **state)
{
	snprintf(T.peer_path, sizeof(T.peer_path), "@softrnic-peer-%d", (int)getpid());
	pid_t child = as_another_user(gets_no_message);

	open_relay(false);
	assert_true(played_well(child));
	assert_false(readable(T.pmd, 0));
	T.listener = open_listener(T.peer_path);
	T.peer = accept_within(T.listener);
	say(T.peer, HELLO, -1);
	assert_int_equal(heard(T.pmd), HELLO);
}

static void live_listener_is_not_stolen(void **state)
{
	struct rn_memif_relay_config cfg = {true, T.peer_path, T.pmd_path, {0}, NULL};
	int theirs = open_listener(T.peer_path);

	assert_int_equal(rn_memif_relay_create(&T.relay, &cfg), 0);
	assert_int_equal(rn_memif_relay_start(T.relay), -EADDRINUSE);
	close(theirs);
	/* Now no process listens on the socket file, so the relay may replace it. */
	assert_int_equal(rn_memif_relay_start(T.relay), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(peer_loss_waits_for_pollers),
		TEST(unexpected_message_ends_a_live_connection),
		TEST(destroy_quiesces_and_drains),
		TEST(server_waits_for_hello_before_it_closes),
		TEST(region_must_be_sealed),
		TEST(the_port_sees_each_message_of_the_handshake),
		TEST(spare_descriptors_are_closed),
		TEST(client_comes_back_after_its_server),
		TEST(live_listener_is_not_stolen),
		TEST(another_process_is_refused_as_driver),
		TEST(socket_file_is_its_owners),
		TEST(server_refuses_another_user),
		TEST(client_refuses_another_users_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
