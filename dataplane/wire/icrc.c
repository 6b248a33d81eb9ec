/* Is this packet what its sender wrote? The CRC itself is ISA-L's; here is what is masked. Any thread. */
#include "icrc.h"

#include <isa-l/crc.h>
#include <string.h>

#include "hdr.h"

/* A packet of up to this many bytes is masked and summed in one call; of a longer one, the first ONE_CALL bytes. */
#define ONE_CALL 192u

static void mask_headers(uint8_t *ip)
{
	uint8_t *udp;

	if (ip[0] >> 4 == 4) {
		ip[RN_IPV4_TOS] = 0xFF;
		ip[RN_IPV4_TTL] = 0xFF;
		memset(ip + RN_IPV4_CHECKSUM, 0xFF, 2);
		udp = ip + RN_IPV4_BYTES;
	} else {
		ip[0] |= 0x0F;
		memset(ip + 1, 0xFF, 3);
		ip[RN_IPV6_HOPS] = 0xFF;
		udp = ip + RN_IPV6_BYTES;
	}
	memset(udp + RN_UDP_CHECKSUM, 0xFF, 2);
	udp[RN_UDP_BYTES + RN_BTH_ECN] = 0xFF;
}

uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len)
{
	return crc32_gzip_refl(crc, data, len);
}

uint32_t rn_icrc_packet(const uint8_t *ip, size_t len)
{
	uint8_t masked[ONE_CALL];
	size_t head = len < ONE_CALL ? len : ONE_CALL;

	memcpy(masked, ip, head);
	mask_headers(masked);
	uint32_t crc = rn_icrc_add(RN_ICRC_SEED, masked, head);
	return head == len ? crc : rn_icrc_add(crc, ip + head, len - head);
}
