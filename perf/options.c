/* What has the user asked a benchmark to do? Owns nothing. Runs before the benchmark begins. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rn_option_true(const struct rn_option *option, const char *arg)
{
	*(bool *)option->value = true;
	return true;
}

bool rn_option_number(const struct rn_option *option, const char *arg)
{
	*(unsigned *)option->value = (unsigned)strtoul(arg, NULL, 0);
	return true;
}

bool rn_option_bytes(const struct rn_option *option, const char *arg)
{
	*(size_t *)option->value = strtoul(arg, NULL, 0);
	return true;
}

bool rn_option_real(const struct rn_option *option, const char *arg)
{
	*(double *)option->value = strtod(arg, NULL);
	return true;
}

bool rn_option_text(const struct rn_option *option, const char *arg)
{
	*(const char **)option->value = arg;
	return true;
}

bool rn_option_pair(const struct rn_option *option, const char *arg)
{
	unsigned *v = option->value;

	return sscanf(arg, "%u,%u", &v[0], &v[1]) == 2;
}

bool rn_option_second(const struct rn_option *option, const char *arg)
{
	const char *second = strchr(option->argument, '|') + 1;
	size_t first = (size_t)(second - option->argument) - 1;

	*(bool *)option->value = strcmp(arg, second) == 0;
	return *(bool *)option->value ||
	       (strlen(arg) == first && strncmp(arg, option->argument, first) == 0);
}

static void print_usage(FILE *f, const char *what, const struct rn_option *options)
{
	fprintf(f, "%s\n", what);
	for (const struct rn_option *o = options; o->name != NULL; o++)
		fprintf(f, "  --%s%s%s\n\t%s\n", o->name, o->argument != NULL ? "=" : "",
			o->argument != NULL ? o->argument : "", o->help);
	fprintf(f, "  --help\n\tthis\n");
}

void rn_options_take(const char *what, const struct rn_option *options, int argc, char **argv)
{
	struct option known[RN_OPTIONS_MAX + 2] = {0};
	int n = 0, which = 0, c;

	for (; n < RN_OPTIONS_MAX && options[n].name != NULL; n++)
		known[n] = (struct option){
			options[n].name,
			options[n].argument != NULL ? required_argument : no_argument, NULL, 0};
	known[n] = (struct option){"help", no_argument, NULL, 'h'};
	while ((c = getopt_long(argc, argv, "", known, &which)) == 0)
		if (!options[which].take(&options[which], optarg))
			break;
	if (c == -1 && optind == argc)
		return;
	print_usage(c == 'h' ? stdout : stderr, what, options);
	exit(c == 'h' ? EXIT_SUCCESS : 2);
}
