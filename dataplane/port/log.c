/* Which messages are written, and in which form? Owns the log type registered with DPDK and, per
 * message, when it was written last. Any thread but a shard's turn. */
#include "log.h"

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

/* One per row: from which second on the next line may be written, and how many were withheld since
 * the last. */
static struct {
	_Atomic uint64_t from;
	_Atomic uint32_t withheld;
} limits[RN_LOG_COUNT];

static int type(void)
{
	static _Atomic int registered = -1;
	int t = atomic_load(&registered);

	if (t >= 0)
		return t;
	/* The same number for whoever asks for the same name. */
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

bool rn_log_may(enum rn_log_id id, uint64_t now_s, uint32_t *left_out)
{
	unsigned every_s = rn_log_rows[id].every_s;
	uint64_t from = atomic_load(&limits[id].from);

	*left_out = 0;
	if (every_s == 0)
		return true;
	/* Of several threads in one moment one writes. */
	if (now_s < from ||
	    !atomic_compare_exchange_strong(&limits[id].from, &from, now_s + every_s)) {
		atomic_fetch_add(&limits[id].withheld, 1);
		return false;
	}
	*left_out = atomic_exchange(&limits[id].withheld, 0);
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
	uint32_t left_out;
	va_list ap;

	if (!rn_log_wants(id) || !rn_log_may(id, now_s(), &left_out))
		return;
	va_start(ap, text);
	vsnprintf(line, sizeof(line), text, ap);
	va_end(ap);
	if (left_out > 0)
		snprintf(more, sizeof(more), " (and %u more since the last such line)", left_out);
	/* In one call: a line of another thread does not come between. */
	rte_log(level, (uint32_t)type(), "softrnic: %s: %s%s\n", rn_log_level_word(level), line,
		more);
}
