/*
 * Functions for debugging: writing text to standard error, raising SIGTRAP, detecting a debugger.
 */
#ifndef COMPAT_DEBUGAPI_H
#define COMPAT_DEBUGAPI_H

#include "windef.h"

COMPAT_BEGIN

/* Writes the text to standard error, whether or not a debugger is attached. */
void OutputDebugStringA(LPCSTR text);

/* OutputDebugStringA for wide text: writes the text to standard error as UTF-8. */
void OutputDebugStringW(LPCWSTR text);

/* Raises SIGTRAP, which ends the program if there is no debugger. */
void DebugBreak(void);

/* Returns whether a debugger or another tracer is attached to this process. */
BOOL IsDebuggerPresent(void);

COMPAT_END

#ifdef UNICODE
#define OutputDebugString OutputDebugStringW
#else
#define OutputDebugString OutputDebugStringA
#endif

#endif
