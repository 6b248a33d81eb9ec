/* Starts DPDK's environment abstraction layer (EAL) once per process, or uses the one that the
 * application has started. */
#ifndef RN_NIC_EAL_H
#define RN_NIC_EAL_H

#include "config/config.h"

/* Starts EAL unless it runs. bytes: expected size of the packet buffers and port rings, which are
 * allocated later. The calling thread's CPU set is not changed. The caller serialises calls.
 * Returns 0, or -errno with a sentence in err. After a failed start of EAL every further call fails
 * in this process. */
int rn_eal_start(const struct rn_config *cfg, uint64_t bytes, char *err, size_t errlen);

#endif
