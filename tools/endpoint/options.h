/* The command line of the ND tools: `tool [options] <ip>[:<port>]`. A server gets its own address
 * on the command line, a client gets the server's address. `struct tool` names the groups of common
 * options that a tool takes, and lists the tool's own options. Used by one thread. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind { OPT_FLAG, OPT_NUMBER, OPT_TEXT, OPT_SIZES };
/* Groups of options. A tool takes all options of the groups that it names. OPT_ALL: options of
 * every tool. */
enum option_group {
	OPT_ALL,
	/* tools with a server and a client; options: role, polling or blocking, queue length,
	 * timeout */
	OPT_PAIR = 1,
	OPT_RUN = 2,	 /* tools that measure; options: iterations, seconds */
	OPT_MESSAGE = 4, /* tools that move messages; options: sizes, SGEs, seed, no-check */
};

/* One option: `-x` (unless letter is 0) and `--name`. `to` points to a bool, unsigned, const char
 * pointer or struct sizes, as `kind` says. */
struct option_row {
	char letter;
	const char *name;
	const char *argument; /* the argument's name in the help; NULL for a flag */
	enum option_kind kind;
	enum option_group group;
	void *to;
	unsigned low, high; /* least and greatest value of a number */
	const char *help;
};

/* The message sizes of a result table. The first row has size min, the last row has size max. The
 * size doubles from row to row. */
struct sizes {
	uint32_t min, max;
};

struct options {
	struct sockaddr_storage address; /* ss_family 0: no address was given */
	bool server, client;
	bool blocking, polling; /* -b and -p; without -b the tool polls */
	unsigned pieces;	/* -n: SGEs of each request */
	unsigned pipeline;	/* -q: requests in flight */
	struct sizes sizes;
	unsigned iterations; /* repetitions of each row; 0: the tool's own limits */
	unsigned seconds;    /* greatest duration of each row; 0: the tool's own limits */
	bool unchecked;	     /* received data is not compared */
	bool stats;
	unsigned timeout_s; /* longest wait for a completion, in seconds */
	unsigned seed;
	const char *log_file, *json_file;
	FILE *json; /* the JSON file, open for writing; NULL: none */
};

struct tool {
	const char *name;
	const char *purpose; /* what the tool does: one line of the help */
	unsigned groups;
	uint16_t port; /* the default port; 0: the tool takes no port */
	struct options defaults;
	bool address_needed;
	/* the tool's own options, ended by a row whose name is NULL; NULL for a tool without own
	 * options */
	const struct option_row *rows;
};

enum { SIZE_LIMIT = 1 << 30 };

/* Parses the command line. On an error, prints a message on stderr and ends the program with status
 * 2. With --help, prints the options and ends the program with status 0. With a log file, redirects
 * standard output to that file. `tool` and its rows must stay valid. */
void options_read(const struct tool *tool, struct options *o, int argc, char **argv);
/* Prints a message about the command line (printf format) and ends the program with status 2. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
