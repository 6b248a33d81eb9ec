/* All adapters that a process's configuration names, and the resources that these adapters share. A
 * process has one runtime. A lock in inproc.c makes sure that only one thread at a time is in these
 * functions. */
#ifndef RN_NIC_RUNTIME_H
#define RN_NIC_RUNTIME_H

#include <pthread.h>

#include "port/claim.h"
#include "port/clock.h"
#include "config/config.h"
#include "nic/nic.h"

struct rte_mempool;
struct rn_daemon_service;

struct rn_runtime {
	/* the configuration, set by the caller before rn_runtime_start() */
	struct rn_config cfg;
	const struct rn_link_ops *ops; /* functions of struct rn_link for each adapter */

	struct rn_nic *nic[RN_CONFIG_MAX_ADAPTERS];
	/* each adapter's claims on addresses of kernel interfaces */
	struct rn_claims claims[RN_CONFIG_MAX_ADAPTERS];
	/* each adapter's attachment to softrnicd, or NULL */
	struct rn_daemon_service *daemon[RN_CONFIG_MAX_ADAPTERS];
	unsigned starts; /* number of starts so far; makes device and pool names unique */
	struct rn_clock clock;
	struct rte_mempool *pool;
	struct rn_capture_file *capture;
	pthread_t watcher;
	bool watching, stop;
	bool news; /* the watcher shall look at once: a driver has announced something */
	pthread_mutex_t stop_lock;
	pthread_cond_t stop_cond;
};

void rn_runtime_init(struct rn_runtime *r);
/* Starts EAL, and creates the packet pool, ports, adapters and threads. Returns 0, or -errno with a
 * sentence in err. After an error only EAL still runs. */
int rn_runtime_start(struct rn_runtime *r, char *err, size_t errlen);
void rn_runtime_stop(struct rn_runtime *r);

#endif
