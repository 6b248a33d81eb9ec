/* Test data that reveals a wrong, shifted or missing byte, and a byte of another message. Any
 * thread. */
#ifndef TOOLS_PATTERN_H
#define TOOLS_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The pattern is one long sequence of bytes that never repeats; message number k is the part that
 * begins at pattern_offset(k). So a sender fills its memory once, and successive messages
 * differ. */
enum { PATTERN_SPREAD = 65536 };

/* Bytes of pattern needed for messages of up to `bytes`. */
static inline size_t pattern_bytes(uint32_t bytes)
{
	return (size_t)bytes + PATTERN_SPREAD;
}

void pattern_fill(uint8_t *to, size_t bytes, uint64_t seed);
/* A multiple of 64 below PATTERN_SPREAD; the offsets repeat after 1021 messages. */
size_t pattern_offset(uint64_t message);
/* The index of the first byte of `got` that differs from `want`; `bytes` if all are equal. */
size_t pattern_differs(const uint8_t *got, const uint8_t *want, size_t bytes);
/* Ends the program (die() of endpoint.h) if `got` is not message number `message`. `pattern` was
 * filled with the sender's seed. */
void pattern_check(const uint8_t *got, const uint8_t *pattern, uint64_t message, uint32_t bytes);

#endif
