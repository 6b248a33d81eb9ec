/* The ICRC of a packet in two parts: the IP and UDP headers, and the bytes from the BTH to the pad.
 * Packets of one connection that have the same length mostly have the same IP and UDP headers, so a
 * caller can keep the CRC of the first part. All functions are pure. Any thread may call them. */
#ifndef RN_ICRC_PARTS_H
#define RN_ICRC_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/types.h"
#include "wire/fold.h"
#include "wire/hdr.h"

/* The longest second part, in bytes, for which the CRC in two parts is the fastest way. */
#define RN_ICRC_TAIL_MAX 256u

/* Returns the CRC after the UDP header. `ip` is the IP header, without options; the UDP header
 * follows it. */
uint32_t rn_icrc_head(const uint8_t *ip);
/* Continues the CRC of rn_icrc_head() over the n bytes from the BTH to the last pad byte, 12 or
 * more. The result is the ICRC, the same as that of rn_icrc_packet(). */
uint32_t rn_icrc_tail(uint32_t crc, const uint8_t *bth, size_t n);

/* rn_icrc_tail() as an inline function, for 16 bytes or more. The caller has checked
 * rn_fold_usable().
 *
 * The CRC so far is XOR-ed into the first four bytes. If the payload is a multiple of 16 bytes, the
 * BTH becomes a block of its own with four zero bytes in front, which do not count. All other
 * blocks are whole then. */
RN_FOLDING static inline uint32_t rn_icrc_tail_folded(uint32_t crc, const uint8_t *bth, size_t n)
{
	const __m128i ecn = _mm_set_epi32(0, 0, 0xFF, 0);
	__m128i sum =
		_mm_xor_si128(_mm_loadu_si128((const void *)bth), _mm_cvtsi32_si128((int)~crc));
	const uint8_t *p = bth + 16;
	size_t left = n - 16;

	static_assert(RN_BTH_ECN == 4 && RN_BTH_BYTES == 12, "`ecn`, and the four zero bytes");
	sum = _mm_or_si128(sum, ecn);
	if (rn_likely(n % 16 == RN_BTH_BYTES)) {
		sum = _mm_slli_si128(sum, 4);
		p = bth + RN_BTH_BYTES;
		left = n - RN_BTH_BYTES;
	}
	for (; left >= 64; left -= 64, p += 64) {
		sum = rn_fold(sum, _mm_loadu_si128((const void *)p));
		sum = rn_fold(sum, _mm_loadu_si128((const void *)(p + 16)));
		sum = rn_fold(sum, _mm_loadu_si128((const void *)(p + 32)));
		sum = rn_fold(sum, _mm_loadu_si128((const void *)(p + 48)));
	}
	sum = rn_fold_bytes(sum, p, left);
	return ~rn_fold_end(sum);
}

#endif
