/* Tests the functions that use a port's attributes: kinds of addresses, next hops, source
 * addresses, address vectors and path MTU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/frame.h"
#include "net/port_attr.h"

/* clang-format off */
#define V4(net, host)	{{[10] = 0xff, 0xff, 192, 0, net, host}}
#define V6(net, host)	{{0x20, 1, 0x0d, 0xb8, [7] = net, [15] = host}}
#define LOCAL(host)	{{0xfe, 0x80, [15] = host}}
#define LOCAL_END(host) {{0xfe, 0xbf, [15] = host}}
#define SITE(host)	{{0xfe, 0xc0, [15] = host}}
#define NOBODY		{{0}}
#define ANY4		{{[10] = 0xff, 0xff}}
#define GROUP4		{{[10] = 0xff, 0xff, 239, 1, 2, 3}}
#define LAST_HOST4	{{[10] = 0xff, 0xff, 223, 1, 2, 3}}
#define RESERVED4	{{[10] = 0xff, 0xff, 240, 1, 2, 3}}
#define BROADCAST	{{[10] = 0xff, 0xff, 255, 255, 255, 255}}
#define GROUP6		{{0xff, 2, [15] = 9}}
/* clang-format on */

static void assert_gid(const char *what, size_t row, const struct rn_gid *is,
		       const struct rn_gid *want)
{
	if (!rn_gid_equal(is, want))
		fail_msg("%s, row %zu: ends in %u, not in %u", what, row, is->b[15], want->b[15]);
}

static void hosts(void **state)
{
	static const struct {
		struct rn_gid addr;
		bool host, local;
	} rows[] = {
		{V4(2, 1), true, false},  {V6(1, 1), true, false},    {LAST_HOST4, true, false},
		{RESERVED4, true, false}, {GROUP4, false, false},     {BROADCAST, false, false},
		{GROUP6, false, false},	  {NOBODY, false, false},     {ANY4, false, false},
		{LOCAL(1), true, true},	  {LOCAL_END(1), true, true}, {SITE(1), true, false},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		assert_int_equal(rn_gid_is_host(&rows[i].addr), rows[i].host);
		assert_int_equal(rn_gid_is_link_local(&rows[i].addr), rows[i].local);
	}
}

/* For each destination dst: can the port reach dst, by which next hop, and from which source
 * address? Columns of the table:
 * - own: index of dst among the port's addresses, or -1
 * - on_link: dst is in a subnet of the port
 * - ok: dst can be reached
 * - hop: next hop to dst
 * - from: index of the source address among the port's addresses; -1 if no source fits */
static void ways(void **state)
{
	/* clang-format off */
	static const struct rn_port_attr both = {
		.ngids = 5, .gids = {V4(1, 1), V4(2, 1), V6(1, 1), V6(2, 1), LOCAL(1)}, .prefix_len = {24, 23, 64, 60, 64},
		.gateway4 = V4(2, 254), .gateway6 = V6(2, 254)},
		global = {.ngids = 1, .gids = {V6(1, 1)}, .prefix_len = {64}, .gateway6 = V6(1, 254)},
		whole = {.ngids = 2, .gids = {V4(2, 1), V6(1, 1)}, .prefix_len = {32, 128}, .gateway4 = V4(2, 254)},
		local_first = {.ngids = 2, .gids = {LOCAL(1), V6(1, 1)}, .prefix_len = {64, 64}, .gateway6 = LOCAL(254)},
		beyond = {.ngids = 1, .gids = {V4(2, 1)}, .prefix_len = {255}},
		four = {.ngids = 1, .gids = {V4(2, 1)}, .prefix_len = {24}, .gateway4 = V4(9, 254), .gateway6 = V6(1, 254)};
	static const struct {
		const struct rn_port_attr *port;
		struct rn_gid dst;
		int own;
		bool on_link, ok;
		struct rn_gid hop;
		int from;
	} rows[] = {
		/* the port's own addresses */
		{&both,   V4(1, 1),     0, true,  true,  V4(1, 1),     0},
		{&both,   V4(2, 1),     1, true,  true,  V4(2, 1),     1},
		/* neighbours in a subnet of the port */
		{&both,   V4(1, 9),    -1, true,  true,  V4(1, 9),     0},
		{&both,   V4(3, 9),    -1, true,  true,  V4(3, 9),     1},
		{&both,   V6(1, 9),    -1, true,  true,  V6(1, 9),     2},
		{&both,   V6(0, 9),    -1, true,  true,  V6(0, 9),     3},
		/* behind the gateway; the source is the port's address in the gateway's subnet */
		{&both,   V4(4, 9),    -1, false, true,  V4(2, 254),   1},
		{&both,   V4(0, 9),    -1, false, true,  V4(2, 254),   1},
		{&both,   V6(16, 9),   -1, false, true,  V6(2, 254),   3},
		/* link-local destinations */
		{&both,   LOCAL(9),    -1, true,  true,  LOCAL(9),     4},
		{&both,   LOCAL_END(9), -1, true, true,  LOCAL_END(9), 4},
		/* a link-local destination, though the port has no link-local address */
		{&global, LOCAL(9),    -1, true,  true,  LOCAL(9),     0},
		{&global, SITE(9),     -1, false, true,  V6(1, 254),   0},
		/* the port has no address of the destination's family */
		{&four,   LOCAL(9),    -1, false, false, NOBODY,       0},
		{&four,   V6(1, 254),  -1, false, false, NOBODY,       0},
		/* the gateway is in no subnet of the port, so it cannot be used */
		{&four,   V4(3, 1),    -1, false, false, NOBODY,       0},
		/* the port has no IPv4 gateway */
		{&global, V4(2, 1),    -1, false, false, NOBODY,       0},
		/* prefixes that cover a single address */
		{&whole,  V4(2, 1),     0, true,  true,  V4(2, 1),     0},
		{&whole,  V4(2, 0),    -1, false, false, NOBODY,       0},
		{&whole,  V6(1, 0),    -1, false, false, NOBODY,       0},
		{&beyond, V4(2, 0),    -1, false, false, NOBODY,       0},
		/* routers do not forward packets from a link-local source, so the source is the
		 * global address */
		{&local_first, V6(2, 9), -1, false, true, LOCAL(254),  1},
		{&local_first, V6(1, 9), -1, true,  true, V6(1, 9),    1},
		{&local_first, LOCAL(9), -1, true,  true, LOCAL(9),    0},
		{&local_first, GROUP6,   -1, false, true, GROUP6,      1},
		/* groups and broadcast need no gateway */
		{&both,   GROUP4,      -1, false, true,  GROUP4,       0},
		{&both,   BROADCAST,   -1, false, true,  BROADCAST,    0},
		{&both,   GROUP6,      -1, false, true,  GROUP6,       2},
		{&global, GROUP4,      -1, false, true,  GROUP4,      -1},
		{&both,   NOBODY,      -1, false, false, NOBODY,       0},
		{&both,   ANY4,        -1, false, false, NOBODY,       0},
	};
	/* clang-format on */

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		const struct rn_port_attr *port = rows[i].port;
		struct rn_gid hop, src;

		if (rn_port_own(port, &rows[i].dst) != rows[i].own ||
		    rn_port_on_link(port, &rows[i].dst) != rows[i].on_link ||
		    rn_port_next_hop(port, &rows[i].dst, &hop) != rows[i].ok ||
		    rn_port_source(port, &rows[i].dst, &src) != (rows[i].ok && rows[i].from >= 0))
			fail_msg("row %zu", i);
		if (!rows[i].ok)
			continue;
		assert_gid("hop", i, &hop, &rows[i].hop);
		if (rows[i].from >= 0)
			assert_gid("from", i, &src, &port->gids[rows[i].from]);
	}
}

static void vectors(void **state)
{
	static const struct rn_port_attr plain = {.ngids = 2, .gids = {V4(2, 1), V6(1, 1)}},
					 tagged = {.ngids = 1,
						   .gids = {V4(2, 1)},
						   .has_vlan = true,
						   .vlan_tci = 0x4064};
	static const struct {
		const struct rn_port_attr *port;
		struct rn_av av;
		bool fits;
	} rows[] = {
		{&plain, {.sgid = V4(2, 1), .dgid = V4(9, 9)}, true},
		{&plain, {.sgid = V6(1, 1), .dgid = LOCAL(9)}, true},
		{&plain, {.sgid = V4(2, 2), .dgid = V4(9, 9)}, false},
		{&plain, {.sgid = V4(2, 1), .dgid = V6(9, 9)}, false},
		{&plain,
		 {.sgid = V4(2, 1), .dgid = V4(9, 9), .has_vlan = true, .vlan_tci = 0x2000},
		 true},
		{&plain,
		 {.sgid = V4(2, 1), .dgid = V4(9, 9), .has_vlan = true, .vlan_tci = 100},
		 false},
		{&tagged, {.sgid = V4(2, 1), .dgid = V4(9, 9)}, true},
		{&tagged,
		 {.sgid = V4(2, 1), .dgid = V4(9, 9), .has_vlan = true, .vlan_tci = 100},
		 true},
		{&tagged,
		 {.sgid = V4(2, 1), .dgid = V4(9, 9), .has_vlan = true, .vlan_tci = 101},
		 false},
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		if (rn_port_av_fits(rows[i].port, &rows[i].av) != rows[i].fits)
			fail_msg("row %zu", i);
}

static void path_mtu(void **state)
{
	static const struct {
		uint16_t mtu;
		bool wide;
		uint8_t code;
	} rows[] = {{1500, false, 3},	   {1280, true, 3},	  {1500, true, 3},
		    {1024 + 64, false, 3}, {1024 + 63, false, 2}, {4200, false, 5},
		    {4160, false, 5},	   {4159, false, 4},	  {4184, true, 5},
		    {4183, true, 4},	   {9000, true, 5},	  {300, true, 1}};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_port_path_mtu(rows[i].mtu, rows[i].wide), rows[i].code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts),
		cmocka_unit_test(ways),
		cmocka_unit_test(vectors),
		cmocka_unit_test(path_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
