/* A connection of this tool with the RDMA connection manager of the peer. The tool builds its CM
 * messages itself. struct conn has the ids and PSNs of the connection. It also has queues of the
 * peer's packets that the tool has not taken yet. Used by one thread. */
#ifndef RN_CONFORM_CONN_H
#define RN_CONFORM_CONN_H

#include "wire/cm_msg.h"
#include "line.h"

#define CONN_QUEUE 256u
#define CONN_MTU   1024u

struct came {
	/* The parsed packet, whose frame is not kept: pkt.payload is not valid. `head` has the
	 * first payload bytes. */
	struct rn_pkt pkt;
	uint8_t head[16];
	/* hash of BTH (without the AckReq bit), extension headers and payload; a retransmitted
	 * packet has the same hash */
	uint64_t hash;
	uint64_t at;
};

struct queue {
	unsigned first, n;
	struct came came[CONN_QUEUE];
};

struct conn {
	struct line *line;
	/* true: this tool waits for the peer to connect; false: this tool connects to the peer */
	bool listening;
	uint16_t port;
	/* number of connections so far; ids, queue pair numbers and ports are derived from this
	 * number */
	unsigned attempts;
	uint32_t local_id, remote_id, qpn, peer_qpn;
	/* PSN of this tool's first request, chosen by the peer in REQ or REP */
	uint32_t psn;
	uint32_t peer_psn; /* PSN of the peer's first request, chosen by this tool */
	uint64_t tid;
	struct rn_cm_msg req, rep; /* the REQ or REP received from the peer */
	bool requested, replied, established, over, rejected;
	uint16_t reason;
	/* true: the peer's requests are answered as a normal responder answers them */
	bool acks;
	uint32_t expected; /* with `acks`: the next PSN expected from the peer */
	uint32_t msn;
	bool lent; /* the peer has sent va, rkey and size (`bytes`) of its memory */
	uint64_t va;
	uint32_t rkey, bytes;
	/* sport: UDP source port of the peer's last packet */
	uint16_t sport;
	/* sports: how often `sport` got a new value, including the first value. tx_wrong: number of
	 * packets with a header that no sender may produce. */
	unsigned sports, tx_wrong;
	struct queue answers, requests;
	/* all CM messages received, including those of the connection's own set-up; the message of
	 * mads.came[i] is mad[i], not mads.came[i].pkt */
	struct queue mads;
	struct rn_cm_msg mad[CONN_QUEUE];
};

/* Returns a packet addressed to the peer's queue pair. Addresses, queue pair number and PSN are
 * filled in. */
struct rn_pkt conn_packet(const struct conn *c, uint8_t opcode, uint32_t psn);
void conn_send(struct conn *c, const struct rn_pkt *pkt);
void conn_send_mad(struct conn *c, const struct rn_cm_msg *m);
/* Builds in *m the REQ that conn_open() would send, with the ids of the current connection. `port`
 * is the service's port number in the port space RDMA_PS_TCP. */
void conn_build_req(struct conn *c, uint16_t port, struct rn_cm_msg *m);
/* conn_send_rep answers the peer's REQ with a REP. conn_send_rtu answers the peer's REP with an
 * RTU. */
void conn_send_rep(struct conn *c);
void conn_send_rtu(struct conn *c);
/* Receives packets and sorts them into the queues of c. Returns when the queue `q` holds a packet,
 * or at the time `until`. If q is NULL, conn_pump() returns at `until`. */
void conn_pump(struct conn *c, const struct queue *q, uint64_t until);
struct came *conn_take(struct conn *c, struct queue *q, uint64_t until);
/* Returns the next CM message with this attribute ID, and drops the CM messages before it. Returns
 * NULL if no such message arrives before `until`. */
const struct rn_cm_msg *conn_take_mad(struct conn *c, uint16_t attr, uint64_t until);
/* Resets the connection and chooses new ids and numbers. first_psn is the PSN of the peer's first
 * request. */
void conn_fresh(struct conn *c, uint32_t first_psn);
/* Connects to the peer, or waits until the peer connects, for up to `seconds`. Returns false if
 * there is no connection.
 * With `decent` this tool answers the peer's requests normally. If the peer is the one that
 * connects, the tool then also waits up to 1 s for the peer's memory key. A client of rping's
 * protocol sends this key first. */
bool conn_open(struct conn *c, uint32_t first_psn, bool decent, unsigned seconds);
void conn_close(struct conn *c);

#endif
