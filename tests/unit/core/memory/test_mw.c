/* Memory windows in the table of keys: what a BIND needs, which QP may use a window, and when a
 * window ends. A last test binds and looks up one window from two threads at the same time. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "rig.h"

static uint8_t mem[4096];

#define ALL (RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)
#define RD  RN_ACCESS_REMOTE_READ
#define WR  RN_ACCESS_REMOTE_WRITE

static const struct rn_mr_via one = {.pd = 7, .qpn = 0x111}, two = {.pd = 7, .qpn = 0x222},
			      stranger = {.pd = 8, .qpn = 0x333};

struct bench {
	struct rn_mr_table *t;
	struct rn_mw_shared shared;
	struct rn_mw_list list; /* windows bound through QP `one` */
	uint32_t region, id;
};

static uint32_t add_region(struct rn_mr_table *t, uint32_t access)
{
	struct rn_mr_attr a = {
		.ptr = mem, .iova = 0x1000, .length = 4096, .pd = 7, .access = access};
	uint32_t lkey, rkey;

	assert_int_equal(rn_mr_add(t, &a, &lkey, &rkey), 0);
	return lkey;
}

static void open_bench(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->t = rn_mr_table_create(16, &(struct rn_secret){{3}});
	b->region = add_region(b->t, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND);
	assert_int_equal(rn_mw_add(b->t, 7, &b->shared, &b->id), 0);
	assert_int_equal(b->shared.ended, b->id);
}

static uint32_t variant(uint32_t id, uint8_t v)
{
	return (id & ~0xFFu) | v;
}

static bool bind(struct bench *b, uint8_t v, uint64_t addr, uint64_t length, uint32_t access)
{
	const struct rn_bind what = {.length = length, .lkey = b->region, .access = access};

	return rn_mw_bind(b->t, variant(b->id, v), one, addr, &what, &b->list);
}

static enum rn_verdict ask(struct bench *b, uint8_t v, struct rn_mr_via via)
{
	void *ptr;

	return rn_mr_check_remote(b->t, variant(b->id, v), via, 0x1000, 1, RD, &ptr);
}

/* A window can be used by one QP with the right key, within the window's bounds and rights. The
 * region's own key stays valid. */
static void test_check(void **state)
{
	static const struct {
		uint64_t addr, len;
		uint32_t need;
		enum rn_verdict v;
	} rows[] = {
		{0x1100, 100, RD, RN_V_OK},
		{0x1163, 1, RD, RN_V_OK},
		{0x1164, 0, RD, RN_V_OK},
		{0x1164, 1, RD, RN_V_REQ_BOUNDS},
		{0x1165, 0, RD, RN_V_REQ_BOUNDS},
		{0x10FF, 1, RD, RN_V_REQ_BOUNDS},
		{0x10FF, 2, RD, RN_V_REQ_BOUNDS},
		{0x1100, 101, RD, RN_V_REQ_BOUNDS},
		{0x1101, UINT64_MAX, RD, RN_V_REQ_BOUNDS},
		{UINT64_MAX, 1, RD, RN_V_REQ_BOUNDS},
		{0x1100, 100, WR, RN_V_REQ_RIGHTS},
		{0x1100, 100, RN_ACCESS_REMOTE_ATOMIC, RN_V_REQ_RIGHTS},
	};
	struct bench b;
	uint8_t byte = 0;
	void *ptr;

	open_bench(&b);
	assert_int_equal(ask(&b, 9, one), RN_V_REQ_RKEY);
	assert_true(bind(&b, 9, 0x1100, 100, RD));
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		assert_int_equal(rn_mr_check_remote(b.t, variant(b.id, 9), one, rows[i].addr,
						    rows[i].len, rows[i].need, &ptr),
				 rows[i].v);
		if (rows[i].v == RN_V_OK)
			assert_ptr_equal(ptr, mem + rows[i].addr - 0x1000);
	}
	/* refused: key 9 through another QP, and key 8, under which the window is not bound */
	assert_int_equal(rn_mr_check_remote(b.t, variant(b.id, 9), two, 0x1100, 1, RD, &ptr),
			 RN_V_REQ_RKEY);
	assert_int_equal(rn_mr_check_remote(b.t, variant(b.id, 8), one, 0x1100, 1, RD, &ptr),
			 RN_V_REQ_RKEY);
	/* a window's key is never valid for local use */
	assert_int_equal(rn_mr_check(b.t, variant(b.id, 9), 7, 0x1100, 1, 0, &ptr), RN_V_REQ_RKEY);
	assert_int_equal(
		rn_gather(b.t, &rn_mem_plain, variant(b.id, 9), 7, 0x1100, 1, 0, &byte, NULL),
		RN_V_REQ_RKEY);
	assert_int_equal(rn_place(b.t, &rn_mem_plain, variant(b.id, 9), 7, 0x1100, 1, 0, &byte),
			 RN_V_REQ_RKEY);
	/* The region's own key stays valid for every QP of the region's PD. An access with the
	 * region's key has the region's rights, not the window's. */
	assert_int_equal(rn_mr_check_remote(b.t, b.region, two, 0x1000, 1, 0, &ptr), RN_V_OK);
	assert_int_equal(rn_mr_check_remote(b.t, b.region, stranger, 0x1000, 1, 0, &ptr),
			 RN_V_REQ_RKEY);
	assert_int_equal(rn_mr_check_remote(b.t, b.region, one, 0x1000, 1, RD, &ptr),
			 RN_V_REQ_RIGHTS);
	rn_mr_table_destroy(b.t);
}

static void test_gather_place(void **state)
{
	struct bench b;
	char back[3];

	open_bench(&b);
	assert_true(bind(&b, 1, 0x1010, 10, ALL));
	assert_int_equal(
		rn_place_remote(b.t, &rn_mem_plain, variant(b.id, 1), one, 0x1010, 5, WR, "hello"),
		RN_V_OK);
	assert_memory_equal(mem + 0x10, "hello", 5);
	assert_int_equal(rn_gather_remote(b.t, &rn_mem_plain, variant(b.id, 1), one, 0x1011, 3, RD,
					  back, NULL),
			 RN_V_OK);
	assert_memory_equal(back, "ell", 3);
	assert_int_equal(
		rn_place_remote(b.t, &rn_mem_plain, variant(b.id, 1), two, 0x1010, 5, WR, "HELLO"),
		RN_V_REQ_RKEY);
	assert_int_equal(rn_gather_remote(b.t, &rn_mem_plain, variant(b.id, 1), one, 0x101A, 1, RD,
					  back, NULL),
			 RN_V_REQ_BOUNDS);
	assert_memory_equal(mem + 0x10, "hello", 5);
	rn_mr_table_destroy(b.t);
}

/* BINDs that must be refused, each for one reason. */
static void test_refusals(void **state)
{
	struct bench b;
	uint32_t closed, plain, gone;

	open_bench(&b);
	closed = add_region(b.t, RN_ACCESS_LOCAL_WRITE);
	plain = add_region(b.t, RN_ACCESS_MW_BIND | RN_ACCESS_REMOTE_WRITE);
	gone = add_region(b.t, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND);
	assert_int_equal(rn_mr_remove(b.t, gone), 0);

	const struct {
		const char *why;
		uint32_t key;
		struct rn_mr_via via;
		uint64_t addr;
		struct rn_bind bind;
	} rows[] = {
		{"no key", 0, one, 0x1000, {1, b.region, RD}},
		{"a region's key", variant(b.region, 1), one, 0x1000, {1, b.region, RD}},
		{"a free slot", variant(b.id ^ 0x100, 1), one, 0x1000, {1, b.region, RD}},
		{"another PD", variant(b.id, 1), stranger, 0x1000, {1, b.region, RD}},
		{"not to be bound", variant(b.id, 1), one, 0x1000, {1, closed, RD}},
		{"no local write", variant(b.id, 1), one, 0x1000, {1, plain, WR}},
		{"no local write for atomics",
		 variant(b.id, 1),
		 one,
		 0x1000,
		 {1, plain, RN_ACCESS_REMOTE_ATOMIC}},
		{"region gone", variant(b.id, 1), one, 0x1000, {1, gone, RD}},
		{"a window is no region", variant(b.id, 1), one, 0x1000, {1, b.id, RD}},
		{"a local right",
		 variant(b.id, 1),
		 one,
		 0x1000,
		 {1, b.region, RN_ACCESS_LOCAL_WRITE}},
		{"before it", variant(b.id, 1), one, 0xFFF, {2, b.region, RD}},
		{"too long", variant(b.id, 1), one, 0x1001, {4096, b.region, RD}},
		{"behind it", variant(b.id, 1), one, 0x2000, {1, b.region, RD}},
		{"round the end", variant(b.id, 1), one, 0x1001, {UINT64_MAX, b.region, RD}},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		if (rn_mw_bind(b.t, rows[i].key, rows[i].via, rows[i].addr, &rows[i].bind, &b.list))
			fail_msg("bound: %s", rows[i].why);
		assert_int_equal(b.list.first, 0);
		assert_int_equal(b.shared.ended, b.id);
	}
	/* none of the refused BINDs changed the window */
	assert_true(bind(&b, 1, 0x1000, 4096, ALL));
	assert_false(bind(&b, 2, 0x1000, 4096, ALL));
	assert_int_equal(ask(&b, 1, one), RN_V_OK);
	rn_mr_table_destroy(b.t);
}

/* Which QP may bind, invalidate and release a window, from its first BIND to its removal. */
static void test_life(void **state)
{
	struct bench b;
	const struct rn_bind all = {.length = 4096, .access = ALL};
	struct rn_bind what = all;
	struct rn_mw_list other = {0};
	uint32_t qpn = 0;

	open_bench(&b);
	what.lkey = b.region;
	assert_true(bind(&b, 1, 0x1000, 10, RD));
	/* another QP may not bind, invalidate or release the window */
	assert_false(rn_mw_bind(b.t, variant(b.id, 2), two, 0x1000, &what, &other));
	assert_false(rn_mw_invalidate(b.t, variant(b.id, 1), two));
	rn_mw_unbind(b.t, b.id, two, &other);
	rn_mw_cancel_bind(b.t, variant(b.id, 9), two);
	assert_int_equal(b.shared.ended, b.id);
	assert_int_equal(rn_mw_remove(b.t, b.id, &qpn), -EBUSY);
	assert_int_equal(qpn, one.qpn);
	/* A window can be invalidated only with its current key, and only once. rn_mw_release() has
	 * no effect before that. After that it makes the window free for another QP. */
	rn_mw_release(b.t, variant(b.id, 1), one, &b.list);
	assert_int_equal(ask(&b, 1, one), RN_V_OK);
	assert_false(rn_mw_invalidate(b.t, variant(b.id, 2), one));
	assert_true(rn_mw_invalidate(b.t, variant(b.id, 1), one));
	assert_false(rn_mw_invalidate(b.t, variant(b.id, 1), one));
	assert_int_equal(ask(&b, 1, one), RN_V_REQ_RKEY);
	assert_int_equal(b.shared.ended, b.id);
	assert_false(rn_mw_bind(b.t, variant(b.id, 2), two, 0x1000, &what, &other));
	/* The window is bound again under key 2 before rn_mw_release() is called for key 1. The
	 * call for key 1 then has no effect. */
	assert_true(bind(&b, 2, 0x1000, 10, RD));
	rn_mw_release(b.t, variant(b.id, 1), one, &b.list);
	assert_int_equal(ask(&b, 2, one), RN_V_OK);
	assert_true(rn_mw_invalidate(b.t, variant(b.id, 2), one));
	rn_mw_release(b.t, variant(b.id, 2), one, &b.list);
	assert_int_equal(b.shared.ended, variant(b.id, 2));
	assert_int_equal(b.list.first, 0);
	/* the window was released, so another QP may bind it */
	assert_true(rn_mw_bind(b.t, variant(b.id, 3), two, 0x1000, &what, &other));
	assert_int_equal(ask(&b, 3, one), RN_V_REQ_RKEY);
	assert_int_equal(ask(&b, 3, two), RN_V_OK);
	rn_mw_unbind(b.t, b.id, two, &other);
	assert_int_equal(ask(&b, 3, two), RN_V_REQ_RKEY);
	assert_int_equal(b.shared.ended, variant(b.id, 3));
	/* rn_mw_cancel_bind() ends a BIND that will not be executed */
	rn_mw_cancel_bind(b.t, variant(b.id, 4), stranger);
	assert_int_equal(b.shared.ended, variant(b.id, 3));
	rn_mw_cancel_bind(b.t, variant(b.id, 4), two);
	assert_int_equal(b.shared.ended, variant(b.id, 4));
	assert_int_equal(rn_mw_remove(b.t, b.id, &qpn), 0);
	assert_int_equal(rn_mw_remove(b.t, b.id, &qpn), -ENOENT);
	assert_int_equal(rn_mw_remove(b.t, b.region, &qpn), -ENOENT);
	assert_false(bind(&b, 5, 0x1000, 10, RD));
	rn_mr_reclaim(b.t, b.id);
	assert_int_equal(rn_mr_count(b.t), 1);
	rn_mr_table_destroy(b.t);
}

/* The user of a window chooses the low byte of its key: any number, also one that was used. */
static void test_low_byte(void **state)
{
	static const uint8_t bytes[] = {0, 255, 0, 1, 1};
	struct bench b;

	open_bench(&b);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(bytes); i++) {
		assert_true(bind(&b, bytes[i], 0x1000, 10, RD));
		assert_int_equal(ask(&b, bytes[i], one), RN_V_OK);
		assert_int_equal(ask(&b, (uint8_t)(bytes[i] + 1), one), RN_V_REQ_RKEY);
		assert_true(rn_mw_invalidate(b.t, variant(b.id, bytes[i]), one));
		rn_mw_release(b.t, variant(b.id, bytes[i]), one, &b.list);
		assert_int_equal(b.shared.ended, variant(b.id, bytes[i]));
		assert_int_equal(ask(&b, bytes[i], one), RN_V_REQ_RKEY);
	}
	rn_mr_table_destroy(b.t);
}

static bool rebind(struct bench *b, uint8_t v, struct rn_mr_via via, uint64_t length,
		   uint32_t access)
{
	const struct rn_bind what = {
		.length = length, .lkey = length ? b->region : 0, .access = access};
	struct rn_mw_list other = {0};

	return rn_mw_rebind(b->t, variant(b->id, v), via, 0x1000, &what,
			    via.qpn == one.qpn ? &b->list : &other);
}

/* A window of type 1: a bind replaces the one before, and nothing else ends it but a bind of no
 * bytes. */
static void test_rebind(void **state)
{
	struct bench b;

	open_bench(&b);
	assert_true(rebind(&b, 1, one, 0, 0)); /* it was not bound */
	assert_int_equal(b.shared.ended, variant(b.id, 1));
	assert_true(rebind(&b, 2, one, 10, RD));
	assert_int_equal(ask(&b, 2, one), RN_V_OK);
	assert_int_equal(ask(&b, 2, two), RN_V_REQ_RKEY);
	assert_false(rn_mw_invalidate(b.t, variant(b.id, 2), one));
	assert_int_equal(ask(&b, 2, one), RN_V_OK);
	assert_true(rebind(&b, 3, one, 10, RD));
	assert_int_equal(b.shared.ended, variant(b.id, 2));
	assert_int_equal(ask(&b, 2, one), RN_V_REQ_RKEY);
	assert_int_equal(ask(&b, 3, one), RN_V_OK);
	/* another QP can neither bind nor end it */
	assert_false(rebind(&b, 4, two, 10, RD));
	assert_false(rebind(&b, 4, two, 0, 0));
	assert_int_equal(ask(&b, 3, one), RN_V_OK);
	/* a plain BIND replaces nothing */
	assert_false(bind(&b, 4, 0x1000, 10, RD));
	assert_int_equal(ask(&b, 3, one), RN_V_OK);
	assert_true(rebind(&b, 5, one, 0, 0));
	assert_int_equal(b.list.first, 0);
	assert_int_equal(b.shared.ended, variant(b.id, 5));
	assert_int_equal(ask(&b, 3, one), RN_V_REQ_RKEY);
	assert_int_equal(ask(&b, 5, one), RN_V_REQ_RKEY);
	assert_false(rebind(&b, 6, stranger, 0, 0)); /* of another PD */
	/* a plain BIND after it can be invalidated again */
	assert_true(bind(&b, 7, 0x1000, 10, RD));
	assert_true(rn_mw_invalidate(b.t, variant(b.id, 7), one));
	/* a bind that is refused leaves the window unbound */
	assert_true(rebind(&b, 8, one, 10, RD));
	assert_false(rebind(&b, 9, one, 5000, RD));
	assert_int_equal(ask(&b, 8, one), RN_V_REQ_RKEY);
	assert_int_equal(b.list.first, 0);
	rn_mr_table_destroy(b.t);
}

/* A window stops working when its region is removed. */
static void test_region_gone(void **state)
{
	struct bench b;

	open_bench(&b);
	assert_true(bind(&b, 1, 0x1000, 10, RD));
	/* rn_mr_remove() refuses the key of a window */
	assert_int_equal(rn_mr_remove(b.t, variant(b.id, 1)), -ENOENT);
	assert_int_equal(ask(&b, 1, one), RN_V_OK);
	assert_int_equal(rn_mr_remove(b.t, b.region), 0);
	assert_int_equal(ask(&b, 1, one), RN_V_REQ_RKEY);
	rn_mr_reclaim(b.t, b.region);
	add_region(b.t, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND | ALL);
	/* a new region, even in the same slot, does not make the window valid again */
	assert_int_equal(ask(&b, 1, one), RN_V_REQ_RKEY);
	rn_mr_table_destroy(b.t);
}

/* An object that reuses the slot of a window is not reachable with the window's keys. */
static void test_slot_used_again(void **state)
{
	struct rn_mr_table *t = rn_mr_table_create(2, &(struct rn_secret){{3}});
	struct bench b = {.t = t};
	uint32_t key, qpn;
	void *ptr;

	b.region = add_region(t, RN_ACCESS_MW_BIND);
	for (unsigned round = 0; round < 600; round++) {
		uint8_t v;

		assert_int_equal(rn_mw_add(t, 7, &b.shared, &b.id), 0);
		assert_int_equal(rn_mw_add(t, 7, &b.shared, &key), -ENOSPC);
		v = (uint8_t)(b.id + 1) ? (uint8_t)(b.id + 1) : 1;
		assert_true(bind(&b, v, 0x1000, 10, RD));
		rn_mw_unbind_all(t, &b.list);
		assert_int_equal(rn_mw_remove(t, b.id, &qpn), 0);
		rn_mr_reclaim(t, b.id);
		key = add_region(t, ALL);
		assert_int_not_equal(key >> 8, b.id >> 8);
		assert_int_equal(rn_mr_check_remote(t, variant(b.id, v), one, 0x1000, 1, RD, &ptr),
				 RN_V_REQ_RKEY);
		assert_int_equal(rn_mr_check_remote(t, key, two, 0x1000, 1, RD, &ptr), RN_V_OK);
		assert_int_equal(rn_mr_remove(t, key), 0);
		rn_mr_reclaim(t, key);
	}
	rn_mr_table_destroy(t);
}

/* A QP keeps a list of the windows bound through the QP. Windows leave the list one by one in any
 * order, or all at once. */
static void test_list(void **state)
{
	static const uint8_t orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
	struct rn_mw_shared shared[4];
	uint32_t id[4];
	struct bench b;

	open_bench(&b);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rn_mw_add(b.t, 7, &shared[i], &id[i]), 0);
	for (unsigned round = 0; round <= RN_ARRAY_SIZE(orders); round++) {
		const uint8_t v = (uint8_t)(round + 1);

		for (unsigned i = 0; i < 4; i++) {
			b.id = id[i];
			assert_true(bind(&b, v, 0x1000, 10, RD));
		}
		for (unsigned i = 0; i < 4 && round < RN_ARRAY_SIZE(orders); i++) {
			rn_mw_unbind(b.t, id[orders[round][i]], one, &b.list);
			for (unsigned k = 0; k < 4; k++) {
				bool gone = false;

				for (unsigned j = 0; j <= i; j++)
					gone |= orders[round][j] == k;
				assert_int_equal(shared[k].ended == variant(id[k], v), gone);
			}
		}
		rn_mw_unbind_all(b.t, &b.list);
		assert_int_equal(b.list.first, 0);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(shared[i].ended, variant(id[i], v));
	}
	rn_mr_table_destroy(b.t);
}

/* Two threads bind one window as fast as they can, each to its own half of the region. While a
 * thread's BIND is in force, a lookup of the thread's own key must find exactly this binding. At
 * other times this lookup must find nothing. A lookup of the other thread's key through the
 * thread's own QP must always find nothing. */
struct race {
	struct rn_mr_table *t;
	uint32_t region, id;
	_Atomic bool stop;
	struct racer {
		struct race *r;
		struct racer *other;
		_Atomic uint8_t variant; /* key variant (low byte) in use by this thread */
		struct rn_mr_via via;
		struct rn_mw_list list;
		uint64_t base;
		_Atomic uint64_t bound, seen; /* changed by this thread only */
		uint64_t wrong;
	} racer[2];
};

/* Counts one up. The relaxed accesses order nothing, so the race between the threads stays as it
 * is. */
static uint64_t count(_Atomic uint64_t *counter)
{
	uint64_t n = atomic_load_explicit(counter, memory_order_relaxed) + 1;

	atomic_store_explicit(counter, n, memory_order_relaxed);
	return n;
}

static void look(struct racer *me, bool mine, uint8_t v)
{
	struct rn_mr_table *t = me->r->t;
	void *ptr;

	for (unsigned i = 0; i < 20; i++) {
		uint8_t theirs = atomic_load(&me->other->variant);

		me->wrong += rn_mr_check_remote(t, variant(me->r->id, theirs), me->via,
						me->other->base, 1, RD, &ptr) == RN_V_OK;
	}
	if (rn_mr_check_remote(t, variant(me->r->id, v), me->via, me->base, 100, RD, &ptr) !=
	    RN_V_OK) {
		me->wrong += mine;
		return;
	}
	count(&me->seen);
	me->wrong += !mine || (uint8_t *)ptr != mem + (me->base - 0x1000);
}

static void *bind_and_look(void *arg)
{
	struct racer *me = arg;
	struct race *r = me->r;
	uint8_t v = me->via.qpn == one.qpn ? 1 : 2;

	while (!atomic_load(&r->stop)) {
		const struct rn_bind what = {.length = 100, .lkey = r->region, .access = RD};
		bool mine;

		atomic_store(&me->variant, v);
		mine = rn_mw_bind(r->t, variant(r->id, v), me->via, me->base, &what, &me->list);
		look(me, mine, v);
		if (!mine)
			continue;
		uint64_t bound = count(&me->bound);

		if (bound % 3 == 0) {
			me->wrong += !rn_mw_invalidate(r->t, variant(r->id, v), me->via);
			rn_mw_release(r->t, variant(r->id, v), me->via, &me->list);
		} else {
			rn_mw_unbind_all(r->t, &me->list);
		}
		look(me, false, v);
		if (bound % 16 == 0)
			sched_yield();
		/* one thread uses odd key variants, the other even ones */
		v = v >= 254 ? v - 253 : v + 2;
		if (v == 0)
			v = 2;
	}
	return NULL;
}

/* Has each thread bound the window, and found its own binding, more than 100 times? */
static bool raced_enough(struct race *r)
{
	return r->racer[0].bound > 100 && r->racer[0].seen > 100 && r->racer[1].bound > 100 &&
	       r->racer[1].seen > 100;
}

static void test_race(void **state)
{
	static struct race r;
	struct rn_mw_shared shared;
	pthread_t th[2];

	r.t = rn_mr_table_create(4, &(struct rn_secret){{5}});
	r.region = add_region(r.t, RN_ACCESS_MW_BIND);
	assert_int_equal(rn_mw_add(r.t, 7, &shared, &r.id), 0);
	for (unsigned i = 0; i < 2; i++) {
		r.racer[i].r = &r;
		r.racer[i].other = &r.racer[!i];
		r.racer[i].via = i ? two : one;
		r.racer[i].base = i ? 0x1800 : 0x1000;
	}
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&th[i], NULL, bind_and_look, &r.racer[i]), 0);
	/* The race lasts 300 ms, and up to 20 s if a thread gets no CPU time. */
	for (unsigned i = 0; i < 2000 && (i < 30 || !raced_enough(&r)); i++)
		usleep(10000);
	atomic_store(&r.stop, true);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(th[i], NULL);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(r.racer[i].bound > 100);
		assert_true(r.racer[i].seen > 100);
		assert_int_equal(r.racer[i].wrong, 0);
	}
	rn_mr_table_destroy(r.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check),	    cmocka_unit_test(test_gather_place),
		cmocka_unit_test(test_refusals),    cmocka_unit_test(test_life),
		cmocka_unit_test(test_region_gone), cmocka_unit_test(test_slot_used_again),
		cmocka_unit_test(test_list),	    cmocka_unit_test(test_race),
		cmocka_unit_test(test_low_byte),    cmocka_unit_test(test_rebind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
