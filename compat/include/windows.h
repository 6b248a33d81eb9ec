/*
 * Includes the headers of the basic functions: threads, waiting, memory, time, text and so on.
 * Unless WIN32_LEAN_AND_MEAN is defined, also includes COM, the multimedia clock and winsock2.h.
 * NOMINMAX removes min and max.
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
#include "consoleapi.h"
#include "debugapi.h"
#include "fibersapi.h"
#include "globalmem.h"
#include "handleapi.h"
#include "heapapi.h"
#include "interlockedapi.h"
#include "ioapiset.h"
#include "libloaderapi.h"
#include "memoryapi.h"
#include "processclock.h"
#include "processenv.h"
#include "processthreadsapi.h"
#include "profileapi.h"
#include "stringapiset.h"
#include "synchapi.h"
#include "sysinfoapi.h"
#include "timezoneapi.h"
#include "winmessage.h"

#ifndef WIN32_LEAN_AND_MEAN
#include "combaseapi.h"
#include "mmsystem.h"
#include "winsock2.h"
#endif

#endif
