/* rn_conform: does the NIC at the far end of an Ethernet interface obey the rows of
 * docs/spec/rocev2.md? Each row is a rule for RoCEv2 NICs. The tool connects as an RDMA-CM client,
 * or waits for the peer to connect. Each row is tested on a new connection, and deviations are
 * reported. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/jsonfile.h"
#include "play.h"
#include "common/version.h"

struct options {
	const char *interface, *own, *peer, *json, *only;
	bool listen, verbose;
	unsigned port, patience;
};

struct tally {
	unsigned n[3];
	FILE *json;
};

static const char *const outcome_words[] = {"passed", "deviates", "not applicable"};

static void usage(FILE *f)
{
	fputs("usage: rn_conform --port INTERFACE --address OWN --peer ADDRESS [options]\n"
	      "  --port INTERFACE   interface on the link of the NIC under test; needs CAP_NET_RAW\n"
	      "  --address OWN      IPv4 address of this tool: unused, and not an address of this host\n"
	      "  --peer ADDRESS     the NIC under test\n"
	      "  --service N        CM port: the peer's listener, or with --listen this tool's (default 7174)\n"
	      "  --listen           the peer connects repeatedly to this tool, e.g.   while rping -c -a OWN -S 4096 -C 9; do :; done\n"
	      "                     without --listen the tool connects, repeatedly:   rping -s -P -S 4096, or one rping after another\n"
	      "  --rows A,B,...     only these rows             --list   all rows and which side must connect\n"
	      "  --patience S       how long to wait for a connection, or for REJ and DREP (default 30)\n"
	      "  --json FILE        the result as data          -v       the frames of every row, not only of what deviates\n"
	      "Exit status: 0 nothing deviates, 1 something does, 2 no row was run.\n",
	      f);
}

static bool asked_for(const struct options *o, const char *id)
{
	size_t n = strlen(id);

	for (const char *at = o->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, id, n) == 0 && (at[n] == ',' || at[n] == 0))
			return true;
	return o->only == NULL;
}

static uint32_t first_psn(const struct row *row)
{
	if (row->script && strncmp(row->script, "set psn=", 8) == 0)
		return (uint32_t)strtoul(row->script + 8, NULL, 0);
	return 0x1000;
}

static enum outcome play(const struct row *row, struct play *p)
{
	if (row->side != 'b' && (row->side == 's') != p->c->listening) {
		snprintf(p->why, sizeof(p->why),
			 row->side == 's' ? "needs a peer that connects (--listen)"
					  : "needs a peer that listens (without --listen)");
		return NOT_APPLICABLE;
	}
	if (row->run)
		return row->run(p);
	if (!conn_open(p->c, first_psn(row), !row->manual_answers, p->patience)) {
		snprintf(p->why, sizeof(p->why), "no connection within %u s%s", p->patience,
			 p->c->rejected ? ": rejected" : "");
		return NOT_APPLICABLE;
	}
	if (row->lent && (!p->c->lent || p->c->bytes < row->lent)) {
		snprintf(p->why, sizeof(p->why), "the peer lends %u bytes of memory, not %u",
			 p->c->bytes, row->lent);
		return NOT_APPLICABLE;
	}
	return play_script(p, row->script);
}

static void put_text(FILE *f, const char *s)
{
	json_t *text = jsonfile_text(s);

	json_dumpf(text, f, JSON_ENCODE_ANY);
	json_decref(text);
}

static void json_row(FILE *f, const struct row *row, const struct play *p, enum outcome o,
		     bool first)
{
	const struct line *l = p->c->line;

	fprintf(f, "%s\n  {\"row\": \"%s\", \"result\": \"%s\", \"why\": ", first ? "" : ",",
		row->id, outcome_words[o]);
	put_text(f, p->why);
	fputs(", \"frames\": [", f);
	for (unsigned i = l->notes > LINE_NOTES ? l->notes - LINE_NOTES : 0, n = 0;
	     o == DEVIATES && i < l->notes; i++, n++) {
		fputs(n ? ", " : "", f);
		put_text(f, l->note[i % LINE_NOTES]);
	}
	fputs("]}", f);
}

static void one_row(const struct options *o, const struct row *row, struct conn *c, struct tally *t)
{
	struct play p = {.c = c, .patience = o->patience};
	enum outcome result;

	c->established = c->requested = false;
	line_clear_log(c->line);
	result = play(row, &p);
	printf("%-4s %s%s%s\n", row->id, outcome_words[result], p.why[0] ? ": " : "", p.why);
	if (result == DEVIATES || o->verbose)
		line_print(c->line, stdout, "       ");
	fflush(stdout);
	if (t->json)
		json_row(t->json, row, &p, result, t->n[0] + t->n[1] + t->n[2] == 0);
	t->n[result]++;
	conn_close(c);
}

static void list(void)
{
	for (unsigned i = 0; i < row_count; i++)
		printf("%-4s %s\n", rows[i].id,
		       rows[i].side == 'b'   ? "either connects"
		       : rows[i].side == 's' ? "the peer connects"
					     : "we connect");
}

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {{"port", 1, 0, 'i'},
					      {"address", 1, 0, 'a'},
					      {"peer", 1, 0, 'p'},
					      {"service", 1, 0, 's'},
					      {"listen", 0, 0, 'l'},
					      {"rows", 1, 0, 'r'},
					      {"list", 0, 0, 'L'},
					      {"patience", 1, 0, 't'},
					      {"json", 1, 0, 'j'},
					      {"help", 0, 0, 'h'},
					      {0}};

	for (int c; (c = getopt_long(argc, argv, "vh", longs, NULL)) != -1;) {
		switch (c) {
		case 'i':
			o->interface = optarg;
			break;
		case 'a':
			o->own = optarg;
			break;
		case 'p':
			o->peer = optarg;
			break;
		case 's':
			o->port = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'l':
			o->listen = true;
			break;
		case 'r':
			o->only = optarg;
			break;
		case 't':
			o->patience = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'j':
			o->json = optarg;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'L':
			list();
			exit(0);
		case 'h':
			usage(stdout);
			exit(0);
		default:
			return false;
		}
	}
	return optind == argc && o->interface && o->own && o->peer && o->port > 0 &&
	       o->port < 65536 && o->patience > 0 && o->patience <= 86400;
}

static void run_all(const struct options *o, struct line *line, struct tally *t)
{
	static struct conn c;

	c.line = line;
	c.listening = o->listen;
	c.port = (uint16_t)o->port;
	for (unsigned i = 0; i < row_count; i++)
		if (asked_for(o, rows[i].id))
			one_row(o, &rows[i], &c, t);
}

int main(int argc, char **argv)
{
	static struct line line;
	struct options o = {.port = 7174, .patience = 30};
	struct tally t = {{0}, NULL};

	version_if_asked(argc, argv);
	if (!parse(argc, argv, &o)) {
		usage(stderr);
		return 2;
	}
	if (o.json && (t.json = fopen(o.json, "w")) == NULL) {
		perror(o.json);
		return 2;
	}
	if (line_open(&line, o.interface, o.own, o.peer) != 0)
		return 2;
	if (!line_resolve(&line)) {
		fprintf(stderr, "rn_conform: no ARP answer from %s\n", o.peer);
		return 2;
	}
	if (t.json)
		fputs("{\"rows\": [", t.json);
	run_all(&o, &line, &t);
	printf("%u passed, %u deviate, %u not applicable\n", t.n[PASSED], t.n[DEVIATES],
	       t.n[NOT_APPLICABLE]);
	if (t.json) {
		fprintf(t.json, "\n ], \"passed\": %u, \"deviate\": %u, \"not applicable\": %u}\n",
			t.n[PASSED], t.n[DEVIATES], t.n[NOT_APPLICABLE]);
		fclose(t.json);
	}
	line_close(&line);
	return t.n[PASSED] + t.n[DEVIATES] == 0 ? 2 : t.n[DEVIATES] != 0;
}
