/* DPDK's environment, started once per process, or adopted when the application has started it already. */
#ifndef RN_NIC_EAL_H
#define RN_NIC_EAL_H

#include "config/config.h"

/* bytes: packet buffers and port rings that will be asked for. Leaves the calling thread's CPU set alone. 0 or -errno
 * with a sentence in err. The caller serialises. */
int rn_eal_start(const struct rn_config *cfg, uint64_t bytes, char *err, size_t errlen);

#endif
