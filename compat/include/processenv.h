/* The environment variables, the command line and the current folder. */
#ifndef COMPAT_PROCESSENV_H
#define COMPAT_PROCESSENV_H

#include "windef.h"

COMPAT_BEGIN

/*
 * Copies the value of an environment variable to `buffer` and returns the length without the
 * terminating zero. If the buffer is too small, returns the size needed, including the terminating
 * zero. Returns 0 with ERROR_ENVVAR_NOT_FOUND if the variable is not set.
 */
DWORD GetEnvironmentVariableA(LPCSTR name, LPSTR buffer, DWORD size);

/*
 * GetEnvironmentVariableA for wide text: copies the value of an environment variable to `buffer`.
 * Returns the length of the value, or the size needed.
 */
DWORD GetEnvironmentVariableW(LPCWSTR name, LPWSTR buffer, DWORD size);

/* Sets an environment variable, or removes it if `value` is NULL. */
BOOL SetEnvironmentVariableA(LPCSTR name, LPCSTR value);

/*
 * SetEnvironmentVariableA for wide text: sets an environment variable, or removes it if `value` is
 * NULL.
 */
BOOL SetEnvironmentVariableW(LPCWSTR name, LPCWSTR value);

/*
 * Copies a text and replaces each %NAME% by the value of that environment variable. The %NAME% of a
 * variable that is not set stays unchanged. Returns the length of the whole result with the
 * terminating zero, even if the buffer is too small.
 */
DWORD ExpandEnvironmentStringsA(LPCSTR from, LPSTR to, DWORD size);

/*
 * ExpandEnvironmentStringsA for wide text: copies a text and replaces each %NAME% by the value of
 * that environment variable.
 */
DWORD ExpandEnvironmentStringsW(LPCWSTR from, LPWSTR to, DWORD size);

/*
 * Returns the program's name and arguments as one text. Parts that contain spaces are in quotes.
 * The text is valid until the program ends.
 */
LPSTR GetCommandLineA(void);

/*
 * GetCommandLineA for wide text: returns the program's name and arguments as one text, which is
 * valid until the program ends.
 */
LPWSTR GetCommandLineW(void);

/*
 * Copies the path of the current folder to `buffer` and returns the length without the terminating
 * zero. If the buffer is too small, returns the size needed, including the terminating zero.
 */
DWORD GetCurrentDirectoryA(DWORD size, LPSTR buffer);

/*
 * GetCurrentDirectoryA for wide text: copies the path of the current folder to `buffer`. Returns
 * the length of the path, or the size needed.
 */
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
