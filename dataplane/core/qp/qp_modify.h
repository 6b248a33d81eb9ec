/* Changes and queries the attributes of a queue pair. Runs on the shard's thread. */
#ifndef RN_QP_MODIFY_H
#define RN_QP_MODIFY_H

#include "qp/qp.h"

/* Changes the state and the attributes that `mask` names. Returns 0, or -EINVAL without a change:
 * the table of transitions (qp.h) does not permit the change, or a value is invalid for the QP or
 * its port. */
int rn_qp_modify(struct rn_qp *qp, uint32_t mask, const struct rn_qp_attr *attr, rn_time now);
void rn_qp_query(const struct rn_qp *qp, struct rn_qp_attr *attr);

#endif
