/* The PSNs of a QP pair during a replay: whether a request is new or a retransmission, and which
 * verdict the shard must give a frame of its peer. */
#ifndef RN_REPLAY_FLOW_H
#define RN_REPLAY_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

#define POSTS 16u

/* A request of the shard. */
struct post {
	uint32_t psn, psns; /* first PSN and number of PSNs */
	uint64_t local;	    /* offset in the arena */
	bool fetches;	    /* READ or atomic: its responses bring data */
};

struct flow {
	struct post post[POSTS];
	unsigned posted;
	uint32_t end;  /* first PSN that no request of the shard has used */
	uint32_t una;  /* first PSN of the shard that no response covers */
	uint32_t next; /* PSN of the peer's next new request */
	/* the shard's timer expired; it sent one packet and waits for the response */
	bool alone;
	bool gap;  /* a request of the peer is missing, and the shard sent a NAK for it */
	bool rest; /* the peer requested a READ again, starting at PSN `from` */
	uint32_t from;
};

/* The number of PSNs of a request packet: for a READ, one per response packet. */
uint32_t flow_psns(const struct rn_pkt *request);
/* Whether the request is a READ or an atomic. */
bool flow_fetches(const struct rn_pkt *request);
/* Whether this request packet of the shard is new; if so, its PSNs are counted. */
bool flow_is_new(struct flow *f, const struct rn_pkt *request);
/* The verdict that the shard must give the peer's next frame; updates the state. */
enum rn_verdict flow_request(struct flow *f, const struct rn_pkt *request);
enum rn_verdict flow_response(struct flow *f, const struct rn_pkt *response);
/* The shard's request to which a response with data belongs; NULL = none. */
const struct post *flow_post(const struct flow *f, uint32_t psn);

#endif
