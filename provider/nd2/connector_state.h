/* The status that each connector method returns in each state: one table for the methods, the
 * tests and the documentation. */
#ifndef ND_CONNECTOR_STATE_H
#define ND_CONNECTOR_STATE_H

#include "ndstatus.h"

/* Short names for the cells of the table below. OK: the state allows the method. */
#define OK	   ND_SUCCESS
#define ASSOCIATED STATUS_ADDRESS_ALREADY_ASSOCIATED
#define UNBOUND	   STATUS_ADDRESS_NOT_ASSOCIATED
#define ACTIVE	   ND_CONNECTION_ACTIVE
#define INVALID	   ND_CONNECTION_INVALID
#define ABORTED	   ND_CONNECTION_ABORTED
#define STATE	   ND_INVALID_DEVICE_STATE
#define OVER	   STATUS_CONNECTION_DISCONNECTED

/* clang-format off */
#define ND_CONNECTOR_METHODS(X) \
	X(BIND) X(CONNECT) X(COMPLETE) X(ACCEPT) X(REJECT) X(LIMITS) X(DATA) X(NOTIFY) X(DISCONNECT)

#define ND_CONNECTOR_ROWS(X) \
/*	  state          text                       Bind        Connect  Complete Accept   Reject   Limits   Data     Notify   Disconnect */ \
	X(IDLE,          "idle",                    OK,         UNBOUND, INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID) \
	X(BOUND,         "bound",                   ASSOCIATED, OK,      INVALID, ACTIVE,  STATE,   INVALID, OK,      INVALID, INVALID) \
	X(QUEUED,        "queued on a listener",    ASSOCIATED, STATE,   INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID) \
	X(REQ_SENT,      "request sent",            ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID) \
	X(REP_RECEIVED,  "reply received",          ASSOCIATED, ACTIVE,  OK,      ACTIVE,  OK,      OK,      OK,      INVALID, INVALID) \
	X(REQ_RECEIVED,  "request received",        ASSOCIATED, STATE,   INVALID, OK,      OK,      OK,      OK,      INVALID, INVALID) \
	X(REP_SENT,      "reply sent",              ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   OK,      OK,      INVALID, INVALID) \
	X(CONNECTED,     "connected",               ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   OK,      OK,      OK,      OK) \
	X(PEER_GONE,     "disconnected by the peer",ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, OK,      OK,      OK) \
	X(DISCONNECTING, "disconnecting",           ASSOCIATED, STATE,   INVALID, ABORTED, INVALID, INVALID, OK,      OVER,    STATE) \
	X(DISCONNECTED,  "disconnected",            ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, OK,      OVER,    INVALID)
/* clang-format on */

enum nd_connector_state {
#define X(name, text, ...) ND_CN_##name,
	ND_CONNECTOR_ROWS(X)
#undef X
		ND_CN_STATES
};

enum nd_connector_method {
#define X(name) ND_CM_##name,
	ND_CONNECTOR_METHODS(X)
#undef X
		ND_CM_METHODS
};

/* Returns the status of a method in a state. ND_SUCCESS means that the state allows the method. */
static inline HRESULT nd_connector_may(enum nd_connector_state state,
				       enum nd_connector_method method)
{
	static const HRESULT cell[ND_CN_STATES][ND_CM_METHODS] = {
#define X(name, text, ...) [ND_CN_##name] = {__VA_ARGS__},
		ND_CONNECTOR_ROWS(X)
#undef X
	};

	return cell[state][method];
}

static inline const char *nd_connector_state_text(enum nd_connector_state state)
{
	static const char *const texts[ND_CN_STATES] = {
#define X(name, text, ...) [ND_CN_##name] = text,
		ND_CONNECTOR_ROWS(X)
#undef X
	};

	return texts[state];
}

#undef OK
#undef ASSOCIATED
#undef UNBOUND
#undef ACTIVE
#undef INVALID
#undef ABORTED
#undef STATE
#undef OVER

#endif
