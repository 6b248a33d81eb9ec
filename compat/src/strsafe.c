/*
 * How are strings copied, appended and formatted within a limit, with an HRESULT as the result? The
 * functions call bounded.c and print.c. Sizes are in characters (Cch) or bytes (Cb). This file
 * keeps no state. Any thread may call the functions.
 */
#include <strsafe.h>

#include <stdbool.h>
#include <stdint.h>

static bool is_room(const void *to, size_t room)
{
	return to && room > 0 && room <= STRSAFE_MAX_CCH;
}

/* Returns the HRESULT for an errno value that a function for copying or appending has returned. */
static HRESULT of_copy(errno_t error)
{
	return error == 0	    ? S_OK
	       : error == STRUNCATE ? STRSAFE_E_INSUFFICIENT_BUFFER
				    : STRSAFE_E_INVALID_PARAMETER;
}

/*
 * Returns the HRESULT for the result of a formatting function. `length` is the length of the text,
 * or -1 if the text was cut.
 */
static HRESULT of_format(int length)
{
	return length >= 0 ? S_OK : STRSAFE_E_INSUFFICIENT_BUFFER;
}

/*
 * Defines all functions for narrow or for wide text. N is the suffix of the names, C the character
 * type. The other arguments are the functions that copy, append and format text, and that measure a
 * text up to a limit.
 */
#define ALPHABET(N, C, copy, join, format_into, length_within)                                                           \
	HRESULT StringCchCopy##N(C *to, size_t room, const C *from)                                                      \
	{                                                                                                                \
		return is_room(to, room) ? of_copy(copy(to, room, from, _TRUNCATE))                                      \
					 : STRSAFE_E_INVALID_PARAMETER;                                                  \
	}                                                                                                                \
	HRESULT StringCbCopy##N(C *to, size_t bytes, const C *from)                                                      \
	{                                                                                                                \
		return StringCchCopy##N(to, bytes / sizeof(C), from);                                                    \
	}                                                                                                                \
	HRESULT StringCchCat##N(C *to, size_t room, const C *from)                                                       \
	{                                                                                                                \
		if (!is_room(to, room) || length_within(to, room) == room)                                               \
			return STRSAFE_E_INVALID_PARAMETER;                                                              \
		return of_copy(join(to, room, from, _TRUNCATE));                                                         \
	}                                                                                                                \
	HRESULT StringCbCat##N(C *to, size_t bytes, const C *from)                                                       \
	{                                                                                                                \
		return StringCchCat##N(to, bytes / sizeof(C), from);                                                     \
	}                                                                                                                \
	/* A source that does not fit is cut to room - 1 characters, and the result is STRSAFE_E_INSUFFICIENT_BUFFER. */ \
	HRESULT StringCchCopyN##N(C *to, size_t room, const C *from, size_t count)                                       \
	{                                                                                                                \
		if (!is_room(to, room) || count > STRSAFE_MAX_CCH)                                                       \
			return STRSAFE_E_INVALID_PARAMETER;                                                              \
		if (from && length_within(from, count) >= room)                                                          \
			return of_copy(copy(to, room, from, room - 1) ?: STRUNCATE);                                     \
		return of_copy(copy(to, room, from, count));                                                             \
	}                                                                                                                \
	HRESULT StringCbCopyN##N(C *to, size_t bytes, const C *from, size_t countBytes)                                  \
	{                                                                                                                \
		return StringCchCopyN##N(to, bytes / sizeof(C), from, countBytes / sizeof(C));                           \
	}                                                                                                                \
	HRESULT StringCchCatN##N(C *to, size_t room, const C *from, size_t count)                                        \
	{                                                                                                                \
		size_t end = is_room(to, room) ? length_within(to, room) : room;                                         \
                                                                                                                         \
		if (end == room || !to)                                                                                  \
			return STRSAFE_E_INVALID_PARAMETER;                                                              \
		return StringCchCopyN##N(to + end, room - end, from, count);                                             \
	}                                                                                                                \
	HRESULT StringCbCatN##N(C *to, size_t bytes, const C *from, size_t countBytes)                                   \
	{                                                                                                                \
		return StringCchCatN##N(to, bytes / sizeof(C), from, countBytes / sizeof(C));                            \
	}                                                                                                                \
	HRESULT StringCchVPrintf##N(C *to, size_t room, const C *format, va_list arguments)                              \
	{                                                                                                                \
		if (!is_room(to, room) || !format)                                                                       \
			return STRSAFE_E_INVALID_PARAMETER;                                                              \
		return of_format(format_into(to, room, _TRUNCATE, format, arguments));                                   \
	}                                                                                                                \
	HRESULT StringCbVPrintf##N(C *to, size_t bytes, const C *format, va_list arguments)                              \
	{                                                                                                                \
		return StringCchVPrintf##N(to, bytes / sizeof(C), format, arguments);                                    \
	}                                                                                                                \
	HRESULT StringCchPrintf##N(C *to, size_t room, const C *format, ...)                                             \
	{                                                                                                                \
		va_list arguments;                                                                                       \
                                                                                                                         \
		va_start(arguments, format);                                                                             \
		HRESULT result = StringCchVPrintf##N(to, room, format, arguments);                                       \
                                                                                                                         \
		va_end(arguments);                                                                                       \
		return result;                                                                                           \
	}                                                                                                                \
	HRESULT StringCbPrintf##N(C *to, size_t bytes, const C *format, ...)                                             \
	{                                                                                                                \
		va_list arguments;                                                                                       \
                                                                                                                         \
		va_start(arguments, format);                                                                             \
		HRESULT result = StringCchVPrintf##N(to, bytes / sizeof(C), format, arguments);                          \
                                                                                                                         \
		va_end(arguments);                                                                                       \
		return result;                                                                                           \
	}                                                                                                                \
	HRESULT StringCchLength##N(const C *text, size_t most, size_t *length)                                           \
	{                                                                                                                \
		size_t n = text && most <= STRSAFE_MAX_CCH ? length_within(text, most) : most;                           \
                                                                                                                         \
		if (length)                                                                                              \
			*length = n < most ? n : 0;                                                                      \
		return n < most ? S_OK : STRSAFE_E_INVALID_PARAMETER;                                                    \
	}                                                                                                                \
	HRESULT StringCbLength##N(const C *text, size_t mostBytes, size_t *lengthBytes)                                  \
	{                                                                                                                \
		HRESULT result = StringCchLength##N(text, mostBytes / sizeof(C), lengthBytes);                           \
                                                                                                                         \
		if (lengthBytes)                                                                                         \
			*lengthBytes *= sizeof(C);                                                                       \
		return result;                                                                                           \
	}

ALPHABET(A, char, strncpy_s, strncat_s, _vsnprintf_s, strnlen)
ALPHABET(W, wchar_t, wcsncpy_s, wcsncat_s, _vsnwprintf_s, wcsnlen)
