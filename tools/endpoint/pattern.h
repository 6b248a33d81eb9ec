/* Test data that shows every error: a wrong, shifted or missing byte, and a byte of another
 * message. Any thread may call these functions. */
#ifndef TOOLS_PATTERN_H
#define TOOLS_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The pattern is one long sequence of bytes that does not repeat. Message number k begins at
 * pattern_offset(k), below PATTERN_SPREAD. So a sender fills its memory once, and successive
 * messages still differ. */
enum { PATTERN_SPREAD = 65536 };

/* Returns how many bytes of the pattern are needed for messages of up to `bytes` bytes. */
static inline size_t pattern_bytes(uint32_t bytes)
{
	return (size_t)bytes + PATTERN_SPREAD;
}

void pattern_fill(uint8_t *to, size_t bytes, uint64_t seed);
/* Returns the offset in the pattern at which a message begins: a multiple of 64 below
 * PATTERN_SPREAD. The offsets repeat after 1021 messages. */
size_t pattern_offset(uint64_t message);
/* Returns the index of the first byte of `got` that differs from `want`. Returns `bytes` if all
 * bytes are equal. */
size_t pattern_differs(const uint8_t *got, const uint8_t *want, size_t bytes);
/* Ends the program (die() of endpoint.h) unless `got` is message number `message`. `pattern` must
 * have been filled with the sender's seed. */
void pattern_check(const uint8_t *got, const uint8_t *pattern, uint64_t message, uint32_t bytes);

#endif
