/* Writing bytes to a stream of either orientation, narrow or wide. Any thread may call this. */
#ifndef COMPAT_STREAM_H
#define COMPAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes all n bytes while holding the lock of the stream, so that output of other threads does not
 * mix with them. Returns false if the stream failed.
 */
bool compat_stream_write(FILE *stream, const char *bytes, size_t n);

#endif
