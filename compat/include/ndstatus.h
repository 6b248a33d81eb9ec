/* ndstatus.h and the NTSTATUS numbers, which it includes on Windows. */
#ifndef COMPAT_NDSTATUS_H
#define COMPAT_NDSTATUS_H

#include <ntstatus.h>
#include_next <ndstatus.h>

#endif
