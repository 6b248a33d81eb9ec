/*
 * Conversion between narrow and wide text, and the functions of Windows whose names begin with
 * lstr.
 */
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
 * Converts UTF-8 to wide text and returns the number of wide characters. A wide character is one
 * code point; there are no surrogates. If `bytes` is -1, converts and counts the terminating zero
 * too. If `room` is 0, only counts the characters. CP_UTF8, CP_ACP, CP_OEMCP and CP_THREAD_ACP mean
 * UTF-8.
 *
 * On failure returns 0 with one of these last errors:
 * - ERROR_INSUFFICIENT_BUFFER
 * - ERROR_INVALID_PARAMETER, also for other code pages
 * - ERROR_INVALID_FLAGS
 * - ERROR_NO_UNICODE_TRANSLATION for invalid UTF-8 if `flags` contains MB_ERR_INVALID_CHARS
 */
int MultiByteToWideChar(UINT page, DWORD flags, LPCSTR from, int bytes, LPWSTR to, int room);

/*
 * Converts wide text to UTF-8 and returns the number of bytes. If `length` is -1, converts and
 * counts the terminating zero too. If `room` is 0, only counts the bytes and stores nothing. Fails
 * as MultiByteToWideChar does; the flag for invalid characters is WC_ERR_INVALID_CHARS. As on
 * Windows, `replacement` and `replaced` must be NULL if `page` is CP_UTF8.
 */
int WideCharToMultiByte(UINT page, DWORD flags, LPCWSTR from, int length, LPSTR to, int room,
			LPCSTR replacement, BOOL *replaced);

/* Returns CP_UTF8, the only code page here. */
UINT GetACP(void);

/* Returns the length of a text in bytes; 0 for NULL. */
int lstrlenA(LPCSTR text);

/* Returns the length of a wide text in characters; 0 for NULL. */
int lstrlenW(LPCWSTR text);

/*
 * Compares two texts byte by byte; Windows uses the order of the user's language. NULL counts as an
 * empty text.
 */
int lstrcmpA(LPCSTR a, LPCSTR b);

/*
 * Compares two wide texts character by character; Windows uses the order of the user's language.
 * NULL counts as an empty text.
 */
int lstrcmpW(LPCWSTR a, LPCWSTR b);

/*
 * Compares two texts byte by byte, without regard to the case of ASCII letters. NULL counts as an
 * empty text.
 */
int lstrcmpiA(LPCSTR a, LPCSTR b);

/*
 * Compares two wide texts character by character, without regard to case. NULL counts as an empty
 * text.
 */
int lstrcmpiW(LPCWSTR a, LPCWSTR b);

/* Copies a text and returns `to`; returns NULL if an argument is NULL. */
LPSTR lstrcpyA(LPSTR to, LPCSTR from);

/* Copies a wide text and returns `to`; returns NULL if an argument is NULL. */
LPWSTR lstrcpyW(LPWSTR to, LPCWSTR from);

/* Appends a text and returns `to`; returns NULL if an argument is NULL. */
LPSTR lstrcatA(LPSTR to, LPCSTR from);

/* Appends a wide text and returns `to`; returns NULL if an argument is NULL. */
LPWSTR lstrcatW(LPWSTR to, LPCWSTR from);

/* Copies a text into a buffer of `room` bytes, cut to what fits, always with a terminating zero. */
LPSTR lstrcpynA(LPSTR to, LPCSTR from, int room);

/*
 * Copies a wide text into a buffer of `room` characters, cut to what fits, always with a
 * terminating zero.
 */
LPWSTR lstrcpynW(LPWSTR to, LPCWSTR from, int room);

/*
 * Writes formatted text to memory and returns the length of the text. The text is cut to 1024
 * bytes, including the terminating zero.
 */
int wsprintfA(LPSTR to, LPCSTR format, ...);

/*
 * Writes formatted wide text to memory and returns the length of the text. The text is cut to 1024
 * characters, including the terminating zero.
 */
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
