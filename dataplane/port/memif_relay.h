#ifndef RN_MEMIF_RELAY_H
#define RN_MEMIF_RELAY_H
/* The control channel of one net_memif port, held by us instead of by the driver.
 *
 * net_memif frees a connection's memory in EAL's interrupt thread the moment its peer's socket
 * closes, whoever is polling (docs/decisions/0001-memif.md). So the driver never talks to the
 * peer: it talks to this relay over a private socket, and the relay passes nothing on that could
 * end a connection before the port's pollers have left their bursts.
 *
 *   peer ── peer_path ── relay ── pmd_path ── net_memif
 *
 * One thread per relay; it sleeps in poll() while the connection is quiet. No DPDK in here. */
#include <stdbool.h>

struct rn_memif_relay;

/* Called by the relay's thread, or by rn_memif_relay_destroy(); one at a time. */
struct rn_memif_relay_ops {
	/* Returns when no thread is inside a burst on the port, and none enters one until up().
	 * May be called when already quiet. */
	void (*quiesce)(void *arg);
	/* The handshake is over. Bursts may start as soon as the driver reports link up; not
	 * earlier, since the driver may still be handling the last message. */
	void (*up)(void *arg);
	/* Returns when EAL's interrupt thread has handled everything that was pending on entry: two
	 * alarms, the second set by the first, since one may be handled before the socket is. */
	void (*settle)(void *arg);
	/* Client only: stop and start the ethdev, so that it connects to pmd_path once more. The
	 * port is quiet and the driver at rest. 0, or a negative errno: tried again later. */
	int (*restart)(void *arg);
};

struct rn_memif_relay_config {
	bool server;	       /* the role of our port */
	const char *peer_path; /* where the peer meets us: we listen (server) or connect (client) */
	const char *pmd_path;  /* the driver's socket=, private to this process */
	struct rn_memif_relay_ops ops;
	void *arg;
};

/* Paths are socket files, which only their owner may use; a leading '@' means the abstract name that follows it, at whose
 * other end only processes of the same user or of root are accepted.
 * Before rte_eth_dev_start(): a client's driver connects to pmd_path while it starts.
 * Returns 0 or a negative errno; copies what it needs from the configuration, `arg` excepted. */
int rn_memif_relay_create(struct rn_memif_relay **relay, const struct rn_memif_relay_config *cfg);

/* After rte_eth_dev_start(): opens the peer's side and starts the thread. A server removes a
 * stale socket file, one that nobody listens on. Returns 0 or a negative errno. */
int rn_memif_relay_start(struct rn_memif_relay *relay);

/* Before rte_eth_dev_stop(), which must not meet the driver's own disconnect: quiesces the port,
 * ends the connection, waits until the driver is at rest, joins the thread, frees. */
void rn_memif_relay_destroy(struct rn_memif_relay *relay);

#endif
