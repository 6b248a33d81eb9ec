/*
 * Libraries that a program loads. dlopen() searches for a name without a slash. The names of
 * Windows' own libraries (kernel32.dll, ntdll, ws2_32.dll and so on) stand for libsoftrnic-compat,
 * so that a program finds functions of Windows in them.
 */
#ifndef COMPAT_LIBLOADERAPI_H
#define COMPAT_LIBLOADERAPI_H

#include "windef.h"

#define LOAD_LIBRARY_AS_DATAFILE	    0x00000002 /* refused */
#define LOAD_WITH_ALTERED_SEARCH_PATH	    0x00000008
#define LOAD_LIBRARY_SEARCH_APPLICATION_DIR 0x00000200
#define LOAD_LIBRARY_SEARCH_SYSTEM32	    0x00000800
#define LOAD_LIBRARY_SEARCH_DEFAULT_DIRS    0x00001000

COMPAT_BEGIN

/* Fails with ERROR_MOD_NOT_FOUND. */
HMODULE LoadLibraryA(LPCSTR name);

/* Same as LoadLibraryA. */
HMODULE LoadLibraryW(LPCWSTR name);

/* Flags that choose the folders to search are ignored. */
HMODULE LoadLibraryExA(LPCSTR name, HANDLE file, DWORD flags);

/* Same as LoadLibraryExA. */
HMODULE LoadLibraryExW(LPCWSTR name, HANDLE file, DWORD flags);

/* Fails with ERROR_INVALID_HANDLE. */
BOOL FreeLibrary(HMODULE module);

/* Fails with ERROR_PROC_NOT_FOUND. Functions have names only; there are no ordinals. */
FARPROC GetProcAddress(HMODULE module, LPCSTR name);

/* Finds a library that is loaded; NULL means the program. The caller must not free the handle. */
HMODULE GetModuleHandleA(LPCSTR name);

/* Same as GetModuleHandleA. */
HMODULE GetModuleHandleW(LPCWSTR name);

/*
 * Returns the length. If the buffer is too small, stores what fits, sets ERROR_INSUFFICIENT_BUFFER
 * and returns `size`.
 */
DWORD GetModuleFileNameA(HMODULE module, LPSTR buffer, DWORD size);

/* Same as GetModuleFileNameA. */
DWORD GetModuleFileNameW(HMODULE module, LPWSTR buffer, DWORD size);

/* Has no effect. Fails with ERROR_INVALID_HANDLE. */
BOOL DisableThreadLibraryCalls(HMODULE module);

COMPAT_END

#ifdef UNICODE
#define LoadLibrary	  LoadLibraryW
#define LoadLibraryEx	  LoadLibraryExW
#define GetModuleHandle	  GetModuleHandleW
#define GetModuleFileName GetModuleFileNameW
#else
#define LoadLibrary	  LoadLibraryA
#define LoadLibraryEx	  LoadLibraryExA
#define GetModuleHandle	  GetModuleHandleA
#define GetModuleFileName GetModuleFileNameA
#endif

#endif
