/* Compares rn_match_frame() with rn_frame_parse(). The parser must accept the headers of each frame
 * that matches, and must read the same fields. A frame with a wrong value in a compared byte must
 * not match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "net/match.h"
#include "wire/frame.h"
#include "wire/icrc.h"
#include "wire/icrc_parts.h"
#include "wire/pkt.h"

#define QPN 0x123457u

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
static const struct rn_gid v4[2] = {
	{{[10] = 0xff, 0xff, 10, 1, 2, 3}},
	{{[10] = 0xff, 0xff, 192, 168, 255, 254}},
};
static const struct rn_gid v6[2] = {{{0xfe, 0x80, [15] = 1}}, {{0x20, 1, 0xd, 0xb8, [15] = 2}}};

#define LARGE 4200 /* bytes of payload at most */

/* Builds a valid frame with random fields from the peer v[1] to v[0]. Returns its length. */
static uint32_t draw_any(struct rn_rng *rng, const struct rn_gid v[2], const uint8_t *opcodes,
			 unsigned n, uint32_t payload_len, uint8_t *frame)
{
	static uint8_t data[LARGE];
	struct rn_pkt p = {
		.kind = RN_PKT_IB,
		.src = v[1],
		.dst = v[0],
		.ipv4 = rn_gid_is_ipv4(&v[0]),
		.tclass = (uint8_t)(rn_rng_next(rng) & 0xFE),
		.hop_limit = (uint8_t)rn_rng_next(rng),
		.ip_id = (uint16_t)rn_rng_next(rng),
		.ip_df = rn_rng_next(rng) & 1,
		.flow_label = rn_rng_next(rng) & 0xFFFFF,
		.udp_sport = (uint16_t)rn_rng_next(rng),
		.opcode = opcodes[rn_rng_next(rng) % n],
		.se = rn_rng_next(rng) & 1,
		.mig = rn_rng_next(rng) & 1,
		.ack_req = rn_rng_next(rng) & 1,
		.pkey = rn_rng_next(rng) & 1 ? 0xFFFF : 0x7FFF,
		.dest_qpn = QPN,
		.psn = rn_rng_next(rng) & 0xFFFFFF,
		.payload = data,
	};

	memcpy(p.dmac, mac, 6);
	p.smac[5] = (uint8_t)rn_rng_next(rng);
	if (rn_opcode_row(p.opcode)->has_payload)
		p.payload_len = payload_len;
	return rn_frame_build(&p, frame, LARGE + 256);
}

/* draw_any() for a frame of at most 512 bytes. */
static uint32_t draw_frame(struct rn_rng *rng, const struct rn_gid v[2], uint8_t *frame)
{
	static const uint8_t opcodes[] = {RN_OP_SEND_ONLY, RN_OP_WRITE_ONLY, RN_OP_ACK,
					  RN_OP_READ_RESP_ONLY, RN_OP_WRITE_MIDDLE};
	uint32_t payload_len = (uint32_t)(4 + rn_rng_next(rng) % 200);

	return draw_any(rng, v, opcodes, sizeof(opcodes), payload_len, frame);
}

static bool matches(const struct rn_match *m, const uint8_t *frame, uint32_t len,
		    struct rn_brief *b)
{
	uint32_t qpn;
	bool ipv4;

	return rn_match_qpn(frame, len, &ipv4, &qpn) && qpn == QPN &&
	       rn_match_frame(m, frame, len, ipv4, b);
}

/* All frames of the peer match, and the fields are those that the parser reads. */
static void a_frame_of_the_peer_matches(void **state)
{
	for (unsigned family = 0; family < 2; family++) {
		const struct rn_gid *v = family ? v6 : v4;
		struct rn_match m;
		struct rn_rng rng;

		rn_rng_seed(&rng, 5 + family);
		rn_match_make(&m, mac, &v[0], &v[1], QPN);
		for (unsigned i = 0; i < 2000; i++) {
			uint8_t frame[512];
			uint32_t len = draw_frame(&rng, v, frame);
			struct rn_pkt pkt;
			struct rn_brief b;

			assert_int_equal(rn_frame_parse(frame, len, &pkt), RN_V_OK);
			assert_int_equal(matches(&m, frame, len, &b), (pkt.tclass & 3) != 3);
			if ((pkt.tclass & 3) == 3)
				continue;
			assert_ptr_equal(b.ip, pkt.ip);
			assert_int_equal(b.opcode, pkt.opcode);
			assert_int_equal(b.psn, pkt.psn);
			assert_int_equal(b.ack_req, pkt.ack_req);
			assert_int_equal(!!(b.flags & RN_BTH_SE), pkt.se);
			assert_int_equal(rn_brief_pad(&b), pkt.pad);
			assert_ptr_equal(b.end, pkt.payload + pkt.payload_len + pkt.pad);
		}
	}
}

/* A frame in which bits are changed matches only if the parser accepts its headers, with the
 * addresses, the QPN, the transport and the P_Key of the connection. The ICRC is computed again,
 * because the parser checks the ICRC too. */
static void a_damaged_header_does_not_match(void **state)
{
	unsigned matched = 0, refused = 0;

	for (unsigned i = 0; i < 40000; i++) {
		const struct rn_gid *v = i & 1 ? v6 : v4;
		uint8_t frame[512];
		struct rn_match m;
		struct rn_rng rng;
		struct rn_pkt pkt;
		struct rn_brief b;
		uint32_t len, icrc, at;

		rn_rng_seed(&rng, 1000 + i);
		rn_match_make(&m, mac, &v[0], &v[1], QPN);
		len = draw_frame(&rng, v, frame);
		for (unsigned n = 1 + i % 2; n; n--) {
			at = (uint32_t)(rn_rng_next(&rng) %
					(rn_match_bth(!(i & 1)) + RN_BTH_BYTES));
			frame[at] ^= (uint8_t)(1u << rn_rng_next(&rng) % 8);
		}
		if (!matches(&m, frame, len, &b)) {
			refused++;
			continue;
		}
		icrc = rn_icrc_packet(b.ip, (size_t)(b.end - b.ip));
		memcpy((uint8_t *)b.end, &icrc, sizeof(icrc));
		matched++;
		enum rn_verdict verdict = rn_frame_parse(frame, len, &pkt);
		/* The headers of the changed opcode may be longer than the packet. */
		assert_true(verdict == RN_V_OK || verdict == RN_V_BTH_LENGTH);
		assert_int_equal(pkt.kind, RN_PKT_IB);
		assert_false(pkt.has_vlan);
		assert_memory_equal(pkt.dmac, mac, 6);
		assert_memory_equal(&pkt.dst, &v[0], sizeof(v[0]));
		assert_memory_equal(&pkt.src, &v[1], sizeof(v[1]));
		assert_int_equal(pkt.dest_qpn, QPN);
		assert_int_equal(pkt.opcode & 0xE0, RN_T_RC);
		assert_int_equal(pkt.pkey & 0x7FFF, 0x7FFF);
		assert_int_not_equal(pkt.tclass & 3, 3);
		assert_false(pkt.udp_checksum);
	}
	assert_true(matched > 4000 && refused > 10000);
}

/* A truncated frame does not match. No frame matches a struct rn_match that is all 0. */
static void a_short_frame_does_not_match(void **state)
{
	struct rn_match m, none = {0};
	struct rn_rng rng;
	struct rn_brief b;
	uint8_t frame[512];

	for (unsigned family = 0; family < 2; family++) {
		const struct rn_gid *v = family ? v6 : v4;

		rn_rng_seed(&rng, 3);
		rn_match_make(&m, mac, &v[0], &v[1], QPN);
		uint32_t len = draw_frame(&rng, v, frame);

		assert_true(matches(&m, frame, len, &b));
		assert_false(matches(&none, frame, len, &b));
		while (len--)
			assert_false(matches(&m, frame, len, &b));
	}
	rn_match_make(&m, mac, &v4[0], &v6[1], QPN);
	assert_false(rn_match_on(&m));
}

static bool matches_again(struct rn_match *m, const uint8_t *frame, uint32_t len,
			  struct rn_brief *b, uint32_t *crc)
{
	uint32_t qpn;
	bool ipv4;

	return rn_match_qpn(frame, len, &ipv4, &qpn) && qpn == QPN &&
	       rn_match_again(m, frame, len, ipv4, b, crc);
}

static void assert_same_fields(const struct rn_brief *a, const struct rn_brief *b)
{
	assert_ptr_equal(a->ip, b->ip);
	assert_ptr_equal(a->ext, b->ext);
	assert_ptr_equal(a->end, b->end);
	assert_int_equal(a->psn, b->psn);
	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->ack_req, b->ack_req);
}

/* Remembers the headers of this frame, which matches, whatever was remembered before. */
static void remember(struct rn_match *m, const uint8_t *frame, const struct rn_brief *b)
{
	rn_match_place(m, b->opcode)->wait = 0;
	rn_match_remember(m, frame, b->ip, b->ext - RN_BTH_BYTES, b->end);
}

/* A frame with remembered headers matches again, with the same fields. If bits of its headers are
 * changed, it matches again only if it matches. */
static void a_frame_with_known_headers_matches_again(void **state)
{
	unsigned again = 0, not_again = 0;

	for (unsigned i = 0; i < 40000; i++) {
		const struct rn_gid *v = i & 1 ? v6 : v4;
		uint8_t frame[512];
		struct rn_match m;
		struct rn_rng rng;
		struct rn_brief b, c;
		uint32_t len, crc = 0;

		rn_rng_seed(&rng, 90000 + i);
		rn_match_make(&m, mac, &v[0], &v[1], QPN);
		len = draw_frame(&rng, v, frame);
		if (!matches(&m, frame, len, &b))
			continue;
		assert_false(matches_again(&m, frame, len, &c, &crc));
		remember(&m, frame, &b);
		assert_true(matches_again(&m, frame, len, &c, &crc));
		assert_same_fields(&b, &c);
		assert_int_equal(rn_icrc_tail(crc, c.ext - RN_BTH_BYTES,
					      (size_t)(c.end - c.ext) + RN_BTH_BYTES),
				 rn_icrc_packet(b.ip, (size_t)(b.end - b.ip)));
		assert_false(matches_again(&m, frame, len - 1, &c, &crc));
		for (unsigned n = 1 + i % 2; n; n--)
			frame[rn_rng_next(&rng) % (rn_match_bth(!(i & 1)) + RN_BTH_BYTES)] ^=
				(uint8_t)(1u << rn_rng_next(&rng) % 8);
		if (matches_again(&m, frame, len, &c, &crc)) {
			assert_true(matches(&m, frame, len, &b));
			assert_same_fields(&b, &c);
			again++;
		} else {
			not_again++;
		}
		remember(&m, frame, &b);
		rn_match_none(&m);
		assert_false(matches_again(&m, frame, len, &c, &crc));
	}
	assert_true(again > 1000 && not_again > 10000);
}

static bool matches_large(const struct rn_match *m, const uint8_t *frame, uint32_t len,
			  struct rn_brief *b)
{
	uint32_t qpn;
	bool ipv4;

	return rn_match_qpn(frame, len, &ipv4, &qpn) && qpn == QPN &&
	       rn_match_large(m, frame, len, ipv4, b);
}

/* The ICRC of a frame that matches_large(). */
static uint32_t large_icrc(const struct rn_match *m, const struct rn_brief *b)
{
	const uint8_t *bth = b->ext - RN_BTH_BYTES;

	return rn_icrc_add(m->large.crc, bth, (size_t)(b->end - bth)) ^ m->large_masked;
}

/* A frame that differs from a remembered long one in opcode, PSN or payload only is found, and its
 * ICRC is known. If bits of its headers are changed, it is found only if it matches, and its
 * ICRC is still the right one. */
static void a_long_frame_with_known_headers_matches_again(void **state)
{
	static const uint8_t opcodes[] = {RN_OP_SEND_ONLY, RN_OP_WRITE_MIDDLE,
					  RN_OP_READ_RESP_MIDDLE};
	unsigned again = 0, not_again = 0;

	if (!rn_fold_usable())
		skip();
	for (unsigned i = 0; i < 10000; i++) {
		const struct rn_gid *v = i & 1 ? v6 : v4;
		uint8_t frame[LARGE + 256];
		struct rn_match m;
		struct rn_rng rng;
		struct rn_brief b, c;
		uint32_t len, at, n, bth = rn_match_bth(!(i & 1));

		rn_rng_seed(&rng, 500000 + i);
		rn_match_make(&m, mac, &v[0], &v[1], QPN);
		n = (uint32_t)(RN_ICRC_TAIL_MAX + rn_rng_next(&rng) % (LARGE - RN_ICRC_TAIL_MAX));
		len = draw_any(&rng, v, opcodes, sizeof(opcodes), n, frame);
		if (!matches(&m, frame, len, &b))
			continue;
		assert_false(matches_large(&m, frame, len, &c));
		rn_match_remember(&m, frame, b.ip, b.ext - RN_BTH_BYTES, b.end);
		assert_int_equal(m.requests.udp_len + m.responses.udp_len, 0);
		assert_false(matches_large(&m, frame, len - 1, &c));
		at = bth + RN_BTH_BYTES + (uint32_t)(rn_rng_next(&rng) % n);
		frame[at] ^= 1;
		frame[bth + RN_BTH_ACKREQ_BYTE + 3] ^= (uint8_t)rn_rng_next(&rng);
		/* in IPv6 the opcode lies in a block that is compared as a whole */
		frame[bth] ^= i & 1 ? 0 : rn_rng_next(&rng) & 0x1F;
		assert_true(matches(&m, frame, len, &b));
		assert_true(matches_large(&m, frame, len, &c));
		assert_same_fields(&b, &c);
		assert_int_equal(large_icrc(&m, &c), rn_icrc_packet(b.ip, (size_t)(b.end - b.ip)));
		frame[rn_rng_next(&rng) % (bth + RN_BTH_BYTES)] ^=
			(uint8_t)(1u << rn_rng_next(&rng) % 8);
		if (matches_large(&m, frame, len, &c)) {
			assert_true(matches(&m, frame, len, &b));
			assert_same_fields(&b, &c);
			assert_int_equal(large_icrc(&m, &c),
					 rn_icrc_packet(b.ip, (size_t)(b.end - b.ip)));
			again++;
		} else {
			not_again++;
		}
		rn_match_none(&m);
		assert_false(matches_large(&m, frame, len, &c));
	}
	assert_true(again > 500 && not_again > 3000);
}

/* Headers that change with each frame are seldom remembered. */
static void changing_headers_are_seldom_remembered(void **state)
{
	struct rn_match m;
	struct rn_rng rng;
	struct rn_brief b;
	uint8_t frame[512];
	uint32_t crc, len;
	unsigned hits = 0;

	rn_rng_seed(&rng, 7);
	rn_match_make(&m, mac, &v4[0], &v4[1], QPN);
	for (unsigned i = 0; i < 1600; i++) {
		do
			len = draw_frame(&rng, v4, frame);
		while (!matches(&m, frame, len, &b));
		rn_match_remember(&m, frame, b.ip, b.ext - RN_BTH_BYTES, b.end);
		hits += matches_again(&m, frame, len, &b, &crc);
	}
	assert_in_range(hits, 90, 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_of_the_peer_matches),
		cmocka_unit_test(a_damaged_header_does_not_match),
		cmocka_unit_test(a_short_frame_does_not_match),
		cmocka_unit_test(a_frame_with_known_headers_matches_again),
		cmocka_unit_test(a_long_frame_with_known_headers_matches_again),
		cmocka_unit_test(changing_headers_are_seldom_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
