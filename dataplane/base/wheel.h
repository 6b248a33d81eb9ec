/* Timers: a hierarchical wheel of intrusive timers. Arming and cancelling take constant time. A
 * timer may be set any time ahead and never expires early. Timers expire in the order of their
 * ticks (2^10 ns, about 1 us). One thread owns the wheel, which allocates no memory. */
#ifndef RN_WHEEL_H
#define RN_WHEEL_H

#include "base/list.h"
#include "base/types.h"

struct rn_timer {
	struct rn_list link;
	rn_time when; /* when the timer expires; RN_TIME_NEVER = not armed */
};

#define RN_WHEEL_BITS	6
#define RN_WHEEL_LEVELS 9

struct rn_wheel {
	uint64_t tick;	 /* current tick; timers of earlier ticks have expired or are in `due` */
	unsigned armed;	 /* how many timers are armed */
	unsigned levels; /* bitmap of levels with a non-empty slot */
	uint64_t busy[RN_WHEEL_LEVELS]; /* for each level: bitmap of non-empty slots */
	struct rn_list slot[RN_WHEEL_LEVELS][1 << RN_WHEEL_BITS];
	struct rn_list due; /* timers of earlier ticks that rn_wheel_expire() has yet to return */
};

void rn_wheel_init(struct rn_wheel *w, rn_time now);
void rn_timer_init(struct rn_timer *t);
/* Arms t, or moves an armed t to the new time. A timer set to a past time expires at the next
 * rn_wheel_expire(). RN_TIME_NEVER cancels t. */
void rn_timer_arm(struct rn_wheel *w, struct rn_timer *t, rn_time when);
void rn_timer_cancel(struct rn_wheel *w, struct rn_timer *t);
static inline bool rn_timer_armed(const struct rn_timer *t)
{
	return t->when != RN_TIME_NEVER;
}
/* Returns when to call rn_wheel_expire() next, or RN_TIME_NEVER if no timer is armed. The result is
 * never later than the earliest timer, and at most one slot earlier. Sleeping until this time and
 * calling rn_wheel_expire() reaches every timer in a bounded number of steps. */
rn_time rn_wheel_next(const struct rn_wheel *w);
/* Disarms and returns one timer with when <= now. Returns NULL if no timer is due. The caller
 * repeats the call until the result is NULL. */
struct rn_timer *rn_wheel_expire(struct rn_wheel *w, rn_time now);

#endif
