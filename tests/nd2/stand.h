/* Brings a connector into any state, together with the peer that the state needs. */
#ifndef STAND_H
#define STAND_H

#include "fixture.h"

/* clang-format off */
#define STAND_ROWS(X) /* name, whose connector: the active side's or the passive one's */ \
	X(IDLE,          passive) \
	X(BOUND,         active) \
	X(QUEUED,        passive) \
	X(REQ_SENT,      active)  /* the peer holds the request */ \
	X(REP_RECEIVED,  active) \
	X(REQ_RECEIVED,  passive) \
	X(REP_SENT,      passive) \
	X(CONNECTED,     active) \
	X(PEER_GONE,     passive) \
	X(DISCONNECTING, active)  /* for as long as the peer drains: half a second */ \
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
	/* Requests that are pending, or ended on the way; those never made are 0 throughout. */
	OVERLAPPED request, connect, accept, notify, peer_notify, part;
};

/* Each queue pair has one receive posted, with context 1; a peer that drains has taken mine. */
void stand_open(struct stand *, enum stand_state);
/* In DISCONNECTING: the state may have passed by itself. */
bool stand_holds(struct stand *);
/* Whatever was not released yet. */
void stand_close(struct stand *);

#endif
