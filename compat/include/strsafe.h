/*
 * Strings with a limit, and an HRESULT as the result: S_OK; STRSAFE_E_INSUFFICIENT_BUFFER if the
 * text was cut to what fits, with a zero at its end; STRSAFE_E_INVALID_PARAMETER if there is no
 * buffer, or if the text in it has no end. Cch functions count characters, Cb functions bytes (a
 * wide character has four). The ...Ex functions are absent.
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

/* Copies what fits, always with a zero at the end. */
HRESULT StringCchCopyA(LPSTR to, size_t room, LPCSTR from);

/* Same as StringCchCopyA. */
HRESULT StringCchCopyW(LPWSTR to, size_t room, LPCWSTR from);

/* Same as StringCchCopyA, counted in bytes. */
HRESULT StringCbCopyA(LPSTR to, size_t bytes, LPCSTR from);

/* Same as StringCchCopyA, counted in bytes. */
HRESULT StringCbCopyW(LPWSTR to, size_t bytes, LPCWSTR from);

/* Copies at most `count` characters of `from`. */
HRESULT StringCchCopyNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/* Same as StringCchCopyNA. */
HRESULT StringCchCopyNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/* Same as StringCchCopyNA, counted in bytes. */
HRESULT StringCbCopyNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/* Same as StringCchCopyNA, counted in bytes. */
HRESULT StringCbCopyNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/* Appends to the text in the buffer. */
HRESULT StringCchCatA(LPSTR to, size_t room, LPCSTR from);

/* Same as StringCchCatA. */
HRESULT StringCchCatW(LPWSTR to, size_t room, LPCWSTR from);

/* Same as StringCchCatA, counted in bytes. */
HRESULT StringCbCatA(LPSTR to, size_t bytes, LPCSTR from);

/* Same as StringCchCatA, counted in bytes. */
HRESULT StringCbCatW(LPWSTR to, size_t bytes, LPCWSTR from);

/* Appends at most `count` characters of `from`. */
HRESULT StringCchCatNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/* Same as StringCchCatNA. */
HRESULT StringCchCatNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/* Same as StringCchCatNA, counted in bytes. */
HRESULT StringCbCatNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/* Same as StringCchCatNA, counted in bytes. */
HRESULT StringCbCatNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/* Reads the format as printf() of this library does. */
HRESULT StringCchPrintfA(LPSTR to, size_t room, LPCSTR format, ...);

/* Same as StringCchPrintfA. */
HRESULT StringCchPrintfW(LPWSTR to, size_t room, LPCWSTR format, ...);

/* Same as StringCchPrintfA, counted in bytes. */
HRESULT StringCbPrintfA(LPSTR to, size_t bytes, LPCSTR format, ...);

/* Same as StringCchPrintfA, counted in bytes. */
HRESULT StringCbPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, ...);

/* Same as StringCchPrintfA, with a va_list. */
HRESULT StringCchVPrintfA(LPSTR to, size_t room, LPCSTR format, va_list arguments);

/* Same as StringCchVPrintfA. */
HRESULT StringCchVPrintfW(LPWSTR to, size_t room, LPCWSTR format, va_list arguments);

/* Same as StringCchVPrintfA, counted in bytes. */
HRESULT StringCbVPrintfA(LPSTR to, size_t bytes, LPCSTR format, va_list arguments);

/* Same as StringCchVPrintfA, counted in bytes. */
HRESULT StringCbVPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, va_list arguments);

/*
 * Fails with STRSAFE_E_INVALID_PARAMETER and *length 0 if there is no text or no zero within `most`
 * characters.
 */
HRESULT StringCchLengthA(LPCSTR text, size_t most, size_t *length);

/* Same as StringCchLengthA. */
HRESULT StringCchLengthW(LPCWSTR text, size_t most, size_t *length);

/* Same as StringCchLengthA, counted in bytes. */
HRESULT StringCbLengthA(LPCSTR text, size_t mostBytes, size_t *lengthBytes);

/* Same as StringCchLengthA, counted in bytes. */
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
