/* A token bucket: how much a client may send. Pure; one thread uses a bucket.
 *
 * The bucket is kept as a time: each unit that is taken moves `full_at`, the time at which the
 * bucket is full again, by what the unit takes at the given rate (the generic cell rate algorithm).
 * A bucket that would be full again later than `depth` from now is empty. */
#ifndef RN_BUCKET_H
#define RN_BUCKET_H

#include <stdbool.h>

#include "base/types.h"

struct rn_bucket {
	uint64_t rate; /* units per second; 0: no limit */
	rn_time depth; /* how long a full bucket lasts at twice the rate */
	rn_time full_at;
};

void rn_bucket_init(struct rn_bucket *b, uint64_t rate, rn_time depth);
/* May anything be taken now? */
bool rn_bucket_open(const struct rn_bucket *b, rn_time now);
/* Takes n units, also more than there are: the bucket then opens later. */
void rn_bucket_take(struct rn_bucket *b, uint64_t n, rn_time now);
/* Returns the time from which something can be taken. */
rn_time rn_bucket_opens(const struct rn_bucket *b);

#endif
