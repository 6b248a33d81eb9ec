/* Includes the ndstatus.h of softrnic and the NTSTATUS numbers, as ndstatus.h on Windows does. */
#ifndef COMPAT_NDSTATUS_H
#define COMPAT_NDSTATUS_H

#include <ntstatus.h>
#include_next <ndstatus.h>

#endif
