/* Bench for tests of QPs: two shards joined by a link in memory, all on the thread of the test.
 * Each side has one QP connected to the other side's QP, a CQ, and 256 KB of registered memory.
 * Frames are real bytes, built by one shard and parsed for the other. Time is virtual (`now`, in
 * nanoseconds) and moves only in rig_run() and rig_wait(). */
#ifndef RIG_H
#define RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shard/core.h"
#include "wire/frame.h"
#include "shard/shard.h"

#define RIG_MEM	  (256u << 10)
#define RIG_DEPTH 64u
#define RIG_PSN_A 0xFFFFF0u /* first PSN of side 0's requests, 16 before the wrap */
#define RIG_PSN_B 0xFFFFFEu
#define RIG_QKEY  0x01234567u

struct rig_side {
	struct rn_shard *sh;
	struct rn_port_attr port;
	struct rn_mr_table *mrs;
	struct rn_qp *qp;
	uint32_t qpn, gen;
	uint8_t *mem;
	uint32_t key; /* lkey and rkey of mem, with all rights */
	struct rn_cq_shared cq_shared;
	struct rn_cq_ring *ring;
	uint32_t frames; /* frames this side has sent so far */
	uint32_t acks;	 /* plain ACK frames among `frames` */
};

struct rig {
	struct rig_side s[2];
	rn_time now;
	uint8_t mtu; /* path MTU code (3: 1024 bytes) */
	/* Returns true if the link shall lose the frame. `number` counts the frames of side `from`,
	 * starting at 0. */
	bool (*lose)(struct rig *r, int from, uint32_t number, const struct rn_pkt *pkt);
	int lose_side;
	uint32_t lose_number;
	uint8_t last_frame[2][9200];
};

struct rig_opt {
	uint8_t mtu;	     /* path MTU code; 0 stands for 3 (1024 bytes) */
	uint8_t timeout;     /* ACK timeout code; 0 stands for 14, 0xFF for code 0 (no timer) */
	uint8_t retry_cnt;   /* retry count; 0 stands for 7, 0xFF for no retry */
	uint8_t rnr_retry;   /* RNR retry count; 0 stands for 7 (unlimited) */
	uint8_t min_rnr;     /* minimum RNR timer code; 0 stands for 12, 0xFF for code 0 */
	uint8_t reads;	     /* READs and atomics in flight; 0 stands for 4, 0xFF for none */
	uint32_t access;     /* access rights that a QP gives its peer; 0: all remote rights */
	uint32_t cq_entries; /* size of the CQ; 0: enough for all requests and receives */
	bool unconnected;    /* both QPs stay in RESET */
	bool only_rtr;	     /* both QPs stay in RTR */
	rn_time rto_initial; /* first adaptive resend timeout in ns; 0: the default */
	uint32_t window;
	uint32_t keep[2];   /* packets that each side keeps ahead of a lost one; 0: it drops them */
	uint8_t type;	    /* enum rn_qp_type; 0 stands for RC */
	struct rn_srq *srq; /* SRQ number 5, for side 1's QP; owned by the test */
};

void rig_init(struct rig *r, const struct rig_opt *o);
/* Destroys QPs, shards and memory; work requests may still be queued. Fails the test if a timer is
 * armed, a QP is active, or rn_shard_leftovers() counts an object. */
void rig_fini(struct rig *r);

int rig_modify(struct rig *r, int side, uint32_t mask, const struct rn_qp_attr *a);
void rig_connect(struct rig *r, const struct rig_opt *o, uint8_t up_to);

/* rig_recv() posts a receive and rig_request() a send-queue request, each with one SGE at mem +
 * off. remote_off counts from the start of the peer's mem. */
void rig_recv(struct rig *r, int side, uint64_t id, uint32_t off, uint32_t len);
void rig_request(struct rig *r, int side, uint8_t kind, unsigned flags, uint64_t id, uint32_t off,
		 uint32_t len, uint32_t remote_off);
void rig_post(struct rig *r, int side, const struct rn_wqe *w);

/* Moves up to n frames of one side to the other; returns how many frames the side sent. */
unsigned rig_move(struct rig *r, int side, unsigned n);
/* Runs both sides until neither has anything to send and no timer is armed, or for at most `limit`
 * nanoseconds. */
void rig_run(struct rig *r, rn_time limit);
/* Advances the time by ns nanoseconds and then runs the timers that are due. Sends nothing. */
void rig_wait(struct rig *r, rn_time ns);

/* Takes the next completion of a side; returns false if the CQ is empty. */
bool rig_poll(struct rig *r, int side, struct rn_cqe *c);
/* Fails the test unless the next completion of the side has this id and status. */
void rig_expect(struct rig *r, int side, uint64_t id, uint8_t status);
#define rig_expect_none(r, side)                      \
	do {                                          \
		struct rn_cqe c_;                     \
		assert_false(rig_poll(r, side, &c_)); \
	} while (0)

/* Returns a packet for the QP of `side` as its peer would send it. The PSN is the next request PSN
 * that the QP expects, plus `delta`. `payload` is not copied and must stay valid. */
struct rn_pkt rig_pkt(struct rig *r, int side, uint8_t opcode, int delta, const void *payload,
		      uint32_t len);
enum rn_verdict rig_rx(struct rig *r, int side, const struct rn_pkt *pkt);
/* Takes the next frame that `side` would send, and parses the frame into *pkt. The peer does not
 * get the frame. Returns false if `side` has nothing to send. */
bool rig_take(struct rig *r, int side, struct rn_pkt *pkt);
#define rig_expect_silence(r, side)                   \
	do {                                          \
		struct rn_pkt p_;                     \
		assert_false(rig_take(r, side, &p_)); \
	} while (0)

#endif
