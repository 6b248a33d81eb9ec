/* The functions for file descriptors whose names begin with an underscore. */
#ifndef COMPAT_IO_H
#define COMPAT_IO_H

#include "corecrt.h"

#define _O_TEXT	   0x4000
#define _O_BINARY  0x8000
#define _O_WTEXT   0x10000
#define _O_U16TEXT 0x20000
#define _O_U8TEXT  0x40000

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Same as isatty(). */
int _isatty(int descriptor);

/*
 * Changes nothing: there is no text mode, and wide text is always UTF-8. Returns _O_BINARY, or -1
 * on error.
 */
int _setmode(int descriptor, int mode);

/* Same as close(). */
int _close(int descriptor);

/* Same as read(). */
int _read(int descriptor, void *buffer, unsigned count);

/* Same as write(). */
int _write(int descriptor, const void *buffer, unsigned count);

/* Same as dup(). */
int _dup(int descriptor);

/* Returns 0, or -1 on error; dup2() returns the descriptor. */
int _dup2(int descriptor, int to);

/* Same as access(). */
int _access(const char *name, int mode);

/* Same as unlink(). */
int _unlink(const char *name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
