/*
 * Functions that copy, append and format text within a limit. Functions with Cch in their names
 * count characters; functions with Cb count bytes. A wide character has four bytes.
 *
 * The result is an HRESULT:
 * - S_OK: success.
 * - STRSAFE_E_INSUFFICIENT_BUFFER: the text was cut to the size of the buffer and ends with a zero.
 * - STRSAFE_E_INVALID_PARAMETER: the buffer is NULL, has a wrong size, or contains a text without a
 *   terminating zero.
 * The functions of Windows whose names end with Ex are absent.
 */
#ifndef COMPAT_STRSAFE_H
#define COMPAT_STRSAFE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "windef.h"
#include "winerror.h"

#define STRSAFE_MAX_CCH		      2147483647
#define STRSAFE_E_INSUFFICIENT_BUFFER ((HRESULT)0x8007007A)
#define STRSAFE_E_INVALID_PARAMETER   ((HRESULT)0x80070057)

COMPAT_BEGIN

/*
 * Copies a text into a buffer of `room` characters, cut to what fits, always with a terminating
 * zero.
 */
HRESULT StringCchCopyA(LPSTR to, size_t room, LPCSTR from);

/*
 * Copies a wide text into a buffer of `room` characters, cut to what fits, always with a
 * terminating zero.
 */
HRESULT StringCchCopyW(LPWSTR to, size_t room, LPCWSTR from);

/*
 * Copies a text into a buffer of `bytes` bytes, cut to what fits, always with a terminating zero.
 */
HRESULT StringCbCopyA(LPSTR to, size_t bytes, LPCSTR from);

/*
 * Copies a wide text into a buffer of `bytes` bytes, cut to what fits, always with a terminating
 * zero.
 */
HRESULT StringCbCopyW(LPWSTR to, size_t bytes, LPCWSTR from);

/* Copies at most `count` characters of a text into a buffer of `room` characters. */
HRESULT StringCchCopyNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/* Copies at most `count` characters of a wide text into a buffer of `room` characters. */
HRESULT StringCchCopyNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/* Copies at most `countBytes` bytes of a text into a buffer of `bytes` bytes. */
HRESULT StringCbCopyNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/* Copies at most `countBytes` bytes of a wide text into a buffer of `bytes` bytes. */
HRESULT StringCbCopyNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/* Appends the text `from` to the text in `to`. The buffer `to` has `room` characters. */
HRESULT StringCchCatA(LPSTR to, size_t room, LPCSTR from);

/* Appends the wide text `from` to the text in `to`. The buffer `to` has `room` characters. */
HRESULT StringCchCatW(LPWSTR to, size_t room, LPCWSTR from);

/* Appends the text `from` to the text in `to`. The buffer `to` has `bytes` bytes. */
HRESULT StringCbCatA(LPSTR to, size_t bytes, LPCSTR from);

/* Appends the wide text `from` to the text in `to`. The buffer `to` has `bytes` bytes. */
HRESULT StringCbCatW(LPWSTR to, size_t bytes, LPCWSTR from);

/*
 * Appends at most `count` characters of `from` to the text in `to`. The buffer `to` has `room`
 * characters.
 */
HRESULT StringCchCatNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/*
 * Appends at most `count` characters of the wide text `from` to the text in `to`. The buffer `to`
 * has `room` characters.
 */
HRESULT StringCchCatNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/*
 * Appends at most `countBytes` bytes of `from` to the text in `to`. The buffer `to` has `bytes`
 * bytes.
 */
HRESULT StringCbCatNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/*
 * Appends at most `countBytes` bytes of the wide text `from` to the text in `to`. The buffer `to`
 * has `bytes` bytes.
 */
HRESULT StringCbCatNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/*
 * Writes formatted text to a buffer of `room` characters. The format is that of this library's
 * printf().
 */
HRESULT StringCchPrintfA(LPSTR to, size_t room, LPCSTR format, ...);

/*
 * Writes formatted wide text to a buffer of `room` characters. The format is that of this library's
 * wprintf().
 */
HRESULT StringCchPrintfW(LPWSTR to, size_t room, LPCWSTR format, ...);

/*
 * Writes formatted text to a buffer of `bytes` bytes. The format is that of this library's
 * printf().
 */
HRESULT StringCbPrintfA(LPSTR to, size_t bytes, LPCSTR format, ...);

/*
 * Writes formatted wide text to a buffer of `bytes` bytes. The format is that of this library's
 * wprintf().
 */
HRESULT StringCbPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, ...);

/* StringCchPrintfA with a va_list: writes formatted text to a buffer of `room` characters. */
HRESULT StringCchVPrintfA(LPSTR to, size_t room, LPCSTR format, va_list arguments);

/* StringCchPrintfW with a va_list: writes formatted wide text to a buffer of `room` characters. */
HRESULT StringCchVPrintfW(LPWSTR to, size_t room, LPCWSTR format, va_list arguments);

/* StringCbPrintfA with a va_list: writes formatted text to a buffer of `bytes` bytes. */
HRESULT StringCbVPrintfA(LPSTR to, size_t bytes, LPCSTR format, va_list arguments);

/* StringCbPrintfW with a va_list: writes formatted wide text to a buffer of `bytes` bytes. */
HRESULT StringCbVPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, va_list arguments);

/*
 * Stores the length of a text in characters in *length. If `text` is NULL or has no terminating
 * zero within `most` characters, fails with STRSAFE_E_INVALID_PARAMETER and stores 0.
 */
HRESULT StringCchLengthA(LPCSTR text, size_t most, size_t *length);

/*
 * Stores the length of a wide text in characters in *length. If `text` is NULL or has no
 * terminating zero within `most` characters, fails with STRSAFE_E_INVALID_PARAMETER and stores 0.
 */
HRESULT StringCchLengthW(LPCWSTR text, size_t most, size_t *length);

/*
 * Stores the length of a text in bytes in *lengthBytes. If `text` is NULL or has no terminating
 * zero within `mostBytes` bytes, fails with STRSAFE_E_INVALID_PARAMETER and stores 0.
 */
HRESULT StringCbLengthA(LPCSTR text, size_t mostBytes, size_t *lengthBytes);

/*
 * Stores the length of a wide text in bytes in *lengthBytes. If `text` is NULL or has no
 * terminating zero within `mostBytes` bytes, fails with STRSAFE_E_INVALID_PARAMETER and stores 0.
 */
HRESULT StringCbLengthW(LPCWSTR text, size_t mostBytes, size_t *lengthBytes);

COMPAT_END

#ifdef UNICODE
#define StringCchCopy	 StringCchCopyW
#define StringCbCopy	 StringCbCopyW
#define StringCchCopyN	 StringCchCopyNW
#define StringCbCopyN	 StringCbCopyNW
#define StringCchCat	 StringCchCatW
#define StringCbCat	 StringCbCatW
#define StringCchCatN	 StringCchCatNW
#define StringCbCatN	 StringCbCatNW
#define StringCchPrintf	 StringCchPrintfW
#define StringCbPrintf	 StringCbPrintfW
#define StringCchVPrintf StringCchVPrintfW
#define StringCbVPrintf	 StringCbVPrintfW
#define StringCchLength	 StringCchLengthW
#define StringCbLength	 StringCbLengthW
#else
#define StringCchCopy	 StringCchCopyA
#define StringCbCopy	 StringCbCopyA
#define StringCchCopyN	 StringCchCopyNA
#define StringCbCopyN	 StringCbCopyNA
#define StringCchCat	 StringCchCatA
#define StringCbCat	 StringCbCatA
#define StringCchCatN	 StringCchCatNA
#define StringCbCatN	 StringCbCatNA
#define StringCchPrintf	 StringCchPrintfA
#define StringCbPrintf	 StringCbPrintfA
#define StringCchVPrintf StringCchVPrintfA
#define StringCbVPrintf	 StringCbVPrintfA
#define StringCchLength	 StringCchLengthA
#define StringCbLength	 StringCbLengthA
#endif

#endif
