/* Which text must be refused before libconfig parses it? rn_config_scan() makes one pass over the
 * text. The function keeps no state. Any thread may call the function.
 *
 * libconfig has three weaknesses:
 * - It truncates a whole number to 32 bits unless the letter L follows: 4294967297 would become 1.
 * - It ends the process if it cannot read a file named by @include.
 * - It accepts a comment without end, which hides the rest of the file.
 */
#include "config/keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct place {
	const char *at;
	unsigned line;
};

static void step(struct place *p)
{
	p->line += *p->at == '\n';
	p->at++;
}

static void skip_to(struct place *p, const char *end)
{
	while (*p->at && strncmp(p->at, end, strlen(end)))
		step(p);
}

static void skip_string(struct place *p)
{
	for (step(p); *p->at && *p->at != '"'; step(p)) {
		if (*p->at == '\\' && p->at[1])
			step(p);
	}
	if (*p->at)
		step(p);
}

static void skip_name(struct place *p)
{
	while (isalnum((unsigned char)*p->at) || (*p->at && strchr("_-*", *p->at)))
		step(p);
}

/* Skips the number at p, by libconfig's grammar. Returns false for a whole number that libconfig
 * would truncate; fractions always fit. */
static bool whole_number_fits(struct place *p)
{
	bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
	unsigned long long value, most;
	char *end;

	errno = 0;
	value = strtoull(p->at, &end, hex ? 16 : 10);
	most = *end == 'L' ? INT64_MAX : INT32_MAX;
	if (!hex && *end && strchr(".eE", *end)) {
		(void)strtod(p->at, &end);
		most = UINT64_MAX;
	}
	p->at = end > p->at ? end : p->at + 1;
	return value <= most && (errno == 0 || most == UINT64_MAX);
}

static int refuse(const struct rn_config_reader *r, const struct place *p, const char *found,
		  int len, const char *allowed)
{
	snprintf(r->err, r->errlen, "%s:%u: found %.*s, allowed: %s", r->file, p->line, len, found,
		 allowed);
	return -EINVAL;
}

/* Scans one token, comment or character. */
static int scan_one(const struct rn_config_reader *r, struct place *p)
{
	const char *start = p->at;

	if (*p->at == '"') {
		skip_string(p);
	} else if (*p->at == '#' || !strncmp(p->at, "//", 2)) {
		skip_to(p, "\n");
	} else if (!strncmp(p->at, "/*", 2)) {
		const struct place opened = *p;

		p->at += 2;
		skip_to(p, "*/");
		if (!*p->at)
			return refuse(r, &opened, "a comment without end", 21, "/* ... */");
		p->at += 2;
	} else if (isalpha((unsigned char)*p->at)) {
		skip_name(p);
	} else if (isdigit((unsigned char)*p->at)) {
		if (!whole_number_fits(p))
			return refuse(
				r, p, start, (int)(p->at - start),
				"whole numbers up to 2147483647, or up to 9223372036854775807 with L behind them");
	} else if (*p->at == '@') {
		return refuse(r, p, "@include", 8, "one file, without @include");
	} else {
		step(p);
	}
	return 0;
}

int rn_config_scan(const struct rn_config_reader *r, const char *text)
{
	struct place p = {text, 1};
	int err = 0;

	while (*p.at && !err)
		err = scan_one(r, &p);
	return err;
}
