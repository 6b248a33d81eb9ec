/* Commands, and what lives as long as the shard: creation, destruction, port changes. Private to core. Shard thread. */
#ifndef RN_EXEC_H
#define RN_EXEC_H

#include "shard/core.h"
#include "net/neigh.h"

/* Some neighbour's state changed: those who asked with RESOLVE and have an answer now get an event. */
void rn_exec_resolved(struct rn_shard *sh, rn_time now);
bool rn_exec_resolved_event(struct rn_shard *sh, struct rn_event *ev);

/* QPs whose next hop is addr send to mac from now on. */
void rn_shard_new_mac(struct rn_shard *sh, const struct rn_gid *addr, const uint8_t mac[6]);

#endif
