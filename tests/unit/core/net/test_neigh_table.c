/* The neighbour table: which entries stay when the table is full, and which calls add no entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shard/core.h"
#include "net/neigh_priv.h"

#define ENTRIES 8
#define OWN	V4(192, 0, 2, 1)

#define V4(a, b, c, d) ((struct rn_gid){{[10] = 0xff, 0xff, a, b, c, d}})

static struct rn_gid host(unsigned i)
{
	return V4(192, 0, 2, (uint8_t)(10 + i));
}

static struct rn_neigh *machine(void)
{
	static const struct rn_port_attr port = {.mac = {2, 0, 0, 0, 0, 1},
						 .ngids = 1,
						 .gids = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}}},
						 .prefix_len = {24}};
	const struct rn_core_cfg cfg = {.max_neigh = ENTRIES,
					.neigh_retry = RN_MS(100),
					.neigh_reachable = RN_S(30),
					.neigh_probes = 3,
					.secrets = rn_secrets_of_seed(1)};
	struct rn_neigh *n = rn_neigh_create(&cfg, &port, 0);

	assert_non_null(n);
	return n;
}

static enum rn_neigh_state resolve(struct rn_neigh *n, unsigned i, rn_time now)
{
	struct rn_gid addr = host(i), own = OWN;
	uint8_t mac[6];

	return rn_neigh_resolve(n, &own, &addr, mac, now);
}

/* Adds the entry of a host that sent a request for our address. Returns whether the table had
 * room. */
static bool asks_us(struct rn_neigh *n, unsigned i, rn_time now)
{
	struct rn_gid addr = host(i);

	return rn_neigh_update(n, &addr, (uint8_t[]){2, 0, 0, 0, 1, (uint8_t)i}, RN_NBR_REQUEST,
			       now);
}

static bool knows(struct rn_neigh *n, unsigned i)
{
	struct rn_gid addr = host(i);
	uint8_t mac[6];

	return rn_neigh_known(n, &addr, mac) == RN_NEIGH_READY;
}

/* Resolves host i: this port sends the request and the host replies. With asks_us(), in contrast,
 * the host sends the request. */
static void resolved(struct rn_neigh *n, unsigned i, rn_time now)
{
	struct rn_gid addr = host(i);

	assert_int_equal(resolve(n, i, now), RN_NEIGH_PENDING);
	assert_true(rn_neigh_update(n, &addr, (uint8_t[]){2, 0, 0, 0, 1, (uint8_t)i}, RN_NBR_REPLY,
				    now));
}

/* A host that sends a request for our address may displace other such hosts from the table. A
 * neighbour that this port resolved is never displaced. */
static void only_unresolved_hosts_are_displaced(void **state)
{
	struct rn_neigh *n = machine();

	for (unsigned i = 0; i < 3; i++)
		resolved(n, i, i);
	for (unsigned i = 3; i < 200; i++)
		assert_true(asks_us(n, i, i));
	assert_int_equal(rn_neigh_count(n), ENTRIES);
	for (unsigned i = 0; i < 3; i++)
		assert_true(knows(n, i));
	/* a neighbour that this port resolves always finds room */
	for (unsigned i = 200; i < 205; i++)
		resolved(n, i, i);
	for (unsigned i = 0; i < 3; i++)
		assert_true(knows(n, i));
	/* with the table full of resolved neighbours, a host that sends a request finds no room */
	assert_false(asks_us(n, 100, 300));
	assert_int_equal(rn_neigh_count(n), ENTRIES);
	rn_neigh_destroy(n);
}

/* A neighbour held by a connection is never displaced. */
static void held_ones_stay(void **state)
{
	struct rn_neigh *n = machine();
	struct rn_nbr *held[ENTRIES];

	for (unsigned i = 0; i < ENTRIES; i++) {
		struct rn_gid addr = host(i);

		resolved(n, i, i);
		held[i] = rn_neigh_hold(n, &addr);
		assert_non_null(held[i]);
	}
	assert_int_equal(rn_neigh_full(n), 0);
	assert_int_equal(resolve(n, 100, 200), RN_NEIGH_FAILED);
	assert_int_equal(rn_neigh_full(n), 1);
	rn_neigh_release(n, held[5]);
	assert_int_equal(resolve(n, 100, 200), RN_NEIGH_PENDING);
	for (unsigned i = 0; i < ENTRIES; i++)
		assert_int_equal(knows(n, i), i != 5);
	rn_neigh_destroy(n);
}

/* A neighbour stops answering while a connection holds its entry; the entry stays in the table. The
 * next resolve sends a new request, and the neighbour answers. The entry then stays even after the
 * connection has released the entry. */
static void a_held_one_that_is_lost(void **state)
{
	struct rn_neigh *n = machine();
	struct rn_gid addr = host(1);
	struct rn_nbr *held;
	uint8_t frame[200];
	rn_time now = RN_S(40);

	resolved(n, 1, 0);
	held = rn_neigh_hold(n, &addr);
	/* the entry is older than neigh_reachable, so the neighbour is probed */
	assert_int_equal(resolve(n, 1, now), RN_NEIGH_READY);
	for (rn_time end = now + RN_S(2); now < end; now += RN_MS(10)) {
		rn_neigh_tick(n, now);
		while (rn_neigh_tx(n, frame, sizeof(frame), now))
			;
	}
	assert_int_equal(rn_neigh_count(n), 1);
	assert_true(rn_neigh_next(n) == RN_TIME_NEVER);
	assert_int_equal(resolve(n, 1, now), RN_NEIGH_PENDING);
	assert_true(rn_neigh_update(n, &addr, (uint8_t[]){2, 0, 0, 0, 1, 9}, RN_NBR_REPLY, now));
	assert_true(knows(n, 1));
	rn_neigh_release(n, held);
	assert_int_equal(rn_neigh_count(n), 1);
	rn_neigh_destroy(n);
}

/* The port moves to another network. Lookups no longer find the held entry. The last holder's
 * release frees the entry. */
static void a_held_one_of_another_network(void **state)
{
	const struct rn_port_attr moved = {.mac = {2, 0, 0, 0, 0, 1},
					   .ngids = 1,
					   .gids = {V4(198, 51, 100, 1)},
					   .prefix_len = {24}};
	struct rn_neigh *n = machine();
	struct rn_gid addr = host(1);
	struct rn_nbr *held;

	resolved(n, 1, 0);
	held = rn_neigh_hold(n, &addr);
	rn_neigh_port(n, &moved, 1);
	assert_false(knows(n, 1));
	assert_int_equal(resolve(n, 1, 2), RN_NEIGH_FAILED);
	assert_int_equal(rn_neigh_count(n), 1);
	rn_neigh_release(n, held);
	assert_int_equal(rn_neigh_count(n), 0);
	rn_neigh_destroy(n);
}

/* rn_neigh_known() and rn_neigh_hold() look up an address without adding an entry or sending a
 * request. */
static void looking_makes_no_entry(void **state)
{
	struct rn_neigh *n = machine();
	struct rn_gid far = V4(198, 51, 100, 7), group = V4(239, 1, 2, 3), own = OWN,
		      addr = host(1);
	uint8_t mac[6], frame[200];

	while (rn_neigh_tx(n, frame, sizeof(frame), 0))
		;
	assert_int_equal(rn_neigh_known(n, &addr, mac), RN_NEIGH_PENDING);
	assert_int_equal(rn_neigh_known(n, &far, mac), RN_NEIGH_FAILED);
	assert_int_equal(rn_neigh_known(n, &own, mac), RN_NEIGH_READY);
	assert_int_equal(mac[5], 1);
	assert_int_equal(rn_neigh_known(n, &group, mac), RN_NEIGH_READY);
	assert_memory_equal(mac, "\x01\0\x5e\x01\x02\x03", 6);
	assert_null(rn_neigh_hold(n, &addr));
	rn_neigh_report_again(n, &addr);
	assert_int_equal(rn_neigh_count(n), 0);
	assert_false(rn_neigh_wants_tx(n));
	rn_neigh_destroy(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_unresolved_hosts_are_displaced),
		cmocka_unit_test(held_ones_stay),
		cmocka_unit_test(a_held_one_that_is_lost),
		cmocka_unit_test(a_held_one_of_another_network),
		cmocka_unit_test(looking_makes_no_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
