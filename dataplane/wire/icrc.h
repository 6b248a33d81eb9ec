/* The invariant CRC that ends every RoCEv2 packet (wire rules, section 2). Pure functions; any thread.
 *
 * It is CRC-32 as in zlib over eight 0xFF bytes, then everything from the IP header to the pad bytes, in which the
 * fields that routers may change read as ones. A value travels least significant byte first. */
#ifndef RN_ICRC_H
#define RN_ICRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC of the eight 0xFF bytes; also the residue: what rn_icrc_add() of a right ICRC's own bytes ends in. */
#define RN_ICRC_SEED 0x2144DF1Cu

/* The value of len bytes from the IP header on: of a whole packet up to its last pad byte, or of its first piece, which
 * reaches at least to the end of the BTH. The bytes are not changed. */
uint32_t rn_icrc_packet(const uint8_t *ip, size_t len);
/* The same on any processor, for those that cannot do it better; and for tests. */
uint32_t rn_icrc_packet_by_copy(const uint8_t *ip, size_t len);
/* Continues a value over further bytes, in pieces of any length and alignment. */
uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len);

#endif
