/* What is the ICRC of a packet, if the CRC of its IP and UDP headers is known? The fields that
 * routers may change are read as ones, as in icrc.c. Stateless. Any thread may call these
 * functions. */
#include "wire/icrc_parts.h"

#include <string.h>

#include "base/types.h"
#include "wire/fold.h"
#include "wire/hdr.h"
#include "wire/icrc.h"

uint32_t rn_icrc_head(const uint8_t *ip)
{
	uint8_t masked[RN_IPV6_BYTES + RN_UDP_BYTES];
	bool v4 = ip[0] >> 4 == 4;
	size_t n = (v4 ? RN_IPV4_BYTES : RN_IPV6_BYTES) + RN_UDP_BYTES;

	memcpy(masked, ip, n);
	if (v4) {
		masked[RN_IPV4_TOS] = masked[RN_IPV4_TTL] = 0xFF;
		memset(masked + RN_IPV4_CHECKSUM, 0xFF, 2);
	} else {
		masked[0] |= 0x0F;
		memset(masked + 1, 0xFF, 3);
		masked[RN_IPV6_HOPS] = 0xFF;
	}
	memset(masked + n - RN_UDP_BYTES + RN_UDP_CHECKSUM, 0xFF, 2);
	return rn_icrc_add(RN_ICRC_SEED, masked, n);
}

RN_FOLDING static __attribute__((noinline)) uint32_t tail_by_folding(uint32_t crc,
								     const uint8_t *bth, size_t n)
{
	return rn_icrc_tail_folded(crc, bth, n);
}

static __attribute__((noinline)) uint32_t tail_by_copy(uint32_t crc, const uint8_t *bth, size_t n)
{
	uint8_t masked[RN_BTH_BYTES];

	memcpy(masked, bth, sizeof(masked));
	masked[RN_BTH_ECN] = 0xFF;
	crc = rn_icrc_add(crc, masked, sizeof(masked));
	return rn_icrc_add(crc, bth + sizeof(masked), n - sizeof(masked));
}

uint32_t rn_icrc_tail(uint32_t crc, const uint8_t *bth, size_t n)
{
	if (rn_likely(n >= 16 && n <= RN_ICRC_TAIL_MAX && rn_fold_usable()))
		return tail_by_folding(crc, bth, n);
	return tail_by_copy(crc, bth, n);
}
