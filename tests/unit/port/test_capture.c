/* Capture: a pcap file that says what passed, in whole records, cut at snaplen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"

static void writes_what_passed(void **state)
{
	char path[] = "/tmp/rn-capture-XXXXXX";
	struct rn_capture_file *file;
	uint8_t frame[3000], kept[200];
	uint32_t head[6], rec[4];

	close(mkstemp(path));
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	assert_int_equal(rn_capture_open(&file, path, 100), 0);
	struct rn_capture *c = rn_capture_add(file, RN_S(5));
	assert_non_null(c);
	for (unsigned i = 0; i < 500; i++)
		rn_capture_frame(c, frame, 60 + i, RN_S(5) + RN_US(i));
	assert_int_equal(rn_capture_close(file), 0);

	FILE *in = fopen(path, "r");
	assert_int_equal(fread(head, sizeof(head), 1, in), 1);
	assert_int_equal(head[0], 0xa1b23c4du);
	assert_int_equal(head[5], 1);
	for (unsigned i = 0; i < 500; i++) {
		assert_int_equal(fread(rec, sizeof(rec), 1, in), 1);
		assert_int_equal(rec[3], 60 + i);
		assert_int_equal(rec[2], RN_MIN(60 + i, 100u));
		assert_int_equal(fread(kept, rec[2], 1, in), 1);
		assert_memory_equal(kept, frame, rec[2]);
	}
	assert_int_equal(fgetc(in), EOF);
	fclose(in);
	unlink(path);
}

static void counts_what_did_not_fit(void **state)
{
	struct rn_capture_file *file;
	static uint8_t frame[65535];

	assert_int_equal(rn_capture_open(&file, "/dev/null", 65535), 0);
	struct rn_capture *c = rn_capture_add(file, 0);
	for (unsigned i = 0; i < 2000; i++)
		rn_capture_frame(c, frame, sizeof(frame), i);
	assert_true(rn_capture_close(file) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_passed),
		cmocka_unit_test(counts_what_did_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
