/* The invariant CRC (ICRC) at the end of every RoCEv2 packet (docs/spec/rocev2.md 2). The ICRC is
 * zlib's CRC-32 over eight 0xFF bytes and all bytes from the IP header to the pad. Fields that
 * routers may change are read as ones. On the wire the ICRC is little-endian. All functions are
 * pure. Any thread may call these functions. */
#ifndef RN_ICRC_H
#define RN_ICRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of the eight 0xFF bytes. Also the residue: the CRC of a packet that includes its correct
 * ICRC equals this number. */
#define RN_ICRC_SEED 0x2144DF1Cu

/* Returns the ICRC of a packet of len bytes, from the IP header to the last pad byte. len may also
 * cover only the first part of the packet, with at least the whole BTH. rn_icrc_add() then
 * continues with the rest. The packet is not changed. */
uint32_t rn_icrc_packet(const uint8_t *ip, size_t len);
/* Returns the same value as rn_icrc_packet(), but uses neither PCLMULQDQ nor AVX. Meant for
 * processors without these instructions, and for tests. */
uint32_t rn_icrc_packet_by_copy(const uint8_t *ip, size_t len);
/* Continues an ICRC over len further bytes, of any length and alignment. */
uint32_t rn_icrc_add(uint32_t crc, const void *data, size_t len);

#endif
