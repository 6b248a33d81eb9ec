/* The byte order of remote tokens in packets. The rkey field has the 4 bytes of the token in the
 * order of the token's UINT32 in memory. The address field, however, is in network byte order. The
 * test reads the packets from the adapter's own capture file. */
#include "fixture.h"

#include <endian.h>
#include <stdio.h>
#include <unistd.h>

static char capture[] = "/tmp/nd2-token-XXXXXX";

static void remove_file(void)
{
	unlink(capture);
}

static void configure(void)
{
	char text[512];

	close(mkstemp(capture));
	snprintf(
		text, sizeof(text),
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\"; ipv4 = [ \"192.0.2.1/24\" ]; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\"; ipv4 = [ \"192.0.2.2/24\" ]; });\n"
		"eal = { hugepages = \"no\"; };\n"
		"capture = { file = \"%s\"; };\n",
		capture);
	use_config(text);
	atexit(remove_file);
}

enum {
	RETH_AT = 14 + 20 + 8 + 12, /* offset of the RETH: after Ethernet, IPv4, UDP and BTH */
	WRITE_ONLY = 0x0a,
	READ_REQUEST = 0x0c,
};

/* True if the captured packets include one with this BTH opcode, remote address and token. */
static bool on_the_wire(uint8_t opcode, const void *address, UINT32 token)
{
	uint64_t va = htobe64((uintptr_t)address);
	/* The header of a pcap record: seconds, fraction, captured bytes, bytes on the wire. */
	uint32_t head[4];
	bool found = false;
	FILE *f = fopen(capture, "rb");

	assert_non_null(f);
	assert_int_equal(fseek(f, 24, SEEK_SET), 0);
	while (!found && fread(head, sizeof(head), 1, f) == 1) {
		uint8_t frame[10000];

		assert_true(head[2] <= sizeof(frame));
		assert_int_equal(fread(frame, 1, head[2], f), head[2]);
		found = head[2] > RETH_AT + 16 && frame[12] == 8 && frame[23] == 17 &&
			frame[36] == 4791 >> 8 && frame[37] == (4791 & 255) &&
			frame[42] == opcode && memcmp(frame + RETH_AT, &va, 8) == 0 &&
			memcmp(frame + RETH_AT + 8, &token, 4) == 0;
	}
	fclose(f);
	return found;
}

static void nd2_own_remote_tokens_on_the_wire(void **state)
{
	UINT32 token;
	uint8_t *buf;
	struct pair p;

	open_adapters(state);
	pair_open_connected(&p, NULL);
	token = p.b.remote;
	buf = p.b.buf;
	HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 77), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	HR(post_read(&p.a, 0, 10, 2, 0, &p.b, 99), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	pair_close(&p);
	close_adapters(state);
	nothing_lives(); /* waits until the adapters are closed, which completes the capture file */
	assert_true(on_the_wire(WRITE_ONLY, buf + 77, token));
	assert_true(on_the_wire(READ_REQUEST, buf + 99, token));
	assert_false(on_the_wire(WRITE_ONLY, buf + 77, __builtin_bswap32(token)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nd2_own_remote_tokens_on_the_wire),
	};

	configure();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
