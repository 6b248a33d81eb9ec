/* Prepares the wake-up of the thread that polls a queue of a port, by the means of the port's
 * driver. Runs in control threads. */
#ifndef RN_PORT_WAKE_H
#define RN_PORT_WAKE_H

#include "port/wake.h"

struct rn_port;

/* Opens *w for the thread that polls receive queue `queue`. A thread that never sleeps needs
 * nothing but the doorbell. `iface` names the kernel interface under an af_packet port. Returns 0
 * or -errno. */
int rn_port_wake_open(struct rn_port *port, unsigned queue, bool sleeps, const char *iface,
		      struct rn_wake *w);
/* Lets the receive interrupt of a card wake the thread that polls the queue. Returns 0 or
 * -errno. */
int rn_port_wake_attach(struct rn_port *port, unsigned queue, struct rn_wake *w);
/* Undoes rn_port_wake_attach(), before the card gets other interrupts. */
void rn_port_wake_detach(struct rn_port *port, unsigned queue, struct rn_wake *w);

#endif
