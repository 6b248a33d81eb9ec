/* The environment and the command line. */
#ifndef COMPAT_PROCESSENV_H
#define COMPAT_PROCESSENV_H

#include "windef.h"

COMPAT_BEGIN

/*
 * Returns the length without the zero; if the buffer is too small, the size needed with the zero.
 * Returns 0 with ERROR_ENVVAR_NOT_FOUND if there is no such variable.
 */
DWORD GetEnvironmentVariableA(LPCSTR name, LPSTR buffer, DWORD size);

/* Same as GetEnvironmentVariableA. */
DWORD GetEnvironmentVariableW(LPCWSTR name, LPWSTR buffer, DWORD size);

/* A value of NULL removes the variable. */
BOOL SetEnvironmentVariableA(LPCSTR name, LPCSTR value);

/* Same as SetEnvironmentVariableA. */
BOOL SetEnvironmentVariableW(LPCWSTR name, LPCWSTR value);

/*
 * Replaces each %NAME%; unknown names stay. Returns the length with the zero, even if the text did
 * not fit.
 */
DWORD ExpandEnvironmentStringsA(LPCSTR from, LPSTR to, DWORD size);

/* Same as ExpandEnvironmentStringsA. */
DWORD ExpandEnvironmentStringsW(LPCWSTR from, LPWSTR to, DWORD size);

/*
 * Returns the arguments, quoted where they contain spaces. The text is valid until the program
 * ends.
 */
LPSTR GetCommandLineA(void);

/* Same as GetCommandLineA. */
LPWSTR GetCommandLineW(void);

/*
 * Returns the length without the zero; if the buffer is too small, the size needed with the zero.
 */
DWORD GetCurrentDirectoryA(DWORD size, LPSTR buffer);

/* Same as GetCurrentDirectoryA. */
DWORD GetCurrentDirectoryW(DWORD size, LPWSTR buffer);

COMPAT_END

#ifdef UNICODE
#define GetEnvironmentVariable	 GetEnvironmentVariableW
#define SetEnvironmentVariable	 SetEnvironmentVariableW
#define ExpandEnvironmentStrings ExpandEnvironmentStringsW
#define GetCommandLine		 GetCommandLineW
#define GetCurrentDirectory	 GetCurrentDirectoryW
#else
#define GetEnvironmentVariable	 GetEnvironmentVariableA
#define SetEnvironmentVariable	 SetEnvironmentVariableA
#define ExpandEnvironmentStrings ExpandEnvironmentStringsA
#define GetCommandLine		 GetCommandLineA
#define GetCurrentDirectory	 GetCurrentDirectoryA
#endif

#endif
