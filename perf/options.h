/* The command line of a benchmark: one table of options for parsing and for --help. */
#ifndef RN_OPTIONS_H
#define RN_OPTIONS_H

#include <stdbool.h>

struct rn_option {
	/* argument: what stands for it in --help, or NULL for an option without argument */
	const char *name, *argument, *help;
	/* Stores the argument `arg`. Returns false if there is no such value. */
	bool (*take)(const struct rn_option *option, const char *arg);
	void *value; /* where `take` stores it */
};

#define RN_OPTIONS_MAX 32

/* Parses the command line. Each program also has --help. `what` begins with the program's name and
 * says what it measures. The table ends with a row without a name. Ends the process after --help,
 * and with status 2 and the same text if the command line is wrong. */
void rn_options_take(const char *what, const struct rn_option *options, int argc, char **argv);

/* Values of options: true, an unsigned, a size_t, a double, a const char *; two unsigned that are
 * separated by a comma; and a bool that says which of two words of `argument`, A|B, was given: B is
 * true. */
bool rn_option_true(const struct rn_option *option, const char *arg);
bool rn_option_number(const struct rn_option *option, const char *arg);
bool rn_option_bytes(const struct rn_option *option, const char *arg);
bool rn_option_real(const struct rn_option *option, const char *arg);
bool rn_option_text(const struct rn_option *option, const char *arg);
bool rn_option_pair(const struct rn_option *option, const char *arg);
bool rn_option_second(const struct rn_option *option, const char *arg);

#endif
