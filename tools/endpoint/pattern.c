/* Fills memory with the test pattern and checks received data. Keeps no state. Any thread may call
 * these functions. */
#include "pattern.h"

#include <string.h>

#include "endpoint.h"

/* Returns a hash of x: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void pattern_fill(uint8_t *to, size_t bytes, uint64_t seed)
{
	for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
		uint64_t word = mix(mix(seed + 1) + at);
		memcpy(to + at, &word, bytes - at < sizeof(word) ? bytes - at : sizeof(word));
	}
}

size_t pattern_offset(uint64_t message)
{
	return (size_t)(message * 7 % 1021) * 64;
}

size_t pattern_differs(const uint8_t *got, const uint8_t *want, size_t bytes)
{
	size_t at = 0;
	if (memcmp(got, want, bytes) == 0)
		return bytes;
	while (got[at] == want[at])
		at++;
	return at;
}

void pattern_check(const uint8_t *got, const uint8_t *pattern, uint64_t message, uint32_t bytes)
{
	const uint8_t *want = pattern + pattern_offset(message);
	size_t at = pattern_differs(got, want, bytes);
	if (at < bytes)
		die("wrong data: byte %zu of message %llu, which has %u, is 0x%02x instead of 0x%02x",
		    at, (unsigned long long)message, bytes, got[at], want[at]);
}
