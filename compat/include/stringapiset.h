/* Conversion between narrow and wide text, and the lstr... functions. */
#ifndef COMPAT_STRINGAPISET_H
#define COMPAT_STRINGAPISET_H

#include "windef.h"

#define CP_ACP	      0
#define CP_OEMCP      1
#define CP_THREAD_ACP 3
#define CP_UTF8	      65001

#define MB_PRECOMPOSED	     0x00000001
#define MB_ERR_INVALID_CHARS 0x00000008
#define WC_ERR_INVALID_CHARS 0x00000080
#define WC_COMPOSITECHECK    0x00000200
#define WC_NO_BEST_FIT_CHARS 0x00000400

COMPAT_BEGIN

/*
 * CP_UTF8, CP_ACP and CP_OEMCP all mean UTF-8; other pages fail with ERROR_INVALID_PARAMETER. A
 * wide character is one code point; there are no surrogates. With a length of -1 the text ends
 * with, and includes, its zero. With a room of 0 returns the length. Returns 0 with
 * ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_FLAGS, or, if the flags ask for it,
 * ERROR_NO_UNICODE_TRANSLATION.
 */
int MultiByteToWideChar(UINT page, DWORD flags, LPCSTR from, int bytes, LPWSTR to, int room);

/* As on Windows, `replacement` and `replaced` must be NULL with CP_UTF8. */
int WideCharToMultiByte(UINT page, DWORD flags, LPCWSTR from, int length, LPSTR to, int room,
			LPCSTR replacement, BOOL *replaced);

/* Returns CP_UTF8. */
UINT GetACP(void);

/* Returns 0 for NULL. */
int lstrlenA(LPCSTR text);

/* Same as lstrlenA. */
int lstrlenW(LPCWSTR text);

/* Unlike Windows, compares bytes. NULL is an empty text. */
int lstrcmpA(LPCSTR a, LPCSTR b);

/* Same as lstrcmpA, but compares characters. */
int lstrcmpW(LPCWSTR a, LPCWSTR b);

/* Same as lstrcmpA, without case. */
int lstrcmpiA(LPCSTR a, LPCSTR b);

/* Same as lstrcmpW, without case. */
int lstrcmpiW(LPCWSTR a, LPCWSTR b);

/* Returns NULL if an argument is NULL. */
LPSTR lstrcpyA(LPSTR to, LPCSTR from);

/* Same as lstrcpyA. */
LPWSTR lstrcpyW(LPWSTR to, LPCWSTR from);

/* Same as lstrcpyA. */
LPSTR lstrcatA(LPSTR to, LPCSTR from);

/* Same as lstrcpyA. */
LPWSTR lstrcatW(LPWSTR to, LPCWSTR from);

/* Copies what fits, always with a zero at the end. */
LPSTR lstrcpynA(LPSTR to, LPCSTR from, int room);

/* Same as lstrcpynA. */
LPWSTR lstrcpynW(LPWSTR to, LPCWSTR from, int room);

/* Writes at most 1024 characters with the zero and returns the length. */
int wsprintfA(LPSTR to, LPCSTR format, ...);

/* Same as wsprintfA. */
int wsprintfW(LPWSTR to, LPCWSTR format, ...);

COMPAT_END

#ifdef UNICODE
#define lstrlen	 lstrlenW
#define lstrcmp	 lstrcmpW
#define lstrcmpi lstrcmpiW
#define lstrcpy	 lstrcpyW
#define lstrcat	 lstrcatW
#define lstrcpyn lstrcpynW
#define wsprintf wsprintfW
#else
#define lstrlen	 lstrlenA
#define lstrcmp	 lstrcmpA
#define lstrcmpi lstrcmpiA
#define lstrcpy	 lstrcpyA
#define lstrcat	 lstrcatA
#define lstrcpyn lstrcpynA
#define wsprintf wsprintfA
#endif

#endif
