/* Speaking to a debugger. */
#ifndef COMPAT_DEBUGAPI_H
#define COMPAT_DEBUGAPI_H

#include "windef.h"

COMPAT_BEGIN

/* To the standard error, whether or not a debugger looks. */
void OutputDebugStringA(LPCSTR text);

/* As OutputDebugStringA. */
void OutputDebugStringW(LPCWSTR text);

/* SIGTRAP: without a debugger it ends the program. */
void DebugBreak(void);

/* Whether somebody traces this process. */
BOOL IsDebuggerPresent(void);

COMPAT_END

#ifdef UNICODE
#define OutputDebugString OutputDebugStringW
#else
#define OutputDebugString OutputDebugStringA
#endif

#endif
