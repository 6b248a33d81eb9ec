/* Which providers are at hand? Owns the loaded libraries: a count of starts, the entries of the
 * catalogue, and for each the library's handle. One lock; providers are called under it, they never
 * call back. */
#include "framework.h"

#include "catalogue.h"
#include "ndstatus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MAX_PROVIDERS 16

typedef HRESULT (*get_class_fn)(REFCLSID, REFIID, void **);
typedef HRESULT (*can_unload_fn)(void);

struct library {
	struct util_entry entry;
	void *handle; /* NULL: not loaded */
	bool broken;  /* could not be; said so once */
	get_class_fn get_class;
	can_unload_fn can_unload;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned starts;
static unsigned nlibraries;
static struct library libraries[MAX_PROVIDERS];

HRESULT util_framework_start(void)
{
	struct util_entry entries[MAX_PROVIDERS];

	pthread_mutex_lock(&lock);
	if (starts++ == 0) {
		nlibraries = (unsigned)util_catalogue_read(util_catalogue_folder(), entries,
							   MAX_PROVIDERS);
		memset(libraries, 0, sizeof(libraries));
		for (unsigned i = 0; i < nlibraries; i++)
			libraries[i].entry = entries[i];
	}
	pthread_mutex_unlock(&lock);
	return S_OK;
}

static void unload_idle(void)
{
	for (unsigned i = 0; i < nlibraries; i++) {
		struct library *l = &libraries[i];

		if (l->handle != NULL && l->can_unload() == S_OK) {
			dlclose(l->handle);
			l->handle = NULL;
		}
	}
}

/* A library that still has objects stays in memory: clients may call them after the last stop. */
HRESULT util_framework_stop(void)
{
	HRESULT hr = ND_DEVICE_NOT_READY;

	pthread_mutex_lock(&lock);
	if (starts != 0) {
		hr = S_OK;
		if (--starts == 0) {
			unload_idle();
			nlibraries = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return hr;
}

bool util_framework_started(void)
{
	bool started;

	pthread_mutex_lock(&lock);
	started = starts != 0;
	pthread_mutex_unlock(&lock);
	return started;
}

void util_framework_flush(void)
{
	pthread_mutex_lock(&lock);
	unload_idle();
	pthread_mutex_unlock(&lock);
}

static bool load(struct library *l)
{
	const char *why;

	if (l->handle != NULL || l->broken)
		return !l->broken;
	l->handle = dlopen(l->entry.library, RTLD_NOW | RTLD_LOCAL);
	if (l->handle != NULL) {
		/* The detour by memcpy is what ISO C leaves for object pointer to function pointer.
		 */
		void *sym = dlsym(l->handle, "DllGetClassObject");

		memcpy(&l->get_class, &sym, sizeof(sym));
		sym = dlsym(l->handle, "DllCanUnloadNow");
		memcpy(&l->can_unload, &sym, sizeof(sym));
		if (l->get_class != NULL && l->can_unload != NULL)
			return true;
	}
	why = dlerror();
	fprintf(stderr, "NetworkDirect provider %s: %s\n", l->entry.library,
		why != NULL ? why : "has no DllGetClassObject or DllCanUnloadNow");
	if (l->handle != NULL)
		dlclose(l->handle);
	l->handle = NULL;
	l->broken = true;
	return false;
}

int util_framework_each(int (*fn)(void *arg, IND2Provider *provider), void *arg)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (starts == 0)
		rc = -1;
	for (unsigned i = 0; i < nlibraries && rc == 0; i++) {
		struct library *l = &libraries[i];
		void *provider;

		if (!load(l) || FAILED(l->get_class(&l->entry.guid, &IID_IND2Provider, &provider)))
			continue;
		rc = fn(arg, provider);
		((IND2Provider *)provider)->lpVtbl->Release(provider);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
