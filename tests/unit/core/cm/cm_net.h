/* Bench for tests of the connection manager (CM). Two simulated hosts ("boxes") are on one link in
 * virtual time. Each host has a CM, a neighbour state machine (ARP and ND), and a simple client
 * that answers the CM's events. Everything runs on the thread of the test. */
#ifndef CM_NET_H
#define CM_NET_H

#include "cm/cm.h"
#include "wire/cm_msg.h"
#include "shard/core.h"

#define NET_PORT   20886
#define NET_EVENTS 64

struct net;

/* Callback for each CM message on the link. Returns how many copies of the message arrive (0 = the
 * message is lost), and may change *m. Without a callback each message arrives once. */
typedef unsigned net_judge(struct net *net, unsigned from, struct rn_cm_msg *m);

struct box {
	struct rn_core_cfg cfg;
	struct rn_port_attr port;
	struct rn_neigh *neigh;
	struct rn_cm *cm;
	struct rn_event ev[NET_EVENTS];
	unsigned nev;
	/* How the client reacts to events.
	 * - accept: accepts connection requests.
	 * - establish: establishes the connection when the REP arrives.
	 * - follow: destroys its connection when the peer disconnects, and does not answer with
	 *   DISCONNECT. */
	bool accept, establish, follow, slow; /* slow: does not answer the peer's DREQ */
	bool deaf;			      /* ARP and ND from and to this host are lost */
	struct rn_cm_param reply; /* parameters with which the client accepts a connection */
	unsigned sent[0x20];	  /* CM messages sent, by MAD attribute ID */
	struct rn_cm_msg last[0x20];
	uint8_t class[0x20]; /* traffic class of the last message sent, by MAD attribute ID */
	rn_time at[0x20];
	unsigned verdict[RN_V_COUNT];
};

struct net {
	struct box box[2];
	rn_time now;
	net_judge *judge;
	uint8_t tclass; /* traffic class of the packets that net_inject() builds */
	unsigned arg[4];
	/* Number of CM messages sent to a MAC that belongs to neither host. The first such message
	 * fails the test unless may_stray is set. */
	unsigned astray;
	bool may_stray;
};

struct rn_gid net_gid(unsigned box, bool ipv6);
void net_init(struct net *net);
/* Runs the hosts for 200 s so that timewait ends. Then fails the test if any connection, timer or
 * unsent message is left. */
void net_fini(struct net *net);
/* Sets cm_wait_max of both CMs: the longest total time for which a CM waits for a peer that sends
 * MRAs. Must be called directly after net_init(), because net_wait_max() creates both CMs anew. */
void net_wait_max(struct net *net, rn_time span);
void net_pump(struct net *net);
void net_run(struct net *net, rn_time span);
/* Delivers a message to host `to` as if the peer host had sent it. Returns the CM's verdict on the
 * message. */
enum rn_verdict net_inject(struct net *net, unsigned to, const struct rn_cm_msg *m);
/* Like net_inject(), but from the IPv4 address src. */
enum rn_verdict net_inject_from(struct net *net, unsigned to, const struct rn_gid *src,
				const struct rn_cm_msg *m);
/* Returns the n-th REQ of the IPv4 host `who` to the listener of host `to` at port NET_PORT. */
struct rn_cm_msg net_req(const struct net *net, unsigned to, const struct rn_gid *who, uint32_t n);
struct rn_rsp net_exec(struct net *net, unsigned box, struct rn_cmd cmd);
struct rn_rsp net_op(struct net *net, unsigned box, unsigned op, uint32_t id);
struct rn_cmd net_connect_cmd(unsigned from, bool ipv6, uint32_t qpn);
uint32_t net_listen(struct net *net, unsigned box, uint32_t backlog);
uint32_t net_connect(struct net *net, unsigned box, uint32_t qpn);
unsigned net_count(const struct net *net, unsigned box, unsigned kind);
/* Returns the last event of this kind at host `box`; fails the test if there is none. */
const struct rn_event *net_event(const struct net *net, unsigned box, unsigned kind);
void net_forget(struct net *net); /* clears the recorded events and the counts of sent messages */

/* runs RN_CMD_CM_DESTROY, which must succeed */
void net_destroy(struct net *net, unsigned box, uint32_t id);
/* Callbacks for net->judge.
 * - net_lose_all() loses every message with attribute ID arg[0].
 * - net_meddle() counts the messages with attribute ID arg[0] from host arg[1]. Message number
 *   arg[2] (from 1) arrives arg[3] times. Every other message arrives once. */
net_judge net_meddle, net_lose_all;

#endif
