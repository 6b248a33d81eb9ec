/* The names in a CM message by which the switch forwards and checks it: communication ids, the
 * sender's QPN, the service id, and the addresses that the message itself gives. */
#ifndef RN_MAD_NAMES_H
#define RN_MAD_NAMES_H

#include "wire/cm_msg.h"

struct rn_mad_names {
	uint32_t sender;   /* communication id of the sender; 0: the message has none */
	uint32_t receiver; /* communication id of the receiver; 0: by service, or unknown */
	uint32_t qpn;	   /* QPN of the sender; 0: the message has none */
	bool by_service;   /* REQ and SIDR_REQ: the service id names the receiver */
	uint64_t service_id;
	bool may_lack_sender; /* the message may have 0 as the sender's communication id */
};

/* `mad` has RN_MAD_BYTES, from which *msg was parsed. */
struct rn_mad_names rn_mad_names(const struct rn_cm_msg *msg, const uint8_t *mad);

/* Does a REQ or SIDR_REQ say that it comes from the source address of its packet and from the node
 * with this GUID? Receivers take the address of the peer from the message, not from the packet.
 * Always true for other messages, and for an RDMA-CM header of an unknown version, which receivers
 * refuse. */
bool rn_mad_is_honest(const struct rn_cm_msg *msg, const struct rn_gid *src, uint64_t guid);

#endif
