/* Brings a connector into any state, together with the peer that the state needs. */
#ifndef STAND_H
#define STAND_H

#include "fixture.h"

/* clang-format off */
#define STAND_ROWS(X) /* name; the side whose connector is in that state */ \
	X(IDLE,          passive) \
	X(BOUND,         active) \
	X(QUEUED,        passive) \
	X(REQ_SENT,      active)  /* the peer's connector has the request */ \
	X(REP_RECEIVED,  active) \
	X(REQ_RECEIVED,  passive) \
	X(REP_SENT,      passive) \
	X(CONNECTED,     active) \
	X(PEER_GONE,     passive) \
	X(DISCONNECTING, active)  /* half a second, while the peer drains its sends */ \
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
	/* Requests that are pending or have ended; an OVERLAPPED that was not used is all 0. */
	OVERLAPPED request, connect, accept, notify, peer_notify, part;
};

/* Each queue pair has one receive posted, with context 1; in DISCONNECTING the peer's message has
 * used the receive of this side. */
void stand_open(struct stand *, enum stand_state);
/* Whether the connector is still in its state, which it leaves by itself in DISCONNECTING. */
bool stand_holds(struct stand *);
/* Releases all objects that the test has not released. */
void stand_close(struct stand *);

#endif
