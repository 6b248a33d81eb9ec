/* The ICRC of a packet in two parts: the IP and UDP headers, and the bytes from the BTH to the pad.
 * Packets of one connection that have the same length mostly have the same IP and UDP headers, so a
 * caller can keep the CRC of the first part. All functions are pure. Any thread may call them. */
#ifndef RN_ICRC_PARTS_H
#define RN_ICRC_PARTS_H

#include <stddef.h>
#include <stdint.h>

/* The longest second part, in bytes, for which the CRC in two parts is the fastest way. */
#define RN_ICRC_TAIL_MAX 256u

/* Returns the CRC after the UDP header. `ip` is the IP header, without options; the UDP header
 * follows it. */
uint32_t rn_icrc_head(const uint8_t *ip);
/* Continues the CRC of rn_icrc_head() over the n bytes from the BTH to the last pad byte, 12 or
 * more. The result is the ICRC, the same as that of rn_icrc_packet(). */
uint32_t rn_icrc_tail(uint32_t crc, const uint8_t *bth, size_t n);

#endif
