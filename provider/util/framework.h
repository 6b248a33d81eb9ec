/* The providers of the catalogue, loaded when first asked. Started and stopped by NdStartup and
 * NdCleanup. Any thread.
 */
#ifndef UTIL_FRAMEWORK_H
#define UTIL_FRAMEWORK_H

#include "ndroute.h"
#include "ndspi.h"

#include <stdbool.h>

HRESULT util_framework_start(void);
HRESULT util_framework_stop(void);
/* Unloads what says it may be. */
void util_framework_flush(void);

#define UTIL_NOT_STARTED (-1)
#define UTIL_SHORT	 (-2) /* descriptors or memory */

/* select_address: NULL unless the provider's library has one. */
typedef int (*util_provider_fn)(void *arg, IND2Provider *provider, nd_select_address_fn select_address);

/* Calls fn for each provider that can be loaded, until one call returns other than 0, which is
 * handed on. The provider is good during the call. UTIL_NOT_STARTED: no call is made. UTIL_SHORT: a shortage kept the
 * catalogue or a library from being read, so there may be providers that were not asked. */
int util_framework_each(util_provider_fn fn, void *arg);

#endif
