/* One connection between the peer's RDMA connection manager and this tool's handmade one:
 * identities, packet sequence numbers, and what has arrived from the peer but was not read yet.
 * One thread. */
#ifndef RN_CONFORM_CONN_H
#define RN_CONFORM_CONN_H

#include "wire/cm_msg.h"
#include "line.h"

#define CONN_QUEUE 256u
#define CONN_MTU   1024u

struct came {
	struct rn_pkt pkt; /* without the frame; the payload's first bytes are in head */
	uint8_t head[16];
	/* The hash covers BTH (without the AckReq bit), headers and payload, so it is equal for a
	 * retransmitted packet. */
	uint64_t hash;
	uint64_t at;
};

struct queue {
	unsigned first, n;
	struct came came[CONN_QUEUE];
};

struct conn {
	struct line *line;
	bool listening; /* the peer connects to this tool */
	uint16_t port;
	/* connections so far; ids, queue pairs and ports are numbered by it */
	unsigned attempts;
	uint32_t local_id, remote_id, qpn, peer_qpn;
	/* PSN of this side's first request; the peer sets it in REQ or REP */
	uint32_t psn;
	uint32_t peer_psn; /* PSN of the peer's first request; this side sets it */
	uint64_t tid;
	struct rn_cm_msg req, rep; /* received from the peer */
	bool requested, replied, established, over, rejected;
	uint16_t reason;
	bool acks;	   /* answers the peer's requests as a responder should */
	uint32_t expected; /* the peer's next PSN, if `acks` */
	uint32_t msn;
	bool lent; /* the peer has sent a key: */
	uint64_t va;
	uint32_t rkey, bytes;
	/* UDP source port of the peer's packets; sports: number of different ones */
	uint16_t sport;
	/* tx_wrong: packets with a header that no sender may produce */
	unsigned sports, tx_wrong;
	struct queue answers, requests;
	/* management messages, those of this connection's own progress included; pkt.payload is
	 * NULL */
	struct queue mads;
	struct rn_cm_msg mad[CONN_QUEUE];
};

/* A packet to the peer's queue pair with PSN, addresses and numbers filled in. */
struct rn_pkt conn_packet(const struct conn *c, uint8_t opcode, uint32_t psn);
void conn_send(struct conn *c, const struct rn_pkt *pkt);
void conn_send_mad(struct conn *c, const struct rn_cm_msg *m);
/* Builds a REQ to this port as conn_open() would send it, with the ids of the next connection. */
void conn_build_req(struct conn *c, uint16_t port, struct rn_cm_msg *m);
/* Sends the REP to the peer's REQ, or the RTU to its REP. */
void conn_send_rep(struct conn *c);
void conn_send_rtu(struct conn *c);
/* Receives packets until the time `until`, or until a packet is in `q` (may be NULL). */
void conn_pump(struct conn *c, const struct queue *q, uint64_t until);
struct came *conn_take(struct conn *c, struct queue *q, uint64_t until);
/* The next management message of this kind; NULL if none arrives. */
const struct rn_cm_msg *conn_take_mad(struct conn *c, uint16_t attr, uint64_t until);
/* Resets the connection with new numbers. first_psn: PSN of the peer's first request. */
void conn_fresh(struct conn *c, uint32_t first_psn);
/* Connects, or waits for the peer to connect, `seconds` at most. With `decent` it also waits for
 * the key that a client of rping's protocol sends first. False: there is no connection. */
bool conn_open(struct conn *c, uint32_t first_psn, bool decent, unsigned seconds);
void conn_close(struct conn *c);

#endif
