/* Translates the bytes of an ARP message to a struct and back. Pure functions, which any thread may
 * call. */
#include "wire/arp_msg.h"

#include <string.h>

/* Hardware type 1 (Ethernet), protocol type 0x0800 (IPv4), address lengths 6 and 4. */
static const uint8_t ethernet_ipv4[6] = {0, 1, 0x08, 0x00, 6, 4};

/* Stores an IPv4 address as the GID ::ffff:a.b.c.d, because all other code handles only GIDs. */
static void ipv4_get(const uint8_t *p, struct rn_gid *gid)
{
	memset(gid->b, 0, 10);
	gid->b[10] = gid->b[11] = 0xff;
	memcpy(gid->b + 12, p, 4);
}

bool rn_arp_parse(const uint8_t *p, size_t len, struct rn_arp *arp)
{
	if (len < RN_ARP_BYTES || memcmp(p, ethernet_ipv4, 6) != 0)
		return false;
	/* Offsets: 6 operation, 8 sender MAC, 14 sender IP, 18 target MAC, 24 target IP. */
	arp->op = (uint16_t)(p[6] << 8 | p[7]);
	if (arp->op != RN_ARP_REQUEST && arp->op != RN_ARP_REPLY)
		return false;
	memcpy(arp->sender_mac, p + 8, 6);
	ipv4_get(p + 14, &arp->sender);
	memcpy(arp->target_mac, p + 18, 6);
	ipv4_get(p + 24, &arp->target);
	return true;
}

void rn_arp_build(const struct rn_arp *arp, uint8_t p[RN_ARP_BYTES])
{
	memcpy(p, ethernet_ipv4, 6);
	p[6] = (uint8_t)(arp->op >> 8);
	p[7] = (uint8_t)arp->op;
	memcpy(p + 8, arp->sender_mac, 6);
	memcpy(p + 14, arp->sender.b + 12, 4);
	memcpy(p + 18, arp->target_mac, 6);
	memcpy(p + 24, arp->target.b + 12, 4);
}
