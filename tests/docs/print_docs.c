/* Checks that the tables in the pages of docs/ are those of the code.
 *
 *	print_docs [--write] PAGE...
 *
 * A page has a table between the lines `<!-- printed: NAME -->` and `<!-- end -->`. The text there
 * must be exactly what the printer NAME makes from a table of the code. With --write, this program
 * puts that text into the page.
 *
 * Every printer must be used by one of the pages. Prints TAP; with --write, prints only errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../provider/nd2/connector_state.h"
#include "../../provider/nd2/status.h"
#include "cm/cm_priv.h"
#include "port/lcore.h"
#include "port/log.h"
#include "qp/qp.h"
#include "port/flow_rule.h"
#include "port/rxtx.h"
#include "switch/obituary.h"
#include "verbs/qp_move.h"
#include "wire/stats.h"
#include "port/wake.h"

/* ---- printers: each prints one table ---- */

static const char *yes(bool b)
{
	return b ? "yes" : "";
}

static void print_verdicts(FILE *out)
{
	static const char *const reply[] = {"",		"ACK",	    "NAK 0x60", "NAK 0x61",
					    "NAK 0x62", "NAK 0x63", "RNR NAK"};

	fprintf(out, "| verdict | owed to the peer | QP | meaning |\n|---|---|---|---|\n");
	for (unsigned i = 0; i < RN_V_COUNT; i++)
		fprintf(out, "| `%s` | %s | %s | %s |\n", rn_verdicts[i].name,
			reply[rn_verdicts[i].reply],
			rn_verdicts[i].qp == RN_QP_ERROR ? "error" : "", rn_verdicts[i].text);
}

static void print_counter(FILE *out, const char *prefix, const char *name, const char *text)
{
	fprintf(out, "| `%s%s` | %s |\n", prefix, name, text);
}

static void print_core_counters(FILE *out)
{
	fprintf(out, "| counter | counts |\n|---|---|\n");
	for (unsigned i = 0; i < rn_stats_count(); i++)
		print_counter(out, "", rn_stats_name(i), rn_stats_text(i));
}

static void print_port_counters(FILE *out)
{
	fprintf(out, "| counter | counts |\n|---|---|\n");
#define X(name, text) print_counter(out, "port_", #name, text);
	RN_RXTX_STAT_ROWS(X)
	RN_FLOW_RULE_STAT_ROWS(X)
#undef X
}

static void print_lcore_counters(FILE *out)
{
	fprintf(out, "| counter | counts |\n|---|---|\n");
#define X(name, text) print_counter(out, "lcore_", #name, text);
	RN_LCORE_STAT_ROWS(X)
#undef X
}

static void print_log(FILE *out)
{
	fprintf(out,
		"| message | level | at most one in | text | meaning |\n|---|---|---|---|---|\n");
	for (unsigned i = 0; i < RN_LOG_COUNT; i++) {
		const struct rn_log_row *row = &rn_log_rows[i];
		char limit[32] = "";

		if (row->every_s > 0)
			snprintf(limit, sizeof(limit), "%u s", row->every_s);
		fprintf(out, "| `%s` | %s | %s | `%s` | %s |\n", row->name,
			rn_log_level_word(row->level), limit, row->text, row->meaning);
	}
}

static void print_idle(FILE *out)
{
	fprintf(out, "| policy | without work a shard |\n|---|---|\n");
#define X(name, text) fprintf(out, "| `%s` | %s |\n", #name, text);
	RN_IDLE_ROWS(X)
#undef X
}

static void print_wake(FILE *out)
{
	fprintf(out, "| driver begins with | source | what wakes a sleeper |\n|---|---|---|\n");
	for (unsigned i = 0; i < rn_wake_nrows; i++)
		fprintf(out, "| %s%s%s | `%s` | %s |\n", *rn_wake_rows[i].driver ? "`" : "",
			*rn_wake_rows[i].driver ? rn_wake_rows[i].driver : "(any other)",
			*rn_wake_rows[i].driver ? "`" : "", rn_wake_rows[i].source_name,
			rn_wake_rows[i].text);
}

static void print_cm_state(FILE *out, const char *name, unsigned flags, const char *text)
{
	fprintf(out, "| `%s` | %s | %s | %s | %s | %s | %s |\n", name, text,
		yes(flags & RN_CM_F_TIMED), yes(flags & RN_CM_F_RESOLVES),
		yes(flags & RN_CM_F_HELD), yes(flags & RN_CM_F_HALF), yes(flags & RN_CM_F_HOP));
}

static void print_cm_states(FILE *out)
{
	fprintf(out,
		"| state | | timer runs | waits for a neighbour | in the backlog | half-open | keeps its neighbour |\n"
		"|---|---|---|---|---|---|---|\n");
#define X(name, flags, text) print_cm_state(out, #name, flags, text);
	RN_CM_STATE_ROWS(X)
#undef X
}

static void print_cm_rule(void *arg, const char *state, const char *event, const char *action,
			  const char *next)
{
	fprintf(arg, "| `%s` | %s | `%s` | `%s` |\n", state, event, action, next);
}

static void print_cm_rules(FILE *out)
{
	fprintf(out, "| state | what happens | action | next |\n|---|---|---|---|\n");
	rn_cm_print_rules(print_cm_rule, out);
}

static void print_cm_reasons(FILE *out)
{
	fprintf(out, "| code | reason | sent here when |\n|---|---|---|\n");
#define X(name, code, text, when) fprintf(out, "| %u | %s | %s |\n", (unsigned)code, text, when);
	RN_CM_REJ_ROWS(X)
#undef X
}

static void print_sidr_statuses(FILE *out)
{
	fprintf(out, "| status | | sent here when |\n|---|---|---|\n");
#define X(name, code, text, when) fprintf(out, "| %u | %s | %s |\n", (unsigned)code, text, when);
	RN_CM_SIDR_ROWS(X)
#undef X
}

static void print_qp_states(FILE *out)
{
	static const char *const posting[] = {"taken", "flushed", "refused"};

	fprintf(out,
		"| state | receives posted | sends posted | requests accepted | new requests start | started ones go on | "
		"responses accepted |\n|---|---|---|---|---|---|---|\n");
	for (unsigned i = RN_QPS_RESET; i <= RN_QPS_ERR; i++) {
		const struct rn_qp_state_row *row = &rn_qp_states[i];
		fprintf(out, "| `%s` | %s | %s | %s | %s | %s | %s |\n", row->name,
			posting[row->post_recv], posting[row->post_send], yes(row->request_in),
			yes(row->start), yes(row->go_on), yes(row->response_in));
	}
}

static void print_mask(FILE *out, uint32_t mask)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} bits[] = {
#define B(name) {RN_QP_##name, #name}
		B(CUR_STATE),	  B(SQD_NOTIFY),    B(ACCESS),	  B(PKEY_INDEX),
		B(PORT),	  B(QKEY),	    B(AV),	  B(PATH_MTU),
		B(TIMEOUT),	  B(RETRY_CNT),	    B(RNR_RETRY), B(RQ_PSN),
		B(MAX_RD_ATOMIC), B(MIN_RNR_TIMER), B(SQ_PSN),	  B(MAX_DEST_RD_ATOMIC),
		B(DEST_QPN),
#undef B
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(bits); i++) {
		if (!(mask & bits[i].bit))
			continue;
		mask &= ~bits[i].bit;
		fprintf(out, "`%s`%s", bits[i].name, mask ? " " : "");
	}
	rn_assert(!mask);
}

static void print_types(FILE *out, uint32_t types)
{
	static const char *const names[] = {
		[RN_QPT_RC] = "RC", [RN_QPT_UC] = "UC", [RN_QPT_UD] = "UD"};
	const char *gap = "";

	for (unsigned t = RN_QPT_RC; t <= RN_QPT_UD; t++) {
		if (!(types >> t & 1))
			continue;
		fprintf(out, "%s%s", gap, names[t]);
		gap = " ";
	}
}

static void print_qp_moves(FILE *out)
{
	fprintf(out,
		"| type | from | to | must be given | may be given |\n|---|---|---|---|---|\n");
#define X(types, from, to, mandatory, optional)        \
	fprintf(out, "| ");                            \
	print_types(out, RN_QPTS_##types);             \
	fprintf(out, " | `%s` | `%s` | ", #from, #to); \
	print_mask(out, mandatory);                    \
	fprintf(out, " | ");                           \
	print_mask(out, optional);                     \
	fprintf(out, " |\n");
	RN_QP_MOVE_ROWS(X)
#undef X
}

static void print_qp_kinds(FILE *out)
{
	fprintf(out, "| request | RC | UC | UD |\n|---|---|---|---|\n");
#define X(kind, rc, uc, ud) \
	fprintf(out, "| `%s` | %s | %s | %s |\n", #kind, yes(rc), yes(uc), yes(ud));
	RN_SQ_KIND_ROWS(X)
#undef X
}

static void print_completions(FILE *out)
{
	fprintf(out, "| completion | `GetResults` says |\n|---|---|\n");
#define X(name, nd) fprintf(out, "| `%s` | `%s` |\n", #name, #nd);
	ND_COMPLETION_ROWS(X)
#undef X
}

static void print_wc_statuses(FILE *out)
{
	static const char *const texts[] = {
#define X(name, number, text) [number] = text,
		RN_STATUS_ROWS(X)
#undef X
	};

	fprintf(out,
		"| `enum ibv_wc_status` | number | `GetResults` says | |\n|---|---|---|---|\n");
#define X(name, nd)                                                                              \
	fprintf(out, "| IBV_WC_%s | %u | `%s` | %s |\n", #name, (unsigned)RN_STATUS_##name, #nd, \
		texts[RN_STATUS_##name]);
	ND_COMPLETION_ROWS(X)
#undef X
}

static void print_errnos(FILE *out)
{
	fprintf(out, "| the NIC answers | the method says |\n|---|---|\n");
#define X(number, nd) fprintf(out, "| `%s` | `%s` |\n", #number, #nd);
	ND_ERRNO_ROWS(X)
#undef X
}

static const char *name_of(HRESULT hr)
{
#define N(name)         \
	if (hr == name) \
		return #name;
	N(STATUS_ADDRESS_ALREADY_ASSOCIATED)
	N(STATUS_ADDRESS_NOT_ASSOCIATED)
	N(ND_CONNECTION_ACTIVE)
	N(ND_CONNECTION_INVALID)
	N(ND_CONNECTION_ABORTED)
	N(ND_INVALID_DEVICE_STATE)
	N(STATUS_CONNECTION_DISCONNECTED)
#undef N
	fprintf(stderr, "print_docs: no name for %08x\n", (unsigned)hr);
	exit(1);
}

/* Prints one row per connector state, with the status that each method returns in this state. */
static void print_connector(FILE *out)
{
	static const char *const methods[] = {
		"Bind",		 "Connect",	   "CompleteConnect",  "Accept",    "Reject",
		"GetReadLimits", "GetPrivateData", "NotifyDisconnect", "Disconnect"};

	fprintf(out, "| connector is |");
	for (unsigned m = 0; m < ND_CM_METHODS; m++)
		fprintf(out, " %s |", methods[m]);
	fprintf(out, "\n|---|---|---|---|---|---|---|---|---|---|\n");
	for (unsigned s = 0; s < ND_CN_STATES; s++) {
		fprintf(out, "| %s |", nd_connector_state_text(s));
		for (unsigned m = 0; m < ND_CM_METHODS; m++) {
			HRESULT hr = nd_connector_may(s, m);
			const char *name = hr == ND_SUCCESS ? "goes on" : name_of(hr);
			bool is_status = strncmp(name, "STATUS_", 7) == 0,
			     is_nd = strncmp(name, "ND_", 3) == 0;
			fprintf(out, " %s |", name + (is_status ? 7 : is_nd ? 3 : 0));
		}
		fprintf(out, "\n");
	}
}

static void print_commands(FILE *out)
{
	fprintf(out, "| command | runs in |\n|---|---|\n");
#define X(name, number, where) fprintf(out, "| `%s` | %s |\n", #name, #where);
	RN_CMD_ROWS(X)
#undef X
}

static void print_switch_outcomes(FILE *out)
{
	static const char *const kinds[] = {"forwarded", "answered", "dropped"};

	fprintf(out, "| outcome | the frame is | meaning |\n|---|---|---|\n");
	for (unsigned o = 0; o < RN_OUTCOMES; o++)
		fprintf(out, "| `%s` | %s | %s |\n", rn_outcomes[o].name,
			kinds[rn_outcomes[o].kind], rn_outcomes[o].text);
}

static void print_switch_connections(FILE *out)
{
	static const char *const texts[] = {
#define X(name, text) text,
		RN_OBITUARY_ROWS(X)
#undef X
	};

	fprintf(out,
		"| state | | may give way to a new connection | sent to the peer of a dead client |\n|---|---|---|---|\n");
	for (unsigned s = RN_TRACK_FREE + 1; s < RN_TRACK_STATES; s++)
		fprintf(out, "| `%s` | %s | %s | %s |\n", rn_track_rows[s].name,
			rn_track_rows[s].text, yes(rn_track_rows[s].yields),
			texts[rn_track_rows[s].obituary]);
}

/* Prints the names of a set of attributes of ibv_modify_qp(). */
static void print_verbs_attributes(FILE *out, int mask)
{
	static const struct {
		int bit;
		const char *name;
	} attributes[] = {
#define X(name, member) {IBV_QP_##name, #name},
		VB_QP_ATTR_ROWS(X)
#undef X
	};
	const char *before = "";

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (mask & attributes[i].bit) {
			fprintf(out, "%s%s", before, attributes[i].name);
			before = ", ";
		}
}

static void print_verbs_moves(FILE *out)
{
	static const struct {
		const char *type, *from, *to;
		int required, allowed;
	} rows[] = {
#define X(type, from, to, required, allowed) {#type, #from, #to, required, allowed},
		VB_QP_MOVE_ROWS(X)
#undef X
	};

	fprintf(out, "| QP | from | to | required | allowed besides |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fprintf(out, "| %s | %s | %s | ", rows[i].type, rows[i].from, rows[i].to);
		print_verbs_attributes(out, rows[i].required);
		fprintf(out, " | ");
		print_verbs_attributes(out, rows[i].allowed);
		fprintf(out, " |\n");
	}
}

static struct {
	const char *name;
	void (*print)(FILE *out);
	bool used;
} printers[] = {
	{.name = "verbs-moves", .print = print_verbs_moves},
	{.name = "verdicts", .print = print_verdicts},
	{.name = "core-counters", .print = print_core_counters},
	{.name = "port-counters", .print = print_port_counters},
	{.name = "lcore-counters", .print = print_lcore_counters},
	{.name = "log", .print = print_log},
	{.name = "idle", .print = print_idle},
	{.name = "wake", .print = print_wake},
	{.name = "commands", .print = print_commands},
	{.name = "cm-states", .print = print_cm_states},
	{.name = "cm-rules", .print = print_cm_rules},
	{.name = "cm-reasons", .print = print_cm_reasons},
	{.name = "sidr-statuses", .print = print_sidr_statuses},
	{.name = "qp-states", .print = print_qp_states},
	{.name = "qp-moves", .print = print_qp_moves},
	{.name = "qp-kinds", .print = print_qp_kinds},
	{.name = "completions", .print = print_completions},
	{.name = "errnos", .print = print_errnos},
	{.name = "wc-statuses", .print = print_wc_statuses},
	{.name = "connector", .print = print_connector},
	{.name = "switch-outcomes", .print = print_switch_outcomes},
	{.name = "switch-connections", .print = print_switch_connections},
};

/* ---- reading, checking and writing pages ---- */

#define BEGIN "<!-- printed: "
#define END   "<!-- end -->\n"

static void (*printer(const char *name, size_t len))(FILE *)
{
	for (unsigned i = 0; i < RN_ARRAY_SIZE(printers); i++) {
		if (strlen(printers[i].name) == len && memcmp(printers[i].name, name, len) == 0) {
			printers[i].used = true;
			return printers[i].print;
		}
	}
	return NULL;
}

static char *read_page(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (!f || !text) {
		perror(path);
		exit(1);
	}
	text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* Returns the page with all its printed tables up to date. On an error, prints a message on
 * standard error and returns NULL. */
static char *printed_page(const char *path, const char *text)
{
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	const char *begin;

	while ((begin = strstr(text, BEGIN))) {
		const char *name = begin + strlen(BEGIN), *close = strstr(name, " -->\n"),
			   *end = strstr(name, END);
		void (*print)(FILE *) = close ? printer(name, (size_t)(close - name)) : NULL;

		if (!print || !end) {
			fprintf(stderr, "%s: %.40s: %s\n", path, begin,
				print ? "no end" : "no such table");
			fclose(out);
			free(page);
			return NULL;
		}
		fwrite(text, 1, (size_t)(close + strlen(" -->\n") - text), out);
		print(out);
		fputs(END, out);
		text = end + strlen(END);
	}
	fputs(text, out);
	fclose(out);
	return page;
}

static bool write_page(const char *path, const char *page)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(page, f) >= 0;

	if (f && fclose(f) != 0)
		ok = false;
	if (!ok)
		perror(path);
	return ok;
}

static bool check_page(const char *path, bool write)
{
	char *text = read_page(path), *page = printed_page(path, text);
	bool ok = page && (strcmp(page, text) == 0 || (write && write_page(path, page)));

	free(text);
	free(page);
	return ok;
}

int main(int argc, char **argv)
{
	bool write = argc > 1 && strcmp(argv[1], "--write") == 0, all = true;
	unsigned n = 0;

	for (int i = write ? 2 : 1; i < argc; i++) {
		bool ok = check_page(argv[i], write);
		const char *name = strrchr(argv[i], '/');

		all = all && ok;
		if (!write)
			printf("%sok %u - %s\n", ok ? "" : "not ", ++n, name ? name + 1 : argv[i]);
	}
	for (unsigned i = 0; i < RN_ARRAY_SIZE(printers); i++) {
		if (!printers[i].used) {
			fprintf(stderr, "no page shows the table %s\n", printers[i].name);
			all = false;
		}
	}
	if (!write)
		printf("%sok %u - all\n1..%u\n", all ? "" : "not ", n + 1, n + 1);
	if (!all && !write)
		fprintf(stderr, "print them anew: build/tests/docs/print_docs --write docs/*.md\n");
	return !all;
}
