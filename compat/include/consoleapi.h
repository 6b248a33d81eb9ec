/* The console: handlers for Ctrl-C and for the end of the program, and code pages. */
#ifndef COMPAT_CONSOLEAPI_H
#define COMPAT_CONSOLEAPI_H

#include "windef.h"

#define CTRL_C_EVENT	    0 /* passed to handlers on SIGINT */
#define CTRL_BREAK_EVENT    1 /* passed to handlers on SIGQUIT */
#define CTRL_CLOSE_EVENT    2 /* passed to handlers on SIGTERM and SIGHUP */
#define CTRL_LOGOFF_EVENT   5 /* handlers never receive this event: Linux has no such event */
#define CTRL_SHUTDOWN_EVENT 6 /* handlers never receive this event: Linux has no such event */

typedef BOOL (*PHANDLER_ROUTINE)(DWORD event);

COMPAT_BEGIN

/*
 * Adds (`add` TRUE) or removes a handler for console events.
 *
 * A thread of this library calls the handlers until one handler returns TRUE; the handler added
 * last is called first. If no handler returns TRUE, the signal has its default action.
 *
 * If `handler` is NULL, `add` says whether the process ignores SIGINT.
 *
 * Removing a handler that was not added fails with ERROR_INVALID_PARAMETER.
 */
BOOL SetConsoleCtrlHandler(PHANDLER_ROUTINE handler, BOOL add);

/*
 * Sends a signal to this process: SIGINT for CTRL_C_EVENT, SIGQUIT for CTRL_BREAK_EVENT. Fails with
 * ERROR_INVALID_PARAMETER for other events, or if `group` is not 0.
 */
BOOL GenerateConsoleCtrlEvent(DWORD event, DWORD group);

/*
 * Changes nothing, because output is always UTF-8. Returns TRUE for CP_UTF8, CP_ACP and CP_OEMCP;
 * fails with ERROR_INVALID_PARAMETER for other code pages.
 */
BOOL SetConsoleOutputCP(UINT page);

/*
 * Changes nothing, because input is always UTF-8. Returns TRUE for CP_UTF8, CP_ACP and CP_OEMCP;
 * fails with ERROR_INVALID_PARAMETER for other code pages.
 */
BOOL SetConsoleCP(UINT page);

/* Returns CP_UTF8, the only code page here. */
UINT GetConsoleOutputCP(void);

COMPAT_END

#endif
