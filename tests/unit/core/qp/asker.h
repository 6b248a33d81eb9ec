/* Helpers for tests of the requester. Side 0 of the bench sends requests; the test takes the frames
 * and answers with hand-made packets. A failed check fails the test. */
#ifndef ASKER_H
#define ASKER_H

#include "wire/hdr.h"
#include "rig.h"

#define MTU 1024u
#define S   RIG_PSN_A /* PSN of side 0's first request packet */

static uint8_t junk[8192]; /* payload of READ responses */

static inline void start(struct rig *r)
{
	rig_init(r, &(struct rig_opt){0});
	for (unsigned i = 0; i < 16384; i++)
		r->s[0].mem[i] = (uint8_t)(i * 11 + 3);
}

static inline void post_send(struct rig *r, uint64_t id, uint32_t len)
{
	rig_request(r, 0, RN_WQE_SEND, RN_WQE_SIGNALED, id, 0, len, 0);
}

static inline void post_read(struct rig *r, uint64_t id, uint32_t len)
{
	rig_request(r, 0, RN_WQE_READ, RN_WQE_SIGNALED, id, 0x8000, len, 0x100);
}

static inline void expect_packet(struct rig *r, uint8_t opcode, uint32_t psn, uint32_t len,
				 bool ack_req)
{
	struct rn_pkt p;

	assert_true(rig_take(r, 0, &p));
	assert_string_equal(p.op->name, rn_opcode_row(opcode)->name);
	assert_int_equal(p.psn, psn & RN_PSN_MASK);
	assert_int_equal(p.payload_len, len);
	assert_int_equal(p.ack_req, ack_req);
	assert_int_equal(p.dest_qpn, r->s[1].qpn);
	assert_int_equal(p.pad, -len & 3);
}

static inline void expect_read(struct rig *r, uint32_t psn, uint32_t skip, uint32_t len)
{
	struct rn_pkt p;

	assert_true(rig_take(r, 0, &p));
	assert_int_equal(p.opcode, RN_OP_READ_REQUEST);
	assert_int_equal(p.psn, psn & RN_PSN_MASK);
	assert_int_equal(p.va, (uintptr_t)r->s[1].mem + 0x100 + skip);
	assert_int_equal(p.dma_len, len);
	assert_int_equal(p.rkey, r->s[1].key);
	assert_true(p.ack_req);
}

static inline enum rn_verdict reply(struct rig *r, uint8_t opcode, uint32_t psn, uint8_t syndrome,
				    const void *data, uint32_t len)
{
	struct rn_pkt p = rig_pkt(r, 0, opcode, 0, data, len);

	p.psn = psn & RN_PSN_MASK;
	p.syndrome = syndrome;
	p.ack_req = false;
	return rig_rx(r, 0, &p);
}

static inline enum rn_verdict ack(struct rig *r, uint32_t psn)
{
	return reply(r, RN_OP_ACK, psn, 0x1F, NULL, 0);
}

static inline enum rn_verdict nak(struct rig *r, uint32_t psn, uint8_t syndrome)
{
	return reply(r, RN_OP_ACK, psn, syndrome, NULL, 0);
}

static inline enum rn_verdict response(struct rig *r, uint8_t opcode, uint32_t psn, uint32_t len)
{
	return reply(r, opcode, psn, 0x1F, junk, len);
}

static inline void drain(struct rig *r)
{
	struct rn_pkt p;

	while (rig_take(r, 0, &p))
		;
}

static inline void expect_dead(struct rig *r)
{
	struct rn_event ev;

	assert_int_equal(r->s[0].qp->state, RN_QPS_ERR);
	assert_true(rn_shard_events(r->s[0].sh, &ev, 1));
	assert_int_equal(ev.kind, RN_EVENT_QP_FATAL);
	assert_int_equal(ev.reason, RN_FATAL_COMPLETED);
	rig_expect_silence(r, 0);
	rig_expect_none(r, 0);
}

#endif
