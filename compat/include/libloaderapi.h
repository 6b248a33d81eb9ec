/*
 * Libraries, by dlopen. A name without a slash is looked for as dlopen does. The names of Windows'
 * own libraries (kernel32.dll, ntdll, ws2_32.dll ...) mean libsoftrnic-compat, so that asking them for
 * a function works.
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

/* NULL, ERROR_MOD_NOT_FOUND. */
HMODULE LoadLibraryA(LPCSTR name);

/* As LoadLibraryA. */
HMODULE LoadLibraryW(LPCWSTR name);

/* Flags that choose where to look are ignored. */
HMODULE LoadLibraryExA(LPCSTR name, HANDLE file, DWORD flags);

/* As LoadLibraryExA. */
HMODULE LoadLibraryExW(LPCWSTR name, HANDLE file, DWORD flags);

/* FALSE, ERROR_INVALID_HANDLE. */
BOOL FreeLibrary(HMODULE module);

/* NULL, ERROR_PROC_NOT_FOUND. By name only, there are no numbers. */
FARPROC GetProcAddress(HMODULE module, LPCSTR name);

/* Of a library that is loaded; NULL: the program. Not to be freed. */
HMODULE GetModuleHandleA(LPCSTR name);

/* As GetModuleHandleA. */
HMODULE GetModuleHandleW(LPCWSTR name);

/* The length; when the buffer is too small its size, with ERROR_INSUFFICIENT_BUFFER, and what fits. */
DWORD GetModuleFileNameA(HMODULE module, LPSTR buffer, DWORD size);

/* As GetModuleFileNameA. */
DWORD GetModuleFileNameW(HMODULE module, LPWSTR buffer, DWORD size);

/* Nothing to do. FALSE, ERROR_INVALID_HANDLE. */
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
