/* Tests which providers the helper library finds in a catalogue, which provider opens an address,
 * and when providers are unloaded. The catalogues of the tests name a provider of the tests
 * (fake_provider.c). The program's argument is the path of that provider's library. */
#include "fixture.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define FAMILY "-1111-222233333333"

static const char *library;
static char folder[] = "/tmp/nd2-catalogue-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_entry(const char *name, const char *guid, const char *path)
{
	char text[512];

	snprintf(text, sizeof(text), "guid = {%s}\nlibrary = %s\n", guid, path);
	put(name, text);
}

static void take_away(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static int open_folder(void **state)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	setenv("SOFTRNIC_ND_CATALOG", folder, 1);
	unsetenv("FAKE_ND_ADDRESS");
	unsetenv("FAKE_ND_BUSY");
	HR(NdStartup(), S_OK);
	return 0;
}

static int close_folder(void **state)
{
	char command[300];

	unsetenv("FAKE_ND_BUSY");
	HR(NdCleanup(), S_OK);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static struct sockaddr_in fake_address(unsigned last)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};

	sin.sin_addr.s_addr = htonl(0xcb007100u + last);
	return sin;
}

static HRESULT check(unsigned last)
{
	struct sockaddr_in sin = fake_address(last);

	return NdCheckAddress(SA(&sin), sizeof(sin));
}

/* Opens the adapter with the address 203.0.113.`last`. Sets *number to the first 32 bits of the
 * class id of the provider that opened the adapter. Sets *number to 0 if no adapter could be
 * opened. */
static HRESULT open_fake(unsigned last, uint32_t *number)
{
	struct sockaddr_in sin = fake_address(last);
	void *adapter;
	HRESULT hr = NdOpenAdapter(&IID_IND2Adapter, SA(&sin), sizeof(sin), &adapter);

	*number = 0;
	if (SUCCEEDED(hr)) {
		memcpy(number, (char *)adapter + sizeof(void *) + sizeof(ULONG), sizeof(*number));
		CALL((IUnknown *)adapter, Release);
	} else {
		assert_null(adapter);
	}
	return hr;
}

static bool is_loaded(void)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);

	if (handle != NULL)
		dlclose(handle);
	return handle != NULL;
}

static void nd2_own_the_first_entry_of_a_guid_counts(void **state)
{
	put_entry("1", "00000001-0000-0005" FAMILY, library);
	put_entry("2", "00000001-0000-0005" FAMILY, "/no/such/library.so");
	put_entry("3", "00000002-0000-0006" FAMILY, library);
	HR(check(5), ND_SUCCESS);
	HR(check(6), ND_SUCCESS);
	HR(check(7), ND_INVALID_ADDRESS);
}

static void nd2_own_the_next_owner_of_an_address_is_tried(void **state)
{
	uint32_t number;

	put_entry("1", "00000001-0001-0005" FAMILY, library);
	HR(open_fake(5, &number), ND_NO_MEMORY);
	put_entry("2", "00000002-0000-0005" FAMILY, library);
	put_entry("3", "00000003-0000-0005" FAMILY, library);
	HR(open_fake(5, &number), S_OK);
	assert_int_equal(number, 2);
	HR(open_fake(9, &number), ND_INVALID_ADDRESS);
}

/* A provider whose library cannot be loaded is skipped. NdOpenAdapter then returns
 * ND_INVALID_ADDRESS, as if no provider had the address. */
static void nd2_own_a_provider_that_cannot_be_loaded_opens_nothing(void **state)
{
	uint32_t number;

	put_entry("1", "00000001-0000-0005" FAMILY, "/no/such/library.so");
	HR(open_fake(5, &number), ND_INVALID_ADDRESS);
}

static void nd2_own_changes_of_the_catalogue_are_seen(void **state)
{
	HR(check(5), ND_INVALID_ADDRESS);
	put_entry("1", "00000001-0000-0005" FAMILY, library);
	HR(check(5), ND_SUCCESS);
	put_entry("1", "00000001-0000-0006" FAMILY, library);
	HR(check(5), ND_INVALID_ADDRESS);
	HR(check(6), ND_SUCCESS);
	take_away("1");
	HR(check(6), ND_INVALID_ADDRESS);
}

static void nd2_own_changes_of_addresses_are_seen(void **state)
{
	SIZE_T cb = 0;

	put_entry("1", "00000001-0000-0005" FAMILY, library);
	HR(NdQueryAddressList(0, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, offsetof(SOCKET_ADDRESS_LIST, Address) + sizeof(SOCKET_ADDRESS) + 16);
	HR(check(77), ND_INVALID_ADDRESS);
	setenv("FAKE_ND_ADDRESS", "203.0.113.77", 1);
	HR(check(77), ND_SUCCESS);
	HR(NdQueryAddressList(0, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, offsetof(SOCKET_ADDRESS_LIST, Address) +
				     2 * (sizeof(SOCKET_ADDRESS) + 16));
	unsetenv("FAKE_ND_ADDRESS");
	HR(check(77), ND_INVALID_ADDRESS);
}

static void nd2_own_idle_providers_are_unloaded(void **state)
{
	put_entry("1", "00000001-0000-0005" FAMILY, library);
	assert_false(is_loaded());
	HR(check(5), ND_SUCCESS);
	assert_true(is_loaded());
	NdFlushProviders();
	assert_false(is_loaded());
	HR(check(5), ND_SUCCESS);
	HR(NdCleanup(), S_OK);
	assert_false(is_loaded());
	NdFlushProviders(); /* has no effect before NdStartup */
	HR(NdStartup(), S_OK);
	HR(check(5), ND_SUCCESS);
}

static void nd2_own_busy_providers_are_unloaded_later(void **state)
{
	put_entry("1", "00000001-0000-0005" FAMILY, library);
	setenv("FAKE_ND_BUSY", "1", 1);
	HR(check(5), ND_SUCCESS);
	NdFlushProviders();
	assert_true(is_loaded());
	HR(NdCleanup(), S_OK);
	assert_true(is_loaded());
	/* The provider refuses to be unloaded (FAKE_ND_BUSY). NdStartup must keep the provider,
	 * although its catalogue entry is gone: otherwise NdFlushProviders could never unload the
	 * provider. */
	take_away("1");
	for (int i = 0; i < 3; i++) {
		HR(NdStartup(), S_OK);
		HR(NdCleanup(), S_OK);
	}
	HR(NdStartup(), S_OK);
	assert_true(is_loaded());
	unsetenv("FAKE_ND_BUSY");
	NdFlushProviders();
	assert_false(is_loaded());
}

/* What the library wrote to stderr while listen_to() called `fn`. */
static char said[16384];

static void listen_to(void (*fn)(void))
{
	FILE *f = tmpfile();
	int before = dup(2);
	size_t n;

	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), 2);
	fn();
	fflush(stderr);
	dup2(before, 2);
	close(before);
	rewind(f);
	n = fread(said, 1, sizeof(said) - 1, f);
	said[n] = '\0';
	fclose(f);
}

static void ask_twice(void)
{
	HR(check(5), ND_SUCCESS);
	HR(check(5), ND_SUCCESS);
}

static void nd2_own_bad_entries_are_skipped_and_reported_once(void **state)
{
	static const struct {
		const char *text, *complaint;
	} rows[] = {
		{"", "it has no guid"},
		{"library = x.so\n", "it has no guid"},
		{"guid = {00000001-0000-0009" FAMILY "}\n", "it names no library"},
		{"guid = {00000001-0000-0009" FAMILY "}\nlibrary =\n", "it names no library"},
		{"guid = {00000001-0000-0009" FAMILY "\nlibrary = x.so\n", "the GUID is malformed"},
		{"guid = 00000001-0000-0009" FAMILY "}\nlibrary = x.so\n", "the GUID is malformed"},
		{"guid = 00000001-0000-0009" FAMILY "9\nlibrary = x.so\n", "the GUID is malformed"},
		{"guid = 00000001-0000-0009-1111-22223333333\nlibrary = x.so\n",
		 "the GUID is malformed"},
		{"guid = 0x000001-0000-0009" FAMILY "\nlibrary = x.so\n", "the GUID is malformed"},
		{"guid = 0000001-00000-0009" FAMILY "\nlibrary = x.so\n", "the GUID is malformed"},
	};
	char name[8], line[2048];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "b%zu", i);
		put(name, rows[i].text);
	}
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	put("c-long", line);
	memset(line, 'y', 700);
	memcpy(line, "library = ", 10);
	line[700] = '\0';
	put("d-path", line);
	snprintf(line, sizeof(line), "%s/e-folder", folder);
	/* A folder that no other process changes: a change would be a reason to report again. */
	assert_int_equal(symlink("/usr", line), 0);
	put_entry("f", "00000001-0000-0005" FAMILY, "/no/such/library.so");
	put("g",
	    "# good\n\n guid={00000002-0000-0005" FAMILY "}\r\nkey of another = 1\nlibrary = ");
	put_entry("h", "00000002-0000-0005" FAMILY, library);
	put(".hidden", "nonsense");
	listen_to(ask_twice);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(line, sizeof(line), "%s/b%zu is skipped: %s\n", folder, i,
			 rows[i].complaint);
		if (strstr(said, line) == NULL)
			fail_msg("not said: %s", line);
		assert_null(strstr(strstr(said, line) + 1, line));
	}
	assert_non_null(strstr(said, "c-long is skipped: a line is too long\n"));
	assert_non_null(strstr(said, "d-path is skipped: the library's path is too long\n"));
	assert_non_null(strstr(said, "e-folder is skipped: it is not a file\n"));
	assert_non_null(strstr(said, "g is skipped: it names no library\n"));
	assert_non_null(strstr(said, "NetworkDirect provider /no/such/library.so: "));
	assert_null(strstr(said, "hidden"));
}

static void start_again(void)
{
	HR(NdCleanup(), S_OK);
	HR(NdStartup(), S_OK);
}

/* If the catalogue folder is empty or missing, the library prints a message. The message has the
 * folder's name and the environment variable that sets the folder. */
static void nd2_own_an_empty_catalogue_is_reported(void **state)
{
	listen_to(start_again);
	assert_non_null(strstr(said, folder));
	assert_non_null(strstr(said, "SOFTRNIC_ND_CATALOG"));
	setenv("SOFTRNIC_ND_CATALOG", "/no/such/folder", 1);
	listen_to(start_again);
	assert_non_null(strstr(said, "/no/such/folder"));
	setenv("SOFTRNIC_ND_CATALOG", folder, 1);
	put_entry("1", "00000001-0000-0005" FAMILY, library);
	listen_to(start_again);
	assert_string_equal(said, "");
}

static void nd2_own_more_providers_than_the_limit(void **state)
{
	char name[16], guid[64];

	for (unsigned i = 0; i < 17; i++) {
		snprintf(name, sizeof(name), "%02u", i);
		snprintf(guid, sizeof(guid), "%08x-0000-%04x" FAMILY, i + 1, i + 1);
		put_entry(name, guid, library);
	}
	HR(check(16), ND_SUCCESS);
	HR(check(17), ND_INVALID_ADDRESS);
}

/* ---- NdStartup and NdCleanup on several threads ---- */

static void *start_and_stop(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		HRESULT hr = NdStartup();
		uint32_t number;

		if (hr == S_OK)
			hr = open_fake(5, &number);
		if (hr != S_OK || NdCleanup() != S_OK)
			return (void *)1;
	}
	return NULL;
}

/* A thread can make calls between its own NdStartup and NdCleanup, even while other threads call
 * NdStartup and NdCleanup. */
static void nd2_own_starts_and_stops_on_two_threads(void **state)
{
	pthread_t thread[2];
	void *failed;

	put_entry("1", "00000001-0000-0005" FAMILY, library);
	HR(NdCleanup(), S_OK);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, start_and_stop, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	HR(NdCleanup(), ND_DEVICE_NOT_READY);
	assert_false(is_loaded());
	HR(NdStartup(), S_OK);
}

#define catalogue(f) cmocka_unit_test_setup_teardown(f, open_folder, close_folder)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		catalogue(nd2_own_the_first_entry_of_a_guid_counts),
		catalogue(nd2_own_the_next_owner_of_an_address_is_tried),
		catalogue(nd2_own_a_provider_that_cannot_be_loaded_opens_nothing),
		catalogue(nd2_own_changes_of_the_catalogue_are_seen),
		catalogue(nd2_own_changes_of_addresses_are_seen),
		catalogue(nd2_own_idle_providers_are_unloaded),
		catalogue(nd2_own_busy_providers_are_unloaded_later),
		catalogue(nd2_own_bad_entries_are_skipped_and_reported_once),
		catalogue(nd2_own_an_empty_catalogue_is_reported),
		catalogue(nd2_own_more_providers_than_the_limit),
		catalogue(nd2_own_starts_and_stops_on_two_threads),
	};

	if (argc != 2)
		return 2;
	library = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
