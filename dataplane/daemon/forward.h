/* The forwarding thread of softrnicd: moves frames between the port and the rings of the clients,
 * as the switch decides (switch/switch.h). One thread owns the switch, the queues of the port and
 * the rings of all clients. Other threads reach them by rn_forward_call().
 *
 * A frame is copied out of a client's memory before it is looked at, and copied into the memory of
 * the client that gets it: nothing that two processes share is read twice. In each turn every
 * client may send one burst, within its rates. A client that does not take its frames loses them
 * after a short while, and holds nobody up. */
#ifndef RN_FORWARD_H
#define RN_FORWARD_H

#include <stdatomic.h>

#include "port/clock.h"
#include "switch/switch.h"

struct rte_mempool;
struct rn_port;
struct rn_forward;

/* clang-format off */
#define RN_FORWARD_STAT_ROWS(X) /* counters of the port and of each client: name, description */ \
	X(rx_frames,  "frames received from the client, or from the wire") \
	X(rx_bytes,   "bytes of these frames") \
	X(tx_frames,  "frames delivered to the client, or sent to the wire") \
	X(tx_bytes,   "bytes of these frames, and of frames that the wire did not take") \
	X(tx_dropped, "frames for the client, or for the wire, that were not taken in time") \
	X(rx_long,    "received frames that are longer than a buffer") \
	X(held_back,  "turns in which the client had used up its rate")
/* clang-format on */

struct rn_forward_stats {
#define X(name, text) uint64_t name;
	RN_FORWARD_STAT_ROWS(X)
#undef X
};

struct rn_forward_cfg {
	struct rn_switch_cfg sw;
	struct rn_port *port;	  /* the wire; opened with one queue each way */
	struct rte_mempool *pool; /* its buffers hold the longest frame */
	struct rn_clock clock;
	unsigned burst; /* frames that are taken from a client, and from the wire, in one turn */
	rn_time spin;	/* how long the thread polls without work before it sleeps */
	rn_time nap;	/* longest sleep if the port cannot wake the thread */
	bool sleeps;
	int cpu;	   /* CPU of the thread, or -1 */
	const char *iface; /* kernel interface under the port, or NULL */
	/* rates of each client, in packets and in bits per second; 0: no limit */
	uint64_t packets_s, bits_s;
};

/* Creates the switch and prepares the thread. Returns 0 or -errno. */
int rn_forward_create(struct rn_forward **f, const struct rn_forward_cfg *cfg);
int rn_forward_start(struct rn_forward *f);
void rn_forward_stop(struct rn_forward *f);
void rn_forward_destroy(struct rn_forward *f);

/* Runs run(f, arg, now) in the thread between two turns, and returns afterwards. Calls of several
 * threads run one after the other. */
void rn_forward_call(struct rn_forward *f, void (*run)(struct rn_forward *, void *, rn_time),
		     void *arg);
/* The switch, to be used within a call only. */
struct rn_switch *rn_forward_switch(struct rn_forward *f);

/* The client's rings of vhost device vid can be used, with this many pairs of rings. To be called
 * by any thread. Returns 0 or -ENOMEM. */
int rn_forward_plug(struct rn_forward *f, unsigned client, int vid, unsigned queues);
/* Takes the frames that the client has sent. On return the rings are not in use any more. To be
 * called by any thread. */
void rn_forward_unplug(struct rn_forward *f, unsigned client);
/* The client has gone: unplugs its rings and detaches it from the switch. Returns what
 * rn_switch_detach() returns. */
rn_time rn_forward_detach(struct rn_forward *f, unsigned client);
/* Takes a burst of the frames that the client has sent, before its turn: its next turn is left out.
 * Takes none if the wire takes none, or if the client has used up its rate. To be used within a
 * call. Returns the number of frames. */
unsigned rn_forward_take(struct rn_forward *f, unsigned client);
/* Some ring of the client has been enabled or disabled. Does not wait. */
void rn_forward_changed(struct rn_forward *f, unsigned client);

/* Resets the port (rn_port_reset()). To be called in the control thread. Returns 0, or -errno with
 * a sentence in err. */
int rn_forward_reset_port(struct rn_forward *f, char *err, size_t errlen);

/* The counters of a client, or of the wire (RN_SWITCH_WIRE). May be read by any thread; those of a
 * client start at 0 with rn_forward_reset(), to be used within a call. */
const struct rn_forward_stats *rn_forward_stats(const struct rn_forward *f, unsigned client);
void rn_forward_reset(struct rn_forward *f, unsigned client);
/* Sets the rates of all clients (struct rn_forward_cfg), also of those attached. To be used within
 * a call. */
void rn_forward_set_rates(struct rn_forward *f, uint64_t packets_s, uint64_t bits_s);
/* Frees the thread if it waits in a system call for a client: librte_vhost writes the client's
 * eventfd, and the write waits while the eventfd's count is full. To be called now and then, by any
 * thread; the second call in a row without progress interrupts the thread. */
void rn_forward_watch(struct rn_forward *f);
/* Has the client made the thread wait? The caller should then close its session. */
bool rn_forward_stuck(const struct rn_forward *f, unsigned client);
/* Are the client's rings in use? For reports. */
bool rn_forward_plugged(const struct rn_forward *f, unsigned client);

#endif
