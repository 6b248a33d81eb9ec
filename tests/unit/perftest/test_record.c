/* The records that both ends of a perftest run exchange, in text and binary form. One of the texts
 * was recorded from perftest 4.5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "record.h"

static const struct pt_card card = {
	.outs = 1,
	.qpn = 0x12,
	.psn = 0x57731d,
	.va = 0x55fc00c3f000,
	.gid = {{[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2, [15] = 1}},
};

/* recorded from ib_send_bw of perftest 4.5 */
static const char text_of_card[PT_TEXT_BYTES] =
	"0000:0001:000012:57731d:00000000:000055fc00c3f000:"
	"00:00:00:00:00:00:00:00:00:00:ff:ff:c0:00:02:01:00000000:";

static void assert_same(const struct pt_card *a, const struct pt_card *b)
{
	assert_int_equal(a->lid, b->lid);
	assert_int_equal(a->outs, b->outs);
	assert_int_equal(a->qpn, b->qpn);
	assert_int_equal(a->psn, b->psn);
	assert_int_equal(a->rkey, b->rkey);
	assert_true(a->va == b->va);
	assert_memory_equal(&a->gid, &b->gid, 16);
	assert_int_equal(a->srqn, b->srqn);
}

static void test_text(void **state)
{
	char text[PT_TEXT_BYTES];
	struct pt_card back;

	pt_card_to_text(&card, text);
	assert_memory_equal(text, text_of_card, sizeof(text));
	assert_true(pt_card_from_text(&back, text));
	assert_same(&back, &card);
}

static void test_widest(void **state)
{
	struct pt_card wide = {0xffff,	   0xffff,     0xffffff, 0xffffff,
			       0xffffffff, UINT64_MAX, {{0}},	 0xffffffff};
	struct pt_card back;
	char text[PT_TEXT_BYTES];

	memset(&wide.gid, 0xff, 16);
	pt_card_to_text(&wide, text);
	assert_int_equal(text[PT_TEXT_BYTES - 1], 0);
	assert_true(pt_card_from_text(&back, text));
	assert_same(&back, &wide);
}

/* Each text differs from a valid text in a single place. */
static void test_bad_texts(void **state)
{
	static const struct {
		unsigned at;
		char c;
	} rows[] = {{0, 'x'},  {0, '-'},  {4, ','},  {5, ' '},	 {5, ':'}, {24, 0},
		    {40, 'g'}, {49, '0'}, {50, ':'}, {106, '0'}, {98, 0}};
	struct pt_card back;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[PT_TEXT_BYTES];

		memcpy(text, text_of_card, sizeof(text));
		text[rows[i].at] = rows[i].c;
		if (pt_card_from_text(&back, text))
			fail_msg("row %u was taken", i);
	}
}

/* Texts without NUL, and texts of colons alone, are refused. Nothing is read beyond the end of such
 * a text. */
static void test_endless_text(void **state)
{
	char text[PT_TEXT_BYTES];
	struct pt_card back;

	memset(text, '0', sizeof(text));
	assert_false(pt_card_from_text(&back, text));
	memset(text, ':', sizeof(text));
	assert_false(pt_card_from_text(&back, text));
}

static void test_binary(void **state)
{
	static const uint8_t bytes[PT_BINARY_BYTES] = {
		0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,    0x12, 0,   0x57, 0x73, 0x1d,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x55, 0xfc, 0,   0xc3, 0xf0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0,    2,	   1};
	uint8_t out[PT_BINARY_BYTES];
	struct pt_card back;

	pt_card_to_binary(&card, out);
	assert_memory_equal(out, bytes, sizeof(out));
	pt_card_from_binary(&back, bytes);
	assert_same(&back, &card);
}

static void test_rates(void **state)
{
	static const uint8_t size[8] = {0, 0, 0, 0, 0, 1, 0, 0}, half[8] = {0x3f, 0xe0};
	const struct pt_rates rates = {65536, 1000, 0.5, 0.25, 3};
	uint64_t words[PT_RATES];
	struct pt_rates back;

	pt_rates_to_words(&rates, words);
	assert_memory_equal(&words[0], size, 8);
	assert_memory_equal(&words[2], half, 8);
	pt_rates_from_words(&back, words);
	assert_memory_equal(&back, &rates, sizeof(back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	  cmocka_unit_test(test_widest),
		cmocka_unit_test(test_bad_texts), cmocka_unit_test(test_endless_text),
		cmocka_unit_test(test_binary),	  cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
