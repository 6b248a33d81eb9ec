/* Brings a connector into any state, together with the connector of the peer. */
#ifndef STAND_H
#define STAND_H

#include "fixture.h"

/* clang-format off */
#define STAND_ROWS(X) /* columns: name of the state; the side whose connector has this state */ \
	X(IDLE,          passive) \
	X(BOUND,         active) \
	X(QUEUED,        passive) \
	X(REQ_SENT,      active)  /* the REQ has reached the peer */ \
	X(REP_RECEIVED,  active) \
	X(REQ_RECEIVED,  passive) \
	X(REP_SENT,      passive) \
	X(CONNECTED,     active) \
	X(PEER_GONE,     passive) \
	X(DISCONNECTING, active)  /* lasts half a second, while the peer drains its Sends */ \
	X(DISCONNECTED,  active)
/* clang-format on */

enum stand_state {
#define X(name, side) STAND_##name,
	STAND_ROWS(X)
#undef X
		STAND_STATES
};

const char *stand_text(enum stand_state);

struct stand {
	enum stand_state state;
	struct pair p;
	struct end *me, *peer;
	/* The overlapped requests of both connectors, pending or ended. An OVERLAPPED that was not
	 * used is all 0. */
	OVERLAPPED request, connect, accept, notify, peer_notify, part;
};

/* Brings the connector into the state. Posts one receive with request context 1 to each queue pair.
 * In the state DISCONNECTING a message of the peer has used up the receive of this side. */
void stand_open(struct stand *, enum stand_state);
/* True if the connector is still in the state of the stand. The state DISCONNECTING ends by
 * itself. */
bool stand_holds(struct stand *);
/* Releases all objects that the test has not released. */
void stand_close(struct stand *);

#endif
