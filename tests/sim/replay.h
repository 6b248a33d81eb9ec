/* A replay: the frames of one host of a capture are sent to a shard that takes the other host's
 * place. */
#ifndef RN_REPLAY_H
#define RN_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/cm_msg.h"
#include "wire/frame.h"
#include "replay_flow.h"
#include "replay_regions.h"
#include "replay_variant.h"
#include "sim.h"

#define DUT	1u
#define RECORDS 64u
#define PAIRS	2u
#define BYTES	1200u
#define RECEIVE (1u << 20) /* offsets in the arena: + number * 64 KiB */
#define LOCAL	(6u << 20)
#define REGION	(12u << 20) /* memory that the peer may access */
#define TIMEOUT 14u	    /* code of the local ACK timeout: 67 ms, as perftest uses */

/* A frame of the capture, or one that the shard sent. */
struct record {
	struct rn_pkt pkt;   /* payload points into bytes */
	struct rn_cm_msg cm; /* valid if is_cm */
	bool ours, is_cm, used;
	/* number of the request with an RETH or AtomicETH that the packet belongs to */
	unsigned number;
	uint32_t len;
	uint8_t bytes[BYTES];
};

struct pair {
	uint32_t own, peer; /* QPNs in the capture */
	unsigned start;	    /* first record of the peer's current message */
	struct flow flow;
};

/* A value that the replaced host chose, and the shard's value in its place: communication ids,
 * transaction ids. */
struct twin {
	uint64_t old, now;
};

struct replay {
	struct sim sim;
	struct record rec[RECORDS], out[RECORDS];
	enum variant variant;
	unsigned nrec, nout, npairs, ntwins;
	unsigned matched, aside, timeouts, spared; /* see struct tally */
	unsigned completed;			   /* number of the shard's completed requests */
	/* retransmissions in the capture that the shard may send later */
	unsigned owed[RECORDS], nowed;
	rn_time progress; /* time of the last response that the shard had not seen before */
	struct pair pair[PAIRS];
	struct twin twin[16];
	struct regions regions;
	uint32_t listener, id; /* CM ids */
	const char *file;
};

/* Fails the test and names a record of the capture; must() does so if `held` is false. */
void fail_at(const struct replay *r, const struct record *rec, const char *what);
void must(const struct replay *r, const struct record *rec, bool held, const char *what);

bool replay_is_request(const struct record *rec);
/* The index of the QP pair to which a record belongs. Fails if there is none. */
unsigned replay_pair_of(const struct replay *r, const struct record *rec);
/* Records the shard's value for a value of the replaced host. */
void twin_add(struct replay *r, uint64_t old, uint64_t now);
/* The shard's value for a value of the replaced host; the same value if none is recorded. */
uint64_t twin_of(const struct replay *r, uint64_t old);

#endif
