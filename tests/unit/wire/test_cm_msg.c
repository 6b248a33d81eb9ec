/* CM messages are parsed and rebuilt byte for byte. The messages are worked examples and captures
 * of Linux soft-RoCE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/cm_msg.h"
#include "base/types.h"

#define ID_A 0x6b8b4567u
#define ID_B 0x327b23c6u
#define TID  0x00000001000000a7ull

static size_t from_hex(const char *hex, uint8_t *out, size_t cap)
{
	size_t n = 0;

	for (; hex[0]; hex++) {
		char pair[3] = {hex[0], hex[1], 0};

		if (*hex == ' ')
			continue;
		assert_true(n < cap);
		out[n++] = (uint8_t)strtoul(pair, NULL, 16);
		hex++;
	}
	return n;
}

/* Decodes the MAD header and the beginning of the body from `hex`. The rest of the MAD is zero. */
static void mad_of(const char *hex, uint8_t mad[RN_MAD_BYTES])
{
	memset(mad, 0, RN_MAD_BYTES);
	from_hex(hex, mad, RN_MAD_BYTES);
}

static const char req_hex[] =
	"010702030000000000000001000000a700100000000000006b8b4567000000000000000001065196020000fffe"
	"000001"
	"00000000000000000000110400000004000000a10000b0a7ffff37f0ffffffff00000000000000000000ffffc0"
	"000201"
	"00000000000000000000ffffc00002025ece800000400088"
	"0000000000000000000000000000000000000000000000000000000000000000"
	"000000000000000000000000"
	"0040b26e000000000000000000000000c0000201000000000000000000000000c000020270696e67";
static const char rep_hex[] =
	"010702030000000000000001000000a70013000000000000327b23c66b8b4567000000000001230000000000"
	"0000a000040479e0020000fffe000002706f6e67";
static const char rtu_hex[] = "010702030000000000000001000000a70014000000000000 6b8b4567 327b23c6";
static const char rej_hex[] =
	"010702030000000000000001000000a70012000000000000 00000000 6b8b4567 00000008";
static const char dreq_hex[] =
	"010702030000000000000001000000a80015000000000000 6b8b4567 327b23c6 00012300";
static const char drep_hex[] = "010702030000000000000001000000a80016000000000000 327b23c6 6b8b4567";
static const char mra_hex[] =
	"010702030000000000000001000000a70011000000000000 327b23c6 6b8b4567 00c0";

static struct rn_gid ipv4(uint8_t last)
{
	return (struct rn_gid){{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, last}};
}

static struct rn_cm_msg example(uint16_t attr)
{
	struct rn_cm_msg m = {.attr = attr, .tid = TID};

	switch (attr) {
	case RN_CM_REQ:
		m.req = (struct rn_cm_req){.local_id = ID_A,
					   .service_id = 0x1065196,
					   .guid = 0x020000fffe000001,
					   .qpn = 0x11,
					   .responder_resources = 4,
					   .initiator_depth = 4,
					   .remote_response_timeout = 20,
					   .flow_control = 1,
					   .local_response_timeout = 20,
					   .psn = 0xb0,
					   .retry_cnt = 7,
					   .pkey = 0xffff,
					   .path_mtu = 3,
					   .rnr_retry = 7,
					   .max_cm_retries = 15,
					   .local_lid = 0xffff,
					   .remote_lid = 0xffff,
					   .local_gid = ipv4(1),
					   .remote_gid = ipv4(2),
					   .flow_label = 0x5ece8,
					   .hop_limit = 64,
					   .ack_timeout = 17};
		rn_cma_hdr_build(
			&(struct rn_cma_hdr){
				.port = 0xb26e, .ipv4 = true, .src = ipv4(1), .dst = ipv4(2)},
			m.req.data);
		memcpy(m.req.data + RN_CMA_HDR_BYTES, "ping", 4);
		break;
	case RN_CM_REP:
		m.rep = (struct rn_cm_rep){.local_id = ID_B,
					   .remote_id = ID_A,
					   .qpn = 0x123,
					   .psn = 0xa0,
					   .responder_resources = 4,
					   .initiator_depth = 4,
					   .target_ack_delay = 15,
					   .flow_control = 1,
					   .rnr_retry = 7,
					   .guid = 0x020000fffe000002,
					   .data = "pong"};
		break;
	case RN_CM_RTU:
		m.rtu = (struct rn_cm_rtu){.local_id = ID_A, .remote_id = ID_B};
		break;
	case RN_CM_REJ:
		m.rej = (struct rn_cm_rej){.remote_id = ID_A, .reason = RN_CM_REJ_NO_SERVICE};
		break;
	case RN_CM_DREQ:
		m.tid++;
		m.dreq = (struct rn_cm_dreq){
			.local_id = ID_A, .remote_id = ID_B, .remote_qpn = 0x123};
		break;
	case RN_CM_DREP:
		m.tid++;
		m.drep = (struct rn_cm_drep){.local_id = ID_B, .remote_id = ID_A};
		break;
	default:
		m.mra = (struct rn_cm_mra){
			.local_id = ID_B, .remote_id = ID_A, .service_timeout = 24};
		break;
	}
	return m;
}

/* The MADs in the frames O10 to O16 of vectors.h. */
static const struct {
	uint16_t attr;
	const char *hex;
} examples[] = {
	{RN_CM_REQ, req_hex},	{RN_CM_REP, rep_hex},	{RN_CM_RTU, rtu_hex}, {RN_CM_REJ, rej_hex},
	{RN_CM_DREQ, dreq_hex}, {RN_CM_DREP, drep_hex}, {RN_CM_MRA, mra_hex},
};

static void builds_the_worked_examples(void **state)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct rn_cm_msg m = example(examples[i].attr);
		uint8_t want[RN_MAD_BYTES], got[RN_MAD_BYTES];

		mad_of(examples[i].hex, want);
		rn_cm_msg_build(&m, got);
		assert_memory_equal(got, want, RN_MAD_BYTES);
	}
}

static void parses_the_worked_examples(void **state)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct rn_cm_msg want = example(examples[i].attr), got;
		uint8_t mad[RN_MAD_BYTES];

		mad_of(examples[i].hex, mad);
		assert_true(rn_cm_msg_parse(mad, sizeof(mad), &got));
		assert_memory_equal(&got, &want, sizeof(got));
	}
}

/* Sets one bit of the body at a time, then parses and rebuilds the message. The result shows that
 * no two fields overlap. */
static void fields_do_not_overlap(void **state)
{
	static const uint16_t attrs[] = {RN_CM_REQ,  RN_CM_MRA,	     RN_CM_REJ,
					 RN_CM_REP,  RN_CM_RTU,	     RN_CM_DREQ,
					 RN_CM_DREP, RN_CM_SIDR_REQ, RN_CM_SIDR_REP};

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		for (unsigned bit = 0; bit < 232 * 8; bit++) {
			uint8_t mad[RN_MAD_BYTES] = {1, 7, 2, 3}, again[RN_MAD_BYTES];
			struct rn_cm_msg m;
			unsigned changed = 0;

			mad[17] = (uint8_t)attrs[i];
			mad[RN_MAD_HDR_BYTES + bit / 8] = (uint8_t)(0x80 >> bit % 8);
			assert_true(rn_cm_msg_parse(mad, sizeof(mad), &m));
			rn_cm_msg_build(&m, again);
			for (unsigned b = 0; b < RN_MAD_BYTES; b++)
				changed += (unsigned)__builtin_popcount(mad[b] ^ again[b]);
			/* A reserved bit comes back as 0 and every other bit comes back unchanged.
			 * No further bit is set. */
			assert_true(changed == 0 ||
				    (changed == 1 && again[RN_MAD_HDR_BYTES + bit / 8] == 0));
			if (attrs[i] == RN_CM_REQ && bit >= 140 * 8)
				assert_int_equal(changed, 0);
		}
	}
}

static void refuses_other_datagrams(void **state)
{
	static const struct {
		unsigned byte, value;
	} rows[] = {{0, 2}, {1, 3},	{1, 4},	    {2, 1}, {3, 0x83},
		    {3, 1}, {17, 0x0f}, {17, 0x1b}, {16, 1}};
	struct rn_cm_msg m;
	uint8_t mad[RN_MAD_BYTES + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		mad_of(req_hex, mad);
		mad[rows[i].byte] = (uint8_t)rows[i].value;
		assert_false(rn_cm_msg_parse(mad, RN_MAD_BYTES, &m));
	}
	mad_of(req_hex, mad);
	assert_true(rn_cm_msg_parse(mad, RN_MAD_BYTES, &m));
	assert_false(rn_cm_msg_parse(mad, RN_MAD_BYTES - 1, &m));
	assert_false(rn_cm_msg_parse(mad, RN_MAD_BYTES + 1, &m));
	assert_false(rn_cm_msg_parse(mad, 0, &m));
	mad[17] = RN_CM_LAP;
	assert_true(rn_cm_msg_parse(mad, RN_MAD_BYTES, &m));
	assert_int_equal(m.attr, RN_CM_LAP);
}

/* A value too large for its field loses its high bits and changes no neighbouring field. */
static void oversized_values_are_masked(void **state)
{
	static const struct {
		size_t at, size;
		uint32_t most;
	} rows[] = {
#define FIELD(name, bits)                                                         \
	{offsetof(struct rn_cm_req, name), sizeof(((struct rn_cm_req *)0)->name), \
	 (1u << (bits)) - 1}
		FIELD(qpn, 24),		  FIELD(psn, 24),
		FIELD(retry_cnt, 3),	  FIELD(rnr_retry, 3),
		FIELD(flow_label, 20),	  FIELD(sl, 4),
		FIELD(path_mtu, 4),	  FIELD(ack_timeout, 5),
		FIELD(max_cm_retries, 4), FIELD(local_response_timeout, 5),
	};

	for (size_t i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_cm_msg in = {.attr = RN_CM_REQ}, want = {.attr = RN_CM_REQ}, got;
		uint8_t mad[RN_MAD_BYTES];

		memset((uint8_t *)&in.req + rows[i].at, 0xFF, rows[i].size);
		memcpy((uint8_t *)&want.req + rows[i].at, &rows[i].most, rows[i].size);
		rn_cm_msg_build(&in, mad);
		assert_true(rn_cm_msg_parse(mad, RN_MAD_BYTES, &got));
		assert_memory_equal(&got.req, &want.req, sizeof(want.req));
	}
}

static void cma_header_both_ways(void **state)
{
	struct rn_cma_hdr six = {.port = 7,
				 .src = {{0x20, 1, 0x0d, 0xb8, [15] = 1}},
				 .dst = {{0xfe, 0x80, [15] = 9}}};
	struct rn_cma_hdr got = {0};
	uint8_t buf[RN_CMA_HDR_BYTES];

	rn_cma_hdr_build(&six, buf);
	assert_int_equal(buf[1], 0x60);
	assert_true(rn_cma_hdr_parse(buf, &got));
	assert_memory_equal(&got, &six, sizeof(got));
	buf[1] = 0x50;
	assert_false(rn_cma_hdr_parse(buf, &got));
	buf[1] = 0x40;
	assert_true(rn_cma_hdr_parse(buf, &got));
	assert_true(got.ipv4 && got.src.b[10] == 0xff && got.src.b[0] == 0);
	buf[0] = 0x10;
	assert_false(rn_cma_hdr_parse(buf, &got));
	/* version 0.1 of the RDMA-CM header in private data: any minor version is accepted */
	buf[0] = 0x01;
	assert_true(rn_cma_hdr_parse(buf, &got));
}

/* Parses and rebuilds every CM message of a capture file. Returns the number of messages. */
static unsigned round_trip(const char *name)
{
	char path[512];
	uint8_t hdr[24], rec[16], frame[2048];
	unsigned found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", RN_VECTORS, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fread(hdr, 1, sizeof(hdr), f), sizeof(hdr));
	while (fread(rec, 1, sizeof(rec), f) == sizeof(rec)) {
		uint32_t len = (uint32_t)rec[8] | (uint32_t)rec[9] << 8;
		size_t ip = 14, at;
		uint8_t again[RN_MAD_BYTES];
		struct rn_cm_msg m;

		assert_true(len <= sizeof(frame));
		assert_int_equal(fread(frame, 1, len, f), len);
		at = ip + (frame[12] == 0x86 ? 40 : 20) + 8;
		if (len != at + 20 + RN_MAD_BYTES + 4 || frame[at] != 0x64 || frame[at + 7] != 1)
			continue;
		assert_true(rn_cm_msg_parse(frame + at + 20, RN_MAD_BYTES, &m));
		rn_cm_msg_build(&m, again);
		assert_memory_equal(again, frame + at + 20, RN_MAD_BYTES);
		found++;
	}
	fclose(f);
	return found;
}

static void captures_survive_byte_for_byte(void **state)
{
	assert_int_equal(round_trip("cm-rping-ipv4.pcap"), 5);
	assert_int_equal(round_trip("cm-rping-ipv6.pcap"), 5);
	assert_int_equal(round_trip("cm-ucmatose-ipv4.pcap"), 5);
	assert_int_equal(round_trip("cm-rej-no-listener.pcap"), 2);
	assert_int_equal(round_trip("cm-sidr-udaddy-ipv4.pcap"), 2);
}

static void names(void **state)
{
	assert_string_equal(rn_cm_attr_name(RN_CM_DREQ), "DREQ");
	assert_string_equal(rn_cm_attr_name(0), "?");
	assert_string_equal(rn_cm_rej_text(10), "stale connection");
	assert_string_equal(rn_cm_rej_text(999), "?");
	assert_int_equal(rn_cm_service_id(RN_PS_TCP, 20886), 0x1065196);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_the_worked_examples),
		cmocka_unit_test(parses_the_worked_examples),
		cmocka_unit_test(fields_do_not_overlap),
		cmocka_unit_test(refuses_other_datagrams),
		cmocka_unit_test(oversized_values_are_masked),
		cmocka_unit_test(cma_header_both_ways),
		cmocka_unit_test(captures_survive_byte_for_byte),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
