/*
 * Loading of libraries at run time. If a library name has no slash, dlopen() searches for the
 * library. For the names of Windows' own libraries (kernel32.dll, ntdll, ws2_32.dll and so on) a
 * program gets the handle of libsoftrnic-compat.
 */
#ifndef COMPAT_LIBLOADERAPI_H
#define COMPAT_LIBLOADERAPI_H

#include "windef.h"

#define LOAD_LIBRARY_AS_DATAFILE	    0x00000002 /* LoadLibraryEx refuses this flag */
#define LOAD_WITH_ALTERED_SEARCH_PATH	    0x00000008
#define LOAD_LIBRARY_SEARCH_APPLICATION_DIR 0x00000200
#define LOAD_LIBRARY_SEARCH_SYSTEM32	    0x00000800
#define LOAD_LIBRARY_SEARCH_DEFAULT_DIRS    0x00001000

COMPAT_BEGIN

/* Loads a library and returns its handle. Fails with ERROR_MOD_NOT_FOUND if dlopen() fails. */
HMODULE LoadLibraryA(LPCSTR name);

/*
 * LoadLibraryA for a wide name: loads a library. Fails with ERROR_MOD_NOT_FOUND if dlopen() fails.
 */
HMODULE LoadLibraryW(LPCWSTR name);

/*
 * LoadLibraryA with flags: loads a library. LOAD_LIBRARY_AS_DATAFILE is refused; flags that choose
 * the folders to search are ignored.
 */
HMODULE LoadLibraryExA(LPCSTR name, HANDLE file, DWORD flags);

/*
 * LoadLibraryExA for a wide name: loads a library. LOAD_LIBRARY_AS_DATAFILE is refused; flags that
 * choose the folders to search are ignored.
 */
HMODULE LoadLibraryExW(LPCWSTR name, HANDLE file, DWORD flags);

/*
 * Drops one reference to a loaded library. Fails with ERROR_INVALID_HANDLE if `module` is not a
 * loaded library.
 */
BOOL FreeLibrary(HMODULE module);

/*
 * Returns the address of the function `name`; ordinals do not exist here. Fails with
 * ERROR_PROC_NOT_FOUND if the library has no such function. Fails with ERROR_INVALID_HANDLE if
 * `module` is not a loaded library.
 */
FARPROC GetProcAddress(HMODULE module, LPCSTR name);

/*
 * Returns the handle of a loaded library, or of the program if `name` is NULL. The call takes no
 * reference to the library, so the caller must not pass the handle to FreeLibrary.
 */
HMODULE GetModuleHandleA(LPCSTR name);

/*
 * GetModuleHandleA for a wide name: returns the handle of a library that is already loaded, or of
 * the program if `name` is NULL.
 */
HMODULE GetModuleHandleW(LPCWSTR name);

/*
 * Stores the path of a library's file and returns the length of the path. If `module` is NULL,
 * stores the path of the program. If the buffer is too small, stores as much of the path as fits,
 * sets ERROR_INSUFFICIENT_BUFFER and returns `size`.
 */
DWORD GetModuleFileNameA(HMODULE module, LPSTR buffer, DWORD size);

/*
 * GetModuleFileNameA for wide text: stores the path of a library's file, or of the program if
 * `module` is NULL.
 */
DWORD GetModuleFileNameW(HMODULE module, LPWSTR buffer, DWORD size);

/*
 * Has no effect, because libraries are not called when threads start or end. Fails with
 * ERROR_INVALID_HANDLE if `module` is not a loaded library.
 */
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
