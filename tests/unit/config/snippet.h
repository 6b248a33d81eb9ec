/* For the tests of the configuration: completes a piece of configuration text, reads it, and checks
 * the error message. */
#ifndef RN_TEST_SNIPPET_H
#define RN_TEST_SNIPPET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "config/config.h"

/* A configuration for tests of adapter keys. The adapter begins in line 1. `keys` are further keys
 * of this adapter and begin in line 2. */
#define ADAPTER(keys) \
	"adapters = ({ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"];\n" keys "});\n"
/* A configuration for tests of sections. Line 1 is a complete adapter. `text` begins in line 2. */
#define SECTION(text) \
	"adapters = ({ name = \"a\"; port = \"null\"; ipv4 = [\"192.0.2.1/24\"]; });\n" text "\n"

struct snippet {
	const char *text;
	const char *error; /* the whole expected error message; NULL: the text is accepted */
};

static inline void check_snippet(const struct snippet *s)
{
	static struct rn_config cfg;
	char err[1024] = "";
	int rc = rn_config_parse(s->text, "t.conf", &cfg, err, sizeof(err));

	if (s->error) {
		assert_string_equal(err, s->error);
		assert_int_equal(rc, -EINVAL);
	} else {
		assert_string_equal(err, "");
		assert_int_equal(rc, 0);
	}
}

static inline void check_snippets(const struct snippet *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_snippet(&rows[i]);
}

/* Reads text that must be accepted. */
static inline void read_good(const char *text, struct rn_config *cfg)
{
	char err[1024] = "";

	if (rn_config_parse(text, "t.conf", cfg, err, sizeof(err)))
		fail_msg("%s", err);
}

#endif
