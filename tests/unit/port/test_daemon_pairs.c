/* Tests which queue pairs are announced to softrnicd, with a fake daemon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "fake_daemon_link.h"
#include "nic/daemon_pairs.h"

static struct rn_daemon_pairs pairs;
static struct rn_daemon_link link;
static struct fake_daemon *const d = &fake_daemon;

static int begin(void **state)
{
	*d = (struct fake_daemon){0};
	rn_daemon_pairs_init(&pairs, &link);
	return 0;
}

static int end(void **state)
{
	rn_daemon_pairs_fini(&pairs);
	return 0;
}

/* ---- memory ---- */

static bool short_of_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return short_of_memory ? NULL : __real_calloc(n, size);
}

/* ---- queue pairs ---- */

static void add(uint32_t qpn)
{
	struct rn_daemon_pair *p = rn_daemon_pair_create();

	assert_non_null(p);
	rn_daemon_pairs_add(&pairs, p, qpn);
}

static struct rn_daemon_claim to_peer(uint32_t qpn, uint32_t remote_qpn)
{
	return (struct rn_daemon_claim){.local_qpn = qpn, .remote_qpn = remote_qpn};
}

static void connect_to(uint32_t qpn, uint32_t remote_qpn)
{
	const struct rn_daemon_claim claim = to_peer(qpn, remote_qpn);

	rn_daemon_pairs_announce(&pairs, &claim);
	rn_daemon_pairs_connected(&pairs, rn_daemon_pairs_find(&pairs, qpn), &claim);
}

/* ---- tests ---- */

static void queue_pairs_are_found_by_number(void **state)
{
	for (uint32_t qpn = 1; qpn <= 3 * RN_DAEMON_PAIRS_BUCKETS; qpn++)
		add(qpn);
	for (uint32_t qpn = 1; qpn <= 3 * RN_DAEMON_PAIRS_BUCKETS; qpn++)
		assert_int_equal(rn_daemon_pairs_find(&pairs, qpn)->qpn, qpn);
	assert_null(rn_daemon_pairs_find(&pairs, 0));
	rn_daemon_pairs_remove(&pairs, 1);
	assert_null(rn_daemon_pairs_find(&pairs, 1));
	rn_daemon_pairs_remove(&pairs, 1);
	assert_int_equal(d->unclaims, 0);
}

static void a_queue_pair_changes_its_peer(void **state)
{
	add(1);
	connect_to(1, 77);
	connect_to(1, 78);
	assert_int_equal(d->claims, 2);
	assert_int_equal(d->unclaims, 1);
	assert_int_equal(d->last_unclaimed, 77);
	connect_to(1, 78);
	assert_int_equal(d->unclaims, 1);
}

static void connecting_a_queue_pair_needs_no_memory(void **state)
{
	short_of_memory = true;
	assert_null(rn_daemon_pair_create());
	short_of_memory = false;
	add(1);
	short_of_memory = true;
	connect_to(1, 77);
	short_of_memory = false;
	assert_int_equal(d->claims, 1);
}

static void a_common_peer_is_withdrawn_with_the_last_queue_pair(void **state)
{
	for (uint32_t qpn = 1; qpn <= 3; qpn++) {
		add(qpn);
		connect_to(qpn, 77);
	}
	rn_daemon_pairs_remove(&pairs, 1);
	rn_daemon_pairs_withdraw(&pairs, rn_daemon_pairs_find(&pairs, 2));
	assert_int_equal(d->unclaims, 0);
	rn_daemon_pairs_remove(&pairs, 3);
	assert_int_equal(d->unclaims, 1);
	rn_daemon_pairs_withdraw(&pairs, rn_daemon_pairs_find(&pairs, 2));
	rn_daemon_pairs_withdraw(&pairs, NULL);
	assert_int_equal(d->unclaims, 1);
}

static void a_refused_announcement_is_taken_back(void **state)
{
	const struct rn_daemon_claim known = to_peer(2, 77), other = to_peer(2, 78);

	add(1);
	connect_to(1, 77);
	rn_daemon_pairs_refused(&pairs, &known); /* the first queue pair still has this peer */
	assert_int_equal(d->unclaims, 0);
	rn_daemon_pairs_refused(&pairs, &other);
	assert_int_equal(d->unclaims, 1);
	assert_int_equal(d->last_unclaimed, 78);
}

/* A request has room for RN_DAEMON_CLAIMS connections. */
static void a_daemon_that_is_back_is_told_all_connections(void **state)
{
	const unsigned n = 2 * RN_DAEMON_CLAIMS + 1;

	for (uint32_t qpn = 1; qpn <= n; qpn++) {
		add(qpn);
		connect_to(qpn, 1000 + qpn);
	}
	add(n + 1); /* not connected */
	d->claims = 0;
	assert_int_equal(rn_daemon_pairs_register(&pairs), 0);
	assert_int_equal(d->claims, n);
	assert_int_equal(d->batches, 3);
	assert_int_equal(d->largest, RN_DAEMON_CLAIMS);
	d->claim_rc = -EEXIST; /* what the daemon refuses is no error */
	assert_int_equal(rn_daemon_pairs_register(&pairs), 0);
	d->claim_rc = -ENOTCONN;
	d->away = true;
	assert_int_equal(rn_daemon_pairs_register(&pairs), -ENOTCONN);
}

#define row(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		row(queue_pairs_are_found_by_number),
		row(a_queue_pair_changes_its_peer),
		row(connecting_a_queue_pair_needs_no_memory),
		row(a_common_peer_is_withdrawn_with_the_last_queue_pair),
		row(a_refused_announcement_is_taken_back),
		row(a_daemon_that_is_back_is_told_all_connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
