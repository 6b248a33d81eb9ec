/* ndstatus.h with the NTSTATUS numbers, which Windows' own brings along. */
#ifndef COMPAT_NDSTATUS_H
#define COMPAT_NDSTATUS_H

#include <ntstatus.h>
#include_next <ndstatus.h>

#endif
