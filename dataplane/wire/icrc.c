/* What is the invariant CRC of this packet? Stateless; any thread.
 *
 * The CRC reads some header fields as if all their bits were ones ("masked"). If these bits are set
 * in memory, in place or in a copy, the CRC must wait: it loads blocks of memory soon after parts
 * of them were stored, and the processor cannot forward such partial stores to a load. For short
 * packets this wait is longer than the CRC itself. Hence three methods:
 * - Up to 256 bytes: the headers are masked in registers, and the CRC is computed here by
 *   carry-less multiplication.
 * - More than 256 bytes, a multiple of 4 that has_powers() accepts: ISA-L computes the CRC of the
 *   unmasked packet, and the result is corrected for the masked bits.
 * - Any other packet, and every packet on a processor without PCLMULQDQ or AVX: the packet is
 *   masked in a copy. */
#include "wire/icrc.h"

#include <immintrin.h>
#include <isa-l/crc.h>
#include <string.h>

#include "wire/hdr.h"
#include "base/types.h"

/* For masking in a copy. A packet of up to ONE_CALL bytes is copied as a whole, because one ISA-L
 * call is then faster than two. Of a longer packet only the first HEAD_OF_LONG bytes are copied; a
 * second ISA-L call reads the rest in place. A smaller HEAD_OF_LONG would be slower, because ISA-L
 * takes more time per byte for data of less than 256 bytes. */
#define ONE_CALL     1088u
#define HEAD_OF_LONG 512u

#define HEAD_V4 (RN_IPV4_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)
#define HEAD_V6 (RN_IPV6_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)

/* The masks have a 1 for each header bit that the CRC reads as a one. All these bits lie before
 * byte HEAD_MAX; MASKED is HEAD_MAX rounded up to a multiple of 16. 16 zeros follow, so that 16
 * bytes of mask can be loaded at any offset up to MASKED. */
#define HEAD_MAX 60u
#define MASKED	 64u
static_assert(HEAD_V4 <= HEAD_MAX && HEAD_V6 <= HEAD_MAX, "masks end before MASKED");
static const uint8_t mask_v4[MASKED + 16] = {
	[RN_IPV4_TOS] = 0xFF,
	[RN_IPV4_TTL] = 0xFF,
	[RN_IPV4_CHECKSUM] = 0xFF,
	[RN_IPV4_CHECKSUM + 1] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_CHECKSUM] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_CHECKSUM + 1] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_BYTES + RN_BTH_ECN] = 0xFF,
};
static const uint8_t mask_v6[MASKED + 16] = {
	[0] = 0x0F,
	[1] = 0xFF,
	[2] = 0xFF,
	[3] = 0xFF,
	[RN_IPV6_HOPS] = 0xFF,
	[RN_IPV6_BYTES + RN_UDP_CHECKSUM] = 0xFF,
	[RN_IPV6_BYTES + RN_UDP_CHECKSUM + 1] = 0xFF,
	[RN_IPV6_BYTES + RN_UDP_BYTES + RN_BTH_ECN] = 0xFF,
};

typedef uint8_t block __attribute__((vector_size(16)));

/* Copies n bytes with the mask applied, in blocks of 16. The CRC loads the same blocks right
 * afterwards: if a block had been stored in smaller pieces, its load would have to wait for all of
 * them. If n is not a multiple of 16, the last block overlaps the one before. */
static inline void put_masked(uint8_t *to, const uint8_t *from, const uint8_t *mask, unsigned n)
{
	for (unsigned at = 0;; at += sizeof(block)) {
		block b, m;
		at = RN_MIN(at, n - (unsigned)sizeof(block));
		memcpy(&b, from + at, sizeof(b));
		memcpy(&m, mask + at, sizeof(m));
		b |= m;
		memcpy(to + at, &b, sizeof(b));
		if (at + sizeof(block) == n)
			return;
	}
}

uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len)
{
	return crc32_gzip_refl(crc, data, len);
}

uint32_t rn_icrc_packet_by_copy(const uint8_t *ip, size_t len)
{
	uint8_t masked[ONE_CALL];
	size_t head = len <= ONE_CALL ? len : HEAD_OF_LONG;

	if (ip[0] >> 4 == 4) {
		put_masked(masked, ip, mask_v4, HEAD_V4);
		memcpy(masked + HEAD_V4, ip + HEAD_V4, head - HEAD_V4);
	} else {
		put_masked(masked, ip, mask_v6, HEAD_V6);
		memcpy(masked + HEAD_V6, ip + HEAD_V6, head - HEAD_V6);
	}
	uint32_t crc = rn_icrc_add(RN_ICRC_SEED, masked, head);
	return head == len ? crc : rn_icrc_add(crc, ip + head, len - head);
}

/* ---- with carry-less multiplication ----
 *
 * Bits are reflected: bit 0 of the first byte is the highest power of x. `sum` is a polynomial of
 * 128 bits that is congruent, modulo the CRC polynomial P, to all bytes so far. Each block of 16
 * bytes multiplies it by x^128: sum = low half * x^191 + high half * x^127 + block (mod P). */

/* The longest packet, in bytes, whose CRC is computed by fold() alone. Folding the beginning of a
 * longer packet and leaving the rest to ISA-L would be slower: ISA-L could start only after the CRC
 * of the beginning is known. */
#define FOLDED 256u

/* Attribute of the functions that use carry-less multiplication. They need the AVX encoding of
 * vector instructions, because ISA-L leaves values in the upper halves of the vector registers. An
 * instruction in SSE encoding must preserve the upper half of its register, which costs an extra
 * step each time. */
#define FOLDING __attribute__((target("pclmul,avx")))

FOLDING static inline __m128i fold(__m128i sum, __m128i block)
{
	const __m128i by_block = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
	__m128i lo = _mm_clmulepi64_si128(sum, by_block, 0x00);
	__m128i hi = _mm_clmulepi64_si128(sum, by_block, 0x11);

	return _mm_xor_si128(_mm_xor_si128(lo, hi), block);
}

/* Adds the last n (1..15) bytes of a packet to `sum`; `last` holds the packet's final 16 bytes. The
 * 16 bytes of `sum` and the n new bytes form one string; its first n bytes are folded into its last
 * 16. */
FOLDING static inline __m128i fold_rest(__m128i sum, __m128i last, size_t n)
{
	/* 16 bytes loaded from this table at some offset are a shuffle mask that moves bytes by n
	 * places and fills the rest with zeros (index 0x80). */
	static const uint8_t shifts[46] = {
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0,	1,    2,    3,	  4,	5,    6,    7,	  8,
		9,    10,   11,	  12,	13,   14,   15,	  0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	};
	/* `up` keeps the first n bytes of the sum and moves them to the end; `down` keeps the
	 * others and moves them to the front. */
	__m128i up = _mm_loadu_si128((const void *)(shifts + n - 1));
	__m128i down = _mm_loadu_si128((const void *)(shifts + 15 + n));

	/* The blend puts the n new bytes into the places that `down` leaves empty. */
	return fold(_mm_shuffle_epi8(sum, up),
		    _mm_blendv_epi8(_mm_shuffle_epi8(sum, down), last, down));
}

/* The remainder of sum * x^32 modulo P, 32 bits: two folds to 64 bits, then a Barrett reduction. */
FOLDING static inline uint32_t reduce(__m128i sum)
{
	const __m128i low = _mm_set_epi32(0, -1, 0, -1);
	const __m128i x95 = _mm_set_epi64x(0x0ccaa009e, 0);
	const __m128i x63 = _mm_set_epi64x(0, 0x163cd6124);
	/* high: x^64 / P; low: P */
	const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
	__m128i t;

	sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, x95, 0x10));
	t = _mm_clmulepi64_si128(_mm_and_si128(sum, low), x63, 0x00);
	sum = _mm_xor_si128(_mm_srli_si128(sum, 4), t);
	t = _mm_clmulepi64_si128(_mm_and_si128(sum, low), barrett, 0x10);
	t = _mm_clmulepi64_si128(_mm_and_si128(t, low), barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, t), 1);
}

FOLDING static inline __m128i masked_block(const uint8_t *p, const uint8_t *mask)
{
	return _mm_or_si128(_mm_loadu_si128((const void *)p), _mm_loadu_si128((const void *)mask));
}

/* The bits of a block that masking would change from 0 to 1. */
FOLDING static inline __m128i changed_block(const uint8_t *p, const uint8_t *mask)
{
	return _mm_andnot_si128(_mm_loadu_si128((const void *)p),
				_mm_loadu_si128((const void *)mask));
}

/* Returns the CRC of a packet of at most FOLDED bytes. The start value of a CRC is XOR-ed into the
 * packet's first four bytes. zlib stores CRCs complemented: hence ~ on RN_ICRC_SEED and on the
 * result. */
FOLDING static uint32_t packet_by_folding(const uint8_t *ip, size_t len, const uint8_t *mask)
{
	__m128i sum = _mm_xor_si128(masked_block(ip, mask), _mm_cvtsi32_si128((int)~RN_ICRC_SEED));
	size_t at;

	for (at = 16; at + 16 <= len && at < MASKED; at += 16)
		sum = fold(sum, masked_block(ip + at, mask + at));
	for (; at + 16 <= len; at += 16)
		sum = fold(sum, _mm_loadu_si128((const void *)(ip + at)));
	if (at < len)
		sum = fold_rest(sum, masked_block(ip + len - 16, mask + RN_MIN(len - 16, MASKED)),
				len - at);
	return ~reduce(sum);
}

/* Tables that serve to advance a CRC by n = 256 i + 4 j bytes, that is, to multiply it by x^(8 n) =
 * x^(2048 i) * x^(32 j), modulo P. The first table holds x^(2048 i), the second x^(32 j - 194),
 * both with reflected bits.
 *
 * The exponent -194 makes up for two calls of product() below: one multiplies the two powers, the
 * other multiplies the CRC by their product. Each call multiplies its result by a further x^97. Of
 * this, x^65 arises because the carry-less product of two 32-bit remainders ends 65 bits before the
 * end of the 128-bit sum. The other x^32 comes from reduce(). */
static const uint32_t power_of_256_bytes[] = {
	0x80000000, 0xec447f11, 0x8e7ea170, 0x05616c82, 0x6427800e, 0x5ef840e2,
	0xbf110f7e, 0x118f848e, 0x4d47bae0, 0xa84bdc84, 0x0b19ae7f, 0xaf5619bc,
	0x6347a4bd, 0xd91ef3cb, 0x13d40d42, 0x5b6cda72, 0x09fe548f, 0x3a7f1119,
	0x5f58ea19, 0x0a872662, 0x923b0526, 0xf27886e9, 0xced83e9e, 0x3274df68,
	0x552d4042, 0xb0aad506, 0x35f2abeb, 0x1e139bbc, 0x63c21244, 0x6ffe4f05,
	0x196613fe, 0x513a9268, 0x83852d0f, 0x3584c05e, 0x926483da, 0xb6be16b2,
};
static const uint32_t power_of_4_bytes[64] = {
	0x84a03c9c, 0x9e35b938, 0x4a966924, 0xd9444dd4, 0xba6ed02c, 0xb7a7390d, 0x6d930ac3,
	0x00000002, 0xaa09c88b, 0x4225077d, 0xec3b9e9f, 0x87a02563, 0xcace768c, 0xd93bcc0f,
	0x036bfa3a, 0x38c50d15, 0xf190af6b, 0x85f822cf, 0x545070c4, 0x7b63d9b8, 0xd399f81a,
	0x3b2a27ae, 0x4ed61b5f, 0xc51b5d6b, 0xca7b3044, 0x8767a169, 0xc7f4643d, 0x384f302a,
	0xb407419e, 0xaf8a9032, 0x20344662, 0x657c1dc5, 0xeb3f8d3a, 0x197d81da, 0x57e48731,
	0x63f0607e, 0x0330cdd0, 0xf96cdbc3, 0xe80df52a, 0x67ffea66, 0xfacaf420, 0x7e8250f4,
	0xdbb009b2, 0x4d6e187a, 0xe5a4c934, 0xfb3cad23, 0x3abb9c88, 0x1dd97181, 0x332ac1b6,
	0x78cf400f, 0x3a45af19, 0xb43760ba, 0x6613b27f, 0x30b81f4b, 0x51aa2f6d, 0xb2d91b02,
	0xcfef28ec, 0x78cad9da, 0xa47a9188, 0xd057ba9e, 0xe67ff416, 0x2671f13b, 0x7705ab0d,
	0x94517a86,
};

FOLDING static inline uint32_t product(uint32_t a, uint32_t b)
{
	return reduce(
		_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)a), _mm_cvtsi32_si128((int)b), 0x00));
}

/* True when the tables above suffice for a packet of len bytes: len is a multiple of 4, and fewer
 * than 9216 bytes follow the packet's first MASKED (64) bytes. */
static inline bool has_powers(size_t len)
{
	return len % 4 == 0 && len - MASKED < 256 * RN_ARRAY_SIZE(power_of_256_bytes);
}

/* The CRC of a longer packet. A CRC is linear: the CRC of the masked packet is the CRC of the
 * packet as it is, XOR the CRC of the bits that masking changes. The latter is computed over the
 * first 64 bytes and then advanced by the number of bytes that follow. The processor can compute
 * the two CRCs at the same time. */
FOLDING static uint32_t packet_by_difference(const uint8_t *ip, size_t len, const uint8_t *mask)
{
	size_t behind = (len - MASKED) / 4;
	uint32_t moved = product(power_of_256_bytes[behind / 64], power_of_4_bytes[behind % 64]);
	__m128i sum = changed_block(ip, mask);

	for (size_t at = 16; at < MASKED; at += 16)
		sum = fold(sum, changed_block(ip + at, mask + at));
	return rn_icrc_add(RN_ICRC_SEED, ip, len) ^ product(reduce(sum), moved);
}

uint32_t rn_icrc_packet(const uint8_t *ip, size_t len)
{
	bool v4 = ip[0] >> 4 == 4;

	rn_assert(len >= (v4 ? HEAD_V4 : HEAD_V6));
	if (rn_unlikely(!__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("avx")))
		return rn_icrc_packet_by_copy(ip, len);
	if (len <= FOLDED)
		return packet_by_folding(ip, len, v4 ? mask_v4 : mask_v6);
	return has_powers(len) ? packet_by_difference(ip, len, v4 ? mask_v4 : mask_v6)
			       : rn_icrc_packet_by_copy(ip, len);
}
