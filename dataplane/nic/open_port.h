/* Opens the port of an adapter, and the pool of packet buffers that the ports of a process receive
 * into. For every program that has a port of its own: adapters (runtime.c), and softrnicd. To be
 * called in a control thread, after EAL has started. */
#ifndef RN_NIC_OPEN_PORT_H
#define RN_NIC_OPEN_PORT_H

#include "config/config.h"
#include "port/claim.h"
#include "port/port.h"

struct rte_mempool;
struct rn_daemon_service;

struct rn_open_port {
	const struct rn_config *cfg;
	unsigned index; /* of the adapter in cfg */
	struct rte_mempool *pool;
	/* Gets the claims on the addresses, if the port is a kernel interface. All zero before. The
	 * caller releases the claims, also after an error. */
	struct rn_claims *claims;
	/* the attachment to softrnicd, if the port is the daemon's */
	struct rn_daemon_service *daemon;
	/* called when the driver announces something about the port (struct rn_port_spec) */
	void (*news)(void *arg);
	void *news_arg;
};

/* Computes the number of packet buffers that all adapters need, and how many bytes of data each
 * packet buffer must hold. Needs no EAL. */
void rn_open_port_pool_size(const struct rn_config *cfg, unsigned *mbufs, unsigned *room);
/* Creates the pool, with properties that the ports of all adapters need. Returns NULL if there is
 * no memory. rn_pool_destroy() frees it. */
struct rte_mempool *rn_open_port_pool(const struct rn_config *cfg, const char *name, unsigned mbufs,
				      unsigned room);
/* Opens a port of any kind except a ring port, which has no device. Returns 0, or -errno with a
 * sentence in err. */
int rn_open_port(struct rn_port **port, const struct rn_open_port *spec, char *err, size_t errlen);

#endif
