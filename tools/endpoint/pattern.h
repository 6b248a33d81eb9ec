/* Data that shows when a byte of it is wrong, shifted, missing or from another message. Any thread. */
#ifndef TOOLS_PATTERN_H
#define TOOLS_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The pattern is one long run of bytes that never repeats; message number k is the piece of it that begins at
 * pattern_offset(k). So a sender fills memory once, and messages that follow each other differ. */
enum { PATTERN_SPREAD = 65536 };

/* Bytes of pattern that messages of up to `bytes` need. */
static inline size_t pattern_bytes(uint32_t bytes)
{
	return (size_t)bytes + PATTERN_SPREAD;
}

void pattern_fill(uint8_t *to, size_t bytes, uint64_t seed);
/* Less than PATTERN_SPREAD, a multiple of 64; comes again after 1021 messages. */
size_t pattern_offset(uint64_t message);
/* The first byte of `got` that is not as in `want`; `bytes` when all are. */
size_t pattern_differs(const uint8_t *got, const uint8_t *want, size_t bytes);
/* Ends the program (endpoint.h: die) with a sentence when `got` is not message number `message`; `pattern` was filled with
 * the sender's seed. */
void pattern_check(const uint8_t *got, const uint8_t *pattern, uint64_t message, uint32_t bytes);

#endif
