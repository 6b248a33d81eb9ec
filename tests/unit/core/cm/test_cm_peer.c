/* Address checks of the connection manager: which addresses a host can have, whether a message
 * comes from the peer of its connection, and to which MAC the reply goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm/cm_priv.h"
#include "cm_net.h"
#include "wire/frame.h"

/* clang-format off */
#define V4(a, b, c, d) {{[10] = 0xff, 0xff, a, b, c, d}}
/* clang-format on */

static void only_unicast_addresses_belong_to_hosts(void **state)
{
	static const struct {
		struct rn_gid addr;
		bool host;
	} rows[] = {
		{V4(192, 0, 2, 1), true},
		{V4(1, 0, 0, 1), true},
		{V4(223, 255, 255, 254), true},
		{V4(0, 0, 0, 0), false},
		{V4(0, 1, 2, 3), false},
		{V4(127, 0, 0, 1), false},
		{V4(224, 0, 0, 1), false},
		{V4(240, 0, 0, 1), false},
		{V4(255, 255, 255, 255), false},
		{{{0x20, 1, 0x0d, 0xb8, [15] = 1}}, true},
		{{{0xfe, 0x80, [15] = 1}}, true},
		{{{[15] = 2}}, true},
		{{{0}}, false},
		{{{[15] = 1}}, false},
		{{{0xff, 2, [15] = 1}}, false},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		if (rn_cm_is_host(&rows[i].addr) != rows[i].host)
			fail_msg("row %zu", i);
}

static void only_the_peers_address_is_accepted(void **state)
{
	struct rn_port_attr port = {.check_source = true};
	const struct rn_cm cm = {.port = &port};
	const struct rn_cm_conn c = {.av.dgid = net_gid(1, false)};
	struct rn_pkt pkt = {.src = net_gid(1, false)};

	assert_true(rn_cm_from_peer(&cm, &c, &pkt));
	pkt.src.b[15]++;
	assert_false(rn_cm_from_peer(&cm, &c, &pkt));
	port.check_source = false;
	assert_true(rn_cm_from_peer(&cm, &c, &pkt));
}

static void the_neighbour_table_decides_over_the_source_mac(void **state)
{
	static const uint8_t listed[6] = {2, 0, 0, 0, 0, 9}, forged[6] = {2, 0, 0, 0, 0, 66};
	const struct rn_static_neigh neighbour = {net_gid(1, false), {2, 0, 0, 0, 0, 9}};
	const struct rn_core_cfg cfg = {
		.max_neigh = 4, .static_neigh = &neighbour, .nstatic_neigh = 1};
	const struct rn_port_attr port = {.ngids = 1, .gids = {net_gid(0, false)}};
	struct rn_cm cm = {.port = &port, .neigh = rn_neigh_create(&cfg, &port, 0)};
	struct rn_cm_conn c = {.av.dgid = net_gid(1, false)};
	struct rn_pkt pkt = {0};

	memcpy(pkt.smac, forged, 6);
	rn_cm_answer_to(&cm, &c, &pkt);
	assert_memory_equal(c.av.dmac, listed, 6);
	c.av.dgid.b[15]++;
	rn_cm_answer_to(&cm, &c, &pkt);
	assert_memory_equal(c.av.dmac, forged, 6);
	rn_neigh_destroy(cm.neigh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_unicast_addresses_belong_to_hosts),
		cmocka_unit_test(only_the_peers_address_is_accepted),
		cmocka_unit_test(the_neighbour_table_decides_over_the_source_mac),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
