/* Threads and processes, as the C library of Windows names them. */
#ifndef COMPAT_PROCESS_H
#define COMPAT_PROCESS_H

#include <errno.h>
#include <stdlib.h>
#include "windef.h"

typedef unsigned (*_beginthreadex_proc_type)(void *parameter);
typedef void (*_beginthread_proc_type)(void *parameter);

COMPAT_BEGIN

/* As CreateThread; 0 on failure, with errno too. */
uintptr_t _beginthreadex(void *attributes, unsigned stack, _beginthreadex_proc_type start, void *parameter,
			 unsigned flags, unsigned *id);

/* As ExitThread. */
DECLSPEC_NORETURN void _endthreadex(unsigned code);

/* The handle closes itself when the thread ends: it is good for nothing but a look. -1 on failure, with errno. */
uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack, void *parameter);

/* ExitThread with code 0. */
DECLSPEC_NORETURN void _endthread(void);

/* As getpid. */
int _getpid(void);

COMPAT_END

#endif
