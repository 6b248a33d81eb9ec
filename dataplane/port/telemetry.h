/* Counters for dpdk-telemetry.py and similar tools: /softrnic/list,
 * /softrnic/stats,<adapter>, /softrnic/wake. Available when EAL's telemetry runs
 * (eal.shared, or "--telemetry" in eal.args). */
#ifndef RN_TELEMETRY_H
#define RN_TELEMETRY_H

#include <stdint.h>

/* Where the counters come from: n adapters with names and counters. The functions are called from
 * telemetry's thread. */
struct rn_telemetry_source {
	unsigned n;
	const char *(*name)(void *arg, unsigned i);
	void (*stats)(void *arg, unsigned i,
		      void (*fn)(void *fn_arg, const char *name, uint64_t value), void *fn_arg);
	void *arg;
};

/* rn_telemetry_publish() copies *source; the copy is used until rn_telemetry_withdraw(), which
 * waits until no function of the source is being called. Both are to be called in the control
 * thread. */
void rn_telemetry_publish(const struct rn_telemetry_source *source);
void rn_telemetry_withdraw(void);

#endif
