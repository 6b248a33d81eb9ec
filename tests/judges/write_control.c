/* Writes a capture of all frames other than RC, UC and UD traffic, for the programs that check
 * captures (judge.py).
 *
 * usage: write_control FILE.pcap
 *
 * Two simulated NICs find each other by ARP and neighbour discovery. They connect, delay a REP,
 * refuse a connection, resolve datagram services, disconnect, answer pings, and send CNPs. All this
 * is done over IPv4, IPv6 and VLAN. */
#include <stdio.h>
#include <string.h>

#include "wire/arp_msg.h"
#include "craft.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "record.h"
#include "base/types.h"

#define PORT 4000u

static struct sim sim;
static bool good = true;

/* Reports a failed expectation and goes on, since the capture is still useful. The exit status of
 * the program is then 1. */
static void expect(bool held, const char *what)
{
	if (!held)
		fprintf(stderr, "write_control: %s\n", what);
	good &= held;
}

/* Lets the simulation run for `time` nanoseconds. */
static void pass(rn_time time)
{
	sim_run(&sim, sim.now + time);
}

static uint32_t command(unsigned node, unsigned op, uint32_t id, struct rn_cmd cmd)
{
	struct rn_rsp rsp;

	cmd.op = (uint16_t)op;
	cmd.cm.id = id;
	sim_exec(&sim, node, &cmd, &rsp);
	expect(rsp.err == 0, "a command was refused");
	return rsp.id;
}

static uint32_t listen_at(uint16_t space)
{
	return command(1, RN_CMD_CM_LISTEN, 0,
		       (struct rn_cmd){.cm = {.port = PORT, .port_space = space}});
}

/* Starts a connection of node 0 to the listener of node 1; returns node 0's CM id. */
static uint32_t dial(uint16_t space)
{
	struct rn_cmd cmd = {.cm = {.peer = sim.node[1].port.gids[sim.spec.ipv6],
				    .peer_port = PORT,
				    .port_space = space}};

	cmd.cm.param = (struct rn_cm_param){.qpn = space == RN_PS_TCP ? 0x123 : 0,
					    .psn = 0x456,
					    .responder_resources = 4,
					    .initiator_depth = 3,
					    .retry_cnt = 7,
					    .rnr_retry = 6,
					    .tclass = 26 << 2,
					    .sl = 3,
					    .data_len = 5,
					    .data = "hello"};
	return command(0, RN_CMD_CM_CONNECT, 0, cmd);
}

/* Returns the CM id of the connection request that has arrived at node 1. */
static uint32_t request(void)
{
	struct rn_event ev = {0};

	expect(sim_event(&sim, 1, RN_EVENT_CM_REQUEST, &ev), "no request arrived");
	return ev.id;
}

static void accept_it(uint32_t id)
{
	struct rn_cmd cmd = {.cm.param = {.qpn = 0x789,
					  .psn = 0xABC,
					  .responder_resources = 2,
					  .initiator_depth = 2,
					  .rnr_retry = 7,
					  .data_len = 3,
					  .data = "yes"}};

	command(1, RN_CMD_CM_ACCEPT, id, cmd);
}

static void end(unsigned node, uint32_t id)
{
	command(node, RN_CMD_CM_DESTROY, id, (struct rn_cmd){0});
}

/* Makes and ends a connection. The passive side answers only after 15 s. So the REQ is repeated,
 * and an MRA is sent. */
static void connect_and_disconnect(void)
{
	uint32_t listener = listen_at(RN_PS_TCP), active = dial(RN_PS_TCP), passive;
	struct rn_event ev;

	pass(RN_S(15));
	passive = request();
	accept_it(passive);
	pass(RN_MS(100));
	expect(sim_event(&sim, 0, RN_EVENT_CM_RESPONSE, &ev), "no response arrived");
	command(0, RN_CMD_CM_ESTABLISH, active, (struct rn_cmd){0});
	pass(RN_MS(100));
	expect(sim_event(&sim, 1, RN_EVENT_CM_ESTABLISHED, &ev), "not established");
	command(0, RN_CMD_CM_DISCONNECT, active, (struct rn_cmd){0});
	pass(RN_S(60));
	end(0, active);
	end(1, passive);
	end(1, listener);
}

static void refuse(void)
{
	uint32_t listener = listen_at(RN_PS_TCP), active = dial(RN_PS_TCP), passive;

	pass(RN_MS(100));
	passive = request();
	command(1, RN_CMD_CM_REJECT, passive,
		(struct rn_cmd){.cm.param = {.data_len = 2, .data = "no"}});
	pass(RN_S(60));
	end(0, active);
	end(1, passive);
	end(1, listener);
}

static void resolve_datagram_service(void)
{
	uint32_t listener = listen_at(RN_PS_UDP), active = dial(RN_PS_UDP), passive;

	pass(RN_MS(100));
	passive = request();
	accept_it(passive);
	pass(RN_S(60));
	end(0, active);
	end(1, passive);
	end(1, listener);
}

/* ---- ping ---- */

static unsigned put_ip(uint8_t *ip, const struct rn_gid *src, const struct rn_gid *dst,
		       unsigned body)
{
	bool ipv4 = rn_gid_is_ipv4(src);

	memset(ip, 0, 40);
	if (!ipv4) {
		ip[0] = 0x60;
		rn_store16(ip + RN_IPV6_LENGTH, (uint16_t)body);
		ip[RN_IPV6_NEXT] = RN_IPPROTO_ICMPV6;
		ip[RN_IPV6_HOPS] = 64;
		memcpy(ip + RN_IPV6_SRC, src->b, 16);
		memcpy(ip + RN_IPV6_DST, dst->b, 16);
		return 40;
	}
	ip[0] = 0x45;
	rn_store16(ip + RN_IPV4_LENGTH, (uint16_t)(20 + body));
	ip[RN_IPV4_TTL] = 64;
	ip[RN_IPV4_PROTOCOL] = RN_IPPROTO_ICMP;
	memcpy(ip + RN_IPV4_SRC, src->b + 12, 4);
	memcpy(ip + RN_IPV4_DST, dst->b + 12, 4);
	rn_store16(ip + RN_IPV4_CHECKSUM, rn_ip_checksum(0, ip, 20));
	return 20;
}

static void ping(uint32_t len)
{
	static uint8_t data[4096], frame[4300];
	const struct rn_gid *src = &sim.node[0].port.gids[sim.spec.ipv6],
			    *dst = &sim.node[1].port.gids[sim.spec.ipv6];
	const struct rn_icmp_echo echo = {.id = 1, .seq = 2, .data = data, .data_len = len};
	bool ipv4 = !sim.spec.ipv6;
	unsigned at = 12;

	memcpy(frame, sim.node[1].port.mac, 6);
	memcpy(frame + 6, sim.node[0].port.mac, 6);
	if (sim.spec.vlan) {
		rn_store16(frame + at, RN_ETHERTYPE_VLAN);
		rn_store16(frame + at + 2, 100);
		at += 4;
	}
	rn_store16(frame + at, ipv4 ? RN_ETHERTYPE_IPV4 : RN_ETHERTYPE_IPV6);
	at += 2;
	at += put_ip(frame + at, src, dst, RN_ICMP_ECHO_HDR + len);
	at += (unsigned)rn_icmp_echo_build(ipv4, src, dst, &echo, frame + at, sizeof(frame) - at);
	expect(sim_inject(&sim, 1, frame, at) == RN_V_OK, "a ping was not taken");
	pass(RN_MS(1));
}

/* ---- congestion notification ---- */

/* Delivers a WRITE with an ECN congestion mark to node 1, which then sends a CNP. */
static void mark(void)
{
	struct rn_pkt pkt;

	sim_connect(&sim, 0);
	pkt = craft_packet(&sim, 1, 0, RN_OP_WRITE_ONLY, 0);
	pkt.va = (uint64_t)(uintptr_t)sim.node[1].arena;
	pkt.rkey = sim.node[1].rkey;
	pkt.ack_req = true;
	pkt.tclass = 3;
	expect(craft_inject(&sim, 1, &pkt) == RN_V_OK, "a marked WRITE was not taken");
	pass(RN_MS(1));
}

int main(int argc, char **argv)
{
	FILE *out = argc == 2 ? record_open(argv[1]) : NULL;
	struct sim_spec spec;

	if (!out) {
		fprintf(stderr, "usage: write_control FILE.pcap\n");
		return 2;
	}
	for (unsigned way = 0; way < 4; way++) {
		sim_spec_default(&spec);
		spec.ipv6 = way & 1;
		spec.vlan = way & 2;
		sim_init(&sim, &spec);
		sim.pcap = out;
		connect_and_disconnect();
		refuse();
		resolve_datagram_service();
		ping(0);
		ping(33);
		ping(4096);
		mark();
		pass(RN_S(60));
		expect(sim_fini(&sim) == 0, "something is left over");
	}
	return fclose(out) || !good;
}
