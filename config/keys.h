/* For use inside config/ only: the rows of schema.h as data, and functions that the files here
 * share. */
#ifndef RN_CONFIG_KEYS_H
#define RN_CONFIG_KEYS_H

#include <libconfig.h>

#include "config/config.h"

enum rn_config_type {
	RN_CONFIG_UINT,
	RN_CONFIG_SEED,
	RN_CONFIG_POW2,
	RN_CONFIG_POW2_0,
	RN_CONFIG_BOOL,
	RN_CONFIG_PERCENT,
	RN_CONFIG_CHOICE,
	RN_CONFIG_TEXT,
	RN_CONFIG_MAC,
	RN_CONFIG_IP4,
	RN_CONFIG_IP6,
	RN_CONFIG_NETS4,
	RN_CONFIG_NETS6,
	RN_CONFIG_NEIGHS,
	RN_CONFIG_CPUS,
	RN_CONFIG_ARGS
};

struct rn_config_key {
	const char *name;
	enum rn_config_type type;
	/* offset of the field in the struct of its section, and size of the field; both in bytes */
	size_t offset, size;
	/* The allowed range: of the value of a number, and of the number of entries of a list. A
	 * TEXT has at most high - 1 characters. */
	long long low, high;
	long long number;	  /* default of numbers, BOOL and CHOICE */
	const char *text;	  /* default of TEXT */
	const char *const *words; /* the words of a CHOICE; NULL ends the array */
	const char *help;
};

struct rn_config_section_info {
	const char *name;
	const char *help;
	const struct rn_config_key *keys; /* the last entry has name NULL */
	/* offset of the section in struct rn_config, in bytes; unused for the section `adapters` */
	size_t offset;
};

extern const struct rn_config_key rn_config_adapter_keys[];
extern const struct rn_config_section_info rn_config_sections[]; /* the last entry has name NULL */

/* Writes the allowed values of a key as text: "6..9", "\"ring\" | \"memif\"", ... */
void rn_config_key_allowed(const struct rn_config_key *key, char *out, size_t outlen);
void rn_config_key_default(const struct rn_config_key *key, char *out, size_t outlen);
const char *rn_config_key_type(const struct rn_config_key *key);

/* ---- reading a configuration ---- */

struct rn_config_reader {
	const char *file; /* file name for messages */
	char *err;
	size_t errlen;
};

/* Writes "file:line: path.of.key: <sentence>" and returns -EINVAL. */
int rn_config_fail(const struct rn_config_reader *r, const config_setting_t *at, const char *fmt,
		   ...) __attribute__((format(printf, 3, 4)));

/* Refuses text that libconfig would misread. Returns 0 or -EINVAL. */
int rn_config_scan(const struct rn_config_reader *r, const char *text);

/* Reads a setting into the field that `key`, a row of schema.h, describes. `section` points to the
 * struct with that field. Returns 0 or -EINVAL. */
int rn_config_value_read(const struct rn_config_reader *r, const struct rn_config_key *key,
			 const config_setting_t *s, void *section);
void rn_config_value_default(const struct rn_config_key *key, void *section);

/* Checks the rules that involve several keys; the head of check.c lists the rules. Sets two
 * defaults: an adapter's `shards` if it is 0, and its `socket` if it is empty and the port is
 * softrnicd's. root: the settings that cfg was read from, for line numbers in messages. Returns 0
 * or -EINVAL. */
int rn_config_check(const struct rn_config_reader *r, const config_setting_t *root,
		    struct rn_config *cfg);

#endif
