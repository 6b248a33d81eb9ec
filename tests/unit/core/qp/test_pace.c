/* Congestion control of a QP: the contents of a CNP and what ends a rate limit. Also: a QP that
 * waits under its rate limit costs the shard no work. */
#include <errno.h>

#include "shard/cnp.h"
#include "wire/hdr.h"
#include "qp/pace.h"
#include "rig.h"

/* Returns a CNP for the QP of `side`. */
static struct rn_pkt cnp_for(struct rig *r, int side)
{
	struct rn_pkt p = rig_pkt(r, side, RN_OP_SEND_ONLY, 0, NULL, 0);

	p.opcode = RN_OPCODE_CNP;
	p.op = rn_opcode_row(RN_OPCODE_CNP);
	return p;
}

/* Returns a WRITE packet for the QP of `side`, marked with the ECN bits 11 (congestion
 * experienced). */
static struct rn_pkt marked(struct rig *r, int side, int delta)
{
	struct rn_pkt p = rig_pkt(r, side, RN_OP_WRITE_ONLY, delta, "x", 1);

	p.ack_req = false;
	p.tclass = 3;
	return p;
}

static const struct rn_stats *stats(const struct rig *r, int side)
{
	return rn_shard_stats(r->s[side].sh);
}

static uint64_t send_rate(struct rig *r, int side)
{
	struct rn_cmd cmd = {.op = RN_CMD_QUERY_QP};
	struct rn_rsp rsp;
	struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

	cmd.qp.qpn = r->s[side].qpn;
	cmd.qp.gen = r->s[side].gen;
	rn_shard_exec(r->s[side].sh, &x, r->now);
	assert_int_equal(rsp.err, 0);
	return rsp.query.send_rate;
}

/* Posts a WRITE of four packets on side 0. A CNP has limited side 0's QP to half the line rate. */
static void start_limited(struct rig *r, uint8_t type)
{
	struct rn_pkt p;

	rig_init(r, &(struct rig_opt){.type = type});
	p = cnp_for(r, 0);
	assert_int_equal(rig_rx(r, 0, &p), RN_V_CNP);
	rig_request(r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 4096, 0);
}

/* ---- congestion notification packets (CNPs) ---- */

static void wire_row_E1_bytes(void **state)
{
	struct rig r;
	struct rn_pkt p, got;

	rig_init(&r, &(struct rig_opt){0});
	p = marked(&r, 1, 0);
	assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
	assert_true(rn_shard_wants_tx(r.s[1].sh, r.now));
	assert_false(rn_shard_only_acks(r.s[1].sh));
	assert_true(rig_take(&r, 1, &got)); /* rig_take() has checked the checksum and ICRC */
	assert_int_equal(got.opcode, RN_OPCODE_CNP);
	assert_int_equal(got.dest_qpn, r.s[0].qpn);
	assert_int_equal(got.tclass, 48 << 2 | RN_ECT_0);
	assert_true(got.becn && !got.fecn && !got.mig && !got.se && !got.ack_req && got.psn == 0 &&
		    got.pad == 0);
	assert_int_equal(got.pkey, 0xFFFF);
	assert_int_equal(got.payload_len, RN_CNP_BYTES);
	assert_int_equal(got.frame_len, 14 + 60);
	for (unsigned i = 0; i < RN_CNP_BYTES; i++)
		assert_int_equal(got.payload[i], 0);
	assert_true(rn_gid_equal(&got.src, &r.s[1].qp->own) &&
		    rn_gid_equal(&got.dst, &r.s[1].qp->peer));
	rig_expect_silence(&r, 1);
	assert_int_equal(stats(&r, 1)->np_cnp_sent, 1);
	assert_int_equal(stats(&r, 1)->np_ecn_marked_roce_packets, 1);
	rig_fini(&r);
}

/* A CNP in a VLAN has the VLAN priority that is set for CNPs, here over IPv6. */
static void wire_row_E1_tagged_ipv6(void **state)
{
	static const struct rn_av base = {.sgid = {{0x20, 1, 0xd, 0xb8, [15] = 1}},
					  .dgid = {{0x20, 1, 0xd, 0xb8, [15] = 2}},
					  .hop_limit = 64,
					  .tclass = 26 << 2,
					  .flow_label = 0xABCDF,
					  .has_vlan = 1,
					  .vlan_tci = 3 << 13 | 100};
	uint8_t smac[6] = {2}, frame[256];
	struct rn_tmpl t;
	struct rn_pkt p;

	rn_tmpl_make(&t, &base, smac, 5, 7);
	assert_int_equal(rn_frame_parse(frame, rn_tmpl_cnp(&t, frame, 0xC2, 6), &p), RN_V_OK);
	assert_int_equal(p.opcode, RN_OPCODE_CNP);
	assert_int_equal(p.vlan_tci, 6 << 13 | 100);
	assert_int_equal(p.tclass, 0xC2);
	assert_int_equal(p.flow_label, 0xABCDF);
	assert_true(p.becn);
	/* the template for data packets is unchanged */
	rn_tmpl_put(&t, frame, RN_OP_SEND_ONLY, 9, 0, 0, 0);
	rn_tmpl_seal(&t, frame, rn_tmpl_close(&t, frame, 0, 0));
	assert_int_equal(rn_frame_parse(frame, rn_tmpl_frame_bytes(&t, 0, 0), &p), RN_V_OK);
	assert_int_equal(p.vlan_tci, 3 << 13 | 100);
	assert_int_equal(p.tclass, 26 << 2);
	assert_false(p.becn);
}

static void wire_row_E2_one_per_interval(void **state)
{
	struct rig r;
	struct rn_pkt got;
	unsigned n = 0;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 1000; i++) {
		struct rn_pkt p = marked(&r, 1, 0);
		assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
		while (rig_take(&r, 1, &got))
			n++;
		r.now += 49; /* 49 ns per packet: 1000 packets take less than the CNP interval */
	}
	assert_int_equal(n, 1);
	assert_int_equal(stats(&r, 1)->np_ecn_marked_roce_packets, 1000);
	rig_fini(&r);
}

/* A second CNP is sent exactly when the CNP interval has passed. */
static void wire_row_E2_at_the_interval(void **state)
{
	static const rn_time after[] = {0, RN_US(50) - 1, 1};
	struct rn_pkt p, got;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	for (unsigned i = 0; i < RN_ARRAY_SIZE(after); i++) {
		unsigned n = 0;

		r.now += after[i];
		p = marked(&r, 1, 0);
		assert_int_equal(rig_rx(&r, 1, &p), RN_V_OK);
		while (rig_take(&r, 1, &got))
			n += got.opcode == RN_OPCODE_CNP;
		assert_int_equal(n, i != 1);
	}
	rig_fini(&r);
}

/* A congestion mark is counted for each packet that reached its QP, even if that QP refused the
 * packet. */
static void wire_row_E1_which_verdicts(void **state)
{
	static const struct {
		enum rn_verdict v;
		bool counts;
	} rows[] = {
		{RN_V_OK, true},	{RN_V_REQ_DUPLICATE, true}, {RN_V_REQ_RKEY, true},
		{RN_V_RSP_BAD, true},	{RN_V_RSP_LOCAL, true},	    {RN_V_REQ_DUPLICATE - 1, false},
		{RN_V_CNP, false},	{RN_V_ICRC, false},	    {RN_V_RSP_LOCAL + 1, false},
		{RN_V_QP_STATE, false},
	};
	struct rn_pkt p, got;
	struct rig r;

	rig_init(&r, &(struct rig_opt){0});
	p = marked(&r, 1, 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint64_t before = stats(&r, 1)->np_ecn_marked_roce_packets;

		rn_cnp_marked(r.s[1].sh, &p, rows[i].v, r.now);
		assert_int_equal(stats(&r, 1)->np_ecn_marked_roce_packets - before, rows[i].counts);
	}
	while (rig_take(&r, 1, &got))
		;
	rig_fini(&r);
}

/* A CNP that is due but unsent when the connection ends is dropped. */
static void wire_row_E1_not_after_the_end(void **state)
{
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	p = marked(&r, 1, 0);
	rig_rx(&r, 1, &p);
	assert_int_equal(rig_modify(&r, 1, RN_QP_STATE, &(struct rn_qp_attr){.state = RN_QPS_ERR}),
			 0);
	rig_expect_silence(&r, 1);
	assert_false(rn_shard_wants_tx(r.s[1].sh, r.now));
	rig_fini(&r);
}

/* A UD QP has no rate limit, so a CNP to a UD QP is refused. */
static void wire_row_E6_datagram_queue_pair(void **state)
{
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){.type = RN_QPT_UD});
	p = cnp_for(&r, 0);
	assert_int_equal(rig_rx(&r, 0, &p), RN_V_QP_TRANSPORT);
	assert_int_equal(send_rate(&r, 0), 0);
	assert_int_equal(stats(&r, 0)->rp_cnp_handled, 0);
	rig_fini(&r);
}

static void wire_row_E9_source_checked_or_not(void **state)
{
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	p = cnp_for(&r, 0);
	p.src.b[15] ^= 0x40;
	assert_int_equal(rig_rx(&r, 0, &p), RN_V_QP_ADDRESS);
	assert_int_equal(send_rate(&r, 0), 0);
	r.s[0].port.check_source = false;
	rn_shard_port(r.s[0].sh, &r.s[0].port, r.now);
	assert_int_equal(rig_rx(&r, 0, &p), RN_V_CNP);
	assert_true(send_rate(&r, 0) > 0);
	rig_fini(&r);
}

/* If no congestion control algorithm is set, CNPs are counted and ignored. */
static void test_control_off(void **state)
{
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){0});
	r.s[0].sh->lane.cfg.cc.algorithm = RN_CC_NONE;
	p = cnp_for(&r, 0);
	assert_int_equal(rig_rx(&r, 0, &p), RN_V_CNP);
	assert_int_equal(send_rate(&r, 0), 0);
	assert_int_equal(stats(&r, 0)->rp_cnp_ignored, 1);
	assert_int_equal(stats(&r, 0)->rp_cnp_handled, 0);
	rig_fini(&r);
}

static void test_data_can_be_marked(void **state)
{
	for (int ecn = 0; ecn < 2; ecn++) {
		struct rig r;
		struct rn_pkt got;

		rig_init(&r, &(struct rig_opt){0});
		r.s[0].sh->lane.cfg.cc.ecn = ecn;
		rn_qp_make_headers(r.s[0].qp);
		rig_request(&r, 0, RN_WQE_WRITE, 0, 1, 0, 5, 0);
		assert_true(rig_take(&r, 0, &got));
		assert_int_equal(got.tclass & 3, ecn ? RN_ECT_0 : 0);
		rig_fini(&r);
	}
}

/* ---- waiting under a rate limit ---- */

/* A QP that waits under its rate limit is on no list of the shard, so the shard has no work to do.
 * rn_shard_next() returns the time at which the QP may send again. */
static void test_waits_for_nothing(void **state)
{
	struct rig r;
	struct rn_pkt got;
	uint64_t rate;

	start_limited(&r, RN_QPT_RC);
	rate = send_rate(&r, 0);
	assert_true(rate > 0);
	assert_int_equal(stats(&r, 0)->cc_limited, 1);
	assert_int_equal(stats(&r, 0)->cc_limited_rate, rate);
	for (unsigned i = 0; i < 4; i++) {
		rn_time from = r.now, next;

		assert_true(rig_take(&r, 0, &got));
		rig_expect_silence(&r, 0);
		if (i == 3)
			break;
		assert_false(rn_shard_wants_tx(r.s[0].sh, r.now));
		next = rn_shard_next(r.s[0].sh);
		assert_true(next > from &&
			    next <= from + (rn_time)got.frame_len * 8 * RN_S(1) / rate + 1);
		/* a QP that is activated too early sends nothing */
		rn_lane_activate(&r.s[0].sh->lane, r.s[0].qp);
		rig_expect_silence(&r, 0);
		while (!rn_shard_wants_tx(r.s[0].sh, r.now)) {
			r.now = RN_MAX(r.now, rn_shard_next(r.s[0].sh));
			rn_shard_tick(r.s[0].sh, r.now);
		}
		assert_int_equal(r.now - from, (rn_time)got.frame_len * 8 * RN_S(1) / rate);
	}
	assert_int_equal(stats(&r, 0)->cc_waits, 3);
	rig_fini(&r);
}

/* A CNP limits the rate of a UC QP as it does for an RC QP. */
static void test_unreliable_waits(void **state)
{
	struct rig r;
	struct rn_pkt got;

	start_limited(&r, RN_QPT_UC);
	assert_true(rig_take(&r, 0, &got));
	assert_int_equal(got.opcode & 0xE0, RN_T_UC);
	rig_expect_silence(&r, 0);
	assert_false(rn_shard_wants_tx(r.s[0].sh, r.now));
	rig_fini(&r);
}

/* Under a rate limit all data arrives without retransmission. */
static void test_all_arrives(void **state)
{
	struct rig r;

	start_limited(&r, RN_QPT_RC);
	for (unsigned i = 0; i < 4096; i++)
		r.s[0].mem[i] = (uint8_t)(i * 7);
	rig_run(&r, RN_MS(50));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	assert_memory_equal(r.s[1].mem, r.s[0].mem, 4096);
	assert_int_equal(stats(&r, 0)->tx_retransmitted, 0);
	rig_fini(&r);
}

/* The error state and RESET stop the pacing timer and remove the rate limit. */
static void test_ends(uint8_t to)
{
	struct rig r;
	struct rn_pkt got;

	start_limited(&r, RN_QPT_RC);
	assert_true(rig_take(&r, 0, &got));
	rig_expect_silence(&r, 0);
	assert_true(rn_timer_armed(&r.s[0].qp->pace));
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &(struct rn_qp_attr){.state = to}), 0);
	assert_false(rn_timer_armed(&r.s[0].qp->pace));
	assert_int_equal(send_rate(&r, 0), 0);
	assert_int_equal(stats(&r, 0)->cc_limited, 0);
	assert_int_equal(stats(&r, 0)->cc_limited_rate, 0);
	rig_fini(&r);
}

static void test_error_ends_it(void **state)
{
	test_ends(RN_QPS_ERR);
}

static void test_reset_ends_it(void **state)
{
	test_ends(RN_QPS_RESET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_E1_bytes),
		cmocka_unit_test(wire_row_E1_tagged_ipv6),
		cmocka_unit_test(wire_row_E2_one_per_interval),
		cmocka_unit_test(wire_row_E2_at_the_interval),
		cmocka_unit_test(wire_row_E1_which_verdicts),
		cmocka_unit_test(wire_row_E1_not_after_the_end),
		cmocka_unit_test(wire_row_E6_datagram_queue_pair),
		cmocka_unit_test(wire_row_E9_source_checked_or_not),
		cmocka_unit_test(test_control_off),
		cmocka_unit_test(test_data_can_be_marked),
		cmocka_unit_test(test_waits_for_nothing),
		cmocka_unit_test(test_unreliable_waits),
		cmocka_unit_test(test_all_arrives),
		cmocka_unit_test(test_error_ends_it),
		cmocka_unit_test(test_reset_ends_it),
	};
	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
