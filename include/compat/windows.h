/*
 * Everything but the sockets' details. Without WIN32_LEAN_AND_MEAN it brings COM and the sockets
 * along, as on Windows. NOMINMAX: no min and max.
 */
#ifndef COMPAT_WINDOWS_H
#define COMPAT_WINDOWS_H

#include <stdarg.h>
#include <stdlib.h>
#include "sal.h"
#include "windef.h"
#include "winnt.h"
#include "winerror.h"
#include "guiddef.h"
#include "minwinbase.h"
#include "errhandlingapi.h"
#include "fibersapi.h"
#include "handleapi.h"
#include "interlockedapi.h"
#include "ioapiset.h"
#include "processthreadsapi.h"
#include "synchapi.h"

#ifndef WIN32_LEAN_AND_MEAN
#include "combaseapi.h"
#include "winsock2.h"
#endif

#endif
