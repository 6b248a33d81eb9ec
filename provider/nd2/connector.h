/* The struct of a connector. Used by connector.c (the methods), connector_event.c (the handlers of
 * the NIC's events) and listener.c. */
#ifndef ND_CONNECTOR_H
#define ND_CONNECTOR_H

#include "nd2/connector_state.h"
#include "nd2/nd2.h"

/* REJ reasons (IBTA vol. 1, 12.6.7.2): rejected by the client; timeout; no resources. */
#define ND_REASON_CONSUMER     28
#define ND_REASON_TIMEOUT      4
#define ND_REASON_NO_RESOURCES 3

/* What this side announces to the peers of queue pairs without a shared receive queue. For a SEND
 * without a posted receive (RNR), the peer retries six times, after 1.28, 5.12, 20.5, 81.9, 328 and
 * 492 ms.
 * - The first waits are short: a receive that is posted a moment late costs little.
 * - Together the waits last 929 ms. On a loaded machine, a thread that posts receives waited at
 *   most 770 ms for a CPU. So the retries run out only if no receives are posted at all. The peer's
 *   SEND then fails within seconds (ND_IO_TIMEOUT).
 *
 * After RNR NAKs, this side retries as often as the peer announces, but at most timers.rnr_retry
 * times. */
#define ND_MIN_RNR_TIMER 14
#define ND_RNR_STEP	 4
#define ND_RNR_RETRY	 6
/* With a shared receive queue the peer retries without limit (ND_RNR_UNLIMITED). The first wait is
 * 1.28 ms (ND_MIN_RNR_TIMER). ND_SRQ_RNR_STEP makes each later wait 1.33 to 1.5 times as long, up
 * to 492 ms. */
#define ND_SRQ_RNR_STEP	 1
#define ND_RNR_UNLIMITED 7

/* Kinds of request on a connector's list of requests. At most one ND_CR_STEP request waits at a
 * time. */
enum nd_connector_request {
	ND_CR_STEP,   /* Connect, CompleteConnect, Accept, Disconnect */
	ND_CR_NOTIFY, /* NotifyDisconnect */
};

struct nd_connector {
	struct nd_object obj;
	struct nd_async async; /* async.lock guards the fields below */
	enum nd_connector_state state;
	uint32_t id; /* CM id of this connection, 0 = none */
	/* set in state ND_CN_QUEUED; not a counted reference, because a listener calls
	 * nd_connector_unqueue() before its own destruction */
	struct nd_listener *listener;
	/* the peer has disconnected, and work requests in flight are completing before the flush */
	bool draining;
	struct rn_client_addr local, peer;
	/* the queue pair tied to this connector: a counted reference; guarded also by
	 * adapter->ties */
	struct nd_qp *qp;
	/* first PSN that the peer is to use; this side's REQ or REP announces this PSN to the
	 * peer */
	uint32_t psn;
	/* read limits: first as the client requested, later as negotiated */
	uint8_t inbound, outbound;
	struct rn_qp_attr attr; /* attributes for the queue pair, received from the CM */
	uint16_t data_len;
	/* private data of the peer's last CM message, zero-padded to the size of the private data
	 * field in that message */
	uint8_t data[RN_CM_DATA_MAX];
};

/* Ties the queue pair to the connector. Returns false if the queue pair is tied to another
 * connector, or has been connected before. */
bool nd_connector_tie(struct nd_connector *, struct nd_qp *);
/* Unties the queue pair and returns it, or NULL if no queue pair was tied. The connector's
 * reference on the queue pair passes to the caller. */
struct nd_qp *nd_connector_untie(struct nd_connector *);

/* The functions below are called with the connector's lock held. */
int nd_connector_to_rts(struct nd_connector *);
void nd_connector_keep_data(struct nd_connector *, const struct rn_cm_param *, uint16_t field);
void nd_connector_set_limits(struct nd_connector *, const struct rn_cm_param *peer);
void nd_connector_end_step(struct nd_connector *, HRESULT status);
/* Completes the NotifyDisconnect requests; to be called before the queue pair is flushed. */
void nd_connector_end_notify(struct nd_connector *, HRESULT status);
/* Flushes the connector's queue pair and unties it from the connector. The queue pair cannot be
 * connected again. */
void nd_connector_end_qp(struct nd_connector *);
/* To be called when the peer has disconnected and the connector no longer waits for work requests
 * in flight. Flushes the queue pair, answers the DREQ, and completes a pending Disconnect. */
void nd_connector_send_drep(struct nd_connector *);
/* Completes a Disconnect that waits for the peer. To be called when the Ethernet link is down or
 * the queue pair has failed. */
void nd_connector_stop_waiting(struct nd_connector *);
/* Destroys the CM id of the connection: no more events come for this CM id. The CM still sends the
 * peer the CM message that the state of the connection requires. */
void nd_connector_destroy_id(struct nd_connector *);
void nd_connector_event(struct nd_object *, const struct rn_event *);

#endif
