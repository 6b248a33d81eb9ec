/* Functions that return texts describing error numbers. */
#ifndef COMPAT_WINMESSAGE_H
#define COMPAT_WINMESSAGE_H

#include <stdarg.h>

#include "windef.h"

#define FORMAT_MESSAGE_ALLOCATE_BUFFER 0x00000100
#define FORMAT_MESSAGE_IGNORE_INSERTS  0x00000200
#define FORMAT_MESSAGE_FROM_STRING     0x00000400
#define FORMAT_MESSAGE_FROM_HMODULE    0x00000800 /* has the effect of FORMAT_MESSAGE_FROM_SYSTEM */
#define FORMAT_MESSAGE_FROM_SYSTEM     0x00001000
#define FORMAT_MESSAGE_ARGUMENT_ARRAY  0x00002000
#define FORMAT_MESSAGE_MAX_WIDTH_MASK  0x000000FF

#define MAKELANGID(primary, sub) ((WORD)(((WORD)(sub) << 10) | (WORD)(primary)))
#define LANG_NEUTRAL		 0x00
#define LANG_ENGLISH		 0x09
#define SUBLANG_NEUTRAL		 0x00
#define SUBLANG_DEFAULT		 0x01
#define SUBLANG_SYS_DEFAULT	 0x02
#define SUBLANG_ENGLISH_US	 0x01

COMPAT_BEGIN

/*
 * Writes the English text for the error number `code` and returns the length of the text. `code` is
 * a system error, a socket error or a NetworkDirect status. CR LF follows the text, or a space with
 * FORMAT_MESSAGE_MAX_WIDTH_MASK. `language` is ignored.
 * - FORMAT_MESSAGE_FROM_STRING: formats the text `source` instead, with the placeholders %1 to %9,
 *   %1!format!, %n, %% and %0.
 * - FORMAT_MESSAGE_ALLOCATE_BUFFER: stores an allocated text in the pointer at `buffer`. The caller
 *   frees the text with LocalFree.
 * On failure returns 0. The last error is ERROR_MR_MID_NOT_FOUND (`code` has no text),
 * ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_PARAMETER or ERROR_NOT_ENOUGH_MEMORY.
 */
DWORD FormatMessageA(DWORD flags, LPCVOID source, DWORD code, DWORD language, LPSTR buffer,
		     DWORD size, va_list *arguments);

/*
 * FormatMessageA for wide text: writes the text that describes an error number, or formats a given
 * string.
 */
DWORD FormatMessageW(DWORD flags, LPCVOID source, DWORD code, DWORD language, LPWSTR buffer,
		     DWORD size, va_list *arguments);

COMPAT_END

#ifdef UNICODE
#define FormatMessage FormatMessageW
#else
#define FormatMessage FormatMessageA
#endif

#endif
