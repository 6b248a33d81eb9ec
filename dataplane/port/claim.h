/* Makes sure that only one adapter uses an address of a kernel interface: two adapters with the
 * same address would take packets from each other. A claim is a listening abstract unix socket
 * per interface, VLAN and address. Abstract names belong to the network namespace, as the
 * interface does, and the kernel releases them when the process ends, however it ends. */
#ifndef RN_CLAIM_H
#define RN_CLAIM_H

#include <stddef.h>

#include "net/port_attr.h"

struct rn_claims {
	unsigned n;
	int fd[RN_PORT_GIDS];
};

/* Claims all addresses of the port. *claims must be zero before. Returns 0; -EADDRINUSE with a
 * sentence in err that names the process which holds an address; or -errno with a sentence. On
 * failure nothing is claimed. Called in the control thread. */
int rn_claims_take(struct rn_claims *claims, const char *iface, const struct rn_port_attr *port,
		   char *err, size_t errlen);

/* To be called periodically by the adapter that holds the claims: every process that looks up the
 * holder of a claim leaves a connection in the socket's short backlog, which this function empties.
 * Does not block. */
void rn_claims_accept(const struct rn_claims *claims);

/* Releases all claims. */
void rn_claims_drop(struct rn_claims *claims);

#endif
