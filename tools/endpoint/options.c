/* Reads a tool's command line. Owns the log file. Holds the options until the whole command line is
 * read, and then copies them to the caller. Used by one thread. */
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/address.h"
#include "common/jsonfile.h"

static const struct tool *current;
static struct options own; /* the options being read; common_rows points into it */
static const char *config_file;
static bool help;

static const struct option_row common_rows[] = {
	{'s', "server", NULL, OPT_FLAG, OPT_PAIR, &own.server, 0, 0,
	 "be the server: listen on this address"},
	{'c', "client", NULL, OPT_FLAG, OPT_PAIR, &own.client, 0, 0,
	 "be the client: connect to this address"},
	{'b', "blocking", NULL, OPT_FLAG, OPT_PAIR, &own.blocking, 0, 0,
	 "sleep until the completion queue notifies"},
	{'p', "polling", NULL, OPT_FLAG, OPT_PAIR, &own.polling, 0, 0,
	 "poll the completion queue (default)"},
	{'n', "sge", "N", OPT_NUMBER, OPT_MESSAGE, &own.pieces, 1, 1024,
	 "scatter/gather entries of each request"},
	{'q', "pipeline", "N", OPT_NUMBER, OPT_PAIR, &own.pipeline, 1, 16384,
	 "requests under way at a time"},
	{0, "size", "A[:B]", OPT_SIZES, OPT_MESSAGE, &own.sizes, 0, 0,
	 "bytes of a message: A, or A, 2A, 4A... to B"},
	{0, "iterations", "N", OPT_NUMBER, OPT_RUN, &own.iterations, 1, 1000000000,
	 "iterations in each row of the table"},
	{0, "seconds", "N", OPT_NUMBER, OPT_RUN, &own.seconds, 1, 86400, "in each row at most"},
	{0, "no-check", NULL, OPT_FLAG, OPT_MESSAGE, &own.unchecked, 0, 0,
	 "do not compare the data that arrives"},
	{0, "seed", "N", OPT_NUMBER, OPT_MESSAGE, &own.seed, 0, UINT32_MAX, "of the data"},
	{0, "timeout", "S", OPT_NUMBER, OPT_PAIR, &own.timeout_s, 1, 3600,
	 "give up after S seconds without a completion"},
	{0, "json", "FILE", OPT_TEXT, OPT_ALL, &own.json_file, 0, 0, "write the table there too"},
	{0, "stats", NULL, OPT_FLAG, OPT_ALL, &own.stats, 0, 0,
	 "print all counters that are not zero at the end"},
	{0, "config", "FILE", OPT_TEXT, OPT_ALL, &config_file, 0, 0,
	 "configuration (default $SOFTRNIC_CONFIG, else built in)"},
	{'l', "logFile", "FILE", OPT_TEXT, OPT_ALL, &own.log_file, 0, 0,
	 "write the output to FILE instead of standard output"},
	{'h', "help", NULL, OPT_FLAG, OPT_ALL, &help, 0, 0, "this text"},
	{.name = NULL},
};

static bool takes(const struct option_row *r)
{
	return r->group == OPT_ALL || (current->groups & r->group);
}

static void print_rows(FILE *f, const struct option_row *r)
{
	for (; r && r->name; r++) {
		char left[40];
		if (!takes(r))
			continue;
		snprintf(left, sizeof(left), "%s%c%s--%s%s%s", r->letter ? "-" : " ",
			 r->letter ? r->letter : ' ', r->letter ? ", " : "  ", r->name,
			 r->argument ? " " : "", r->argument ? r->argument : "");
		fprintf(f, "  %-24s %s", left, r->help);
		if (r->kind == OPT_NUMBER && *(unsigned *)r->to)
			fprintf(f, " (default %u)", *(unsigned *)r->to);
		if (r->kind == OPT_SIZES)
			fprintf(f, " (default %u:%u)", ((struct sizes *)r->to)->min,
				((struct sizes *)r->to)->max);
		fputc('\n', f);
	}
}

static void print_usage(FILE *f)
{
	own = current->defaults;
	fprintf(f, "usage: %s [options] %s\n%s\n", current->name,
		!current->address_needed ? "[<ip>]"
		: current->port		 ? "<ip>[:<port>]"
					 : "<ip>",
		current->purpose);
	print_rows(f, current->rows);
	print_rows(f, common_rows);
	if (current->port)
		fprintf(f,
			"  <ip>                     IPv4 or IPv6 address; with a port: 192.0.2.1:5000, [2001:db8::1]:5000\n"
			"  <port>                   default %u\n",
			current->port);
	fputs("Exit status 0: success; 1: failure; 2: wrong command line; 130: interrupted (143: by SIGTERM).\n",
	      f);
}

void usage_error(const char *format, ...)
{
	va_list args;
	fprintf(stderr, "%s: ", current->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n%s: --help lists the options\n", current->name);
	exit(2);
}

/* Finds the option with this letter (one character) or name. Upper and lower case do not matter, as
 * on Windows, but an exact match is preferred. */
static const struct option_row *find(const char *word, size_t len)
{
	const struct option_row *tables[] = {current->rows, common_rows}, *other_case = NULL;
	for (unsigned t = 0; t < 2; t++)
		for (const struct option_row *r = tables[t]; r && r->name; r++) {
			const char letter[2] = {r->letter, 0}, *name = len == 1 ? letter : r->name;
			if (!takes(r) || strlen(name) != len || strncasecmp(name, word, len) != 0)
				continue;
			if (strncmp(name, word, len) == 0)
				return r;
			other_case = other_case ? other_case : r;
		}
	return other_case;
}

static bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *out)
{
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits;
	static const char units[] = "kmg";
	uint64_t v = digits >= 1 && digits <= 12 ? strtoull(text, NULL, 10) : UINT64_MAX;
	if (*unit && unit[1] == 0 && strchr(units, *unit | 32) && v <= high)
		v <<= 10 * (strchr(units, *unit | 32) - units + 1);
	else if (*unit)
		return false;
	*out = v;
	return v >= low && v <= high;
}

static void store_sizes(const struct option_row *r, const char *text)
{
	uint64_t a, b;
	char first[24];
	size_t n = strcspn(text, ":");
	snprintf(first, sizeof(first), "%.*s", (int)(n < sizeof(first) ? n : sizeof(first) - 1),
		 text);
	if (!read_number(first, 1, SIZE_LIMIT, &a) ||
	    !read_number(text[n] ? text + n + 1 : first, a, SIZE_LIMIT, &b))
		usage_error("--%s '%s': A or A:B is wanted, from 1 to 1g", r->name, text);
	*(struct sizes *)r->to = (struct sizes){(uint32_t)a, (uint32_t)b};
}

/* Stores the value of an option; text is NULL for a flag. */
static void store(const struct option_row *r, const char *text)
{
	uint64_t v;
	switch (r->kind) {
	case OPT_FLAG:
		*(bool *)r->to = true;
		break;
	case OPT_TEXT:
		*(const char **)r->to = text;
		break;
	case OPT_NUMBER:
		if (!read_number(text, r->low, r->high, &v))
			usage_error("--%s '%s': must be a whole number from %u to %u", r->name,
				    text, r->low, r->high);
		*(unsigned *)r->to = (unsigned)v;
		break;
	case OPT_SIZES:
		store_sizes(r, text);
	}
}

/* Parses the option at argv[i], and its value if the option takes one. Returns the index of the
 * last word used. */
static int take_option(int argc, char **argv, int i)
{
	const char *word = argv[i] + 1, *value = NULL;
	bool slash = argv[i][0] == '/', is_long = !slash && *word == '-';
	word += is_long;
	size_t len = strcspn(word, "=");
	const struct option_row *r = NULL;
	if (strcmp(word, "?") == 0)
		r = find("h", 1);
	else if (slash || is_long == (len > 1))
		r = find(word, len);
	if (r == NULL)
		usage_error("unknown option '%s'", argv[i]);
	if (word[len] == '=')
		value = word + len + 1;
	if (r->kind == OPT_FLAG && value)
		usage_error("--%s takes no value", r->name);
	if (r->kind != OPT_FLAG && !value) {
		if (++i >= argc)
			usage_error("--%s wants a value", r->name);
		value = argv[i];
	}
	store(r, value);
	return i;
}

static void check_together(const struct options *o)
{
	if ((current->groups & OPT_PAIR) && o->server == o->client)
		usage_error("give either -s or -c");
	if (o->blocking && o->polling)
		usage_error("-b and -p exclude each other");
	if (current->address_needed && o->address.ss_family == 0)
		usage_error("an address is wanted");
}

void options_read(const struct tool *tool, struct options *o, int argc, char **argv)
{
	current = tool;
	own = tool->defaults;
	for (int i = 1; i < argc; i++) {
		/* Options are -x, --name, and /x as on Windows. No address begins with - or /. */
		if ((argv[i][0] == '-' || argv[i][0] == '/') && argv[i][1])
			i = take_option(argc, argv, i);
		else if (own.address.ss_family)
			usage_error("one address is enough: '%s'", argv[i]);
		else if (!(tool->port ? address_parse(argv[i], tool->port, &own.address)
				      : address_parse_ip(argv[i], 0, &own.address)))
			usage_error("'%s' is neither an IPv4 nor an IPv6 address%s", argv[i],
				    tool->port ? " with or without a port" : "");
	}
	if (help) {
		print_usage(stdout);
		exit(0);
	}
	check_together(&own);
	*o = own;
	if (config_file)
		setenv("SOFTRNIC_CONFIG", config_file, 1);
	if (o->json_file && (o->json = jsonfile_open(tool->name, o->json_file)) == NULL)
		exit(1);
	if (o->log_file && !freopen(o->log_file, "w", stdout))
		usage_error("%s: %s", o->log_file, strerror(errno));
}
