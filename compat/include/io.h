/* Functions for file descriptors under their Windows names, which begin with an underscore. */
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

/* isatty() under its Windows name: returns whether the descriptor is a terminal. */
int _isatty(int descriptor);

/*
 * Checks its arguments and changes nothing: files have no text mode here, and wide text is always
 * stored as UTF-8. Returns _O_BINARY as the former mode, or -1 on error.
 */
int _setmode(int descriptor, int mode);

/* close() under its Windows name: closes a file descriptor. */
int _close(int descriptor);

/*
 * read() under its Windows name: returns the number of bytes read, 0 at the end of the file, -1 on
 * error.
 */
int _read(int descriptor, void *buffer, unsigned count);

/* write() under its Windows name: returns the number of bytes written, or -1 on error. */
int _write(int descriptor, const void *buffer, unsigned count);

/* dup() under its Windows name: returns a duplicate of a file descriptor, or -1 on error. */
int _dup(int descriptor);

/*
 * Makes the descriptor `to` a duplicate of `descriptor`. Returns 0, or -1 on error. dup2() of Linux
 * returns the new descriptor instead.
 */
int _dup2(int descriptor, int to);

/*
 * access() under its Windows name: returns 0 if the file exists and may be used as `mode` demands,
 * otherwise -1.
 */
int _access(const char *name, int mode);

/* unlink() under its Windows name: deletes a file. */
int _unlink(const char *name);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
