/* Frames that a NIC must accept or drop: the F rows of docs/spec/rocev2.md (F10 is in test_sent).
 * Each test gives a QP in RTS a valid WRITE with one change. After an accepted frame, the data are
 * in memory and an ACK follows. After a dropped frame, one counter grows and no reply follows. At
 * the end of every test the unchanged WRITE with the same PSN is accepted, so a dropped frame has
 * changed no state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "craft.h"
#include "wire/hdr.h"
#include "wire/icrc.h"
#include "shard/shard.h"

#define DUT   1u
#define V     (2u << 20) /* target of the WRITE: offset in the node's arena */
#define HELLO "HELLO"	 /* data of the WRITE: 5 bytes, so 3 pad bytes follow */

/* Offsets in the frame of the valid WRITE, on an untagged IPv4 port. */
enum { IP = 14, UDP = 34, BTH = 42, DATA = 70, PAD = 75 };
/* What repair() corrects after a change of the frame, so that the frame has no other error. SUM:
 * the IPv4 header checksum. CRC: the ICRC. SUM | CRC: checksum and ICRC. AS_IS: nothing. */
enum repair { AS_IS = 0, SUM = 1, CRC = 2 };

struct bench {
	struct sim sim;
	int32_t psn;   /* PSN of the peer's next request, counted from the peer's first PSN */
	unsigned sent; /* frames sent by the node under test since the last check */
	/* the last frame that the node under test sent; its payload is no longer valid */
	struct rn_pkt reply;
	uint8_t frame[SIM_FRAME_MAX];
	unsigned len;
};

static bool note(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct bench *b = arg;

	/* CNPs, which ECN marks cause, are not counted here. The scripts in congestion.rows check
	 * CNPs. */
	if (from == DUT && pkt->kind == RN_PKT_IB && pkt->opcode != RN_OPCODE_CNP) {
		b->sent++;
		b->reply = *pkt;
	}
	return false;
}

static uint8_t *target(struct bench *b)
{
	return b->sim.node[DUT].arena + V;
}

static struct rn_qp *qp_of(const struct bench *b)
{
	return rn_shard_qp(b->sim.node[DUT].shard, b->sim.node[DUT].qp[0].qpn);
}

/* Returns the valid WRITE that the peer would send next. */
static struct rn_pkt good_packet(struct bench *b)
{
	struct rn_pkt p = craft_packet(&b->sim, DUT, 0, RN_OP_WRITE_ONLY, b->psn);

	p.ack_req = true;
	p.va = (uint64_t)(uintptr_t)target(b);
	p.rkey = b->sim.node[DUT].rkey;
	p.payload = (const uint8_t *)HELLO;
	p.payload_len = p.dma_len = 5;
	return p;
}

static void build(struct bench *b, const struct rn_pkt *p)
{
	b->len = rn_frame_build(p, b->frame, sizeof(b->frame));
	assert_true(b->len > 0);
}

static void build_good(struct bench *b)
{
	struct rn_pkt p = good_packet(b);

	build(b, &p);
}

static void start_type(struct bench *b, uint8_t type, bool ipv6, bool vlan)
{
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.ipv6 = ipv6;
	spec.vlan = vlan;
	spec.type = type;
	spec.path_mtu = 5;
	memset(b, 0, sizeof(*b));
	sim_init(&b->sim, &spec);
	b->sim.filter = note;
	b->sim.filter_arg = b;
	sim_connect(&b->sim, 0);
	sim_send(&b->sim, DUT, UINT32_MAX); /* discards the node's first ARP and ND messages */
	build_good(b);
}

static void start_as(struct bench *b, bool ipv6, bool vlan)
{
	start_type(b, RN_QPT_RC, ipv6, vlan);
}

static void start(struct bench *b)
{
	start_as(b, false, false);
}

/* Injects the frame. Expects that the frame is accepted: the data are in memory and the frame's PSN
 * is acknowledged. */
static void accepted(struct bench *b)
{
	memset(target(b), 0, 16);
	b->sent = 0;
	assert_int_equal(sim_inject(&b->sim, DUT, b->frame, b->len), RN_V_OK);
	assert_memory_equal(target(b), HELLO "\0\0\0", 8);
	sim_send(&b->sim, DUT, UINT32_MAX);
	assert_int_equal(b->sent, 1);
	assert_int_equal(b->reply.opcode, RN_OP_ACK);
	assert_int_equal(b->reply.syndrome, 0x1F);
	assert_int_equal(b->reply.psn, b->sim.spec.first_psn + (uint32_t)b->psn);
	b->psn++;
	build_good(b);
}

/* Injects the frame. Expects that the frame is dropped: one counter grows and nothing else changes.
 * Afterwards b->frame holds the valid WRITE again. */
static void refused(struct bench *b, enum rn_verdict v)
{
	const struct rn_stats *stats = rn_shard_stats(b->sim.node[DUT].shard);
	uint64_t before = stats->verdict[v];
	uint32_t psn = qp_of(b)->rx.epsn;

	memset(target(b), 0, 16);
	b->sent = 0;
	assert_string_equal(rn_verdicts[sim_inject(&b->sim, DUT, b->frame, b->len)].name,
			    rn_verdicts[v].name);
	assert_int_equal(stats->verdict[v], before + 1);
	assert_int_equal(sim_send(&b->sim, DUT, UINT32_MAX), 0);
	assert_int_equal(b->sent, 0);
	assert_int_equal(qp_of(b)->rx.epsn, psn);
	assert_int_equal(target(b)[0], 0);
	build_good(b);
}

static void finish(struct bench *b)
{
	build_good(b);
	accepted(b);
	assert_int_equal(sim_fini(&b->sim), 0);
}

/* Corrects the IPv4 header checksum (SUM in `what`) and the ICRC (CRC in `what`). The ICRC is the
 * last four bytes of the frame. */
static void repair(struct bench *b, enum repair what)
{
	uint8_t *ip = b->frame + IP, *end = b->frame + b->len - 4;
	uint32_t sum = 0, crc;

	if (what & SUM) {
		rn_store16(ip + RN_IPV4_CHECKSUM, 0);
		for (unsigned i = 0; i < (ip[0] & 15u) * 4; i += 2)
			sum += rn_load16(ip + i);
		while (sum >> 16)
			sum = (sum >> 16) + (sum & 0xFFFF);
		rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t)~sum);
	}
	if (what & CRC) {
		crc = rn_icrc_packet(ip, (size_t)(end - ip));
		memcpy(end, &crc, 4);
	}
}

static void change(struct bench *b, unsigned at, uint8_t value, enum repair what)
{
	assert_int_not_equal(b->frame[at], value);
	b->frame[at] = value;
	repair(b, what);
}

static void change16(struct bench *b, unsigned at, uint16_t value, enum repair what)
{
	rn_store16(b->frame + at, value);
	repair(b, what);
}

/* Both functions change one byte of the frame. byte_refused() then expects that the node drops the
 * frame. byte_accepted() expects that the node accepts the frame. */
static void byte_refused(struct bench *b, unsigned at, uint8_t value, enum repair what,
			 enum rn_verdict v)
{
	change(b, at, value, what);
	refused(b, v);
}

static void byte_accepted(struct bench *b, unsigned at, uint8_t value, enum repair what)
{
	change(b, at, value, what);
	accepted(b);
}

/* ---- rows F (frames) of docs/spec/rocev2.md ---- */

static void wire_row_F2_flipped_payload_bit(void **state)
{
	struct bench b;

	start(&b);
	for (unsigned at = DATA; at < PAD; at++)
		for (unsigned bit = 0; bit < 8; bit++)
			byte_refused(&b, at, b.frame[at] ^ (uint8_t)(1u << bit), AS_IS, RN_V_ICRC);
	finish(&b);
}

static void wire_row_F3_flipped_pad_bit(void **state)
{
	struct bench b;

	start(&b);
	for (unsigned at = PAD; at < PAD + 3; at++)
		for (unsigned bit = 0; bit < 8; bit++)
			byte_refused(&b, at, (uint8_t)(1u << bit), AS_IS, RN_V_ICRC);
	finish(&b);
}

static void wire_row_F4_what_routers_may_change(void **state)
{
	struct bench b;

	start(&b);
	byte_accepted(&b, IP + RN_IPV4_TTL, 7, SUM);
	byte_accepted(&b, IP + RN_IPV4_TOS, 0xB8, SUM); /* 0xB8: DSCP 46 */
	byte_accepted(&b, IP + RN_IPV4_TOS, 0x03, SUM); /* 0x03: ECN congestion experienced */
	byte_accepted(&b, BTH + RN_BTH_ECN, RN_BTH_FECN, AS_IS);
	byte_accepted(&b, BTH + RN_BTH_ECN, RN_BTH_BECN, AS_IS);
	byte_accepted(&b, BTH + RN_BTH_ECN, RN_BTH_FECN | RN_BTH_BECN, AS_IS);
	finish(&b);
	start_as(&b, true, false);
	byte_accepted(&b, IP, 0x6B, AS_IS);	/* upper half of the traffic class */
	byte_accepted(&b, IP + 1, 0x3F, AS_IS); /* lower half (ECN) and flow label */
	byte_accepted(&b, IP + 3, 0x55, AS_IS);
	byte_accepted(&b, IP + RN_IPV6_HOPS, 1, AS_IS);
	finish(&b);
}

static void wire_row_F5_what_routers_may_not_change(void **state)
{
	struct bench b;

	start(&b);
	byte_refused(&b, IP + RN_IPV4_ID, 1, SUM, RN_V_ICRC);
	byte_refused(&b, IP + RN_IPV4_FRAGMENT, 0, SUM, RN_V_ICRC); /* clears DF */
	byte_refused(&b, UDP + RN_UDP_SPORT, 0xC2, AS_IS, RN_V_ICRC);
	byte_refused(&b, BTH + RN_BTH_FLAGS, 0x30, AS_IS, RN_V_ICRC); /* clears the M bit */
	byte_refused(&b, BTH + RN_BTH_ACKREQ_BYTE, 0xFF, AS_IS, RN_V_ICRC);
	finish(&b);
}

static void wire_row_F6_pad_bytes_not_zero(void **state)
{
	struct bench b;

	start(&b);
	b.frame[PAD] = b.frame[PAD + 1] = b.frame[PAD + 2] = 0x55;
	repair(&b, CRC);
	accepted(&b); /* also checks that memory got no pad byte */
	finish(&b);
}

static void wire_row_F7_icrc_byte_swapped(void **state)
{
	struct bench b;
	uint8_t *end, swapped[4];

	start(&b);
	end = b.frame + b.len - 4;
	for (unsigned i = 0; i < 4; i++)
		swapped[i] = end[3 - i];
	assert_memory_not_equal(swapped, end, 4);
	memcpy(end, swapped, 4);
	refused(&b, RN_V_ICRC);
	finish(&b);
}

static void wire_row_F8_no_udp_checksum(void **state)
{
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		start_as(&b, ipv6, false);
		assert_int_equal(rn_load16(b.frame + IP + (ipv6 ? 40 : 20) + RN_UDP_CHECKSUM), 0);
		accepted(&b);
		finish(&b);
	}
}

/* Computes the UDP checksum word by word, over pseudo header and datagram. The parser's udp_sum()
 * computes the checksum in another way. */
static uint16_t udp_checksum(const uint8_t *ip, bool ipv6)
{
	const uint8_t *udp = ip + (ipv6 ? 40 : 20), *addr = ip + (ipv6 ? RN_IPV6_SRC : RN_IPV4_SRC);
	unsigned len = rn_load16(udp + RN_UDP_LENGTH);
	uint32_t sum = RN_IPPROTO_UDP + len;

	for (unsigned i = 0; i < (ipv6 ? 32u : 8u); i += 2)
		sum += rn_load16(addr + i);
	/* len is even, because the length of the transport part is a multiple of four bytes. */
	for (unsigned i = 0; i < len; i += 2)
		sum += rn_load16(udp + i);
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xFFFF);
	return (uint16_t)~sum;
}

static void wire_row_F9_udp_checksum(void **state)
{
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		unsigned at = IP + (ipv6 ? 40 : 20) + RN_UDP_CHECKSUM;

		start_as(&b, ipv6, false);
		rn_store16(b.frame + at, udp_checksum(b.frame + IP, ipv6));
		assert_int_not_equal(rn_load16(b.frame + at), 0);
		accepted(&b);
		rn_store16(b.frame + at, (uint16_t)(udp_checksum(b.frame + IP, ipv6) + 1));
		refused(&b, RN_V_UDP_CHECKSUM);
		finish(&b);
	}
}

static void wire_row_F11_any_source_port(void **state)
{
	static const uint16_t port[] = {0, 0x8CD1, 1024, 65535};
	struct bench b;

	start(&b);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(port); i++) {
		change16(&b, UDP + RN_UDP_SPORT, port[i], CRC);
		accepted(&b);
	}
	finish(&b);
}

static void wire_row_F12_other_udp_port(void **state)
{
	struct bench b;

	start(&b);
	change16(&b, UDP + RN_UDP_DPORT, 4790, CRC);
	refused(&b, RN_V_UDP_PORT);
	change16(&b, UDP + RN_UDP_DPORT, 0, CRC);
	refused(&b, RN_V_UDP_PORT);
	finish(&b);
}

static void wire_row_F13_ipv4_options(void **state)
{
	struct bench b;

	start(&b);
	memmove(b.frame + UDP + 4, b.frame + UDP, b.len - UDP);
	memset(b.frame + UDP, 1, 4); /* four IP options "no operation" */
	b.len += 4;
	b.frame[IP] = 0x46;
	change16(&b, IP + RN_IPV4_LENGTH, (uint16_t)(b.len - IP), SUM);
	refused(&b, RN_V_IP_OPTIONS);
	finish(&b);
}

static void wire_row_F14_fragments(void **state)
{
	struct bench b;

	start(&b);
	change16(&b, IP + RN_IPV4_FRAGMENT, 0x2000, SUM | CRC);
	refused(&b, RN_V_IP_FRAGMENT);
	change16(&b, IP + RN_IPV4_FRAGMENT, 0x0001, SUM | CRC);
	refused(&b, RN_V_IP_FRAGMENT);
	change16(&b, IP + RN_IPV4_FRAGMENT, 0x1FFF, SUM | CRC);
	refused(&b, RN_V_IP_FRAGMENT);
	finish(&b);
	start_as(&b, true, false);
	byte_refused(&b, IP + RN_IPV6_NEXT, 44, CRC, RN_V_IP_FRAGMENT);
	finish(&b);
}

static void wire_row_F15_ethernet_padding(void **state)
{
	struct sim_op recv = {.kind = RN_WQE_RECV, .wr_id = 9, .local = 1 << 20, .length = 64};
	struct bench b;
	struct rn_pkt p;
	struct rn_cqe c;

	start(&b);
	for (unsigned padding = 2; padding < 40; padding++) {
		sim_post(&b.sim, DUT, 0, &recv);
		p = craft_packet(&b.sim, DUT, 0, RN_OP_SEND_ONLY, b.psn++);
		p.ack_req = true;
		build(&b, &p);
		assert_int_equal(b.len, 58);
		memset(b.frame + b.len, (int)padding, padding);
		b.sent = 0;
		assert_int_equal(sim_inject(&b.sim, DUT, b.frame, b.len + padding), RN_V_OK);
		sim_send(&b.sim, DUT, UINT32_MAX);
		assert_int_equal(b.sent, 1);
		assert_int_equal(b.reply.opcode, RN_OP_ACK);
		assert_true(sim_poll(&b.sim, DUT, &c));
		assert_true(c.status == RN_STATUS_SUCCESS && c.wr_id == 9 && c.byte_len == 0);
	}
	finish(&b);
}

/* Tests every opcode with every UDP length that is too short for the opcode's headers, the pad
 * bytes and the ICRC. */
static void wire_row_F16_udp_too_short(void **state)
{
	static const uint8_t zeros[64];
	struct bench b;
	struct rn_pkt p;

	start(&b);
	p = good_packet(&b);
	p.payload = zeros;
	p.payload_len = sizeof(zeros); /* enough bytes for each udp_len below */
	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned pad = 0; pad < 4; pad++) {
			unsigned need = 8u + rn_opcode_row((uint8_t)opcode)->hdr_bytes + pad + 4;

			for (unsigned udp_len = 0; udp_len < need; udp_len++) {
				build(&b, &p);
				b.frame[BTH] = (uint8_t)opcode;
				b.frame[BTH + RN_BTH_FLAGS] =
					(uint8_t)(RN_BTH_MIG | pad << RN_BTH_PAD_SHIFT);
				rn_store16(b.frame + UDP + RN_UDP_LENGTH, (uint16_t)udp_len);
				if (udp_len >= 24) {
					uint32_t crc = rn_icrc_packet(b.frame + IP,
								      UDP - IP + udp_len - 4);

					memcpy(b.frame + UDP + udp_len - 4, &crc, 4);
				}
				refused(&b, udp_len < 24 ? RN_V_UDP_LENGTH
					    : (opcode & 0xE0) == RN_T_RD || opcode >= RN_T_OTHER
						    ? RN_V_BTH_OPCODE
						    : RN_V_BTH_LENGTH);
			}
		}
	finish(&b);
}

static void wire_row_F17_udp_longer_than_ip(void **state)
{
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		start_as(&b, ipv6, false);
		unsigned at = IP + (ipv6 ? 40 : 20) + RN_UDP_LENGTH, len = rn_load16(b.frame + at);

		change16(&b, at, (uint16_t)(len + 1), AS_IS);
		refused(&b, RN_V_UDP_LENGTH);
		change16(&b, at, (uint16_t)(len + 4), AS_IS);
		refused(&b, RN_V_UDP_LENGTH);
		/* A UDP length that is 64 too large is wrong even if the frame has 64 bytes
		 * more. */
		memset(b.frame + b.len, 0, 64);
		b.len += 64;
		change16(&b, at, (uint16_t)(len + 64), CRC);
		refused(&b, RN_V_UDP_LENGTH);
		change16(&b, at, 0xFFFF, AS_IS);
		refused(&b, RN_V_UDP_LENGTH);
		finish(&b);
	}
}

static void wire_row_F18_transport_version(void **state)
{
	struct bench b;

	start(&b);
	for (uint8_t version = 1; version < 16; version++)
		byte_refused(&b, BTH + RN_BTH_FLAGS, RN_BTH_MIG | 0x30 | version, CRC,
			     RN_V_BTH_VERSION);
	finish(&b);
}

static void wire_row_F19_no_such_queue_pair(void **state)
{
	struct bench b;

	start(&b);
	byte_refused(&b, BTH + RN_BTH_QPN, b.frame[BTH + RN_BTH_QPN] ^ 0x40, CRC, RN_V_QP_UNKNOWN);
	byte_refused(&b, BTH + RN_BTH_QPN + 2, b.frame[BTH + RN_BTH_QPN + 2] ^ 1, CRC,
		     RN_V_QP_UNKNOWN);
	memset(b.frame + BTH + RN_BTH_QPN, 0, 3);
	repair(&b, CRC);
	refused(&b, RN_V_QP0);
	finish(&b);
}

static void wire_row_F20_opcode_of_another_transport(void **state)
{
	struct bench b;

	start(&b);
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		struct rn_pkt p = good_packet(&b);

		if (opcode == RN_OPCODE_CNP || (opcode & 0xE0) == RN_T_RC ||
		    (opcode & 0xE0) == RN_T_CNP)
			continue;
		p.opcode = (uint8_t)opcode;
		build(&b, &p);
		refused(&b, (opcode & 0xE0) == RN_T_UC || (opcode & 0xE0) == RN_T_UD
				    ? RN_V_QP_TRANSPORT
				    : RN_V_BTH_OPCODE);
	}
	finish(&b);
	/* Opcodes of another transport are refused by UC and UD queue pairs too. */
	for (uint8_t type = RN_QPT_UC; type <= RN_QPT_UD; type++) {
		start_type(&b, type, false, false);
		for (unsigned opcode = 0; opcode < 0x80; opcode++) {
			struct rn_pkt p = good_packet(&b);

			if ((opcode & 0xE0) == RN_T_RD ||
			    (opcode & 0xE0) == (type == RN_QPT_UC ? RN_T_UC : RN_T_UD))
				continue;
			p.opcode = (uint8_t)opcode;
			build(&b, &p);
			refused(&b, RN_V_QP_TRANSPORT);
		}
		assert_int_equal(sim_fini(&b.sim), 0);
	}
}

static void wire_row_F21_state_does_not_receive(void **state)
{
	static const uint8_t early[] = {RN_QPS_RESET, RN_QPS_INIT};
	struct bench b;
	struct rn_pkt p;

	start(&b);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(early); i++) {
		struct rn_qp_attr a = {.state = early[i]};
		uint32_t mask =
			early[i] == RN_QPS_INIT ? RN_QP_ACCESS | RN_QP_PKEY_INDEX | RN_QP_PORT : 0;

		assert_int_equal(sim_modify(&b.sim, DUT, 0, RN_QP_STATE | mask, &a), 0);
		refused(&b, RN_V_QP_STATE);
	}
	sim_destroy_qp(&b.sim, 0, 0);
	sim_destroy_qp(&b.sim, DUT, 0);
	sim_connect_rtr(&b.sim, 0);
	/* A QP in RTR accepts requests but no responses. */
	p = craft_packet(&b.sim, DUT, 0, RN_OP_ACK, 0);
	build(&b, &p);
	refused(&b, RN_V_QP_STATE);
	finish(&b);
}

static void wire_row_F22_limited_pkey(void **state)
{
	struct bench b;

	start(&b);
	change16(&b, BTH + RN_BTH_PKEY, 0x7FFF, CRC);
	accepted(&b);
	finish(&b);
}

static void wire_row_F23_other_pkey(void **state)
{
	static const uint16_t other[] = {0x1234, 0, 0x8000, 0xFFFE, 0xEFFF};
	struct bench b;

	start(&b);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(other); i++) {
		change16(&b, BTH + RN_BTH_PKEY, other[i], CRC);
		refused(&b, RN_V_PKEY);
	}
	finish(&b);
}

static void wire_row_F24_other_source(void **state)
{
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		unsigned last = IP + (ipv6 ? RN_IPV6_SRC + 15 : RN_IPV4_SRC + 3);

		start_as(&b, ipv6, false);
		change(&b, last, 77, CRC | (ipv6 ? AS_IS : SUM));
		refused(&b, RN_V_QP_ADDRESS);
		/* With protocol.check_source switched off, any source address is accepted. */
		b.sim.node[DUT].port.check_source = false;
		rn_shard_port(b.sim.node[DUT].shard, &b.sim.node[DUT].port, b.sim.now);
		change(&b, last, 77, CRC | (ipv6 ? AS_IS : SUM));
		accepted(&b);
		finish(&b);
	}
}

static void wire_row_F25_migration_bit(void **state)
{
	struct bench b;

	start(&b);
	assert_true(b.frame[BTH + RN_BTH_FLAGS] & RN_BTH_MIG);
	accepted(&b);
	byte_accepted(&b, BTH + RN_BTH_FLAGS, b.frame[BTH + RN_BTH_FLAGS] & ~RN_BTH_MIG, CRC);
	finish(&b);
}

static void wire_row_F26_reserved_bits(void **state)
{
	struct bench b;

	start(&b);
	for (unsigned bit = 0; bit < 6; bit++)
		byte_accepted(&b, BTH + RN_BTH_ECN, (uint8_t)(1u << bit), CRC);
	for (unsigned bit = 0; bit < 7; bit++)
		byte_accepted(&b, BTH + RN_BTH_ACKREQ_BYTE, (uint8_t)(0x80 | 1u << bit), CRC);
	finish(&b);
}

static void put_tag(struct bench *b, uint16_t tci)
{
	memmove(b->frame + 16, b->frame + 12, b->len - 12);
	rn_store16(b->frame + 12, 0x8100);
	rn_store16(b->frame + 14, tci);
	b->len += 4;
}

static void wire_row_F27_wrong_vlan(void **state)
{
	static const uint16_t wrong[] = {1, 99, 101, 100 ^ 0x800, 0xFFF, 0, 0xE000};
	struct bench b;

	start(&b);
	put_tag(&b, 100);
	refused(&b, RN_V_FRAME_VLAN);
	put_tag(&b, 3 << 13 | 1);
	refused(&b, RN_V_FRAME_VLAN);
	finish(&b);
	/* A DPDK port in VLAN 100 accepts frames of this VLAN with any priority. Frames of another
	 * VLAN and untagged frames are dropped. */
	start_as(&b, false, true);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(wrong); i++) {
		change16(&b, 14, wrong[i], AS_IS);
		refused(&b, RN_V_FRAME_VLAN);
	}
	memmove(b.frame + 12, b.frame + 16, b.len - 16);
	b.len -= 4;
	refused(&b, RN_V_FRAME_VLAN);
	for (uint16_t priority = 0; priority < 8; priority++) {
		change16(&b, 14, (uint16_t)(priority << 13 | 100), AS_IS);
		accepted(&b);
	}
	finish(&b);
}

static void wire_row_F28_priority_tag(void **state)
{
	struct bench b;

	start(&b);
	for (uint16_t priority = 0; priority < 8; priority++) {
		put_tag(&b, (uint16_t)(priority << 13));
		accepted(&b);
		assert_false(b.reply.has_vlan);
	}
	put_tag(&b, 0x1000); /* priority 0 with DEI (drop eligible) */
	accepted(&b);
	finish(&b);
}

static void wire_row_F29_hop_limits(void **state)
{
	static const uint8_t limit[] = {0, 1, 255};
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		start_as(&b, ipv6, false);
		for (unsigned i = 0; i < RN_ARRAY_SIZE(limit); i++)
			byte_accepted(&b, IP + (ipv6 ? RN_IPV6_HOPS : RN_IPV4_TTL), limit[i],
				      ipv6 ? AS_IS : SUM);
		finish(&b);
	}
}

static void wire_row_F30_address_of_another_host(void **state)
{
	struct bench b;

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		unsigned last = IP + (ipv6 ? RN_IPV6_DST + 15 : RN_IPV4_DST + 3);

		for (unsigned checked = 0; checked < 2; checked++) {
			start_as(&b, ipv6, false);
			b.sim.node[DUT].port.check_source = checked;
			rn_shard_port(b.sim.node[DUT].shard, &b.sim.node[DUT].port, b.sim.now);
			change(&b, last, 77, CRC | (ipv6 ? AS_IS : SUM));
			refused(&b, RN_V_IP_NOT_OURS);
			finish(&b);
		}
	}
}

static void wire_row_F31_jumbo_over_vlan_and_ipv6(void **state)
{
	static uint8_t payload[4096];
	struct bench b;
	struct rn_pkt p;

	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + 1);
	for (unsigned way = 0; way < 4; way++) {
		start_as(&b, way & 1, way & 2);
		p = good_packet(&b);
		p.payload = payload;
		p.payload_len = p.dma_len = sizeof(payload);
		build(&b, &p);
		assert_int_equal(b.len, 14 + (way & 2 ? 4 : 0) + (way & 1 ? 40 : 20) + 8 + 12 + 16 +
						4096 + 4);
		b.sent = 0;
		assert_int_equal(sim_inject(&b.sim, DUT, b.frame, b.len), RN_V_OK);
		sim_send(&b.sim, DUT, UINT32_MAX);
		assert_int_equal(b.sent, 1);
		assert_int_equal(b.reply.syndrome, 0x1F);
		assert_memory_equal(target(&b), payload, sizeof(payload));
		b.psn++;
		finish(&b);
	}
}

static void wire_row_F32_roce_v1(void **state)
{
	struct bench b;

	start(&b);
	rn_store16(b.frame + 12, 0x8915);
	refused(&b, RN_V_FRAME_ROCE_V1);
	put_tag(&b, 0);
	rn_store16(b.frame + 16, 0x8915);
	refused(&b, RN_V_FRAME_ROCE_V1);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_row_F2_flipped_payload_bit),
		cmocka_unit_test(wire_row_F3_flipped_pad_bit),
		cmocka_unit_test(wire_row_F4_what_routers_may_change),
		cmocka_unit_test(wire_row_F5_what_routers_may_not_change),
		cmocka_unit_test(wire_row_F6_pad_bytes_not_zero),
		cmocka_unit_test(wire_row_F7_icrc_byte_swapped),
		cmocka_unit_test(wire_row_F8_no_udp_checksum),
		cmocka_unit_test(wire_row_F9_udp_checksum),
		cmocka_unit_test(wire_row_F11_any_source_port),
		cmocka_unit_test(wire_row_F12_other_udp_port),
		cmocka_unit_test(wire_row_F13_ipv4_options),
		cmocka_unit_test(wire_row_F14_fragments),
		cmocka_unit_test(wire_row_F15_ethernet_padding),
		cmocka_unit_test(wire_row_F16_udp_too_short),
		cmocka_unit_test(wire_row_F17_udp_longer_than_ip),
		cmocka_unit_test(wire_row_F18_transport_version),
		cmocka_unit_test(wire_row_F19_no_such_queue_pair),
		cmocka_unit_test(wire_row_F20_opcode_of_another_transport),
		cmocka_unit_test(wire_row_F21_state_does_not_receive),
		cmocka_unit_test(wire_row_F22_limited_pkey),
		cmocka_unit_test(wire_row_F23_other_pkey),
		cmocka_unit_test(wire_row_F24_other_source),
		cmocka_unit_test(wire_row_F25_migration_bit),
		cmocka_unit_test(wire_row_F26_reserved_bits),
		cmocka_unit_test(wire_row_F27_wrong_vlan),
		cmocka_unit_test(wire_row_F28_priority_tag),
		cmocka_unit_test(wire_row_F29_hop_limits),
		cmocka_unit_test(wire_row_F30_address_of_another_host),
		cmocka_unit_test(wire_row_F31_jumbo_over_vlan_and_ipv6),
		cmocka_unit_test(wire_row_F32_roce_v1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
