/* The fields that rn_peek() reads equal those of rn_frame_parse(), for every kind of frame. Frames
 * of any length are read without touching a byte behind them (the sanitizer builds notice that). */
#include <stdlib.h>

#include "base/rng.h"
#include "bench.h"
#include "switch/peek.h"

static const uint8_t opcodes[] = {0x00, 0x04, 0x0A, 0x0C, 0x11, 0x24, 0x64, 0x65, 0x81};

/* Builds the n-th frame of a series that has all combinations of IP version, VLAN and opcode. */
static unsigned build(unsigned n, struct rn_pkt *pkt, uint8_t *frame, size_t cap)
{
	*pkt = packet(PEER, OWN, opcodes[n / 8 % sizeof(opcodes)], n & 4 ? 1 : 0xABCDEF);
	if (n & 1) {
		pkt->ipv4 = false;
		pkt->src = host_gid(PEER, true);
		pkt->dst = host_gid(OWN, true);
	}
	if (n & 2) {
		pkt->has_vlan = true;
		pkt->vlan_tci = 0x6123;
	}
	pkt->src_qpn = 0x54321;
	return rn_frame_build(pkt, frame, cap);
}

static void fields_equal_those_of_the_parser(void **state)
{
	uint8_t frame[256];

	for (unsigned n = 0; n < 8 * sizeof(opcodes); n++) {
		struct rn_pkt built, parsed;
		struct rn_peek p;
		unsigned len = build(n, &built, frame, sizeof(frame));

		assert_int_equal(rn_frame_parse(frame, len, &parsed), RN_V_OK);
		rn_peek(frame, len, &p);
		assert_int_equal(p.kind, parsed.dest_qpn == 1 ? RN_PEEK_MAD : RN_PEEK_DATA);
		assert_int_equal(p.vid, parsed.has_vlan ? 0x123 : 0);
		assert_memory_equal(p.dmac, parsed.dmac, 6);
		assert_memory_equal(p.smac, parsed.smac, 6);
		assert_true(rn_gid_equal(&p.src, &parsed.src) && rn_gid_equal(&p.dst, &parsed.dst));
		assert_int_equal(p.opcode, parsed.opcode);
		assert_int_equal(p.dest_qpn, parsed.dest_qpn);
		assert_int_equal(p.src_qpn, parsed.src_qpn);
	}
}

/* A frame that ends early is BAD or OTHER, never DATA with fields from behind its end. */
static void short_frames_are_refused(void **state)
{
	uint8_t frame[256];

	for (unsigned n = 0; n < 8 * sizeof(opcodes); n++) {
		struct rn_pkt built;
		unsigned len = build(n, &built, frame, sizeof(frame));

		for (unsigned cut = 0; cut < len; cut++) {
			uint8_t *copy = malloc(cut ? cut : 1); /* exact, for the sanitizer */
			unsigned need = 14 + (built.has_vlan ? 4 : 0) + (built.ipv4 ? 20 : 40) +
					20 + ((built.opcode & 0xE0) == RN_T_UD ? 8 : 0);
			struct rn_peek p;

			memcpy(copy, frame, cut);
			rn_peek(copy, cut, &p);
			assert_int_equal(p.kind == RN_PEEK_DATA || p.kind == RN_PEEK_MAD,
					 cut >= need);
			free(copy);
		}
	}
}

/* What rn_frame_parse() takes for RoCEv2 with an intact frame, rn_peek() must take for RoCEv2 too,
 * with the same fields: otherwise a packet could pass a check of the switch and then mean something
 * else to the client. */
static void damaged_frames_mean_the_same(void **state)
{
	struct rn_rng rng;
	unsigned same = 0;
	uint8_t frame[256];

	rn_rng_seed(&rng, 11);
	for (unsigned i = 0; i < 200000; i++) {
		struct rn_pkt built, parsed;
		unsigned len =
			build((unsigned)rn_rng_below(&rng, 72), &built, frame, sizeof(frame));
		unsigned at = (unsigned)rn_rng_below(&rng, 62);
		struct rn_peek p;

		frame[at] ^= (uint8_t)(1u << rn_rng_below(&rng, 8));
		rn_peek(frame, len, &p);
		rn_frame_parse(frame, len, &parsed);
		/* A wrong checksum or ICRC is the client's matter: the client drops the packet. */
		if (parsed.op == NULL)
			continue;
		same++;
		assert_true(p.kind == RN_PEEK_DATA || p.kind == RN_PEEK_MAD);
		assert_int_equal(p.dest_qpn, parsed.dest_qpn);
		assert_int_equal(p.opcode, parsed.opcode);
		assert_true(rn_gid_equal(&p.src, &parsed.src) && rn_gid_equal(&p.dst, &parsed.dst));
		assert_int_equal(p.vid, parsed.has_vlan ? parsed.vlan_tci & 0xFFF : 0);
	}
	assert_true(same > 50000);
}

static void other_frames_are_left_to_the_parser(void **state)
{
	static const struct {
		uint8_t byte, value;
		enum rn_peek_kind kind;
	} changes[] = {
		{13, 0x06, RN_PEEK_OTHER}, /* EtherType: ARP */
		{13, 0x15, RN_PEEK_OTHER}, /* another EtherType */
		{14, 0x46, RN_PEEK_BAD},   /* IPv4 options */
		{14, 0x65, RN_PEEK_BAD},   /* IP version 6 in an IPv4 frame */
		{20, 0x20, RN_PEEK_BAD},   /* more fragments */
		{21, 0x01, RN_PEEK_BAD},   /* fragment offset */
		{23, 1, RN_PEEK_OTHER},	   /* ICMP */
		{23, 6, RN_PEEK_OTHER},	   /* TCP */
		{37, 0x11, RN_PEEK_BAD},   /* another UDP port */
	};
	const struct rn_pkt pkt = packet(PEER, OWN, 0x04, 5);
	uint8_t frame[256];

	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		unsigned len = rn_frame_build(&pkt, frame, sizeof(frame));
		struct rn_peek p;

		frame[changes[i].byte] = changes[i].value;
		rn_peek(frame, len, &p);
		assert_int_equal(p.kind, changes[i].kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_equal_those_of_the_parser),
		cmocka_unit_test(short_frames_are_refused),
		cmocka_unit_test(damaged_frames_mean_the_same),
		cmocka_unit_test(other_frames_are_left_to_the_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
