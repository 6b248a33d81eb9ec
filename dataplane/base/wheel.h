/* Timers: a hierarchical wheel of intrusive timers. Arm and cancel are O(1); expiry hands timers out in due order of
 * ticks (1 us, 2^10 ns; within a tick in no particular order), never before their exact time. Any distance. No allocation; owned by one thread. */
#ifndef RN_WHEEL_H
#define RN_WHEEL_H

#include "list.h"
#include "types.h"

struct rn_timer {
	struct rn_list link;
	rn_time when; /* RN_TIME_NEVER = not armed */
};

#define RN_WHEEL_BITS   6
#define RN_WHEEL_LEVELS 9

struct rn_wheel {
	uint64_t tick; /* all timers of earlier ticks have been handed out */
	unsigned armed;
	unsigned levels; /* bitmap of levels with a non-empty slot */
	uint64_t busy[RN_WHEEL_LEVELS]; /* bitmap of non-empty slots */
	struct rn_list slot[RN_WHEEL_LEVELS][1 << RN_WHEEL_BITS];
	struct rn_list due; /* of earlier ticks, not yet handed out */
};

void rn_wheel_init(struct rn_wheel *w, rn_time now);
void rn_timer_init(struct rn_timer *t);
/* Re-arms when armed already. A time in the past is due at the next expiry; RN_TIME_NEVER cancels. */
void rn_timer_arm(struct rn_wheel *w, struct rn_timer *t, rn_time when);
void rn_timer_cancel(struct rn_wheel *w, struct rn_timer *t);
static inline bool rn_timer_armed(const struct rn_timer *t)
{
	return t->when != RN_TIME_NEVER;
}
/* When to call rn_wheel_expire(): never later than the earliest timer, at most one wheel slot earlier. A caller that
 * always jumps to this time and expires reaches every timer in a bounded number of steps. RN_TIME_NEVER when empty. */
rn_time rn_wheel_next(const struct rn_wheel *w);
/* The next timer with when <= now, disarmed, or NULL. Call until NULL. */
struct rn_timer *rn_wheel_expire(struct rn_wheel *w, rn_time now);

#endif
