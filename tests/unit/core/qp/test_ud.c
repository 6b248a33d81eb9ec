/* Datagrams (UD): which packet a request makes, which requests are refused and when, and what a
 * receive contains afterwards. Side 0 sends and side 1 receives unless a test says otherwise. */
#include "datagram.h"
#include "net/group.h"
#include "qp/mcast.h"

static const struct rn_gid v4_group = {{[10] = 0xff, 0xff, 239, 1, 2, 3}};
static const uint64_t *verdicts(struct rig *r, int side)
{
	return rn_shard_stats(r->s[side].sh)->verdict;
}

/* ---- sending ---- */

static void test_packet_of_a_request(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_ud to;

	start(&r);
	to = to_peer(&r, 0);
	to.av.tclass = 0x68;
	to.av.flow_label = 0x12345;
	post_to(&r, 0, RN_WQE_SEND_IMM, RN_WQE_SIGNALED | RN_WQE_SOLICITED, 7, 100, 333, &to);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.opcode, 0x65);
	assert_int_equal(p.dest_qpn, r.s[1].qpn);
	assert_int_equal(p.src_qpn, r.s[0].qpn);
	assert_int_equal(p.qkey, RIG_QKEY);
	assert_int_equal(p.psn, RIG_PSN_A);
	assert_int_equal(p.imm, 0x04030201);
	/* the UDP source port follows from the flow label: docs/spec/rocev2.md 1.6 */
	assert_int_equal(p.udp_sport, 0xE341);
	assert_int_equal(p.tclass, 0x68);
	assert_int_equal(p.hop_limit, 9);
	assert_true(p.se && p.mig && !p.ack_req && p.ip_df);
	assert_int_equal(p.payload_len, 333);
	assert_int_equal(p.pad, 3);
	assert_memory_equal(p.payload, r.s[0].mem + 100, 333);
	/* a UD request is complete once its packet is sent */
	rig_expect(&r, 0, 7, RN_STATUS_SUCCESS);
	post(&r, 8, 0, 0);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.opcode, 0x64);
	assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, 1));
	assert_int_equal(p.udp_sport, rn_frame_sport(0, r.s[0].qpn, r.s[1].qpn));
	assert_int_equal(p.payload_len, 0);
	rig_expect(&r, 0, 8, RN_STATUS_SUCCESS);
	assert_int_equal(atomic_load(&r.s[0].qp->shared.sq_retired), 2);
	rig_expect_silence(&r, 0);
	rig_fini(&r);
}

/* A packet carries the Q_Key of its work request. If the top bit of that Q_Key is set, the packet
 * carries the QP's own Q_Key instead (docs/spec/rocev2.md 5.1). */
static void test_qkeys_sent(void **state)
{
	static const struct {
		uint32_t asked, sent;
	} rows[] = {{1, 1},
		    {0x7FFFFFFF, 0x7FFFFFFF},
		    {0x80000000, RIG_QKEY},
		    {0xFFFFFFFF, RIG_QKEY},
		    {0, 0}};
	struct rig r;

	start(&r);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_ud to = to_peer(&r, 0);
		struct rn_pkt p;

		to.qkey = rows[i].asked;
		post_to(&r, 0, RN_WQE_SEND, 0, 1, 0, 8, &to);
		assert_true(rig_take(&r, 0, &p));
		assert_int_equal(p.qkey, rows[i].sent);
	}
	rig_expect_none(&r, 0);
	rig_fini(&r);
}

/* A request may have as many SGEs or inline bytes as the QP allows. The destination address follows
 * the SGEs or inline bytes in the request's slots. */
static void test_lists_and_inline_data(void **state)
{
	_Alignas(64) struct rn_wqe w[RN_WQE_MAX_SLOTS];
	struct rig r;
	struct rn_pkt p;

	start(&r);
	for (unsigned n = 0; n <= 4; n++) {
		memset(w, 0, sizeof(w));
		w->kind = RN_WQE_SEND;
		w->slots = (uint8_t)(rn_wqe_slots_sge(n) + RN_UD_SLOTS);
		w->num_sge = (uint16_t)n;
		for (unsigned i = 0; i < n; i++) {
			struct rn_sge s = {(uintptr_t)r.s[0].mem + 1000 * i, 10 + i, r.s[0].key};

			memcpy((uint8_t *)w + offsetof(struct rn_wqe, sge) + i * sizeof(s), &s,
			       sizeof(s));
			w->length += s.length;
		}
		*rn_wqe_ud(w) = to_peer(&r, 0);
		rig_post(&r, 0, w);
		assert_true(rig_take(&r, 0, &p));
		assert_int_equal(p.payload_len, w->length);
		for (unsigned i = 0, at = 0; i < n; at += 10 + i++)
			assert_memory_equal(p.payload + at, r.s[0].mem + 1000 * i, 10 + i);
	}
	for (unsigned len = 0; len <= 200; len++) {
		memset(w, 0, sizeof(w));
		w->kind = RN_WQE_SEND;
		w->flags = RN_WQE_INLINE;
		w->length = len;
		w->slots = (uint8_t)(rn_wqe_slots_inline(len) + RN_UD_SLOTS);
		memcpy((uint8_t *)w + offsetof(struct rn_wqe, inl), r.s[0].mem + len, len);
		*rn_wqe_ud(w) = to_peer(&r, 0);
		rig_post(&r, 0, w);
		assert_true(rig_take(&r, 0, &p));
		assert_int_equal(p.dest_qpn, r.s[1].qpn);
		assert_int_equal(p.payload_len, len);
		assert_memory_equal(p.payload, r.s[0].mem + len, len);
	}
	rig_fini(&r);
}

static void wire_row_Q46_longer_than_a_packet(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r); /* the path MTU is 4096, so 4097 bytes are too long */
	post(&r, 1, 0, 4096);
	post(&r, 2, 0, 4097);
	post(&r, 3, 0, RIG_MEM);
	post(&r, 4, 0, 1);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.payload_len, 4096);
	assert_true(rig_take(&r, 0, &p));
	assert_int_equal(p.payload_len, 1);
	assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, 1));
	rig_expect_silence(&r, 0);
	for (uint64_t id = 1; id <= 4; id++)
		rig_expect(&r, 0, id, RN_STATUS_SUCCESS);
	assert_int_equal(rn_shard_stats(r.s[0].sh)->tx_ud_too_long, 2);
	expect_state(&r, 0, RN_QPS_RTS);
	rig_fini(&r);
}

/* A request that fails moves the QP to SQE. Requests behind the failed one are flushed and
 * receiving continues. The QP can return to RTS. */
static void test_failing_requests(void **state)
{
	static const struct {
		const char *what;
		uint8_t kind, status;
	} rows[] = {{"key", RN_WQE_SEND, RN_STATUS_LOC_PROT_ERR},
		    {"source", RN_WQE_SEND, RN_STATUS_LOC_QP_OP_ERR},
		    {"family", RN_WQE_SEND, RN_STATUS_LOC_QP_OP_ERR},
		    {"qpn", RN_WQE_SEND, RN_STATUS_LOC_QP_OP_ERR},
		    {"kind", RN_WQE_WRITE, RN_STATUS_LOC_QP_OP_ERR},
		    {"kind", RN_WQE_READ, RN_STATUS_LOC_QP_OP_ERR},
		    {"kind", RN_WQE_SEND_INVAL, RN_STATUS_LOC_QP_OP_ERR},
		    {"kind", RN_WQE_BIND, RN_STATUS_LOC_QP_OP_ERR},
		    {"kind", RN_WQE_FETCH_ADD, RN_STATUS_LOC_QP_OP_ERR},
		    {"slots", RN_WQE_SEND, RN_STATUS_LOC_QP_OP_ERR}};
	struct rig r;
	struct rn_pkt p;

	start(&r);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		_Alignas(64) struct rn_wqe w[2] = {
			{.kind = rows[i].kind, .slots = 2, .num_sge = 1, .wr_id = 2, .length = 8}};
		struct rn_ud *to = rn_wqe_ud(w);
		struct rn_qp_attr a = {.state = RN_QPS_RTS};

		w->sge[0] = (struct rn_sge){(uintptr_t)r.s[0].mem, 8, r.s[0].key};
		*to = to_peer(&r, 0);
		w->sge[0].lkey ^= strcmp(rows[i].what, "key") == 0 ? 1u << 31 : 0;
		to->av.sgid.b[15] ^= strcmp(rows[i].what, "source") == 0;
		to->qpn |= strcmp(rows[i].what, "qpn") == 0 ? 1u << 24 : 0;
		if (strcmp(rows[i].what, "family") == 0)
			to->av.dgid = (struct rn_gid){{0x20, 1}};
		if (strcmp(rows[i].what, "slots") == 0)
			w->slots = 1;
		post(&r, 1, 0, 8);
		rig_post(&r, 0, w); /* the request is unsignaled, but its error is reported */
		post(&r, 3, 0, 8);
		assert_true(rig_take(&r, 0, &p));
		rig_expect_silence(&r, 0);
		rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
		rig_expect(&r, 0, 2, rows[i].status);
		rig_expect(&r, 0, 3, RN_STATUS_WR_FLUSH_ERR);
		rig_expect_none(&r, 0);
		expect_state(&r, 0, RN_QPS_SQE);
		post(&r, 4, 0, 8);
		rig_expect(&r, 0, 4, RN_STATUS_WR_FLUSH_ERR);
		rig_recv(&r, 0, 9, 4096, 100);
		{
			const struct rn_ud back = to_peer(&r, 1);

			post_to(&r, 1, RN_WQE_SEND, 0, 5, 0, 8, &back);
			assert_int_equal(rig_move(&r, 1, 8), 1);
		}
		rig_expect(&r, 0, 9, RN_STATUS_SUCCESS);
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
		post(&r, 6, 0, 8);
		assert_true(rig_take(&r, 0, &p));
		/* the failed request used no PSN */
		assert_int_equal(p.psn, rn_psn_add(RIG_PSN_A, 2 * i + 1));
		rig_expect(&r, 0, 6, RN_STATUS_SUCCESS);
	}
	rig_fini(&r);
}

static void test_drained_and_resumed(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_event ev;
	struct rn_qp_attr a = {.state = RN_QPS_SQD, .sqd_notify = 1};

	start(&r);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QP_SQD_NOTIFY, &a), 0);
	do
		assert_int_equal(rn_shard_events(r.s[0].sh, &ev, 1), 1);
	while (ev.kind != RN_EVENT_SQ_DRAINED);
	post(&r, 1, 0, 8);
	rig_expect_silence(&r, 0);
	a.state = RN_QPS_RTS;
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	assert_true(rig_take(&r, 0, &p));
	rig_expect(&r, 0, 1, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* ---- receiving ---- */

static void give_v6(struct rig *r)
{
	struct rn_port_attr port = r->s[1].port;

	port.ngids = 2;
	port.gids[1] = (struct rn_gid){{0xfd, [15] = 2}};
	port.prefix_len[1] = 64;
	rn_shard_port(r->s[1].sh, &port, r->now);
}

static void wire_row_U5_U14_over_ipv4(void **state)
{
	struct rig r;
	struct rn_cqe c;
	struct rn_pkt p;
	const uint8_t *m;
	uint32_t sum = 0;

	start(&r);
	m = r.s[1].mem;
	memset(r.s[1].mem, 0xEE, 1000);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 100);
	p.se = true;
	assert_int_equal(inject(&r, &p), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.wr_id, 3);
	assert_int_equal(c.status, RN_STATUS_SUCCESS);
	assert_int_equal(c.byte_len, GRH + 100);
	assert_int_equal(c.src_qpn, 0x7B1234);
	assert_int_equal(c.flags, RN_CQE_RECV | RN_CQE_GRH | RN_CQE_IPV4 | RN_CQE_SOLICITED);
	assert_int_equal(c.pkey_index, 0);
	assert_int_equal(c.sl, 0);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(m[i], 0);
	assert_int_equal(m[20], 0x45);
	assert_int_equal(m[21], 0xB9);
	/* the IPv4 header is stored as received, TTL included, so that its checksum holds */
	assert_int_equal(m[28], 3);
	assert_memory_equal(m + 32, p.src.b + 12, 4);
	assert_memory_equal(m + 36, p.dst.b + 12, 4);
	for (unsigned i = 20; i < 40; i += 2)
		sum += (uint32_t)m[i] << 8 | m[i + 1];
	assert_int_equal((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
	assert_memory_equal(m + GRH, r.s[0].mem, 100);
	assert_int_equal(m[GRH + 100], 0xEE);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void wire_row_U6_over_ipv6(void **state)
{
	struct rig r;
	struct rn_cqe c;
	struct rn_pkt p;
	uint8_t frame[400];

	start(&r);
	give_v6(&r);
	rig_recv(&r, 1, 3, 0, GRH + 5);
	p = datagram(&r, 5);
	p.ipv4 = false;
	p.src = (struct rn_gid){{0xfd, [15] = 1}};
	p.dst = (struct rn_gid){{0xfd, [15] = 2}};
	p.flow_label = 0x54321;
	p.opcode = 0x65;
	p.imm = 0xAABBCCDD;
	assert_int_equal(inject(&r, &p), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.byte_len, GRH + 5);
	assert_int_equal(c.flags, RN_CQE_RECV | RN_CQE_GRH | RN_CQE_IMM);
	assert_int_equal(c.imm, 0xAABBCCDD);
	assert_int_not_equal(rn_frame_build(&p, frame, sizeof(frame)), 0);
	assert_memory_equal(r.s[1].mem, frame + 14, 40);
	assert_memory_equal(r.s[1].mem + GRH, r.s[0].mem, 5);
	rig_fini(&r);
}

static void wire_row_U7_wrong_qkey(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 8);
	p.qkey ^= 1;
	assert_int_equal(inject(&r, &p), RN_V_QKEY);
	assert_int_equal(verdicts(&r, 1)[RN_V_QKEY], 1);
	rig_expect_none(&r, 1);
	rig_expect_silence(&r, 1);
	p.qkey ^= 1;
	assert_int_equal(inject(&r, &p), RN_V_OK);
	rig_expect(&r, 1, 3, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

/* A receive is one byte too short for a datagram: nothing is written. The receive stays for a
 * datagram that fits. */
static void wire_row_U8_short_receive(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_cqe c;

	start(&r);
	memset(r.s[1].mem, 0xEE, 1000);
	rig_recv(&r, 1, 3, 0, GRH + 99);
	p = datagram(&r, 100);
	assert_int_equal(inject(&r, &p), RN_V_UD_TOO_LONG);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(r.s[1].mem[i], 0xEE);
	rig_expect_none(&r, 1);
	expect_state(&r, 1, RN_QPS_RTS);
	p = datagram(&r, 99);
	assert_int_equal(inject(&r, &p), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.wr_id, 3);
	assert_int_equal(c.byte_len, GRH + 99);
	assert_int_equal(r.s[1].mem[GRH + 99], 0xEE);
	/* the receive has no room even for the GRH */
	rig_recv(&r, 1, 4, 0, GRH - 1);
	p = datagram(&r, 0);
	assert_int_equal(inject(&r, &p), RN_V_UD_TOO_LONG);
	rig_fini(&r);
}

static void test_without_a_receive(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r);
	p = datagram(&r, 100);
	assert_int_equal(inject(&r, &p), RN_V_UD_NO_RECEIVE);
	rig_expect_none(&r, 1);
	rig_expect_silence(&r, 1);
	expect_state(&r, 1, RN_QPS_RTS);
	rig_fini(&r);
}

/* A receive in inaccessible memory is the application's fault, so the QP enters the error state. A
 * bad packet of the peer has no such effect. */
static void test_receive_not_accessible(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_cqe c;
	struct rn_wqe w = {
		.kind = RN_WQE_RECV, .slots = 1, .num_sge = 1, .wr_id = 5, .length = 500};

	start(&r);
	w.sge[0] = (struct rn_sge){(uintptr_t)r.s[1].mem, 500, r.s[1].key ^ 1u << 31};
	rig_post(&r, 1, &w);
	rig_recv(&r, 1, 6, 0, 500);
	p = datagram(&r, 8);
	assert_int_equal(inject(&r, &p), RN_V_UD_LOCAL);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.wr_id, 5);
	assert_int_equal(c.status, RN_STATUS_LOC_PROT_ERR);
	assert_int_equal(c.byte_len, 0);
	assert_int_equal(c.src_qpn, 0);
	rig_expect(&r, 1, 6, RN_STATUS_WR_FLUSH_ERR);
	expect_state(&r, 1, RN_QPS_ERR);
	assert_int_equal(inject(&r, &p), RN_V_QP_STATE);
	rig_fini(&r);
}

/* Packets that a UD QP must refuse (docs/spec/rocev2.md 1.12), followed by a packet that the QP
 * accepts. */
static void wire_row_F20_U10_U15_refused(void **state)
{
	struct rig r;
	struct rn_pkt p;

	start(&r);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 8);
	p.opcode = RN_OP_SEND_ONLY; /* an RC opcode */
	assert_int_equal(inject(&r, &p), RN_V_QP_TRANSPORT);
	p.opcode = RN_T_UC | RN_OP_SEND_ONLY;
	assert_int_equal(inject(&r, &p), RN_V_QP_TRANSPORT);
	p.opcode = RN_T_UD | 0x1F; /* an opcode that UD does not have */
	assert_int_equal(inject(&r, &p), RN_V_QP_TRANSPORT);
	p = datagram(&r, 8);
	p.pkey = 0x1234;
	assert_int_equal(inject(&r, &p), RN_V_PKEY);
	p = datagram(&r, 8);
	p.dest_qpn = 0; /* row U15: QP0 */
	assert_int_equal(inject(&r, &p), RN_V_QP0);
	p = datagram(&r, 8);
	p.dst = v4_group; /* row U10: destination is a group address, but not the multicast QPN */
	assert_int_equal(inject(&r, &p), RN_V_IP_NOT_OURS);
	rn_group_mac(&v4_group, p.dmac);
	assert_int_equal(inject(&r, &p), RN_V_FRAME_MAC);
	p = datagram(&r, 8);
	p.src.b[12] = 99; /* any source and any PSN is accepted */
	p.psn = 0x800000;
	assert_int_equal(inject(&r, &p), RN_V_OK);
	rig_expect(&r, 1, 3, RN_STATUS_SUCCESS);
	rig_expect_silence(&r, 1);
	rig_fini(&r);
}

static void test_states_that_receive(void **state)
{
	struct rig r;
	struct rn_pkt p;

	rig_init(&r, &(struct rig_opt){.type = RN_QPT_UD, .unconnected = true});
	rig_connect(&r, &(struct rig_opt){0}, RN_QPS_INIT);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 8);
	assert_int_equal(inject(&r, &p), RN_V_QP_STATE);
	assert_int_equal(rig_modify(&r, 1, RN_QP_STATE, &(struct rn_qp_attr){.state = RN_QPS_RTR}),
			 0);
	assert_int_equal(inject(&r, &p), RN_V_OK);
	rig_expect(&r, 1, 3, RN_STATUS_SUCCESS);
	rig_fini(&r);
}

static void test_service_level(void **state)
{
	struct rig r;
	struct rn_pkt p;
	struct rn_cqe c;
	uint8_t frame[400];
	struct rn_pkt in;
	unsigned n;

	start(&r);
	rig_recv(&r, 1, 3, 0, 1000);
	p = datagram(&r, 8);
	p.has_vlan = true;
	p.vlan_tci = 5u << 13; /* VID 0: a priority tag */
	n = rn_frame_build(&p, frame, sizeof(frame));
	assert_int_equal(rn_frame_parse(frame, n, &in), RN_V_OK);
	assert_int_equal(rn_shard_rx(r.s[1].sh, &in, r.now), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.sl, 5);
	rig_fini(&r);
}

/* A receive of a shared receive queue is too short for a datagram. The receive stays for the next
 * datagram. */
static void test_shared_receive_queue(void **state)
{
	struct rn_srq *srq = aligned_alloc(64, RN_ALIGN_UP(sizeof(*srq), 64));
	struct rn_srq_ring *ring = calloc(1, rn_srq_ring_bytes(16, 4));
	_Alignas(64) struct rn_wqe w = {.kind = RN_WQE_RECV, .slots = 1, .wr_id = 77, .num_sge = 1};
	struct rig r;
	struct rn_pkt p;
	struct rn_cqe c;

	memset(srq, 0, sizeof(*srq));
	rn_srq_init(srq, ring, 16, 4, 1);
	rig_init(&r, &(struct rig_opt){.type = RN_QPT_UD, .srq = srq});
	p = datagram(&r, 8);
	assert_int_equal(inject(&r, &p), RN_V_UD_NO_RECEIVE);
	w.sge[0] = (struct rn_sge){(uintptr_t)r.s[1].mem, 100, r.s[1].key};
	assert_true(rn_srq_post(srq, &w));
	p = datagram(&r, 61);
	assert_int_equal(inject(&r, &p), RN_V_UD_TOO_LONG);
	rig_expect_none(&r, 1);
	p = datagram(&r, 60);
	assert_int_equal(inject(&r, &p), RN_V_OK);
	assert_true(rig_poll(&r, 1, &c));
	assert_int_equal(c.wr_id, 77);
	assert_int_equal(c.byte_len, 100);
	assert_int_equal(atomic_load(&srq->shared.taken), 1);
	rig_fini(&r);
	free(ring);
	free(srq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packet_of_a_request),
		cmocka_unit_test(test_qkeys_sent),
		cmocka_unit_test(test_lists_and_inline_data),
		cmocka_unit_test(wire_row_Q46_longer_than_a_packet),
		cmocka_unit_test(test_failing_requests),
		cmocka_unit_test(test_drained_and_resumed),
		cmocka_unit_test(wire_row_U5_U14_over_ipv4),
		cmocka_unit_test(wire_row_U6_over_ipv6),
		cmocka_unit_test(wire_row_U7_wrong_qkey),
		cmocka_unit_test(wire_row_U8_short_receive),
		cmocka_unit_test(test_without_a_receive),
		cmocka_unit_test(test_receive_not_accessible),
		cmocka_unit_test(wire_row_F20_U10_U15_refused),
		cmocka_unit_test(test_states_that_receive),
		cmocka_unit_test(test_service_level),
		cmocka_unit_test(test_shared_receive_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
