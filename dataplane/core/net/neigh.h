/* Neighbours: which MAC a peer's packets go to. ARP and IPv6 neighbour discovery, both roles, as a
 * pure machine owned by shard 0; also answers ICMP and ICMPv6 echo. Static entries and gateways
 * come from the configuration.
 *
 * Who gets into the table: those somebody resolves, and those who ask for one of our addresses
 * (they are about to talk to us). An answer nobody asked for, or an announcement, never makes an entry. When it names
 * another MAC than a known one, that one is asked (up to three times, a neigh_retry apart) and keeps its place if it
 * answers; if it does not, everybody is asked, and the answer counts. So a neighbour that has moved, and said so, is
 * followed after three neigh_retry.
 *
 * Entries that somebody of ours resolved come before those of strangers, which are made when one asks for us: a stranger
 * displaces only another. A full table gives up the entry of a stranger that is longest unused, or else one of ours that is
 * neither static, nor being asked for, nor held by a connection (rn_neigh_hold()).
 */
#ifndef RN_NEIGH_H
#define RN_NEIGH_H

#include "wire/pkt.h"
#include "base/types.h"
#include "wire/verdict.h"

struct rn_neigh;
struct rn_core_cfg;
struct rn_port_attr;

enum rn_neigh_state { RN_NEIGH_PENDING, RN_NEIGH_READY, RN_NEIGH_FAILED };

/* cfg (static entries, limits, timers) and port are copied. NULL: no memory. */
struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 rn_time now);
void rn_neigh_destroy(struct rn_neigh *n);
/* Addresses or MAC changed: forgets what no longer holds, announces what is new. */
void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now);

/* The link is there again: announces every own address (gratuitous ARP, unsolicited advertisement), for the switches and
 * neighbours that forgot or moved meanwhile. */
void rn_neigh_announce(struct rn_neigh *n);

/* Next hop of dst as seen from src: READY fills mac; PENDING has started (or goes on) asking;
 * FAILED after neigh_probes unanswered questions (four that the port did not take count as one),
 * remembered for one neigh_retry, or when there is no route or no room. Own addresses are READY at once (loopback: own MAC), so are groups. An entry
 * older than neigh_reachable stays READY while it is asked for again, and turns FAILED when nobody
 * answers. */
enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src,
				     const struct rn_gid *dst, uint8_t mac[6], rn_time now);

/* What is known of the next hop of dst, without asking and without an entry: for answers to a stranger. READY fills mac;
 * PENDING: nothing is known; FAILED: no route. */
enum rn_neigh_state rn_neigh_known(struct rn_neigh *n, const struct rn_gid *dst, uint8_t mac[6]);

/* The entry of dst's next hop is in use until it is released: it stays in the table. NULL when there is none. */
struct rn_nbr;
struct rn_nbr *rn_neigh_hold(struct rn_neigh *n, const struct rn_gid *dst);
void rn_neigh_release(struct rn_neigh *n, struct rn_nbr *e);

/* Reports the MAC of dst's next hop once more (rn_neigh_changed()), if it is known: for who took a MAC from elsewhere. */
void rn_neigh_retell(struct rn_neigh *n, const struct rn_gid *dst);

/* Packets to dst stay without an answer: asks everybody for its next hop again, unless an answer came within the last
 * neigh_retry. The MAC at hand is used meanwhile. For a peer that moved without a word, and for answers that a bad link
 * changed: nothing in an ARP message would show it. */
void rn_neigh_doubt(struct rn_neigh *n, const struct rn_gid *dst, rn_time now);

/* ARP, ND and ICMP packets; pkt->payload is the message behind the EtherType or the IP header. */
enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now);

/* The next frame owed (ARP/ND question or answer, echo reply), complete. Returns its length, 0 when
 * nothing is owed. A frame longer than cap is dropped and counted. */
unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now);
bool rn_neigh_wants_tx(const struct rn_neigh *n);

/* A mapping that became READY, changed or FAILED since the last call: those who wait look again;
 * QPs take the new MAC. addr is a next hop: for peers behind a gateway, the gateway
 * (rn_port_next_hop). Returns false when there is none. */
bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6],
		      enum rn_neigh_state *state);
/* Counts those changes: lets several listeners see that something happened without taking it. */
uint64_t rn_neigh_epoch(const struct rn_neigh *n);

rn_time rn_neigh_next(const struct rn_neigh *n);
void rn_neigh_tick(struct rn_neigh *n, rn_time now);

/* Entries in the table, static ones included. */
unsigned rn_neigh_count(const struct rn_neigh *n);
/* Messages of others that claim an address of ours. It is announced again at once, but once in ten seconds at most. */
uint64_t rn_neigh_conflicts(const struct rn_neigh *n);
/* Addresses that one of ours wanted and that were not asked for: every entry is in use. */
uint64_t rn_neigh_full(const struct rn_neigh *n);
/* Answers that were owed and found no room. */
uint64_t rn_neigh_dropped(const struct rn_neigh *n);

#endif
