/* Writes bytes to a stream, whether it is a narrow or a wide one. Any thread. */
#ifndef COMPAT_STREAM_H
#define COMPAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes all bytes while it holds the lock of the stream, so that other threads write before or
 * after. False: the stream failed.
 */
bool compat_stream_write(FILE *stream, const char *bytes, size_t n);

#endif
