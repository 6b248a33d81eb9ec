/* Hosts whose processes share one address each, under virtual time: every host is a switch
 * (dataplane/switch) with clients, and every client is a shard with a protocol of its own. Two
 * hosts are joined by a wire that may lose frames. */
#ifndef SIM_LAN_H
#define SIM_LAN_H

#include "base/rng.h"
#include "shard/core.h"
#include "switch/switch.h"

#define LAN_HOSTS   2u
#define LAN_CLIENTS 3u
#define LAN_QPS	    16u
#define LAN_ARENA   (1u << 20)
#define LAN_DEPTH   8u
#define LAN_EVENTS  256u
/* How long clients may come back, and announce connections, after a restart of their switch. */
#define LAN_GRACE RN_MS(20)

struct lan_qp {
	uint32_t qpn, gen;
	void *mem; /* NULL: does not exist */
};

struct lan_client {
	bool alive;
	unsigned number; /* client number at the switch */
	struct rn_core_cfg cfg;
	struct rn_shard *shard;
	struct rn_mr_table *mrs;
	struct rn_cq_shared *cq_shared;
	struct rn_cq_ring *cq;
	uint8_t *arena;
	uint32_t key; /* of the arena, with local rights */
	struct lan_qp qp[LAN_QPS];
	struct rn_event ev[LAN_EVENTS];
	unsigned nev;
};

struct lan_host {
	struct rn_switch_cfg cfg;
	struct rn_switch *sw;
	struct lan_client client[LAN_CLIENTS];
};

struct lan_frame;
struct lan {
	struct lan_host host[LAN_HOSTS];
	struct rn_rng rng;
	uint32_t loss_ppm;
	rn_time now;
	struct lan_frame *first, **last; /* frames on the wire and to clients, in order */
	uint64_t frames, lost;
	uint64_t outcomes[RN_OUTCOMES]; /* of all switches, those replaced included */
};

/* Starts two hosts with LAN_CLIENTS clients each. */
void lan_init(struct lan *lan, uint64_t seed, bool strict, uint32_t loss_ppm);
/* Returns the number of objects that are left in shards that are alive, and of connections that
 * switches still know. */
unsigned lan_fini(struct lan *lan);
/* Address of a host. */
struct rn_gid lan_gid(unsigned host);

/* The process of a client dies, and the switch notices that. */
void lan_kill(struct lan *lan, unsigned host, unsigned client);
/* The switch of a host dies with all it knows and starts again; its clients attach with their
 * numbers. The caller announces listeners and connections again. Frames that are under way
 * arrive. */
void lan_restart(struct lan *lan, unsigned host);

/* Executes a command in the client's shard. A new QP is stored as qp[k]; DESTROY_QP frees qp[k]. */
int lan_exec(struct lan *lan, unsigned host, unsigned client, unsigned k, const struct rn_cmd *cmd,
	     struct rn_rsp *rsp);
void lan_post(struct lan *lan, unsigned host, unsigned client, unsigned k, uint8_t kind,
	      uint64_t wr_id, uint32_t offset, uint32_t length);
/* Takes the next completion. Returns false if there is none. */
bool lan_poll(struct lan *lan, unsigned host, unsigned client, struct rn_cqe *cqe);

/* Lets all shards and switches send once, delivers what is under way, and advances the time to the
 * next frame or timer, but not beyond `until`. New events are in lan_client.ev. */
void lan_step(struct lan *lan, rn_time until);

#endif
