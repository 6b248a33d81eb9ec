/* The command RESOLVE and its events. Shard 0. */
#ifndef RN_RESOLVE_H
#define RN_RESOLVE_H

#include "shard/core.h"

/* Executes RESOLVE. Returns 0 if *x->rsp has the answer, -EINPROGRESS if an event will report the
 * answer, or another negative errno if the command failed. */
int rn_resolve_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);
/* To be called after a neighbour has changed its state: marks each waiting RESOLVE that now has an
 * answer, so that rn_resolve_event() reports it. */
void rn_resolve_look(struct rn_shard *sh, rn_time now);
/* Moves one answered RESOLVE to *ev as an event. Returns false if there is none. */
bool rn_resolve_event(struct rn_shard *sh, struct rn_event *ev);

#endif
