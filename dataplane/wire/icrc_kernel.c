/* How is the CRC-32 of many bytes computed on each kind of processor? Owns the table of kernels.
 * The kernels that fold work on several sums at once, because a carry-less multiplication takes
 * several cycles, but a new one can start each cycle. At the end the sums are folded into one.
 *
 * Stateless. Any thread may call these functions. */
#include "wire/icrc_kernel.h"

#include <isa-l/crc.h>

#include "base/types.h"

#define FOLDING_256 __attribute__((target("pclmul,avx2,vpclmulqdq")))
#define FOLDING_512 __attribute__((target("pclmul,avx2,vpclmulqdq,avx512f")))

/* Two factors for moving a sum forward by n bytes: x^(8 n + 63) for its low half and x^(8 n - 1)
 * for its high half, modulo the CRC polynomial. Bits are reflected. */
static const uint64_t by_16[2] = {0x1751997d0, 0x0ccaa009e};
static const uint64_t by_32[2] = {0x0f1da05aa, 0x15a546366};
static const uint64_t by_64[2] = {0x154442bd4, 0x1c6e41596};
static const uint64_t by_128[2] = {0x1e88ef372, 0x14a7fe880};
static const uint64_t by_256[2] = {0x11542778a, 0x1322d1430};

/* rn_fold() by another distance than 16 bytes. */
RN_FOLDING static inline __m128i fold_128(__m128i sum, __m128i block, const uint64_t *by)
{
	__m128i factors = _mm_loadu_si128((const void *)by);
	__m128i lo = _mm_clmulepi64_si128(sum, factors, 0x00);
	__m128i hi = _mm_clmulepi64_si128(sum, factors, 0x11);

	return _mm_xor_si128(_mm_xor_si128(lo, hi), block);
}

FOLDING_256 static inline __m256i fold_256(__m256i sum, __m256i block, const uint64_t *by)
{
	__m256i factors = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)by));
	__m256i lo = _mm256_clmulepi64_epi128(sum, factors, 0x00);
	__m256i hi = _mm256_clmulepi64_epi128(sum, factors, 0x11);

	return _mm256_xor_si256(_mm256_xor_si256(lo, hi), block);
}

FOLDING_512 static inline __m512i fold_512(__m512i sum, __m512i block, const uint64_t *by)
{
	__m512i factors = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)by));
	__m512i lo = _mm512_clmulepi64_epi128(sum, factors, 0x00);
	__m512i hi = _mm512_clmulepi64_epi128(sum, factors, 0x11);

	return _mm512_ternarylogic_epi64(lo, hi, block, 0x96); /* XOR of all three */
}

/* Continues a CRC over fewer bytes than a block. */
RN_FOLDING static uint32_t add_short(uint32_t crc, const uint8_t *p, size_t len)
{
	if (len < 16)
		return crc32_gzip_refl(crc, p, len);
	return ~rn_fold_end(rn_fold_bytes(rn_fold_begin(crc, p), p + 16, len - 16));
}

/* ---- 128-bit registers: eight sums of 16 bytes ---- */

#define BLOCK_128 128u

RN_FOLDING static inline uint32_t finish_128(__m128i s[8], const uint8_t *rest, size_t len)
{
	for (unsigned i = 0; i < 4; i++)
		s[i] = fold_128(s[i], s[i + 4], by_64);
	for (unsigned i = 0; i < 2; i++)
		s[i] = fold_128(s[i], s[i + 2], by_32);
	return ~rn_fold_end(rn_fold_bytes(fold_128(s[0], s[1], by_16), rest, len));
}

RN_FOLDING static uint32_t add_128(uint32_t crc, const uint8_t *p, size_t len)
{
	__m128i s[8];
	size_t at;

	if (len < BLOCK_128)
		return add_short(crc, p, len);
	for (unsigned i = 0; i < 8; i++)
		s[i] = _mm_loadu_si128((const void *)(p + 16 * (size_t)i));
	s[0] = rn_fold_begin(crc, p);
	for (at = BLOCK_128; at + BLOCK_128 <= len; at += BLOCK_128)
		for (unsigned i = 0; i < 8; i++)
			s[i] = fold_128(s[i], _mm_loadu_si128((const void *)(p + at + 16 * i)),
					by_128);
	return finish_128(s, p + at, len - at);
}

RN_FOLDING static uint32_t end_128(const uint8_t *sums, const uint8_t *rest, size_t len)
{
	__m128i s[8];

	for (unsigned i = 0; i < 8; i++)
		s[i] = _mm_loadu_si128((const void *)(sums + 16 * (size_t)i));
	return finish_128(s, rest, len);
}

/* ---- 256-bit registers: eight pairs of sums ---- */

#define BLOCK_256 256u

FOLDING_256 static inline uint32_t finish_256(__m256i s[8], const uint8_t *rest, size_t len)
{
	for (unsigned i = 0; i < 4; i++)
		s[i] = fold_256(s[i], s[i + 4], by_128);
	for (unsigned i = 0; i < 2; i++)
		s[i] = fold_256(s[i], s[i + 2], by_64);
	s[0] = fold_256(s[0], s[1], by_32);
	return ~rn_fold_end(rn_fold_bytes(
		fold_128(_mm256_castsi256_si128(s[0]), _mm256_extracti128_si256(s[0], 1), by_16),
		rest, len));
}

FOLDING_256 static uint32_t add_256(uint32_t crc, const uint8_t *p, size_t len)
{
	__m256i s[8];
	size_t at;

	if (len < BLOCK_256)
		return add_short(crc, p, len);
	for (unsigned i = 0; i < 8; i++)
		s[i] = _mm256_loadu_si256((const void *)(p + 32 * (size_t)i));
	s[0] = _mm256_xor_si256(s[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)~crc)));
	for (at = BLOCK_256; at + BLOCK_256 <= len; at += BLOCK_256)
		for (unsigned i = 0; i < 8; i++)
			s[i] = fold_256(s[i], _mm256_loadu_si256((const void *)(p + at + 32 * i)),
					by_256);
	return finish_256(s, p + at, len - at);
}

FOLDING_256 static uint32_t end_256(const uint8_t *sums, const uint8_t *rest, size_t len)
{
	__m256i s[8];

	for (unsigned i = 0; i < 8; i++)
		s[i] = _mm256_loadu_si256((const void *)(sums + 32 * (size_t)i));
	return finish_256(s, rest, len);
}

/* ---- 512-bit registers: four times four sums ---- */

#define BLOCK_512 256u

FOLDING_512 static inline uint32_t finish_512(__m512i s[4], const uint8_t *rest, size_t len)
{
	__m256i half;

	for (unsigned i = 0; i < 2; i++)
		s[i] = fold_512(s[i], s[i + 2], by_128);
	s[0] = fold_512(s[0], s[1], by_64);
	half = fold_256(_mm512_castsi512_si256(s[0]), _mm512_extracti64x4_epi64(s[0], 1), by_32);
	return ~rn_fold_end(rn_fold_bytes(
		fold_128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1), by_16),
		rest, len));
}

FOLDING_512 static uint32_t add_512(uint32_t crc, const uint8_t *p, size_t len)
{
	__m512i s[4];
	size_t at;

	if (len < BLOCK_512)
		return add_short(crc, p, len);
	for (unsigned i = 0; i < 4; i++)
		s[i] = _mm512_loadu_si512(p + 64 * (size_t)i);
	s[0] = _mm512_xor_si512(s[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)~crc)));
	for (at = BLOCK_512; at + BLOCK_512 <= len; at += BLOCK_512)
		for (unsigned i = 0; i < 4; i++)
			s[i] = fold_512(s[i], _mm512_loadu_si512(p + at + 64 * i), by_256);
	return finish_512(s, p + at, len - at);
}

FOLDING_512 static uint32_t end_512(const uint8_t *sums, const uint8_t *rest, size_t len)
{
	__m512i s[4];

	for (unsigned i = 0; i < 4; i++)
		s[i] = _mm512_loadu_si512(sums + 64 * (size_t)i);
	return finish_512(s, rest, len);
}

static_assert(BLOCK_256 <= RN_ICRC_BLOCK_MAX && BLOCK_512 <= RN_ICRC_BLOCK_MAX,
	      "a buffer of RN_ICRC_BLOCK_MAX bytes has room for all sums");

const struct rn_icrc_kernel rn_icrc_kernels[RN_ICRC_KERNELS] = {
	[RN_ICRC_ISAL] = {"isal", 0, NULL, crc32_gzip_refl, NULL},
	[RN_ICRC_PCLMUL] = {"pclmul", BLOCK_128, by_128, add_128, end_128},
	[RN_ICRC_VPCLMUL256] = {"vpclmul256", BLOCK_256, by_256, add_256, end_256},
	[RN_ICRC_VPCLMUL512] = {"vpclmul512", BLOCK_512, by_256, add_512, end_512},
};
