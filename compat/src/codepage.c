/*
 * How does a program convert between narrow and wide text (MultiByteToWideChar)? Every code page
 * means UTF-8 here. This file keeps no state. Any thread may call the functions.
 */
#include "last_error.h"
#include "text.h"

#include <stdint.h>
#include <string.h>

#include <stringapiset.h>

static bool code_page_known(UINT page)
{
	return page == CP_UTF8 || page == CP_ACP || page == CP_OEMCP || page == CP_THREAD_ACP;
}

static int refuse(DWORD error)
{
	SetLastError(error);
	return 0;
}

int MultiByteToWideChar(UINT page, DWORD flags, LPCSTR from, int bytes, LPWSTR to, int room)
{
	if (!code_page_known(page) || !from || bytes == 0 || bytes < -1 || room < 0 ||
	    (room && !to))
		return refuse(ERROR_INVALID_PARAMETER);
	if (flags & ~(DWORD)(MB_ERR_INVALID_CHARS | MB_PRECOMPOSED))
		return refuse(ERROR_INVALID_FLAGS);
	size_t n = bytes < 0 ? strlen(from) + 1 : (size_t)bytes;
	int count = 0;

	if (n > INT32_MAX)
		return refuse(ERROR_INVALID_PARAMETER);
	for (size_t at = 0; at < n; count++) {
		wchar_t c;
		bool valid;

		at += compat_decode(from + at, n - at, &c, &valid);
		if (!valid && (flags & MB_ERR_INVALID_CHARS))
			return refuse(ERROR_NO_UNICODE_TRANSLATION);
		if (room && count >= room)
			return refuse(ERROR_INSUFFICIENT_BUFFER);
		if (room)
			to[count] = c;
	}
	return count;
}

int WideCharToMultiByte(UINT page, DWORD flags, LPCWSTR from, int length, LPSTR to, int room,
			LPCSTR replacement, BOOL *replaced)
{
	if (!code_page_known(page) || !from || length == 0 || length < -1 || room < 0 ||
	    (room && !to))
		return refuse(ERROR_INVALID_PARAMETER);
	if (page == CP_UTF8 && (replacement || replaced))
		return refuse(ERROR_INVALID_PARAMETER);
	if (flags & ~(DWORD)(WC_ERR_INVALID_CHARS | WC_NO_BEST_FIT_CHARS | WC_COMPOSITECHECK))
		return refuse(ERROR_INVALID_FLAGS);
	size_t n = length < 0 ? wcslen(from) + 1 : (size_t)length, count = 0;
	bool bad = false;

	for (size_t i = 0; i < n; i++) {
		char bytes[4];
		bool valid;
		size_t size = compat_encode(from[i], bytes, &valid);

		if (!valid && (flags & WC_ERR_INVALID_CHARS))
			return refuse(ERROR_NO_UNICODE_TRANSLATION);
		bad |= !valid;
		if (!valid && replacement) {
			bytes[0] = *replacement;
			size = 1;
		}
		if (count + size > (size_t)(room ? room : INT32_MAX))
			return refuse(room ? ERROR_INSUFFICIENT_BUFFER : ERROR_INVALID_PARAMETER);
		if (room)
			memcpy(to + count, bytes, size);
		count += size;
	}
	if (replaced)
		*replaced = bad;
	return (int)count;
}

UINT GetACP(void)
{
	return CP_UTF8;
}
