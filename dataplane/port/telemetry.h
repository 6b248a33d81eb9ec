/* Counters for dpdk-telemetry.py and its like: /softrnic/list, /softrnic/stats,<adapter>, /softrnic/wake. There when EAL's
 * telemetry is (eal.shared, or "--telemetry" among eal.args). */
#ifndef RN_TELEMETRY_H
#define RN_TELEMETRY_H

#include <stdint.h>

/* What there is to tell. Called from telemetry's thread. */
struct rn_telemetry_source {
	unsigned n;
	const char *(*name)(void *arg, unsigned i);
	void (*stats)(void *arg, unsigned i, void (*fn)(void *fn_arg, const char *name, uint64_t value), void *fn_arg);
	void *arg;
};

/* From now on, until withdrawn; *source is copied. Withdraw returns when no call into the source is under way. */
void rn_telemetry_publish(const struct rn_telemetry_source *source);
void rn_telemetry_withdraw(void);

#endif
