/* Commands of DPDK's telemetry by which tools outside the process read the counters, and reset a
 * card. Owns the current source of counters. The commands can never be unregistered. They run in
 * the thread of telemetry. */
#include "port/telemetry.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <rte_telemetry.h>

#include "port/wake.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rn_telemetry_source source; /* protected by `lock`; n == 0 if there is no source */

/* Handles /softrnic/list: returns the names of all adapters. */
static int list(const char *cmd, const char *params, struct rte_tel_data *d)
{
	rte_tel_data_start_array(d, RTE_TEL_STRING_VAL);
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < source.n; i++)
		rte_tel_data_add_array_string(d, source.name(source.arg, i));
	pthread_mutex_unlock(&lock);
	return 0;
}

static void add(void *arg, const char *name, uint64_t value)
{
	rte_tel_data_add_dict_u64(arg, name, value);
}

static int add_stats(unsigned i, struct rte_tel_data *d)
{
	source.stats(source.arg, i, add, d);
	return 0;
}

static int request_reset(unsigned i, struct rte_tel_data *d)
{
	rte_tel_data_add_dict_string(d, "reset", "requested");
	return source.reset(source.arg, i);
}

/* Calls `what` for the adapter whose name is `params`. Holds the lock meanwhile, so that
 * rn_telemetry_withdraw() waits for the end of the call. Returns the result, or -ENOENT. */
static int with_adapter(const char *params, struct rte_tel_data *d,
			int (*what)(unsigned i, struct rte_tel_data *d))
{
	int rc = -ENOENT;

	if (params == NULL)
		return -EINVAL;
	rte_tel_data_start_dict(d);
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < source.n; i++)
		if (strcmp(source.name(source.arg, i), params) == 0)
			rc = what(i, d);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Handles /softrnic/stats,<adapter>: returns all counters of one adapter. */
static int stats(const char *cmd, const char *params, struct rte_tel_data *d)
{
	return with_adapter(params, d, add_stats);
}

/* Handles /softrnic/reset,<adapter>: requests a reset of the adapter's card, which takes place
 * within 100 ms. DPDK answers with "null" if the port cannot be reset. */
static int reset(const char *cmd, const char *params, struct rte_tel_data *d)
{
	return with_adapter(params, d, request_reset);
}

/* Handles /softrnic/wake: returns the text of each row of RN_WAKE_ROWS. */
static int wake(const char *cmd, const char *params, struct rte_tel_data *d)
{
	rte_tel_data_start_dict(d);
	for (unsigned i = 0; i < rn_wake_nrows; i++) {
		const struct rn_wake_row *row = &rn_wake_rows[i];
		rte_tel_data_add_dict_string(d, row->driver[0] != '\0' ? row->driver : "other",
					     row->text);
	}
	return 0;
}

void rn_telemetry_publish(const struct rn_telemetry_source *s)
{
	static bool registered;

	pthread_mutex_lock(&lock);
	source = *s;
	pthread_mutex_unlock(&lock);
	/* Register the commands once per process: DPDK has no function to unregister them. */
	if (registered)
		return;
	registered = true;
	rte_telemetry_register_cmd("/softrnic/list", list, "Names of the adapters. No parameters");
	rte_telemetry_register_cmd("/softrnic/stats", stats,
				   "Counters of an adapter. Parameter: its name");
	rte_telemetry_register_cmd("/softrnic/reset", reset,
				   "Resets the network card of an adapter. Parameter: its name");
	rte_telemetry_register_cmd("/softrnic/wake", wake,
				   "What wakes a sleeping shard, by driver. No parameters");
}

void rn_telemetry_withdraw(void)
{
	pthread_mutex_lock(&lock);
	source.n = 0;
	pthread_mutex_unlock(&lock);
}
