/* The console: what ends a program from outside. */
#ifndef COMPAT_CONSOLEAPI_H
#define COMPAT_CONSOLEAPI_H

#include "windef.h"

#define CTRL_C_EVENT	    0 /* SIGINT */
#define CTRL_BREAK_EVENT    1 /* SIGQUIT */
#define CTRL_CLOSE_EVENT    2 /* SIGTERM, SIGHUP */
#define CTRL_LOGOFF_EVENT   5 /* does not come */
#define CTRL_SHUTDOWN_EVENT 6 /* does not come */

typedef BOOL (*PHANDLER_ROUTINE)(DWORD event);

COMPAT_BEGIN

/*
 * Handlers run on a thread of the library, the latest first, until one returns TRUE; when none does,
 * the signal does what it would have done. NULL with TRUE: SIGINT is ignored, with FALSE no more.
 * FALSE, ERROR_INVALID_PARAMETER: a handler to take away that is not there.
 */
BOOL SetConsoleCtrlHandler(PHANDLER_ROUTINE handler, BOOL add);

/* Sends this process the signal of CTRL_C_EVENT or CTRL_BREAK_EVENT. The group is 0. */
BOOL GenerateConsoleCtrlEvent(DWORD event, DWORD group);

/* Output is UTF-8 always: TRUE for CP_UTF8, CP_ACP and CP_OEMCP. */
BOOL SetConsoleOutputCP(UINT page);

/* As SetConsoleOutputCP. */
BOOL SetConsoleCP(UINT page);

/* CP_UTF8. */
UINT GetConsoleOutputCP(void);

COMPAT_END

#endif
