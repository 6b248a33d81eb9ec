/* Objects: what is created, refused, reported and destroyed, and with which errno. */
#include "side.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void devices_are_listed(void **state)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);

	assert_non_null(list);
	assert_int_equal(n, 2);
	assert_string_equal(ibv_get_device_name(list[0]), "softrnic0");
	assert_string_equal(list[1]->dev_name, "uverbs1");
	assert_int_not_equal(ibv_get_device_guid(list[0]), ibv_get_device_guid(list[1]));
	assert_int_equal(list[0]->node_type, IBV_NODE_CA);
	assert_int_equal(list[0]->transport_type, IBV_TRANSPORT_IB);
	assert_int_equal(ibv_get_device_index(list[1]), 2);
	assert_null(list[2]);
	ibv_free_device_list(list);
}

static void ports_and_gids_are_reported(void **state)
{
	struct side s;
	struct ibv_port_attr port;
	struct ibv_device_attr_ex ex;
	struct ibv_gid_entry entry[16];
	union ibv_gid gid;
	__be16 pkey;

	side_open(&s, 0);
	assert_int_equal(ibv_query_port(s.context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	assert_int_equal(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(port.flags, IBV_QPF_GRH_REQUIRED);
	assert_int_equal(ibv_query_port(s.context, 2, &port), EINVAL);
	assert_int_equal(ibv_query_device_ex(s.context, NULL, &ex), 0);
	assert_int_equal(ex.phys_port_cnt_ex, 1);
	assert_true(ex.orig_attr.max_qp_wr >= 16384);
	assert_true(ex.device_cap_flags_ex & IBV_DEVICE_MEM_WINDOW_TYPE_2B);
	assert_int_equal((unsigned)ex.device_cap_flags_ex, ex.orig_attr.device_cap_flags);
	assert_int_equal(ibv_query_gid_table(s.context, entry, 16, 0), port.gid_tbl_len);
	assert_int_equal(ibv_query_gid_table(s.context, entry, 0, 0), -EINVAL);
	assert_int_equal(entry[0].gid_type, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(entry[0].gid.raw[10], 0xff); /* IPv4 comes first */
	assert_int_equal(ibv_query_gid(s.context, 1, port.gid_tbl_len, &gid), -1);
	assert_int_equal(ibv_query_gid_ex(s.context, 1, 0, entry, 1), EINVAL);
	assert_int_equal(ibv_query_pkey(s.context, 1, 0, &pkey), 0);
	assert_int_equal(pkey, 0xffff);
	assert_int_equal(ibv_query_pkey(s.context, 1, 1, &pkey), -1);
	assert_int_equal(ibv_get_pkey_index(s.context, 1, pkey), 0);
	side_close(&s);
}

static void a_pd_in_use_is_busy(void **state)
{
	struct side s;

	side_open(&s, 0);
	assert_int_equal(ibv_dealloc_pd(s.pd), EBUSY);
	side_close(&s);
}

static void access_flags_are_checked(void **state)
{
	static const unsigned bad[] = {IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_ATOMIC, 1 << 15};
	struct side s;
	struct ibv_mr *mr;

	side_open(&s, 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_null(ibv_reg_mr(s.pd, s.buf, 64, bad[i]));
		assert_int_equal(errno, EINVAL);
	}
	assert_null(ibv_reg_mr(s.pd, s.buf, 64, IBV_ACCESS_ON_DEMAND));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(ibv_reg_mr(s.pd, (void *)4096, 64, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EFAULT);
	mr = ibv_reg_mr(s.pd, s.buf, 64, IBV_ACCESS_RELAXED_ORDERING | 1u << 29);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	side_close(&s);
}

static void cqs_and_channels_in_use_are_busy(void **state)
{
	struct ibv_device_attr attr;
	struct side s;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 4);
	assert_int_equal(ibv_destroy_cq(s.cq), EBUSY);
	assert_int_equal(ibv_destroy_comp_channel(s.channel), EBUSY);
	assert_int_equal(ibv_query_device(s.context, &attr), 0);
	assert_null(ibv_create_cq(s.context, 0, NULL, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_create_cq(s.context, attr.max_cqe + 1, NULL, NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_create_cq(s.context, 8, NULL, NULL, s.context->num_comp_vectors));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_resize_cq(s.cq, 1024), 0);
	assert_int_equal(s.cq->cqe, 1024);
	assert_int_equal(ibv_resize_cq(s.cq, 0), EINVAL);
	side_close(&s);
}

static void capacities_of_qps_are_checked(void **state)
{
	struct ibv_device_attr attr;
	struct side s;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC}, asked;

	side_open(&s, 0);
	assert_int_equal(ibv_query_device(s.context, &attr), 0);
	init.send_cq = init.recv_cq = s.cq;
	init.cap = (struct ibv_qp_cap){4, 4, 1, 1, 0};
	for (unsigned i = 0; i < 5; i++) {
		uint32_t *cap = (uint32_t *)&asked.cap;

		asked = init;
		cap[i] = i < 2	 ? (uint32_t)attr.max_qp_wr + 1
			 : i < 4 ? (uint32_t)attr.max_sge + 1
				 : 1u << 20;
		assert_null(ibv_create_qp(s.pd, &asked));
		assert_int_equal(errno, EINVAL);
	}
	asked = init;
	asked.qp_type = IBV_QPT_RAW_PACKET;
	assert_null(ibv_create_qp(s.pd, &asked));
	assert_int_equal(errno, EOPNOTSUPP);
	side_close(&s);
}

static void objects_of_two_adapters_do_not_mix(void **state)
{
	struct side one, two;

	side_open(&one, 0);
	side_open(&two, 1);
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC,
					.send_cq = one.cq,
					.recv_cq = two.cq,
					.cap = {4, 4, 1, 1, 0}};
	assert_null(ibv_create_qp(one.pd, &init));
	assert_int_equal(errno, EINVAL);
	init.send_cq = two.cq;
	init.recv_cq = one.cq;
	assert_null(ibv_create_qp(one.pd, &init));
	assert_int_equal(errno, EINVAL);
	side_close(&one);
	side_close(&two);
}

/* The functions that post write the place of the error only after an error. */
static void a_list_that_was_posted_can_be_used_again(void **state)
{
	struct side s;
	struct ibv_recv_wr wr = {.wr_id = 1}, *list = &wr, *bad = NULL;
	struct ibv_send_wr send = {.opcode = IBV_WR_SEND}, *sends = &send;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 2);
	assert_int_equal(ibv_post_recv(s.qp, list, &bad), EINVAL); /* RESET */
	assert_ptr_equal(bad, &wr);
	assert_int_equal(side_to_init(&s), 0);
	assert_int_equal(ibv_post_recv(s.qp, list, &list), 0);
	assert_ptr_equal(list, &wr);
	assert_int_equal(ibv_post_recv(s.qp, list, NULL), 0);
	assert_int_equal(ibv_post_recv(s.qp, list, NULL), ENOMEM);
	assert_int_equal(ibv_post_send(s.qp, sends, NULL), EINVAL); /* INIT */
	assert_int_equal(side_to_rtr(&s, &s), 0);
	assert_int_equal(side_to_rts(&s), 0);
	assert_int_equal(ibv_post_send(s.qp, sends, &sends), 0);
	assert_ptr_equal(sends, &send);
	side_close(&s);
}

/* Programs reuse the flags of their memory regions for the QP. */
static void flags_for_regions_do_no_harm_in_a_qp(void **state)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_ZERO_BASED | IBV_ACCESS_HUGETLB};
	struct side s;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 2);
	assert_int_equal(
		ibv_modify_qp(s.qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		0);
	side_close(&s);
}

/* ibv_query_qp() returns what was set; each missing or foreign attribute is refused. */
static void transitions_need_their_attributes(void **state)
{
	struct side s;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1}, got;
	struct ibv_qp_init_attr init;
	const int all = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 8);
	assert_int_equal(ibv_modify_qp(s.qp, &attr, all & ~IBV_QP_PORT), EINVAL);
	assert_int_equal(ibv_modify_qp(s.qp, &attr, all | IBV_QP_QKEY), EINVAL);
	attr.port_num = 2;
	assert_int_equal(ibv_modify_qp(s.qp, &attr, all), EINVAL);
	attr.qp_state = IBV_QPS_ERR;
	assert_int_equal(ibv_modify_qp(s.qp, &attr, IBV_QP_STATE), EINVAL);
	assert_int_equal(s.qp->state, IBV_QPS_RESET);
	assert_int_equal(side_to_init(&s), 0);
	assert_int_equal(s.qp->state, IBV_QPS_INIT);
	assert_int_equal(side_to_rts(&s), EINVAL);
	assert_int_equal(side_to_rtr(&s, &s), 0);
	assert_int_equal(side_to_rts(&s), 0);
	assert_int_equal(ibv_query_qp(s.qp, &got, 0, &init), 0);
	assert_int_equal(got.qp_state, IBV_QPS_RTS);
	assert_int_equal(got.path_mtu, IBV_MTU_1024);
	assert_int_equal(got.dest_qp_num, s.qp->qp_num);
	assert_int_equal(got.rq_psn, s.qp->qp_num ^ 0x5a5a);
	assert_int_equal(got.timeout, 18);
	assert_int_equal(got.max_rd_atomic, 4);
	assert_int_equal(got.min_rnr_timer, 12);
	assert_int_equal(got.qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
						      IBV_ACCESS_REMOTE_ATOMIC);
	assert_memory_equal(&got.ah_attr.grh.dgid, &s.gid, sizeof(s.gid));
	assert_int_equal(got.cap.max_send_wr, 8);
	assert_int_equal(init.cap.max_inline_data, 64);
	attr = (struct ibv_qp_attr){.min_rnr_timer = 5};
	assert_int_equal(ibv_modify_qp(s.qp, &attr, IBV_QP_MIN_RNR_TIMER), 0);
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RESET};
	assert_int_equal(ibv_modify_qp(s.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_query_qp(s.qp, &got, 0, &init), 0);
	assert_int_equal(got.qp_state, IBV_QPS_RESET);
	assert_int_equal(got.dest_qp_num, 0);
	side_close(&s);
}

static void addresses_are_checked(void **state)
{
	struct side s, other;
	union ibv_gid own;

	side_open(&s, 0);
	side_make_qp(&s, IBV_QPT_RC, 8);
	assert_int_equal(side_to_init(&s), 0);
	other = s;
	own = s.gid;
	other.gid.raw[15] = 200; /* nobody has this address */
	assert_int_equal(side_to_rtr(&s, &other), EHOSTUNREACH);
	memset(&other.gid, 0, sizeof(other.gid)); /* another family than that of GID 0 */
	other.gid.raw[0] = 0x20;
	assert_int_equal(side_to_rtr(&s, &other), EINVAL);
	other.gid = own;
	assert_int_equal(side_to_rtr(&s, &other), 0);
	side_close(&s);
}

static void absent_features_give_eopnotsupp(void **state)
{
	struct side s;
	struct ibv_qp_init_attr_ex init = {.comp_mask = IBV_QP_INIT_ATTR_PD |
							IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					   .qp_type = IBV_QPT_RC,
					   .send_ops_flags = IBV_QP_EX_WITH_TSO};

	side_open(&s, 0);
	init.pd = s.pd;
	init.send_cq = init.recv_cq = s.cq;
	errno = 0;
	assert_null(ibv_create_qp_ex(s.context, &init));
	assert_int_equal(errno, EOPNOTSUPP);
	struct ibv_cq_init_attr_ex cq = {.cqe = 4,
					 .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					 .flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN};
	errno = 0;
	assert_null(ibv_create_cq_ex(s.context, &cq));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(ibv_alloc_td(s.context, &(struct ibv_td_init_attr){0}));
	assert_int_equal(errno, EOPNOTSUPP);
	side_close(&s);
}

static void the_descriptor_of_async_events_can_be_polled(void **state)
{
	struct ibv_async_event event;
	struct side s;

	side_open(&s, 0);
	struct pollfd p = {.fd = s.context->async_fd, .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(fcntl(p.fd, F_SETFL, fcntl(p.fd, F_GETFL) | O_NONBLOCK), 0);
	assert_int_equal(ibv_get_async_event(s.context, &event), -1);
	assert_int_equal(errno, EAGAIN);
	side_close(&s);
}

static void contexts_are_independent(void **state)
{
	struct side one, two;

	side_open(&one, 0);
	side_open(&two, 0);
	assert_ptr_not_equal(one.context, two.context);
	assert_int_not_equal(one.mr->lkey, two.mr->lkey);
	side_close(&one);
	side_make_qp(&two, IBV_QPT_RC, 2);
	side_close(&two);
}

static void a_forked_child_gets_errors(void **state)
{
	struct ibv_wc wc;
	struct side s;
	int status;

	side_open(&s, 0);
	assert_int_equal(ibv_fork_init(), 0);
	pid_t child = fork();
	assert_int_not_equal(child, -1);
	if (child == 0)
		_exit(ibv_poll_cq(s.cq, 1, &wc) < 0 && ibv_alloc_pd(s.context) == NULL &&
				      ibv_req_notify_cq(s.cq, 0) == EIO &&
				      ibv_open_device(s.context->device) == NULL
			      ? 0
			      : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(ibv_poll_cq(s.cq, 1, &wc), 0);
	side_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_are_listed),
		cmocka_unit_test(ports_and_gids_are_reported),
		cmocka_unit_test(a_pd_in_use_is_busy),
		cmocka_unit_test(access_flags_are_checked),
		cmocka_unit_test(cqs_and_channels_in_use_are_busy),
		cmocka_unit_test(capacities_of_qps_are_checked),
		cmocka_unit_test(objects_of_two_adapters_do_not_mix),
		cmocka_unit_test(a_list_that_was_posted_can_be_used_again),
		cmocka_unit_test(flags_for_regions_do_no_harm_in_a_qp),
		cmocka_unit_test(transitions_need_their_attributes),
		cmocka_unit_test(addresses_are_checked),
		cmocka_unit_test(absent_features_give_eopnotsupp),
		cmocka_unit_test(the_descriptor_of_async_events_can_be_polled),
		cmocka_unit_test(contexts_are_independent),
		cmocka_unit_test(a_forked_child_gets_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
