/* UD: address handles, datagrams and multicast groups as verbs programs use them. Each test runs
 * between two adapters, and between two QPs of one adapter. */
#include "side.h"

#include <errno.h>
#include <string.h>

#define QKEY	 0x11111111u
#define OWN_QKEY 0x80000000u
#define GRH	 40u
#define IPV4	 0 /* indexes of GIDs */
#define IPV6	 1

static unsigned other; /* the device of the second end: 0 or 1 */

static int to_init(struct side *s, int mask)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY};

	return ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | mask);
}

static int to_state(struct side *s, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = {.qp_state = state, .sq_psn = 7};

	return ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | mask);
}

static void to_rts(struct side *s)
{
	assert_int_equal(to_init(s, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
	assert_int_equal(to_state(s, IBV_QPS_RTR, 0), 0);
	assert_int_equal(to_state(s, IBV_QPS_RTS, IBV_QP_SQ_PSN), 0);
}

static void start(struct side *a, struct side *b, uint32_t depth)
{
	side_open(a, 0);
	side_open(b, other);
	side_make_qp(a, IBV_QPT_UD, depth);
	side_make_qp(b, IBV_QPT_UD, depth);
	to_rts(a);
	to_rts(b);
}

static union ibv_gid gid_of(const struct side *s, int index)
{
	union ibv_gid gid;

	assert_int_equal(ibv_query_gid(s->context, 1, index, &gid), 0);
	return gid;
}

static struct ibv_ah_attr route(union ibv_gid gid, uint8_t index)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = index}};
}

static struct ibv_ah *handle(const struct side *from, union ibv_gid gid, uint8_t index)
{
	struct ibv_ah_attr attr = route(gid, index);
	struct ibv_ah *ah = ibv_create_ah(from->pd, &attr);

	assert_non_null(ah);
	assert_ptr_equal(ah->pd, from->pd);
	assert_ptr_equal(ah->context, from->context);
	return ah;
}

/* A signalled SEND of the first `len` bytes of a's buffer to b. */
static struct ibv_send_wr datagram(const struct side *a, const struct side *b, struct ibv_ah *ah,
				   struct ibv_sge *sge, uint32_t len)
{
	*sge = (struct ibv_sge){(uintptr_t)a->buf, len, a->mr->lkey};
	return (struct ibv_send_wr){.wr_id = 1,
				    .sg_list = sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED,
				    .wr.ud = {ah, b->qp->qp_num, QKEY}};
}

static int post(struct side *s, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int rc = ibv_post_send(s->qp, wr, &bad);

	assert_ptr_equal(bad, rc == 0 ? NULL : wr);
	return rc;
}

static void send(struct side *s, struct ibv_send_wr *wr)
{
	struct ibv_wc wc;

	assert_int_equal(post(s, wr), 0);
	wc = side_wait(s);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_SEND);
	assert_int_equal(wc.wr_id, wr->wr_id);
}

static struct ibv_wc received(struct side *s, uint64_t wr_id, uint32_t len)
{
	struct ibv_wc wc = side_wait(s);

	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.byte_len, GRH + len);
	assert_true(wc.wc_flags & IBV_WC_GRH);
	return wc;
}

static void datagrams_arrive_behind_an_ipv4_header(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_wc wc;

	start(&a, &b, 8);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	strcpy((char *)a.buf, "a datagram");
	side_recv(&b, 5, 0, 4096);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 11);
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.imm_data = 0x01020304;
	send(&a, &wr);
	wc = received(&b, 5, 11);
	assert_int_equal(wc.qp_num, b.qp->qp_num);
	assert_int_equal(wc.src_qp, a.qp->qp_num);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(wc.imm_data, 0x01020304);
	assert_int_equal(wc.sl, 2); /* IPv4, in the way of Mellanox */
	assert_int_equal(wc.slid, 0);
	assert_int_equal(wc.dlid_path_bits, 0);
	assert_int_equal(b.buf[20], 0x45);
	assert_memory_equal(b.buf + 32, a.gid.raw + 12, 4);
	assert_memory_equal(b.buf + 36, b.gid.raw + 12, 4);
	assert_string_equal((char *)b.buf + GRH, "a datagram");
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

static void datagrams_arrive_behind_an_ipv6_header(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	union ibv_gid from, to;

	start(&a, &b, 8);
	from = gid_of(&a, IPV6);
	to = gid_of(&b, IPV6);
	struct ibv_ah_attr attr = route(to, IPV6);
	attr.grh.flow_label = 0x12345;
	attr.grh.traffic_class = 0x20;
	attr.grh.hop_limit = 9;
	struct ibv_ah *ah = ibv_create_ah(a.pd, &attr);
	assert_non_null(ah);
	side_recv(&b, 5, 0, 4096);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 100);
	send(&a, &wr);
	assert_int_equal(received(&b, 5, 100).sl, 1); /* IPv6 */
	struct ibv_grh grh;
	memcpy(&grh, b.buf, sizeof(grh));
	assert_int_equal(be32toh(grh.version_tclass_flow), 0x62012345);
	assert_int_equal(grh.hop_limit, 9);
	assert_memory_equal(&grh.sgid, &from, sizeof(from));
	assert_memory_equal(&grh.dgid, &to, sizeof(to));
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

/* As soon as ibv_post_send() has returned, a program may reuse the inline data and destroy the
 * address handle. The list is longer than the batches in which the library posts. */
static void a_list_goes_to_several_destinations(void **state)
{
	struct side a, b;
	struct ibv_send_wr wr[20];
	unsigned from_a = 0;
	uint32_t number[20];
	struct ibv_sge sge[20];

	start(&a, &b, 32);
	struct ibv_ah *to_b = handle(&a, gid_of(&b, IPV4), IPV4);
	struct ibv_ah *to_self = handle(&a, gid_of(&a, IPV6), IPV6);
	for (unsigned i = 0; i < 20; i++) {
		side_recv(i % 2 ? &a : &b, i, i * 64, 64);
		number[i] = i;
		wr[i] = i % 2 ? datagram(&a, &a, to_self, &sge[i], 4)
			      : datagram(&a, &b, to_b, &sge[i], 4);
		sge[i].addr = (uintptr_t)&number[i];
		wr[i].send_flags = IBV_SEND_INLINE;
		wr[i].next = i < 19 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(post(&a, wr), 0);
	memset(number, 0xff, sizeof(number));
	assert_int_equal(ibv_destroy_ah(to_b) | ibv_destroy_ah(to_self), 0);
	for (unsigned i = 0; i < 20; i++) {
		struct side *s = i % 2 ? &a : &b;

		from_a += received(s, i, 4).src_qp == a.qp->qp_num;
		assert_int_equal(s->buf[i * 64 + GRH], i);
	}
	assert_int_equal(from_a, 20);
	side_close(&a);
	side_close(&b);
}

/* Answers each datagram by the route that its header names. */
static void answers_find_the_way_back(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	start(&a, &b, 8);
	for (int index = IPV4; index <= IPV6; index++) {
		struct ibv_ah *ah = handle(&a, gid_of(&b, index), (uint8_t)index);
		struct ibv_ah_attr attr;
		union ibv_gid from = gid_of(&a, index);

		side_recv(&a, 1, 512, 256);
		side_recv(&b, 2, 512, 256);
		wr = datagram(&a, &b, ah, &sge, 8);
		send(&a, &wr);
		wc = received(&b, 2, 8);
		void *grh = b.buf + 512;
		assert_int_equal(ibv_init_ah_from_wc(b.context, 2, &wc, grh, &attr), -1);
		assert_int_equal(ibv_init_ah_from_wc(b.context, 1, &wc, grh, &attr), 0);
		assert_int_equal(attr.is_global, 1);
		assert_int_equal(attr.port_num, 1);
		assert_int_equal(attr.sl, 0);
		assert_int_equal(attr.grh.sgid_index, index);
		assert_memory_equal(&attr.grh.dgid, &from, sizeof(from));
		struct ibv_ah *back = ibv_create_ah_from_wc(b.pd, &wc, grh, 1);
		assert_non_null(back);
		wr = datagram(&b, &a, back, &sge, 9);
		wr.wr.ud.remote_qpn = wc.src_qp;
		send(&b, &wr);
		assert_int_equal(received(&a, 1, 9).src_qp, b.qp->qp_num);
		assert_int_equal(ibv_destroy_ah(ah) | ibv_destroy_ah(back), 0);
	}
	side_close(&a);
	side_close(&b);
}

/* A datagram with another Q_Key than the receiver's vanishes without a trace. A program may send
 * the Q_Key of its own QP by setting the top bit. */
static void q_keys_decide_who_may_send(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_qp_attr attr = {.qkey = 0x77}, got;
	struct ibv_qp_init_attr init;

	start(&a, &b, 8);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 1);
	side_recv(&b, 1, 0, 128);
	side_recv(&b, 2, 0, 128);
	wr.wr.ud.remote_qkey = QKEY ^ 1;
	send(&a, &wr);
	wr.wr.ud.remote_qkey = OWN_QKEY;
	sge.length = 2;
	send(&a, &wr);
	received(&b, 1, 2);
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_QKEY), 0);
	assert_int_equal(ibv_query_qp(a.qp, &got, IBV_QP_QKEY, &init), 0);
	assert_int_equal(got.qkey, 0x77);
	assert_int_equal(got.qp_state, IBV_QPS_RTS);
	assert_int_equal(init.qp_type, IBV_QPT_UD);
	sge.length = 3;
	send(&a, &wr); /* the own Q_Key has changed */
	wr.wr.ud.remote_qkey = QKEY;
	sge.length = 4;
	send(&a, &wr);
	received(&b, 2, 4);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

static void expect_no_handle(const struct side *s, struct ibv_ah_attr attr, int number)
{
	errno = 0;
	assert_null(ibv_create_ah(s->pd, &attr));
	assert_int_equal(errno, number);
}

static void handles_need_a_reachable_address(void **state)
{
	struct side a;
	struct ibv_ah_attr good, bad;
	struct ibv_port_attr port;

	side_open(&a, 0);
	good = route(gid_of(&a, IPV4), IPV4);
	assert_int_equal(ibv_query_port(a.context, 1, &port), 0);
	bad = good;
	bad.is_global = 0;
	expect_no_handle(&a, bad, EINVAL);
	bad = good;
	bad.port_num = 0;
	expect_no_handle(&a, bad, EINVAL);
	bad.port_num = 2;
	expect_no_handle(&a, bad, EINVAL);
	bad = good;
	bad.grh.sgid_index = (uint8_t)port.gid_tbl_len;
	expect_no_handle(&a, bad, EINVAL);
	bad.grh.sgid_index = IPV6; /* another family than that of the destination */
	expect_no_handle(&a, bad, EINVAL);
	bad = good;
	bad.grh.dgid.raw[15] = 200; /* nobody has this address */
	expect_no_handle(&a, bad, EHOSTUNREACH);
	struct ibv_ah *ah = ibv_create_ah(a.pd, &good);
	assert_non_null(ah);
	assert_int_equal(ibv_dereg_mr(a.mr), 0); /* the handle alone keeps the PD busy */
	assert_int_equal(ibv_dealloc_pd(a.pd), EBUSY);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	a.mr = ibv_reg_mr(a.pd, a.buf, SIDE_BYTES, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(a.mr);
	side_close(&a);
}

static int refuse(const struct side *s, int flags, const uint8_t *grh)
{
	struct ibv_ah_attr attr;
	struct ibv_wc wc = {.wc_flags = flags};
	struct ibv_grh copy;

	memcpy(&copy, grh, sizeof(copy));
	assert_null(ibv_create_ah_from_wc(s->pd, &wc, &copy, 1));
	assert_int_equal(errno, EINVAL);
	return ibv_init_ah_from_wc(s->context, 1, &wc, &copy, &attr);
}

static void a_bad_header_gives_no_route(void **state)
{
	struct side a;
	uint8_t grh[GRH] = {0};

	side_open(&a, 0);
	assert_int_equal(refuse(&a, 0, grh), 0); /* no header is no error, but makes no handle */
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	grh[20] = 0x46; /* IPv4 with options */
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	grh[20] = 0x45; /* IPv4, but not to this adapter */
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	memset(grh, 0xff, sizeof(grh));
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	grh[0] = 0x60; /* IPv6 from a group */
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	grh[8] = grh[24] = 0x20; /* IPv6, but not to this adapter */
	assert_int_equal(refuse(&a, IBV_WC_GRH, grh), -1);
	side_close(&a);
}

static void posts_are_refused_with_the_right_errno(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	start(&a, &b, 2);
	struct ibv_pd *pd = ibv_alloc_pd(a.context);
	assert_non_null(pd);
	struct ibv_ah_attr attr = route(gid_of(&b, IPV4), IPV4);
	struct ibv_ah *foreign = ibv_create_ah(pd, &attr);
	assert_non_null(foreign);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	wr = datagram(&a, &b, NULL, &sge, 64);
	assert_int_equal(post(&a, &wr), EINVAL);
	wr.wr.ud.ah = foreign;
	assert_int_equal(post(&a, &wr), EINVAL);
	wr.wr.ud.ah = ah;
	wr.opcode = IBV_WR_RDMA_WRITE;
	assert_int_equal(post(&a, &wr), EINVAL);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	assert_int_equal(post(&a, &wr), EINVAL);
	wr.opcode = (enum ibv_wr_opcode)99;
	assert_int_equal(post(&a, &wr), EOPNOTSUPP);
	wr.opcode = IBV_WR_SEND;
	wr.num_sge = 5;
	assert_int_equal(post(&a, &wr), EINVAL);
	wr.num_sge = 1;
	send(&a, &wr); /* the QP still works */
	assert_int_equal(ibv_destroy_ah(foreign) | ibv_destroy_ah(ah) | ibv_dealloc_pd(pd), 0);
	side_close(&a);
	side_close(&b);
}

/* What the NIC finds stops the send queue alone (SQE); the program may go on from there. */
static void a_bad_destination_stops_the_send_queue(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_qp_attr got;
	struct ibv_qp_init_attr init;

	start(&a, &b, 4);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 64);
	wr.wr.ud.remote_qpn = 1u << 24;
	assert_int_equal(post(&a, &wr), 0);
	assert_int_equal(side_wait(&a).status, IBV_WC_LOC_QP_OP_ERR);
	assert_int_equal(ibv_query_qp(a.qp, &got, IBV_QP_STATE, &init), 0);
	assert_int_equal(got.qp_state, IBV_QPS_SQE);
	assert_int_equal(post(&a, &wr), 0);
	assert_int_equal(side_wait(&a).status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(to_state(&a, IBV_QPS_RTS, 0), 0);
	side_recv(&b, 1, 0, 128);
	wr.wr.ud.remote_qpn = b.qp->qp_num;
	send(&a, &wr);
	received(&b, 1, 64);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

/* A datagram that is longer than a packet completes, but is not sent (IBTA C10-93.1.1). One that
 * finds no room is dropped, and the receive stays. */
static void datagrams_are_one_packet(void **state)
{
	struct side a, b;
	struct ibv_sge sge;

	start(&a, &b, 4);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 4097);
	side_recv(&b, 1, 0, GRH + 4096);
	send(&a, &wr);
	sge.length = 4096;
	send(&a, &wr);
	received(&b, 1, 4096);
	side_recv(&b, 2, 0, GRH + 10);
	sge.length = 11;
	send(&a, &wr);
	sge.length = 10;
	send(&a, &wr);
	received(&b, 2, 10);
	side_recv(&b, 3, 0, GRH);
	wr.num_sge = 0;
	send(&a, &wr);
	received(&b, 3, 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

static void transitions_need_the_q_key(void **state)
{
	struct side s;
	const int all = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_UD, 8);
	assert_int_equal(to_init(&s, all & ~IBV_QP_QKEY), EINVAL);
	assert_int_equal(to_init(&s, all | IBV_QP_ACCESS_FLAGS), EINVAL);
	assert_int_equal(to_init(&s, all), 0);
	assert_int_equal(to_state(&s, IBV_QPS_RTR, IBV_QP_DEST_QPN), EINVAL);
	assert_int_equal(to_state(&s, IBV_QPS_RTS, IBV_QP_SQ_PSN), EINVAL);
	assert_int_equal(to_state(&s, IBV_QPS_RTR, 0), 0);
	assert_int_equal(to_state(&s, IBV_QPS_RTS, 0), EINVAL);
	assert_int_equal(to_state(&s, IBV_QPS_RTS, IBV_QP_SQ_PSN), 0);
	assert_int_equal(s.qp->state, IBV_QPS_RTS);
	side_close(&s);
}

static void members_get_what_is_sent_to_their_group(void **state)
{
	static const union ibv_gid groups[2] = {
		{.raw = {[10] = 0xff, 0xff, 239, 1, 2, 3}},
		{.raw = {0xff, 0x0e, [15] = 9}},
	};
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_wc wc;

	start(&a, &b, 8);
	for (int i = IPV4; i <= IPV6; i++) {
		const union ibv_gid *group = &groups[i];
		struct ibv_ah *ah = handle(&a, *group, (uint8_t)i);
		struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 20);

		wr.wr.ud.remote_qpn = 0xffffff;
		assert_int_equal(ibv_attach_mcast(a.qp, group, 0), 0);
		assert_int_equal(ibv_attach_mcast(b.qp, group, 0), 0);
		assert_int_equal(ibv_attach_mcast(b.qp, group, 0xc001), 0); /* again: no effect */
		side_recv(&a, 1, 1024, 256);
		side_recv(&b, 1, 1024, 256);
		assert_int_equal(post(&a, &wr), 0);
		received(&b, 1, 20);
		for (unsigned n = 0; n < 2;
		     n++) { /* its own copy, and the completion of the send */
			wc = side_wait(&a);
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_true(wc.opcode == IBV_WC_SEND || wc.byte_len == GRH + 20);
		}
		struct ibv_wc got = {.wc_flags = IBV_WC_GRH};
		struct ibv_ah *back = ibv_create_ah_from_wc(b.pd, &got, (void *)(b.buf + 1024), 1);
		assert_non_null(back);
		assert_int_equal(ibv_destroy_qp(b.qp), EBUSY);
		assert_int_equal(ibv_detach_mcast(a.qp, group, 0), 0);
		assert_int_equal(ibv_detach_mcast(b.qp, group, 0), 0);
		assert_int_equal(ibv_detach_mcast(b.qp, group, 0), EINVAL);
		assert_int_equal(ibv_destroy_ah(ah) | ibv_destroy_ah(back), 0);
	}
	side_close(&a);
	side_close(&b);
}

static void groups_are_checked(void **state)
{
	union ibv_gid group = {.raw = {[10] = 0xff, 0xff, 239, 1, 2, 3}};
	struct ibv_device_attr device;
	struct side s;

	side_open(&s, 0);
	assert_int_equal(ibv_query_device(s.context, &device), 0);
	assert_in_range(device.max_mcast_grp, 1, 250);
	assert_true(device.max_ah > 0);
	side_make_qp(&s, IBV_QPT_RC, 4);
	assert_int_equal(ibv_attach_mcast(s.qp, &group, 0), EINVAL);
	assert_int_equal(ibv_destroy_qp(s.qp), 0);
	side_make_qp(&s, IBV_QPT_UD, 4);
	assert_int_equal(ibv_attach_mcast(s.qp, &s.gid, 0), EINVAL); /* not a group */
	assert_int_equal(ibv_detach_mcast(s.qp, &group, 0), EINVAL);
	for (int i = 0; i < device.max_mcast_grp; i++) {
		group.raw[15] = (uint8_t)i;
		assert_int_equal(ibv_attach_mcast(s.qp, &group, 0), 0);
	}
	group.raw[15] = 0;
	assert_int_equal(ibv_attach_mcast(s.qp, &group, 0), 0); /* again: needs no room */
	group.raw[15] = 255;
	assert_int_equal(ibv_attach_mcast(s.qp, &group, 0), ENOMEM);
	for (int i = 0; i < device.max_mcast_grp; i++) {
		group.raw[15] = (uint8_t)i;
		assert_int_equal(ibv_detach_mcast(s.qp, &group, 0), 0);
	}
	side_close(&s);
}

static void extended_cqs_report_the_sender(void **state)
{
	struct side a, b;
	struct ibv_sge sge;
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_cq_init_attr_ex init = {
		.cqe = 16, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_DLID_PATH_BITS};
	int rc;

	side_open(&a, 0);
	side_open(&b, other);
	struct ibv_cq_ex *ex = ibv_create_cq_ex(b.context, &init);
	assert_non_null(ex);
	assert_int_equal(ibv_destroy_cq(b.cq), 0);
	b.cq = ibv_cq_ex_to_cq(ex);
	side_make_qp(&a, IBV_QPT_UD, 8);
	side_make_qp(&b, IBV_QPT_UD, 8);
	to_rts(&a);
	to_rts(&b);
	struct ibv_ah *ah = handle(&a, gid_of(&b, IPV4), IPV4);
	struct ibv_send_wr wr = datagram(&a, &b, ah, &sge, 30);
	side_recv(&b, 9, 0, 128);
	send(&a, &wr);
	do
		rc = ibv_start_poll(ex, &attr);
	while (rc == ENOENT);
	assert_int_equal(rc, 0);
	assert_int_equal(ex->status, IBV_WC_SUCCESS);
	assert_int_equal(ex->wr_id, 9);
	assert_int_equal(ibv_wc_read_opcode(ex), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(ex), GRH + 30);
	assert_int_equal(ibv_wc_read_wc_flags(ex), IBV_WC_GRH);
	assert_int_equal(ibv_wc_read_src_qp(ex), a.qp->qp_num);
	assert_int_equal(ibv_wc_read_sl(ex), 2);
	assert_int_equal(ibv_wc_read_slid(ex), 0);
	assert_int_equal(ibv_wc_read_dlid_path_bits(ex), 0);
	ibv_end_poll(ex);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	side_close(&a);
	side_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datagrams_arrive_behind_an_ipv4_header),
		cmocka_unit_test(datagrams_arrive_behind_an_ipv6_header),
		cmocka_unit_test(a_list_goes_to_several_destinations),
		cmocka_unit_test(answers_find_the_way_back),
		cmocka_unit_test(q_keys_decide_who_may_send),
		cmocka_unit_test(handles_need_a_reachable_address),
		cmocka_unit_test(a_bad_header_gives_no_route),
		cmocka_unit_test(posts_are_refused_with_the_right_errno),
		cmocka_unit_test(a_bad_destination_stops_the_send_queue),
		cmocka_unit_test(datagrams_are_one_packet),
		cmocka_unit_test(transitions_need_the_q_key),
		cmocka_unit_test(members_get_what_is_sent_to_their_group),
		cmocka_unit_test(groups_are_checked),
		cmocka_unit_test(extended_cqs_report_the_sender),
	};
	int failed = 0;

	for (other = 0; other < 2; other++)
		failed += cmocka_run_group_tests_name(other ? "two adapters" : "one adapter", tests,
						      NULL, NULL);
	return failed != 0;
}
