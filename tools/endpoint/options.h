/* The command line of the ND tools: `tool [options] <ip>[:<port>]`, where a server gives its own
 * address and a client the server's. A tool's `struct tool` lists the groups of options that apply
 * and its own options. One thread. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind { OPT_FLAG, OPT_NUMBER, OPT_TEXT, OPT_SIZES };
/* Which tools have an option; OPT_ALL: all tools. */
enum option_group {
	OPT_ALL,
	OPT_PAIR = 1,	 /* tools with a server and a client: role, way of waiting, queue length */
	OPT_RUN = 2,	 /* tools that measure: iterations, seconds */
	OPT_MESSAGE = 4, /* tools that move messages: sizes, SGEs, verification */
};

/* One option, `-x` (unless letter is 0) and `--name`. `to` points to a bool, unsigned, const char
 * * or struct sizes, by kind. */
struct option_row {
	char letter;
	const char *name;
	const char *argument; /* the argument's name in the help; NULL for a flag */
	enum option_kind kind;
	enum option_group group;
	void *to;
	unsigned low, high; /* range of a number */
	const char *help;
};

/* The sizes min, then powers of two, then max. */
struct sizes {
	uint32_t min, max;
};

struct options {
	struct sockaddr_storage address; /* ss_family 0: not given */
	bool server, client;
	bool blocking, polling; /* polling unless blocking was asked for */
	unsigned pieces;	/* SGEs of a request, -n */
	unsigned pipeline;	/* requests in flight, -q */
	struct sizes sizes;
	unsigned iterations; /* of each row; 0: the tool's own limits */
	unsigned seconds;    /* of each row; 0: the tool's own limits */
	bool unchecked;	     /* data is not verified */
	bool stats;
	unsigned timeout_s; /* longest wait for a completion */
	unsigned seed;
	const char *log_file, *json_file;
	FILE *json; /* the JSON file, open and empty; NULL: none */
};

struct tool {
	const char *name;
	const char *purpose; /* one line for the help */
	unsigned groups;
	uint16_t port; /* the default port */
	struct options defaults;
	bool address_needed;
	/* the tool's own options, up to a row without a name; or NULL */
	const struct option_row *rows;
};

enum { SIZE_LIMIT = 1 << 30 };

/* Parses the command line. An error is printed on stderr with the usage, and the program ends with
 * status 2; --help ends it with 0. Redirects standard output to the log file if one is given.
 * `tool` and its rows must stay valid. */
void options_read(const struct tool *tool, struct options *o, int argc, char **argv);
/* Prints what is wrong with the command line (printf) and ends the program with status 2. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
