/* Transitions of queue pairs: for each row, every required attribute is needed, every allowed one
 * may be given, and every other one is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verbs/qp_move.h"

#include <errno.h>
#include <stdbool.h>

#define BITS 26 /* attributes of verbs: bits 0 to 25 */

static const struct {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	int required, allowed;
} rows[] = {
#define X(type, from, to, required, allowed) \
	{IBV_QPT_##type, IBV_QPS_##from, IBV_QPS_##to, required, allowed},
	VB_QP_MOVE_ROWS(X)
#undef X
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static int check(size_t row, int mask)
{
	return vb_qp_move_check(rows[row].type, rows[row].from, rows[row].to, mask);
}

static void each_attribute_counts(void **state)
{
	for (size_t i = 0; i < NROWS; i++) {
		int need = rows[i].required | IBV_QP_STATE;

		assert_int_equal(check(i, need), 0);
		for (int bit = 1; bit < BITS; bit++) {
			int one = 1 << bit;

			if (rows[i].required & one)
				assert_int_equal(check(i, need & ~one), EINVAL);
			else if (!(rows[i].allowed & one))
				assert_int_equal(check(i, need | one), EINVAL);
			else
				assert_int_equal(check(i, need | one),
						 one == IBV_QP_ALT_PATH ? EOPNOTSUPP : 0);
		}
	}
}

/* The masks that programs of Debian 12 were seen to use. */
static void masks_of_programs_are_accepted(void **state)
{
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, 0x39), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT, 0x71), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR, 0x129181), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_UC, IBV_QPS_INIT, IBV_QPS_RTR, 0x101181), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_RTR, IBV_QPS_RTS, 0x12e01), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_UC, IBV_QPS_RTR, IBV_QPS_RTS, 0x10001), 0);
	assert_int_equal(vb_qp_move_check(IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS, 0x10001), 0);
}

/* Every state leads to RESET, and every state but RESET to ERR. */
static void states_lead_to_reset_and_error(void **state)
{
	for (int from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
		for (int to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to += IBV_QPS_ERR) {
			bool refused = from == IBV_QPS_RESET && to == IBV_QPS_ERR;

			assert_int_equal(vb_qp_move_check(IBV_QPT_RC, from, to, IBV_QP_STATE),
					 refused ? EINVAL : 0);
			assert_int_equal(
				vb_qp_move_check(IBV_QPT_RC, from, to, IBV_QP_STATE | IBV_QP_PORT),
				EINVAL);
		}
}

static void other_transitions_do_not_exist(void **state)
{
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS, IBV_QP_STATE),
			 EINVAL);
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_SQE, IBV_QPS_RTS, IBV_QP_STATE),
			 EINVAL);
	assert_int_equal(vb_qp_move_check(IBV_QPT_RC, IBV_QPS_ERR, IBV_QPS_ERR, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_attribute_counts),
		cmocka_unit_test(masks_of_programs_are_accepted),
		cmocka_unit_test(states_lead_to_reset_and_error),
		cmocka_unit_test(other_transitions_do_not_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
