/* Class of service of a connection: the traffic class, priority and hop limit of its CM messages
 * and of the packets of both QPs. Also tests the source address of a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cm_net.h"
#include "net/neigh.h"

static void put_in_vlan(struct net *net)
{
	for (unsigned i = 0; i < 2; i++) {
		net->box[i].port.has_vlan = true;
		net->box[i].port.vlan_tci = 1 << 13 | 100;
	}
}

/* Connects host 0 to host 1 and ends the connection again. cmd holds the class of service that the
 * client of host 0 sets. */
static void connect(struct net *net, struct rn_cmd cmd)
{
	uint32_t listener = net_listen(net, 1, 0);
	struct rn_rsp rsp = net_exec(net, 0, cmd);

	assert_int_equal(rsp.err, 0);
	net_pump(net);
	assert_int_equal(net_count(net, 1, RN_EVENT_CM_ESTABLISHED), 1);
	net_destroy(net, 0, rsp.id);
	net_destroy(net, 1, net_event(net, 1, RN_EVENT_CM_REQUEST)->id);
	net_destroy(net, 1, listener);
	net_run(net, RN_S(60));
}

static void port_class_is_the_default(void **state)
{
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		const struct rn_event *req, *rep;
		struct net net;

		net_init(&net);
		put_in_vlan(&net);
		net.box[0].port.tclass = 26 << 2;
		net.box[0].port.hop_limit = 17;
		connect(&net, net_connect_cmd(0, ipv6, 0x11));
		req = net_event(&net, 1, RN_EVENT_CM_REQUEST);
		rep = net_event(&net, 0, RN_EVENT_CM_RESPONSE);
		assert_int_equal(net.box[0].last[RN_CM_REQ].req.tclass, 26 << 2);
		assert_int_equal(net.box[0].last[RN_CM_REQ].req.hop_limit, 17);
		assert_int_equal(rep->attr.av.tclass, 26 << 2);
		assert_int_equal(rep->attr.av.hop_limit, 17);
		assert_int_equal(rep->attr.av.vlan_tci, 1 << 13 | 100);
		/* the passive side uses the traffic class in the REQ */
		assert_int_equal(req->attr.av.tclass, 26 << 2);
		assert_int_equal(req->param.tclass, 26 << 2);
		assert_int_equal(req->attr.av.hop_limit, 64);
		assert_int_equal(req->attr.av.vlan_tci, 1 << 13 | 100);
		net_fini(&net);
	}
}

/* The class of service that the client sets overrides that of both DPDK ports, for the packets of
 * both QPs. */
static void client_class_applies_to_both_qps(void **state)
{
	struct rn_cmd cmd = net_connect_cmd(0, false, 0x11);
	const struct rn_event *req, *rep;
	struct net net;

	net_init(&net);
	put_in_vlan(&net);
	net.box[0].port.tclass = net.box[1].port.tclass = 26 << 2;
	cmd.cm.param.tclass = 46 << 2;
	cmd.cm.param.sl = 5;
	connect(&net, cmd);
	req = net_event(&net, 1, RN_EVENT_CM_REQUEST);
	rep = net_event(&net, 0, RN_EVENT_CM_RESPONSE);
	assert_int_equal(net.box[0].last[RN_CM_REQ].req.tclass, 46 << 2);
	assert_int_equal(net.box[0].last[RN_CM_REQ].req.sl, 5);
	assert_int_equal(req->attr.av.tclass, 46 << 2);
	assert_int_equal(rep->attr.av.tclass, 46 << 2);
	assert_int_equal(req->attr.av.vlan_tci, 5 << 13 | 100);
	assert_int_equal(rep->attr.av.vlan_tci, 5 << 13 | 100);
	net_fini(&net);
}

/* If the REQ has traffic class 0, the passive side uses the traffic class of its own port. */
static void class_zero_in_req_means_own_class(void **state)
{
	struct net net;

	net_init(&net);
	net.box[1].port.tclass = 10 << 2;
	connect(&net, net_connect_cmd(0, false, 0x11));
	assert_int_equal(net_event(&net, 1, RN_EVENT_CM_REQUEST)->attr.av.tclass, 10 << 2);
	assert_int_equal(net_event(&net, 0, RN_EVENT_CM_RESPONSE)->attr.av.tclass, 0);
	net_fini(&net);
}

/* Each CM answer has the DSCP of the message that it answers. The answer does not have the ECN bits
 * of that message, because these bits report congestion on the way of that message. */
static void drep_has_dscp_of_dreq(void **state)
{
	const struct rn_cm_msg dreq = {.attr = RN_CM_DREQ, .dreq = {.local_id = 5, .remote_id = 6}};
	struct net net;
	struct rn_pkt pkt;

	net_init(&net);
	net.tclass = 0xFF;
	assert_int_equal(net_inject(&net, 1, &dreq), RN_V_CM_UNMATCHED);
	assert_true(rn_cm_tx(net.box[1].cm, &pkt, net.now));
	assert_int_equal(pkt.tclass, 0xFC);
	net_fini(&net);
}

static void sidr_rep_has_dscp_of_sidr_req(void **state)
{
	struct rn_cm_msg m = {.attr = RN_CM_SIDR_REQ, .sidr_req.request_id = 7};
	struct rn_cma_hdr hdr = {
		.port = 9, .ipv4 = true, .src = net_gid(0, false), .dst = net_gid(1, false)};
	struct rn_cmd listen = {.op = RN_CMD_CM_LISTEN,
				.cm = {.port = NET_PORT, .port_space = RN_PS_UDP}};
	uint32_t listener;
	struct net net;

	net_init(&net);
	listener = net_exec(&net, 1, listen).id;
	rn_cma_hdr_build(&hdr, m.sidr_req.data);
	m.sidr_req.service_id = rn_cm_service_id(RN_PS_UDP, NET_PORT);
	net.tclass = 0xA7; /* ECN bits 11: congestion experienced */
	assert_int_equal(net_inject(&net, 1, &m), RN_V_OK);
	net_pump(&net);
	assert_int_equal(net.box[1].sent[RN_CM_SIDR_REP], 1);
	assert_int_equal(net.box[1].class[RN_CM_SIDR_REP], 0xA4);
	net_destroy(&net, 1, net_event(&net, 1, RN_EVENT_CM_REQUEST)->id);
	net_destroy(&net, 1, listener);
	net_fini(&net);
}

static struct rn_gid ten(uint8_t c, uint8_t d)
{
	return (struct rn_gid){{[10] = 0xff, 0xff, 10, 0, c, d}};
}

/* Adds an address to the port of a host. */
static void own(struct net *net, unsigned box, struct rn_gid addr, uint8_t prefix_len)
{
	struct rn_port_attr *port = &net->box[box].port;

	port->gids[port->ngids] = addr;
	port->prefix_len[port->ngids++] = prefix_len;
	rn_neigh_port(net->box[box].neigh, port, net->now);
}

/* A connect without a local address uses the port's address in the network of the peer. The port is
 * in three networks. Two of these networks (10.0.16.0/20, 10.0.32.0/20) share their first 16
 * bits. */
static void source_address_is_in_the_peers_network(void **state)
{
	struct net net;

	net_init(&net);
	own(&net, 0, ten(16, 1), 20);
	own(&net, 0, ten(32, 1), 20);
	own(&net, 1, ten(32, 9), 20);
	for (unsigned i = 0; i < 2; i++) {
		struct rn_cmd cmd = net_connect_cmd(0, false, 0x11 + i);

		memset(&cmd.cm.local, 0, sizeof(cmd.cm.local));
		cmd.cm.peer = i ? net_gid(1, false) : ten(32, 9);
		connect(&net, cmd);
		assert_memory_equal(&net_event(&net, 1, RN_EVENT_CM_REQUEST)->peer,
				    (struct rn_gid[]){i ? net_gid(0, false) : ten(32, 1)}, 16);
		net_forget(&net);
	}
	net_fini(&net);
}

/* A client connects to a link-local peer and names no local address. The CM uses the port's
 * link-local address, although a global address comes first in the port's address list. */
static void link_local_peer_gets_link_local_source(void **state)
{
	const struct rn_gid ends[2] = {{{0xfe, 0x80, [15] = 1}}, {{0xfe, 0x80, [15] = 2}}};
	struct rn_cmd cmd = net_connect_cmd(0, true, 0x11);
	struct net net;

	net_init(&net);
	own(&net, 0, ends[0], 64);
	own(&net, 1, ends[1], 64);
	memset(&cmd.cm.local, 0, sizeof(cmd.cm.local));
	cmd.cm.peer = ends[1];
	connect(&net, cmd);
	assert_memory_equal(&net_event(&net, 1, RN_EVENT_CM_REQUEST)->peer, &ends[0], 16);
	assert_memory_equal(&net_event(&net, 1, RN_EVENT_CM_REQUEST)->local, &ends[1], 16);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_class_is_the_default),
		cmocka_unit_test(client_class_applies_to_both_qps),
		cmocka_unit_test(drep_has_dscp_of_dreq),
		cmocka_unit_test(sidr_rep_has_dscp_of_sidr_req),
		cmocka_unit_test(source_address_is_in_the_peers_network),
		cmocka_unit_test(link_local_peer_gets_link_local_source),
		cmocka_unit_test(class_zero_in_req_means_own_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
