/* Starts DPDK's environment abstraction layer (EAL) once per process, or uses the EAL that the
 * application has started. */
#ifndef RN_NIC_EAL_H
#define RN_NIC_EAL_H

#include "config/config.h"

/* Starts EAL unless EAL runs already. `bytes` is the expected size of the packet buffers and port
 * rings, which are allocated later. Returns 0, or -errno with a sentence in err. After a failed
 * start every further call in this process fails. The CPU set of the calling thread stays as it is.
 * The caller serialises calls. */
int rn_eal_start(const struct rn_config *cfg, uint64_t bytes, char *err, size_t errlen);

#endif
