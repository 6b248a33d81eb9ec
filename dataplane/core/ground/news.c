/* Which connection and QP events are still to be written to the log? Owns nothing: the caller owns
 * the ring, which has a fixed size. Runs on the shard's thread. */
#include "ground/news.h"

void rn_news_put(struct rn_news_ring *r, const struct rn_news *news)
{
	if (r->tail - r->head == RN_NEWS_RING)
		r->lost++;
	else
		r->at[r->tail++ % RN_NEWS_RING] = *news;
}

bool rn_news_take(struct rn_news_ring *r, struct rn_news *news)
{
	if (!rn_news_empty(r)) {
		*news = r->at[r->head++ % RN_NEWS_RING];
		return true;
	}
	/* The ring is empty. If items were lost since the last LOST item, make a LOST item now. */
	if (r->lost == 0)
		return false;
	*news = (struct rn_news){.kind = RN_NEWS_LOST, .lost = r->lost};
	r->lost = 0;
	return true;
}
