/* The struct of a connector, used only by connector.c (the methods), connector_event.c (the
 * handlers of the NIC's events) and listener.c. */
#ifndef ND_CONNECTOR_H
#define ND_CONNECTOR_H

#include "nd2/connector_state.h"
#include "nd2/nd2.h"

/* REJ reasons (IBTA vol. 1, 12.6.7.2): rejected by the client; timeout; no resources. */
#define ND_REASON_CONSUMER     28
#define ND_REASON_TIMEOUT      4
#define ND_REASON_NO_RESOURCES 3

/* Values that this side announces to the peer, for queue pairs without a shared receive queue. They
 * say how many times the peer retries a SEND for which no receive is posted (RNR), and how long it
 * waits before each retry: six times, after 1.28, 5.12, 20.5, 81.9, 328 and 492 ms. The first waits
 * are short, so they cost little when a receive is posted a moment late. Together the six waits
 * last 929 ms. A thread that posts receives may wait for a CPU on a loaded machine, but less long
 * than that (770 ms was measured). So the peer runs out of retries only if this side really posts
 * no receives. The peer's SEND then fails within seconds (ND_IO_TIMEOUT). The retries of this side
 * follow the values that the peer announces, up to timers.rnr_retry. */
#define ND_MIN_RNR_TIMER 14
#define ND_RNR_STEP	 4
#define ND_RNR_RETRY	 6
/* With a shared receive queue the peer retries for ever (ND_RNR_UNLIMITED). The first wait is 1.28
 * ms (ND_MIN_RNR_TIMER). ND_SRQ_RNR_STEP makes each later wait 1.33 to 1.5 times as long, up to 492
 * ms. */
#define ND_SRQ_RNR_STEP	 1
#define ND_RNR_UNLIMITED 7

/* Kinds of request on a connector's list of requests; at most one ND_CR_STEP request waits at a
 * time. */
enum nd_connector_request {
	ND_CR_STEP,   /* Connect, CompleteConnect, Accept, Disconnect */
	ND_CR_NOTIFY, /* NotifyDisconnect */
};

struct nd_connector {
	struct nd_object obj;
	struct nd_async async; /* async.lock guards the fields below */
	enum nd_connector_state state;
	uint32_t id; /* the CM's id of this connection, 0 = none */
	/* set in state ND_CN_QUEUED; not a counted reference, because a listener calls
	 * nd_connector_unqueue() before the listener itself is destroyed */
	struct nd_listener *listener;
	/* the peer has disconnected, and requests in flight are completing before the flush */
	bool draining;
	struct rn_client_addr local, peer;
	/* the queue pair tied to this connector, a counted reference; also guarded by
	 * adapter->ties */
	struct nd_qp *qp;
	/* first PSN that the peer is to use, announced to it in this side's REQ or REP */
	uint32_t psn;
	/* read limits: at first those that the client requested, later the negotiated ones */
	uint8_t inbound, outbound;
	struct rn_qp_attr attr; /* attributes for the queue pair, from the CM */
	uint16_t data_len;
	/* private data of the peer's last message, zero-padded to the size of the message's
	 * field */
	uint8_t data[RN_CM_DATA_MAX];
};

/* Ties the queue pair to the connector. False: the queue pair is tied to another connector, or has
 * been connected before. */
bool nd_connector_tie(struct nd_connector *, struct nd_qp *);
/* Unties the queue pair and returns it with the reference that the connector held on it; the caller
 * must put this reference. NULL: no queue pair was tied. */
struct nd_qp *nd_connector_untie(struct nd_connector *);

/* The functions below are called with the connector's lock held. */
int nd_connector_to_rts(struct nd_connector *);
void nd_connector_keep_data(struct nd_connector *, const struct rn_cm_param *, uint16_t field);
void nd_connector_set_limits(struct nd_connector *, const struct rn_cm_param *peer);
void nd_connector_end_step(struct nd_connector *, HRESULT status);
/* Completes the NotifyDisconnect requests; to be called before the queue pair is flushed. */
void nd_connector_end_notify(struct nd_connector *, HRESULT status);
/* Flushes the connector's queue pair and detaches it from the connector. The queue pair cannot be
 * connected again. */
void nd_connector_end_qp(struct nd_connector *);
/* To be called when the peer has disconnected and the connector no longer waits for requests in
 * flight. Flushes the queue pair, answers the DREQ, and completes a pending Disconnect. */
void nd_connector_send_drep(struct nd_connector *);
/* To be called when the link is down or the queue pair has failed: completes a Disconnect that
 * waits for the peer. */
void nd_connector_stop_waiting(struct nd_connector *);
/* Destroys the connection's CM id, so no more events come for it. The CM still sends the peer the
 * message that the connection's state requires. */
void nd_connector_destroy_id(struct nd_connector *);
void nd_connector_event(struct nd_object *, const struct rn_event *);

#endif
