/* The opcode table is compared with a second table, written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "wire/opcode.h"
#include "base/types.h"

/* clang-format off */
static const struct {
	uint8_t opcode, hdr;
	/* S starts a message, E ends it, p has payload, r consumes a receive, < is a response */
	const char *flags;
	const char *name;
} row[] = {
	{0x00, 12, "Spr",  "RC SEND_FIRST"},
	{0x01, 12, "p",    "RC SEND_MIDDLE"},
	{0x02, 12, "Ep",    "RC SEND_LAST"},
	{0x03, 16, "Ep",    "RC SEND_LAST_IMM"},
	{0x04, 12, "SEpr",  "RC SEND_ONLY"},
	{0x05, 16, "SEpr",  "RC SEND_ONLY_IMM"},
	{0x06, 28, "Sp",    "RC WRITE_FIRST"},
	{0x07, 12, "p",     "RC WRITE_MIDDLE"},
	{0x08, 12, "Ep",    "RC WRITE_LAST"},
	{0x09, 16, "Epr",   "RC WRITE_LAST_IMM"},
	{0x0A, 28, "SEp",   "RC WRITE_ONLY"},
	{0x0B, 32, "SEpr",  "RC WRITE_ONLY_IMM"},
	{0x0C, 28, "SE",    "RC READ_REQUEST"},
	{0x0D, 16, "Sp<",   "RC READ_RESP_FIRST"},
	{0x0E, 12, "p<",    "RC READ_RESP_MIDDLE"},
	{0x0F, 16, "Ep<",   "RC READ_RESP_LAST"},
	{0x10, 16, "SEp<",  "RC READ_RESP_ONLY"},
	{0x11, 16, "SE<",   "RC ACK"},
	{0x12, 24, "SE<",   "RC ATOMIC_ACK"},
	{0x13, 40, "SE",    "RC CMP_SWAP"},
	{0x14, 40, "SE",    "RC FETCH_ADD"},
	{0x16, 16, "Ep",    "RC SEND_LAST_INV"},
	{0x17, 16, "SEpr",  "RC SEND_ONLY_INV"},
	{0x20, 12, "Spr",   "UC SEND_FIRST"},
	{0x21, 12, "p",     "UC SEND_MIDDLE"},
	{0x22, 12, "Ep",    "UC SEND_LAST"},
	{0x23, 16, "Ep",    "UC SEND_LAST_IMM"},
	{0x24, 12, "SEpr",  "UC SEND_ONLY"},
	{0x25, 16, "SEpr",  "UC SEND_ONLY_IMM"},
	{0x26, 28, "Sp",    "UC WRITE_FIRST"},
	{0x27, 12, "p",     "UC WRITE_MIDDLE"},
	{0x28, 12, "Ep",    "UC WRITE_LAST"},
	{0x29, 16, "Epr",   "UC WRITE_LAST_IMM"},
	{0x2A, 28, "SEp",   "UC WRITE_ONLY"},
	{0x2B, 32, "SEpr",  "UC WRITE_ONLY_IMM"},
	{0x64, 20, "SEpr",  "UD SEND_ONLY"},
	{0x65, 24, "SEpr",  "UD SEND_ONLY_IMM"},
	{0x81, 12, "SEp",   "CNP"},
};
/* clang-format on */

static void test_known_rows(void **state)
{
	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++) {
		const struct rn_opcode_row *op = rn_opcode_row(row[i].opcode);
		const char *f = row[i].flags;
		assert_true(op->known);
		assert_string_equal(op->name, row[i].name);
		assert_int_equal(op->opcode, row[i].opcode);
		assert_int_equal(op->transport, row[i].opcode & 0xE0);
		assert_int_equal(op->hdr_bytes, row[i].hdr);
		assert_int_equal(op->starts, strchr(f, 'S') != NULL);
		assert_int_equal(op->ends, strchr(f, 'E') != NULL);
		assert_int_equal(op->has_payload, strchr(f, 'p') != NULL);
		assert_int_equal(op->takes_recv, strchr(f, 'r') != NULL);
		assert_int_equal(op->response, strchr(f, '<') != NULL);
	}
}

static void test_header_length_is_the_sum_of_headers(void **state)
{
	for (unsigned i = 0; i < 256; i++) {
		const struct rn_opcode_row *op = rn_opcode_row((uint8_t)i);
		assert_int_equal(op->hdr_bytes, 12 + 16 * op->has_reth + 4 * op->has_aeth +
							4 * op->has_imm + 4 * op->has_ieth +
							8 * op->has_deth + 28 * op->has_atomic_eth +
							8 * op->has_atomic_ack);
	}
}

static void test_all_others_are_unknown(void **state)
{
	unsigned known = 0;
	for (unsigned i = 0; i < 256; i++) {
		const struct rn_opcode_row *op = rn_opcode_row((uint8_t)i);
		assert_non_null(op->name);
		known += op->known;
		if (op->known)
			continue;
		assert_int_equal(op->hdr_bytes, 12);
		assert_int_equal(op->transport, RN_MIN(i & 0xE0, RN_T_OTHER));
		assert_int_equal(op->family, RN_F_NONE);
	}
	assert_int_equal(known, RN_ARRAY_SIZE(row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_rows),
		cmocka_unit_test(test_header_length_is_the_sum_of_headers),
		cmocka_unit_test(test_all_others_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
