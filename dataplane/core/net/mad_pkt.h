/* The headers of a MAD, a packet from QP1 to QP1. A pure function, which any thread may call. */
#ifndef RN_MAD_PKT_H
#define RN_MAD_PKT_H

#include "net/port_attr.h"
#include "wire/pkt.h"

/* The addresses with which a MAD is sent. src is an address of the port. */
struct rn_mad_way {
	struct rn_gid src, dst;
	uint8_t dmac[6];
	uint8_t tclass;
};

/* Sets all fields of *out. `mad` has RN_MAD_BYTES and must stay until the frame is built. */
void rn_mad_pkt(struct rn_pkt *out, const struct rn_port_attr *port, const struct rn_mad_way *way,
		uint32_t psn, const uint8_t *mad);

#endif
