/* Commands for dpdk-telemetry.py and similar tools: /softrnic/list, /softrnic/stats,<adapter>,
 * /softrnic/reset,<adapter> and /softrnic/wake. They are available when EAL's telemetry runs
 * (eal.shared, or "--telemetry" in eal.args). */
#ifndef RN_TELEMETRY_H
#define RN_TELEMETRY_H

#include <stdint.h>

/* The source of the counters: n adapters with names and counters. The functions are called from the
 * thread of telemetry. */
struct rn_telemetry_source {
	unsigned n;
	const char *(*name)(void *arg, unsigned i);
	void (*stats)(void *arg, unsigned i,
		      void (*fn)(void *fn_arg, const char *name, uint64_t value), void *fn_arg);
	/* requests a reset of the adapter's network card; 0 or -errno */
	int (*reset)(void *arg, unsigned i);
	void *arg;
};

/* rn_telemetry_publish() copies *source. The copy is used until rn_telemetry_withdraw(), which
 * waits for running calls of the source's functions. To be called in the control thread. */
void rn_telemetry_publish(const struct rn_telemetry_source *source);
void rn_telemetry_withdraw(void);

#endif
