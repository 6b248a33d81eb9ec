/* The text line that is printed for a frame shows every field that the parser read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/dump.h"
#include "base/types.h"
#include "vectors.h"

/* clang-format off */
static const struct {
	const char *vector, *line;
} row[] = {
	{"T1", "192.168.0.7 > 192.168.0.7 UC SEND_ONLY psn=13571856 qp=0xd3 len=18"},
	{"T2", "10.0.17.1 > 10.0.18.1 CNP psn=0 qp=0x118 becn len=16"},
	{"T3", "2022:0:0:0:0:0:0:1023 > 2023:0:0:0:0:0:0:1024 UC SEND_ONLY psn=13571856 qp=0xd3 "
	 "len=18"},
	{"T4", "dropped: RoCEv1 frame"},
	{"O1", "192.0.2.1 > 192.0.2.2 RC SEND_ONLY psn=160 qp=0x123 ack se len=5"},
	{"O2", "192.0.2.2 > 192.0.2.1 RC ACK psn=160 qp=0x11 credit=31 msn=1"},
	{"O3", "192.0.2.1 > 192.0.2.2 RC WRITE_ONLY psn=161 qp=0x123 ack va=0x7f0012345678 "
	 "rkey=0xdeadbeef dma=8 len=8"},
	{"O4", "2001:db8:0:0:0:0:0:1 > 2001:db8:0:0:0:0:0:2 RC READ_REQUEST psn=162 qp=0x123 ack "
	 "va=0x7f0012346000 rkey=0xdeadbeef dma=4096"},
	{"O5", "2001:db8:0:0:0:0:0:2 > 2001:db8:0:0:0:0:0:1 RC ACK psn=162 qp=0x11 RNR timer=12 "
	 "msn=2"},
	{"O6", "192.0.2.2 > 192.0.2.1 RC ACK psn=162 qp=0x11 NAK sequence msn=2"},
	{"O7", "192.0.2.1 > 192.0.2.2 RC CMP_SWAP psn=163 qp=0x123 ack va=0x7f0012345680 "
	 "rkey=0xdeadbeef swap=0x1122334455667788 compare=0x0"},
	{"O8", "192.0.2.1 > 192.0.2.2 RC WRITE_ONLY_IMM psn=16777215 qp=0x123 ack va=0x0 rkey=0x0 dma=0 "
	 "imm=0x01020304 len=0"},
	{"O9", "192.0.2.2 > 192.0.2.1 CNP psn=0 qp=0x11 becn len=16"},
	{"O10", "192.0.2.1 > 192.0.2.2 UD SEND_ONLY psn=5 qp=0x1 qkey=0x80010000 from=0x1 CM REQ "
	 "tid=0x1000000a7 local=0x6b8b4567 len=256"},
	{"O11", "192.0.2.2 > 192.0.2.1 UD SEND_ONLY psn=9 qp=0x1 qkey=0x80010000 from=0x1 CM REP "
	 "tid=0x1000000a7 local=0x327b23c6 remote=0x6b8b4567 len=256"},
	{"O12", "192.0.2.1 > 192.0.2.2 UD SEND_ONLY psn=6 qp=0x1 qkey=0x80010000 from=0x1 CM RTU "
	 "tid=0x1000000a7 local=0x6b8b4567 remote=0x327b23c6 len=256"},
	{"O13", "192.0.2.2 > 192.0.2.1 UD SEND_ONLY psn=10 qp=0x1 qkey=0x80010000 from=0x1 CM REJ "
	 "tid=0x1000000a7 local=0x0 remote=0x6b8b4567 reason=8 len=256"},
	{"O14", "192.0.2.1 > 192.0.2.2 UD SEND_ONLY psn=7 qp=0x1 qkey=0x80010000 from=0x1 CM DREQ "
	 "tid=0x1000000a8 local=0x6b8b4567 remote=0x327b23c6 len=256"},
	{"O15", "192.0.2.2 > 192.0.2.1 UD SEND_ONLY psn=11 qp=0x1 qkey=0x80010000 from=0x1 CM DREP "
	 "tid=0x1000000a8 local=0x327b23c6 remote=0x6b8b4567 len=256"},
	{"O16", "192.0.2.2 > 192.0.2.1 UD SEND_ONLY psn=12 qp=0x1 qkey=0x80010000 from=0x1 CM MRA "
	 "tid=0x1000000a7 local=0x327b23c6 remote=0x6b8b4567 len=256"},
};
/* clang-format on */

static void test_vectors(void **state)
{
	for (size_t i = 0; i < RN_ARRAY_SIZE(row); i++) {
		uint8_t f[VECTOR_BYTES];
		char line[RN_DUMP_BYTES];
		size_t len = vector_bytes(row[i].vector, f);
		size_t n = rn_dump_frame(line, sizeof(line), f, len);
		assert_int_equal(n, strlen(line));
		assert_string_equal(line, row[i].line);
	}
}

static void test_bad_frames(void **state)
{
	uint8_t f[VECTOR_BYTES];
	char line[RN_DUMP_BYTES];
	size_t len = vector_bytes("O1", f);
	f[54] ^= 1;
	rn_dump_frame(line, sizeof(line), f, len);
	assert_string_equal(line, "192.0.2.1 > 192.0.2.2 dropped: bad ICRC");
	rn_dump_frame(line, sizeof(line), f, 3);
	assert_string_equal(line, "dropped: frame shorter than its headers");
}

/* Unknown opcodes and reserved syndromes are printed as numbers. The packets of this test exist
 * only as struct rn_pkt, not as frames. */
static void test_odd_packets(void **state)
{
	char line[RN_DUMP_BYTES];
	struct rn_pkt pkt = {.opcode = 0x15, .psn = 7, .dest_qpn = 2};
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC reserved 0x15 psn=7 qp=0x2 len=0");
	pkt = (struct rn_pkt){
		.opcode = RN_OP_ACK, .psn = 7, .dest_qpn = 2, .syndrome = 0x45, .tclass = 3};
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC ACK psn=7 qp=0x2 ce syndrome=0x45 msn=0");
	pkt.syndrome = 0x65;
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC ACK psn=7 qp=0x2 ce NAK 5 msn=0");
	pkt.syndrome = 0x64;
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC ACK psn=7 qp=0x2 ce NAK rd msn=0");
	pkt.syndrome = 0x69;
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC ACK psn=7 qp=0x2 ce NAK 9 msn=0");
	pkt = (struct rn_pkt){.opcode = RN_OP_SEND_ONLY_INV, .inv_rkey = 0xABC, .payload_len = 9};
	rn_dump_pkt(line, sizeof(line), &pkt);
	assert_string_equal(line, "RC SEND_ONLY_INV psn=0 qp=0x0 inv=0xabc len=9");
}

static void test_other_kinds(void **state)
{
	static const struct {
		uint8_t kind, payload[8];
		const char *line;
	} other[] = {
		{RN_PKT_ARP, {[7] = 1}, "ARP request"},
		{RN_PKT_ARP, {[7] = 2}, "ARP reply"},
		{RN_PKT_ND, {136}, "ND type=136"},
		{RN_PKT_ICMP, {8}, "ICMP type=8 len=8"},
	};
	char line[RN_DUMP_BYTES];

	for (size_t i = 0; i < RN_ARRAY_SIZE(other); i++) {
		struct rn_pkt pkt = {
			.kind = other[i].kind, .payload = other[i].payload, .payload_len = 8};

		rn_dump_pkt(line, sizeof(line), &pkt);
		assert_string_equal(line, other[i].line);
	}
}

/* Buffers of every size: the text is terminated and is the beginning of the whole line. */
static void test_cut(void **state)
{
	uint8_t f[VECTOR_BYTES];
	char whole[RN_DUMP_BYTES], line[RN_DUMP_BYTES + 1];
	size_t len = vector_bytes("O10", f), full = rn_dump_frame(whole, sizeof(whole), f, len);
	assert_true(full + 1 < sizeof(whole));
	for (size_t cap = 1; cap <= RN_DUMP_BYTES; cap++) {
		memset(line, '#', sizeof(line));
		size_t n = rn_dump_frame(line, cap, f, len);
		assert_int_equal(n, RN_MIN(full, cap - 1));
		assert_int_equal(strlen(line), n);
		assert_memory_equal(line, whole, n);
		assert_int_equal(line[cap], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),	    cmocka_unit_test(test_bad_frames),
		cmocka_unit_test(test_odd_packets), cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
