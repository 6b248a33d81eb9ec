/*
 * How do programs open, close, read and write streams with wide text? The functions convert file
 * names and text to UTF-8; a stream remains a stream of bytes. This file keeps no state. Any thread
 * may call the functions.
 */
#include "stream.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <io.h>

/*
 * Translates a fopen() mode of Windows to Linux. `N` (child processes do not inherit the file)
 * becomes `e` (O_CLOEXEC). Parts that only Windows has (`t`, `, ccs=...`, caching hints) are
 * dropped.
 */
static void native_mode(const char *mode, char out[8])
{
	size_t n = 0;

	for (; *mode && *mode != ',' && n < 6; mode++)
		if (strchr("rwa+bx", *mode))
			out[n++] = *mode;
		else if (*mode == 'N')
			out[n++] = 'e';
	out[n] = 0;
}

static FILE *open_as(const char *name, const char *mode, FILE *old)
{
	char native[8];

	if (!name || !mode) {
		errno = EINVAL;
		return NULL;
	}
	native_mode(mode, native);
	return old ? freopen(name, native, old) : fopen(name, native);
}

static FILE *open_wide(const wchar_t *name, const wchar_t *mode, FILE *old)
{
	char *bytes = compat_narrow(name), *how = compat_narrow(mode);
	FILE *stream = open_as(bytes, how, old);
	int error = errno;

	free(bytes);
	free(how);
	errno = error;
	return stream;
}

static errno_t report(FILE **to, FILE *stream)
{
	*to = stream;
	return stream ? 0 : errno;
}

errno_t fopen_s(FILE **stream, const char *name, const char *mode)
{
	return stream ? report(stream, open_as(name, mode, NULL)) : EINVAL;
}

errno_t freopen_s(FILE **stream, const char *name, const char *mode, FILE *old)
{
	return stream && old ? report(stream, open_as(name, mode, old)) : EINVAL;
}

FILE *_fsopen(const char *name, const char *mode, int share)
{
	(void)share;
	return open_as(name, mode, NULL);
}

FILE *_wfopen(const wchar_t *name, const wchar_t *mode)
{
	return open_wide(name, mode, NULL);
}

errno_t _wfopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode)
{
	return stream ? report(stream, open_wide(name, mode, NULL)) : EINVAL;
}

FILE *_wfreopen(const wchar_t *name, const wchar_t *mode, FILE *old)
{
	if (!old)
		errno = EINVAL;
	return old ? open_wide(name, mode, old) : NULL;
}

errno_t _wfreopen_s(FILE **stream, const wchar_t *name, const wchar_t *mode, FILE *old)
{
	return stream && old ? report(stream, open_wide(name, mode, old)) : EINVAL;
}

FILE *_wfsopen(const wchar_t *name, const wchar_t *mode, int share)
{
	(void)share;
	return open_wide(name, mode, NULL);
}

int _wremove(const wchar_t *name)
{
	char *bytes = compat_narrow(name);
	int result = bytes ? remove(bytes) : -1;

	free(bytes);
	return result;
}

void _wperror(const wchar_t *message)
{
	int error = errno;
	char *bytes = compat_narrow(message);

	errno = error;
	perror(bytes);
	free(bytes);
}

int _fcloseall(void)
{
	/*
	 * _fcloseall() must leave the standard streams open, but fcloseall() of Linux would close
	 * them. The other streams are not known here. Therefore this function flushes all streams
	 * and closes none.
	 */
	return fflush(NULL) == 0 ? 0 : EOF;
}

int _flushall(void)
{
	return fflush(NULL) == 0 ? 3 : EOF;
}

int _fileno(FILE *stream)
{
	if (!stream) {
		errno = EINVAL;
		return -1;
	}
	return fileno(stream);
}

FILE *_fdopen(int descriptor, const char *mode)
{
	char native[8];

	if (!mode) {
		errno = EINVAL;
		return NULL;
	}
	native_mode(mode, native);
	return fdopen(descriptor, native);
}

FILE *_popen(const char *command, const char *mode)
{
	if (!command || !mode || (*mode != 'r' && *mode != 'w')) {
		errno = EINVAL;
		return NULL;
	}
	return popen(command, *mode == 'r' ? "r" : "w");
}

int _pclose(FILE *stream)
{
	return stream ? pclose(stream) : -1;
}

int _fseeki64(FILE *stream, int64_t offset, int origin)
{
	return fseeko(stream, offset, origin);
}

int64_t _ftelli64(FILE *stream)
{
	return ftello(stream);
}

char *gets_s(char *buffer, size_t size)
{
	size_t n = 0;
	int c;

	if (!buffer || size == 0) {
		errno = EINVAL;
		return NULL;
	}
	for (c = getchar(); c != EOF && c != '\n'; c = getchar())
		if (n < size)
			buffer[n++] = (char)c;
	buffer[n < size ? n : 0] = 0;
	if (n == size)
		errno = ERANGE;
	return n == size || (c == EOF && n == 0) ? NULL : buffer;
}

/* ---- Input and output of wide characters ---------------------------------------------------- */

int compat_fputws(const wchar_t *text, FILE *stream)
{
	char *bytes = compat_narrow(text);
	bool good = bytes && compat_stream_write(stream, bytes, strlen(bytes));

	free(bytes);
	return good ? 0 : EOF;
}

int _putws(const wchar_t *text)
{
	char *bytes = compat_narrow(text);
	size_t n = bytes ? strlen(bytes) : 0;

	if (bytes)
		bytes[n++] = '\n';
	bool good = bytes && compat_stream_write(stdout, bytes, n);

	free(bytes);
	return good ? 0 : EOF;
}

wint_t compat_fputwc(wchar_t character, FILE *stream)
{
	char bytes[4];
	bool valid;
	size_t n = compat_encode(character, bytes, &valid);

	return compat_stream_write(stream, bytes, n) ? (wint_t)character : WEOF;
}

wint_t compat_putwchar(wchar_t character)
{
	return compat_fputwc(character, stdout);
}

/*
 * Reads one UTF-8 character. If the next byte does not continue an incomplete character, this byte
 * goes back to the stream.
 */
static wint_t read_character(FILE *stream)
{
	char bytes[4];
	wchar_t character;
	bool valid;
	int c = getc_unlocked(stream);

	if (c == EOF)
		return WEOF;
	bytes[0] = (char)c;
	size_t n = 1, wanted = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;

	while (n < wanted) {
		c = getc_unlocked(stream);
		if (c == EOF || (c & 0xC0) != 0x80) {
			if (c != EOF)
				ungetc(c, stream);
			break;
		}
		bytes[n++] = (char)c;
	}
	compat_decode(bytes, n, &character, &valid);
	return (wint_t)character;
}

wint_t compat_fgetwc(FILE *stream)
{
	flockfile(stream);
	wint_t c = read_character(stream);

	funlockfile(stream);
	return c;
}

wint_t compat_getwchar(void)
{
	return compat_fgetwc(stdin);
}

wchar_t *compat_fgetws(wchar_t *buffer, int count, FILE *stream)
{
	int n = 0;

	if (!buffer || count < 1 || !stream) {
		errno = EINVAL;
		return NULL;
	}
	flockfile(stream);
	while (n < count - 1) {
		wint_t c = read_character(stream);

		if (c == WEOF)
			break;
		buffer[n++] = (wchar_t)c;
		if (c == L'\n')
			break;
	}
	bool error = ferror_unlocked(stream) != 0;

	funlockfile(stream);
	if (error || (n == 0 && count > 1))
		return NULL;
	buffer[n] = 0;
	return buffer;
}

/* ---- Functions for file descriptors --------------------------------------------------------- */

int _isatty(int descriptor)
{
	return isatty(descriptor);
}

int _setmode(int descriptor, int mode)
{
	static const int modes[] = {_O_TEXT, _O_BINARY, _O_WTEXT, _O_U16TEXT, _O_U8TEXT};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (mode != modes[i])
			continue;
		if (fcntl(descriptor, F_GETFL) < 0)
			return -1;
		return _O_BINARY;
	}
	errno = EINVAL;
	return -1;
}

int _close(int descriptor)
{
	return close(descriptor);
}

int _read(int descriptor, void *buffer, unsigned count)
{
	return (int)read(descriptor, buffer, count < INT32_MAX ? count : INT32_MAX);
}

int _write(int descriptor, const void *buffer, unsigned count)
{
	return (int)write(descriptor, buffer, count < INT32_MAX ? count : INT32_MAX);
}

int _dup(int descriptor)
{
	return dup(descriptor);
}

int _dup2(int descriptor, int to)
{
	return dup2(descriptor, to) < 0 ? -1 : 0;
}

int _access(const char *name, int mode)
{
	return access(name, mode);
}

int _unlink(const char *name)
{
	return unlink(name);
}
