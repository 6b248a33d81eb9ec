/* The functions for threads and processes of the Windows C library. */
#ifndef COMPAT_PROCESS_H
#define COMPAT_PROCESS_H

#include <errno.h>
#include <stdlib.h>
#include "windef.h"

typedef unsigned (*_beginthreadex_proc_type)(void *parameter);
typedef void (*_beginthread_proc_type)(void *parameter);

COMPAT_BEGIN

/* Same as CreateThread, but returns 0 on failure and sets errno as well. */
uintptr_t _beginthreadex(void *attributes, unsigned stack, _beginthreadex_proc_type start,
			 void *parameter, unsigned flags, unsigned *id);

/* Same as ExitThread. */
DECLSPEC_NORETURN void _endthreadex(unsigned code);

/*
 * The handle is closed when the thread ends, so the caller cannot rely on it. Returns -1 on failure
 * and sets errno.
 */
uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack, void *parameter);

/* Same as ExitThread(0). */
DECLSPEC_NORETURN void _endthread(void);

/* Same as getpid(). */
int _getpid(void);

COMPAT_END

#endif
