/* A play: a capture of two hosts is replayed to a shard that stands in the place of one of them. */
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

#define DUT     1u
#define RECORDS 64u
#define PAIRS   2u
#define BYTES   1200u
#define RECEIVE (1u << 20) /* areas of the arena: + number * 64 KiB */
#define LOCAL   (6u << 20)
#define REGION  (12u << 20) /* what the peer may name */
#define TIMEOUT 14u         /* code of the local ACK timeout: 67 ms, that of perftest */

/* A frame of the capture, or one that the shard sent. */
struct record {
	struct rn_pkt pkt;       /* payload points into bytes */
	struct rn_cm_msg cm;     /* when is_cm */
	bool ours, is_cm, used;
	unsigned number;         /* of the request with an address that it belongs to */
	uint32_t len;
	uint8_t bytes[BYTES];
};

struct pair {
	uint32_t own, peer;      /* QPNs of the capture */
	unsigned start;          /* record that began the peer's message under way */
	struct flow flow;
};

/* A value of the replaced host and the shard's own in its place: communication ids, transactions. */
struct twin {
	uint64_t old, now;
};

struct replay {
	struct sim sim;
	struct record rec[RECORDS], out[RECORDS];
	enum variant variant;
	unsigned nrec, nout, npairs, ntwins;
	unsigned matched, aside, timeouts, spared; /* see struct tally */
	unsigned completed;      /* requests of the shard that ended */
	unsigned owed[RECORDS], nowed; /* records that the shard may send later */
	rn_time progress;        /* when a response last was news to the shard */
	struct pair pair[PAIRS];
	struct twin twin[16];
	struct regions regions;
	uint32_t listener, id;   /* of the connection manager */
	const char *file;
};

/* Fails the test at a record of the capture; must() does so unless something held. */
void fail_at(const struct replay *r, const struct record *rec, const char *what);
void must(const struct replay *r, const struct record *rec, bool held, const char *what);

bool replay_is_request(const struct record *rec);
/* Index of the pair of queue pairs that a record belongs to; there must be one. */
unsigned replay_pair_of(const struct replay *r, const struct record *rec);
/* Notes which value of the shard stands for one of the replaced host. */
void twin_add(struct replay *r, uint64_t old, uint64_t now);
/* The shard's value for one of the replaced host; without a twin it is the same. */
uint64_t twin_of(const struct replay *r, uint64_t old);

#endif
