/* Shared receive queues of an adapter: their commands. Under the adapter's
 * control lock, but for posting. */
#ifndef RN_NIC_SRQ_H
#define RN_NIC_SRQ_H

#include "rn/abi.h"

struct rn_nic;

/* Commands. */
int rn_nic_srq_create(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);
int rn_nic_srq_modify(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);
int rn_nic_srq_destroy(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);

#endif
