/* Loads libsoftrnic when the first device list is asked for, and looks its functions up. */
#include "verbs/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

struct vb_engine vb_engine;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256]; /* why loading has failed; empty: it has not */

static void load(void)
{
	/* The run path of this library leads to libsoftrnic: the two are installed together. */
	void *library = dlopen("libsoftrnic.so.0", RTLD_NOW | RTLD_LOCAL);

	if (library == NULL) {
		snprintf(reason, sizeof(reason), "%s", dlerror());
		return;
	}
#define X(name)                                                                          \
	vb_engine.name = (__typeof__(vb_engine.name))dlsym(library, "rn_client_" #name); \
	if (vb_engine.name == NULL)                                                      \
		snprintf(reason, sizeof(reason), "libsoftrnic.so.0 has no rn_client_" #name);
	VB_ENGINE_ROWS(X)
#undef X
}

int vb_engine_load(char *err, size_t errlen)
{
	pthread_once(&once, load);
	if (reason[0] == '\0')
		return 0;
	snprintf(err, errlen, "%s", reason);
	return -ENOENT;
}
