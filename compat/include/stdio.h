/*
 * <stdio.h> with formats as Windows reads them: %lu takes a 32-bit ULONG, %I64u and %Iu are sizes,
 * %S is text of the other width, %p prints 16 digits, %n is refused. This holds in C and in C++ and
 * in any order of headers. Wide text is written as UTF-8.
 */
#include_next <stdio.h>

#if !defined(COMPAT_STDIO_H) && !defined(COMPAT_CXX_NESTED)
#define COMPAT_STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include "corecrt.h"

/* As the count of a ..._s function: cut the text to the room in the buffer. */
#define _TRUNCATE ((size_t)-1)

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- To a stream: the number of bytes written, or -1 ---- */

/* Writes to standard output. */
int compat_printf(const char *format, ...);

/* Same as printf(), to a stream. */
int compat_fprintf(FILE *stream, const char *format, ...);

/* Same as printf(), with a va_list. */
int compat_vprintf(const char *format, va_list arguments);

/* Same as fprintf(), with a va_list. */
int compat_vfprintf(FILE *stream, const char *format, va_list arguments);

/* Same as printf(). */
int printf_s(const char *format, ...);

/* Same as fprintf(). */
int fprintf_s(FILE *stream, const char *format, ...);

/* ---- To memory ---- */

/* The caller makes sure that the text fits. */
int compat_sprintf(char *buffer, const char *format, ...);

/* Same as sprintf(), with a va_list. */
int compat_vsprintf(char *buffer, const char *format, va_list arguments);

/*
 * Cuts the text to the buffer, always ends it with a zero, and returns the length of the whole
 * text.
 */
int compat_snprintf(char *buffer, size_t size, const char *format, ...);

/* Same as snprintf(), with a va_list. */
int compat_vsnprintf(char *buffer, size_t size, const char *format, va_list arguments);

/*
 * Returns -1 if the text is longer than `count`. A text of `count` bytes or more has no zero at its
 * end.
 */
int _snprintf(char *buffer, size_t count, const char *format, ...);

/* Same as _snprintf, with a va_list. */
int _vsnprintf(char *buffer, size_t count, const char *format, va_list arguments);

/*
 * If the text does not fit, stores an empty text, sets ERANGE and returns -1; Windows ends the
 * program.
 */
int sprintf_s(char *buffer, size_t size, const char *format, ...);

/* Same as sprintf_s, with a va_list. */
int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments);

/* Stores at most `count` bytes, or with _TRUNCATE what fits. Returns -1 if the text was cut. */
int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...);

/* Same as _snprintf_s, with a va_list. */
int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments);

/* Returns the length of the text and writes nothing. */
int _scprintf(const char *format, ...);

/* Same as _scprintf, with a va_list. */
int _vscprintf(const char *format, va_list arguments);

/* ---- From text and streams: the number of arguments filled, or EOF. %ld fills 32 bits ---- */

/* Reads from standard input. */
int compat_scanf(const char *format, ...);

/* Same as scanf(), from a stream. */
int compat_fscanf(FILE *stream, const char *format, ...);

/* Same as scanf(), from text. */
int compat_sscanf(const char *text, const char *format, ...);

/* Same as sscanf(), with a va_list. */
int compat_vsscanf(const char *text, const char *format, va_list arguments);

/*
 * After each pointer for %s, %c or %[ comes the size of that buffer as an unsigned. A field that is
 * too long ends the scan.
 */
int sscanf_s(const char *text, const char *format, ...);

/* Same as sscanf_s, from a stream. */
int fscanf_s(FILE *stream, const char *format, ...);

/* Same as sscanf_s, from the standard input. */
int scanf_s(const char *format, ...);

/* ---- Files ---- */

/* Returns 0, or an errno value with *stream NULL. */
errno_t fopen_s(FILE **stream, const char *name, const char *mode);

/* Same as fopen_s. */
errno_t freopen_s(FILE **stream, const char *name, const char *mode, FILE *old);

/* Same as fopen(): the sharing mode is ignored, because files are always shared. */
FILE *_fsopen(const char *name, const char *mode, int share);

/*
 * Flushes all streams but closes none, because the C library cannot list them. Returns 0, or EOF on
 * error.
 */
int _fcloseall(void);

/* Flushes all streams. Returns 3, the number of standard streams, or EOF on error. */
int _flushall(void);

/* Returns -1 with EINVAL for NULL. */
int _fileno(FILE *stream);

/* Same as fdopen(). */
FILE *_fdopen(int descriptor, const char *mode);

/* Same as popen(), with the shell of Linux. */
FILE *_popen(const char *command, const char *mode);

/* Same as pclose(). */
int _pclose(FILE *stream);

/* Same as fseek(). */
int _fseeki64(FILE *stream, int64_t offset, int origin);

/* Same as ftell(). */
int64_t _ftelli64(FILE *stream);

/*
 * Reads a line without its line end. Returns NULL at the end of the input, or if the line does not
 * fit; the buffer is then empty.
 */
char *gets_s(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* In C++ the size of an array need not be passed. */
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
} // namespace std
#endif

#define _SH_DENYRW 0x10
#define _SH_DENYWR 0x20
#define _SH_DENYRD 0x30
#define _SH_DENYNO 0x40

#include "compat_redirect.h"

#endif
