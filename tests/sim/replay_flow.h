/* The PSNs of one QP pair during a replay (replay.h). They show whether a request of the shard is
 * new or a retransmission. They also show which verdict the shard must give to a frame of the
 * peer. */
#ifndef RN_REPLAY_FLOW_H
#define RN_REPLAY_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

#define POSTS 16u

/* A work request that was posted to the shard. */
struct post {
	uint32_t psn, psns; /* first PSN of the work request; number of its PSNs */
	uint64_t local;	    /* offset of the work request's data in the arena */
	bool fetches;	    /* READ or atomic: responses carry data */
};

struct flow {
	struct post post[POSTS];
	unsigned posted;
	uint32_t end;  /* next unused PSN of the shard's requests */
	uint32_t una;  /* first PSN of the shard's requests that is not acknowledged */
	uint32_t next; /* PSN that the peer's next new request will have */
	/* the shard has retransmitted one packet after a timeout and waits for the response to this
	 * packet */
	bool alone;
	bool gap;  /* the shard has sent a NAK because a request packet of the peer is missing */
	bool rest; /* the peer has requested the rest of a READ again, from PSN `from` on */
	uint32_t from;
};

/* Returns the number of PSNs that a request packet uses. A READ request uses one PSN per response
 * packet. */
uint32_t flow_psns(const struct rn_pkt *request);
/* Returns whether the request is a READ or an atomic. The responses to such a request carry
 * data. */
bool flow_fetches(const struct rn_pkt *request);
/* Returns whether this request packet of the shard is new and not a retransmission. A new packet
 * advances f->end. */
bool flow_is_new(struct flow *f, const struct rn_pkt *request);
/* flow_request() returns the verdict that the shard must give to a request of the peer.
 * flow_response() does the same for a response. Both functions update *f. */
enum rn_verdict flow_request(struct flow *f, const struct rn_pkt *request);
enum rn_verdict flow_response(struct flow *f, const struct rn_pkt *response);
/* Returns the work request of the shard that uses this PSN. Returns NULL if there is none. */
const struct post *flow_post(const struct flow *f, uint32_t psn);

#endif
