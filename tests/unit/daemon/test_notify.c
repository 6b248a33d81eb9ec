/* What the service manager is told, and how often it wants to hear from the daemon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/notify.h"

/* Makes a datagram socket with this name, in which '@' stands for a leading zero byte. */
static int manager(const char *name)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0 && strlen(name) < sizeof(un.sun_path));
	memcpy(un.sun_path, name, strlen(name));
	if (name[0] == '@')
		un.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&un,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
			 0);
	return fd;
}

static void assert_hears(int fd, const char *text)
{
	char buf[64] = "";

	assert_int_equal(recv(fd, buf, sizeof(buf) - 1, 0), strlen(text));
	assert_string_equal(buf, text);
}

static void a_datagram_arrives(void **state)
{
	char folder[] = "/tmp/notify-XXXXXX", path[64];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/manager", folder);
	int fd = manager(path);
	setenv("NOTIFY_SOCKET", path, 1);
	rn_notify("READY=1");
	rn_notify("WATCHDOG=1");
	assert_hears(fd, "READY=1");
	assert_hears(fd, "WATCHDOG=1");
	close(fd);
	unlink(path);
	rmdir(folder);
}

static void an_abstract_name_works(void **state)
{
	char name[64];

	snprintf(name, sizeof(name), "@softrnic-test-notify-%d", (int)getpid());
	int fd = manager(name);
	setenv("NOTIFY_SOCKET", name, 1);
	rn_notify("STOPPING=1");
	assert_hears(fd, "STOPPING=1");
	close(fd);
}

/* Without a manager, or with a name that is no socket, nothing is sent and nothing fails. */
static void nobody_listens(void **state)
{
	char name[256];
	int before = dup(0), after;

	close(before);
	unsetenv("NOTIFY_SOCKET");
	rn_notify("READY=1");
	setenv("NOTIFY_SOCKET", "", 1);
	rn_notify("READY=1");
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	rn_notify("READY=1");
	memset(name, 'x', sizeof(name) - 1);
	name[0] = '/';
	name[sizeof(name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", name, 1);
	rn_notify("READY=1");
	after = dup(0);
	assert_int_equal(after, before); /* no descriptor is left open */
	close(after);
}

static void the_watchdog_is_fed_at_half_its_time(void **state)
{
	char pid[32];

	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
	assert_int_equal(rn_notify_watchdog(), 0);
	setenv("WATCHDOG_USEC", "10000000", 1);
	assert_int_equal(rn_notify_watchdog(), RN_S(5));
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(rn_notify_watchdog(), RN_S(5));
}

static void the_watchdog_of_another_process_is_not_ours(void **state)
{
	char pid[32];

	setenv("WATCHDOG_USEC", "10000000", 1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid() + 1);
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(rn_notify_watchdog(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_datagram_arrives),
		cmocka_unit_test(an_abstract_name_works),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(the_watchdog_is_fed_at_half_its_time),
		cmocka_unit_test(the_watchdog_of_another_process_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
