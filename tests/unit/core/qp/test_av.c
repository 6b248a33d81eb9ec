/* Address vectors: which VLAN, priority, traffic class and hop limit the packets of a QP carry. */
#include <errno.h>

#include "wire/hdr.h"
#include "rig.h"

#define TAG(priority, vid) ((priority) << 13 | (vid))

/* clang-format off */
static const struct {
	const char *what;
	bool port_vlan; uint16_t port_tci; uint8_t port_class, port_hops;
	bool vlan; uint16_t tci; uint8_t sl, tclass, hops;
	uint16_t want_tci; uint8_t want_class, want_hops;
} rows[] = {
	{"nothing said",                false, 0,           0,    0,   false, 0,           0, 0,    0,   0,           0,    64},
	{"the port's class and hops",   false, 0,           0x68, 9,   false, 0,           0, 0,    0,   0,           0x68, 9},
	{"the vector's class and hops", false, 0,           0x68, 9,   false, 0,           0, 0x20, 255, 0,           0x20, 255},
	{"no VLAN, no priority",        false, 0,           0,    0,   false, 0,           5, 0,    1,   0,           0,    1},
	{"a priority tag is none",      false, 0,           0,    0,   true,  TAG(4, 0),   0, 0,    1,   0,           0,    1},
	{"the port's VLAN",             true,  TAG(2, 100), 0,    0,   false, 0,           0, 0,    0,   TAG(2, 100), 0,    64},
	{"the service level",           true,  TAG(2, 100), 0,    0,   false, 0,           5, 0,    0,   TAG(5, 100), 0,    64},
	{"its low three bits",          true,  TAG(2, 100), 0,    0,   false, 0,           9, 0,    0,   TAG(1, 100), 0,    64},
	{"the vector's own tag",        true,  TAG(2, 100), 0,    0,   true,  TAG(6, 100), 0, 0,    0,   TAG(6, 100), 0,    64},
	{"the service level above it",  true,  TAG(2, 100), 0,    0,   true,  TAG(6, 100), 7, 0,    0,   TAG(7, 100), 0,    64},
};
/* clang-format on */

/* Takes the port of side 0 and the address vector of its QP from each row of the table above.
 * Checks the headers of the QP's next packet. */
static void headers_follow_vector_and_port(void **state)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		struct rn_qp_attr a = {0};
		struct rn_port_attr *port;
		struct rn_pkt pkt;
		struct rig r;

		rig_init(&r, &(struct rig_opt){.only_rtr = true});
		port = &r.s[0].port;
		port->has_vlan = rows[i].port_vlan;
		port->vlan_tci = rows[i].port_tci;
		port->tclass = rows[i].port_class;
		port->hop_limit = rows[i].port_hops;
		rn_shard_port(r.s[0].sh, port, r.now);
		a = r.s[0].qp->attr;
		a.state = RN_QPS_RTS;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTS, &a), 0);
		a.state = RN_QPS_RESET;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
		a.av.has_vlan = rows[i].vlan;
		a.av.vlan_tci = rows[i].tci;
		a.av.sl = rows[i].sl;
		a.av.tclass = rows[i].tclass;
		a.av.hop_limit = rows[i].hops;
		a.state = RN_QPS_INIT;
		assert_int_equal(
			rig_modify(&r, 0,
				   RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS, &a),
			0);
		a.state = RN_QPS_RTR;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTR, &a), 0);
		a.state = RN_QPS_RTS;
		assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTS, &a), 0);
		rig_request(&r, 0, RN_WQE_WRITE, RN_WQE_SIGNALED, 1, 0, 5, 0);
		assert_true(rig_take(&r, 0, &pkt));
		if (pkt.has_vlan != rows[i].port_vlan || pkt.vlan_tci != rows[i].want_tci ||
		    pkt.tclass != ((rows[i].want_class & 0xFC) | RN_ECT_0) ||
		    pkt.hop_limit != rows[i].want_hops)
			fail_msg("%s: tag %#x class %#x hops %u", rows[i].what, pkt.vlan_tci,
				 pkt.tclass, pkt.hop_limit);
		/* the QP's own address vector keeps the traffic class that was given */
		assert_int_equal(r.s[0].qp->attr.av.tclass, rows[i].tclass);
		rig_fini(&r);
	}
}

static void another_vlan_is_refused(void **state)
{
	struct rn_qp_attr a = {0};
	struct rig r;

	rig_init(&r, &(struct rig_opt){.unconnected = true});
	rig_connect(&r, &(struct rig_opt){0}, RN_QPS_RTR);
	a = r.s[0].qp->attr;
	a.state = RN_QPS_RESET;
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE, &a), 0);
	a.state = RN_QPS_INIT;
	assert_int_equal(
		rig_modify(&r, 0, RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS, &a),
		0);
	a.state = RN_QPS_RTR;
	a.av.has_vlan = true;
	a.av.vlan_tci = TAG(0, 7);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTR, &a), -EINVAL);
	r.s[0].port.has_vlan = true;
	r.s[0].port.vlan_tci = TAG(0, 8);
	rn_shard_port(r.s[0].sh, &r.s[0].port, r.now);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTR, &a), -EINVAL);
	a.av.vlan_tci = TAG(3, 8);
	assert_int_equal(rig_modify(&r, 0, RN_QP_STATE | RN_QPM_RTR, &a), 0);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_follow_vector_and_port),
		cmocka_unit_test(another_vlan_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
