/* Tests how softrnicd gets to the port of a client, with a daemon that connects at once and a
 * driver that is slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nic/daemon_link.h"
#include "nic/daemon_port.h"

/* ---- the daemon ---- */

static _Atomic unsigned asked;
static int refusal;   /* what the daemon answers; 0: it connects */
static int daemon_fd; /* its connection, or -1 */

static int connect_to(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* As softrnicd: EIO if it cannot connect. */
int rn_daemon_link_port(struct rn_daemon_link *l, const char *path)
{
	asked++;
	if (refusal != 0)
		return refusal;
	daemon_fd = connect_to(path);
	return daemon_fd >= 0 ? 0 : -EIO;
}

/* ---- the driver ---- */

struct driver {
	const struct rn_daemon_port_path *path;
	unsigned asked;	  /* requests to the daemon before the driver listens */
	unsigned late_ms; /* between listening and accepting */
};

/* Waits for a peer that stays. */
static int open_slowly(void *arg)
{
	const struct driver *d = arg;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", d->path->socket);
	assert_int_equal(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	for (unsigned i = 0; i < 20000 && asked < d->asked; i++)
		usleep(1000);
	assert_int_equal(listen(fd, 1), 0);
	usleep(d->late_ms * 1000);
	int peer = accept(fd, NULL, NULL);

	assert_true(peer >= 0);
	int gone = poll(&(struct pollfd){.fd = peer, .events = POLLIN}, 1, 50) > 0 &&
		   read(peer, &byte, 1) == 0;

	close(peer);
	close(fd);
	return gone ? -EPIPE : 0;
}

static int open_port(unsigned asked_before, unsigned late_ms, int *refused)
{
	struct driver d = {.asked = asked_before, .late_ms = late_ms};
	struct rn_daemon_port_path path = {0};

	asked = 0;
	daemon_fd = -1;
	assert_int_equal(rn_daemon_port_make(&path), 0);
	d.path = &path;
	int rc = rn_daemon_port_open(&path, NULL, open_slowly, &d, refused);

	rn_daemon_port_remove(&path);
	if (daemon_fd >= 0)
		close(daemon_fd);
	return rc;
}

/* ---- tests ---- */

static void test_asks_again_until_the_driver_listens(void **state)
{
	int refused = -1;

	refusal = 0;
	assert_int_equal(open_port(2, 0, &refused), 0);
	assert_int_equal(refused, 0);
	assert_true(asked > 1);
}

static void test_a_refusal_is_final(void **state)
{
	int refused = 0;

	refusal = -EPERM;
	assert_int_equal(open_port(0, 0, &refused), -EPIPE);
	assert_int_equal(refused, -EPERM);
	assert_int_equal(asked, 1);
}

/* On a machine with many busy processes. */
static void test_waits_for_a_driver_that_is_late_by_seconds(void **state)
{
	int refused = -1;

	refusal = 0;
	assert_int_equal(open_port(0, 3500, &refused), 0);
	assert_int_equal(refused, 0);
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asks_again_until_the_driver_listens),
		cmocka_unit_test(test_a_refusal_is_final),
		cmocka_unit_test(test_waits_for_a_driver_that_is_late_by_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
