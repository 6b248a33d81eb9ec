/* Tests of the helper library (the Nd* functions), which finds providers through a catalogue. Tests
 * rows 17 to 19 of docs/spec/nd2.md, and more. The argument is the folder of the catalogue. */
#include "fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *catalogue;

static int name_catalogue(void **state)
{
	setenv("SOFTRNIC_ND_CATALOG", catalogue, 1);
	return 0;
}

static int use_catalogue(void **state)
{
	name_catalogue(state);
	HR(NdStartup(), S_OK);
	return 0;
}

static int leave(void **state)
{
	HR(NdCleanup(), S_OK);
	return 0;
}

static void nd2_row_017_check_address(void **state)
{
	struct sockaddr_in mine = address_of(0, 4711), foreign = address_of(90, 0);
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};

	HR(NdCheckAddress(SA(&mine), sizeof(mine)), ND_SUCCESS);
	HR(NdCheckAddress(SA(&mine), 8), ND_INVALID_PARAMETER_2);
	HR(NdCheckAddress(SA(&six), sizeof(mine)), ND_INVALID_PARAMETER_2);
	HR(NdCheckAddress(SA(&mine), (SIZE_T)1 << 33), ND_INVALID_PARAMETER_2);
	HR(NdCheckAddress(SA(&foreign), sizeof(foreign)), ND_INVALID_ADDRESS);
	foreign.sin_family = AF_UNIX;
	HR(NdCheckAddress(SA(&foreign), sizeof(foreign)), ND_INVALID_ADDRESS);
}

static void nd2_row_018_query_address_list(void **state)
{
	SOCKET_ADDRESS_LIST *list;
	SIZE_T cb = 0, need;
	int mine = 0;

	HR(NdQueryAddressList(0, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_true(cb > 0);
	need = cb;
	list = malloc(cb);
	HR(NdQueryAddressList(0, list, &cb), ND_SUCCESS);
	assert_int_equal(cb, need);
	for (INT i = 0; i < list->iAddressCount; i++) {
		const struct sockaddr_in *sin = (const void *)list->Address[i].lpSockaddr;

		mine += sin->sin_family == AF_INET &&
			(sin->sin_addr.s_addr == address_of(0, 0).sin_addr.s_addr ||
			 sin->sin_addr.s_addr == address_of(1, 0).sin_addr.s_addr);
	}
	assert_int_equal(mine, 2);
	free(list);
	HR(NdQueryAddressList(ND_QUERY_EXCLUDE_NDv2_ADDRESSES, NULL, &cb), ND_SUCCESS);
	assert_int_equal(cb, 0);
}

static void nd2_row_019_not_started(void **state)
{
	struct sockaddr_in sin = address_of(0, 0), local;
	SIZE_T cb = sizeof(local);
	INDAdapter *v1;
	void *a;

	HR(NdCleanup(), ND_DEVICE_NOT_READY);
	HR(NdQueryAddressList(0, NULL, &cb), ND_DEVICE_NOT_READY);
	HR(NdCheckAddress(SA(&sin), sizeof(sin)), ND_DEVICE_NOT_READY);
	HR(NdResolveAddress(SA(&sin), sizeof(sin), (struct sockaddr *)&local, &cb),
	   ND_DEVICE_NOT_READY);
	HR(NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), &a), ND_DEVICE_NOT_READY);
	HR(NdOpenV1Adapter(SA(&sin), sizeof(sin), &v1), ND_DEVICE_NOT_READY);
	NdFlushProviders();
}

static void starts_are_counted(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);

	HR(NdStartup(), S_OK);
	HR(NdCleanup(), S_OK);
	NdFlushProviders();
	HR(NdCheckAddress(SA(&sin), sizeof(sin)), ND_SUCCESS);
}

static void open_adapter_by_address(void **state)
{
	struct sockaddr_in sin = address_of(1, 0), foreign = address_of(90, 0);
	INDAdapter *v1;
	IND2Adapter *a;
	void *none = &a;
	ULONG cb = 0;

	HR(NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), (void **)&a), S_OK);
	HR(CALL(a, Query, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(CALL(a, Release), 0);
	HR(NdOpenAdapter(&IID_IND2Adapter, SA(&foreign), sizeof(foreign), &none),
	   ND_INVALID_ADDRESS);
	assert_null(none);
	HR(NdOpenAdapter(&IID_IND2Listener, SA(&sin), sizeof(sin), &none), E_NOINTERFACE);
	HR(NdOpenAdapter(&IID_IND2Adapter, SA(&sin), 4, &none), ND_INVALID_PARAMETER_2);
	HR(NdOpenV1Adapter(SA(&sin), sizeof(sin), &v1), ND_INVALID_ADDRESS);
}

/* The kernel has no route to these addresses. So NdResolveAddress returns the adapter's address
 * that is nearest to the remote address. */
static void resolve_picks_a_local_address(void **state)
{
	struct sockaddr_in remote = address_of(76, 5000), got;
	struct sockaddr_in6 got6, remote6 = {.sin6_family = AF_INET6};
	SIZE_T cb = sizeof(got);

	HR(NdResolveAddress(SA(&remote), sizeof(remote), (struct sockaddr *)&got, &cb), S_OK);
	assert_int_equal(cb, sizeof(got));
	assert_int_equal(got.sin_family, AF_INET);
	assert_int_equal(got.sin_port, 0);
	assert_int_equal(ntohl(got.sin_addr.s_addr) >> 8, 0xc00002);
	cb = 15;
	HR(NdResolveAddress(SA(&remote), sizeof(remote), (struct sockaddr *)&got, &cb),
	   ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, sizeof(got));
	inet_pton(AF_INET6, "2001:db8::77", &remote6.sin6_addr);
	cb = sizeof(got6);
	HR(NdResolveAddress(SA(&remote6), sizeof(remote6), (struct sockaddr *)&got6, &cb), S_OK);
	assert_int_equal(cb, sizeof(got6));
	HR(NdResolveAddress(SA(&remote), 3, (struct sockaddr *)&got, &cb), ND_INVALID_ADDRESS);
}

static void answers_to_what_is_no_address(void **state)
{
	struct sockaddr_in sin = address_of(0, 0), other = address_of(0, 0);
	struct sockaddr_storage local;
	INDAdapter *v1 = (void *)&sin;
	void *a = &sin;
	SIZE_T cb = 0;

	other.sin_family = AF_UNIX;
	HR(NdOpenAdapter(&IID_IND2Adapter, SA(&other), sizeof(other), &a), ND_INVALID_ADDRESS);
	assert_null(a);
	HR(NdOpenAdapter(&IID_IND2Adapter, NULL, 0, &a), ND_INVALID_PARAMETER_2);
	HR(NdOpenV1Adapter(SA(&sin), 15, &v1), ND_INVALID_PARAMETER_2);
	assert_null(v1);
	HR(NdOpenV1Adapter(SA(&other), sizeof(other), &v1), ND_INVALID_ADDRESS);
	HR(NdOpenV1Adapter(SA(&sin), sizeof(sin), &v1), ND_INVALID_ADDRESS);
	HR(NdCheckAddress(NULL, 0), ND_INVALID_PARAMETER_2);
	HR(NdResolveAddress(SA(&other), sizeof(other), (struct sockaddr *)&local, &cb),
	   ND_INVALID_ADDRESS);
	HR(NdResolveAddress(NULL, 0, (struct sockaddr *)&local, &cb), ND_INVALID_ADDRESS);
	assert_int_equal(cb, 0);
	HR(NdResolveAddress(SA(&sin), sizeof(sin), NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, sizeof(sin));
}

/* A client may call NdCleanup and keep using the objects that it has opened. */
static void objects_outlive_the_last_cleanup(void **state)
{
	struct pair p;

	for (int round = 0; round < 2; round++) {
		HR(NdStartup(), S_OK);
		for (int i = 0; i < 2; i++) {
			struct sockaddr_in sin = address_of(i, 0);

			HR(NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin),
					 (void **)&adapters[i]),
			   S_OK);
		}
		HR(NdCleanup(), S_OK);
		HR(NdCleanup(), ND_DEVICE_NOT_READY);
		pair_open_connected(&p, NULL);
		exchange(&p.a, &p.b);
		pair_close(&p);
		close_adapters(NULL);
		nothing_lives();
	}
}

static void empty_catalogue_has_no_addresses(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	SIZE_T cb = 123;

	setenv("SOFTRNIC_ND_CATALOG", "/nonexistent", 1);
	HR(NdStartup(), S_OK);
	HR(NdQueryAddressList(0, NULL, &cb), ND_SUCCESS);
	assert_int_equal(cb, 0);
	HR(NdCheckAddress(SA(&sin), sizeof(sin)), ND_INVALID_ADDRESS);
	HR(NdCleanup(), S_OK);
}

static void write_entry(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_entry(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

/* Invalid files in the catalogue folder are skipped. NdStartup and the address list still
 * succeed. */
static void broken_entries_are_passed_over(void **state)
{
	static const char *const names[] = {"1-no-library.conf", "2-missing.conf", "3-other.conf",
					    ".hidden"};
	char folder[] = "/tmp/nd2-catalogue-XXXXXX";
	SIZE_T cb = 0;

	assert_non_null(mkdtemp(folder));
	write_entry(folder, names[0], "guid = {00000000-1111-2222-3333-444444444444}\n");
	write_entry(folder, names[1],
		    "# gone\nguid={00000000-1111-2222-3333-444444444445}\nlibrary = /no/such.so\n");
	write_entry(folder, names[2],
		    "guid=00000000-1111-2222-3333-444444444446\nlibrary = libc.so.6\n");
	write_entry(folder, names[3], "nonsense");
	setenv("SOFTRNIC_ND_CATALOG", folder, 1);
	HR(NdStartup(), S_OK);
	HR(NdQueryAddressList(0, NULL, &cb), ND_SUCCESS);
	assert_int_equal(cb, 0);
	HR(NdCleanup(), S_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove_entry(folder, names[i]);
	rmdir(folder);
}

#define started(f) cmocka_unit_test_setup_teardown(f, use_catalogue, leave)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		started(nd2_row_017_check_address),
		started(nd2_row_018_query_address_list),
		cmocka_unit_test(nd2_row_019_not_started),
		started(starts_are_counted),
		started(open_adapter_by_address),
		started(resolve_picks_a_local_address),
		started(answers_to_what_is_no_address),
		cmocka_unit_test_setup(objects_outlive_the_last_cleanup, name_catalogue),
		cmocka_unit_test(empty_catalogue_has_no_addresses),
		cmocka_unit_test(broken_entries_are_passed_over),
	};

	if (argc != 2)
		return 2;
	catalogue = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
