/*
 * <stdio.h> with formats as Windows reads them, in C and in C++:
 * - %lu takes a 32-bit ULONG, %I64u takes 64 bits, %Iu takes a SIZE_T.
 * - In a narrow format %S takes wide text; in a wide format %S takes narrow text.
 * - %p prints 16 digits.
 * - Output functions fail if the format has %n.
 * The order of the included headers does not matter. Wide text is written as UTF-8.
 */
#include_next <stdio.h>

#if !defined(COMPAT_STDIO_H) && !defined(COMPAT_CXX_NESTED)
#define COMPAT_STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include "corecrt.h"

/*
 * A value for the parameter `count` of _snprintf_s and similar functions: as many characters as fit
 * into the buffer are stored.
 */
#define _TRUNCATE ((size_t)-1)

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Formatted output to a stream: returns the number of bytes written, or -1 ---- */

/* Writes formatted text to standard output. */
int compat_printf(const char *format, ...);

/* printf() to a stream: writes formatted text to `stream`. */
int compat_fprintf(FILE *stream, const char *format, ...);

/* printf() with a va_list: writes formatted text to standard output. */
int compat_vprintf(const char *format, va_list arguments);

/* fprintf() with a va_list: writes formatted text to `stream`. */
int compat_vfprintf(FILE *stream, const char *format, va_list arguments);

/* Writes formatted text to standard output, exactly as printf() does. */
int printf_s(const char *format, ...);

/* Writes formatted text to `stream`, exactly as fprintf() does. */
int fprintf_s(FILE *stream, const char *format, ...);

/* ---- Formatted output to memory ---- */

/* Writes formatted text to memory without a limit. The caller makes sure that the text fits. */
int compat_sprintf(char *buffer, const char *format, ...);

/* sprintf() with a va_list: writes formatted text to memory without a limit. */
int compat_vsprintf(char *buffer, const char *format, va_list arguments);

/*
 * Writes formatted text to memory, cut to the size of the buffer, with a terminating zero. Returns
 * the length of the whole text.
 */
int compat_snprintf(char *buffer, size_t size, const char *format, ...);

/*
 * snprintf() with a va_list: writes formatted text to memory, cut to the size of the buffer.
 * Returns the length of the whole text.
 */
int compat_vsnprintf(char *buffer, size_t size, const char *format, va_list arguments);

/*
 * Writes formatted text to memory. Returns -1 if the text is longer than `count`. A text of `count`
 * bytes or more gets no terminating zero.
 */
int _snprintf(char *buffer, size_t count, const char *format, ...);

/*
 * _snprintf with a va_list: writes formatted text to memory. A text of `count` bytes or more gets
 * no terminating zero.
 */
int _vsnprintf(char *buffer, size_t count, const char *format, va_list arguments);

/*
 * Writes formatted text to memory. If the text does not fit, stores an empty text, sets errno to
 * ERANGE and returns -1. On Windows the program ends instead.
 */
int sprintf_s(char *buffer, size_t size, const char *format, ...);

/*
 * sprintf_s with a va_list: writes formatted text to memory. If the text does not fit, stores an
 * empty text and returns -1.
 */
int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments);

/*
 * Writes at most `count` bytes of formatted text to memory. If `count` is _TRUNCATE, writes as many
 * bytes as fit. Returns -1 if the text was cut.
 */
int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...);

/*
 * _snprintf_s with a va_list: writes at most `count` bytes of formatted text to memory, or as many
 * as fit if `count` is _TRUNCATE.
 */
int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments);

/* Returns the length that the formatted text would have, and writes nothing. */
int _scprintf(const char *format, ...);

/* _scprintf with a va_list: returns the length that the formatted text would have. */
int _vscprintf(const char *format, va_list arguments);

/* ---- Formatted input: returns the number of fields stored, or EOF ---- */

/* Reads fields from standard input. As on Windows, %ld stores 32 bits. */
int compat_scanf(const char *format, ...);

/* scanf() from a stream: reads fields from `stream`. */
int compat_fscanf(FILE *stream, const char *format, ...);

/* scanf() from memory: reads fields from `text`. */
int compat_sscanf(const char *text, const char *format, ...);

/* sscanf() with a va_list: reads fields from `text`. */
int compat_vsscanf(const char *text, const char *format, va_list arguments);

/*
 * Reads fields from `text`. For %s, %c and %[ the caller passes the size of the buffer as an
 * `unsigned int` after the pointer to the buffer. A field that is too long for its buffer ends the
 * scan.
 */
int sscanf_s(const char *text, const char *format, ...);

/*
 * sscanf_s from a stream: reads fields from `stream`. The caller passes the size of each text
 * buffer after the pointer to the buffer.
 */
int fscanf_s(FILE *stream, const char *format, ...);

/*
 * sscanf_s from standard input: reads fields. The caller passes the size of each text buffer after
 * the pointer to the buffer.
 */
int scanf_s(const char *format, ...);

/* ---- Files, streams and commands ---- */

/* Opens a file and returns 0. On failure sets *stream to NULL and returns an errno value. */
errno_t fopen_s(FILE **stream, const char *name, const char *mode);

/*
 * Closes the file of the stream `old` and opens another file on the stream, as freopen() does.
 * Returns 0. On failure sets *stream to NULL and returns an errno value.
 */
errno_t freopen_s(FILE **stream, const char *name, const char *mode, FILE *old);

/* Opens a file, as fopen() does. The sharing mode is ignored, because files are always shared. */
FILE *_fsopen(const char *name, const char *mode, int share);

/*
 * Flushes all streams and closes none. Returns 0, or EOF on error. On Windows this function closes
 * all streams except the standard streams.
 */
int _fcloseall(void);

/* Flushes all streams. Returns 3, the number of standard streams, or EOF on error. */
int _flushall(void);

/* Returns the file descriptor of a stream; -1 with errno EINVAL if `stream` is NULL. */
int _fileno(FILE *stream);

/* Opens a stream on a file descriptor, as fdopen() does. */
FILE *_fdopen(int descriptor, const char *mode);

/*
 * Runs a command in the Linux shell, as popen() does. The stream returned is the command's output
 * (mode "r") or its input (mode "w").
 */
FILE *_popen(const char *command, const char *mode);

/* Closes a stream of _popen and returns the exit status of the command, as pclose() does. */
int _pclose(FILE *stream);

/*
 * Sets the position of a stream with a 64-bit offset, as fseek() does. Returns 0, or -1 on error.
 */
int _fseeki64(FILE *stream, int64_t offset, int origin);

/* Returns the position of a stream as a 64-bit offset, as ftell() does; -1 on error. */
int64_t _ftelli64(FILE *stream);

/*
 * Reads a line from standard input without its line end. At the end of the input, and for a line
 * that is too long for the buffer, stores an empty text and returns NULL.
 */
char *gets_s(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* The following overloads for C++ take the buffer as an array and derive its size from the type. */
extern "C++" {
template <size_t N, class... A> inline int sprintf_s(char (&buffer)[N], const char *format, A... a)
{
	return sprintf_s(static_cast<char *>(buffer), N, format, a...);
}
template <size_t N> inline int vsprintf_s(char (&buffer)[N], const char *format, va_list arguments)
{
	return vsprintf_s(static_cast<char *>(buffer), N, format, arguments);
}
template <size_t N, class... A>
inline int _snprintf_s(char (&buffer)[N], size_t count, const char *format, A... a)
{
	return _snprintf_s(static_cast<char *>(buffer), N, count, format, a...);
}
template <size_t N>
inline int _vsnprintf_s(char (&buffer)[N], size_t count, const char *format, va_list arguments)
{
	return _vsnprintf_s(static_cast<char *>(buffer), N, count, format, arguments);
}
template <size_t N> inline char *gets_s(char (&buffer)[N])
{
	return gets_s(buffer, N);
}
}

namespace std
{
using ::compat_fprintf;
using ::compat_fscanf;
using ::compat_printf;
using ::compat_scanf;
using ::compat_snprintf;
using ::compat_sprintf;
using ::compat_sscanf;
using ::compat_vfprintf;
using ::compat_vprintf;
using ::compat_vsnprintf;
using ::compat_vsprintf;
using ::compat_vsscanf;
} // end of namespace std
#endif

#define _SH_DENYRW 0x10
#define _SH_DENYWR 0x20
#define _SH_DENYRD 0x30
#define _SH_DENYNO 0x40

#include "compat_redirect.h"

#endif
