/* The table of verdicts (the results of receiving a frame) is complete, and its columns are
 * consistent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "wire/verdict.h"

static void test_every_row_is_filled(void **state)
{
	for (unsigned i = 0; i < RN_V_COUNT; i++) {
		assert_non_null(rn_verdicts[i].name);
		assert_true(strlen(rn_verdicts[i].text) > 0);
		for (unsigned j = 0; j < i; j++) {
			assert_string_not_equal(rn_verdicts[i].name, rn_verdicts[j].name);
			assert_string_not_equal(rn_verdicts[i].text, rn_verdicts[j].text);
		}
	}
}

/* The fatal NAKs (invalid request, access, operation) move the QP to the error state. RNR and
 * sequence NAKs do not. A packet dropped before its QP is known gets no reply. */
static void test_replies_and_consequences(void **state)
{
	for (unsigned i = 0; i < RN_V_COUNT; i++) {
		const struct rn_verdict_row *v = &rn_verdicts[i];
		switch (v->reply) {
		case RN_REPLY_NAK_INV:
		case RN_REPLY_NAK_ACC:
		case RN_REPLY_NAK_OP:
			assert_int_equal(v->qp, RN_QP_ERROR);
			break;
		case RN_REPLY_NAK_SEQ:
		case RN_REPLY_RNR:
		case RN_REPLY_ACK:
			assert_int_equal(v->qp, RN_QP_KEEP);
			break;
		case RN_REPLY_NONE:
			break;
		}
		if (i < RN_V_REQ_DUPLICATE) {
			assert_int_equal(v->reply, RN_REPLY_NONE);
			assert_int_equal(v->qp, RN_QP_KEEP);
		}
	}
	assert_int_equal(RN_V_OK, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_filled),
		cmocka_unit_test(test_replies_and_consequences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
