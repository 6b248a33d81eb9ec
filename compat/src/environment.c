/*
 * What do the environment variables and the command line of this process contain?
 *
 * This file owns the text of the command line, and for each thread the text that _wgetenv last
 * returned.
 *
 * Any thread may call the functions. As with setenv(), no thread may read the environment while
 * another thread changes it.
 */
#include "last_error.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <processenv.h>

/*
 * Copies the text to the buffer and returns the length of the text. If the buffer is too small,
 * returns the size needed with the terminating zero.
 */
static DWORD give(const char *text, void *buffer, DWORD size, bool wide)
{
	size_t length = compat_copy_out(buffer, buffer ? size : 0, wide, text);

	return (DWORD)(buffer && length < size ? length : length + 1);
}

static DWORD get_variable(const char *name, void *buffer, DWORD size, bool wide)
{
	const char *value = name ? getenv(name) : NULL;

	if (!value)
		return (DWORD)compat_fail(ERROR_ENVVAR_NOT_FOUND);
	return give(value, buffer, size, wide);
}

DWORD GetEnvironmentVariableA(LPCSTR name, LPSTR buffer, DWORD size)
{
	return get_variable(name, buffer, size, false);
}

DWORD GetEnvironmentVariableW(LPCWSTR name, LPWSTR buffer, DWORD size)
{
	char *narrow = compat_narrow(name);
	DWORD result = get_variable(narrow, buffer, size, true);

	free(narrow);
	return result;
}

BOOL SetEnvironmentVariableA(LPCSTR name, LPCSTR value)
{
	if (!name || !*name || strchr(name, '='))
		return compat_fail(ERROR_INVALID_PARAMETER);
	if ((value ? setenv(name, value, 1) : unsetenv(name)) != 0)
		return compat_fail(ERROR_NOT_ENOUGH_MEMORY);
	return TRUE;
}

BOOL SetEnvironmentVariableW(LPCWSTR name, LPCWSTR value)
{
	char *narrow = compat_narrow(name), *text = compat_narrow(value);
	BOOL result = SetEnvironmentVariableA(narrow, text);

	free(narrow);
	free(text);
	return result;
}

/*
 * Copies a text and replaces %NAME% by the value of the environment variable NAME. The %NAME% of a
 * variable that is not set stays unchanged. The caller frees the result.
 */
static char *expand(const char *from)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	while (out && *from) {
		const char *end = *from == '%' ? strchr(from + 1, '%') : NULL;
		char *name = end ? strndup(from + 1, (size_t)(end - from - 1)) : NULL;
		const char *value = name && *name ? getenv(name) : NULL;

		if (value) {
			fputs(value, out);
			from = end + 1;
		} else {
			fputc(*from++, out);
		}
		free(name);
	}
	if (out)
		fclose(out);
	return text;
}

static DWORD expand_to(const char *from, void *to, DWORD size, bool wide)
{
	char *text = from ? expand(from) : NULL;

	if (!text)
		return (DWORD)compat_fail(from ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
	size_t length = compat_copy_out(to, to ? size : 0, wide, text);

	free(text);
	return (DWORD)length + 1;
}

DWORD ExpandEnvironmentStringsA(LPCSTR from, LPSTR to, DWORD size)
{
	return expand_to(from, to, size, false);
}

DWORD ExpandEnvironmentStringsW(LPCWSTR from, LPWSTR to, DWORD size)
{
	char *narrow = compat_narrow(from);
	DWORD result = expand_to(narrow, to, size, true);

	free(narrow);
	return result;
}

/* ---- Command line and current folder -------------------------------------------------------- */

static struct {
	char *narrow;
	wchar_t *wide;
} command_line;
static pthread_once_t command_line_once = PTHREAD_ONCE_INIT;

static void read_command_line(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *text = NULL, *argument = NULL;
	size_t bytes, room = 0;
	FILE *out = open_memstream(&text, &bytes);

	for (bool first = true; file && out && getdelim(&argument, &room, 0, file) > 0;
	     first = false) {
		bool quote = *argument == 0 || argument[strcspn(argument, " \t\"")] != 0;

		fputs(first ? "" : " ", out);
		fputs(quote ? "\"" : "", out);
		for (char *c = argument; *c; c++) {
			if (*c == '"')
				fputc('\\', out);
			fputc(*c, out);
		}
		fputs(quote ? "\"" : "", out);
	}
	free(argument);
	if (file)
		fclose(file);
	if (out)
		fclose(out);
	command_line.narrow = text;
	command_line.wide = compat_widen(text);
}

LPSTR GetCommandLineA(void)
{
	pthread_once(&command_line_once, read_command_line);
	return command_line.narrow;
}

LPWSTR GetCommandLineW(void)
{
	pthread_once(&command_line_once, read_command_line);
	return command_line.wide;
}

static DWORD directory(DWORD size, void *buffer, bool wide)
{
	char path[PATH_MAX];

	if (!getcwd(path, sizeof(path)))
		return (DWORD)compat_fail(ERROR_PATH_NOT_FOUND);
	return give(path, buffer, size, wide);
}

DWORD GetCurrentDirectoryA(DWORD size, LPSTR buffer)
{
	return directory(size, buffer, false);
}

DWORD GetCurrentDirectoryW(DWORD size, LPWSTR buffer)
{
	return directory(size, buffer, true);
}

/* ---- Functions of the Windows C library ----------------------------------------------------- */

errno_t getenv_s(size_t *needed, char *buffer, size_t size, const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	if (!needed || !name || (!buffer && size))
		return EINVAL;
	if (buffer && size)
		*buffer = 0;
	*needed = value ? strlen(value) + 1 : 0;
	if (!value || size == 0)
		return 0;
	if (*needed > size)
		return ERANGE;
	memcpy(buffer, value, *needed);
	return 0;
}

errno_t _dupenv_s(char **buffer, size_t *size, const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	if (!buffer || !name)
		return EINVAL;
	*buffer = value ? strdup(value) : NULL;
	if (size)
		*size = *buffer ? strlen(*buffer) + 1 : 0;
	return value && !*buffer ? ENOMEM : 0;
}

errno_t _putenv_s(const char *name, const char *value)
{
	if (!name || !value)
		return EINVAL;
	return (*value ? setenv(name, value, 1) : unsetenv(name)) == 0 ? 0 : errno;
}

int _putenv(const char *text)
{
	const char *equals = text ? strchr(text, '=') : NULL;
	char *name = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	errno_t error = name ? _putenv_s(name, equals + 1) : EINVAL;

	free(name);
	if (error)
		errno = error;
	return error ? -1 : 0;
}

wchar_t *_wgetenv(const wchar_t *name)
{
	static __thread wchar_t last[4096];
	char *narrow = compat_narrow(name);
	const char *value = narrow ? getenv(narrow) : NULL;
	bool good = value && compat_copy_out(last, sizeof(last) / sizeof(*last), true, value) <
				     sizeof(last) / sizeof(*last);

	free(narrow);
	return good ? last : NULL;
}

int _wsystem(const wchar_t *command)
{
	char *narrow = compat_narrow(command);
	int result = system(narrow);

	free(narrow);
	return result;
}

char *_fullpath(char *buffer, const char *name, size_t size)
{
	char *path = realpath(name && *name ? name : ".", NULL);

	if (!path || !buffer)
		return path;
	bool fits = strlen(path) < size;

	if (fits)
		strcpy(buffer, path);
	else
		errno = ERANGE;
	free(path);
	return fits ? buffer : NULL;
}
