/* The console: handlers for Ctrl-C and for the end of the program, and code pages. */
#ifndef COMPAT_CONSOLEAPI_H
#define COMPAT_CONSOLEAPI_H

#include "windef.h"

#define CTRL_C_EVENT	    0 /* SIGINT */
#define CTRL_BREAK_EVENT    1 /* SIGQUIT */
#define CTRL_CLOSE_EVENT    2 /* SIGTERM, SIGHUP */
#define CTRL_LOGOFF_EVENT   5 /* never sent */
#define CTRL_SHUTDOWN_EVENT 6 /* never sent */

typedef BOOL (*PHANDLER_ROUTINE)(DWORD event);

COMPAT_BEGIN

/*
 * Handlers run on a thread of the library, the one added last first, until one returns TRUE; if
 * none does, the signal has its default action. A handler of NULL makes the process ignore SIGINT
 * (TRUE) or stop ignoring it (FALSE). Removing a handler that was not added fails with
 * ERROR_INVALID_PARAMETER.
 */
BOOL SetConsoleCtrlHandler(PHANDLER_ROUTINE handler, BOOL add);

/* Sends this process the signal of CTRL_C_EVENT or CTRL_BREAK_EVENT. The group must be 0. */
BOOL GenerateConsoleCtrlEvent(DWORD event, DWORD group);

/* Output is always UTF-8; returns TRUE for CP_UTF8, CP_ACP and CP_OEMCP. */
BOOL SetConsoleOutputCP(UINT page);

/* Same as SetConsoleOutputCP. */
BOOL SetConsoleCP(UINT page);

/* Returns CP_UTF8. */
UINT GetConsoleOutputCP(void);

COMPAT_END

#endif
