/* Several adapters of different kinds in one process. The tests check which local address is chosen
 * for a remote address, open all adapters at once, and change the configuration. The argument is
 * the folder of the provider catalogue. */
#include "fixture.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[] = "/tmp/nd2-several-XXXXXX";

/* Writes a configuration with two adapters joined by a ring, an adapter whose port is joined to
 * nothing, and a memif server that waits for another process. */
static void write_config(const char *extra)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fprintf(f,
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv4 = [ \"10.0.0.1/8\"%s ];\n"
		"  ipv6 = [ \"2001:db8:1::1/48\" ]; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ \"10.1.0.1/16\" ];\n"
		"  ipv6 = [ \"2001:db8:1:1::1/64\" ]; gateway4 = \"10.1.255.254\"; },\n"
		"{ name = \"c\"; port = \"null\"; ipv4 = [ \"10.1.2.1/24\", \"192.0.2.1/25\" ]; },\n"
		"{ name = \"d\"; port = \"memif\"; role = \"server\"; socket = \"%s.sock\"; ipv4 = [ \"198.51.100.1/31\" ]; });\n"
		"eal = { hugepages = \"no\"; };\n",
		extra, file);
	fclose(f);
}

static void address(const char *text, struct sockaddr_storage *sa, SIZE_T *cb)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)sa;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)sa;

	memset(sa, 0, sizeof(*sa));
	if (inet_pton(AF_INET, text, &sin->sin_addr) == 1) {
		sin->sin_family = AF_INET;
		*cb = sizeof(*sin);
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &sin6->sin6_addr), 1);
		sin6->sin6_family = AF_INET6;
		*cb = sizeof(*sin6);
	}
}

static const struct row {
	/* `local` is the address that must be chosen, or NULL if no adapter reaches `remote`. */
	const char *remote, *local;
} rows[] = {
	{"10.200.0.1", "10.0.0.1"},
	{"10.1.77.1", "10.1.0.1"},
	/* 10.1.3.5 has more leading bits in common with 10.1.2.1 than with 10.1.0.1. But 10.1.3.5
	 * is outside of the prefix 10.1.2.1/24. */
	{"10.1.3.5", "10.1.0.1"},
	{"10.1.2.77", "10.1.2.1"},
	{"10.1.2.1", "10.1.2.1"}, /* an adapter's own address */
	{"10.0.0.1", "10.0.0.1"},
	{"192.0.2.126", "192.0.2.1"},
	{"192.0.2.200", "10.1.0.1"}, /* in no prefix: the adapter with gateway4 is chosen */
	{"198.51.100.0", "198.51.100.1"},
	{"198.51.100.2", "10.1.0.1"},
	{"2001:db8:1:2::9", "2001:db8:1::1"},
	{"2001:db8:1:1::9", "2001:db8:1:1::1"},
	{"2001:db8:1:1::1", "2001:db8:1:1::1"},
	{"2001:db8:2::1", NULL},
};

static bool resolves(const struct row *row, bool isolated)
{
	struct sockaddr_storage remote, local, expected;
	SIZE_T cb, got = sizeof(local), want;
	HRESULT hr;

	address(row->remote, &remote, &cb);
	((struct sockaddr_in *)&remote)->sin_port = htons(4711);
	memset(&local, 0, sizeof(local));
	hr = NdResolveAddress((struct sockaddr *)&remote, cb, (struct sockaddr *)&local, &got);
	if (row->local == NULL)
		return hr == ND_NETWORK_UNREACHABLE || (!isolated && hr == ND_INVALID_ADDRESS);
	address(row->local, &expected, &want);
	return hr == S_OK && got == want && memcmp(&local, &expected, want) == 0;
}

static void nd2_own_the_longest_prefix_answers(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!resolves(&rows[i], false))
			fail_msg("%s is not reached as it should be", rows[i].remote);
}

/* In a network namespace without routes, the prefixes of the adapters alone decide which adapter
 * reaches an address. */
static void nd2_own_without_any_route(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
			_exit(77);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (!resolves(&rows[i], true))
				_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip(); /* the system does not permit namespaces */
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const char *const all[] = {"10.0.0.1", "2001:db8:1::1", "10.1.0.1",    "2001:db8:1:1::1",
				  "10.1.2.1", "192.0.2.1",     "198.51.100.1"};

static HRESULT open_at(const char *text, IND2Adapter **a)
{
	struct sockaddr_storage sa;
	SIZE_T cb;

	address(text, &sa, &cb);
	return NdOpenAdapter(&IID_IND2Adapter, (struct sockaddr *)&sa, cb, (void **)a);
}

static HRESULT check_at(const char *text)
{
	struct sockaddr_storage sa;
	SIZE_T cb;

	address(text, &sa, &cb);
	return NdCheckAddress((struct sockaddr *)&sa, cb);
}

static void nd2_own_all_addresses_are_listed(void **state)
{
	SIZE_T cb = 0, need;
	uint8_t *list;

	HR(NdQueryAddressList(0, NULL, &cb), ND_BUFFER_OVERFLOW);
	need = offsetof(SOCKET_ADDRESS_LIST, Address) + 7 * sizeof(SOCKET_ADDRESS) + 5 * 16 +
	       2 * 28;
	assert_int_equal(cb, need);
	list = malloc(need);
	memset(list, 0xee, need);
	cb = need - 1;
	HR(NdQueryAddressList(0, (SOCKET_ADDRESS_LIST *)list, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, need);
	for (SIZE_T i = 0; i < need; i++)
		assert_int_equal(list[i], 0xee);
	/* Flags 1 and 2 exclude emulated providers and providers of version 1. No provider here is
	 * emulated or of version 1, so every value of `flags` gives the same list. */
	for (ULONG flags = 0; flags < 4; flags++) {
		cb = need + 50;
		HR(NdQueryAddressList(flags, (SOCKET_ADDRESS_LIST *)list, &cb), ND_SUCCESS);
		assert_int_equal(cb, need);
		assert_int_equal(((SOCKET_ADDRESS_LIST *)list)->iAddressCount, 7);
	}
	free(list);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		HR(check_at(all[i]), ND_SUCCESS);
}

static void nd2_own_all_adapters_open_at_once(void **state)
{
	IND2Adapter *opened[7];
	ND2_ADAPTER_INFO info;
	UINT64 id[7];
	ULONG cb;

	for (int i = 0; i < 7; i++) {
		HR(open_at(all[i], &opened[i]), S_OK);
		cb = sizeof(info);
		HR(CALL(opened[i], Query, &info, &cb), ND_SUCCESS);
		id[i] = info.AdapterId;
	}
	/* All addresses of one configured port have the same adapter id. Different ports have
	 * different adapter ids. */
	assert_true(id[0] == id[1] && id[2] == id[3] && id[4] == id[5]);
	assert_true(id[0] != id[2] && id[0] != id[4] && id[0] != id[6] && id[2] != id[4] &&
		    id[2] != id[6] && id[4] != id[6]);
	/* Each adapter creates objects, and refuses the objects of another adapter. */
	for (int i = 0; i < 7; i += 2) {
		IND2QueuePair *qp = (void *)1;
		struct end e;

		adapters[0] = opened[i];
		end_open(&e, 0, NULL);
		HR(CALL(opened[(i + 2) % 7], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)e.cq,
			(IUnknown *)e.cq, NULL, 4, 4, 1, 1, 0, (void **)&qp),
		   ND_INVALID_PARAMETER_2);
		assert_null(qp);
		end_close(&e);
	}
	for (int i = 0; i < 7; i++)
		assert_int_equal(CALL(opened[i], Release), 0);
	nothing_lives();
}

/* The configuration is read again only while no adapter is open. While an adapter is open, the
 * configuration read before stays in force. */
static void nd2_own_a_changed_configuration_is_seen(void **state)
{
	IND2Adapter *a;

	HR(check_at("10.77.0.1"), ND_INVALID_ADDRESS);
	write_config(", \"10.77.0.1/16\"");
	HR(check_at("10.77.0.1"), ND_SUCCESS);
	HR(open_at("10.77.0.1", &a), S_OK);
	write_config("");
	HR(check_at("10.77.0.1"), ND_SUCCESS);
	assert_int_equal(CALL(a, Release), 0);
	nothing_lives();
	HR(check_at("10.77.0.1"), ND_INVALID_ADDRESS);
	HR(open_at("10.0.0.1", &a), S_OK);
	HR(check_at("10.77.0.1"), ND_INVALID_ADDRESS);
	assert_int_equal(CALL(a, Release), 0);
}

static int prepare(void **state)
{
	close(mkstemp(file));
	write_config("");
	setenv("SOFTRNIC_CONFIG", file, 1);
	HR(NdStartup(), S_OK);
	return 0;
}

static int clean(void **state)
{
	unlink(file);
	HR(NdCleanup(), S_OK);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_the_longest_prefix_answers),
		cmocka_unit_test(nd2_own_without_any_route),
		cmocka_unit_test(nd2_own_all_addresses_are_listed),
		cmocka_unit_test(nd2_own_all_adapters_open_at_once),
		cmocka_unit_test(nd2_own_a_changed_configuration_is_seen),
	};

	if (argc != 2)
		return 2;
	setenv("SOFTRNIC_ND_CATALOG", argv[1], 1);
	return cmocka_run_group_tests(tests, prepare, clean);
}
