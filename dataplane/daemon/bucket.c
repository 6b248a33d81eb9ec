/* How much may a client send? */
#include "daemon/bucket.h"

void rn_bucket_init(struct rn_bucket *b, uint64_t rate, rn_time depth)
{
	*b = (struct rn_bucket){.rate = rate, .depth = depth};
}

rn_time rn_bucket_opens(const struct rn_bucket *b)
{
	return b->rate == 0 || b->full_at < b->depth ? 0 : b->full_at - b->depth;
}

bool rn_bucket_open(const struct rn_bucket *b, rn_time now)
{
	return rn_bucket_opens(b) <= now;
}

void rn_bucket_take(struct rn_bucket *b, uint64_t n, rn_time now)
{
	if (b->rate == 0)
		return;
	rn_time from = RN_MAX(b->full_at, now);
	unsigned __int128 cost = (unsigned __int128)n * RN_S(1) / b->rate;

	b->full_at = cost < RN_S(3600) ? from + (rn_time)cost : from + RN_S(3600);
}
