/* Neighbours: which MAC a peer's packets go to. ARP and IPv6 neighbour discovery, both roles, as a pure machine owned
 * by shard 0; also answers ICMP and ICMPv6 echo. Static entries and gateways come from the configuration. */
#ifndef RN_NEIGH_H
#define RN_NEIGH_H

#include "pkt.h"
#include "types.h"
#include "verdict.h"

struct rn_neigh;
struct rn_core_cfg;
struct rn_port_attr;

enum rn_neigh_state { RN_NEIGH_PENDING, RN_NEIGH_READY, RN_NEIGH_FAILED };

struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port, rn_time now);
void rn_neigh_destroy(struct rn_neigh *n);
/* Addresses or MAC changed: forgets what no longer holds. */
void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now);

/* Next hop of dst as seen from src: READY fills mac; PENDING has started (or goes on) asking; FAILED after
 * neigh_probes unanswered questions, remembered for one neigh_retry, or when there is no route. Own addresses are READY
 * at once (loopback: own MAC). */
enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src, const struct rn_gid *dst,
				     uint8_t mac[6], rn_time now);

/* ARP, ND and ICMP packets. */
enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now);

/* The next frame owed (ARP/ND question or answer, echo reply), complete. Returns its length, 0 when nothing is owed. */
unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now);
bool rn_neigh_wants_tx(const struct rn_neigh *n);

/* A mapping that became READY, changed or FAILED since the last call: those who wait look again; QPs take the new MAC.
 * Returns false when there is none. */
bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6], enum rn_neigh_state *state);

rn_time rn_neigh_next(const struct rn_neigh *n);
void rn_neigh_tick(struct rn_neigh *n, rn_time now);

#endif
