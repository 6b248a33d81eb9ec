/* The switch: clients share one port and its addresses. For every frame from the wire or from a
 * client, rn_switch_rx() says where the frame goes. The decision needs no state of the transport:
 * the destination QPN and the receiver's communication id contain the client's number
 * (ground/client_number.h), and clients register the service ids to which they listen.
 *
 * The switch owns the addresses of the port: it answers ARP, neighbour discovery and echo requests,
 * and refuses CM messages for which there is no client. Receiving never sends: rn_switch_tx() gives
 * the frames that are due. A client's frame must carry the port's MAC, VLAN and addresses, and the
 * client's own numbers. Datagrams name their sender and may go to any QP. Packets of RC and UC do
 * not: a strict switch lets a client send them only where its connections lead; without `strict`,
 * also to QPs with which other clients are connected.
 *
 * One thread uses a switch. The functions read no clock and, after rn_switch_create(), allocate no
 * memory. */
#ifndef RN_SWITCH_H
#define RN_SWITCH_H

#include "ground/client_number.h"
#include "ground/core_cfg.h"
#include "net/port_attr.h"
#include "switch/client_set.h"
#include "switch/conntrack.h"
#include "switch/outcome.h"

/* where a frame comes from: the wire, or the number of a client */
#define RN_SWITCH_WIRE 0u

struct rn_switch_cfg {
	struct rn_port_attr port; /* MAC, VLAN and addresses that the clients share */
	struct rn_core_cfg core;  /* neighbours: secrets, limits, timers (rn_core_defaults()) */
	/* Packets other than datagrams go only where a connection of the client leads. */
	bool strict;
	/* Limits of the tables. A `share` limits one client. */
	uint32_t services, service_share;
	uint32_t groups, group_share;
	uint32_t connections, connection_share;
	/* How long the number of a client that has gone is not used again, so that late packets for
	 * it reach nobody. */
	rn_time timewait;
	/* How long after the start clients of a former switch may come back; 0: there was none.
	 * Meanwhile CM messages for nobody are not answered. A client that has come back may
	 * announce connections for as long again. */
	rn_time grace;
	/* The numbers that were in use at the former switch, and how often it had given each number
	 * to a client (rn_switch_epoch()). */
	struct rn_client_set former;
	uint32_t epoch[RN_CLIENT_MAX + 1];
	struct rn_secret tokens; /* key of rn_switch_token(), the same before and after a restart */
};

/* Sets the defaults of all members except `port`, `tokens` and the secrets of `core`. */
void rn_switch_defaults(struct rn_switch_cfg *cfg);

/* Where a frame goes: to the wire, to one client, or to all clients of a set. */
struct rn_switch_way {
	bool wire;
	uint8_t client; /* number of the client that gets the frame; 0: no single client */
	const struct rn_client_set
		*clients; /* all these get the frame; valid until the next call; or NULL */
};

struct rn_switch;

/* Returns NULL if there is no memory. */
struct rn_switch *rn_switch_create(const struct rn_switch_cfg *cfg, rn_time now);
void rn_switch_destroy(struct rn_switch *sw);

/* Admits a client. Returns its number, one that is unused for the longest time, or -EAGAIN if all
 * numbers are in use or in timewait. */
int rn_switch_attach(struct rn_switch *sw, rn_time now);
/* What the present client needs to prove that it had this number, if the switch restarts. A former
 * client with the same number had another token. */
uint64_t rn_switch_token(const struct rn_switch *sw, unsigned number);
/* Returns how often the number was given to a client, switches before a restart included. */
uint32_t rn_switch_epoch(const struct rn_switch *sw, unsigned number);
/* Admits a client of the former switch with the number that it had there. Returns the number,
 * -EPERM for a wrong token, or -EBUSY if the number is in use again, was not in use at the former
 * switch, or the time for that is over. */
int rn_switch_reattach(struct rn_switch *sw, unsigned number, uint64_t token, rn_time now);
/* The client has gone: ends its connections (obituary.h), removes its services and groups. Returns
 * when its number may be used again: after the timewait, or at once if no frame has passed to or
 * from the client, and it has claimed no connection. */
rn_time rn_switch_detach(struct rn_switch *sw, unsigned client, rn_time now);
bool rn_switch_attached(const struct rn_switch *sw, unsigned client);

/* Registers a listener (service.h). addr is a wildcard or an address of the port. Returns 0,
 * -EADDRNOTAVAIL, -EADDRINUSE or -ENOSPC. */
int rn_switch_listen(struct rn_switch *sw, unsigned client, uint64_t service_id,
		     const struct rn_gid *addr);
int rn_switch_unlisten(struct rn_switch *sw, unsigned client, uint64_t service_id,
		       const struct rn_gid *addr);
/* Membership in multicast groups (member.h). */
int rn_switch_join(struct rn_switch *sw, unsigned client, const struct rn_gid *group);
int rn_switch_leave(struct rn_switch *sw, unsigned client, const struct rn_gid *group);
/* Announces a connection (rn_conntrack_claim()). Besides the errors there: -EPERM if local_id or
 * local_qpn is not the client's, for a request for a service to which the client does not listen,
 * and for everything but PAIR and FREE unless rn_switch_reattach() has admitted the client less
 * than `grace` ago; -EADDRNOTAVAIL if the source address is not the port's. */
int rn_switch_claim(struct rn_switch *sw, unsigned client, const struct rn_track_claim *claim,
		    rn_time now);
int rn_switch_unclaim(struct rn_switch *sw, unsigned client, uint32_t remote_qpn,
		      const struct rn_gid *peer);

/* Decides where the frame of len bytes goes. `from` is RN_SWITCH_WIRE or an attached client. The
 * caller delivers the frame if the outcome is of the kind FORWARD. The frame must be a private copy
 * that nobody changes until it is delivered, because it is read several times. */
enum rn_outcome rn_switch_rx(struct rn_switch *sw, unsigned from, const uint8_t *frame, size_t len,
			     struct rn_switch_way *way, rn_time now);
/* Has the switch something to send? Cheap; rn_switch_tx() may find nothing all the same. */
bool rn_switch_wants_tx(const struct rn_switch *sw);
/* Writes the next frame that the switch itself sends, and sets *way. Returns its length in
 * bytes, or 0 if nothing is due. buf has at least RN_SWITCH_TX_BYTES. */
#define RN_SWITCH_TX_BYTES 2048
unsigned rn_switch_tx(struct rn_switch *sw, uint8_t *buf, size_t cap, struct rn_switch_way *way,
		      rn_time now);
/* Runs timers. rn_switch_next() returns when to call rn_switch_tick() next. */
void rn_switch_tick(struct rn_switch *sw, rn_time now);
rn_time rn_switch_next(const struct rn_switch *sw);

/* Announces the addresses of the port, when the link comes up. */
void rn_switch_announce(struct rn_switch *sw);

/* Returns how many frames from the wire or from this client had this outcome. The counters of a
 * client start at 0 when the client attaches. */
uint64_t rn_switch_count(const struct rn_switch *sw, unsigned from, enum rn_outcome outcome);
/* Returns the number of connections of the client that the switch knows. */
unsigned rn_switch_connections(const struct rn_switch *sw, unsigned client);

#endif
