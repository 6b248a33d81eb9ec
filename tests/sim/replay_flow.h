/* The PSNs of a pair of queue pairs as a play goes on: which request is new and which was sent
 * before, and what a shard must make of a frame of its peer. */
#ifndef RN_REPLAY_FLOW_H
#define RN_REPLAY_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

#define POSTS 16u

/* A request of the shard. */
struct post {
	uint32_t psn, psns; /* its first PSN, and how many it has */
	uint64_t local;	    /* place in the arena */
	bool fetches;	    /* READ or atomic: its responses bring data */
};

struct flow {
	struct post post[POSTS];
	unsigned posted;
	uint32_t end;	/* first PSN that no request of the shard has had */
	uint32_t una;	/* first PSN of the shard that no response has covered */
	uint32_t next;	/* PSN of the peer's next new request */
	bool alone;	/* the shard sent one packet when its timer rang and waits for an answer */
	bool gap;	/* a request of the peer is missing, and the shard reported that */
	bool rest;	/* the peer asked for a READ again from the PSN `from` on */
	uint32_t from;
};

/* PSNs that a request packet takes: those of its responses, if it is a READ. */
uint32_t flow_psns(const struct rn_pkt *request);
/* Is it a READ or an atomic? */
bool flow_fetches(const struct rn_pkt *request);
/* Is this request packet of the shard a new one? Counts it then. */
bool flow_is_new(struct flow *f, const struct rn_pkt *request);
/* The verdict that the next frame of the peer must get. Follows it. */
enum rn_verdict flow_request(struct flow *f, const struct rn_pkt *request);
enum rn_verdict flow_response(struct flow *f, const struct rn_pkt *response);
/* The request of the shard that a response with data belongs to, NULL: to none. */
const struct post *flow_post(const struct flow *f, uint32_t psn);

#endif
