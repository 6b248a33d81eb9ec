/* Helpers for tests of UD: datagrams between the two sides of the bench, and hand-made frames for
 * side 1. */
#ifndef DATAGRAM_H
#define DATAGRAM_H

#include "rig.h"
#include "qp/ud.h"

#define GRH RN_UD_GRH_BYTES

static inline void start(struct rig *r)
{
	rig_init(r, &(struct rig_opt){.type = RN_QPT_UD});
	for (unsigned i = 0; i < RIG_MEM; i++)
		r->s[0].mem[i] = (uint8_t)(i * 7 + i / 256);
}

/* Returns the destination (address vector, QPN, Q_Key) of datagrams from `side` to the other side's
 * QP. */
static inline struct rn_ud to_peer(struct rig *r, int side)
{
	struct rn_ud to = {
		.av = {.sgid = r->s[side].port.gids[0],
		       .dgid = r->s[!side].port.gids[0],
		       .hop_limit = 9},
		.qpn = r->s[!side].qpn,
		.qkey = RIG_QKEY,
	};

	memcpy(to.av.dmac, r->s[!side].port.mac, 6);
	return to;
}

static inline void post_to(struct rig *r, int side, uint8_t kind, unsigned flags, uint64_t id,
			   uint32_t off, uint32_t len, const struct rn_ud *to)
{
	_Alignas(64) struct rn_wqe w[2] = {{.kind = kind,
					    .slots = 2,
					    .flags = (uint16_t)flags,
					    .num_sge = 1,
					    .wr_id = id,
					    .imm = 0x04030201,
					    .length = len}};

	w->sge[0] = (struct rn_sge){(uintptr_t)r->s[side].mem + off, len, r->s[side].key};
	*rn_wqe_ud(w) = *to;
	rig_post(r, side, w);
}

static inline void post(struct rig *r, uint64_t id, uint32_t off, uint32_t len)
{
	const struct rn_ud to = to_peer(r, 0);

	post_to(r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, id, off, len, &to);
}

static inline void expect_state(struct rig *r, int side, uint8_t state)
{
	assert_int_equal(atomic_load(&r->s[side].qp->shared.state), state);
}

/* Delivers a packet to side 1 as a frame on the wire; returns side 1's verdict. */
static inline enum rn_verdict inject(struct rig *r, const struct rn_pkt *p)
{
	uint8_t frame[5000];
	struct rn_pkt in;
	unsigned n = rn_frame_build(p, frame, sizeof(frame));
	/* A copy of the exact size lets the sanitizer catch reads past the end of the frame. */
	uint8_t *copy = malloc(n);
	enum rn_verdict v;

	assert_int_not_equal(n, 0);
	memcpy(copy, frame, n);
	assert_int_equal(rn_frame_parse(copy, n, &in), RN_V_OK);
	v = rn_shard_rx(r->s[1].sh, &in, r->now);
	free(copy);
	return v;
}

static inline struct rn_pkt datagram(struct rig *r, uint32_t len)
{
	struct rn_pkt p = rig_pkt(r, 1, 0x64, 0, r->s[0].mem, len);

	p.ack_req = false;
	p.hop_limit = 3;
	p.tclass = 0xB9;
	p.ip_id = 0x1234;
	p.ip_df = true;
	p.udp_sport = 0xC001;
	p.qkey = RIG_QKEY;
	p.src_qpn = 0x7B1234;
	return p;
}

#endif
