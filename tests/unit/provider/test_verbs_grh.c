/* The route back to the sender of a datagram (provider/verbs/grh.c): which headers give one, and
 * that no bytes do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/grh.h"

/* clang-format off */
#define V4(a, b, c, d) {{[10] = 0xff, 0xff, (a), (b), (c), (d)}}
#define V6(first, last) {{(first), [15] = (last)}}
/* clang-format on */

static const struct rn_gid own[] = {V4(192, 0, 2, 1), V4(192, 0, 2, 2), V6(0x20, 1), V6(0xfe, 2)};

static const struct {
	uint8_t first; /* byte of the IP header */
	struct rn_gid from, to;
	int result; /* index of the own address; negative: no route */
} rows[] = {
	{0x45, V4(192, 0, 2, 9), V4(192, 0, 2, 1), 0},
	{0x45, V4(192, 0, 2, 9), V4(192, 0, 2, 2), 1},
	{0x45, V4(192, 0, 2, 9), V4(192, 0, 2, 3), -1}, /* not for this port */
	{0x45, V4(192, 0, 2, 9), V4(239, 0, 0, 1), 0},	/* to a group */
	{0x45, V4(239, 0, 0, 1), V4(192, 0, 2, 1), -1}, /* from a group */
	{0x46, V4(192, 0, 2, 9), V4(192, 0, 2, 1), -1}, /* with options */
	{0x55, V4(192, 0, 2, 9), V4(192, 0, 2, 1), -1}, /* no such version */
	{0x60, V6(0x20, 9), V6(0x20, 1), 2},
	{0x60, V6(0xfe, 9), V6(0xfe, 2), 3},
	{0x60, V6(0x20, 9), V6(0x20, 2), -1},
	{0x60, V6(0x20, 9), V6(0xff, 5), 2},
	{0x60, V6(0xff, 5), V6(0x20, 1), -1},
	{0x50, V6(0x20, 9), V6(0x20, 1), -1},
};

static void put(uint8_t grh[RN_UD_GRH_BYTES], uint8_t first, const struct rn_gid *from,
		const struct rn_gid *to)
{
	memset(grh, 0, RN_UD_GRH_BYTES);
	if (from->b[10] == 0xff) {
		grh[20] = first;
		grh[21] = 0x28; /* traffic class */
		memcpy(grh + 32, from->b + 12, 4);
		memcpy(grh + 36, to->b + 12, 4);
	} else {
		grh[0] = first | 0x2;
		grh[1] = 0x8a; /* traffic class 0x28, flow label 0xabcde */
		grh[2] = 0xbc;
		grh[3] = 0xde;
		memcpy(grh + 8, from, 16);
		memcpy(grh + 24, to, 16);
	}
}

static void each_header_gives_its_route(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t grh[RN_UD_GRH_BYTES];
		struct ibv_global_route route;
		int rc;

		put(grh, rows[i].first, &rows[i].from, &rows[i].to);
		rc = vb_grh_route(own, 4, grh, &route);
		if (rc != (rows[i].result < 0 ? EINVAL : 0))
			fail_msg("row %zu: %d", i, rc);
		if (rc != 0)
			continue;
		assert_int_equal(route.sgid_index, rows[i].result);
		assert_memory_equal(&route.dgid, &rows[i].from, 16);
		assert_int_equal(route.traffic_class, 0x28);
		assert_int_equal(route.flow_label, rows[i].first == 0x60 ? 0xabcde : 0);
		assert_int_equal(route.hop_limit, 0);
	}
}

/* A port without addresses has no route; nothing is read behind the 40 bytes. */
static void any_bytes_do_no_harm(void **state)
{
	uint8_t *grh = malloc(RN_UD_GRH_BYTES);
	struct ibv_global_route route;

	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		for (unsigned i = 0; i < RN_UD_GRH_BYTES; i++)
			grh[i] = (uint8_t)(rand() >> 7);
		if (round % 2)
			grh[0] = 0x60;
		else
			grh[20] = 0x45;
		if (vb_grh_route(own, 4, grh, &route) == 0)
			assert_in_range(route.sgid_index, 0, 3);
		assert_int_equal(vb_grh_route(own, 0, grh, &route), EINVAL);
	}
	free(grh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_header_gives_its_route),
		cmocka_unit_test(any_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
