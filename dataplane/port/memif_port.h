/* The part of a port that only net_memif needs: its relay, and the four things the relay asks of a port
 * (docs/decisions/0001-memif.md). Control thread; the callbacks run in the relay's thread. */
#ifndef RN_MEMIF_PORT_H
#define RN_MEMIF_PORT_H

#include <stdbool.h>
#include <stddef.h>

struct rn_port;
struct rn_memif_port;

/* Before the device is made. path: where the peer meets us, '@' for an abstract name. 0 or -errno. */
int rn_memif_port_create(struct rn_memif_port **mp, bool server, const char *path);
/* What to give the driver as its socket; '@' begins an abstract name. */
const char *rn_memif_port_socket(const struct rn_memif_port *mp);
/* Device started, shards ready: meet the peer. `grace(arg)` returns when no shard is inside a burst that began before
 * the call. 0 or -errno. */
int rn_memif_port_start(struct rn_memif_port *mp, struct rn_port *port, void (*grace)(void *arg), void *arg);
/* Shards stopped, device not yet: ends the connection. */
void rn_memif_port_stop(struct rn_memif_port *mp);
/* Instead of rte_vdev_uninit(). */
void rn_memif_port_remove(struct rn_memif_port *mp, const char *device);
/* Device gone. This and stop accept NULL. */
void rn_memif_port_destroy(struct rn_memif_port *mp);

#endif
