/* Runs commands and links CQ rings in a shard. The calling thread waits for the shard. To be called
 * in a control thread, which holds the adapter's control lock if it also changes the object
 * tables. */
#ifndef RN_NIC_SHARD_CALL_H
#define RN_NIC_SHARD_CALL_H

#include "nic/objects.h"
#include "port/mailbox.h"
#include "shard/core.h"

struct rn_nic;

struct rn_nic_exec_call {
	struct rn_call call; /* must be the first member: run_exec() casts it to this struct */
	struct rn_exec x;
	/* ring[i] is linked to cq[i] before the command runs, unless ring[i] is NULL */
	struct rn_nic_cq *cq[2];
	struct rn_cq_ring *ring[2];
	struct rn_nic_srq *srq; /* SRQ to be linked in the shard before the command runs, or NULL */
};

/* Fills in and runs call *c with command `cmd` in shard `shard`. Frees the memory of an object that
 * the command destroyed, after a grace period. Returns rsp->err. */
int rn_nic_exec_call(struct rn_nic *nic, unsigned shard, struct rn_nic_exec_call *c,
		     const struct rn_cmd *cmd, struct rn_rsp *rsp);
/* Makes room in `cq` for `more` completions of shard `shard`; links a larger ring if needed.
 * Returns 0 or -ENOMEM. The caller holds the control lock. */
int rn_nic_cq_room(struct rn_nic *nic, struct rn_nic_cq *cq, unsigned shard, uint64_t more);
/* Runs a command as rn_nic_exec_call() does, for commands that link no CQ ring and no SRQ and
 * create no QP. */
int rn_nic_exec_in(struct rn_nic *nic, unsigned shard, const struct rn_cmd *cmd,
		   struct rn_rsp *rsp);
/* Waits until all shards except shard 0 have taken the work requests submitted so far. To be called
 * before a command in shard 0 that ends a connection. */
void rn_nic_drain_other_shards(struct rn_nic *nic);
/* Makes the shard write its completions of `cq` into `ring` from now on. */
void rn_nic_link_ring(struct rn_nic *nic, unsigned shard, struct rn_nic_cq *cq,
		      struct rn_cq_ring *ring);

#endif
