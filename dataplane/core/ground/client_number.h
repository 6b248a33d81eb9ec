/* Client numbers. Several processes, the clients, may share one port and its addresses through a
 * switch (dataplane/switch). Each client has a number, which is the upper part of all its QPNs and
 * communication ids. A packet for the port names its receiver by such a QPN or id, so the number of
 * the client is part of every packet, and the switch needs no state of the protocol to find the
 * client. Other hosts do not know about the numbers. */
#ifndef RN_CLIENT_NUMBER_H
#define RN_CLIENT_NUMBER_H

#include <stdint.h>

/* The port has one user, whose QPNs and communication ids are from the whole range. */
#define RN_CLIENT_NONE 0u
/* Greatest client number. 255 is not used: it is the upper part of the multicast QPN. */
#define RN_CLIENT_MAX 254u
/* width in bits of the lower part of a QPN and of a communication id */
#define RN_CLIENT_QPN_SHIFT 16
#define RN_CLIENT_ID_SHIFT  24

/* Returns how many QPNs a client has at least on each of its shards. A QPN belongs to the shard
 * that its remainder modulo nshards names, and the ends of the range can cost a shard one QPN. */
static inline uint32_t rn_client_shard_qpns(uint32_t nshards)
{
	const uint32_t all = 1u << RN_CLIENT_QPN_SHIFT;

	return all / nshards - (all % nshards != 0);
}

static inline unsigned rn_client_of_qpn(uint32_t qpn)
{
	return qpn >> RN_CLIENT_QPN_SHIFT & 0xFF;
}

static inline unsigned rn_client_of_id(uint32_t comm_id)
{
	return comm_id >> RN_CLIENT_ID_SHIFT;
}

#endif
