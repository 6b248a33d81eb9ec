/* The framework behind the Nd* helper functions. Loads the provider libraries that the catalogue
 * lists, on first use. NdStartup starts the framework and NdCleanup stops it. Any thread may
 * call the functions. */
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

/* select_address is the DllSelectAddress of the provider's library, or NULL if the library has
 * none. */
typedef int (*util_provider_fn)(void *arg, IND2Provider *provider,
				nd_select_address_fn select_address);

/* Calls fn for each provider that can be loaded, until a call returns a value other than 0. Returns
 * that value, or 0. The provider is valid during the call. Errors:
 * - UTIL_NOT_STARTED: the framework is not started, so fn is not called.
 * - UTIL_SHORT: descriptors or memory ran out while the catalogue or a library was read. Some
 *   providers may not have been called. */
int util_framework_each(util_provider_fn fn, void *arg);

#endif
