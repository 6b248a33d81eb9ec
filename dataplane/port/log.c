/* Writes the log messages, and limits their rate. Owns the log type registered with DPDK, and the
 * rate limit of each message and adapter. Any thread may write a message, but not while the thread
 * polls a shard, because writing may block. */
#include "port/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <rte_log.h>

#define LINE_BYTES 1024

const struct rn_log_row rn_log_rows[RN_LOG_COUNT] = {
#define X(n, lvl, every, txt, mean) \
	{.name = #n, .text = txt, .meaning = mean, .level = RN_LOG_##lvl, .every_s = every},
	RN_LOG_ROWS(X)
#undef X
};

#define ADAPTERS 16 /* number of slots; all adapters that find no free slot share the last slot */

/* Slot i holds the hash of the name of an adapter that has written a rate-limited message, or 0 if
 * the slot is free. */
static _Atomic uint64_t adapters[ADAPTERS];

/* The rate limit of each pair of message and adapter. `from` is the time in seconds from which the
 * next line may be written. `withheld` counts the lines suppressed since the last line. */
static struct {
	_Atomic uint64_t from;
	_Atomic uint32_t withheld;
} limits[RN_LOG_COUNT][ADAPTERS];

/* Returns the number of the DPDK log type, which the first call registers. Until rn_log_open() has
 * set the configured level, only warnings and errors are written. */
static int type(void)
{
	static _Atomic int registered = -1;
	int t = atomic_load(&registered);

	if (t >= 0)
		return t;
	/* Two threads may register at the same time: DPDK returns the same number to both. */
	t = rte_log_register("softrnic");
	if (t < 0)
		return RTE_LOGTYPE_USER1;
	rte_log_set_level((uint32_t)t, RN_LOG_WARNING);
	atomic_store(&registered, t);
	return t;
}

void rn_log_open(enum rn_log_level level)
{
	rte_log_set_level((uint32_t)type(), level);
}

const char *rn_log_level_word(enum rn_log_level level)
{
	switch (level) {
#define X(name, dpdk, word) \
	case RN_LOG_##name: \
		return word;
		RN_LOG_LEVEL_ROWS(X)
#undef X
	}
	return "";
}

bool rn_log_wants(enum rn_log_id id)
{
	return rte_log_can_log((uint32_t)type(), rn_log_rows[id].level);
}

/* Returns the FNV-1a hash of the name, with the lowest bit set. So the hash is never 0, which
 * stands for a free slot. */
static uint64_t hash_of(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return h | 1;
}

static unsigned number_of(const char *adapter)
{
	uint64_t hash = hash_of(adapter);

	for (unsigned i = 0; i < ADAPTERS; i++) {
		uint64_t there = 0;

		if (atomic_compare_exchange_strong(&adapters[i], &there, hash) || there == hash)
			return i;
	}
	return ADAPTERS - 1;
}

bool rn_log_may(enum rn_log_id id, const char *adapter, uint64_t now_s, uint32_t *left_out)
{
	unsigned every_s = rn_log_rows[id].every_s, i = every_s > 0 ? number_of(adapter) : 0;
	uint64_t from = atomic_load(&limits[id][i].from);

	*left_out = 0;
	if (every_s == 0)
		return true;
	/* If several threads get here at the same time, the compare-and-exchange lets one of them
	 * write the message. */
	if (now_s < from ||
	    !atomic_compare_exchange_strong(&limits[id][i].from, &from, now_s + every_s)) {
		atomic_fetch_add(&limits[id][i].withheld, 1);
		return false;
	}
	*left_out = atomic_exchange(&limits[id][i].withheld, 0);
	return true;
}

static uint64_t now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec;
}

void rn_log_write(enum rn_log_id id, const char *text, ...)
{
	enum rn_log_level level = rn_log_rows[id].level;
	char line[LINE_BYTES], more[64] = "";
	const char *adapter = "";
	uint32_t left_out;
	va_list ap;

	if (!rn_log_wants(id))
		return;
	if (rn_log_rows[id].every_s > 0) {
		va_start(ap, text);
		adapter = va_arg(ap, const char *);
		va_end(ap);
	}
	if (!rn_log_may(id, adapter, now_s(), &left_out))
		return;
	va_start(ap, text);
	vsnprintf(line, sizeof(line), text, ap);
	va_end(ap);
	if (left_out > 0)
		snprintf(more, sizeof(more), " (and %u more since the last such line)", left_out);
	/* Write the line in one call, so that lines of different threads do not mix. */
	rte_log(level, (uint32_t)type(), "softrnic: %s: %s%s\n", rn_log_level_word(level), line,
		more);
}
