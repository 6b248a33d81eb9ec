/* Looks up the functions behind those of this library. */
#include "preload/next.h"

#include <dlfcn.h>

struct preload_next preload_next;

/* Several threads may do this at the same time: all store the same pointers. */
__attribute__((constructor)) void preload_fill_next(void)
{
#define X(name) atomic_store(&preload_next.name, (__typeof__(&name))dlsym(RTLD_NEXT, #name));
	PRELOAD_ROWS(X)
#undef X
}
