/* Parses the command line. Owns the tables of options and programs, and the rules about options
 * that exclude each other. One thread calls these functions, before anything is opened. */
#include "options.h"
#include "rn/link.h"

#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_LOG2 23
#define SIZE_LIMIT    (1u << 30)
#define ENDLESS_SECS  5 /* seconds between the results of --run_infinitely, as in perftest */

static const struct pt_tool tools[] = {
	{"nd_send_bw", "Send", PT_SEND, false, 65536, 1000},
	{"nd_send_lat", "Send", PT_SEND, true, 2, 1000},
	{"nd_write_bw", "RDMA_Write", PT_WRITE, false, 65536, 5000},
	{"nd_write_lat", "RDMA_Write", PT_WRITE, true, 2, 1000},
	{"nd_read_bw", "RDMA_Read", PT_READ, false, 65536, 1000},
	{"nd_read_lat", "RDMA_Read", PT_READ, true, 2, 1000},
	{"nd_atomic_bw", "Atomic", PT_ATOMIC, false, 8, 1000},
	{"nd_atomic_lat", "Atomic", PT_ATOMIC, true, 8, 1000},
};

/* getopt values of the options without a letter */
enum {
	GBITS = 1,
	REPORT_BOTH,
	OUT_JSON,
	JSON_FILE,
	TCLASS,
	RETRY,
	STATS,
	RECV_LIST,
	RATE,
	RATE_UNITS,
	RATE_TYPE,
	BURST,
	ENDLESS,
	PROGRESS,
	PERCENTILES,
	GAP,
	CPU_UTIL,
	IPV6,
	IPV6_ADDR,
	SOURCE_IP,
	BIND_IP,
	FLOW,
	PKEY,
	NO_VERSIONS,
	SRQ,
	MR_PER_QP,
	HUGEPAGES,
	WAIT_DESTROY,
	WARM_UP,
	OUTPUT,
	FLAG_MAX
};

/* How the value of an option reaches struct pt_options: a switch sets a bool, a number between two
 * limits sets an unsigned, a decimal above 0 sets a double, and take_word() knows every other
 * option. */
struct taking {
	enum { A_SWITCH, A_NUMBER, A_DECIMAL, A_WORD } kind;
	size_t at;
	unsigned low, high;
};
/* clang-format off */
#define SWITCH(member)            {A_SWITCH, offsetof(struct pt_options, member), 0, 0}
#define NUMBER(member, low, high) {A_NUMBER, offsetof(struct pt_options, member), low, high}
#define DECIMAL(member)           {A_DECIMAL, offsetof(struct pt_options, member), 0, 0}
#define WORD                      {A_WORD, 0, 0, 0}

/* perftest's options; columns: X(letter or getopt value, long name, argument's name, help text,
 * how it is taken) */
#define FLAGS(X)                                                                                   \
	X('a', "all", NULL, "sizes 2, 4, 8 .. 2^23", SWITCH(all))                                  \
	X('A', "atomic_type", "FETCH_AND_ADD|CMP_AND_SWAP", "which atomic [FETCH_AND_ADD]", WORD)  \
	X('b', "bidirectional", NULL, "both directions at once (bw)", SWITCH(bidi))                \
	X('c', "connection", "RC|UC|UD", "type of the queue pairs [RC]", WORD)                     \
	X('C', "report-cycles", NULL,                                                              \
	  "lat: cycles instead of microseconds; bw: also the CPU cycles of a message",             \
	  SWITCH(cycles))                                                                          \
	X('d', "ib-dev", "NAME", "the adapter's name in the configuration [the first]", WORD)      \
	X('D', "duration", "S",                                                                    \
	  "run for S seconds instead of a number of iterations", NUMBER(secs, 1, 86400))           \
	X('e', "events", NULL,                                                                     \
	  "sleep until a completion comes instead of polling", SWITCH(events))                     \
	X('f', "margin", "S",                                                                      \
	  "with -D: seconds at the start and at the end of the run that are not counted [a quarter of -D]", \
	  NUMBER(margin, 0, 86400))                                                                \
	X('F', "CPU-freq", NULL,                                                                   \
	  "accepted: time does not come from a cycle counter here", SWITCH(cpu_freq))              \
	X('h', "help", NULL, "this", SWITCH(help))                                                 \
	X('H', "report-histogram", NULL, "print all latencies, sorted (lat)", SWITCH(sorted))      \
	X('i', "ib-port", "1", "adapters have one port", NUMBER(port_number, 1, 1))                \
	X('I', "inline_size", "BYTES",                                                             \
	  "messages up to this size travel inside the request [0]",                                \
	  NUMBER(inline_bytes, 0, RN_WQE_MAX_INLINE))                                              \
	X('l', "post_list", "N",                                                                   \
	  "post N requests at a time; -Q becomes N (bw) [1]", NUMBER(list, 1, 16384))              \
	X('L', "hop_limit", "N", "IP TTL or hop limit [64]", NUMBER(hops, 1, 255))                 \
	X('m', "mtu", "BYTES",                                                                     \
	  "path MTU 256..4096 [the adapter's largest]", NUMBER(mtu, 256, 4096))                    \
	X('n', "iters", "N",                                                                       \
	  "messages, of each queue pair [1000; write_bw 5000]", NUMBER(iters, 5, 100000000))       \
	X('N', "noPeak", NULL, "no BW peak (bw)", SWITCH(no_peak))                                 \
	X('o', "outs", "N",                                                                        \
	  "READs or atomics outstanding [the adapter's limit]", NUMBER(outs, 1, 255))              \
	X('p', "port", "PORT", "of the exchange of parameters [18515]", NUMBER(port, 1, 65535))    \
	X('q', "qp", "N", "queue pairs (bw) [1]", NUMBER(qps, 1, 16384))                           \
	X('Q', "cq-mod", "N",                                                                      \
	  "every Nth request is signaled (bw) [100]", NUMBER(cq_mod, 1, 16384))                    \
	X('r', "rx-depth", "N", "receives posted (send) [512]", NUMBER(rx, 1, 16384))              \
	X('R', "rdma_cm", NULL,                                                                    \
	  "connect and exchange parameters through the RDMA CM", SWITCH(cm))                       \
	X('s', "size", "BYTES", "of a message [65536; lat 2]", NUMBER(size, 1, SIZE_LIMIT))        \
	X('S', "sl", "N", "service level; priority of a VLAN tag", NUMBER(sl, 0, 7))               \
	X('t', "tx-depth", "N", "requests outstanding [128; lat 1]", NUMBER(tx, 1, 16384))         \
	X('T', "tos", "N", "as --tclass", NUMBER(tclass, 0, 255))                                  \
	X('u', "qp-timeout", "N",                                                                  \
	  "ACK timeout: 4.096 us * 2^N [14; with -R the adapter's]", NUMBER(timeout, 0, 31))       \
	X('U', "report-unsorted", NULL,                                                            \
	  "print all latencies in order of time (lat)", SWITCH(unsorted))                          \
	X('V', "version", NULL,                                                                    \
	  "softrnic's version and that of perftest's protocol", SWITCH(version))                   \
	X('w', "limit_bw", "X", "fail when the average stays below (bw)", DECIMAL(limit))                    \
	X('W', "report-counters", "NAME,NAME..",                                                   \
	  "how much these counters grew (docs/counters.md)", WORD)                                 \
	X('x', "gid-index", "N",                                                                   \
	  "which address of the adapter [the first that fits]", NUMBER(gid, 0, RN_MAX_GIDS - 1))   \
	X('y', "limit_msgrate", "X",                                                               \
	  "fail when fewer million messages a second arrive (bw)", DECIMAL(limit_mpps))            \
	X(RECV_LIST, "recv_post_list", "N",                                                        \
	  "post N receives at a time (send_bw) [1]", NUMBER(recv_list, 1, 16384))                  \
	X(RATE, "rate_limit", "X",                                                                 \
	  "post no more than X --rate_units (bw)", DECIMAL(rate))                                  \
	X(RATE_UNITS, "rate_units", "g|M|p",                                                       \
	  "Gb/sec, MB/sec or messages/sec, of all queue pairs together [g]", WORD)                 \
	X(RATE_TYPE, "rate_limit_type", "SW",                                                      \
	  "the program waits; the adapter has no limit of its own", WORD)                          \
	X(BURST, "burst_size", "N",                                                                \
	  "with --rate_limit: messages posted at a time [-t]", NUMBER(burst, 1, 16384))            \
	X(ENDLESS, "run_infinitely", NULL,                                                         \
	  "until interrupted; a result every -D seconds [5] (bw)", SWITCH(endless))                \
	X(PROGRESS, "progress", NULL,                                                              \
	  "with -D: print the rate of every second too; not in perftest", SWITCH(progress))        \
	X(PERCENTILES, "percentiles", NULL,                                                        \
	  "print percentiles up to 99.999 % and a histogram (lat); not in perftest",                \
	  SWITCH(percentiles))                                                                     \
	X(GAP, "latency_gap", "US",                                                                \
	  "microseconds between an answer and the next message (lat) [0]",                         \
	  NUMBER(gap_us, 0, 10000000))                                                             \
	X(CPU_UTIL, "cpu_util", NULL,                                                              \
	  "with -D: how busy the machine's CPUs were (bw)", SWITCH(cpu_util))                      \
	X('z', "comm_rdma_cm", NULL,                                                               \
	  "exchange parameters through the RDMA CM, but connect without it", SWITCH(cm_talk))      \
	X(IPV6, "ipv6", NULL, "use the adapter's first IPv6 address", SWITCH(v6))                  \
	X(IPV6_ADDR, "ipv6-addr", NULL,                                                            \
	  "exchange parameters over IPv6", SWITCH(v6_talk))                                        \
	X(SOURCE_IP, "source_ip", "ADDRESS",                                                       \
	  "this end's address in the exchange of parameters", WORD)                                \
	X(BIND_IP, "bind_source_ip", "ADDRESS", "as --source_ip", WORD)                            \
	X(FLOW, "flow_label", "N",                                                                 \
	  "IPv6 flow label; also chooses the UDP source port [0]", NUMBER(flow, 0, 0xfffff))       \
	X(PKEY, "pkey_index", "0", "adapters have one P_Key", NUMBER(pkey_index, 0, 0))            \
	X(NO_VERSIONS, "dont_xchg_versions", NULL,                                                 \
	  "leave out the first step of the exchange, at both ends", SWITCH(no_versions))           \
	X(SRQ, "use-srq", NULL,                                                                    \
	  "one shared receive queue of -r receives for all queue pairs (send)", SWITCH(srq))       \
	X(MR_PER_QP, "mr_per_qp", NULL,                                                            \
	  "a memory region for each queue pair", SWITCH(mr_per_qp))                                \
	X(HUGEPAGES, "use_hugepages", NULL,                                                        \
	  "the data is in hugepages of 2 MiB", SWITCH(hugepages))                                  \
	X(WAIT_DESTROY, "wait_destroy", "S",                                                       \
	  "keep the queue pairs for S seconds after the test [0]", NUMBER(wait_secs, 0, 3600))     \
	X(WARM_UP, "perform_warm_up", NULL,                                                        \
	  "send -t messages before the clock starts (bw, not send)", SWITCH(warm_up))              \
	X(OUTPUT, "output", "bandwidth|message_rate|latency",                                      \
	  "print this figure and nothing else", WORD)                                              \
	X(GBITS, "report_gbits", NULL, "Gb/sec instead of MB/sec (bw)", SWITCH(gbits))             \
	X(REPORT_BOTH, "report-both", NULL,                                                        \
	  "with -b: print the results of each direction too", SWITCH(report_both))                 \
	X(OUT_JSON, "out_json", NULL, "results into perftest_out.json too", SWITCH(json))          \
	X(JSON_FILE, "out_json_file", "FILE", "results into FILE too", WORD)                       \
	X(TCLASS, "tclass", "N", "IP traffic class: DSCP << 2 | ECN [0]", NUMBER(tclass, 0, 255))  \
	X(RETRY, "retry_count", "N", "retries of the transport, 0..7 [7]", NUMBER(retry, 0, 7))    \
	X(STATS, "stats", NULL, "all counters that are not zero, at the end", SWITCH(stats))

/* Options of perftest that are not here; columns: X(letter or 0, long name, reason) */
#define NOT_HERE(X)                                                                                \
	X('g', "mcg", "a test has one peer")                                                       \
	X('M', "MGID", "a test has one peer")                                                      \
	X('O', "dualport", "an adapter has one port")                                              \
	X(0, "reversed", "give the name of the host at the other end instead")                     \
	X(0, "report-per-port", "an adapter has one port")                                         \
	X('X', "vector", "an adapter has no interrupt vectors")                                    \
	X(0, "dlid", "Ethernet has no LIDs")                                                       \
	X(0, "force-link", "every link is Ethernet")                                               \
	X(0, "inline_recv", "a receive holds no data")                                             \
	X(0, "odp", "memory is never pinned, so every region is on demand")                        \
	X(0, "use-null-mr", "a null region is not offered")                                        \
	X(0, "mmap", "the memory is the program's own")                                            \
	X(0, "mmap-offset", "the memory is the program's own")                                     \
	X(0, "use_cuda", "the memory of accelerators is not supported")                            \
	X(0, "use_cuda_dmabuf", "the memory of accelerators is not supported")                     \
	X(0, "use_rocm", "the memory of accelerators is not supported")                            \
	X(0, "use_neuron", "the memory of accelerators is not supported")                          \
	X(0, "aes_xts", "nothing is encrypted")                                                    \
	X(0, "encrypt_on_tx", "nothing is encrypted")                                              \
	X(0, "sig_before", "nothing is encrypted")                                                 \
	X(0, "aes_block_size", "nothing is encrypted")                                             \
	X(0, "data_enc_keys_number", "nothing is encrypted")                                       \
	X(0, "kek_path", "nothing is encrypted")                                                   \
	X(0, "credentials_path", "nothing is encrypted")                                           \
	X(0, "data_enc_key_app_path", "nothing is encrypted")                                      \
	X(0, "log_dci_streams", "there are no DC queue pairs")                                     \
	X(0, "log_active_dci_streams", "there are no DC queue pairs")                              \
	X(0, "use_exp", "there is one way to post")                                                \
	X(0, "use_old_post_send", "there is one way to post")                                      \
	X(0, "disable_pcie_relaxed", "there is no PCIe between the memory and the adapter")        \
	X(0, "payload_file_path", "the content of messages does not change the figures")           \
	X(0, "typical_pkt_size", "only the hardware's rate limit needs the size of packets")       \
	X(0, "flows", "one queue pair is one flow: use -q")                                        \
	X(0, "flows_burst", "one queue pair is one flow: use -q")
/* clang-format on */

static const struct {
	int letter;
	const char *name, *reason;
} not_here[] = {
#define X(letter, name, reason) {letter, name, reason},
	NOT_HERE(X)
#undef X
};

static const struct taking takings[] = {
#define X(letter, name, arg, help, ...) __VA_ARGS__,
	FLAGS(X)
#undef X
};

static const struct option longs[] = {
#define X(letter, name, arg, help, ...) \
	{name, (arg) ? required_argument : no_argument, NULL, letter},
	FLAGS(X)
#undef X
		{NULL, 0, NULL, 0}};

const struct pt_tool *pt_tool_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

static void short_flags(char *out)
{
	*out++ = ':';
	for (const struct option *l = longs; l->name; l++) {
		if (l->val < FLAG_MAX)
			continue;
		*out++ = (char)l->val;
		if (l->has_arg)
			*out++ = ':';
	}
	*out = 0;
}

void pt_options_usage(const struct pt_tool *tool)
{
	printf("usage: %s [FLAGS]          server\n       %s [FLAGS] HOST     client\n", tool->name,
	       tool->name);
#define X(letter, name, arg, help, ...)                                           \
	if ((letter) >= FLAG_MAX)                                                 \
		printf("  -%c, --%s%s%s\n\t%s\n", letter, name, (arg) ? "=" : "", \
		       (arg) ? (const char *)(arg) : "", help);                   \
	else                                                                      \
		printf("      --%s%s%s\n\t%s\n", name, (arg) ? "=" : "",          \
		       (arg) ? (const char *)(arg) : "", help);
	FLAGS(X)
#undef X
	puts("Flags of perftest that are refused:");
	for (unsigned i = 0; i < sizeof(not_here) / sizeof(not_here[0]); i++)
		printf("      --%s: %s\n", not_here[i].name, not_here[i].reason);
	puts("Exit status 0: success; 1: failure; 2: wrong command line; 130: interrupted (143: by SIGTERM),\n"
	     "with the results so far.");
}

static int wrong(char *err, unsigned errlen, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err, errlen, format, args);
	va_end(args);
	return -1;
}

static int take_number(const struct taking *t, const char *name, const char *arg, unsigned *value,
		       char *err, unsigned errlen)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 0);

	if (*arg < '0' || *arg > '9' || *end || v < t->low || v > t->high)
		return wrong(err, errlen, "--%s takes a number from %u to %u, not '%s'", name,
			     t->low, t->high, arg);
	*value = (unsigned)v;
	return 0;
}

static int take_word(struct pt_options *o, int letter, const char *arg, char *err, unsigned errlen)
{
	static const struct {
		const char *word;
		enum rn_qp_type type;
	} types[] = {{"RC", RN_QPT_RC}, {"UC", RN_QPT_UC}, {"UD", RN_QPT_UD}};
	static const char *const outputs[] = {"bandwidth", "message_rate", "latency"};

	switch (letter) {
	case 'd':
		o->device = arg;
		return 0;
	case 'W':
		o->counters = arg;
		return 0;
	case SOURCE_IP:
	case BIND_IP:
		o->source_ip = arg;
		return 0;
	case OUTPUT:
		for (unsigned i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
			if (!strcmp(arg, outputs[i])) {
				o->output = PT_OUT_BANDWIDTH + i;
				return 0;
			}
		}
		return wrong(err, errlen,
			     "--output is bandwidth, message_rate or latency, not '%s'", arg);
	case JSON_FILE:
		o->json = true;
		o->json_file = arg;
		return 0;
	case RATE_UNITS:
		o->rate_unit = *arg;
		if (strlen(arg) == 1 && strchr("gMp", *arg))
			return 0;
		return wrong(err, errlen, "--rate_units is g, M or p, not '%s'", arg);
	case RATE_TYPE:
		return strcmp(arg, "SW")
			       ? wrong(err, errlen,
				       "--rate_limit_type is SW: the adapter has no limit "
				       "of its own")
			       : 0;
	case 'A':
		o->cas = !strcmp(arg, "CMP_AND_SWAP");
		if (o->cas || !strcmp(arg, "FETCH_AND_ADD"))
			return 0;
		return wrong(err, errlen, "--atomic_type is FETCH_AND_ADD or CMP_AND_SWAP");
	case 'c':
		for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
			if (!strcmp(arg, types[i].word)) {
				o->type = types[i].type;
				return 0;
			}
		}
		return wrong(err, errlen, "--connection is RC, UC or UD, not '%s'", arg);
	}
	return wrong(err, errlen, "flag %d has no meaning", letter);
}

static int take_decimal(const char *name, const char *arg, double *value, char *err,
			unsigned errlen)
{
	char *end;
	double v = strtod(arg, &end);

	if (*arg < '0' || *arg > '9' || *end || !(v > 0 && v < 1e15))
		return wrong(err, errlen, "--%s takes a number above 0, not '%s'", name, arg);
	*value = v;
	return 0;
}

static int take(struct pt_options *o, int letter, const char *arg, char *err, unsigned errlen)
{
	const struct taking *t = takings;
	const struct option *l = longs;

	while (l->val != letter) {
		l++;
		t++;
	}
	o->set[letter & 127] = true;
	switch (t->kind) {
	case A_SWITCH:
		*(bool *)((char *)o + t->at) = true;
		return 0;
	case A_NUMBER:
		return take_number(t, l->name, arg, (unsigned *)((char *)o + t->at), err, errlen);
	case A_DECIMAL:
		return take_decimal(l->name, arg, (double *)((char *)o + t->at), err, errlen);
	case A_WORD:
		break;
	}
	return take_word(o, letter, arg, err, errlen);
}

/* Stores why `word` of the command line is refused. letter: the letter that getopt did not know, or
 * 0 for a long option. */
static int refuse(const struct pt_tool *tool, const char *word, int letter, char *err,
		  unsigned errlen)
{
	for (unsigned i = 0; i < sizeof(not_here) / sizeof(not_here[0]); i++) {
		const char *name = not_here[i].name;
		size_t n = strlen(name);
		bool is_long = !letter && !strncmp(word, "--", 2) && !strncmp(word + 2, name, n) &&
			       (word[n + 2] == 0 || word[n + 2] == '=');

		if (is_long || (letter && letter == not_here[i].letter))
			return wrong(err, errlen, "--%s of perftest is not here: %s", name,
				     not_here[i].reason);
	}
	if (letter > FLAG_MAX)
		return wrong(err, errlen, "-%c is no flag of %s; --help lists them", letter,
			     tool->name);
	return wrong(err, errlen, "%s is no flag of %s; --help lists them", word, tool->name);
}

/* Returns the text of the first rule of perftest that the options break, or NULL. */
static const char *conflict(const struct pt_options *o)
{
	const struct pt_tool *t = o->tool;

	if (o->mtu & (o->mtu - 1))
		return "--mtu is 256, 512, 1024, 2048 or 4096";
	if (t->lat && (o->bidi || o->qps > 1 || o->set['Q'] || o->limit > 0 || o->limit_mpps > 0))
		return "-b, -q, -Q, -w and -y are for bandwidth";
	if (t->lat && (o->set['l'] || o->set[RECV_LIST] || o->rate > 0))
		return "--post_list, --recv_post_list and --rate_limit are for bandwidth";
	if (o->set['l'] && o->set['t'] && o->list > o->tx)
		return "--post_list must not exceed -t: a list is posted when there is room for it";
	if (o->set['l'] && o->set['Q'] && o->list % o->cq_mod)
		return "--post_list must be a multiple of -Q";
	if (o->set[RECV_LIST] && (t->verb != PT_SEND || o->recv_list > o->rx))
		return "--recv_post_list is for SENDs, and must not exceed -r";
	if (!o->rate && (o->set[RATE_UNITS] || o->set[RATE_TYPE] || o->set[BURST]))
		return "--rate_units, --rate_limit_type and --burst_size need --rate_limit";
	if (o->set[BURST] && o->burst < o->list)
		return "--burst_size must be at least --post_list";
	if (!t->lat && (o->sorted || o->unsorted))
		return "-H and -U are for latency";
	if (t->verb == PT_ATOMIC && (o->all || o->set['s']))
		return "atomics always have 8 bytes: no -s and no -a";
	if (t->verb != PT_ATOMIC && o->set['A'])
		return "-A is for atomics";
	if (o->type == RN_QPT_UC && t->verb >= PT_READ)
		return "READs and atomics need -c RC";
	if (o->type == RN_QPT_UD && t->verb != PT_SEND)
		return "-c UD is for SENDs";
	if ((o->cm || o->cm_talk) && o->type != RN_QPT_RC)
		return "-R and -z need -c RC";
	if (o->srq && (t->verb != PT_SEND || o->type != RN_QPT_RC))
		return "--use-srq is for SENDs, and needs -c RC";
	if (o->warm_up && (t->lat || t->verb == PT_SEND || o->bidi))
		return "--perform_warm_up is for write_bw, read_bw and atomic_bw without -b";
	if (o->output != PT_OUT_ALL && (o->output == PT_OUT_LATENCY) != t->lat)
		return "--output=latency is for latency; bandwidth and message_rate are for bandwidth";
	if (o->output != PT_OUT_ALL && (o->endless || o->progress || o->percentiles || o->sorted ||
					o->unsorted || o->report_both || o->stats))
		return "--output prints one figure: no option that prints more";
	if (o->v6 && o->set['x'])
		return "--ipv6 and -x both choose the adapter's address";
	if (o->cm && (o->set['L'] || o->set[FLOW]))
		return "-L and --flow_label are not for -R: the CM's messages do not tell them";
	if (o->set['o'] && t->verb < PT_READ)
		return "-o is for READs and atomics";
	if (o->set['r'] && t->verb != PT_SEND)
		return "-r is for SENDs";
	if (o->events && t->verb == PT_WRITE && t->lat)
		return "-e is not for write_lat: its ends poll memory, not completions";
	if (o->all && (o->secs || o->endless))
		return "-a cannot be combined with -D or --run_infinitely";
	if (o->endless && (t->lat || o->set['f'] || o->progress))
		return "--run_infinitely is for bandwidth, without -f and --progress";
	if (!t->lat && (o->percentiles || o->set[GAP]))
		return "--percentiles and --latency_gap are for latency";
	if (o->cpu_util && (t->lat || !o->secs))
		return "--cpu_util is for bandwidth, and needs -D";
#ifndef __x86_64__
	if (o->cycles)
		return "-C needs the time stamp counter of x86";
#endif
	if (o->progress && !o->secs)
		return "--progress needs -D";
	if (o->secs && o->set['f'] && 2 * o->margin >= o->secs)
		return "-f must be less than half of -D";
	if (o->report_both && !o->bidi)
		return "--report-both needs -b";
	return NULL;
}

/* Sets the options whose defaults depend on other options. */
static void settle(struct pt_options *o)
{
	const struct pt_tool *t = o->tool;

	if (o->all)
		o->size = 1u << SIZE_MAX_LOG2;
	if (!o->set['u'] && !o->cm)
		o->timeout = 14;
	if (!o->set['t'])
		o->tx = t->lat ? 1 : 128;
	o->cm_talk |= o->cm;
	if (o->endless && !o->secs)
		o->secs = ENDLESS_SECS;
	if (o->tx < o->list)
		o->tx = o->list;
	if (o->set['l'] && !o->set['Q'])
		o->cq_mod = o->list;
	if (!o->secs && o->tx > o->iters)
		o->tx = o->iters;
	if (!o->secs && o->rx > o->iters)
		o->rx = o->iters;
	if (o->cq_mod > o->tx)
		o->cq_mod = o->tx;
	if (!o->set[BURST])
		o->burst = o->tx;
	if (!o->set['f'])
		o->margin = o->secs / 4;
	/* Do not compute the peak bandwidth of more than 20000 messages: the computation examines
	 * every pair of messages and would take too long. */
	o->no_peak |= o->secs || t->lat || (uint64_t)o->iters * o->qps > 20000;
	if (o->json && !o->json_file)
		o->json_file = "perftest_out.json";
}

int pt_options_parse(struct pt_options *o, const struct pt_tool *tool, int argc, char **argv,
		     char *err, unsigned errlen)
{
	char letters[3 * FLAG_MAX + 128];
	const char *why;
	int letter;

	*o = (struct pt_options){.tool = tool,
				 .type = RN_QPT_RC,
				 .size = tool->size,
				 .iters = tool->iters,
				 .qps = 1,
				 .list = 1,
				 .recv_list = 1,
				 .hops = 64,
				 .rate_unit = 'g',
				 .rx = 512,
				 .port = 18515,
				 .cq_mod = 100,
				 .retry = 7,
				 .gid = PT_ANY_GID};
	short_flags(letters);
	opterr = 0;
	optind = 0; /* restart getopt, which the process may have used before */
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (letter == ':')
			return wrong(err, errlen, "%s needs an argument", argv[optind - 1]);
		if (letter == '?')
			return refuse(tool, argv[optind - 1], optopt, err, errlen);
		if (take(o, letter, optarg, err, errlen) != 0)
			return -1;
	}
	if (optind < argc)
		o->server = argv[optind++];
	if (optind < argc)
		return wrong(err, errlen, "only one host may be given; '%s' is too much",
			     argv[optind]);
	why = conflict(o);
	if (why)
		return wrong(err, errlen, "%s", why);
	settle(o);
	return 0;
}
