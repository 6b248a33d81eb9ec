/* The environment and the command line. */
#ifndef COMPAT_PROCESSENV_H
#define COMPAT_PROCESSENV_H

#include "windef.h"

COMPAT_BEGIN

/* The length without the zero; when the buffer is too small, what is needed with it. 0, ERROR_ENVVAR_NOT_FOUND. */
DWORD GetEnvironmentVariableA(LPCSTR name, LPSTR buffer, DWORD size);

/* As GetEnvironmentVariableA. */
DWORD GetEnvironmentVariableW(LPCWSTR name, LPWSTR buffer, DWORD size);

/* No value takes the variable away. */
BOOL SetEnvironmentVariableA(LPCSTR name, LPCSTR value);

/* As SetEnvironmentVariableA. */
BOOL SetEnvironmentVariableW(LPCWSTR name, LPCWSTR value);

/* Puts values in the place of %NAME%; an unknown name stays. The length with the zero, also when it did not fit. */
DWORD ExpandEnvironmentStringsA(LPCSTR from, LPSTR to, DWORD size);

/* As ExpandEnvironmentStringsA. */
DWORD ExpandEnvironmentStringsW(LPCWSTR from, LPWSTR to, DWORD size);

/* The arguments, quoted where they have spaces. Stays for the life of the program. */
LPSTR GetCommandLineA(void);

/* As GetCommandLineA. */
LPWSTR GetCommandLineW(void);

/* The length without the zero; when the buffer is too small, what is needed with it. */
DWORD GetCurrentDirectoryA(DWORD size, LPSTR buffer);

/* As GetCurrentDirectoryA. */
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
