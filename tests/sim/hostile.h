/* One hostile run. Live connections exchange messages while an attacker injects random bytes, and
 * frames with a valid ICRC and wrong fields. The node's own client posts work requests of random
 * bytes and changes QP states. */
#ifndef SIM_HOSTILE_H
#define SIM_HOSTILE_H

#include "sim.h"

/* Features that a set of runs must exercise at least once. A feature that never occurs was not
 * tested. */
/* clang-format off */
#define HOSTILE_FEATURE_ROWS(X) \
	X(RC,               "runs of reliable connections") \
	X(UC,               "runs of unreliable connections") \
	X(UD,               "runs of datagrams") \
	X(SRQ,              "runs with a shared receive queue") \
	X(CREDITS,          "runs with end-to-end credits") \
	X(TWO_SHARDS,       "runs on two shards") \
	X(GROUP,            "forged datagrams delivered to a group") \
	X(SHARED_RECV,      "receives of a shared queue completed") \
	X(CREDIT_WAIT,      "messages held back for want of a credit") \
	X(CREDIT_FORGED,    "forged ACKs with a credit count taken") \
	X(CNP_FORGED,       "forged congestion notifications taken") \
	X(RATE_CUT,         "rates cut for a notification") \
	X(CNP_SENT,         "congestion notifications sent for forged marks") \
	X(RAW_REQUEST,      "raw requests posted") \
	X(RAW_RECEIVE,      "raw receives posted") \
	X(RAW_REFUSED,      "raw requests completed with an error") \
	X(RAW_DONE,         "raw requests completed with success") \
	X(RAW_STALE,        "raw requests that named a queue pair of the past") \
	X(FORBIDDEN,        "requests refused for the memory they named") \
	X(WINDOW_BOUND,     "windows bound") \
	X(WINDOW_USED,      "forged packets that a window let in") \
	X(WINDOW_FOREIGN,   "forged packets that named a window of the foreign domain") \
	X(BIND_FOREIGN,     "forbidden BINDs refused, most of them for a foreign window or region") \
	X(INVALIDATED,      "windows invalidated") \
	X(ATOMIC_FORGED,    "forged atomics executed") \
	X(READ_FORGED,      "forged READs accepted") \
	X(RESPONSE_FORGED,  "forged responses accepted") \
	X(MOVE_SQD,         "moves to SQD") \
	X(MOVE_RTS,         "moves back to RTS") \
	X(MOVE_ERR,         "moves to ERR") \
	X(MOVE_RESET,       "moves to RESET") \
	X(MOVE_LIMITS,      "changes of max_dest_rd_atomic or max_rd_atomic") \
	X(MOVE_ACCESS,      "changes of the remote rights") \
	X(MOVE_REFUSED,     "random changes refused") \
	X(BYSTANDER,        "messages of the foreign domain delivered") \
	X(CM_REQ,           "forged REQs accepted") \
	X(CM_REP,           "forged REPs accepted") \
	X(CM_RTU,           "forged RTUs accepted") \
	X(CM_REJ,           "forged REJs accepted") \
	X(CM_DREQ,          "forged DREQs accepted") \
	X(CM_DREP,          "forged DREPs accepted") \
	X(CM_MRA,           "forged MRAs accepted") \
	X(CM_SIDR_REQ,      "forged SIDR_REQs accepted") \
	X(CM_SIDR_REP,      "forged SIDR_REPs accepted") \
	X(CM_GARBAGE,       "damaged management datagrams sent") \
	X(REVIVED,          "queue pairs made anew") \
	X(HEALED,           "runs in which every request ended afterwards")
/* clang-format on */

enum hostile_feature {
#define X(name, text) HOSTILE_##name,
	HOSTILE_FEATURE_ROWS(X)
#undef X
		HOSTILE_FEATURES
};

struct hostile_totals {
	uint64_t runs, frames; /* number of runs; number of injected frames */
	uint64_t done[32];     /* work requests that completed with success, by enum rn_wqe_kind */
	uint64_t verdicts[RN_V_COUNT];
	uint64_t seen[HOSTILE_FEATURES];
};

/* Runs one seed. Returns the number of failed checks, each printed to `out`; 0 is success. The
 * checks:
 * - Each work request completed once.
 * - No protected byte was changed and no secret byte was sent.
 * - The client of the other protection domain was not disturbed.
 * - No QP hangs, and the counters add up.
 * - Afterwards a new connection works, and all objects are released. */
unsigned hostile_run(uint64_t seed, unsigned frames, struct hostile_totals *totals, FILE *out);
/* Prints how often each feature was exercised. Returns the number of features that were never
 * exercised. */
unsigned hostile_coverage(const struct hostile_totals *totals, FILE *out);

#endif
