/* The framework behind the Nd* helper functions: loads the provider libraries that the catalogue
 * lists, on first use. NdStartup starts it and NdCleanup stops it. Any thread may call. */
#ifndef UTIL_FRAMEWORK_H
#define UTIL_FRAMEWORK_H

#include "ndroute.h"
#include "ndspi.h"

#include <stdbool.h>

HRESULT util_framework_start(void);
HRESULT util_framework_stop(void);
/* Unloads every provider library that has no objects left. */
void util_framework_flush(void);

#define UTIL_NOT_STARTED (-1)
#define UTIL_SHORT	 (-2) /* a shortage of descriptors or memory */

/* select_address: DllSelectAddress of the provider's library; NULL if the library has none. */
typedef int (*util_provider_fn)(void *arg, IND2Provider *provider,
				nd_select_address_fn select_address);

/* Calls fn for each provider that can be loaded, until a call returns a value other than 0; returns
 * that value, or 0. The provider is valid during the call. UTIL_NOT_STARTED: fn is not called.
 * UTIL_SHORT: for lack of descriptors or memory the catalogue or a library could not be read, so
 * some providers may not have been called. */
int util_framework_each(util_provider_fn fn, void *arg);

#endif
