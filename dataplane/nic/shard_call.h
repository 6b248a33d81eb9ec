/* Runs commands in a shard and links CQ rings to a shard. The calling thread waits for the shard.
 * To be called in a control thread, which holds the adapter's control lock if it also changes the
 * tables of objects. */
#ifndef RN_NIC_SHARD_CALL_H
#define RN_NIC_SHARD_CALL_H

#include "nic/objects.h"
#include "port/mailbox.h"
#include "shard/core.h"

struct rn_nic;

struct rn_nic_exec_call {
	struct rn_call call; /* first member: run_exec() casts `call` to this struct */
	struct rn_exec x;
	/* Before the command runs, the new ring ring[i] is linked to cq[i], unless ring[i] is
	 * NULL. */
	struct rn_nic_cq *cq[2];
	struct rn_cq_ring *ring[2];
	struct rn_nic_srq *srq; /* SRQ to link to the shard before the command runs, or NULL */
};

/* Fills in call *c with command `cmd`, and runs the call in shard `shard`. If the command destroyed
 * an object, frees the memory of the object after a grace period. Returns rsp->err. */
int rn_nic_exec_call(struct rn_nic *nic, unsigned shard, struct rn_nic_exec_call *c,
		     const struct rn_cmd *cmd, struct rn_rsp *rsp);
/* Makes room in `cq` for `more` completions of shard `shard`, if needed by linking a larger ring.
 * Returns 0 or -ENOMEM. The caller holds the control lock. */
int rn_nic_cq_room(struct rn_nic *nic, struct rn_nic_cq *cq, unsigned shard, uint64_t more);
/* Like rn_nic_exec_call(), for commands that link no CQ ring and no SRQ and create no QP. */
int rn_nic_exec_in(struct rn_nic *nic, unsigned shard, const struct rn_cmd *cmd,
		   struct rn_rsp *rsp);
/* Waits until all shards except shard 0 have taken the work requests submitted so far. To be called
 * before shard 0 executes a command that ends a connection. */
void rn_nic_drain_other_shards(struct rn_nic *nic);
/* Makes the shard write its completions of `cq` into `ring` from now on. */
void rn_nic_link_ring(struct rn_nic *nic, unsigned shard, struct rn_nic_cq *cq,
		      struct rn_cq_ring *ring);

#endif
