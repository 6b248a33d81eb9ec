/* A replay of a capture of two hosts. A shard takes the place of one captured host. The frames of
 * the other captured host, called the peer, are injected into the shard. */
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
/* Offsets in the shard's arena. The buffer of receive i of QP pair n is at RECEIVE + n MiB + i * 64
 * KiB. The data of work request i of QP pair n is at LOCAL + n MiB + i * 64 KiB. */
#define RECEIVE (1u << 20)
#define LOCAL	(6u << 20)
#define REGION	(12u << 20) /* start of the memory regions that the peer may access */
#define TIMEOUT 14u	    /* ACK timeout code: 67 ms, as perftest uses */

/* A frame of the capture, or a frame that the shard sent. */
struct record {
	struct rn_pkt pkt;   /* the payload points into `bytes` */
	struct rn_cm_msg cm; /* valid if is_cm */
	bool ours, is_cm, used;
	/* number of the work request to which this packet belongs, counted from the start of the
	 * capture; valid for a packet with RETH or AtomicETH */
	unsigned number;
	uint32_t len;
	uint8_t bytes[BYTES];
};

struct pair {
	/* QPNs in the capture. own: the QPN of the captured host that the shard replaces. peer: the
	 * QPN of the peer. */
	uint32_t own, peer;
	unsigned start; /* index of the first record of the message that the peer is sending */
	struct flow flow;
};

/* A CM communication id or transaction id. old: the value that the captured host chose. now: the
 * value that the shard chose instead. */
struct twin {
	uint64_t old, now;
};

struct replay {
	struct sim sim;
	struct record rec[RECORDS], out[RECORDS];
	enum variant variant;
	unsigned nrec, nout, npairs, ntwins;
	/* counts, explained at struct tally in test_replay.c */
	unsigned matched, aside, timeouts, spared;
	unsigned completed; /* number of the shard's work requests that have completed */
	/* Retransmissions that the captured host sent and the shard has not sent yet. Each entry is
	 * an index into rec. */
	unsigned owed[RECORDS], nowed;
	rn_time progress; /* time of the last response that acknowledged a new PSN */
	struct pair pair[PAIRS];
	struct twin twin[16];
	struct regions regions;
	uint32_t listener, id; /* CM ids */
	const char *file;
};

/* fail_at() fails the test with a message that names a record of the capture. must() calls
 * fail_at() if `held` is false. */
void fail_at(const struct replay *r, const struct record *rec, const char *what);
void must(const struct replay *r, const struct record *rec, bool held, const char *what);

bool replay_is_request(const struct record *rec);
/* Returns the index of the QP pair to which a record belongs. Fails the test if there is none. */
unsigned replay_pair_of(const struct replay *r, const struct record *rec);
/* Stores that the shard uses the value `now` in place of the captured host's value `old`. */
void twin_add(struct replay *r, uint64_t old, uint64_t now);
/* Returns the shard's value in place of the captured host's value `old`. Returns `old` itself if no
 * value is stored for it. */
uint64_t twin_of(const struct replay *r, uint64_t old);

#endif
