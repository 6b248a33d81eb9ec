/* One connection with the peer, made by its RDMA connection manager and ours by hand: who is who, where packet numbers
 * stand, and what has come from the peer and was not looked at yet. One thread. */
#ifndef RN_CONFORM_CONN_H
#define RN_CONFORM_CONN_H

#include "cm_msg.h"
#include "line.h"

#define CONN_QUEUE 256u
#define CONN_MTU   1024u

struct came {
	struct rn_pkt pkt;     /* without frame; the payload's first bytes are in head */
	uint8_t head[16];
	uint64_t hash;         /* of BTH (without the AckReq bit), headers and payload: a packet sent again has the same */
	uint64_t at;
};

struct queue {
	unsigned first, n;
	struct came came[CONN_QUEUE];
};

struct conn {
	struct line *line;
	bool listening;              /* the peer connects to us */
	uint16_t port;
	unsigned attempts;           /* connections so far: numbers our ids, queue pairs and ports */
	uint32_t local_id, remote_id, qpn, peer_qpn;
	uint32_t psn;                /* of our first request: the peer says it in REQ or REP */
	uint32_t peer_psn;           /* of its first one: we say it */
	uint64_t tid;
	struct rn_cm_msg req, rep;   /* the peer's, by role */
	bool requested, replied, established, over, rejected;
	uint16_t reason;
	bool acks;                   /* answers the peer's requests like a decent responder */
	uint32_t expected;           /* the peer's next PSN, when it does */
	uint32_t msn;
	bool lent;                   /* the peer told a key: */
	uint64_t va;
	uint32_t rkey, bytes;
	uint16_t sport;              /* of the peer's packets; sports: how many different ones */
	unsigned sports, tx_wrong;   /* tx_wrong: packets with a header no sender may make */
	struct queue answers, requests;
	struct queue mads;           /* those not for this connection's own progress too; pkt.payload is NULL */
	struct rn_cm_msg mad[CONN_QUEUE];
};

/* A packet to the peer's queue pair: PSN, addresses and numbers are filled in. */
struct rn_pkt conn_packet(const struct conn *c, uint8_t opcode, uint32_t psn);
void conn_send(struct conn *c, const struct rn_pkt *pkt);
void conn_send_mad(struct conn *c, const struct rn_cm_msg *m);
/* A REQ to this port, as conn_open() would send; ids are those of the next connection. */
void conn_build_req(struct conn *c, uint16_t port, struct rn_cm_msg *m);
/* The answer to the peer's REQ, and the RTU to its REP. */
void conn_send_rep(struct conn *c);
void conn_send_rtu(struct conn *c);
/* Takes in what comes until then; early when something that was waited for is in `q` (may be NULL). */
void conn_pump(struct conn *c, const struct queue *q, uint64_t until);
struct came *conn_take(struct conn *c, struct queue *q, uint64_t until);
/* The next management message of this kind; NULL when none comes. */
const struct rn_cm_msg *conn_take_mad(struct conn *c, uint16_t attr, uint64_t until);
/* All forgotten, the next numbers. first_psn: of the peer's requests. */
void conn_fresh(struct conn *c, uint32_t first_psn);
/* Connects, or waits to be connected to, for some time. When it is decent it also waits for the key that a client of rping's
 * protocol tells first. False when there is no connection. */
bool conn_open(struct conn *c, uint32_t first_psn, bool decent, unsigned seconds);
void conn_close(struct conn *c);

#endif
