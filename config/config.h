/* The configuration of one process: the adapters and the settings that all adapters share. The
 * fields are the rows of schema.h. struct rn_config contains all values and has some 30 KiB, too
 * much for a small stack.
 *
 * The functions keep no memory and no state. Any thread may call the functions.
 */
#ifndef RN_CONFIG_H
#define RN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/schema.h"

#define RN_CONFIG_MAX_ADAPTERS 8

/* An IPv6 address, or an IPv4 address in the mapped form ::ffff:a.b.c.d, in network byte order. All
 * zero means no address. */
struct rn_config_ip {
	uint8_t b[16];
};

struct rn_config_mac {
	bool set;
	uint8_t b[6];
};

struct rn_config_nets {
	unsigned n;
	struct rn_config_net {
		struct rn_config_ip ip;
		uint8_t prefix_len; /* in bits: 0..32 for IPv4, 0..128 for IPv6 */
	} net[8];
};

struct rn_config_neighs {
	unsigned n;
	struct rn_config_neigh {
		struct rn_config_ip ip;
		struct rn_config_mac mac;
	} neigh[64];
};

struct rn_config_cpus {
	unsigned n;
	uint32_t cpu[16];
};

struct rn_config_args {
	unsigned n;
	char arg[16][128];
};

/* clang-format off */
enum rn_config_port {
#define X(name, word) RN_CONFIG_PORT_##name,
	RN_CONFIG_PORT_WORDS(X)
#undef X
};
enum rn_config_role {
#define X(name, word) RN_CONFIG_ROLE_##name,
	RN_CONFIG_ROLE_WORDS(X)
#undef X
};
enum rn_config_policy {
#define X(name, word) RN_CONFIG_POLICY_##name,
	RN_CONFIG_POLICY_WORDS(X)
#undef X
};
enum rn_config_hugepages {
#define X(name, word) RN_CONFIG_HUGEPAGES_##name,
	RN_CONFIG_HUGEPAGES_WORDS(X)
#undef X
};
enum rn_config_algorithm {
#define X(name, word) RN_CONFIG_ALGORITHM_##name,
	RN_CONFIG_ALGORITHM_WORDS(X)
#undef X
};
enum rn_config_level {
#define X(name, word) RN_CONFIG_LEVEL_##name,
	RN_CONFIG_LEVEL_WORDS(X)
#undef X
};

#define RN_CONFIG_FIELD_UINT(key, low, high)    uint32_t key;
#define RN_CONFIG_FIELD_SEED(key, low, high)    uint64_t key;
#define RN_CONFIG_FIELD_POW2(key, low, high)    uint32_t key;
#define RN_CONFIG_FIELD_POW2_0(key, low, high)  uint32_t key;
#define RN_CONFIG_FIELD_BOOL(key, low, high)    bool key;
#define RN_CONFIG_FIELD_PERCENT(key, low, high) double key;
#define RN_CONFIG_FIELD_CHOICE(key, low, high)  enum low key;
#define RN_CONFIG_FIELD_TEXT(key, low, high)    char key[high];
#define RN_CONFIG_FIELD_MAC(key, low, high)     struct rn_config_mac key;
#define RN_CONFIG_FIELD_IP4(key, low, high)     struct rn_config_ip key;
#define RN_CONFIG_FIELD_IP6(key, low, high)     struct rn_config_ip key;
#define RN_CONFIG_FIELD_NETS4(key, low, high)   struct rn_config_nets key;
#define RN_CONFIG_FIELD_NETS6(key, low, high)   struct rn_config_nets key;
#define RN_CONFIG_FIELD_NEIGHS(key, low, high)  struct rn_config_neighs key;
#define RN_CONFIG_FIELD_CPUS(key, low, high)    struct rn_config_cpus key;
#define RN_CONFIG_FIELD_ARGS(key, low, high)    struct rn_config_args key;
#define RN_CONFIG_FIELD(type, key, def, low, high, help) RN_CONFIG_FIELD_##type(key, low, high)

struct rn_config_adapter {
	RN_CONFIG_ADAPTER_ROWS(RN_CONFIG_FIELD)
};

#define X(section, rows, help) struct rn_config_##section { rows(RN_CONFIG_FIELD) };
RN_CONFIG_SECTIONS(X)
#undef X

struct rn_config {
	unsigned nadapters; /* 1..RN_CONFIG_MAX_ADAPTERS */
	struct rn_config_adapter adapter[RN_CONFIG_MAX_ADAPTERS];
#define X(section, rows, help) struct rn_config_##section section;
	RN_CONFIG_SECTIONS(X)
#undef X
};
/* clang-format on */

/* Returns the path of the file to read: `path` if not NULL, else $SOFTRNIC_CONFIG if set and not
 * empty. Otherwise returns NULL, which means the built-in configuration. */
const char *rn_config_path(const char *path);

/* Reads the file `path` into *cfg, or the built-in configuration if `path` is NULL.
 *
 * Returns 0, or a negative errno such as -ENOENT (no file) or -EINVAL (wrong content). On error
 * *cfg is unspecified, and err has one sentence: file, line, key, the value found, the values
 * allowed.
 *
 * On success:
 * - Every field is within the range of schema.h and obeys the rules of check.c.
 * - adapter[i].shards is at least 1. Shard s of an adapter runs on lcores.cpu[s % lcores.n], or is
 *   not pinned if lcores.n is 0.
 * - An adapter with port = "daemon" has a socket, and addresses and mtu as if no key had been
 *   written: the caller asks softrnicd for them. */
int rn_config_load(const char *path, struct rn_config *cfg, char *err, size_t errlen);
/* Sets *cfg to the built-in configuration of a process that finds softrnicd at the path `socket`:
 * one adapter, with port = "daemon". Returns as rn_config_load(). */
int rn_config_load_daemon(const char *socket, struct rn_config *cfg, char *err, size_t errlen);
/* Reads a configuration from text in memory, with the results of rn_config_load(). Messages contain
 * `name` as the file name. */
int rn_config_parse(const char *text, const char *name, struct rn_config *cfg, char *err,
		    size_t errlen);

/* Returns limits.max_cm for this adapter. If the key is 0 or absent, returns a default that depends
 * on limits.max_qp and the number of shards. */
uint32_t rn_config_max_cm(const struct rn_config *cfg, unsigned adapter);
/* Writes a warning to `note` if the limits of this adapter are valid but some queue pairs could
 * never be connected. Otherwise writes an empty text. */
void rn_config_note(const struct rn_config *cfg, unsigned adapter, char *note, size_t len);

/* Returns the built-in configuration as text. config/loopback.conf is a copy of this text. */
const char *rn_config_builtin(void);

/* Print every configuration key with allowed values, default and help: rn_config_print_help() as
 * plain text, rn_config_print_markdown() as docs/configuration.md. */
void rn_config_print_help(FILE *out);
void rn_config_print_markdown(FILE *out);

/* Returns the word of the configuration file for a kind of port, for use in messages. */
const char *rn_config_port_word(enum rn_config_port port);

#endif
