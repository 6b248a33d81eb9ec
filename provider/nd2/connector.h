/* Insides of a connector: its methods are in connector.c, what the NIC's events do to it in
 * connector_event.c. */
#ifndef ND_CONNECTOR_H
#define ND_CONNECTOR_H

#include "connector_state.h"
#include "nd2.h"

/* REJ reasons: of a client that says no, of one that stopped waiting, of one that has no room. */
#define ND_REASON_CONSUMER     28
#define ND_REASON_TIMEOUT      4
#define ND_REASON_NO_RESOURCES 3

/* RNR budget, for queue pairs without a shared receive queue: waits of 1.28, 5.12, 20.5, 81.9, 328 and 492 ms. The first
 * cost little when a receive is a moment late. All together, most of a second, is more than a receiver thread waits for
 * a CPU on a loaded machine (770 ms was seen), so who runs out of it has not posted at all, and clients want to know that
 * within seconds (ND_IO_TIMEOUT). This is what we announce; what a peer announces is followed, up to timers.rnr_retry. */
#define ND_MIN_RNR_TIMER 14
#define ND_RNR_STEP      4
#define ND_RNR_RETRY     6
/* With a shared receive queue the peer tries for ever, at first as above, then after ever longer waits: about a third of
 * what it has waited already, at most 492 ms. */
#define ND_SRQ_RNR_STEP	 1
#define ND_RNR_FOR_EVER	 7

/* Kinds of request; at most one STEP waits at a time. */
enum nd_connector_request {
	ND_CR_STEP,   /* Connect, CompleteConnect, Accept, Disconnect */
	ND_CR_NOTIFY, /* NotifyDisconnect */
};

struct nd_connector {
	struct nd_object obj;
	struct nd_async async; /* its lock guards all below */
	enum nd_connector_state state;
	uint32_t id; /* the CM's, 0 = none */
	struct nd_listener *listener; /* while QUEUED; not counted: it lets go of us before it ends */
	bool draining; /* the peer has disconnected, requests in flight end before the flush */
	struct rn_client_addr local, peer;
	struct nd_qp *qp;	       /* tied; counted; also under adapter->ties */
	uint32_t psn;		       /* that the peer begins with */
	uint8_t inbound, outbound;     /* read limits: own wishes at first, then as negotiated */
	struct rn_qp_attr attr;	       /* from the CM, for the queue pair */
	uint16_t data_len;
	uint8_t data[RN_CM_DATA_MAX]; /* the peer's private data, padded to its field's size */
};

/* False: the queue pair is tied to another connector, or is spent. */
bool nd_connector_tie(struct nd_connector *, struct nd_qp *);
/* The queue pair is free again, with the reference now the caller's to put; NULL: there was none.
 */
struct nd_qp *nd_connector_untie(struct nd_connector *);

/* All with the connector's lock held. */
int nd_connector_to_rts(struct nd_connector *);
void nd_connector_keep_data(struct nd_connector *, const struct rn_cm_param *, uint16_t field);
void nd_connector_set_limits(struct nd_connector *, const struct rn_cm_param *peer);
void nd_connector_end_step(struct nd_connector *, HRESULT status);
/* NotifyDisconnect requests end before anything is flushed. */
void nd_connector_end_notify(struct nd_connector *, HRESULT status);
/* Flushes and unties the queue pair for good. */
void nd_connector_end_qp(struct nd_connector *);
/* The peer has disconnected: flushes and answers it, and ends a Disconnect that waited for that. */
void nd_connector_part(struct nd_connector *);
/* The link is down, or the queue pair failed: ends a Disconnect that waits for the peer. */
void nd_connector_give_up(struct nd_connector *);
/* Lets the CM tell the peer; no event comes any more. */
void nd_connector_forget_id(struct nd_connector *);
void nd_connector_event(struct nd_object *, const struct rn_event *);

#endif
