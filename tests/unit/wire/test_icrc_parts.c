/* The ICRC in two parts equals the ICRC of the whole packet, for both IP versions, every length
 * around the thresholds of the code, and any content of the masked fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "wire/hdr.h"
#include "wire/icrc.h"
#include "wire/icrc_parts.h"

/* The packet begins at an odd address, and nothing may be read before or behind it. */
static void both_parts_give_the_icrc(void **state)
{
	struct rn_rng rng;

	rn_rng_seed(&rng, 11);
	for (unsigned version = 4; version <= 6; version += 2) {
		size_t head = (version == 4 ? RN_IPV4_BYTES : RN_IPV6_BYTES) + RN_UDP_BYTES;

		for (size_t n = RN_BTH_BYTES; n < 2 * RN_ICRC_TAIL_MAX; n++) {
			uint8_t *mem = malloc(1 + head + n), *ip = mem + 1;

			for (size_t i = 0; i < head + n; i++)
				ip[i] = (uint8_t)rn_rng_next(&rng);
			ip[0] = (uint8_t)(version << 4 | (version == 4 ? 5 : ip[0] & 0xF));
			assert_int_equal(rn_icrc_tail(rn_icrc_head(ip), ip + head, n),
					 rn_icrc_packet(ip, head + n));
			free(mem);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_parts_give_the_icrc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
