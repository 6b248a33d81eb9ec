/* Two connection managers with their neighbour machines on one wire, in virtual time; for tests. */
#ifndef CM_NET_H
#define CM_NET_H

#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "shard/core.h"

#define NET_PORT   20886
#define NET_EVENTS 64

struct net;

/* Decides about one CM message: how many copies arrive. NULL = 1. May change *m. */
typedef unsigned net_judge(struct net *net, unsigned from, struct rn_cm_msg *m);

struct box {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_neigh *neigh;
	struct rn_cm *cm;
	struct rn_event ev[NET_EVENTS];
	unsigned nev;
	bool accept, establish,
		follow, /* what the client does by itself; follow: destroys what is disconnected */
		slow; /* does not answer the peer's DREQ */
	bool deaf;	/* answers neither ARP nor ND */
	struct rn_cm_param reply; /* of its accepts */
	unsigned sent[0x20];	  /* by attribute */
	struct rn_cm_msg last[0x20];
	uint8_t class[0x20]; /* traffic class of the packet it was in */
	rn_time at[0x20];
	unsigned verdict[RN_V_COUNT];
};

struct net {
	struct box box[2];
	rn_time now;
	net_judge *judge;
	uint8_t tclass; /* of what net_inject() delivers */
	unsigned arg[4];
	unsigned astray; /* messages to the MAC of nobody, which only a test that says so sends */
	bool may_stray;
};

struct rn_gid net_gid(unsigned box, bool ipv6);
void net_init(struct net *net);
void net_fini(struct net *net); /* fails when anything is left */
/* Before anything else: both wait so long for a peer that asks for patience. */
void net_wait_max(struct net *net, rn_time span);
void net_pump(struct net *net);
void net_run(struct net *net, rn_time span);
/* Delivers a message to a box as if the other had sent it. */
enum rn_verdict net_inject(struct net *net, unsigned to, const struct rn_cm_msg *m);
/* ... but from another address (of IPv4). */
enum rn_verdict net_inject_from(struct net *net, unsigned to, const struct rn_gid *src, const struct rn_cm_msg *m);
/* A REQ of this host (of IPv4), its n-th, to the listener of a box at NET_PORT. */
struct rn_cm_msg net_req(const struct net *net, unsigned to, const struct rn_gid *who, uint32_t n);
struct rn_rsp net_exec(struct net *net, unsigned box, struct rn_cmd cmd);
struct rn_rsp net_op(struct net *net, unsigned box, unsigned op, uint32_t id);
struct rn_cmd net_connect_cmd(unsigned from, bool ipv6, uint32_t qpn);
uint32_t net_listen(struct net *net, unsigned box, uint32_t backlog);
uint32_t net_connect(struct net *net, unsigned box, uint32_t qpn);
unsigned net_count(const struct net *net, unsigned box, unsigned kind);
/* The last event of this kind; fails when there is none. */
const struct rn_event *net_event(const struct net *net, unsigned box, unsigned kind);
void net_forget(struct net *net); /* events and counts so far */

void net_destroy(struct net *net, unsigned box, uint32_t id); /* CM_DESTROY, must succeed */
/* Judges. By net->arg: attribute, sender, which of its messages, copies; or the attribute that is
 * always lost. */
net_judge net_meddle, net_lose_all;

#endif
