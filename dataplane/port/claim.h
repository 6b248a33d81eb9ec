/* An address of a kernel interface belongs to one adapter: two that answer for it take packets from
 * each other. A claim is an abstract unix socket per interface, VLAN and address; these names
 * belong to the network namespace as the interface does, and the kernel releases them with the
 * process, however it ends. */
#ifndef RN_CLAIM_H
#define RN_CLAIM_H

#include <stddef.h>

#include "port_attr.h"

struct rn_claims {
	unsigned n;
	int fd[RN_PORT_GIDS];
};

/* For all addresses of the port. 0; -EADDRINUSE with a sentence in err that names the process which
 * has one of them; -errno with a sentence. On failure nothing is claimed. *claims is all zero
 * before. */
int rn_claims_take(struct rn_claims *claims, const char *iface, const struct rn_port_attr *port,
		   char *err, size_t errlen);

/* Now and then by the holder: others who ask leave an entry in a short queue of the kernel. Does
 * not wait. */
void rn_claims_answer(const struct rn_claims *claims);

void rn_claims_drop(struct rn_claims *claims);

#endif
