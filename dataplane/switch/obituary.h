/* What the peers of a dead client are sent in its place, so that they learn of the death at once
 * and not by a timeout. A kernel does the same when a process ends (docs/spec/rocev2.md 6). */
#ifndef RN_OBITUARY_H
#define RN_OBITUARY_H

#include "switch/conntrack.h"

/* Columns: name, message. */
#define RN_OBITUARY_ROWS(X)                                                                  \
	X(NOTHING, "none")                                                                   \
	X(REJ_TIMEOUT, "REJ about the REQ, reason 4 (timeout), which names the port's GUID") \
	X(REJ_REQ, "REJ about the REQ, reason 28 (rejected by the consumer)")                \
	X(REJ_REP, "REJ about the REP, reason 28 (rejected by the consumer)")                \
	X(REJ_OTHER, "REJ about neither REQ nor REP, reason 28 (rejected by the consumer)")  \
	X(DREQ, "DREQ, repeated until the peer answers")                                     \
	X(DREP, "DREP")                                                                      \
	X(SIDR_REP, "SIDR_REP, status 2 (rejected)")

enum rn_obituary {
#define X(name, text) RN_OBITUARY_##name,
	RN_OBITUARY_ROWS(X)
#undef X
		RN_OBITUARIES
};

/* times a DREQ is sent in all, and the time until the second; each further wait is twice as long */
#define RN_OBITUARY_TRIES 5
#define RN_OBITUARY_WAIT  RN_MS(100)

struct rn_track_row {
	const char *name, *text;
	bool yields;
	enum rn_obituary obituary;
};
extern const struct rn_track_row rn_track_rows[RN_TRACK_STATES];

/* Builds the message for the peer of *t. guid is the port's GUID. Returns false if the peer is sent
 * nothing. */
bool rn_obituary(const struct rn_track *t, uint64_t guid, uint64_t tid, struct rn_cm_msg *msg);

#endif
