/* The invariant CRC (ICRC) at the end of every RoCEv2 packet (docs/spec/rocev2.md 2). Pure
 * functions; any thread.
 *
 * The ICRC is the CRC-32 of zlib over eight 0xFF bytes and then all bytes from the IP header to
 * the pad, with the fields that routers may change replaced by ones. On the wire the ICRC is
 * little-endian. */
#ifndef RN_ICRC_H
#define RN_ICRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of the eight 0xFF bytes. It is also the residue: continuing the CRC of a packet over
 * the bytes of its correct ICRC gives this value again. */
#define RN_ICRC_SEED 0x2144DF1Cu

/* Returns the ICRC of the first len bytes of a packet, counted from the IP header. For a whole
 * packet the last of these bytes is the last pad byte. If they are only the first piece of a
 * packet, they must include the whole BTH, and rn_icrc_add() continues with the next piece. Changes
 * no bytes. */
uint32_t rn_icrc_packet(const uint8_t *ip, size_t len);
/* Returns the same value as rn_icrc_packet(), computed without PCLMULQDQ and AVX: for processors
 * that lack these instructions, and for tests to compare with. */
uint32_t rn_icrc_packet_by_copy(const uint8_t *ip, size_t len);
/* Continues an ICRC over len further bytes, of any length and alignment. */
uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len);

#endif
