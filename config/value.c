/* How does one setting become one field of struct rn_config? Each type of key has a reader. An
 * error names the value found and the values allowed. The functions keep no state. Any thread may
 * call the functions. */
#include "config/keys.h"

#include <assert.h>
#include <string.h>

#include "config/address.h"

static void describe_found(const config_setting_t *s, char *out, size_t outlen)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
		snprintf(out, outlen, "%d", config_setting_get_int(s));
		break;
	case CONFIG_TYPE_INT64:
		snprintf(out, outlen, "%lld", config_setting_get_int64(s));
		break;
	case CONFIG_TYPE_FLOAT:
		snprintf(out, outlen, "%g", config_setting_get_float(s));
		break;
	case CONFIG_TYPE_BOOL:
		snprintf(out, outlen, "%s", config_setting_get_bool(s) ? "true" : "false");
		break;
	case CONFIG_TYPE_STRING:
		snprintf(out, outlen, "\"%.80s\"", config_setting_get_string(s));
		break;
	case CONFIG_TYPE_GROUP:
		snprintf(out, outlen, "a group {}");
		break;
	case CONFIG_TYPE_ARRAY:
		snprintf(out, outlen, "an array [] of %d", config_setting_length(s));
		break;
	default:
		snprintf(out, outlen, "a list () of %d", config_setting_length(s));
	}
}

/* Reports an error and returns its code. `at` is the wrong setting: the key itself or an element of
 * the key's list. */
static int refuse(const struct rn_config_reader *r, const struct rn_config_key *key,
		  const config_setting_t *at)
{
	char found[128], allowed[192];

	describe_found(at, found, sizeof(found));
	rn_config_key_allowed(key, allowed, sizeof(allowed));
	return rn_config_fail(r, at, "found %s, allowed: %s", found, allowed);
}

static bool whole_number(const config_setting_t *s, long long *out)
{
	if (config_setting_type(s) == CONFIG_TYPE_INT)
		*out = config_setting_get_int(s);
	else if (config_setting_type(s) == CONFIG_TYPE_INT64)
		*out = config_setting_get_int64(s);
	else
		return false;
	return true;
}

static bool read_number(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	bool power = key->type == RN_CONFIG_POW2 || key->type == RN_CONFIG_POW2_0;
	long long n;

	if (!whole_number(s, &n))
		return false;
	if ((n < key->low || n > key->high) && (n != 0 || key->type != RN_CONFIG_POW2_0))
		return false;
	if (power && (n & (n - 1)))
		return false;
	if (key->type == RN_CONFIG_SEED)
		*(uint64_t *)field = (uint64_t)n;
	else
		*(uint32_t *)field = (uint32_t)n;
	return true;
}

static bool read_percent(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	long long n;
	double d;

	if (whole_number(s, &n))
		d = (double)n;
	else if (config_setting_type(s) == CONFIG_TYPE_FLOAT)
		d = config_setting_get_float(s);
	else
		return false;
	if (!(d >= (double)key->low && d <= (double)key->high))
		return false;
	*(double *)field = d;
	return true;
}

static bool read_bool(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	if (config_setting_type(s) != CONFIG_TYPE_BOOL)
		return false;
	*(bool *)field = config_setting_get_bool(s);
	return true;
}

/* Stores the index of a word in an enum field. All enums of word lists have the size of unsigned,
 * so one function serves all enums. */
static void store_choice(void *field, unsigned value)
{
	static_assert(sizeof(enum rn_config_port) == sizeof(unsigned),
		      "enums are as wide as unsigned");
	memcpy(field, &value, sizeof(value));
}

static bool read_choice(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	const char *word = config_setting_get_string(s);

	for (unsigned i = 0; word && key->words[i]; i++) {
		if (!strcmp(word, key->words[i])) {
			store_choice(field, i);
			return true;
		}
	}
	return false;
}

static bool copy_text(const char *text, char *field, size_t size, size_t least)
{
	size_t n = text ? strlen(text) : 0;

	if (!text || n < least || n >= size)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	}
	memcpy(field, text, n + 1);
	return true;
}

static bool read_text(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	return copy_text(config_setting_get_string(s), field, key->size, (size_t)key->low);
}

static bool read_mac(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	const char *text = config_setting_get_string(s);

	return text && rn_config_mac_parse(text, field);
}

static bool read_ip(const struct rn_config_key *key, const config_setting_t *s, void *field)
{
	const char *text = config_setting_get_string(s);

	return text && (key->type == RN_CONFIG_IP4 ? rn_config_ip4_parse
						   : rn_config_ip6_parse)(text, field);
}

/* ---- lists: each function reads the list element `e` into entry i of `field` ---- */

static bool read_net(const struct rn_config_key *key, const config_setting_t *e, void *field,
		     unsigned i)
{
	struct rn_config_nets *nets = field;
	const char *text = config_setting_get_string(e);

	if (!text)
		return false;
	return (key->type == RN_CONFIG_NETS4 ? rn_config_net4_parse
					     : rn_config_net6_parse)(text, &nets->net[i]);
}

static bool read_neigh(const struct rn_config_key *key, const config_setting_t *e, void *field,
		       unsigned i)
{
	struct rn_config_neigh *neigh = &((struct rn_config_neighs *)field)->neigh[i];
	const char *ip, *mac;

	if (!config_setting_is_group(e) || config_setting_length(e) != 2)
		return false;
	if (!config_setting_lookup_string(e, "ip", &ip) ||
	    !config_setting_lookup_string(e, "mac", &mac))
		return false;
	return (rn_config_ip4_parse(ip, &neigh->ip) || rn_config_ip6_parse(ip, &neigh->ip)) &&
	       rn_config_mac_parse(mac, &neigh->mac);
}

static bool read_cpu(const struct rn_config_key *key, const config_setting_t *e, void *field,
		     unsigned i)
{
	struct rn_config_cpus *cpus = field;
	long long n;

	if (!whole_number(e, &n) || n < 0 || n > 1023)
		return false;
	for (unsigned k = 0; k < i; k++) {
		if (cpus->cpu[k] == n)
			return false;
	}
	cpus->cpu[i] = (uint32_t)n;
	return true;
}

static bool read_arg(const struct rn_config_key *key, const config_setting_t *e, void *field,
		     unsigned i)
{
	struct rn_config_args *args = field;

	return copy_text(config_setting_get_string(e), args->arg[i], sizeof(args->arg[i]), 1);
}

static int read_list(const struct rn_config_reader *r, const struct rn_config_key *key,
		     const config_setting_t *s, void *field,
		     bool (*read_element)(const struct rn_config_key *, const config_setting_t *,
					  void *, unsigned))
{
	int n = config_setting_is_array(s) || config_setting_is_list(s) ? config_setting_length(s)
									: -1;

	if (n < 0 || n > key->high)
		return refuse(r, key, s);
	for (int i = 0; i < n; i++) {
		config_setting_t *e = config_setting_get_elem(s, (unsigned)i);

		if (!read_element(key, e, field, (unsigned)i))
			return refuse(r, key, e);
	}
	*(unsigned *)field = (unsigned)n; /* every list struct begins with its count */
	return 0;
}

int rn_config_value_read(const struct rn_config_reader *r, const struct rn_config_key *key,
			 const config_setting_t *s, void *section)
{
	void *field = (char *)section + key->offset;
	bool good = false;

	switch (key->type) {
	case RN_CONFIG_UINT:
	case RN_CONFIG_SEED:
	case RN_CONFIG_POW2:
	case RN_CONFIG_POW2_0:
		good = read_number(key, s, field);
		break;
	case RN_CONFIG_BOOL:
		good = read_bool(key, s, field);
		break;
	case RN_CONFIG_PERCENT:
		good = read_percent(key, s, field);
		break;
	case RN_CONFIG_CHOICE:
		good = read_choice(key, s, field);
		break;
	case RN_CONFIG_TEXT:
		good = read_text(key, s, field);
		break;
	case RN_CONFIG_MAC:
		good = read_mac(key, s, field);
		break;
	case RN_CONFIG_IP4:
	case RN_CONFIG_IP6:
		good = read_ip(key, s, field);
		break;
	case RN_CONFIG_NETS4:
	case RN_CONFIG_NETS6:
		return read_list(r, key, s, field, read_net);
	case RN_CONFIG_NEIGHS:
		return read_list(r, key, s, field, read_neigh);
	case RN_CONFIG_CPUS:
		return read_list(r, key, s, field, read_cpu);
	case RN_CONFIG_ARGS:
		return read_list(r, key, s, field, read_arg);
	}
	return good ? 0 : refuse(r, key, s);
}

void rn_config_value_default(const struct rn_config_key *key, void *section)
{
	void *field = (char *)section + key->offset;

	memset(field, 0, key->size);
	switch (key->type) {
	case RN_CONFIG_UINT:
	case RN_CONFIG_POW2:
	case RN_CONFIG_POW2_0:
		*(uint32_t *)field = (uint32_t)key->number;
		break;
	case RN_CONFIG_SEED:
		*(uint64_t *)field = (uint64_t)key->number;
		break;
	case RN_CONFIG_BOOL:
		*(bool *)field = key->number;
		break;
	case RN_CONFIG_PERCENT:
		*(double *)field = (double)key->number;
		break;
	case RN_CONFIG_CHOICE:
		store_choice(field, (unsigned)key->number);
		break;
	case RN_CONFIG_TEXT:
		memcpy(field, key->text, strlen(key->text) + 1);
		break;
	default: /* addresses and lists are empty by default, that is, all zero */
		break;
	}
}
