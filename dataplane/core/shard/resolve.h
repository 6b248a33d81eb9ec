/* The command RESOLVE and its events. Runs on the thread of shard 0. */
#ifndef RN_RESOLVE_H
#define RN_RESOLVE_H

#include "shard/core.h"

/* Executes RESOLVE. Return values:
 * - 0: *x->rsp has the answer
 * - -EINPROGRESS: an event will report the answer
 * - another negative errno: the command failed */
int rn_resolve_exec(struct rn_shard *sh, struct rn_exec *x, rn_time now);
/* To be called after a neighbour has changed its state. Marks each waiting RESOLVE that now has an
 * answer; rn_resolve_event() then reports the answer. */
void rn_resolve_look(struct rn_shard *sh, rn_time now);
/* Moves one answered RESOLVE to *ev as an event. Returns false if no RESOLVE is answered. */
bool rn_resolve_event(struct rn_shard *sh, struct rn_event *ev);

#endif
