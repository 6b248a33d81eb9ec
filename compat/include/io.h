/* Descriptors, under the names with an underscore. */
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

/* As isatty. */
int _isatty(int descriptor);

/* Changes nothing, since there is no text mode, and wide text is UTF-8 always. Returns _O_BINARY, or -1. */
int _setmode(int descriptor, int mode);

/* As close. */
int _close(int descriptor);

/* As read. */
int _read(int descriptor, void *buffer, unsigned count);

/* As write. */
int _write(int descriptor, const void *buffer, unsigned count);

/* As dup. */
int _dup(int descriptor);

/* 0 or -1. */
int _dup2(int descriptor, int to);

/* As access. */
int _access(const char *name, int mode);

/* As unlink. */
int _unlink(const char *name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
