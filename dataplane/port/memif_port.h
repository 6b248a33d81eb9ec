/* The part of a port that only net_memif needs: the relay between the driver and the peer. The
 * relay ends a connection only when no shard polls the port (memif_relay.h). This module implements
 * the four callbacks of the relay. The functions of this header must be called in the control
 * thread. The relay's thread calls `grace`. */
#ifndef RN_MEMIF_PORT_H
#define RN_MEMIF_PORT_H

#include <stdbool.h>
#include <stddef.h>

struct rn_port;
struct rn_memif_port;

/* Creates the memif part of a port, before the device is created. `path` is the socket between this
 * process and the peer; a leading '@' means an abstract name. Returns 0 or -errno. */
int rn_memif_port_create(struct rn_memif_port **mp, bool server, const char *path);
/* Returns the socket name for the driver's arguments. A leading '@' means an abstract name. The
 * string is valid as long as mp is. */
const char *rn_memif_port_socket(const struct rn_memif_port *mp);
/* Starts connecting to the peer, after the device was started and the shards are ready.
 * `grace(arg)` returns when no shard is inside a burst that began before the call. Returns 0 or
 * -errno. */
int rn_memif_port_start(struct rn_memif_port *mp, struct rn_port *port, void (*grace)(void *arg),
			void *arg);
/* Ends the connection. To be called before the device is stopped. Accepts NULL. */
void rn_memif_port_stop(struct rn_memif_port *mp);
/* Removes the device from DPDK. To be called instead of rte_vdev_uninit() for memif ports. */
void rn_memif_port_remove(struct rn_memif_port *mp, const char *device);
/* Frees mp. To be called after the device was removed. Accepts NULL. */
void rn_memif_port_destroy(struct rn_memif_port *mp);

#endif
