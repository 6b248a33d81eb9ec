/* Tampering (a configured impairment) flips one bit of a client's payload and gives the frame a
 * matching ICRC. All other frames stay unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/tamper.h"
#include "base/types.h"
#include "vectors.h"

static unsigned bits_that_differ(const uint8_t *a, const uint8_t *b, size_t len)
{
	unsigned n = 0;
	for (size_t i = 0; i < len; i++)
		n += (unsigned)__builtin_popcount(a[i] ^ b[i]);
	return n;
}

/* Changes every bit of the payload in turn, in all vectors that carry client data. */
static void changes_one_bit_of_data(void **state)
{
	unsigned changed = 0;
	for (size_t i = 0; i < RN_ARRAY_SIZE(vectors); i++) {
		uint8_t f[VECTOR_BYTES], was[VECTOR_BYTES];
		struct rn_pkt before, after;
		size_t len = unhex(vectors[i].hex, was);
		memcpy(f, was, len);
		if (!rn_tamper_frame(f, len, 0)) {
			assert_memory_equal(f, was, len);
			continue;
		}
		changed++;
		assert_int_equal(rn_frame_parse(was, len, &before), RN_V_OK);
		assert_true(before.payload_len > 0 && before.dest_qpn > RN_GSI_QPN);
		for (uint64_t bit = 0; bit < 8 * before.payload_len; bit++) {
			memcpy(f, was, len);
			assert_true(rn_tamper_frame(f, len, bit + 8 * before.payload_len));
			assert_int_equal(rn_frame_parse(f, len, &after), RN_V_OK);
			assert_int_equal(
				bits_that_differ(after.payload, before.payload, before.payload_len),
				1);
			assert_int_equal(after.payload[bit / 8] ^ before.payload[bit / 8],
					 1u << bit % 8);
		}
	}
	assert_int_equal(changed, 4); /* the vectors T1, T3, O1 and O3 carry client data */
}

static void frame_of(struct rn_pkt *pkt, uint8_t *f, size_t *len)
{
	static const uint8_t data[32] = "thirty-two bytes of somebody's";
	pkt->ipv4 = true;
	pkt->src.b[10] = pkt->src.b[11] = pkt->dst.b[10] = pkt->dst.b[11] = 0xff;
	pkt->hop_limit = 64;
	pkt->payload = data;
	*len = rn_frame_build(pkt, f, VECTOR_BYTES);
	assert_true(*len > 0);
}

#define OP(transport, operation) (uint8_t)(RN_T_##transport | RN_OP_##operation)

/* clang-format off */
static const struct {
	const char *what;
	uint8_t opcode;
	uint32_t qpn, bytes;
	bool vlan, checksum, change;
} rows[] = {
	{"a Send",               OP(RC, SEND_ONLY),        2, 32, false, false, true},
	{"with a tag",           OP(RC, SEND_ONLY),        2, 32, true,  false, true},
	{"with a UDP checksum",  OP(RC, SEND_ONLY),        2, 31, false, true,  true},
	{"one byte",             OP(RC, SEND_ONLY),        2,  1, false, false, true},
	{"no byte",              OP(RC, SEND_ONLY),        2,  0, false, false, false},
	{"a Write",              OP(RC, WRITE_FIRST),      2, 32, false, false, true},
	{"an answer to a Read",  OP(RC, READ_RESP_MIDDLE), 2, 32, false, false, true},
	{"UC",                   OP(UC, WRITE_ONLY),       2, 32, false, false, true},
	{"a datagram",           OP(UD, SEND_ONLY),        2, 32, false, false, true},
	{"a message of the CM",  OP(UD, SEND_ONLY),        1, 32, false, false, false},
	{"to QP 0",              OP(UD, SEND_ONLY),        0, 32, false, false, false},
	{"an acknowledgement",   OP(RC, ACK),              2,  0, false, false, false},
	{"a question to Read",   OP(RC, READ_REQUEST),     2,  0, false, false, false},
	{"an atomic",            OP(RC, FETCH_ADD),        2,  0, false, false, false},
	{"a CNP",                RN_OPCODE_CNP,            2, 16, false, false, false},
};
/* clang-format on */

static void leaves_other_frames_alone(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_pkt pkt = {.opcode = rows[i].opcode,
				     .dest_qpn = rows[i].qpn,
				     .payload_len = rows[i].bytes,
				     .has_vlan = rows[i].vlan,
				     .vlan_tci = 5,
				     .udp_checksum = rows[i].checksum},
			      after;
		uint8_t f[VECTOR_BYTES], was[VECTOR_BYTES];
		size_t len;
		frame_of(&pkt, f, &len);
		memcpy(was, f, len);
		if (rn_tamper_frame(f, len, 77) != rows[i].change ||
		    (memcmp(f, was, len) != 0) != rows[i].change)
			fail_msg("%s", rows[i].what);
		assert_int_equal(rn_frame_parse(f, len, &after), RN_V_OK);
	}
}

static void leaves_frames_with_a_bad_icrc_alone(void **state)
{
	struct rn_pkt pkt = {.opcode = OP(RC, SEND_ONLY), .dest_qpn = 2, .payload_len = 32};
	uint8_t f[VECTOR_BYTES], was[VECTOR_BYTES];
	size_t len;
	frame_of(&pkt, f, &len);
	f[len - 1] ^= 1; /* makes the ICRC wrong */
	memcpy(was, f, len);
	assert_false(rn_tamper_frame(f, len, 5));
	assert_false(rn_tamper_frame(f, 10, 5));
	assert_memory_equal(f, was, len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_one_bit_of_data),
		cmocka_unit_test(leaves_other_frames_alone),
		cmocka_unit_test(leaves_frames_with_a_bad_icrc_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
