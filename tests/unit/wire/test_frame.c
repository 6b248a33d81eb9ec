/* Frames: known bytes to fields and back, and every malformation to its verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame.h"
#include "hdr.h"
#include "types.h"
#include "vectors.h"

/* F1: parse, then rebuild byte for byte. */
static void test_vectors_rebuild(void **state)
{
	unsigned rebuilt = 0;
	for (size_t i = 0; i < RN_ARRAY_SIZE(vectors); i++) {
		uint8_t f[VECTOR_BYTES], out[VECTOR_BYTES];
		size_t len = unhex(vectors[i].hex, f);
		struct rn_pkt pkt;
		enum rn_verdict v = rn_frame_parse(f, len, &pkt);
		if (vectors[i].name[0] == 'T' && vectors[i].name[1] >= '4') {
			assert_int_equal(v, RN_V_FRAME_ROCE_V1); /* F32 */
			continue;
		}
		if (v != RN_V_OK)
			fail_msg("%s: %s", vectors[i].name, rn_verdicts[v].text);
		memset(out, 0xAA, sizeof(out));
		assert_int_equal(rn_frame_bytes(&pkt), len);
		assert_int_equal(rn_frame_build(&pkt, out, sizeof(out)), len);
		assert_memory_equal(out, f, len);
		assert_int_equal(rn_frame_build(&pkt, out, len - 1), 0);
		rebuilt++;
	}
	assert_int_equal(rebuilt, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_rebuild),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
