#ifndef RN_MEMIF_RELAY_H
#define RN_MEMIF_RELAY_H
/* A relay for the control channel of one net_memif port. Each relay has one thread, which sleeps in
 * poll() while no message arrives. The relay does not use DPDK.
 *
 * When the socket of the peer (the process at the other end) closes, net_memif at once frees the
 * connection's memory in EAL's interrupt thread, even while a thread polls the port
 * (docs/decisions/0001-memif.md). Therefore the driver connects to this relay over a private
 * socket, and never to the peer. The relay ends the driver's connection only after all threads that
 * poll the port have left their bursts.
 *
 *   peer ── peer_path ── relay ── pmd_path ── net_memif */
#include <stdbool.h>
#include <stdint.h>

#define RN_MEMIF_MSG_BYTES 128 /* length of every message of memif 2.0 */

struct rn_memif_relay;

/* Functions of the port that the relay calls. The relay's thread or rn_memif_relay_destroy() calls
 * them, never two at the same time. */
struct rn_memif_relay_ops {
	/* Returns when no thread is inside a burst on the port. No thread begins a burst until up()
	 * is called. May also be called when bursts are already stopped. */
	void (*quiesce)(void *arg);
	/* Called when the handshake is complete. Bursts may start as soon as the driver reports
	 * link up. Until then, the driver may still be processing the last message. */
	void (*up)(void *arg);
	/* Returns when EAL's interrupt thread has handled everything that was pending at the
	 * call. */
	void (*drain_interrupts)(void *arg);
	/* For clients: stops and starts the ethdev, so that the driver connects to pmd_path again.
	 * Called between quiesce() and up(), while the driver has no connection. Returns 0 or a
	 * negative errno. After an error the relay tries again later. */
	int (*restart)(void *arg);
	/* Called with each message of the handshake, before the message is passed on. The message
	 * has RN_MEMIF_MSG_BYTES bytes. `fd` is the descriptor that comes with the message, or -1;
	 * it is open until the function returns. May be NULL. */
	void (*passes)(void *arg, const uint8_t *message, int fd);
};

struct rn_memif_relay_config {
	bool server; /* memif role of the port: true = server, false = client */
	/* path of the peer's socket: a server's relay listens there, and a client's relay connects
	 * to it */
	const char *peer_path;
	const char *pmd_path; /* socket= argument of the driver, private to this process */
	struct rn_memif_relay_ops ops;
	void *arg;
};

/* Creates a relay and does not start it. To be called before rte_eth_dev_start(), in which a
 * client's driver connects to pmd_path. The paths are copied. Returns 0 or a negative errno.
 * peer_path and pmd_path are addresses of Unix sockets. A path that starts with '@' is an abstract
 * name; the relay then accepts only peers of the same user or of root. Any other path is a socket
 * file, which only its owner may use. */
int rn_memif_relay_create(struct rn_memif_relay **relay, const struct rn_memif_relay_config *cfg);

/* Opens the socket to the peer and starts the relay thread. To be called after rte_eth_dev_start().
 * A server removes a stale socket file: a file on which no process listens. Returns 0 or a negative
 * errno. */
int rn_memif_relay_start(struct rn_memif_relay *relay);

/* Quiesces the port, ends the connection, waits until the driver has processed the disconnect,
 * joins the relay thread and frees the relay. To be called before rte_eth_dev_stop(), which must
 * not run while the driver processes the disconnect: both would free the same memory. */
void rn_memif_relay_destroy(struct rn_memif_relay *relay);

#endif
