/* An adapter allows at most max_mr registered regions. At this limit, a further Register fails
 * immediately. Register succeeds again after one region was deregistered. */
#include "fixture.h"

#include <stdio.h>

#define ROOM 8

static void configure(void)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\"; ipv4 = [ \"192.0.2.1/24\" ]; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\"; ipv4 = [ \"192.0.2.2/24\" ]; });\n"
		"eal = { hugepages = \"no\"; };\n"
		"limits = { max_mr = %d; };\n",
		ROOM);
	use_config(text);
}

static void nd2_own_no_room_for_more_regions(void **state)
{
	IND2MemoryRegion *mr[ROOM + 1];
	OVERLAPPED ov = {0};
	struct end e;

	open_adapters(state);
	end_open(&e, 0, NULL);
	RELEASE(e.mr);
	for (int i = 0; i < ROOM + 1; i++)
		mr[i] = new_mr(&e); /* max_mr limits registered regions, not region objects */
	for (int i = 0; i < ROOM; i++)
		register_mr(mr[i], e.buf, 100, 0);
	for (int round = 0; round < 300; round++) {
		IND2MemoryRegion *last = mr[ROOM];

		HR(CALL(last, Register, e.buf, 100, 0, &ov), ND_INSUFFICIENT_RESOURCES);
		assert_int_equal(CALL(last, GetLocalToken), 0);
		HR(CALL(last, Deregister, &ov), ND_INVALID_DEVICE_STATE);
		ENDS(mr[0], CALL(mr[0], Deregister, &ov), &ov, ND_SUCCESS);
		register_mr(last, e.buf, 100, 0);
		mr[ROOM] = mr[0];
		mr[0] = last;
	}
	for (int i = 0; i < ROOM + 1; i++)
		RELEASE(mr[i]);
	end_close(&e);
	close_adapters(state);
	nothing_lives();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_no_room_for_more_regions),
	};

	configure();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
