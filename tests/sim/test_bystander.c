/* Other traffic on the network. Each frame that is not for the NIC is dropped without an answer and
 * counted under its verdict. The NIC answers pings of every size unless they are fragmented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/arp_msg.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "sim.h"
#include "wire/stats.h"
#include "base/types.h"

#define DUT 1u

/* ---- frames that are not for the NIC ---- */

/* clang-format off */
static const struct {
	const char *what;
	const char *dmac;  /* destination MAC, 6 bytes */
	uint16_t type;     /* Ethertype, or the length of an 802.3 frame */
	const char *body;  /* first bytes after the type; zeros follow */
	uint8_t nbody;
	enum rn_verdict verdict;
} others[] = {
	{"LLDP",               "\x01\x80\xc2\0\0\x0e",         0x88cc, "\2\7\4\2\0\0\0\0\1",   9,  RN_V_FRAME_ETHERTYPE},
	{"spanning tree",      "\x01\x80\xc2\0\0\0",           38,     "\x42\x42\3\0\0\0\0\0", 8,  RN_V_FRAME_ETHERTYPE},
	{"pause frame",        "\x01\x80\xc2\0\0\1",           0x8808, "\0\1\xff\xff",         4,  RN_V_FRAME_ETHERTYPE},
	{"IPX",                "\xff\xff\xff\xff\xff\xff",     0x8137, "\xff\xff",             2,  RN_V_FRAME_ETHERTYPE},
	{"QinQ",               "\2\0\0\0\0\2",                 0x88a8, "\0\x64\x08\0",         4,  RN_V_FRAME_ETHERTYPE},
	{"RARP",               "\xff\xff\xff\xff\xff\xff",     0x8035, "\0\1\x08\0\6\4\0\3",   8,  RN_V_FRAME_ETHERTYPE},
	{"IPv4 garbage",       "\2\0\0\0\0\2",                 0x0800, "\0\0\0\0",             4,  RN_V_IP_HEADER},
	{"IGMP with options",  "\1\0\x5e\0\0\x16",             0x0800,
	 "\x46\0\0\x28\0\0\x40\0\1\2\x44\0\xc0\0\2\7\xe0\0\0\x16\x94\4\0\0", 24, RN_V_IP_OPTIONS},
	{"IPv6 MLD report",    "\x33\x33\0\0\0\x16",           0x86dd, "\x60\0\0\0\0\x24\0\1", 8,  RN_V_IP_PROTOCOL},
	{"IPv6 TCP",           "\2\0\0\0\0\2",                 0x86dd, "\x60\0\0\0\0\x14\6\x40", 8, RN_V_IP_PROTOCOL},
	{"IPv6 router advert", "\x33\x33\0\0\0\1",             0x86dd, "\x60\0\0\0\0\x10\x3a\xff", 8, RN_V_ICMP_BAD},
	{"ARP of another kind", "\xff\xff\xff\xff\xff\xff",    0x0806, "\0\6\x08\0\6\4\0\1",   8,  RN_V_ARP_BAD},
};

/* IPv4 packets with a correct header checksum, with various protocols, addresses and ports. */
static const struct {
	const char *what;
	uint8_t protocol, dst[4], dmac[6];
	uint16_t dport;
	enum rn_verdict verdict;
} packets[] = {
	{"TCP",              6,   {192, 0, 2, 2},   {2, 0, 0, 0, 0, 2},                       80,   RN_V_IP_PROTOCOL},
	{"SCTP",             132, {192, 0, 2, 2},   {2, 0, 0, 0, 0, 2},                       80,   RN_V_IP_PROTOCOL},
	{"OSPF",             89,  {224, 0, 0, 5},   {1, 0, 0x5e, 0, 0, 5},                    0,    RN_V_IP_PROTOCOL},
	{"mDNS",             17,  {224, 0, 0, 251}, {1, 0, 0x5e, 0, 0, 251},                  5353, RN_V_UDP_PORT},
	{"DHCP broadcast",   17,  {255, 255, 255, 255}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 67,   RN_V_UDP_PORT},
	{"NetBIOS",          17,  {192, 0, 2, 255}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},     138,  RN_V_UDP_PORT},
	{"VXLAN",            17,  {192, 0, 2, 2},   {2, 0, 0, 0, 0, 2},                       4789, RN_V_UDP_PORT},
	{"short RoCE",       17,  {192, 0, 2, 2},   {2, 0, 0, 0, 0, 2},                       4791, RN_V_UDP_LENGTH},
};
/* clang-format on */

static void begin(struct sim *sim, bool vlan)
{
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.vlan = vlan;
	sim_init(sim, &spec);
	/* discards the ARP and ND announcements that the NIC sends at its start */
	sim_send(sim, DUT, UINT32_MAX);
}

static unsigned put_head(uint8_t *frame, const uint8_t *dmac, uint16_t type)
{
	memset(frame, 0, 128);
	memcpy(frame, dmac, 6);
	memcpy(frame + 6, "\2\0\0\0\0\1", 6);
	rn_store16(frame + 12, type);
	return 14;
}

static void finish_ipv4(uint8_t *ip, unsigned total, uint8_t protocol, const uint8_t dst[4])
{
	uint16_t sum;

	ip[0] = 0x45;
	rn_store16(ip + RN_IPV4_LENGTH, (uint16_t)total);
	ip[RN_IPV4_TTL] = 64;
	ip[RN_IPV4_PROTOCOL] = protocol;
	memcpy(ip + RN_IPV4_SRC, "\xc0\0\2\1", 4);
	memcpy(ip + RN_IPV4_DST, dst, 4);
	sum = rn_ip_checksum(0, ip, 20);
	rn_store16(ip + RN_IPV4_CHECKSUM, sum);
}

/* Expects that the NIC counts the frame under this verdict and sends nothing. */
static void expect_dropped(struct sim *sim, const char *what, const uint8_t *frame, unsigned len,
			   enum rn_verdict v)
{
	const struct rn_stats *stats = rn_shard_stats(sim->node[DUT].shard);
	uint64_t before = stats->verdict[v], packets_before = stats->rx_packets;
	enum rn_verdict got = sim_inject(sim, DUT, frame, len);

	if (got != v)
		fail_msg("%s: %s", what, rn_verdicts[got].name);
	assert_int_equal(stats->verdict[v], before + 1);
	assert_int_equal(stats->rx_packets, packets_before + 1);
	if (sim_send(sim, DUT, UINT32_MAX) != 0)
		fail_msg("%s: answered", what);
}

static void drops_and_counts_what_is_not_for_it(void **state)
{
	uint8_t frame[128];
	struct sim sim;

	begin(&sim, false);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(others); i++) {
		unsigned at = put_head(frame, (const uint8_t *)others[i].dmac, others[i].type);

		memcpy(frame + at, others[i].body, others[i].nbody);
		expect_dropped(&sim, others[i].what, frame, 100, others[i].verdict);
	}
	for (unsigned i = 0; i < RN_ARRAY_SIZE(packets); i++) {
		unsigned at = put_head(frame, packets[i].dmac, RN_ETHERTYPE_IPV4);

		finish_ipv4(frame + at, 46, packets[i].protocol, packets[i].dst);
		rn_store16(frame + 36, packets[i].dport);
		rn_store16(frame + 38, packets[i].dport == RN_ROCE_PORT ? 20 : 26);
		expect_dropped(&sim, packets[i].what, frame, 60, packets[i].verdict);
	}
	/* a frame with another host's MAC, which arrives when a switch floods the frame */
	put_head(frame, (const uint8_t *)"\2\0\0\0\0\7", RN_ETHERTYPE_ARP);
	expect_dropped(&sim, "flooded", frame, 60, RN_V_FRAME_MAC);
	/* an Ethernet header that is cut off after len bytes */
	for (unsigned len = 0; len < 14; len++)
		expect_dropped(&sim, "runt", frame, len, RN_V_FRAME_SHORT);
	assert_int_equal(sim_fini(&sim), 0);
}

/* ---- pings ---- */

struct pong {
	unsigned replies;
	bool ipv6, vlan;
	uint32_t len;
};

static bool note_pong(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct pong *p = arg;
	struct rn_icmp_echo echo;

	if (from != DUT || pkt->kind != RN_PKT_ICMP)
		return false;
	assert_true(rn_icmp_echo_parse(pkt->ipv4, &pkt->src, &pkt->dst, pkt->payload,
				       pkt->payload_len, &echo));
	assert_true(echo.reply);
	assert_int_equal(echo.id, 0x77);
	assert_int_equal(echo.data_len, p->len);
	for (uint32_t i = 0; i < echo.data_len; i++)
		assert_int_equal(echo.data[i], (uint8_t)(i * 3));
	assert_int_equal(pkt->has_vlan, p->vlan);
	assert_memory_equal(pkt->dmac, "\2\0\0\0\0\1", 6);
	p->replies++;
	return false;
}

/* Builds an ICMP echo request from node 0 to the node under test. `fragment` is the value of the
 * IPv4 fragment field. Returns the frame's length. */
static unsigned ping(const struct sim *sim, const struct pong *p, uint8_t *frame, uint16_t fragment)
{
	static uint8_t data[9000];
	struct rn_icmp_echo echo = {.id = 0x77, .data = data, .data_len = p->len};
	const struct rn_gid *src = &sim->node[0].port.gids[p->ipv6],
			    *dst = &sim->node[DUT].port.gids[p->ipv6];
	unsigned at = put_head(frame, sim->node[DUT].port.mac,
			       p->ipv6 ? RN_ETHERTYPE_IPV6 : RN_ETHERTYPE_IPV4),
		 n = p->len + 8;
	uint8_t *ip;

	for (uint32_t i = 0; i < p->len; i++)
		data[i] = (uint8_t)(i * 3);
	if (p->vlan) {
		memmove(frame + 16, frame + 12, 2);
		rn_store16(frame + 12, RN_ETHERTYPE_VLAN);
		rn_store16(frame + 14, 100);
		at += 4;
	}
	ip = frame + at;
	if (p->ipv6) {
		memset(ip, 0, 40);
		ip[0] = 0x60;
		rn_store16(ip + RN_IPV6_LENGTH, (uint16_t)n);
		ip[RN_IPV6_NEXT] = RN_IPPROTO_ICMPV6;
		ip[RN_IPV6_HOPS] = 64;
		memcpy(ip + RN_IPV6_SRC, src->b, 16);
		memcpy(ip + RN_IPV6_DST, dst->b, 16);
		at += 40;
	} else {
		memset(ip, 0, 20);
		rn_store16(ip + RN_IPV4_FRAGMENT, fragment);
		finish_ipv4(ip, 20 + n, RN_IPPROTO_ICMP, dst->b + 12);
		at += 20;
	}
	return at + (unsigned)rn_icmp_echo_build(!p->ipv6, src, dst, &echo, frame + at, 9100);
}

static void answers_pings_up_to_the_mtu(void **state)
{
	static const uint32_t sizes[] = {0, 1, 2, 56, 1400, 1472, 4096, 8952};
	static uint8_t frame[SIM_FRAME_MAX];
	struct sim sim;

	for (unsigned way = 0; way < 4; way++) {
		struct pong p = {.ipv6 = way & 1, .vlan = way & 2};

		begin(&sim, p.vlan);
		sim.filter = note_pong;
		sim.filter_arg = &p;
		for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++) {
			p.len = sizes[i];
			p.replies = 0;
			assert_int_equal(sim_inject(&sim, DUT, frame, ping(&sim, &p, frame, 0)),
					 RN_V_OK);
			sim_send(&sim, DUT, UINT32_MAX);
			assert_int_equal(p.replies, 1);
		}
		if (!p.ipv6) {
			p.len = 56;
			expect_dropped(&sim, "first fragment", frame, ping(&sim, &p, frame, 0x2000),
				       RN_V_IP_FRAGMENT);
			expect_dropped(&sim, "last fragment", frame, ping(&sim, &p, frame, 0x0010),
				       RN_V_IP_FRAGMENT);
		}
		assert_int_equal(sim_fini(&sim), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_and_counts_what_is_not_for_it),
		cmocka_unit_test(answers_pings_up_to_the_mtu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
