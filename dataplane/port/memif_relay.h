#ifndef RN_MEMIF_RELAY_H
#define RN_MEMIF_RELAY_H
/* A relay for the control channel of one net_memif port.
 *
 * net_memif frees a connection's memory in EAL's interrupt thread as soon as the socket of the peer
 * (the process at the other end) closes, even while a thread polls the port
 * (docs/decisions/0001-memif.md). Therefore the driver is never connected to the peer itself, but
 * to this relay over a private socket. The relay ends the driver's connection only after all
 * threads that poll the port have left their bursts.
 *
 *   peer ── peer_path ── relay ── pmd_path ── net_memif
 *
 * Each relay has one thread, which sleeps in poll() while no message arrives. The relay does not
 * use DPDK. */
#include <stdbool.h>

struct rn_memif_relay;

/* Functions of the port that the relay calls. They are called by the relay's thread or by
 * rn_memif_relay_destroy(), and never two at the same time. */
struct rn_memif_relay_ops {
	/* Returns when no thread is inside a burst on the port; no thread begins one until up() is
	 * called. May also be called when bursts are already stopped. */
	void (*quiesce)(void *arg);
	/* Called when the handshake is complete. From then on bursts may start, but only when the
	 * driver reports link up, because until then the driver may still be processing the last
	 * message. */
	void (*up)(void *arg);
	/* Returns when EAL's interrupt thread has handled everything that was pending at the
	 * call. */
	void (*drain_interrupts)(void *arg);
	/* Client only: stops and starts the ethdev, so that the driver connects to pmd_path again.
	 * Called between quiesce() and up(), while the driver has no connection. Returns 0 or a
	 * negative errno; after an error the relay tries again later. */
	int (*restart)(void *arg);
};

struct rn_memif_relay_config {
	bool server; /* the memif role of the port */
	/* the peer's socket: the relay listens at this path (server) or connects to it (client) */
	const char *peer_path;
	const char *pmd_path; /* the driver's socket= argument, private to this process */
	struct rn_memif_relay_ops ops;
	void *arg;
};

/* Creates a relay and does not start it. peer_path and pmd_path are addresses of Unix sockets. A
 * path that starts with '@' is an abstract name; as peer the relay then accepts only processes of
 * the same user or of root. Any other path is a socket file, which only its owner may use. To be
 * called before rte_eth_dev_start(), because a client's driver connects to pmd_path while it
 * starts. The paths are copied. Returns 0 or a negative errno. */
int rn_memif_relay_create(struct rn_memif_relay **relay, const struct rn_memif_relay_config *cfg);

/* Opens the socket to the peer and starts the thread; to be called after rte_eth_dev_start(). A
 * server removes a stale socket file, that is, one on which no process listens. Returns 0 or a
 * negative errno. */
int rn_memif_relay_start(struct rn_memif_relay *relay);

/* Quiesces the port, ends the connection, waits until the driver has processed the disconnect,
 * joins the thread and frees the relay. To be called before rte_eth_dev_stop(): if
 * rte_eth_dev_stop() ran while the driver processes the disconnect, both would free the same
 * memory. */
void rn_memif_relay_destroy(struct rn_memif_relay *relay);

#endif
