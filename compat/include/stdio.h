/*
 * <stdio.h>, with formats as Windows reads them: %lu takes a 32-bit ULONG, %I64u and %Iu are sizes,
 * %S is text of the other width, %p is 16 digits, %n is refused. In C and C++ alike, in any order
 * with other headers. Wide text leaves as UTF-8.
 */
#include_next <stdio.h>

#if !defined(COMPAT_STDIO_H) && !defined(COMPAT_CXX_NESTED)
#define COMPAT_STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#include "corecrt.h"

/* A count for the ..._s functions: as much as there is room for. */
#define _TRUNCATE ((size_t)-1)

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- To a stream: the number of bytes written, or -1 ---- */

/* To the standard output. */
int compat_printf(const char *format, ...);

/* As printf, to a stream. */
int compat_fprintf(FILE *stream, const char *format, ...);

/* As printf, with a list. */
int compat_vprintf(const char *format, va_list arguments);

/* As fprintf, with a list. */
int compat_vfprintf(FILE *stream, const char *format, va_list arguments);

/* As printf. */
int printf_s(const char *format, ...);

/* As fprintf. */
int fprintf_s(FILE *stream, const char *format, ...);

/* ---- To memory ---- */

/* Without a limit, as ever. */
int compat_sprintf(char *buffer, const char *format, ...);

/* As sprintf, with a list. */
int compat_vsprintf(char *buffer, const char *format, va_list arguments);

/* Ends with a zero in any case; returns the length the whole text has. */
int compat_snprintf(char *buffer, size_t size, const char *format, ...);

/* As snprintf, with a list. */
int compat_vsnprintf(char *buffer, size_t size, const char *format, va_list arguments);

/* -1 when the text is longer than `count`; no zero behind it when it has exactly `count` bytes, or more. */
int _snprintf(char *buffer, size_t count, const char *format, ...);

/* As _snprintf, with a list. */
int _vsnprintf(char *buffer, size_t count, const char *format, va_list arguments);

/* A text that does not fit: -1, ERANGE, and the buffer is empty. Windows ends the program instead. */
int sprintf_s(char *buffer, size_t size, const char *format, ...);

/* As sprintf_s, with a list. */
int vsprintf_s(char *buffer, size_t size, const char *format, va_list arguments);

/* At most `count` bytes of the text, or with _TRUNCATE what fits: then -1 tells that it was cut. */
int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...);

/* As _snprintf_s, with a list. */
int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list arguments);

/* The length the text would have. */
int _scprintf(const char *format, ...);

/* As _scprintf, with a list. */
int _vscprintf(const char *format, va_list arguments);

/* ---- From text and streams: the number of arguments filled, or EOF. %ld fills 32 bits ---- */

/* From the standard input. */
int compat_scanf(const char *format, ...);

/* As scanf, from a stream. */
int compat_fscanf(FILE *stream, const char *format, ...);

/* As scanf, from text. */
int compat_sscanf(const char *text, const char *format, ...);

/* As sscanf, with a list. */
int compat_vsscanf(const char *text, const char *format, va_list arguments);

/* Behind the pointer of each %s, %c and %[ comes the room there, an unsigned; what is too long ends the scan. */
int sscanf_s(const char *text, const char *format, ...);

/* As sscanf_s, from a stream. */
int fscanf_s(FILE *stream, const char *format, ...);

/* As sscanf_s, from the standard input. */
int scanf_s(const char *format, ...);

/* ---- Files ---- */

/* An errno value; *stream is NULL then. */
errno_t fopen_s(FILE **stream, const char *name, const char *mode);

/* As fopen_s. */
errno_t freopen_s(FILE **stream, const char *name, const char *mode, FILE *old);

/* As fopen; the sharing mode is ignored, files are always shared. */
FILE *_fsopen(const char *name, const char *mode, int share);

/* Flushes all streams, and closes none: the native library does not tell which there are. Returns 0, or EOF. */
int _fcloseall(void);

/* Returns 3, for the standard streams, or EOF. */
int _flushall(void);

/* -1, EINVAL: NULL. */
int _fileno(FILE *stream);

/* As fdopen. */
FILE *_fdopen(int descriptor, const char *mode);

/* As popen; the shell is that of Linux. */
FILE *_popen(const char *command, const char *mode);

/* As pclose. */
int _pclose(FILE *stream);

/* As fseek. */
int _fseeki64(FILE *stream, int64_t offset, int origin);

/* As ftell. */
int64_t _ftelli64(FILE *stream);

/* A line without its end; NULL when there is none, or when it does not fit: the buffer is empty then. */
char *gets_s(char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
/* With an array the size need not be said. */
extern "C++" {
template <size_t N, class... A> inline int sprintf_s(char (&buffer)[N], const char *format, A... a)
{
	return sprintf_s(static_cast<char *>(buffer), N, format, a...);
}
template <size_t N> inline int vsprintf_s(char (&buffer)[N], const char *format, va_list arguments)
{
	return vsprintf_s(static_cast<char *>(buffer), N, format, arguments);
}
template <size_t N, class... A> inline int _snprintf_s(char (&buffer)[N], size_t count, const char *format, A... a)
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
}
#endif

#define _SH_DENYRW 0x10
#define _SH_DENYWR 0x20
#define _SH_DENYRD 0x30
#define _SH_DENYNO 0x40

#include "compat_redirect.h"

#endif
