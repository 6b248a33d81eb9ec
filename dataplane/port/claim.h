/* Makes sure that only one adapter uses an address of a kernel interface. Two adapters with the
 * same address would take packets from each other.
 * A claim is a listening unix socket with an abstract name, one per interface, VLAN and address.
 * Abstract names belong to the network namespace, as interfaces do. The kernel releases the name
 * however the process ends. */
#ifndef RN_CLAIM_H
#define RN_CLAIM_H

#include <stddef.h>

#include "net/port_attr.h"

struct rn_claims {
	unsigned n;
	int fd[RN_PORT_GIDS];
};

/* Claims all addresses of the port. *claims must be zero before. Returns 0, or -errno with a
 * sentence in err. With -EADDRINUSE the sentence names the process that holds an address. After an
 * error nothing is claimed. Called in the control thread. */
int rn_claims_take(struct rn_claims *claims, const char *iface, const struct rn_port_attr *port,
		   char *err, size_t errlen);

/* Empties the short backlog of the claim sockets: every process that looks up the holder of a claim
 * leaves a connection there. The adapter that holds the claims calls this function periodically.
 * Does not block. */
void rn_claims_accept(const struct rn_claims *claims);

/* Releases all claims. */
void rn_claims_drop(struct rn_claims *claims);

#endif
