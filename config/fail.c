/* Formats the message for a refused setting: "file:line: path.of.key: sentence". Any thread may
 * call rn_config_fail(). */
#include "config/keys.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Writes the path of a setting from the root, such as "adapters[1].mtu". Returns the length of the
 * path, which may exceed outlen. */
static size_t write_path(const config_setting_t *s, char *out, size_t outlen)
{
	const config_setting_t *up = config_setting_parent(s);
	size_t used;

	if (!up || outlen == 0) {
		if (outlen)
			out[0] = '\0';
		return 0;
	}
	used = write_path(up, out, outlen);
	if (used >= outlen)
		return used;
	if (config_setting_name(s))
		return used + (size_t)snprintf(out + used, outlen - used, "%s%s", used ? "." : "",
					       config_setting_name(s));
	return used + (size_t)snprintf(out + used, outlen - used, "[%d]", config_setting_index(s));
}

int rn_config_fail(const struct rn_config_reader *r, const config_setting_t *at, const char *fmt,
		   ...)
{
	char path[128], sentence[1024];
	va_list ap;

	write_path(at, path, sizeof(path));
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	snprintf(r->err, r->errlen, "%s:%u: %s%s%s", r->file, config_setting_source_line(at), path,
		 path[0] ? ": " : "", sentence);
	return -EINVAL;
}
