/* The providers of the catalogue, loaded when first asked. Started and stopped by NdStartup and
 * NdCleanup. Any thread.
 */
#ifndef UTIL_FRAMEWORK_H
#define UTIL_FRAMEWORK_H

#include "ndspi.h"

#include <stdbool.h>

HRESULT util_framework_start(void);
HRESULT util_framework_stop(void);
bool util_framework_started(void);
/* Unloads what says it may be. */
void util_framework_flush(void);

/* Calls fn for each provider that can be loaded, until one call returns other than 0, which is
 * handed on. -1: not started. The provider is good during the call. */
int util_framework_each(int (*fn)(void *arg, IND2Provider *provider), void *arg);

#endif
