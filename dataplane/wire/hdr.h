/* Offsets, sizes (both in bytes) and flags of all header fields (docs/spec/rocev2.md 1), and loads
 * and stores of big-endian numbers. An offset counts from the first byte of its header. arp_msg.h
 * and icmp_msg.h have the fields of ARP and ICMP. */
#ifndef RN_HDR_H
#define RN_HDR_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Ethernet, 802.1Q */
#define RN_ETH_BYTES	     14u
#define RN_VLAN_BYTES	     4u
#define RN_ETH_SRC	     6u
#define RN_ETH_TYPE	     12u
#define RN_ETHERTYPE_IPV4    0x0800u
#define RN_ETHERTYPE_VLAN    0x8100u
#define RN_ETHERTYPE_IPV6    0x86DDu
#define RN_ETHERTYPE_ROCE_V1 0x8915u
#define RN_VLAN_VID	     0x0FFFu

/* IPv4 */
#define RN_IPV4_BYTES	  20u
#define RN_IPV4_TOS	  1u
#define RN_IPV4_LENGTH	  2u
#define RN_IPV4_ID	  4u
#define RN_IPV4_FRAGMENT  6u
#define RN_IPV4_TTL	  8u
#define RN_IPV4_PROTOCOL  9u
#define RN_IPV4_CHECKSUM  10u
#define RN_IPV4_SRC	  12u
#define RN_IPV4_DST	  16u
#define RN_IPV4_FLAG_RESV 0x8000u
#define RN_IPV4_FLAG_DF	  0x4000u
#define RN_IPV4_IN_PIECES 0x3FFFu /* MF flag and fragment offset; not 0 in a fragment */

/* IPv6 */
#define RN_IPV6_BYTES  40u
#define RN_IPV6_LENGTH 4u
#define RN_IPV6_NEXT   6u
#define RN_IPV6_HOPS   7u
#define RN_IPV6_SRC    8u
#define RN_IPV6_DST    24u

/* ECN: the low two bits of TOS or traffic class */
#define RN_ECT_0  2u
#define RN_ECN_CE 3u

#define RN_IPPROTO_UDP	    17u
#define RN_IPPROTO_FRAGMENT 44u

#define RN_ICMP_BYTES 8u
/* ICMPv6 types of neighbour discovery: router solicitation to redirect */
#define RN_ND_TYPE_FIRST 133u
#define RN_ND_TYPE_LAST	 137u

/* UDP */
#define RN_UDP_BYTES	8u
#define RN_UDP_SPORT	0u
#define RN_UDP_DPORT	2u
#define RN_UDP_LENGTH	4u
#define RN_UDP_CHECKSUM 6u

/* InfiniBand */
#define RN_BTH_BYTES	   12u
#define RN_BTH_FLAGS	   1u /* one byte: SE, M (migration), pad count, version */
#define RN_BTH_SE	   0x80u
#define RN_BTH_MIG	   0x40u
#define RN_BTH_PAD_SHIFT   4u
#define RN_BTH_VERSION	   0x0Fu
#define RN_BTH_PKEY	   2u
#define RN_BTH_ECN	   4u /* FECN, BECN, six reserved bits: masked in the ICRC */
#define RN_BTH_FECN	   0x80u
#define RN_BTH_BECN	   0x40u
#define RN_BTH_QPN	   5u
#define RN_BTH_ACKREQ_BYTE 8u
#define RN_BTH_ACKREQ	   0x80u
#define RN_BTH_PSN	   9u

#define RN_RETH_BYTES	    16u
#define RN_ATOMIC_ETH_BYTES 28u
#define RN_AETH_BYTES	    4u
#define RN_ATOMIC_ACK_BYTES 8u
#define RN_IMM_BYTES	    4u
#define RN_IETH_BYTES	    4u
#define RN_DETH_BYTES	    8u
#define RN_ICRC_BYTES	    4u
/* Reserved bytes that follow the BTH of a congestion notification. */
#define RN_CNP_BYTES 16u

static inline uint16_t rn_load16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline uint32_t rn_load24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t rn_load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline uint64_t rn_load64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline void rn_store16(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void rn_store24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)v;
}

static inline void rn_store32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void rn_store64(uint8_t *p, uint64_t v)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void rn_store_reth(uint8_t *p, uint64_t va, uint32_t rkey, uint32_t length)
{
	rn_store64(p, va);
	rn_store32(p + 8, rkey);
	rn_store32(p + 12, length);
}

/* Folds a ones' complement sum to 16 bits, in the byte order of memory. The result is 0xFFFF for
 * data that include a correct checksum. Three steps are enough for a sum of fewer than 65536
 * words: the second step leaves at most 0x1FFFE, and the third at most 0xFFFF. */
static inline uint16_t rn_fold_sum(uint64_t sum)
{
	sum = (sum >> 32) + (sum & 0xFFFFFFFFu);
	sum = (sum >> 16) + (sum & 0xFFFFu);
	sum = (sum >> 16) + (sum & 0xFFFFu);
	return (uint16_t)sum;
}

/* Is the checksum of an IPv4 header without options right? */
static inline bool rn_ipv4_checksum_right(const uint8_t *ip)
{
	uint32_t w[RN_IPV4_BYTES / 4];

	memcpy(w, ip, sizeof(w));
	return rn_fold_sum((uint64_t)w[0] + w[1] + w[2] + w[3] + w[4]) == 0xFFFF;
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "loads and stores swap bytes always");

#endif
