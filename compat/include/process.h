/* Functions for threads and processes from the Windows C library. */
#ifndef COMPAT_PROCESS_H
#define COMPAT_PROCESS_H

#include <errno.h>
#include <stdlib.h>
#include "windef.h"

typedef unsigned (*_beginthreadex_proc_type)(void *parameter);
typedef void (*_beginthread_proc_type)(void *parameter);

COMPAT_BEGIN

/*
 * Starts a thread with CreateThread and returns its handle. Returns 0 on failure and sets errno as
 * well as the last error.
 */
uintptr_t _beginthreadex(void *attributes, unsigned stack, _beginthreadex_proc_type start,
			 void *parameter, unsigned flags, unsigned *id);

/* Ends the calling thread with an exit code, as ExitThread does. */
DECLSPEC_NORETURN void _endthreadex(unsigned code);

/*
 * Starts a thread and returns its handle. Returns -1 on failure and sets errno. The library closes
 * the handle at the end of the thread. Therefore the caller must neither close the handle nor wait
 * for the thread.
 */
uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack, void *parameter);

/* Ends the calling thread with the exit code 0, as ExitThread does. */
DECLSPEC_NORETURN void _endthread(void);

/* Returns the id of this process, as getpid() does. */
int _getpid(void);

COMPAT_END

#endif
