/* Which providers are at hand? Owns a count of starts, the entries of the catalogue, which is read again when it has
 * changed, and the loaded libraries. A library that says it has objects stays loaded, even when its entry or the whole
 * framework is gone; a later start finds it again. One lock; providers are called under it, they never call back. */
#include "framework.h"

#include "catalogue.h"
#include "ndstatus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MAX_PROVIDERS 16
#define MAX_LIBRARIES (2 * MAX_PROVIDERS) /* those that left the catalogue and are still in use included */

typedef HRESULT (*get_class_fn)(REFCLSID, REFIID, void **);
typedef HRESULT (*can_unload_fn)(void);

struct library {
	char path[sizeof(((struct util_entry *)0)->library)];
	void *handle; /* NULL: not loaded */
	bool broken;  /* could not be; said so once */
	get_class_fn get_class;
	can_unload_fn can_unload;
	nd_select_address_fn select_address; /* may be NULL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned starts;
static char folder[512]; /* the catalogue, as named at the first start */
static uint64_t look;
static unsigned nentries;
static struct util_entry entries[MAX_PROVIDERS];
static unsigned nlibraries;
static struct library libraries[MAX_LIBRARIES];

/* A catalogue that was changed may have repaired what could not be loaded. */
static void read_catalogue(void)
{
	look = util_catalogue_look(folder);
	nentries = (unsigned)util_catalogue_read(folder, entries, MAX_PROVIDERS);
	for (unsigned i = 0; i < nlibraries; i++)
		libraries[i].broken = false;
}

HRESULT util_framework_start(void)
{
	pthread_mutex_lock(&lock);
	if (starts++ == 0) {
		snprintf(folder, sizeof(folder), "%s", util_catalogue_folder());
		read_catalogue();
	}
	pthread_mutex_unlock(&lock);
	return S_OK;
}

static void unload_idle(void)
{
	for (unsigned i = 0; i < nlibraries;) {
		struct library *l = &libraries[i];

		if (l->handle != NULL && l->can_unload() != S_OK) {
			i++;
			continue;
		}
		if (l->handle != NULL)
			dlclose(l->handle);
		*l = libraries[--nlibraries];
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
			nentries = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return hr;
}

void util_framework_flush(void)
{
	pthread_mutex_lock(&lock);
	if (starts != 0)
		unload_idle();
	pthread_mutex_unlock(&lock);
}

/* The detour by memcpy is what ISO C leaves for object pointer to function pointer. */
static bool find(void *handle, const char *name, void *fn)
{
	void *sym = dlsym(handle, name);

	memcpy(fn, &sym, sizeof(sym));
	return sym != NULL;
}

static bool load(struct library *l)
{
	const char *why;

	if (l->handle != NULL || l->broken)
		return !l->broken;
	l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
	if (l->handle != NULL && find(l->handle, "DllGetClassObject", &l->get_class) &&
	    find(l->handle, "DllCanUnloadNow", &l->can_unload)) {
		find(l->handle, ND_SELECT_ADDRESS, &l->select_address);
		return true;
	}
	why = dlerror();
	fprintf(stderr, "NetworkDirect provider %s: %s\n", l->path,
		why != NULL ? why : "has no DllGetClassObject or DllCanUnloadNow");
	if (l->handle != NULL)
		dlclose(l->handle);
	l->handle = NULL;
	l->broken = true;
	return false;
}

/* Two entries may name one library. NULL: too many are in use. */
static struct library *library_of(const struct util_entry *entry)
{
	unsigned i = 0;

	while (i < nlibraries && strcmp(libraries[i].path, entry->library) != 0)
		i++;
	if (i == MAX_LIBRARIES)
		return NULL;
	if (i == nlibraries) {
		memset(&libraries[i], 0, sizeof(libraries[i]));
		memcpy(libraries[i].path, entry->library, sizeof(libraries[i].path));
		nlibraries++;
	}
	return &libraries[i];
}

int util_framework_each(util_provider_fn fn, void *arg)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (starts == 0)
		rc = UTIL_NOT_STARTED;
	else if (util_catalogue_look(folder) != look)
		read_catalogue();
	for (unsigned i = 0; i < nentries && rc == 0; i++) {
		struct library *l = library_of(&entries[i]);
		void *provider;

		if (l == NULL || !load(l) || FAILED(l->get_class(&entries[i].guid, &IID_IND2Provider, &provider)))
			continue;
		rc = fn(arg, provider, l->select_address);
		((IND2Provider *)provider)->lpVtbl->Release(provider);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
