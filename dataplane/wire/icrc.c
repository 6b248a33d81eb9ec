/* Is this packet what its sender wrote? The CRC itself is ISA-L's; here is what is masked. Any thread. */
#include "icrc.h"

#include <isa-l/crc.h>
#include <string.h>

#include "hdr.h"
#include "types.h"

/* Masking takes a copy. One call over a copy of the whole packet beats two calls up to about a kilobyte; of longer
 * packets the first 512 bytes are copied, because ISA-L is slower below 256 bytes than above, and the rest is read in
 * place. */
#define ONE_CALL 1088u
#define HEAD_OF_LONG 512u

#define HEAD_V4 (RN_IPV4_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)
#define HEAD_V6 (RN_IPV6_BYTES + RN_UDP_BYTES + RN_BTH_BYTES)

/* Ones where a field reads as ones. */
static const uint8_t mask_v4[HEAD_V4] = {
	[RN_IPV4_TOS] = 0xFF,
	[RN_IPV4_TTL] = 0xFF,
	[RN_IPV4_CHECKSUM] = 0xFF,
	[RN_IPV4_CHECKSUM + 1] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_CHECKSUM] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_CHECKSUM + 1] = 0xFF,
	[RN_IPV4_BYTES + RN_UDP_BYTES + RN_BTH_ECN] = 0xFF,
};
static const uint8_t mask_v6[HEAD_V6] = {
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

/* Whole blocks and no single bytes: the CRC loads blocks right afterwards, and a load that meets several younger, smaller
 * stores waits for all of them. The last block overlaps the one before. */
static inline void put_masked(uint8_t *to, const uint8_t *from, const uint8_t *mask, unsigned n)
{
	for (unsigned at = 0;; at += sizeof(block)) {
		block b, m;
		if (at + sizeof(block) > n)
			at = n - sizeof(block);
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

uint32_t rn_icrc_packet(const uint8_t *ip, size_t len)
{
	uint8_t masked[ONE_CALL];
	size_t head = len <= ONE_CALL ? len : HEAD_OF_LONG;

	rn_assert(len >= (ip[0] >> 4 == 4 ? HEAD_V4 : HEAD_V6));
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
