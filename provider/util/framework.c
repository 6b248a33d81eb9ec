/* Loads the provider libraries that the catalogue lists. Owns the start count (NdStartup adds 1,
 * NdCleanup subtracts 1), the catalogue's entries, and the loaded libraries.
 *
 * The entries are read again when the catalogue has changed. A library whose objects clients still
 * hold stays loaded, even if its entry is removed or the start count is 0. After a later NdStartup
 * this library is used and not loaded again.
 *
 * One lock guards all these data. It is held while a provider is called, so providers must not call
 * back. */
#include "util/framework.h"

#include "util/catalogue.h"
#include "ndstatus.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_PROVIDERS 16
/* More than MAX_PROVIDERS: a library whose catalogue entry was removed may still be in use. */
#define MAX_LIBRARIES (2 * MAX_PROVIDERS)

typedef HRESULT (*get_class_fn)(REFCLSID, REFIID, void **);
typedef HRESULT (*can_unload_fn)(void);

struct library {
	char path[sizeof(((struct util_entry *)0)->library)];
	void *handle; /* NULL if the library is not loaded */
	bool broken;  /* the library could not be loaded, and a message was printed */
	get_class_fn get_class;
	can_unload_fn can_unload;
	/* NULL if the library does not export DllSelectAddress */
	nd_select_address_fn select_address;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned starts;
static char folder[512]; /* path of the catalogue's folder, set at the first start */
static uint64_t mark;
static bool known; /* the catalogue has been read since the first start */
static unsigned nentries;
static struct util_entry entries[MAX_PROVIDERS];
static unsigned nlibraries;
static struct library libraries[MAX_LIBRARIES];

/* Reads the catalogue if it has changed. Libraries that could not be loaded before are then tried
 * again. If descriptors or memory run out meanwhile, the catalogue counts as unchanged. The
 * function then returns 0, or -errno if the catalogue was never read before. */
static int read_catalogue(void)
{
	uint64_t now;
	int rc = util_catalogue_mark(folder, &now), n;

	if (known && (rc != 0 || now == mark))
		return 0;
	n = rc != 0 ? rc : util_catalogue_read(folder, entries, MAX_PROVIDERS);
	if (n < 0) {
		nentries = known ? nentries : 0;
		fprintf(stderr, "NetworkDirect catalogue: %s cannot be read: %s\n", folder,
			strerror(-n));
		return known ? 0 : n;
	}
	mark = now;
	nentries = (unsigned)n;
	known = true;
	if (nentries == 0)
		fprintf(stderr,
			"NetworkDirect catalogue: no provider is listed in %s; SOFTRNIC_ND_CATALOG names another folder\n",
			folder);
	for (unsigned i = 0; i < nlibraries; i++)
		libraries[i].broken = false;
	return 0;
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

/* Clients may call the objects of a library after the last NdCleanup. So a library stays loaded
 * while clients hold its objects. */
HRESULT util_framework_stop(void)
{
	HRESULT hr = ND_DEVICE_NOT_READY;

	pthread_mutex_lock(&lock);
	if (starts != 0) {
		hr = S_OK;
		if (--starts == 0) {
			unload_idle();
			nentries = 0;
			known = false;
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

/* Looks up a function of a loaded library and stores the address in the function pointer at `fn`.
 * Uses memcpy, since ISO C has no cast from an object pointer to a function pointer. */
static bool find(void *handle, const char *name, void *fn)
{
	void *sym = dlsym(handle, name);

	memcpy(fn, &sym, sizeof(sym));
	return sym != NULL;
}

/* True if file descriptors have run out. Opens a file to find out, since dlopen() gives the reason
 * of a failure only as text. */
static bool short_of_descriptors(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 && util_is_shortage(errno);
}

/* Loads the library unless it is loaded. Returns 0, UTIL_SHORT (a later attempt may succeed), or 1
 * (the library cannot be loaded). */
static int load(struct library *l)
{
	const char *why;

	if (l->handle != NULL || l->broken)
		return l->broken;
	l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
	if (l->handle != NULL && find(l->handle, "DllGetClassObject", &l->get_class) &&
	    find(l->handle, "DllCanUnloadNow", &l->can_unload)) {
		find(l->handle, ND_SELECT_ADDRESS, &l->select_address);
		return 0;
	}
	why = dlerror();
	fprintf(stderr, "NetworkDirect provider %s: %s\n", l->path,
		why != NULL ? why : "has no DllGetClassObject or DllCanUnloadNow");
	if (l->handle != NULL)
		dlclose(l->handle);
	l->handle = NULL;
	if (short_of_descriptors())
		return UTIL_SHORT;
	l->broken = true;
	return 1;
}

/* Returns the library that a catalogue entry names. Two entries may name the same library. Returns
 * NULL if MAX_LIBRARIES libraries are in use. */
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

/* Calls fn with the provider of a catalogue entry and returns fn's result. If the provider cannot
 * be loaded, returns UTIL_SHORT (a later attempt may succeed) or 0. */
static int call_one(const struct util_entry *entry, util_provider_fn fn, void *arg)
{
	struct library *l = library_of(entry);
	int rc = l != NULL ? load(l) : 1;
	void *provider;

	if (rc != 0 || FAILED(l->get_class(&entry->guid, &IID_IND2Provider, &provider)))
		return rc == UTIL_SHORT ? UTIL_SHORT : 0;
	rc = fn(arg, provider, l->select_address);
	((IND2Provider *)provider)->lpVtbl->Release(provider);
	return rc;
}

int util_framework_each(util_provider_fn fn, void *arg)
{
	bool is_short = false;
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (starts == 0)
		rc = UTIL_NOT_STARTED;
	else
		is_short = read_catalogue() != 0;
	for (unsigned i = 0; i < nentries && rc == 0; i++) {
		rc = call_one(&entries[i], fn, arg);
		if (rc == UTIL_SHORT) {
			is_short = true;
			rc = 0;
		}
	}
	pthread_mutex_unlock(&lock);
	return rc == 0 && is_short ? UTIL_SHORT : rc;
}
