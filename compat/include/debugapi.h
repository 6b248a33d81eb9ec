/* Debugging: writes text to standard error, raises SIGTRAP, and detects an attached debugger. */
#ifndef COMPAT_DEBUGAPI_H
#define COMPAT_DEBUGAPI_H

#include "windef.h"

COMPAT_BEGIN

/* Writes the text to standard error, with or without a debugger. */
void OutputDebugStringA(LPCSTR text);

/* Same as OutputDebugStringA. */
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
