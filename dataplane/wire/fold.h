/* The steps with which icrc.c computes the CRC-32 of the ICRC by carry-less multiplication, 16
 * bytes at a time. All functions are pure, and any thread may call them. A caller checks
 * rn_fold_usable() first.
 *
 * Bits are reflected: bit 0 of the first byte is the highest power of x. `sum` is a polynomial of
 * 128 bits, congruent to all bytes so far modulo the CRC polynomial P. A new block of 16 bytes is
 * added by sum = low half * x^191 + high half * x^127 + block (mod P). */
#ifndef RN_FOLD_H
#define RN_FOLD_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Attribute of the functions that use carry-less multiplication. These functions use AVX encoding
 * because ISA-L leaves values in the upper halves of the vector registers. Instructions in SSE
 * encoding would take an extra step each to preserve these halves. */
#define RN_FOLDING __attribute__((target("pclmul,avx")))

/* Has this processor the instructions that the functions below need? */
static inline bool rn_fold_usable(void)
{
	return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx");
}

RN_FOLDING static inline __m128i rn_fold(__m128i sum, __m128i block)
{
	const __m128i by_block = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	__m128i lo = _mm_clmulepi64_si128(sum, by_block, 0x00);
	__m128i hi = _mm_clmulepi64_si128(sum, by_block, 0x11);

	return _mm_xor_si128(_mm_xor_si128(lo, hi), block);
}

/* Adds the last n (1..15) bytes of a packet to `sum`. `last` holds the last 16 bytes of the packet.
 * `sum` followed by the n new bytes is a string of 16 + n bytes: the first n bytes are folded into
 * the last 16 bytes. */
RN_FOLDING static inline __m128i rn_fold_rest(__m128i sum, __m128i last, size_t n)
{
	/* A shuffle mask is 16 bytes loaded from this table. The offset of the load decides by how
	 * many places the mask moves bytes. 0x80 puts a zero into a place. */
	static const uint8_t shifts[46] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0,	1,    2,    3,	  4,	5,    6,    7,	  8,
		9,    10,   11,	  12,	13,   14,   15,	  0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	};
	/* `up` moves the first n bytes of `sum` to the end. `down` moves the other 16 - n bytes of
	 * `sum` to the front. */
	__m128i up = _mm_loadu_si128((const void *)(shifts + n - 1));
	__m128i down = _mm_loadu_si128((const void *)(shifts + 15 + n));

	/* The blend puts the n new bytes into the places that `down` leaves empty. */
	return rn_fold(_mm_shuffle_epi8(sum, up),
		       _mm_blendv_epi8(_mm_shuffle_epi8(sum, down), last, down));
}

/* Returns the sum of the first 16 bytes of data that continue a CRC. The CRC so far is XOR-ed into
 * the first four bytes. zlib stores CRCs complemented: hence the ~ here, and on the result of
 * rn_fold_end(). */
RN_FOLDING static inline __m128i rn_fold_begin(uint32_t crc, const uint8_t *p)
{
	return _mm_xor_si128(_mm_loadu_si128((const void *)p), _mm_cvtsi32_si128((int)~crc));
}

/* Adds len bytes, of any length, to `sum`. The 16 bytes before p are readable. */
RN_FOLDING static inline __m128i rn_fold_bytes(__m128i sum, const uint8_t *p, size_t len)
{
	for (; len >= 16; p += 16, len -= 16)
		sum = rn_fold(sum, _mm_loadu_si128((const void *)p));
	return len ? rn_fold_rest(sum, _mm_loadu_si128((const void *)(p + len - 16)), len) : sum;
}

/* Returns the 32-bit remainder of sum * x^32 modulo P. The first product replaces the high half of
 * `sum` by a congruent polynomial of 32 bits, which leaves 96 bits, with the highest power of x in
 * bit 0. Then the multiple of P that has the same lowest 64 bits is subtracted: the other 32 bits
 * are the remainder. */
RN_FOLDING static inline uint32_t rn_fold_end(__m128i sum)
{
	const __m128i x95 = _mm_set_epi64x(0x0ccaa009e, 0);
	/* low half: P; high half: 1 / P modulo x^64, in the order of the bits in the register */
	const __m128i by_p = _mm_set_epi64x((int64_t)0xb4e5b025f7011641, 0x1db710641);
	__m128i quotient;

	sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, x95, 0x10));
	quotient = _mm_clmulepi64_si128(sum, by_p, 0x10);
	sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(quotient, by_p, 0x00));
	return (uint32_t)_mm_extract_epi32(sum, 2);
}

#endif
