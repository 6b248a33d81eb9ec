/* Properties of every frame that a shard sends. Two shards exchange work requests of all kinds over
 * a lossy link. A filter checks every frame byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/hdr.h"
#include "wire/icrc.h"
#include "sim.h"
#include "base/types.h"

#define IP 14

struct sent_all {
	unsigned frames, opcodes;
	bool seen[256];
	uint16_t sport;
	bool ipv6, vlan;
};

static unsigned ipv4_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 20; i += 2)
		sum += rn_load16(ip + i);
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xFFFF);
	return sum;
}

/* Filter: checks each frame without the parser, because the parser might accept wrong frames of the
 * builder. */
static bool inspect(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct sent_all *s = arg;
	const uint8_t *f = pkt->frame, *ip = f + IP + (s->vlan ? 4 : 0), *udp;
	unsigned left = pkt->frame_len - (unsigned)(ip - f), udp_len;
	uint32_t crc;

	if (pkt->kind != RN_PKT_IB)
		return true;
	assert_int_equal(rn_load16(ip - 2), s->ipv6 ? 0x86DD : 0x0800);
	if (s->ipv6) {
		assert_int_equal(ip[0] >> 4, 6);
		assert_int_equal(ip[RN_IPV6_NEXT], RN_IPPROTO_UDP);
		assert_int_equal(rn_load16(ip + RN_IPV6_LENGTH), left - 40);
		udp = ip + 40;
	} else {
		assert_int_equal(ip[0], 0x45);
		assert_int_equal(rn_load16(ip + RN_IPV4_LENGTH), left);
		assert_int_equal(rn_load16(ip + RN_IPV4_FRAGMENT), 0x4000);
		assert_int_equal(ipv4_sum(ip), 0xFFFF);
		udp = ip + 20;
	}
	udp_len = left - (unsigned)(udp - ip);
	assert_int_equal(rn_load16(udp + RN_UDP_LENGTH), udp_len);
	assert_int_equal(udp_len % 4, 0);
	assert_int_equal(rn_load16(udp + RN_UDP_CHECKSUM), 0);
	assert_int_equal(rn_load16(udp + RN_UDP_DPORT), 4791);
	assert_true(rn_load16(udp + RN_UDP_SPORT) >= 0xC000);
	if (s->sport == 0)
		s->sport = rn_load16(udp + RN_UDP_SPORT);
	/* In both directions of a connection the UDP source port is the same. */
	assert_int_equal(rn_load16(udp + RN_UDP_SPORT), s->sport);
	memcpy(&crc, udp + udp_len - 4, 4);
	assert_int_equal(crc, rn_icrc_packet(ip, left - 4));
	s->frames++;
	s->opcodes += !s->seen[pkt->opcode];
	s->seen[pkt->opcode] = true;
	/* Every 11th frame is lost, so that retransmissions and NAKs are checked too. */
	return s->frames % 11 != 0;
}

/* Posts work requests of every kind and several lengths on both sides, and the receives for
 * them. */
static void post_everything(struct sim *sim)
{
	static const enum rn_wqe_kind kinds[] = {RN_WQE_SEND,	   RN_WQE_SEND_IMM, RN_WQE_WRITE,
						 RN_WQE_WRITE_IMM, RN_WQE_READ,	    RN_WQE_CMP_SWAP,
						 RN_WQE_FETCH_ADD};
	static const uint32_t lengths[] = {1, 300, 1024, 5000};

	for (unsigned node = 0; node < SIM_NODES; node++) {
		for (unsigned i = 0; i < 64; i++)
			sim_post(sim, node, 0,
				 &(struct sim_op){
					 .kind = RN_WQE_RECV, .local = 1 << 20, .length = 8192});
		for (unsigned k = 0; k < RN_ARRAY_SIZE(kinds); k++)
			for (unsigned l = 0; l < RN_ARRAY_SIZE(lengths); l++) {
				bool atomic =
					kinds[k] == RN_WQE_CMP_SWAP || kinds[k] == RN_WQE_FETCH_ADD;
				struct sim_op op = {.kind = kinds[k],
						    .flags = RN_WQE_SIGNALED,
						    .remote = 2 << 20,
						    .local = 3 << 20,
						    .length = atomic ? 8 : lengths[l]};

				sim_post(sim, node, 0, &op);
			}
	}
}

static void wire_row_F10_all_that_is_sent(void **state)
{
	for (unsigned way = 0; way < 4; way++) {
		struct sent_all s = {.ipv6 = way & 1, .vlan = way & 2};
		struct sim_spec spec;
		struct sim sim;
		struct rn_cqe c;
		unsigned good = 0;

		sim_spec_default(&spec);
		spec.ipv6 = s.ipv6;
		spec.vlan = s.vlan;
		sim_init(&sim, &spec);
		sim.filter = inspect;
		sim.filter_arg = &s;
		sim_connect(&sim, 0);
		post_everything(&sim);
		sim_run(&sim, sim.now + RN_S(10));
		for (unsigned node = 0; node < SIM_NODES; node++)
			while (sim_poll(&sim, node, &c))
				good += c.status == RN_STATUS_SUCCESS && !(c.flags & RN_CQE_RECV);
		assert_int_equal(good, 2 * 28);
		assert_true(s.frames > 200);
		/* all RC opcodes except the two of SEND with invalidate */
		assert_int_equal(s.opcodes, 21);
		sim_fini(&sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_F10_all_that_is_sent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
