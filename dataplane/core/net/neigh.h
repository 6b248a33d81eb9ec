/* The neighbour table: the MAC of each next hop. Sends and answers ARP requests and IPv6 neighbour
 * solicitations, and answers echo requests. Has no threads, locks or clock; runs on shard 0. The
 * configuration gives static entries and gateways. An "own address" is an address of this NIC.
 *
 * A local entry is made when this NIC resolves an address. A foreign entry is made when a neighbour
 * asks for an own address, and becomes local when this NIC uses it. Unsolicited answers and
 * announcements make no entry. In a full table, a new entry displaces an old one, foreign entries
 * first.
 *
 * A message that gives a known neighbour another MAC does not change the entry, but starts probes.
 * First the known MAC is probed, at most three times. If there is no reply, a probe is broadcast,
 * and the reply to the broadcast sets the MAC. */
#ifndef RN_NEIGH_H
#define RN_NEIGH_H

#include "wire/pkt.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_neigh;
struct rn_core_cfg;
struct rn_port_attr;

enum rn_neigh_state { RN_NEIGH_PENDING, RN_NEIGH_READY, RN_NEIGH_FAILED };

/* Creates the table. Copies *port and, from *cfg, the static entries, limits and timers. Returns
 * NULL if there is no memory. */
struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 rn_time now);
void rn_neigh_destroy(struct rn_neigh *n);
/* The caller reports that the NIC's addresses or MAC have changed. Removes the entries whose
 * address is in no subnet of the NIC any more. Announces the NIC's new addresses, or all addresses
 * if the MAC changed. */
void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now);

/* Announces every own address (gratuitous ARP, unsolicited advertisement). Called when the Ethernet
 * link comes up, because switches and neighbours may have lost their entries. */
void rn_neigh_announce(struct rn_neigh *n);

/* Resolves the next hop of dst. Results:
 *	READY    mac is filled. Own addresses (own MAC, for loopback) and groups are READY at once.
 *	         An entry older than neigh_reachable stays READY while it is probed again.
 *	PENDING  probes are being sent.
 *	FAILED   no IP route, no free entry, or neigh_probes probes had no reply. After such
 *	         probes the result stays FAILED for at most neigh_retry. A probe that the NIC
 *	         has not taken after four expiries of its timer counts as one without a reply.
 * src is the source address of the packets. Probes have the same source if src is an own address of
 * the next hop's family and the next hop is not link-local. Otherwise rn_port_source() chooses the
 * source of the probes. */
enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src,
				     const struct rn_gid *dst, uint8_t mac[6], rn_time now);

/* Looks up the MAC of the next hop for dst, which may be a forged address: sends no probe and makes
 * no entry. Returns READY and fills mac if the MAC is known, PENDING if the MAC is unknown, FAILED
 * if there is no IP route. */
enum rn_neigh_state rn_neigh_known(struct rn_neigh *n, const struct rn_gid *dst, uint8_t mac[6]);

/* rn_neigh_hold() keeps the entry for the next hop of dst in the table until rn_neigh_release().
 * Returns NULL if there is no entry. */
struct rn_nbr;
struct rn_nbr *rn_neigh_hold(struct rn_neigh *n, const struct rn_gid *dst);
void rn_neigh_release(struct rn_neigh *n, struct rn_nbr *e);

/* Makes rn_neigh_changed() report the MAC of the next hop of dst again, if this MAC is known. A QP
 * that took its destination MAC from a packet of the peer then gets the MAC in the table. */
void rn_neigh_report_again(struct rn_neigh *n, const struct rn_gid *dst);

/* The caller reports that packets to dst are not answered. Broadcasts a probe for the next hop,
 * unless its MAC was confirmed within the last neigh_retry. Packets use the known MAC meanwhile.
 * The probe finds a peer that has moved, and corrects a MAC that was damaged in an ARP message. */
void rn_neigh_probe(struct rn_neigh *n, const struct rn_gid *dst, rn_time now);

/* Processes an ARP, ND or ICMP packet. pkt->payload points behind the EtherType (ARP) or behind the
 * IP header (ND, ICMP). */
enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now);

/* Writes the next frame to send and returns its length in bytes. Returns 0 if there is nothing to
 * send, or if cap is below the longest ARP or ND frame. An echo reply longer than cap is dropped
 * and counted. */
unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now);
bool rn_neigh_wants_tx(const struct rn_neigh *n);

/* Takes the next entry that became READY or FAILED or whose MAC changed. *addr is the address of
 * the neighbour, which may be a gateway (rn_port_next_hop()). Returns false if no further entry has
 * changed. */
bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6],
		      enum rn_neigh_state *state);
/* Returns a number that grows with each change that may end a wait for a MAC. A caller that stores
 * the number can see later whether there was such a change. This function does not affect what
 * rn_neigh_changed() returns. */
uint64_t rn_neigh_epoch(const struct rn_neigh *n);

rn_time rn_neigh_next(const struct rn_neigh *n);
void rn_neigh_tick(struct rn_neigh *n, rn_time now);

/* Returns the number of entries in the table, including the static ones. */
unsigned rn_neigh_count(const struct rn_neigh *n);
/* Returns the number of messages in which other hosts claimed an address of this NIC. The NIC
 * answers such a message by announcing the address, at most once in ten seconds. */
uint64_t rn_neigh_conflicts(const struct rn_neigh *n);
/* Returns the number of resolutions that failed because every entry was in use. */
uint64_t rn_neigh_full(const struct rn_neigh *n);
/* Returns the number of dropped ARP, ND and echo replies: the reply queue was full, or the frame
 * did not fit into the buffer. */
uint64_t rn_neigh_dropped(const struct rn_neigh *n);

#endif
