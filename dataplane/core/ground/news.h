/* News for the log: connections made and lost, queue pairs that failed. Clients get events about
 * the same, but in parts. A bounded ring; the driver of the shard takes the news at the end of a
 * turn, and another thread writes them to the log. Shard thread. */
#ifndef RN_NEWS_H
#define RN_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

/* clang-format off */
#define RN_NEWS_ROWS(X) /* name, text */ \
	X(CONNECTED,     "a connection is established, on either side") \
	X(DISCONNECTED,  "an established connection has ended") \
	X(NOT_CONNECTED, "an attempt to connect has failed") \
	X(QP_ERROR,      "a queue pair has failed") \
	X(LOST,          "more happened than was taken: `lost` says how much")
/* clang-format on */

enum rn_news_kind {
#define X(name, text) RN_NEWS_##name,
	RN_NEWS_ROWS(X)
#undef X
};

struct rn_news {
	uint8_t kind;
	uint16_t port, peer_port; /* connections; host order */
	uint32_t qpn;		  /* ours */
	uint32_t lost;
	struct rn_gid local, peer;
	const char *why; /* a constant; NULL with CONNECTED and LOST */
};

#define RN_NEWS_RING 32u

struct rn_news_ring {
	struct rn_news at[RN_NEWS_RING];
	uint32_t head, tail;
	uint32_t lost; /* since the ring was full */
};

/* When the ring is full the new piece is counted as lost. */
void rn_news_put(struct rn_news_ring *r, const struct rn_news *news);
/* The oldest, and at the end what was lost; false: none. */
bool rn_news_take(struct rn_news_ring *r, struct rn_news *news);

static inline bool rn_news_empty(const struct rn_news_ring *r)
{
	return r->head == r->tail;
}

#endif
