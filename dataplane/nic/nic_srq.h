/* The commands for shared receive queues (SRQ). Callers hold the adapter's control lock. Posting a
 * receive is not a command and needs no lock (struct rn_link_ops.srq_post). */
#ifndef RN_NIC_SRQ_H
#define RN_NIC_SRQ_H

#include "rn/abi.h"

struct rn_nic;

/* Execute CREATE_SRQ, MODIFY_SRQ and DESTROY_SRQ. Each function returns 0 or -errno.
 * include/rn/client.h describes the errors at the rn_client_srq functions. */
int rn_nic_srq_create(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);
int rn_nic_srq_modify(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);
int rn_nic_srq_destroy(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp);

#endif
