/*
 * Which text describes an error number (FormatMessage)? This file contains a table of English
 * texts. The functions also replace the inserts in a text (%1, %2!u!, %n).
 *
 * This file keeps no state. The caller owns the memory from FORMAT_MESSAGE_ALLOCATE_BUFFER. Any
 * thread may call the functions.
 */
#include "format.h"
#include "last_error.h"
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <globalmem.h>
#include <minwinbase.h>
#include <ndstatus.h>
#include <winerror.h>
#include <winmessage.h>

#define INSERTS 9

static const struct {
	DWORD code;
	const char *text;
} messages[] = {
	{(DWORD)ERROR_SUCCESS, "The operation succeeded."},
	{(DWORD)ERROR_INVALID_FUNCTION, "There is no such function."},
	{(DWORD)ERROR_FILE_NOT_FOUND, "The file was not found."},
	{(DWORD)ERROR_PATH_NOT_FOUND, "The path was not found."},
	{(DWORD)ERROR_TOO_MANY_OPEN_FILES, "Too many files are open."},
	{(DWORD)ERROR_ACCESS_DENIED, "Access is denied."},
	{(DWORD)ERROR_INVALID_HANDLE, "The handle is invalid."},
	{(DWORD)ERROR_NOT_ENOUGH_MEMORY, "There is not enough memory."},
	{(DWORD)ERROR_OUTOFMEMORY, "There is not enough memory."},
	{(DWORD)ERROR_INVALID_DATA, "The data is invalid."},
	{(DWORD)ERROR_NOT_READY, "The device is not ready."},
	{(DWORD)ERROR_BAD_COMMAND, "The device does not know the command."},
	{(DWORD)ERROR_BAD_LENGTH, "The length is wrong."},
	{(DWORD)ERROR_GEN_FAILURE, "The device does not work."},
	{(DWORD)ERROR_SHARING_VIOLATION, "Another process uses the object."},
	{(DWORD)ERROR_HANDLE_EOF, "The end was reached."},
	{(DWORD)ERROR_NOT_SUPPORTED, "This is not supported."},
	{(DWORD)ERROR_NETNAME_DELETED, "The network name is gone."},
	{(DWORD)ERROR_FILE_EXISTS, "The file exists."},
	{(DWORD)ERROR_INVALID_PARAMETER, "A parameter is wrong."},
	{(DWORD)ERROR_BROKEN_PIPE, "The other end of the pipe is gone."},
	{(DWORD)ERROR_BUFFER_OVERFLOW, "The name does not fit."},
	{(DWORD)ERROR_CALL_NOT_IMPLEMENTED, "This call does not exist here."},
	{(DWORD)ERROR_SEM_TIMEOUT, "The operation timed out."},
	{(DWORD)ERROR_INSUFFICIENT_BUFFER, "The buffer is too small."},
	{(DWORD)ERROR_INVALID_NAME, "The name is wrong."},
	{(DWORD)ERROR_MOD_NOT_FOUND, "The library was not found."},
	{(DWORD)ERROR_PROC_NOT_FOUND, "The function was not found."},
	{(DWORD)ERROR_BUSY, "The object is in use."},
	{(DWORD)ERROR_ALREADY_EXISTS, "The object exists already."},
	{(DWORD)ERROR_ENVVAR_NOT_FOUND, "The environment variable was not found."},
	{(DWORD)ERROR_MORE_DATA, "There is more data."},
	{(DWORD)WAIT_TIMEOUT, "The wait timed out."},
	{(DWORD)ERROR_NO_MORE_ITEMS, "There are no more items."},
	{(DWORD)ERROR_NOT_OWNER, "The caller does not own the object."},
	{(DWORD)ERROR_MR_MID_NOT_FOUND, "There is no text for this number."},
	{(DWORD)ERROR_INVALID_ADDRESS, "The address is invalid."},
	{(DWORD)ERROR_ABANDONED_WAIT_0, "The object of the wait has been closed."},
	{(DWORD)ERROR_OPERATION_ABORTED, "The operation was canceled."},
	{(DWORD)ERROR_IO_INCOMPLETE, "The operation is not done yet."},
	{(DWORD)ERROR_IO_PENDING, "The operation is under way."},
	{(DWORD)ERROR_NOACCESS, "The memory cannot be accessed."},
	{(DWORD)ERROR_INVALID_FLAGS, "The flags are wrong."},
	{(DWORD)ERROR_NO_UNICODE_TRANSLATION, "The text is not in this code page."},
	{(DWORD)ERROR_IO_DEVICE, "The device failed."},
	{(DWORD)ERROR_NOT_FOUND, "The item was not found."},
	{(DWORD)ERROR_CANCELLED, "The user canceled the operation."},
	{(DWORD)ERROR_CONNECTION_REFUSED, "The connection was refused."},
	{(DWORD)ERROR_CONNECTION_INVALID, "There is no such connection."},
	{(DWORD)ERROR_CONNECTION_ACTIVE, "There is a connection already."},
	{(DWORD)ERROR_NETWORK_UNREACHABLE, "The network cannot be reached."},
	{(DWORD)ERROR_HOST_UNREACHABLE, "The host cannot be reached."},
	{(DWORD)ERROR_CONNECTION_ABORTED, "The connection was aborted."},
	{(DWORD)ERROR_INTERNAL_ERROR, "An internal error occurred."},
	{(DWORD)ERROR_NO_SYSTEM_RESOURCES, "The system has not enough resources."},
	{(DWORD)ERROR_WORKING_SET_QUOTA, "No more memory may be locked."},
	{(DWORD)ERROR_TIMEOUT, "The operation timed out."},
	{(DWORD)ERROR_DEVICE_REMOVED, "The device was removed."},
	{(DWORD)WSAEINTR, "The call was interrupted."},
	{(DWORD)WSAEBADF, "The descriptor is invalid."},
	{(DWORD)WSAEACCES, "Access to the socket is denied."},
	{(DWORD)WSAEFAULT, "The address is invalid, or the buffer too small."},
	{(DWORD)WSAEINVAL, "An argument is wrong."},
	{(DWORD)WSAEMFILE, "Too many sockets are open."},
	{(DWORD)WSAEWOULDBLOCK, "The call would have to wait."},
	{(DWORD)WSAEINPROGRESS, "Another call is under way."},
	{(DWORD)WSAEALREADY, "The operation is under way already."},
	{(DWORD)WSAENOTSOCK, "This is no socket."},
	{(DWORD)WSAEDESTADDRREQ, "An address to send to is missing."},
	{(DWORD)WSAEMSGSIZE, "The message is too long."},
	{(DWORD)WSAEPROTOTYPE, "The protocol is not for this type of socket."},
	{(DWORD)WSAENOPROTOOPT, "There is no such option."},
	{(DWORD)WSAEPROTONOSUPPORT, "The protocol is not supported."},
	{(DWORD)WSAESOCKTNOSUPPORT, "The type of socket is not supported."},
	{(DWORD)WSAEOPNOTSUPP, "The operation is not supported."},
	{(DWORD)WSAEAFNOSUPPORT, "The address family is not supported."},
	{(DWORD)WSAEADDRINUSE, "The address is in use."},
	{(DWORD)WSAEADDRNOTAVAIL, "The address is not one of this machine."},
	{(DWORD)WSAENETDOWN, "The network is down."},
	{(DWORD)WSAENETUNREACH, "The network cannot be reached."},
	{(DWORD)WSAENETRESET, "The network dropped the connection."},
	{(DWORD)WSAECONNABORTED, "The connection was aborted."},
	{(DWORD)WSAECONNRESET, "The connection was reset by the other side."},
	{(DWORD)WSAENOBUFS, "There is no buffer space."},
	{(DWORD)WSAEISCONN, "The socket is connected already."},
	{(DWORD)WSAENOTCONN, "The socket is not connected."},
	{(DWORD)WSAESHUTDOWN, "The socket was shut down."},
	{(DWORD)WSAETIMEDOUT, "The other side did not answer in time."},
	{(DWORD)WSAECONNREFUSED, "The connection was refused by the other side."},
	{(DWORD)WSAEHOSTDOWN, "The host is down."},
	{(DWORD)WSAEHOSTUNREACH, "The host cannot be reached."},
	{(DWORD)WSASYSNOTREADY, "The network is not ready."},
	{(DWORD)WSAVERNOTSUPPORTED, "This version of sockets is not supported."},
	{(DWORD)WSANOTINITIALISED, "WSAStartup has not been called."},
	{(DWORD)WSATYPE_NOT_FOUND, "The service was not found."},
	{(DWORD)WSAHOST_NOT_FOUND, "The host was not found."},
	{(DWORD)WSATRY_AGAIN, "The host was not found for the moment."},
	{(DWORD)WSANO_RECOVERY, "The name server failed."},
	{(DWORD)WSANO_DATA, "The name has no address of this kind."},
	{(DWORD)E_NOTIMPL, "This is not implemented."},
	{(DWORD)E_NOINTERFACE, "There is no such interface."},
	{(DWORD)E_POINTER, "A pointer is invalid."},
	{(DWORD)E_OUTOFMEMORY, "There is not enough memory."},
	{(DWORD)CLASS_E_NOAGGREGATION, "The class cannot be part of another object."},
	{(DWORD)CLASS_E_CLASSNOTAVAILABLE, "The class is not available."},
	{(DWORD)ND_TIMEOUT, "The operation timed out."},
	{(DWORD)ND_PENDING, "The request is under way."},
	{(DWORD)ND_BUFFER_OVERFLOW, "The buffer is too small."},
	{(DWORD)ND_DEVICE_BUSY, "The object is in use."},
	{(DWORD)ND_NO_MORE_ENTRIES, "The queue is full."},
	{(DWORD)ND_UNSUCCESSFUL, "The request failed."},
	{(DWORD)ND_ACCESS_VIOLATION, "The memory does not allow this access."},
	{(DWORD)ND_INVALID_HANDLE, "The handle is invalid."},
	{(DWORD)ND_INVALID_PARAMETER, "A parameter is wrong."},
	{(DWORD)ND_INVALID_DEVICE_REQUEST, "The request is not for this object."},
	{(DWORD)ND_NO_MEMORY, "There is not enough memory."},
	{(DWORD)ND_INVALID_PARAMETER_MIX, "The parameters do not go together."},
	{(DWORD)ND_DATA_OVERRUN, "The data does not fit."},
	{(DWORD)ND_SHARING_VIOLATION, "Another process uses the object."},
	{(DWORD)ND_INSUFFICIENT_RESOURCES, "The adapter has not enough resources."},
	{(DWORD)ND_DEVICE_NOT_READY, "The adapter is not ready."},
	{(DWORD)ND_IO_TIMEOUT, "The other side did not answer in time."},
	{(DWORD)ND_NOT_SUPPORTED, "This is not supported."},
	{(DWORD)ND_INTERNAL_ERROR, "An internal error occurred."},
	{(DWORD)ND_INVALID_PARAMETER_1, "The first parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_2, "The second parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_3, "The third parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_4, "The fourth parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_5, "The fifth parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_6, "The sixth parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_7, "The seventh parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_8, "The eighth parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_9, "The ninth parameter is wrong."},
	{(DWORD)ND_INVALID_PARAMETER_10, "The tenth parameter is wrong."},
	{(DWORD)ND_CANCELED, "The request was canceled."},
	{(DWORD)ND_REMOTE_ERROR, "The other side reported an error."},
	{(DWORD)ND_INVALID_ADDRESS, "The address is invalid."},
	{(DWORD)ND_INVALID_DEVICE_STATE, "The object is not in a state for this."},
	{(DWORD)ND_INVALID_BUFFER_SIZE, "The size of the buffer is wrong."},
	{(DWORD)ND_TOO_MANY_ADDRESSES, "There are too many addresses."},
	{(DWORD)ND_ADDRESS_ALREADY_EXISTS, "The address is in use."},
	{(DWORD)ND_CONNECTION_REFUSED, "The connection was refused."},
	{(DWORD)ND_CONNECTION_INVALID, "There is no connection."},
	{(DWORD)ND_CONNECTION_ACTIVE, "There is a connection already."},
	{(DWORD)ND_NETWORK_UNREACHABLE, "The network cannot be reached."},
	{(DWORD)ND_HOST_UNREACHABLE, "The host cannot be reached."},
	{(DWORD)ND_CONNECTION_ABORTED, "The connection was aborted."},
	{(DWORD)ND_DEVICE_REMOVED, "The adapter was removed."},
};

static const char *text_of(DWORD code)
{
	/* An HRESULT from HRESULT_FROM_WIN32 contains the error number in its low 16 bits. */
	if ((code & 0xFFFF0000u) == 0x80070000u)
		code &= 0xFFFFu;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		if (messages[i].code == code)
			return messages[i].text;
	return NULL;
}

/* ---- Inserts in a message: %1, %2!u!, %n ---------------------------------------------------- */

struct inserts {
	DWORD_PTR values[INSERTS];
	bool none, wide;
};

/*
 * Reads the arguments of all inserts before put_text() writes the first one. Inserts may come in
 * any order, but a va_list can be read in one order only.
 */
static struct inserts fetch(const char *text, DWORD flags, va_list *arguments, bool wide)
{
	struct inserts inserts = {.none = (flags & FORMAT_MESSAGE_IGNORE_INSERTS) || !arguments,
				  .wide = wide};
	unsigned most = 0;

	for (const char *at = text; !inserts.none && *at; at++)
		if (at[0] == '%' && at[1] == '%')
			at++;
		else if (at[0] == '%' && at[1] >= '1' && at[1] <= '9' &&
			 (unsigned)(at[1] - '0') > most)
			most = (unsigned)(at[1] - '0');
	for (unsigned i = 0; i < most; i++)
		inserts.values[i] = flags & FORMAT_MESSAGE_ARGUMENT_ARRAY
					    ? ((DWORD_PTR *)(void *)arguments)[i]
					    : va_arg(*arguments, DWORD_PTR);
	return inserts;
}

static void format_one(FILE *out, bool wide, const char *format, ...)
{
	struct compat_units units;
	wchar_t *wide_format = wide ? compat_widen(format) : NULL;
	va_list arguments;
	size_t n;

	va_start(arguments, format);
	compat_format(&units, wide ? (const void *)wide_format : format, wide, arguments);
	va_end(arguments);
	char *bytes = units.failed ? NULL : compat_units_bytes(&units, wide, &n);

	if (bytes)
		fwrite(bytes, 1, n, out);
	free(bytes);
	free(wide_format);
	compat_units_free(&units);
}

/* Writes the argument for the insert whose digit is at `at`. Returns the text behind the insert. */
static const char *put_insert(FILE *out, const char *at, const struct inserts *inserts)
{
	DWORD_PTR value = inserts->values[*at - '1'];
	const char *end = at[1] == '!' ? strchr(at + 2, '!') : NULL;
	char format[32] = "%s";

	if (end && (size_t)(end - at) < sizeof(format))
		snprintf(format, sizeof(format), "%%%.*s", (int)(end - at - 2), at + 2);
	format_one(out, inserts->wide, format, value);
	return end ? end + 1 : at + 1;
}

/*
 * Writes the text with its inserts replaced, or unchanged if `ignore` is true. Returns false if the
 * text ends with %0, which means that no line end follows.
 */
static bool put_text(FILE *out, const char *text, const struct inserts *inserts, bool ignore)
{
	for (const char *at = text; *at;) {
		if (*at != '%' || ignore) {
			fputc(*at++, out);
			continue;
		}
		at++;
		if (*at == '0')
			return false;
		if (*at >= '1' && *at <= '9' && !inserts->none) {
			at = put_insert(out, at, inserts);
			continue;
		}
		if (*at == 'n')
			fputs("\r\n", out);
		else if (*at >= '1' && *at <= '9')
			fprintf(out, "%%%c", *at);
		else if (*at)
			fputc(*at, out);
		at += *at != 0;
	}
	return true;
}

static char *compose(DWORD flags, const char *source, DWORD code, va_list *arguments, bool wide)
{
	const char *text = flags & FORMAT_MESSAGE_FROM_STRING ? source : text_of(code);
	char *result = NULL;
	size_t bytes;
	FILE *out = text ? open_memstream(&result, &bytes) : NULL;

	if (!out)
		return NULL;
	struct inserts inserts = fetch(text, flags, arguments, wide);
	bool line = put_text(out, text, &inserts, flags & FORMAT_MESSAGE_IGNORE_INSERTS);

	if (line && !(flags & FORMAT_MESSAGE_FROM_STRING))
		fputs((flags & FORMAT_MESSAGE_MAX_WIDTH_MASK) == FORMAT_MESSAGE_MAX_WIDTH_MASK
			      ? " "
			      : "\r\n",
		      out);
	fclose(out);
	return result;
}

/* ---- FormatMessage -------------------------------------------------------------------------- */

static DWORD give(const char *text, DWORD flags, void *buffer, DWORD size, bool wide)
{
	size_t unit = wide ? sizeof(wchar_t) : 1, room = size;

	if (flags & FORMAT_MESSAGE_ALLOCATE_BUFFER) {
		room = strlen(text) + 1 > size ? strlen(text) + 1 : size;
		*(void **)buffer = LocalAlloc(LPTR, room * unit);
		buffer = *(void **)buffer;
		if (!buffer)
			return (DWORD)compat_fail(ERROR_NOT_ENOUGH_MEMORY);
	}
	size_t length = compat_copy_out(buffer, room, wide, text);

	return length < room ? (DWORD)length : (DWORD)compat_fail(ERROR_INSUFFICIENT_BUFFER);
}

static DWORD message(DWORD flags, const char *source, DWORD code, void *buffer, DWORD size,
		     va_list *arguments, bool wide)
{
	const DWORD sources = FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_FROM_SYSTEM |
			      FORMAT_MESSAGE_FROM_HMODULE;

	if (!buffer || !(flags & sources) || ((flags & FORMAT_MESSAGE_FROM_STRING) && !source))
		return (DWORD)compat_fail(ERROR_INVALID_PARAMETER);
	char *text = compose(flags, source, code, arguments, wide);

	if (!text)
		return (DWORD)compat_fail(ERROR_MR_MID_NOT_FOUND);
	DWORD result = give(text, flags, buffer, size, wide);

	free(text);
	return result;
}

DWORD FormatMessageA(DWORD flags, LPCVOID source, DWORD code, DWORD language, LPSTR buffer,
		     DWORD size, va_list *arguments)
{
	(void)language;
	return message(flags, source, code, buffer, size, arguments, false);
}

DWORD FormatMessageW(DWORD flags, LPCVOID source, DWORD code, DWORD language, LPWSTR buffer,
		     DWORD size, va_list *arguments)
{
	char *text = flags & FORMAT_MESSAGE_FROM_STRING ? compat_narrow(source) : NULL;
	DWORD result = message(flags, text, code, buffer, size, arguments, true);

	(void)language;
	free(text);
	return result;
}
