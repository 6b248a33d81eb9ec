/*
 * How do the string functions of kernel32 (lstrcpy, lstrlen and so on) treat NULL and long texts?
 * The functions check their arguments and call the C library. This file keeps no state. Any thread
 * may call the functions.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <stringapiset.h>

#define WSPRINTF_ROOM 1024

int lstrlenA(LPCSTR text)
{
	return text ? (int)strlen(text) : 0;
}

int lstrlenW(LPCWSTR text)
{
	return text ? (int)wcslen(text) : 0;
}

int lstrcmpA(LPCSTR a, LPCSTR b)
{
	return strcmp(a ? a : "", b ? b : "");
}

int lstrcmpW(LPCWSTR a, LPCWSTR b)
{
	return wcscmp(a ? a : L"", b ? b : L"");
}

int lstrcmpiA(LPCSTR a, LPCSTR b)
{
	return _stricmp(a ? a : "", b ? b : "");
}

int lstrcmpiW(LPCWSTR a, LPCWSTR b)
{
	return _wcsicmp(a ? a : L"", b ? b : L"");
}

LPSTR lstrcpyA(LPSTR to, LPCSTR from)
{
	return to && from ? strcpy(to, from) : NULL;
}

LPWSTR lstrcpyW(LPWSTR to, LPCWSTR from)
{
	return to && from ? wcscpy(to, from) : NULL;
}

LPSTR lstrcatA(LPSTR to, LPCSTR from)
{
	return to && from ? strcat(to, from) : NULL;
}

LPWSTR lstrcatW(LPWSTR to, LPCWSTR from)
{
	return to && from ? wcscat(to, from) : NULL;
}

LPSTR lstrcpynA(LPSTR to, LPCSTR from, int room)
{
	if (!to || !from || room < 1)
		return NULL;
	strncpy_s(to, (size_t)room, from, _TRUNCATE);
	return to;
}

LPWSTR lstrcpynW(LPWSTR to, LPCWSTR from, int room)
{
	if (!to || !from || room < 1)
		return NULL;
	wcsncpy_s(to, (size_t)room, from, _TRUNCATE);
	return to;
}

int wsprintfA(LPSTR to, LPCSTR format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_vsnprintf_s(to, WSPRINTF_ROOM, _TRUNCATE, format, arguments);
	va_end(arguments);
	return (int)strlen(to);
}

int wsprintfW(LPWSTR to, LPCWSTR format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_vsnwprintf_s(to, WSPRINTF_ROOM, _TRUNCATE, format, arguments);
	va_end(arguments);
	return (int)wcslen(to);
}
