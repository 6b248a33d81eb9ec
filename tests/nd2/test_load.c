/* Loads the library with dlopen. The library's provider can be created directly and through a class
 * factory. After a dlclose the library stays in memory, whether this program or a client library
 * calls dlclose. Arguments: the path of the library, the path of the client library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ndspi.h"
#include "ndstatus.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HR(call, expected) assert_int_equal((uint32_t)(call), (uint32_t)(expected))

static const char *library, *plugin;
static const GUID any_class = {0xfeedbeef, 1, 2, {3}};

struct loaded {
	void *handle;
	HRESULT (*get_class)(REFCLSID, REFIID, void **);
	HRESULT (*can_unload)(void);
};

static struct loaded load(void)
{
	struct loaded l = {dlopen(library, RTLD_NOW | RTLD_LOCAL), NULL, NULL};
	void *sym;

	if (l.handle == NULL)
		fail_msg("%s", dlerror());
	sym = dlsym(l.handle, "DllGetClassObject");
	assert_non_null(sym);
	memcpy(&l.get_class, &sym, sizeof(sym));
	sym = dlsym(l.handle, "DllCanUnloadNow");
	assert_non_null(sym);
	memcpy(&l.can_unload, &sym, sizeof(sym));
	return l;
}

static bool in_memory(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

	if (handle != NULL)
		dlclose(handle);
	return handle != NULL;
}

static int threads_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static IND2Adapter *open_one(IND2Provider *p)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xc0000201)};
	IND2Adapter *a;
	UINT64 id;

	HR(p->lpVtbl->ResolveAddress(p, (struct sockaddr *)&sin, sizeof(sin), &id), ND_SUCCESS);
	HR(p->lpVtbl->OpenAdapter(p, &IID_IND2Adapter, id, (void **)&a), ND_SUCCESS);
	return a;
}

static void nd2_own_both_ways_to_the_provider(void **state)
{
	struct loaded l = load();
	IClassFactory *factory;
	IND2Provider *direct, *made;
	IUnknown *unknown;
	void *none = &l;

	HR(l.get_class(&any_class, &IID_IND2Provider, (void **)&direct), S_OK);
	HR(l.get_class(&any_class, &IID_IClassFactory, (void **)&factory), S_OK);
	HR(factory->lpVtbl->CreateInstance(factory, NULL, &IID_IND2Provider, (void **)&made), S_OK);
	HR(factory->lpVtbl->CreateInstance(factory, NULL, &IID_IND2Adapter, &none), E_NOINTERFACE);
	assert_null(none);
	HR(factory->lpVtbl->CreateInstance(factory, NULL, &IID_IND2Provider, NULL), E_POINTER);
	HR(factory->lpVtbl->LockServer(factory, 1), S_OK);
	HR(factory->lpVtbl->LockServer(factory, 0), S_OK);
	HR(l.get_class(&any_class, &IID_IUnknown, (void **)&unknown), S_OK);
	assert_ptr_equal(unknown, factory);
	assert_int_equal(unknown->lpVtbl->Release(unknown), 1);
	HR(l.get_class(&any_class, &IID_IND2Provider, NULL), E_POINTER);
	none = &l;
	HR(l.get_class(&any_class, &IID_IND2QueuePair, &none), E_NOINTERFACE);
	assert_null(none);
	assert_ptr_equal(direct, made);
	assert_int_equal(factory->lpVtbl->Release(factory), 0);
	assert_int_equal(factory->lpVtbl->Release(factory), 0); /* a surplus Release is harmless */
	assert_int_equal(made->lpVtbl->Release(made), 1);
	assert_int_equal(direct->lpVtbl->Release(direct), 0);
	dlclose(l.handle);
}

/* DllCanUnloadNow always returns S_FALSE, and the library stays loaded after a client's dlclose. */
static void nd2_own_the_library_stays_whatever_unloads_it(void **state)
{
	for (int i = 0; i < 3; i++) {
		struct loaded l = load();
		IND2Provider *p;
		IND2Adapter *a;
		ULONG cb = 0;

		HR(l.get_class(&any_class, &IID_IND2Provider, (void **)&p), S_OK);
		a = open_one(p);
		assert_int_equal(p->lpVtbl->Release(p), 1);
		HR(l.can_unload(), S_FALSE);
		if (i == 1) { /* in this round an adapter is open */
			assert_int_equal(dlclose(l.handle), 0);
			HR(a->lpVtbl->Query(a, NULL, &cb), ND_BUFFER_OVERFLOW);
			assert_int_equal(a->lpVtbl->Release(a), 0);
		} else {
			assert_int_equal(a->lpVtbl->Release(a), 0);
			HR(l.can_unload(), S_FALSE);
			assert_int_equal(dlclose(l.handle), 0);
		}
		assert_true(in_memory(library));
	}
}

static void nd2_own_a_client_is_loaded_and_unloaded(void **state)
{
	int threads = 0;

	for (int i = 0; i < 4; i++) {
		void *handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL), *sym;
		int (*run)(void);

		if (handle == NULL)
			fail_msg("%s", dlerror());
		sym = dlsym(handle, "plugin_run");
		assert_non_null(sym);
		memcpy(&run, &sym, sizeof(sym));
		assert_int_equal(run(), 0);
		assert_int_equal(dlclose(handle), 0);
		assert_false(in_memory(plugin));
		assert_true(in_memory(library));
		if (i == 0)
			threads = threads_now();
	}
	assert_true(threads_now() <= threads);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_both_ways_to_the_provider),
		cmocka_unit_test(nd2_own_the_library_stays_whatever_unloads_it),
		cmocka_unit_test(nd2_own_a_client_is_loaded_and_unloaded),
	};

	if (argc != 3)
		return 2;
	library = argv[1];
	plugin = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
