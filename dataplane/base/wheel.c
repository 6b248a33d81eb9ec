/* Which timer is due? A hierarchical timer wheel: arming, cancelling and (amortised) expiry take
 * constant time. One thread owns a wheel and its timers.
 *
 * A tick number is read as groups of six bits. The highest group in which a timer's tick differs
 * from the current tick gives the timer's level. The value of this group in the timer's tick gives
 * the slot within the level. A timer of the current or a past tick is in level 0, in the slot of
 * the current tick.
 *
 * Every timer of level l is due before every timer of level l+1, so the earliest slot is the first
 * busy slot of the lowest busy level. When the current tick enters a slot, only the timers of this
 * slot move to lower levels. In the slot of the current tick, rn_wheel_expire() compares exact
 * times with `now`. */
#include "base/wheel.h"

#define TICK_SHIFT 10
#define SLOTS	   (1u << RN_WHEEL_BITS)
#define SLOT_MASK  (SLOTS - 1u)

/* Returns the six-bit group of `tick` that belongs to `level`. In this level, a timer that is due
 * at `tick` has this slot number. */
static unsigned group_of(uint64_t tick, unsigned level)
{
	return (unsigned)(tick >> (level * RN_WHEEL_BITS)) & SLOT_MASK;
}

void rn_wheel_init(struct rn_wheel *w, rn_time now)
{
	w->tick = now >> TICK_SHIFT;
	w->armed = 0;
	w->levels = 0;
	for (unsigned level = 0; level < RN_WHEEL_LEVELS; level++) {
		w->busy[level] = 0;
		for (unsigned s = 0; s < SLOTS; s++)
			rn_list_init(&w->slot[level][s]);
	}
	rn_list_init(&w->due);
}

void rn_timer_init(struct rn_timer *t)
{
	rn_list_init(&t->link);
	t->when = RN_TIME_NEVER;
}

/* The highest bit in which the timer's tick and the wheel's current tick differ gives the level. A
 * timer of the current tick or of the past goes to level 0. */
static void insert_timer(struct rn_wheel *w, struct rn_timer *t)
{
	uint64_t tick = RN_MAX(t->when >> TICK_SHIFT, w->tick);
	uint64_t differ = tick ^ w->tick;
	unsigned level = differ ? (63u - (unsigned)__builtin_clzll(differ)) / RN_WHEEL_BITS : 0;
	unsigned s = group_of(tick, level);

	rn_list_add_tail(&w->slot[level][s], &t->link);
	w->busy[level] |= UINT64_C(1) << s;
	w->levels |= 1u << level;
}

static void slot_emptied(struct rn_wheel *w, unsigned level, unsigned s)
{
	w->busy[level] &= ~(UINT64_C(1) << s);
	if (!w->busy[level])
		w->levels &= ~(1u << level);
}

/* Unlinks t. If t is the last timer in its slot, both links of t point to the head of the slot's
 * list. The index of this head in w->slot gives level and slot, whose bits in `levels` and `busy`
 * are then cleared. */
static void remove_timer(struct rn_wheel *w, struct rn_timer *t)
{
	struct rn_list *head = t->link.next;
	bool last = head == t->link.prev;

	rn_list_del(&t->link);
	t->when = RN_TIME_NEVER;
	w->armed--;
	if (last && head != &w->due) {
		size_t index = (size_t)(head - &w->slot[0][0]);
		slot_emptied(w, (unsigned)(index / SLOTS), (unsigned)(index % SLOTS));
	}
}

void rn_timer_arm(struct rn_wheel *w, struct rn_timer *t, rn_time when)
{
	rn_timer_cancel(w, t);
	if (when == RN_TIME_NEVER)
		return;
	t->when = when;
	w->armed++;
	insert_timer(w, t);
}

void rn_timer_cancel(struct rn_wheel *w, struct rn_timer *t)
{
	if (rn_timer_armed(t))
		remove_timer(w, t);
}

/* Finds the earliest busy slot: its *level, its index *s and its first tick *start. In *start, the
 * six-bit group of the level is *s. Higher groups are those of the current tick, lower groups are
 * zero. Returns false when no slot is busy. */
static bool first_slot(const struct rn_wheel *w, unsigned *level, unsigned *s, uint64_t *start)
{
	if (!w->levels)
		return false;
	unsigned l = (unsigned)__builtin_ctz(w->levels), shift = l * RN_WHEEL_BITS;
	unsigned first = (unsigned)__builtin_ctzll(w->busy[l]);
	uint64_t above = w->tick >> shift >> RN_WHEEL_BITS << RN_WHEEL_BITS << shift;
	*level = l;
	*s = first;
	*start = above | (uint64_t)first << shift;
	return true;
}

rn_time rn_wheel_next(const struct rn_wheel *w)
{
	if (!rn_list_empty(&w->due)) {
		const struct rn_timer *t = rn_container_of(w->due.next, struct rn_timer, link);
		return t->when >> TICK_SHIFT << TICK_SHIFT;
	}
	unsigned level, s;
	uint64_t start;
	if (!first_slot(w, &level, &s, &start))
		return RN_TIME_NEVER;
	if (level > 0)
		return start << TICK_SHIFT;
	/* A slot of level 0 covers one tick. Return the earliest exact time in the slot, not the
	 * start of the tick: the start may be in the past, and the caller would then not sleep. */
	rn_time earliest = RN_TIME_NEVER;
	const struct rn_list *pos;
	rn_list_for_each(pos, &w->slot[0][s])
	{
		const struct rn_timer *t = rn_container_of(pos, struct rn_timer, link);
		earliest = RN_MIN(earliest, t->when);
	}
	return earliest;
}

/* Empties a slot whose first tick has come. Timers of level 0 go to the due list, other timers to
 * slots of lower levels. */
static void open_slot(struct rn_wheel *w, unsigned level, unsigned s)
{
	struct rn_list *head = &w->slot[level][s], *pos;

	slot_emptied(w, level, s);
	while ((pos = rn_list_pop(head)) != NULL) {
		if (level == 0)
			rn_list_add_tail(&w->due, pos);
		else
			insert_timer(w, rn_container_of(pos, struct rn_timer, link));
	}
}

/* Moves the current tick to `target` and empties each busy slot on the way, but not the level-0
 * slot of `target`. rn_wheel_expire() compares the exact times in that slot. */
static void advance(struct rn_wheel *w, uint64_t target)
{
	while (w->tick < target) {
		unsigned level, s;
		uint64_t start;
		if (!first_slot(w, &level, &s, &start) || start > target) {
			w->tick = target;
			return;
		}
		w->tick = start;
		if (level > 0 || start < target)
			open_slot(w, level, s);
	}
}

struct rn_timer *rn_wheel_expire(struct rn_wheel *w, rn_time now)
{
	struct rn_timer *t;

	/* No timer is armed, so all slots are empty. The current tick can jump ahead. */
	if (w->armed == 0) {
		w->tick = RN_MAX(w->tick, now >> TICK_SHIFT);
		return NULL;
	}
	advance(w, now >> TICK_SHIFT);
	if (!rn_list_empty(&w->due)) {
		t = rn_container_of(w->due.next, struct rn_timer, link);
		remove_timer(w, t);
		return t;
	}
	struct rn_list *pos, *head = &w->slot[0][group_of(w->tick, 0)];
	rn_list_for_each(pos, head)
	{
		t = rn_container_of(pos, struct rn_timer, link);
		if (t->when <= now) {
			remove_timer(w, t);
			return t;
		}
	}
	return NULL;
}
