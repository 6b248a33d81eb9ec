/* The neighbour table contains the MAC of each next hop. This code sends and answers ARP requests
 * and IPv6 neighbour solicitations, and answers ICMP and ICMPv6 echo requests. It is a state
 * machine without threads, locks or clock, called by shard 0 only. Static entries and gateways come
 * from the configuration. An "own address" is an address of this NIC's port.
 *
 * An entry is made when this NIC resolves an address, or when a neighbour asks for an own address,
 * since its traffic is likely to follow. An unsolicited answer or an announcement makes no entry.
 *
 * A message that gives a known neighbour another MAC does not change the entry. First the known MAC
 * is probed: three times, but at most neigh_probes - 1 times. The probes are neigh_retry apart. If
 * the known MAC replies, the entry stays as it is. If it does not, the next probe is broadcast, and
 * the reply to the broadcast sets the MAC. So a neighbour that has moved and announced its new MAC
 * is reached again after at most three times neigh_retry.
 *
 * An entry that this NIC resolved is local. An entry that a neighbour's question made is foreign
 * until this NIC uses it. If the table is full, a new entry displaces the oldest foreign entry. If
 * there is no foreign entry, a new local entry displaces a local one: the longest unused of those
 * that are not static, do not wait for the first reply, and are not held by a connection
 * (rn_neigh_hold()). */
#ifndef RN_NEIGH_H
#define RN_NEIGH_H

#include "wire/pkt.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_neigh;
struct rn_core_cfg;
struct rn_port_attr;

enum rn_neigh_state { RN_NEIGH_PENDING, RN_NEIGH_READY, RN_NEIGH_FAILED };

/* Creates the table. Copies the static entries, limits and timers in cfg, and *port. Returns NULL
 * if there is no memory. */
struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 rn_time now);
void rn_neigh_destroy(struct rn_neigh *n);
/* To be called when the port's addresses or MAC have changed. Removes the entries whose address is
 * in no subnet of the port any more, and announces the port's new addresses, or all of them if the
 * MAC changed. */
void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now);

/* Announces every own address (gratuitous ARP, unsolicited advertisement). To be called when the
 * link comes up, because switches and neighbours may have removed or changed their entries. */
void rn_neigh_announce(struct rn_neigh *n);

/* Resolves the next hop of dst.
 *	READY    mac is filled. Own addresses (own MAC, for loopback) and groups are READY at once.
 *	         An entry older than neigh_reachable stays READY while it is probed again, and
 *	         becomes FAILED if no reply comes.
 *	PENDING  probes are being sent.
 *	FAILED   no route, no free entry, or neigh_probes probes without a reply (the state stays
 *	         FAILED for one neigh_retry). Four probes that the port did not take count as one.
 * src is the address from which the packets will be sent. Probes are sent from src too if src is an
 * own address of the next hop's family and the next hop is not link-local; otherwise they are sent
 * from the own address that rn_port_source() chooses. */
enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src,
				     const struct rn_gid *dst, uint8_t mac[6], rn_time now);

/* Looks up the MAC of the next hop for dst. Sends no probe and makes no entry, so it may be called
 * to reply to a packet whose source address may be forged. Returns READY and fills mac if the MAC
 * is known, PENDING if it is not known, FAILED if there is no route. */
enum rn_neigh_state rn_neigh_known(struct rn_neigh *n, const struct rn_gid *dst, uint8_t mac[6]);

/* rn_neigh_hold() keeps the entry of dst's next hop in the table until rn_neigh_release(). It
 * returns NULL if there is no entry. */
struct rn_nbr;
struct rn_nbr *rn_neigh_hold(struct rn_neigh *n, const struct rn_gid *dst);
void rn_neigh_release(struct rn_neigh *n, struct rn_nbr *e);

/* Makes rn_neigh_changed() report the MAC of dst's next hop again, if the MAC is known. A QP whose
 * destination MAC was taken from a packet of the peer then gets the MAC in the table. */
void rn_neigh_report_again(struct rn_neigh *n, const struct rn_gid *dst);

/* To be called when packets to dst are not answered. Broadcasts a probe for the next hop, unless
 * its MAC was confirmed within the last neigh_retry. Until the probe is answered or has failed,
 * packets use the known MAC. The probe finds a peer that has moved without an announcement. It also
 * corrects a MAC that was damaged in an ARP message, since ARP messages have no checksum. */
void rn_neigh_probe(struct rn_neigh *n, const struct rn_gid *dst, rn_time now);

/* Processes an ARP, ND or ICMP packet. pkt->payload points to the bytes after the EtherType (ARP)
 * or after the IP header (ND, ICMP). */
enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now);

/* Writes the next frame to send: probe, reply, announcement or echo reply. Returns the length in
 * bytes. Returns 0 if there is nothing to send, or if cap is below the longest ARP or ND frame. An
 * echo reply longer than cap is dropped and counted. */
unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now);
bool rn_neigh_wants_tx(const struct rn_neigh *n);

/* Takes the next entry that has changed, so that pending resolutions and QPs can be updated: the
 * entry became READY or FAILED, or its MAC changed. *addr is the address of the neighbour; for
 * peers behind a gateway, this is the address of the gateway (rn_port_next_hop()). Returns false if
 * no other entry has changed. */
bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6],
		      enum rn_neigh_state *state);
/* Number of changes so far. To detect a change, another module compares this number with the number
 * that it saw last. The change stays there for rn_neigh_changed(). */
uint64_t rn_neigh_epoch(const struct rn_neigh *n);

rn_time rn_neigh_next(const struct rn_neigh *n);
void rn_neigh_tick(struct rn_neigh *n, rn_time now);

/* Number of entries in the table, static ones included. */
unsigned rn_neigh_count(const struct rn_neigh *n);
/* Number of messages in which other hosts claimed an address of this NIC. The NIC answers such a
 * message by announcing the address, but not if its last answer was less than ten seconds ago. */
uint64_t rn_neigh_conflicts(const struct rn_neigh *n);
/* Number of resolutions that failed because every entry was in use. */
uint64_t rn_neigh_full(const struct rn_neigh *n);
/* Number of ARP, ND and echo replies dropped because their queue was full or the frame did not fit
 * into the buffer. */
uint64_t rn_neigh_dropped(const struct rn_neigh *n);

#endif
