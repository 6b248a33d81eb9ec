/* Which time does a CM time code stand for? Converts the codes in CM messages to nanoseconds and
 * back. The functions are pure. */
#include "cm/cm_priv.h"

/* Returns the time that a code stands for: 4.096 us << code. */
rn_time rn_cm_time_of(uint8_t code)
{
	return (rn_time)4096 << (code & 31);
}

/* Returns the smallest code whose time is at least t, but 31 at most. */
uint8_t rn_cm_code_of(rn_time t)
{
	uint8_t code = 0;

	while (code < 31 && rn_cm_time_of(code) < t)
		code++;
	return code;
}
