/* Writes bytes to a stream of narrow or wide orientation. Any thread may call this function. */
#ifndef COMPAT_STREAM_H
#define COMPAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes all n bytes under the lock of the stream. Output of other threads does not mix with these
 * bytes. Returns false if the stream failed.
 */
bool compat_stream_write(FILE *stream, const char *bytes, size_t n);

#endif
