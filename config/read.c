/* How does a file become a struct rn_config? read_text() reads the file, because libconfig would
 * end the process on a directory or an unreadable file. libconfig parses the text. The rows of
 * keys.c say how to read each setting. check.c checks the rules between keys. The functions keep no
 * state. Any thread may call the functions.
 */
#include "config/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1u << 20)

static const struct rn_config_key *find_key(const struct rn_config_key *keys, const char *name)
{
	for (; keys->name; keys++) {
		if (!strcmp(keys->name, name))
			return keys;
	}
	return NULL;
}

static int fail_unknown_key(const struct rn_config_reader *r, const struct rn_config_key *keys,
			    const config_setting_t *s)
{
	char known[512] = "";
	size_t used = 0;

	for (; keys->name && used < sizeof(known); keys++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", keys->name);
	return rn_config_fail(r, s, "found an unknown key, allowed: %s", known);
}

/* Reads a group of settings into the struct at `section`, which already holds the defaults. */
static int read_group(const struct rn_config_reader *r, const struct rn_config_key *keys,
		      const config_setting_t *group, void *section)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		const struct rn_config_key *key = find_key(keys, config_setting_name(s));
		int err = key ? rn_config_value_read(r, key, s, section)
			      : fail_unknown_key(r, keys, s);

		if (err)
			return err;
	}
	return 0;
}

static void set_defaults(const struct rn_config_key *keys, void *section)
{
	for (; keys->name; keys++)
		rn_config_value_default(keys, section);
}

static int read_adapters(const struct rn_config_reader *r, const config_setting_t *list,
			 struct rn_config *cfg)
{
	int n = config_setting_is_list(list) ? config_setting_length(list) : -1;

	if (n < 1 || n > RN_CONFIG_MAX_ADAPTERS)
		return rn_config_fail(
			r, list,
			"found %s, allowed: a list of 1..%d groups: ({ name = ...; }, ...)",
			n < 0 ? "a value that is not a list"
			: n   ? "too many adapters"
			      : "no adapter",
			RN_CONFIG_MAX_ADAPTERS);
	for (int i = 0; i < n; i++) {
		const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
		int err;

		if (!config_setting_is_group(group))
			return rn_config_fail(r, group, "found no group, allowed: { name = ...; }");
		err = read_group(r, rn_config_adapter_keys, group, &cfg->adapter[i]);
		if (err)
			return err;
	}
	cfg->nadapters = (unsigned)n;
	return 0;
}

static int fail_unknown_section(const struct rn_config_reader *r, const config_setting_t *s)
{
	char known[256] = "adapters";
	size_t used = strlen(known);

	for (const struct rn_config_section_info *i = rn_config_sections;
	     i->name && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, ", %s", i->name);
	return rn_config_fail(r, s, "found an unknown key, allowed: %s", known);
}

static int read_section(const struct rn_config_reader *r, const config_setting_t *s,
			struct rn_config *cfg)
{
	const struct rn_config_section_info *info = rn_config_sections;

	if (!strcmp(config_setting_name(s), "adapters"))
		return read_adapters(r, s, cfg);
	while (info->name && strcmp(info->name, config_setting_name(s)))
		info++;
	if (!info->name)
		return fail_unknown_section(r, s);
	if (!config_setting_is_group(s))
		return rn_config_fail(r, s, "found no group, allowed: %s = { ... }", info->name);
	return read_group(r, info->keys, s, (char *)cfg + info->offset);
}

static int read_root(const struct rn_config_reader *r, const config_setting_t *root,
		     struct rn_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	for (unsigned i = 0; i < RN_CONFIG_MAX_ADAPTERS; i++)
		set_defaults(rn_config_adapter_keys, &cfg->adapter[i]);
	for (const struct rn_config_section_info *i = rn_config_sections; i->name; i++)
		set_defaults(i->keys, (char *)cfg + i->offset);
	for (int i = 0; i < config_setting_length(root); i++) {
		int err = read_section(r, config_setting_get_elem(root, (unsigned)i), cfg);

		if (err)
			return err;
	}
	if (cfg->nadapters == 0) {
		snprintf(r->err, r->errlen,
			 "%s: adapters: found no such key, allowed: a list of 1..%d groups",
			 r->file, RN_CONFIG_MAX_ADAPTERS);
		return -EINVAL;
	}
	return rn_config_check(r, root, cfg);
}

int rn_config_parse(const char *text, const char *name, struct rn_config *cfg, char *err,
		    size_t errlen)
{
	struct rn_config_reader r = {.file = name, .err = err, .errlen = errlen};
	config_t conf;
	int rc = rn_config_scan(&r, text);

	if (rc)
		return rc;
	config_init(&conf);
	if (config_read_string(&conf, text)) {
		rc = read_root(&r, config_root_setting(&conf), cfg);
	} else {
		snprintf(err, errlen, "%s:%d: %s, allowed: key = value; (libconfig syntax)", name,
			 config_error_line(&conf), config_error_text(&conf));
		rc = -EINVAL;
	}
	config_destroy(&conf);
	return rc;
}

/* Returns the text of the file in memory from malloc(), or NULL with errno set. A file with NUL
 * bytes is refused. */
static char *read_text(FILE *f)
{
	char *text = malloc(FILE_MAX + 1);
	size_t n = text ? fread(text, 1, FILE_MAX + 1, f) : 0;

	if (text && !ferror(f) && n <= FILE_MAX && !memchr(text, 0, n)) {
		text[n] = '\0';
		return text;
	}
	if (text && !ferror(f))
		errno = n > FILE_MAX ? EFBIG : EILSEQ;
	free(text);
	return NULL;
}

static int load_file(const char *path, struct rn_config *cfg, char *err, size_t errlen)
{
	FILE *f = fopen(path, "re");
	char *text = f ? read_text(f) : NULL;
	int rc = text ? 0 : -errno;

	if (f)
		fclose(f);
	if (rc)
		snprintf(err, errlen, "%s: %s, allowed: a readable text file", path, strerror(-rc));
	else
		rc = rn_config_parse(text, path, cfg, err, errlen);
	free(text);
	return rc;
}

int rn_config_load(const char *path, struct rn_config *cfg, char *err, size_t errlen)
{
	if (path)
		return load_file(path, cfg, err, errlen);
	return rn_config_parse(rn_config_builtin(), "(built-in configuration)", cfg, err, errlen);
}

const char *rn_config_path(const char *path)
{
	/* Use secure_getenv(): the environment must not choose the file of a set-user-id
	 * program. */
	const char *env = path ? path : secure_getenv("SOFTRNIC_CONFIG");

	return env && env[0] ? env : NULL;
}
