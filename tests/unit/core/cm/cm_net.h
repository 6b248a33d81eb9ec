/* Bench for tests of the CM: two connection managers ("boxes") with their neighbour machines on one
 * wire, in virtual time. Each box has a simple client that answers CM events. Everything runs on
 * the thread of the test. */
#ifndef CM_NET_H
#define CM_NET_H

#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "shard/core.h"

#define NET_PORT   20886
#define NET_EVENTS 64

struct net;

/* Decides how many copies of one CM message arrive, and may change *m. Without a judge one copy
 * arrives. */
typedef unsigned net_judge(struct net *net, unsigned from, struct rn_cm_msg *m);

struct box {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_neigh *neigh;
	struct rn_cm *cm;
	struct rn_event ev[NET_EVENTS];
	unsigned nev;
	/* What the client does by itself: accept requests, establish on replies; with `follow` it
	 * destroys a connection that the peer disconnects, instead of disconnecting it. */
	bool accept, establish, follow, slow; /* does not answer the peer's DREQ */
	bool deaf;			      /* answers neither ARP nor ND */
	struct rn_cm_param reply;	      /* parameters of the client's accepts */
	unsigned sent[0x20];		      /* messages sent, by attribute */
	struct rn_cm_msg last[0x20];
	uint8_t class[0x20]; /* traffic class of the last packet, by attribute */
	rn_time at[0x20];
	unsigned verdict[RN_V_COUNT];
};

struct net {
	struct box box[2];
	rn_time now;
	net_judge *judge;
	uint8_t tclass; /* traffic class of what net_inject() delivers */
	unsigned arg[4];
	/* messages sent to an unknown MAC; the test fails at one unless may_stray is set */
	unsigned astray;
	bool may_stray;
};

struct rn_gid net_gid(unsigned box, bool ipv6);
void net_init(struct net *net);
/* Runs 200 s to let timewait expire, then fails the test if connections, timers or messages are
 * left. */
void net_fini(struct net *net);
/* Sets how long both CMs wait for a peer that sends MRAs. Must come before anything else. */
void net_wait_max(struct net *net, rn_time span);
void net_pump(struct net *net);
void net_run(struct net *net, rn_time span);
/* Delivers a message to a box as if the other box had sent it; returns the verdict. */
enum rn_verdict net_inject(struct net *net, unsigned to, const struct rn_cm_msg *m);
/* The same, from another IPv4 address. */
enum rn_verdict net_inject_from(struct net *net, unsigned to, const struct rn_gid *src,
				const struct rn_cm_msg *m);
/* Returns the n-th REQ of the IPv4 host `who` to the listener of a box at NET_PORT. */
struct rn_cm_msg net_req(const struct net *net, unsigned to, const struct rn_gid *who, uint32_t n);
struct rn_rsp net_exec(struct net *net, unsigned box, struct rn_cmd cmd);
struct rn_rsp net_op(struct net *net, unsigned box, unsigned op, uint32_t id);
struct rn_cmd net_connect_cmd(unsigned from, bool ipv6, uint32_t qpn);
uint32_t net_listen(struct net *net, unsigned box, uint32_t backlog);
uint32_t net_connect(struct net *net, unsigned box, uint32_t qpn);
unsigned net_count(const struct net *net, unsigned box, unsigned kind);
/* Returns the last event of this kind; fails the test if there is none. */
const struct rn_event *net_event(const struct net *net, unsigned box, unsigned kind);
void net_forget(struct net *net); /* clears events and counters */

void net_destroy(struct net *net, unsigned box, uint32_t id); /* CM_DESTROY, which must succeed */
/* Judges. net_meddle lets net->arg[3] copies arrive of message number arg[2] with attribute arg[0]
 * from box arg[1]; net_lose_all loses all messages with attribute arg[0]. */
net_judge net_meddle, net_lose_all;

#endif
