/* The command line of the ND tools: `tool [options] <ip>[:<port>]`, where a server gives its own address and a client the
 * server's. A tool says in its `struct tool` which groups of options it takes and adds rows of its own. One thread. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind { OPT_FLAG, OPT_NUMBER, OPT_TEXT, OPT_SIZES };
/* Which tools take it; OPT_ALL takes everybody. */
enum option_group {
	OPT_ALL,
	OPT_PAIR = 1, /* two processes: server or client, waiting, the queue's length */
	OPT_RUN = 2,  /* measures: how often, how long */
	OPT_MESSAGE = 4, /* moves messages of several sizes in several pieces, and checks them */
};

/* One option, `-x` (unless letter is 0) and `--name`. `to`: bool, unsigned, const char * or struct sizes, by kind. */
struct option_row {
	char letter;
	const char *name;
	const char *argument; /* as the help has it; NULL for a flag */
	enum option_kind kind;
	enum option_group group;
	void *to;
	unsigned low, high; /* of a number */
	const char *help;
};

/* Powers of two from min, then max. */
struct sizes {
	uint32_t min, max;
};

struct options {
	struct sockaddr_storage address; /* ss_family 0: none given */
	bool server, client;
	bool blocking, polling;   /* polling unless blocking */
	unsigned pieces;          /* SGEs of a request, -n */
	unsigned pipeline;        /* requests under way, -q */
	struct sizes sizes;
	unsigned iterations;      /* of each row; 0: the tool's own limits */
	unsigned seconds;         /* of each row; 0: the tool's own limits */
	bool unchecked;           /* data is not verified */
	bool stats;
	unsigned timeout_s;       /* without a completion */
	unsigned seed;
	const char *log_file, *json_file;
	FILE *json;               /* the JSON file, open and empty; NULL: none */
};

struct tool {
	const char *name;
	const char *purpose;          /* one line for the help */
	unsigned groups;
	uint16_t port;                /* where it listens unless told otherwise */
	struct options defaults;
	bool address_needed;
	const struct option_row *rows; /* its own, until one without a name; or NULL */
};

enum { SIZE_LIMIT = 1 << 30 };

/* Reads the words; what is wrong is said on stderr with the usage, and the program ends with status 2. --help ends it with 0.
 * Sends standard output to the log file if there is one. `tool` and its rows must live as long as the program. */
void options_read(const struct tool *tool, struct options *o, int argc, char **argv);
/* Says what is wrong with the words (printf) and ends the program with status 2. */
_Noreturn void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
