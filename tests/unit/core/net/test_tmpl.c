/* Packet headers made from a QP's template (struct rn_tmpl, computed in advance). The headers must
 * equal, byte for byte, those that the frame builder makes for the same packet. */
#include "wire/hdr.h"
#include "rig.h"
#include "memory/mem_ops.h"
#include "net/tmpl.h"

static const struct rn_gid v4[2] = {
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3}},
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 255, 254}},
};
static const struct rn_gid v6[2] = {{{0xfe, 0x80, [15] = 1}}, {{0x20, 1, 0xd, 0xb8, [15] = 2}}};

static const struct {
	uint8_t opcode;
	unsigned flags;
	uint32_t psn, len;
} rows[] = {
	{RN_OP_SEND_ONLY, RN_TMPL_ACK_REQ, 0, 0},
	{RN_OP_SEND_ONLY, RN_TMPL_ACK_REQ | RN_TMPL_SE, 0xFFFFFF, 1},
	{RN_OP_SEND_FIRST, 0, 1, 1024},
	/* same payload length as in the row above, so the cached IP checksum is used */
	{RN_OP_SEND_MIDDLE, RN_TMPL_ACK_REQ, 2, 1024},
	{RN_OP_SEND_LAST, RN_TMPL_ACK_REQ, 3, 1023},
	{RN_OP_WRITE_FIRST, 0, 4, 4096},
	{RN_OP_WRITE_ONLY, RN_TMPL_ACK_REQ, 5, 3},
	{RN_OP_READ_REQUEST, RN_TMPL_ACK_REQ, 6, 0},
	{RN_OP_READ_RESP_FIRST, 0, 7, 256},
	{RN_OP_READ_RESP_MIDDLE, 0, 8, 256},
	{RN_OP_ACK, 0, 9, 0},
};

static void check(const struct rn_av *av)
{
	static const uint8_t smac[6] = {2, 3, 4, 5, 6, 7};
	static uint8_t data[4096];
	struct rn_tmpl t;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31);
	rn_tmpl_make(&t, av, smac, 0x123, 0xABCDEF);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
			const struct rn_opcode_row *op = rn_opcode_row(rows[i].opcode);
			struct rn_pkt want = {
				.kind = RN_PKT_IB,
				.has_vlan = av->has_vlan,
				.vlan_tci = av->vlan_tci,
				.src = av->sgid,
				.dst = av->dgid,
				.ipv4 = rn_gid_is_ipv4(&av->dgid),
				.tclass = av->tclass,
				.hop_limit = av->hop_limit,
				.ip_df = true,
				.flow_label = av->flow_label,
				.udp_sport = rn_frame_sport(av->flow_label, 0x123, 0xABCDEF),
				.opcode = rows[i].opcode,
				.op = op,
				.mig = true,
				.se = rows[i].flags & RN_TMPL_SE,
				.ack_req = rows[i].flags & RN_TMPL_ACK_REQ,
				.pkey = 0xFFFF,
				.dest_qpn = 0xABCDEF,
				.psn = rows[i].psn,
				.va = 0x1122334455667788,
				.rkey = 0xCAFE,
				.dma_len = 77,
				.syndrome = 0x1F,
				.msn = 0x10203,
				.payload = data,
				.payload_len = rows[i].len,
			};
			uint8_t a[4400], b[4400];
			unsigned ext = op->hdr_bytes - RN_BTH_BYTES, n;
			uint8_t *p = b + t.bytes;

			memset(b, 0xEE, sizeof(b));
			memcpy(want.dmac, av->dmac, 6);
			memcpy(want.smac, smac, 6);
			rn_tmpl_put(&t, b, rows[i].opcode, rows[i].psn, rows[i].flags, ext,
				    rows[i].len);
			if (op->has_reth) {
				rn_store64(p, want.va);
				rn_store32(p + 8, want.rkey);
				rn_store32(p + 12, want.dma_len);
			}
			if (op->has_aeth)
				rn_store32(p, 0x1F010203);
			memcpy(p + ext, data, rows[i].len);
			n = rn_tmpl_close(&t, b, ext, rows[i].len);
			rn_tmpl_seal(&t, b, n);
			assert_int_equal(n, rn_frame_build(&want, a, sizeof(a)));
			assert_int_equal(n, rn_tmpl_frame_bytes(&t, ext, rows[i].len));
			assert_memory_equal(a, b, n);
		}
}

static void test_same_bytes(void **state)
{
	struct rn_av av = {.dmac = {0x1c, 1, 2, 3, 4, 5}, .hop_limit = 64};

	for (unsigned i = 0; i < 16; i++) {
		av.sgid = i & 1 ? v6[0] : v4[0];
		av.dgid = i & 1 ? v6[1] : v4[1];
		av.has_vlan = !!(i & 2);
		av.vlan_tci = i & 2 ? 0x6123 : 0;
		av.tclass = i & 4 ? 0xB9 : 0;
		av.flow_label = i & 8 ? 0xF1235 : 0;
		check(&av);
	}
}

/* A frame whose CRC was continued while its payload was copied equals a frame that is sealed later.
 * rn_tmpl_seal() leaves such a frame as it is. */
static void test_one_pass(void **state)
{
	static const uint8_t smac[6] = {2, 3, 4, 5, 6, 7};
	static const unsigned lengths[] =
		{RN_TMPL_ONE_PASS - 1, RN_TMPL_ONE_PASS, 513, 514, 515, 1024, 4095, 4096},
			      exts[] = {0, RN_AETH_BYTES, RN_IMM_BYTES, RN_RETH_BYTES, 20};
	static uint8_t data[4096], later[4400], once[4400];
	struct rn_tmpl t;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31 + i / 256);
	for (unsigned i = 0; i < 2 * RN_ARRAY_SIZE(exts) * RN_ARRAY_SIZE(lengths); i++) {
		const struct rn_gid *ends = i & 1 ? v6 : v4;
		const struct rn_av av = {.sgid = ends[0], .dgid = ends[1], .hop_limit = 64};
		unsigned n = lengths[i / 2 % RN_ARRAY_SIZE(lengths)],
			 ext = exts[i / 2 / RN_ARRAY_SIZE(lengths)], len;
		uint32_t *icrc;
		uint8_t *p;

		rn_tmpl_make(&t, &av, smac, 5, 7);
		p = once + t.bytes;
		memset(later, 0xEE, sizeof(later));
		memset(once, 0xDD, sizeof(once));
		rn_tmpl_put(&t, later, RN_OP_SEND_ONLY, i, RN_TMPL_SE, ext, n);
		memset(later + t.bytes, 0x5A, ext);
		memcpy(later + t.bytes + ext, data, n);
		len = rn_tmpl_close(&t, later, ext, n);
		rn_tmpl_seal(&t, later, len);

		rn_tmpl_put(&t, once, RN_OP_SEND_ONLY, i, RN_TMPL_SE, ext, n);
		memset(p, 0x5A, ext);
		icrc = rn_tmpl_icrc(&t, once, ext, n);
		assert_ptr_equal(icrc, n < RN_TMPL_ONE_PASS ? NULL : &t.so_far);
		if (icrc)
			assert_true(rn_mem_plain.gather_icrc(p + ext, data, n, icrc));
		else
			memcpy(p + ext, data, n);
		assert_int_equal(rn_tmpl_close_icrc(&t, once, ext, n, icrc), len);
		/* rn_tmpl_seal() must keep the ICRC that the frame has. */
		once[len - 1] ^= 1;
		rn_tmpl_seal(&t, once, len);
		once[len - 1] ^= icrc != NULL;
		assert_memory_equal(once, later, len);
	}
}

/* The frames of a run equal frames that are built and sealed one by one, whatever their lengths. */
static void test_run(void **state)
{
	enum { FRAMES = 40, ROOM = 1024 };
	static const unsigned lengths[] = {64, 0, 1, 64, 32, 64, 116, 256, 300, 511, 30};
	static const uint8_t smac[6] = {2, 3, 4, 5, 6, 7};
	static uint8_t alone[FRAMES][ROOM], run[FRAMES][ROOM];
	struct rn_txbuf bufs[FRAMES];

	if (!rn_fold_usable())
		skip();
	for (unsigned i = 0; i < 2000; i++) {
		const struct rn_gid *ends = i & 1 ? v6 : v4;
		const struct rn_av av = {.sgid = ends[0], .dgid = ends[1], .hop_limit = 64};
		struct rn_tmpl t;

		rn_tmpl_make(&t, &av, smac, 5, 7);
		for (unsigned k = 0; k < FRAMES; k++) {
			unsigned n = lengths[(k / (1 + i % 7) + i) % RN_ARRAY_SIZE(lengths)];
			unsigned ext = k / (1 + i % 5) % 2 ? RN_RETH_BYTES : 0;

			rn_tmpl_put(&t, alone[k], RN_OP_SEND_ONLY, k, RN_TMPL_ACK_REQ, ext, n);
			memset(alone[k] + t.bytes, (int)(i + k), ext + n);
			bufs[k].data = run[k];
			bufs[k].len = rn_tmpl_close(&t, alone[k], ext, n);
			rn_tmpl_seal(&t, alone[k], bufs[k].len);

			memset(run[k], 0xEE, ROOM);
			rn_tmpl_put_folded(&t, run[k], RN_OP_SEND_ONLY, k, RN_TMPL_ACK_REQ, ext, n);
			memset(run[k] + t.bytes, (int)(i + k), ext + n);
			assert_int_equal(rn_tmpl_close(&t, run[k], ext, n), bufs[k].len);
		}
		rn_tmpl_seal_run(&t, bufs, FRAMES);
		for (unsigned k = 0; k < FRAMES; k++)
			assert_memory_equal(run[k], alone[k], bufs[k].len);
	}
}

/* The IPv4 checksum is right in data packets, and in a CNP with another traffic class. The
 * destination address and the traffic class vary so that the sum over the IP header takes every
 * value, carries included. */
static void test_every_sum(void **state)
{
	struct rn_av av = {.sgid = v4[0], .dgid = v4[1], .hop_limit = 64};

	for (unsigned i = 0; i < 65536; i++) {
		static const uint8_t smac[6] = {2};
		uint8_t frame[128];
		struct rn_tmpl t;
		struct rn_pkt p;

		rn_store16(av.dgid.b + 14, (uint16_t)i);
		av.tclass = (uint8_t)(i * 5);
		rn_tmpl_make(&t, &av, smac, 5, 7);
		assert_int_equal(
			rn_frame_parse(frame, rn_tmpl_cnp(&t, frame, (uint8_t)(i * 7), 0), &p),
			RN_V_OK);
		assert_int_equal(p.tclass, (uint8_t)(i * 7));
		rn_tmpl_put(&t, frame, RN_OP_SEND_ONLY, 9, 0, 0, 0);
		rn_tmpl_seal(&t, frame, rn_tmpl_close(&t, frame, 0, 0));
		assert_int_equal(rn_frame_parse(frame, rn_tmpl_frame_bytes(&t, 0, 0), &p), RN_V_OK);
		assert_int_equal(p.tclass, av.tclass);
	}
}

/* The CRCs of the last two lengths are kept, whatever their order: ACKs and data in turn. */
static void test_two_lengths(void **state)
{
	static const uint8_t smac[6] = {2};
	const struct rn_av av = {.sgid = v4[0], .dgid = v4[1], .hop_limit = 64};
	uint8_t frame[1024];
	struct rn_tmpl t;
	uint16_t former[2] = {0, 0};

	rn_tmpl_make(&t, &av, smac, 5, 7);
	for (unsigned i = 0; i < 6; i++) {
		rn_tmpl_put(&t, frame, RN_OP_SEND_ONLY, i, 0, 0, i % 2 ? 0 : 300);
		rn_tmpl_seal(&t, frame, rn_tmpl_close(&t, frame, 0, i % 2 ? 0 : 300));
		assert_int_equal(t.icrc_len[0], t.udp_len);
		assert_int_equal(t.icrc_len[1], former[0]);
		assert_true(i < 2 || t.icrc_len[0] == former[1]);
		memcpy(former, t.icrc_len, sizeof(former));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_one_pass),
		cmocka_unit_test(test_run), cmocka_unit_test(test_every_sum),
		cmocka_unit_test(test_two_lengths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
