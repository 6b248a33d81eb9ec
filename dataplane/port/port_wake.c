/* What wakes the thread that polls a queue of this port? */
#include "port/port_wake.h"

#include "port/card.h"
#include "port/port.h"
#include "port/queue_wake.h"

int rn_port_wake_attach(struct rn_port *port, unsigned queue, struct rn_wake *w)
{
	return rn_wake_attach(w, rn_card_interrupt_fd(port, queue), NULL);
}

void rn_port_wake_detach(struct rn_port *port, unsigned queue, struct rn_wake *w)
{
	rn_wake_detach(w, rn_card_interrupt_fd(port, queue));
}

int rn_port_wake_open(struct rn_port *port, unsigned queue, bool sleeps, const char *iface,
		      struct rn_wake *w)
{
	enum rn_wake_source source = port->wake->source;

	if (!sleeps)
		return rn_wake_open(w, RN_WAKE_NEVER, NULL);
	/* A thread without a receive queue gets its frames from the other threads. */
	if (source == RN_WAKE_INTR && queue >= port->nrxq)
		source = RN_WAKE_NEVER;
	int rc = rn_wake_open(w, source, iface);

	port->sleeper[queue] = w;
	if (rc == 0 && source == RN_WAKE_QUEUE)
		return rn_queue_wake_open(port, queue, w);
	if (rc != 0 || source != RN_WAKE_INTR)
		return rc;
	w->interrupt = rn_card_interrupt;
	w->interrupt_arg = port;
	w->interrupt_queue = queue;
	return rn_port_wake_attach(port, queue, w);
}
