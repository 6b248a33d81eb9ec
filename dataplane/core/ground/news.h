/* Items for the log. An item reports that a connection was made, ended or failed, or that a QP has
 * failed. The shard puts items into a ring of fixed size. The caller of the shard takes items at
 * the end of each poll iteration, and another thread writes the log. Runs on the shard's thread. */
#ifndef RN_NEWS_H
#define RN_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

/* clang-format off */
#define RN_NEWS_ROWS(X) /* columns: name, text */ \
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
	uint16_t port, peer_port; /* port numbers of the connection, in host byte order */
	uint32_t qpn;		  /* QPN of this side's QP */
	uint32_t lost;		  /* kind LOST: how many items were lost */
	struct rn_gid local, peer;
	const char *why; /* reason, a static string; NULL for kinds CONNECTED and LOST */
};

#define RN_NEWS_RING 32u

struct rn_news_ring {
	struct rn_news at[RN_NEWS_RING];
	uint32_t head, tail;
	uint32_t lost; /* number of lost items (ring full) not yet reported */
};

/* Copies the item into the ring. If the ring is full, counts the item as lost. */
void rn_news_put(struct rn_news_ring *r, const struct rn_news *news);
/* Takes the oldest item. If the ring is empty and items were lost, makes one LOST item with the
 * number of lost items. Returns false if there is no item. */
bool rn_news_take(struct rn_news_ring *r, struct rn_news *news);

static inline bool rn_news_empty(const struct rn_news_ring *r)
{
	return r->head == r->tail;
}
/* Would rn_news_take() return false? */
static inline bool rn_news_none(const struct rn_news_ring *r)
{
	return rn_news_empty(r) && r->lost == 0;
}

#endif
