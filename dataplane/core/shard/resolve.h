/* The command RESOLVE and the events that answer it later. Shard 0. */
#ifndef RN_RESOLVE_H
#define RN_RESOLVE_H

#include "shard/core.h"

/* The command: 0 when the answer is known, -EINPROGRESS when an event will bring it. */
int rn_resolve_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);
/* Some neighbour's state changed: those who asked with RESOLVE and have an answer now get an event. */
void rn_resolve_look(struct rn_shard *sh, rn_time now);
bool rn_resolve_event(struct rn_shard *sh, struct rn_event *ev);

#endif
