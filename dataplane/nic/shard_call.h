/* Commands and rings on their way into a shard, and back with an answer. Control thread of the moment, under the adapter's
 * control lock where tables of objects change with them. */
#ifndef RN_NIC_SHARD_CALL_H
#define RN_NIC_SHARD_CALL_H

#include "nic/objects.h"
#include "port/mailbox.h"
#include "shard/core.h"

struct rn_nic;

struct rn_nic_exec_call {
	struct rn_call call; /* first */
	struct rn_exec x;
	/* rings to link before the command runs */
	struct rn_nic_cq *cq[2];
	struct rn_cq_ring *ring[2];
	struct rn_nic_srq *srq; /* to be made known, or NULL */
};

/* Runs a command in a shard. Whatever block it frees is freed when nobody can look at it any more. Returns rsp->err. */
int rn_nic_exec_call(struct rn_nic *nic, unsigned shard, struct rn_nic_exec_call *c, const struct rn_cmd *cmd, struct rn_rsp *rsp);
/* Room on `cq` for `more` completions of shard `shard`: links a larger ring if need be. 0 or -ENOMEM. Under
 * the control lock. */
int rn_nic_cq_room(struct rn_nic *nic, struct rn_nic_cq *cq, unsigned shard, uint64_t more);
/* Runs a command in a shard: rsp->err. */
int rn_nic_exec_in(struct rn_nic *nic, unsigned shard, const struct rn_cmd *cmd, struct rn_rsp *rsp);
/* A command of shard 0 that ends a connection must not overtake work posted to the connection's own shard. */
void rn_nic_let_others_catch_up(struct rn_nic *nic);
/* The shard writes into this ring from now on. */
void rn_nic_link_ring(struct rn_nic *nic, unsigned shard, struct rn_nic_cq *cq, struct rn_cq_ring *ring);

#endif
