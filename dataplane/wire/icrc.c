/* Computes the invariant CRC (ICRC) of a packet, with some header bits read as ones ("masked"). To
 * set these bits in memory would stall the loads that follow. The methods:
 * - Up to 256 bytes: mask the headers in registers; compute the CRC by carry-less multiplication.
 * - More than 256 bytes, if has_powers() accepts the length: compute the CRC of the unmasked packet
 *   (by the fastest kernel, icrc_kernel.h), then correct the result for the masked bits.
 * - Other lengths, or a processor without PCLMULQDQ or AVX: mask a copy of the packet.
 *
 * Stateless. Any thread may call these functions. */
#include "wire/icrc.h"

#include <isa-l/crc.h>
#include <string.h>

#include "wire/fold.h"
#include "wire/hdr.h"
#include "wire/icrc_kernel.h"
#include "base/types.h"

/* Sizes in bytes for masking a copy. A packet of up to ONE_CALL bytes is copied as a whole, for one
 * ISA-L call. Of a longer packet the first HEAD_OF_LONG bytes are copied, and a second ISA-L call
 * reads the rest in place. Below ONE_CALL bytes one call is faster than two. A smaller HEAD_OF_LONG
 * would be slower: ISA-L is slow for less than 256 bytes. */
#define ONE_CALL     1088u
#define HEAD_OF_LONG 512u

#define HEAD_V4 (RN_IPV4_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)
#define HEAD_V6 (RN_IPV6_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)

/* A mask has a 1 for each header bit that the ICRC reads as a one. All these bits lie before byte
 * HEAD_MAX. MASKED is HEAD_MAX rounded up to a multiple of 16. A mask has MASKED + 16 bytes; the
 * last 16 are zero, so that 16 bytes can be loaded at any offset up to MASKED. */
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

/* Copies n bytes and applies the mask, in blocks of 16 bytes. The last block may overlap the block
 * before. The CRC will load the same blocks: smaller stores would delay these loads. */
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

/* The longest packet, in bytes, whose CRC is computed by rn_fold() alone. For a longer packet,
 * rn_fold() for the first bytes and a kernel for the rest would be slower: the kernel would have to
 * wait for the result of rn_fold(). */
#define FOLDED 256u

/* rn_icrc_add() for 16 to FOLDED bytes. */
RN_FOLDING static uint32_t add_by_folding(uint32_t crc, const uint8_t *p, size_t len)
{
	return ~rn_fold_end(rn_fold_bytes(rn_fold_begin(crc, p), p + 16, len - 16));
}

/* rn_icrc_add() for 12 bytes: a BTH without extension headers. The sum is these bytes with four
 * zero bytes in front, which do not count. */
RN_FOLDING static uint32_t add_bth(uint32_t crc, const uint8_t *p)
{
	__m128i last = _mm_slli_si128(_mm_loadu_si32(p + 8), 12);
	__m128i first = _mm_slli_si128(
		_mm_xor_si128(_mm_loadl_epi64((const void *)p), _mm_cvtsi32_si128((int)~crc)), 4);

	return ~rn_fold_end(_mm_or_si128(first, last));
}

uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len)
{
	if (len >= 16 && len <= FOLDED && rn_likely(rn_fold_usable()))
		return add_by_folding(crc, data, len);
	if (len < 16)
		return len == RN_BTH_BYTES && rn_fold_usable() ? add_bth(crc, data)
							       : crc32_gzip_refl(crc, data, len);
	return rn_icrc_kernels[rn_icrc_kernel_best()].add(crc, data, len);
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
	uint32_t crc = crc32_gzip_refl(RN_ICRC_SEED, masked, head);
	return head == len ? crc : crc32_gzip_refl(crc, ip + head, len - head);
}

/* ---- with carry-less multiplication (fold.h) ---- */

RN_FOLDING static inline __m128i masked_block(const uint8_t *p, const uint8_t *mask)
{
	return _mm_or_si128(_mm_loadu_si128((const void *)p), _mm_loadu_si128((const void *)mask));
}

/* Returns the bits of a block that masking would change from 0 to 1. */
RN_FOLDING static inline __m128i changed_block(const uint8_t *p, const uint8_t *mask)
{
	return _mm_andnot_si128(_mm_loadu_si128((const void *)p),
				_mm_loadu_si128((const void *)mask));
}

/* Returns the CRC of a packet of at most FOLDED bytes. The start value of the CRC is XORed into the
 * first four bytes of the packet. zlib stores CRCs complemented: hence the ~ on RN_ICRC_SEED and on
 * the result. */
RN_FOLDING static uint32_t packet_by_folding(const uint8_t *ip, size_t len, const uint8_t *mask)
{
	__m128i sum = _mm_xor_si128(masked_block(ip, mask), _mm_cvtsi32_si128((int)~RN_ICRC_SEED));
	size_t at;

	for (at = 16; at + 16 <= len && at < MASKED; at += 16)
		sum = rn_fold(sum, masked_block(ip + at, mask + at));
	for (; at + 16 <= len; at += 16)
		sum = rn_fold(sum, _mm_loadu_si128((const void *)(ip + at)));
	if (at < len)
		sum = rn_fold_rest(sum,
				   masked_block(ip + len - 16, mask + RN_MIN(len - 16, MASKED)),
				   len - at);
	return ~rn_fold_end(sum);
}

/* Two tables for advancing a CRC by n = 256 i + 4 j bytes, that is, multiplying the CRC by x^(8 n)
 * modulo the CRC polynomial:
 * - power_of_256_bytes holds x^(2048 i)
 * - power_of_4_bytes holds x^(32 j - 194)
 *
 * Bits are reflected. Advancing calls product() twice: for the product of the two powers, then for
 * the CRC times that product. Each call of product() adds a factor of x^97: x^32 from
 * rn_fold_end(), and x^65 because rn_fold_end() reads the 63-bit product as the first bits of a
 * 128-bit number. The exponent -194 = 2 * -97 cancels both factors. */
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

RN_FOLDING static inline uint32_t product(uint32_t a, uint32_t b)
{
	return rn_fold_end(
		_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)a), _mm_cvtsi32_si128((int)b), 0x00));
}

/* True if the two tables suffice for a packet of len bytes. len must be a multiple of 4, and fewer
 * than 9216 bytes may follow the first MASKED (64) bytes. */
static inline bool has_powers(size_t len)
{
	return len % 4 == 0 && len - MASKED < 256 * RN_ARRAY_SIZE(power_of_256_bytes);
}

/* Returns the CRC of a packet of more than FOLDED bytes. CRC of the masked packet = CRC of the
 * unmasked packet XOR CRC of the bits that masking changes. The second CRC covers the first 64
 * bytes and is advanced by the number of bytes that follow. The processor computes both CRCs at the
 * same time. */
RN_FOLDING static uint32_t packet_by_difference(const uint8_t *ip, size_t len, const uint8_t *mask)
{
	size_t behind = (len - MASKED) / 4;
	uint32_t moved = product(power_of_256_bytes[behind / 64], power_of_4_bytes[behind % 64]);
	__m128i sum = changed_block(ip, mask);

	for (size_t at = 16; at < MASKED; at += 16)
		sum = rn_fold(sum, changed_block(ip + at, mask + at));
	return rn_icrc_add(RN_ICRC_SEED, ip, len) ^ product(rn_fold_end(sum), moved);
}

uint32_t rn_icrc_packet(const uint8_t *ip, size_t len)
{
	bool v4 = ip[0] >> 4 == 4;

	rn_assert(len >= (v4 ? HEAD_V4 : HEAD_V6));
	if (rn_unlikely(!rn_fold_usable()))
		return rn_icrc_packet_by_copy(ip, len);
	if (len <= FOLDED)
		return packet_by_folding(ip, len, v4 ? mask_v4 : mask_v6);
	return has_powers(len) ? packet_by_difference(ip, len, v4 ? mask_v4 : mask_v6)
			       : rn_icrc_packet_by_copy(ip, len);
}
