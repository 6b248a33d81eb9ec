/* Which configuration keys are there, with which type, range and default? This file has the rows of
 * schema.h as constant tables, one per section. The functions keep no state. Any thread may call
 * the functions. */
#include "config/keys.h"

#include <string.h>

#define WORD(name, word) #word,
#define WORD_LIST(list, words) \
	static const char *const rn_config_##list##_words[] = {words(WORD) NULL};
RN_CONFIG_WORD_LISTS(WORD_LIST)

/* clang-format off */
#define KEY_UINT(def, lo, hi)    .low = lo, .high = hi, .number = def
#define KEY_SEED(def, lo, hi)    .low = lo, .high = hi, .number = def
#define KEY_POW2(def, lo, hi)    .low = lo, .high = hi, .number = def
#define KEY_POW2_0(def, lo, hi)  .low = lo, .high = hi, .number = def
#define KEY_BOOL(def, lo, hi)    .low = lo, .high = hi, .number = def
#define KEY_PERCENT(def, lo, hi) .low = lo, .high = hi, .number = def
#define KEY_CHOICE(def, lo, hi)  .number = def, .words = lo##_words
#define KEY_TEXT(def, lo, hi)    .low = lo, .high = hi, .text = def
#define KEY_MAC(def, lo, hi)     .text = def
#define KEY_IP4(def, lo, hi)     .text = def
#define KEY_IP6(def, lo, hi)     .text = def
#define KEY_NETS4(def, lo, hi)   .high = hi, .text = def
#define KEY_NETS6(def, lo, hi)   .high = hi, .text = def
#define KEY_NEIGHS(def, lo, hi)  .high = hi, .text = def
#define KEY_CPUS(def, lo, hi)    .high = hi, .text = def
#define KEY_ARGS(def, lo, hi)    .high = hi, .text = def

#define KEY(section, kind, key, def, lo, hi, about) \
	{ .name = #key, .type = RN_CONFIG_##kind, .help = about, \
	  .offset = offsetof(struct rn_config_##section, key), \
	  .size = sizeof(((struct rn_config_##section *)0)->key), KEY_##kind(def, lo, hi) },

#define ADAPTER_KEY(...) KEY(adapter, __VA_ARGS__)
const struct rn_config_key rn_config_adapter_keys[] = { RN_CONFIG_ADAPTER_ROWS(ADAPTER_KEY) { .name = NULL } };

#define IDLE_KEY(...)     KEY(idle, __VA_ARGS__)
#define LIMITS_KEY(...)   KEY(limits, __VA_ARGS__)
#define TIMERS_KEY(...)   KEY(timers, __VA_ARGS__)
#define PROTOCOL_KEY(...) KEY(protocol, __VA_ARGS__)
#define CONGESTION_KEY(...) KEY(congestion, __VA_ARGS__)
#define IMPAIR_KEY(...)   KEY(impair, __VA_ARGS__)
#define EAL_KEY(...)      KEY(eal, __VA_ARGS__)
#define CAPTURE_KEY(...)  KEY(capture, __VA_ARGS__)
#define LOG_KEY(...)      KEY(log, __VA_ARGS__)
#define DAEMON_KEY(...)   KEY(daemon, __VA_ARGS__)

static const struct rn_config_key idle_keys[] = { RN_CONFIG_IDLE_ROWS(IDLE_KEY) { .name = NULL } };
static const struct rn_config_key limits_keys[] = { RN_CONFIG_LIMITS_ROWS(LIMITS_KEY) { .name = NULL } };
static const struct rn_config_key timers_keys[] = { RN_CONFIG_TIMERS_ROWS(TIMERS_KEY) { .name = NULL } };
static const struct rn_config_key protocol_keys[] = { RN_CONFIG_PROTOCOL_ROWS(PROTOCOL_KEY) { .name = NULL } };
static const struct rn_config_key congestion_keys[] = { RN_CONFIG_CONGESTION_ROWS(CONGESTION_KEY) { .name = NULL } };
static const struct rn_config_key impair_keys[] = { RN_CONFIG_IMPAIR_ROWS(IMPAIR_KEY) { .name = NULL } };
static const struct rn_config_key eal_keys[] = { RN_CONFIG_EAL_ROWS(EAL_KEY) { .name = NULL } };
static const struct rn_config_key capture_keys[] = { RN_CONFIG_CAPTURE_ROWS(CAPTURE_KEY) { .name = NULL } };
static const struct rn_config_key log_keys[] = { RN_CONFIG_LOG_ROWS(LOG_KEY) { .name = NULL } };
static const struct rn_config_key daemon_keys[] = { RN_CONFIG_DAEMON_ROWS(DAEMON_KEY) { .name = NULL } };

#define SECTION(section, rows, about) { #section, about, section##_keys, offsetof(struct rn_config, section) },
const struct rn_config_section_info rn_config_sections[] = { RN_CONFIG_SECTIONS(SECTION) { .name = NULL } };
/* clang-format on */

static void list_words(const struct rn_config_key *key, char *out, size_t outlen)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; key->words[i] && used < outlen; i++)
		used += (size_t)snprintf(out + used, outlen - used, "%s\"%s\"", i ? " | " : "",
					 key->words[i]);
}

void rn_config_key_allowed(const struct rn_config_key *key, char *out, size_t outlen)
{
	switch (key->type) {
	case RN_CONFIG_UINT:
	case RN_CONFIG_SEED:
	case RN_CONFIG_PERCENT:
		snprintf(out, outlen, "%lld..%lld", key->low, key->high);
		break;
	case RN_CONFIG_POW2:
		snprintf(out, outlen, "a power of two %lld..%lld", key->low, key->high);
		break;
	case RN_CONFIG_POW2_0:
		snprintf(out, outlen, "0, or a power of two %lld..%lld", key->low, key->high);
		break;
	case RN_CONFIG_BOOL:
		snprintf(out, outlen, "true | false");
		break;
	case RN_CONFIG_CHOICE:
		list_words(key, out, outlen);
		break;
	case RN_CONFIG_TEXT:
		snprintf(out, outlen, "a string of %lld..%lld characters", key->low, key->high - 1);
		break;
	case RN_CONFIG_MAC:
		snprintf(out, outlen, "a unicast MAC address such as \"02:00:00:00:00:01\"");
		break;
	case RN_CONFIG_IP4:
		snprintf(out, outlen, "a host's IPv4 address such as \"192.0.2.254\"");
		break;
	case RN_CONFIG_IP6:
		snprintf(out, outlen, "a host's IPv6 address such as \"2001:db8::fe\"");
		break;
	case RN_CONFIG_NETS4:
		snprintf(out, outlen, "up to %lld host addresses such as [\"192.0.2.1/24\"]",
			 key->high);
		break;
	case RN_CONFIG_NETS6:
		snprintf(out, outlen, "up to %lld host addresses such as [\"2001:db8::1/64\"]",
			 key->high);
		break;
	case RN_CONFIG_NEIGHS:
		snprintf(
			out, outlen,
			"up to %lld groups such as ({ ip = \"192.0.2.9\"; mac = \"02:00:00:00:00:09\"; })",
			key->high);
		break;
	case RN_CONFIG_CPUS:
		snprintf(out, outlen, "up to %lld different CPU numbers such as [0, 1]", key->high);
		break;
	case RN_CONFIG_ARGS:
		snprintf(out, outlen, "up to %lld strings such as [\"--no-pci\"]", key->high);
		break;
	}
}

void rn_config_key_default(const struct rn_config_key *key, char *out, size_t outlen)
{
	if (key->type == RN_CONFIG_CHOICE)
		snprintf(out, outlen, "\"%s\"", key->words[key->number]);
	else if (key->type == RN_CONFIG_BOOL)
		snprintf(out, outlen, "%s", key->number ? "true" : "false");
	else if (key->type == RN_CONFIG_TEXT && key->text[0])
		snprintf(out, outlen, "\"%s\"", key->text);
	else if (key->text)
		snprintf(out, outlen, "none");
	else
		snprintf(out, outlen, "%lld", key->number);
}

const char *rn_config_key_type(const struct rn_config_key *key)
{
	static const char *const names[] = {
		[RN_CONFIG_UINT] = "whole number", [RN_CONFIG_SEED] = "whole number",
		[RN_CONFIG_POW2] = "whole number", [RN_CONFIG_POW2_0] = "whole number",
		[RN_CONFIG_BOOL] = "boolean",	   [RN_CONFIG_PERCENT] = "number",
		[RN_CONFIG_CHOICE] = "word",	   [RN_CONFIG_TEXT] = "string",
		[RN_CONFIG_MAC] = "string",	   [RN_CONFIG_IP4] = "string",
		[RN_CONFIG_IP6] = "string",	   [RN_CONFIG_NETS4] = "array",
		[RN_CONFIG_NETS6] = "array",	   [RN_CONFIG_NEIGHS] = "list",
		[RN_CONFIG_CPUS] = "array",	   [RN_CONFIG_ARGS] = "array",
	};

	return names[key->type];
}

const char *rn_config_port_word(enum rn_config_port port)
{
	return rn_config_port_words[port];
}
