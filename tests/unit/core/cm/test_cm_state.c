/* The states of a connection: rules that the flags of every state must keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cm/cm_priv.h"

/* Fails the test if a state with flag `has` has none of the flags `needs`. Also fails if no state
 * has flag `has`. */
static void expect_with(unsigned has, unsigned needs)
{
	unsigned with = 0;

	for (unsigned s = 0; s < RN_CMS_COUNT; s++) {
		with += (rn_cm_states[s].flags & has) != 0;
		if (rn_cm_states[s].flags & has && !(rn_cm_states[s].flags & needs))
			fail_msg("%s: 0x%x without 0x%x", rn_cm_states[s].name, has, needs);
	}
	assert_true(with > 0);
}

/* A half-open connection may come from a forged address, so a timer must end it. */
static void half_open_states_have_a_timer(void **state)
{
	expect_with(RN_CM_F_HALF, RN_CM_F_TIMED);
	expect_with(RN_CM_F_HELD, RN_CM_F_HALF);
}

/* While the MAC is being resolved, no timer of the CM runs. The connect ends when the probes of the
 * neighbour state machine fail. */
static void resolving_states_have_no_timer_and_no_next_hop(void **state)
{
	unsigned resolving = 0;

	for (unsigned s = 0; s < RN_CMS_COUNT; s++)
		if (rn_cm_states[s].flags & RN_CM_F_RESOLVES) {
			resolving++;
			assert_int_equal(rn_cm_states[s].flags & (RN_CM_F_TIMED | RN_CM_F_HOP), 0);
		}
	assert_true(resolving > 0);
}

/* An id that is connecting or connected cannot connect again. */
static void attempts_take_the_id(void **state)
{
	expect_with(RN_CM_F_TRIES, RN_CM_F_TAKEN);
	expect_with(RN_CM_F_HOP, RN_CM_F_TAKEN);
	assert_int_equal(rn_cm_states[RN_CMS_BOUND].flags, 0);
	assert_int_equal(rn_cm_states[RN_CMS_CLOSED].flags, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_open_states_have_a_timer),
		cmocka_unit_test(resolving_states_have_no_timer_and_no_next_hop),
		cmocka_unit_test(attempts_take_the_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
