/*
 * Strings with a limit that say by an HRESULT how it went: S_OK; STRSAFE_E_INSUFFICIENT_BUFFER with
 * as much as fits, ended with a zero; STRSAFE_E_INVALID_PARAMETER for no buffer, or one without end.
 * Cch counts characters, Cb bytes (a wide character has four). There are no ...Ex functions.
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

/* As much as fits, ended with a zero. */
HRESULT StringCchCopyA(LPSTR to, size_t room, LPCSTR from);

/* As StringCchCopyA. */
HRESULT StringCchCopyW(LPWSTR to, size_t room, LPCWSTR from);

/* As StringCchCopyA, counted in bytes. */
HRESULT StringCbCopyA(LPSTR to, size_t bytes, LPCSTR from);

/* As StringCchCopyA, counted in bytes. */
HRESULT StringCbCopyW(LPWSTR to, size_t bytes, LPCWSTR from);

/* At most `count` of the other text. */
HRESULT StringCchCopyNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/* As StringCchCopyNA. */
HRESULT StringCchCopyNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/* As StringCchCopyNA, counted in bytes. */
HRESULT StringCbCopyNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/* As StringCchCopyNA, counted in bytes. */
HRESULT StringCbCopyNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/* Behind the text that is there. */
HRESULT StringCchCatA(LPSTR to, size_t room, LPCSTR from);

/* As StringCchCatA. */
HRESULT StringCchCatW(LPWSTR to, size_t room, LPCWSTR from);

/* As StringCchCatA, counted in bytes. */
HRESULT StringCbCatA(LPSTR to, size_t bytes, LPCSTR from);

/* As StringCchCatA, counted in bytes. */
HRESULT StringCbCatW(LPWSTR to, size_t bytes, LPCWSTR from);

/* As StringCchCatNA. */
HRESULT StringCchCatNA(LPSTR to, size_t room, LPCSTR from, size_t count);

/* As StringCchCatNA. */
HRESULT StringCchCatNW(LPWSTR to, size_t room, LPCWSTR from, size_t count);

/* As StringCchCatNA, counted in bytes. */
HRESULT StringCbCatNA(LPSTR to, size_t bytes, LPCSTR from, size_t countBytes);

/* As StringCchCatNA, counted in bytes. */
HRESULT StringCbCatNW(LPWSTR to, size_t bytes, LPCWSTR from, size_t countBytes);

/* Formats as printf of this library. */
HRESULT StringCchPrintfA(LPSTR to, size_t room, LPCSTR format, ...);

/* As StringCchPrintfA. */
HRESULT StringCchPrintfW(LPWSTR to, size_t room, LPCWSTR format, ...);

/* As StringCchPrintfA, counted in bytes. */
HRESULT StringCbPrintfA(LPSTR to, size_t bytes, LPCSTR format, ...);

/* As StringCchPrintfA, counted in bytes. */
HRESULT StringCbPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, ...);

/* As StringCchVPrintfA. */
HRESULT StringCchVPrintfA(LPSTR to, size_t room, LPCSTR format, va_list arguments);

/* As StringCchVPrintfA. */
HRESULT StringCchVPrintfW(LPWSTR to, size_t room, LPCWSTR format, va_list arguments);

/* As StringCchVPrintfA, counted in bytes. */
HRESULT StringCbVPrintfA(LPSTR to, size_t bytes, LPCSTR format, va_list arguments);

/* As StringCchVPrintfA, counted in bytes. */
HRESULT StringCbVPrintfW(LPWSTR to, size_t bytes, LPCWSTR format, va_list arguments);

/* STRSAFE_E_INVALID_PARAMETER: no zero within `most`, or no text; *length is 0 then. */
HRESULT StringCchLengthA(LPCSTR text, size_t most, size_t *length);

/* As StringCchLengthA. */
HRESULT StringCchLengthW(LPCWSTR text, size_t most, size_t *length);

/* As StringCchLengthA, counted in bytes. */
HRESULT StringCbLengthA(LPCSTR text, size_t mostBytes, size_t *lengthBytes);

/* As StringCchLengthA, counted in bytes. */
HRESULT StringCbLengthW(LPCWSTR text, size_t mostBytes, size_t *lengthBytes);

COMPAT_END

#ifdef UNICODE
#define StringCchCopy StringCchCopyW
#define StringCbCopy StringCbCopyW
#define StringCchCopyN StringCchCopyNW
#define StringCbCopyN StringCbCopyNW
#define StringCchCat StringCchCatW
#define StringCbCat StringCbCatW
#define StringCchCatN StringCchCatNW
#define StringCbCatN StringCbCatNW
#define StringCchPrintf StringCchPrintfW
#define StringCbPrintf StringCbPrintfW
#define StringCchVPrintf StringCchVPrintfW
#define StringCbVPrintf StringCbVPrintfW
#define StringCchLength StringCchLengthW
#define StringCbLength StringCbLengthW
#else
#define StringCchCopy StringCchCopyA
#define StringCbCopy StringCbCopyA
#define StringCchCopyN StringCchCopyNA
#define StringCbCopyN StringCbCopyNA
#define StringCchCat StringCchCatA
#define StringCbCat StringCbCatA
#define StringCchCatN StringCchCatNA
#define StringCbCatN StringCbCatNA
#define StringCchPrintf StringCchPrintfA
#define StringCbPrintf StringCbPrintfA
#define StringCchVPrintf StringCchVPrintfA
#define StringCbVPrintf StringCbVPrintfA
#define StringCchLength StringCchLengthA
#define StringCbLength StringCbLengthA
#endif

#endif
