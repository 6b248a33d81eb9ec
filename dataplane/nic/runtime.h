/* Everything one process runs: all adapters of its configuration. One at a time; the in-process link serialises. */
#ifndef RN_NIC_RUNTIME_H
#define RN_NIC_RUNTIME_H

#include <pthread.h>

#include "port/claim.h"
#include "port/clock.h"
#include "config/config.h"
#include "nic/nic.h"

struct rte_mempool;

struct rn_runtime {
	/* set by the owner before the start */
	struct rn_config cfg;
	const struct rn_link_ops *ops; /* of the adapters' links */

	struct rn_nic *nic[RN_CONFIG_MAX_ADAPTERS];
	struct rn_claims claims[RN_CONFIG_MAX_ADAPTERS]; /* of the addresses of kernel interfaces */
	unsigned starts; /* ever, to keep the names of devices apart */
	struct rn_clock clock;
	struct rte_mempool *pool;
	struct rn_capture_file *capture;
	pthread_t watcher;
	bool watching, stop;
	pthread_mutex_t stop_lock;
	pthread_cond_t stop_cond;
};

void rn_runtime_init(struct rn_runtime *r);
/* EAL, pool, ports, adapters, threads. 0, or -errno with a sentence in err and nothing left running but EAL. */
int rn_runtime_start(struct rn_runtime *r, char *err, size_t errlen);
void rn_runtime_stop(struct rn_runtime *r);

#endif
