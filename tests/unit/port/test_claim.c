/* An address of a kernel interface can be claimed by one adapter only (port/claim.h). The error for
 * a second adapter names the process that holds the address. The test runs in its own network
 * namespace where possible. The addresses contain the process id, so that two test runs do not
 * collide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port/claim.h"

#define IFACE "lo"

static char err[256];
static unsigned serial;

/* Returns a port with `naddresses` IPv4 addresses that were not used before. */
static struct rn_port_attr port_of(unsigned naddresses)
{
	struct rn_port_attr port = {.ngids = (uint8_t)naddresses};

	for (unsigned i = 0; i < naddresses; i++) {
		uint32_t pid = (uint32_t)getpid();
		struct rn_gid gid = {.b = {[10] = 0xff,
					   [11] = 0xff,
					   10,
					   (uint8_t)(pid >> 8),
					   (uint8_t)pid,
					   (uint8_t)++serial}};
		port.gids[i] = gid;
	}
	return port;
}

static const char *text_of(const struct rn_gid *gid)
{
	static char text[32];

	snprintf(text, sizeof(text), "%u.%u.%u.%u", gid->b[12], gid->b[13], gid->b[14], gid->b[15]);
	return text;
}

/* Starts a child process named rn-holder, which claims the port's addresses. From then on the child
 * calls rn_claims_accept() in a loop. */
static pid_t start_holder(const struct rn_port_attr *port)
{
	int ready[2];
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rn_claims claims = {0};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "rn-holder");
		byte = rn_claims_take(&claims, IFACE, port, err, sizeof(err)) == 0;
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;) {
			rn_claims_accept(&claims);
			usleep(1000);
		}
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(byte, 1);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Tries to take the port's addresses, which another process holds. Tries again for up to 10 s while
 * the error does not name that process: the holder's backlog is full until the holder gets CPU
 * time. */
static void is_refused(struct rn_claims *claims, const struct rn_port_attr *port)
{
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(rn_claims_take(claims, IFACE, port, err, sizeof(err)),
				 -EADDRINUSE);
		if (strstr(err, "another process uses the address") == NULL)
			return;
		usleep(10000);
	}
}

static void names_the_process_that_has_the_address(void **state)
{
	struct rn_port_attr port = port_of(1);
	struct rn_claims claims = {0};
	char wanted[128];
	pid_t pid = start_holder(&port);

	snprintf(wanted, sizeof(wanted),
		 "interface lo: process %d (rn-holder) uses the address %s already", (int)pid,
		 text_of(&port.gids[0]));
	/* The number of attempts exceeds the backlog of the holder's socket. Each attempt leaves a
	 * connection in that backlog, so the holder must accept connections. */
	for (unsigned i = 0; i < 60; i++) {
		is_refused(&claims, &port);
		assert_string_equal(err, wanted);
		assert_int_equal(claims.n, 0);
		usleep(2000);
	}
	end_holder(pid);
	assert_int_equal(rn_claims_take(&claims, IFACE, &port, err, sizeof(err)), 0);
	rn_claims_drop(&claims);
}

static void refuses_a_stopped_holders_address_without_waiting(void **state)
{
	struct rn_port_attr port = port_of(1);
	struct rn_claims claims = {0};
	pid_t pid = start_holder(&port);

	kill(pid, SIGSTOP);
	for (unsigned i = 0; i < 60; i++)
		assert_int_equal(rn_claims_take(&claims, IFACE, &port, err, sizeof(err)),
				 -EADDRINUSE);
	assert_non_null(strstr(err, "another process uses the address"));
	end_holder(pid);
}

static void two_adapters_of_one_process_clash(void **state)
{
	struct rn_port_attr port = port_of(1);
	struct rn_claims one = {0}, two = {0};

	assert_int_equal(rn_claims_take(&one, IFACE, &port, err, sizeof(err)), 0);
	assert_int_equal(rn_claims_take(&two, IFACE, &port, err, sizeof(err)), -EADDRINUSE);
	assert_non_null(
		strstr(err, "interface lo: another adapter of this process uses the address 10."));
	rn_claims_drop(&one);
	assert_int_equal(rn_claims_take(&two, IFACE, &port, err, sizeof(err)), 0);
	rn_claims_drop(&two);
}

static void refusal_releases_claims_made_before_it(void **state)
{
	struct rn_port_attr port = port_of(3), last = port;
	struct rn_claims held = {0}, all = {0};

	last.gids[0] = port.gids[2];
	last.ngids = 1;
	assert_int_equal(rn_claims_take(&held, IFACE, &last, err, sizeof(err)), 0);
	assert_int_equal(rn_claims_take(&all, IFACE, &port, err, sizeof(err)), -EADDRINUSE);
	assert_non_null(strstr(err, text_of(&port.gids[2])));
	rn_claims_drop(&held);
	assert_int_equal(rn_claims_take(&all, IFACE, &port, err, sizeof(err)), 0);
	assert_int_equal(all.n, 3);
	rn_claims_drop(&all);
}

static void different_address_vlan_or_family_do_not_clash(void **state)
{
	struct rn_port_attr port = port_of(1), other = port_of(1), vlan = port, six = port;
	struct rn_claims claims[4] = {0};

	vlan.has_vlan = true;
	vlan.vlan_tci = 7;
	six.gids[0].b[0] = 0xfd;
	assert_int_equal(rn_claims_take(&claims[0], IFACE, &port, err, sizeof(err)), 0);
	assert_int_equal(rn_claims_take(&claims[1], IFACE, &other, err, sizeof(err)), 0);
	assert_int_equal(rn_claims_take(&claims[2], IFACE, &vlan, err, sizeof(err)), 0);
	assert_int_equal(rn_claims_take(&claims[3], IFACE, &six, err, sizeof(err)), 0);
	for (unsigned i = 0; i < 4; i++)
		rn_claims_drop(&claims[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_process_that_has_the_address),
		cmocka_unit_test(refuses_a_stopped_holders_address_without_waiting),
		cmocka_unit_test(two_adapters_of_one_process_clash),
		cmocka_unit_test(refusal_releases_claims_made_before_it),
		cmocka_unit_test(different_address_vlan_or_family_do_not_clash),
	};

	if (unshare(CLONE_NEWNET) != 0)
		unshare(CLONE_NEWUSER | CLONE_NEWNET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
