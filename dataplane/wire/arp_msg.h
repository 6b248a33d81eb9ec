/* ARP over Ethernet for IPv4: 28 bytes after the EtherType. Pure functions, which any thread may
 * call. */
#ifndef RN_ARP_MSG_H
#define RN_ARP_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rn/abi.h"

#define RN_ETHERTYPE_ARP 0x0806
#define RN_ARP_BYTES	 28

enum rn_arp_op { RN_ARP_REQUEST = 1, RN_ARP_REPLY = 2 };

struct rn_arp {
	uint16_t op; /* enum rn_arp_op */
	uint8_t sender_mac[6], target_mac[6];
	struct rn_gid sender, target; /* IPv4 addresses in mapped form, ::ffff:a.b.c.d */
};

/* Parses an ARP message: p points to the len bytes after the EtherType. Ignores bytes after the 28
 * bytes of the message (Ethernet padding). Returns false, with *arp undefined, if:
 * - p has fewer than 28 bytes
 * - the message is not for Ethernet and IPv4
 * - the message is neither a request nor a reply */
bool rn_arp_parse(const uint8_t *p, size_t len, struct rn_arp *arp);
void rn_arp_build(const struct rn_arp *arp, uint8_t p[RN_ARP_BYTES]);

#endif
