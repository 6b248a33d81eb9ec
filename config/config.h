/* The configuration of one process: adapters and the settings they share. Fields are the rows of schema.h.
 *
 * No allocation outlives a call and nothing is shared, so any thread may load; the struct holds everything by value
 * (some 30 KiB: static or heap rather than a small stack).
 */
#ifndef RN_CONFIG_H
#define RN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schema.h"

#define RN_CONFIG_MAX_ADAPTERS 8

/* An IPv6 address, or an IPv4 one in its mapped form ::ffff:a.b.c.d; network order. All zero = none. */
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
		uint8_t prefix_len; /* bits of its own family: 0..32 or 0..128 */
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

/* The path to use: `path` if given, else $SOFTRNIC_CONFIG if set and not empty, else NULL = built in. */
const char *rn_config_path(const char *path);

/* Reads `path`, or the built-in configuration (two adapters joined inside the process) when NULL. 0, or a negative
 * errno (-ENOENT and its like for the file, -EINVAL for its content) with one sentence in err: file, line, key, what
 * was found, what is allowed. On error *cfg is unspecified. On success:
 *   - every field is within its row's range, names and addresses are unique, ring peers are mutual;
 *   - adapter[i].shards >= 1; shard s of an adapter runs on lcores.cpu[s % lcores.n], or unpinned when n is 0. */
int rn_config_load(const char *path, struct rn_config *cfg, char *err, size_t errlen);
/* The same for text in memory; `name` stands for the file in messages. */
int rn_config_parse(const char *text, const char *name, struct rn_config *cfg, char *err, size_t errlen);

/* limits.max_cm as it is used for this adapter. */
uint32_t rn_config_max_cm(const struct rn_config *cfg, unsigned adapter);
/* A sentence about limits of this adapter that are good each, and together leave some of it unused; "" when there is none. */
void rn_config_note(const struct rn_config *cfg, unsigned adapter, char *note, size_t len);

/* The built-in configuration as text; config/loopback.conf is a copy of it. */
const char *rn_config_builtin(void);

/* Every key with type, range, default and help: for a terminal, and as docs/configuration.md. */
void rn_config_print_help(FILE *out);
void rn_config_print_markdown(FILE *out);

/* The word of a CHOICE, for messages. */
const char *rn_config_port_word(enum rn_config_port port);

#endif
