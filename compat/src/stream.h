/* Bytes to a stream, whatever kind it is. Any thread. */
#ifndef COMPAT_STREAM_H
#define COMPAT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* False: the stream has an error. The text appears in one piece. */
bool compat_stream_write(FILE *stream, const char *bytes, size_t n);

#endif
