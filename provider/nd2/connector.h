/* Insides of a connector. Its methods are in connector.c, its handlers of the NIC's events in
 * connector_event.c. */
#ifndef ND_CONNECTOR_H
#define ND_CONNECTOR_H

#include "nd2/connector_state.h"
#include "nd2/nd2.h"

/* REJ reasons (IBTA vol. 1, 12.6.7.2): the client rejects; the wait timed out; no resources. */
#define ND_REASON_CONSUMER     28
#define ND_REASON_TIMEOUT      4
#define ND_REASON_NO_RESOURCES 3

/* RNR retries for queue pairs without a shared receive queue: six waits of 1.28, 5.12, 20.5, 81.9,
 * 328 and 492 ms. The first ones cost little when a receive is posted a moment late. Together they
 * last 929 ms, longer than a receiver thread waits for a CPU on a loaded machine (770 ms was
 * measured). So a sender that runs out of retries has a peer that does not post, and its client
 * learns so within seconds (ND_IO_TIMEOUT). These numbers are what this side announces; a peer's
 * announcement is followed, up to timers.rnr_retry. */
#define ND_MIN_RNR_TIMER 14
#define ND_RNR_STEP	 4
#define ND_RNR_RETRY	 6
/* With a shared receive queue the peer retries for ever: the first waits are as above, later ones
 * grow by about a third of the time waited so far, to 492 ms at most. */
#define ND_SRQ_RNR_STEP 1
#define ND_RNR_FOR_EVER 7

/* Kinds of request on the list; at most one STEP waits at a time. */
enum nd_connector_request {
	ND_CR_STEP,   /* Connect, CompleteConnect, Accept, Disconnect */
	ND_CR_NOTIFY, /* NotifyDisconnect */
};

struct nd_connector {
	struct nd_object obj;
	struct nd_async async; /* its lock guards all below */
	enum nd_connector_state state;
	uint32_t id; /* the CM's id, 0 = none */
	/* while QUEUED; not counted, because the listener unqueues the connector before it ends */
	struct nd_listener *listener;
	bool draining; /* the peer has disconnected; requests in flight complete before the flush */
	struct rn_client_addr local, peer;
	struct nd_qp *qp; /* the tied queue pair; counted; also under adapter->ties */
	/* first PSN of the peer's requests, announced in the REQ or REP */
	uint32_t psn;
	/* read limits: the client's wishes at first, then negotiated */
	uint8_t inbound, outbound;
	struct rn_qp_attr attr; /* attributes for the queue pair, from the CM */
	uint16_t data_len;
	uint8_t data[RN_CM_DATA_MAX]; /* the peer's private data, padded to its field's size */
};

/* False: the queue pair is tied to another connector, or has been connected before. */
bool nd_connector_tie(struct nd_connector *, struct nd_qp *);
/* Returns the queue pair with the connector's reference, which the caller puts; NULL: none was
 * tied. */
struct nd_qp *nd_connector_untie(struct nd_connector *);

/* All below are called with the connector's lock held. */
int nd_connector_to_rts(struct nd_connector *);
void nd_connector_keep_data(struct nd_connector *, const struct rn_cm_param *, uint16_t field);
void nd_connector_set_limits(struct nd_connector *, const struct rn_cm_param *peer);
void nd_connector_end_step(struct nd_connector *, HRESULT status);
/* Ends the NotifyDisconnect requests; this comes before any flush. */
void nd_connector_end_notify(struct nd_connector *, HRESULT status);
/* Flushes and unties the queue pair for good. */
void nd_connector_end_qp(struct nd_connector *);
/* The peer has disconnected: flushes the queue pair, answers the DREQ, and ends a Disconnect that
 * waited for the drain. */
void nd_connector_answer_peer(struct nd_connector *);
/* The link is down or the queue pair failed: ends a Disconnect that waits for the peer. */
void nd_connector_give_up(struct nd_connector *);
/* Destroys the CM's id, so no more events come; the CM still sends the peer what the state
 * requires. */
void nd_connector_forget_id(struct nd_connector *);
void nd_connector_event(struct nd_object *, const struct rn_event *);

#endif
