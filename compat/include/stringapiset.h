/* From one alphabet into the other, and the string functions that carry an `l`. */
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
 * Every code page is UTF-8: CP_UTF8, CP_ACP, CP_OEMCP; others are ERROR_INVALID_PARAMETER. A wide
 * character is one code point, there are no surrogates. Length -1: up to and with the zero. Room 0
 * asks for the length. 0: ERROR_INSUFFICIENT_BUFFER, ERROR_NO_UNICODE_TRANSLATION (only if asked
 * for), ERROR_INVALID_FLAGS.
 */
int MultiByteToWideChar(UINT page, DWORD flags, LPCSTR from, int bytes, LPWSTR to, int room);

/* `replacement` and `replaced` with other pages than CP_UTF8 only, as on Windows. */
int WideCharToMultiByte(UINT page, DWORD flags, LPCWSTR from, int length, LPSTR to, int room, LPCSTR replacement, BOOL *replaced);

/* CP_UTF8. */
UINT GetACP(void);

/* 0 for NULL. */
int lstrlenA(LPCSTR text);

/* As lstrlenA. */
int lstrlenW(LPCWSTR text);

/* By bytes, unlike on Windows; NULL is an empty text. */
int lstrcmpA(LPCSTR a, LPCSTR b);

/* As lstrcmpA, by characters. */
int lstrcmpW(LPCWSTR a, LPCWSTR b);

/* As lstrcmpA, without case. */
int lstrcmpiA(LPCSTR a, LPCSTR b);

/* As lstrcmpW, without case. */
int lstrcmpiW(LPCWSTR a, LPCWSTR b);

/* NULL: one of them is. */
LPSTR lstrcpyA(LPSTR to, LPCSTR from);

/* As lstrcpyA. */
LPWSTR lstrcpyW(LPWSTR to, LPCWSTR from);

/* As lstrcpyA. */
LPSTR lstrcatA(LPSTR to, LPCSTR from);

/* As lstrcpyA. */
LPWSTR lstrcatW(LPWSTR to, LPCWSTR from);

/* As much as fits, ended with a zero. */
LPSTR lstrcpynA(LPSTR to, LPCSTR from, int room);

/* As lstrcpynA. */
LPWSTR lstrcpynW(LPWSTR to, LPCWSTR from, int room);

/* At most 1024 characters, zero included; the length. */
int wsprintfA(LPSTR to, LPCSTR format, ...);

/* As wsprintfA. */
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
