/* test_rows FILE...: runs test scripts (tests/sim/rows.h) unchanged against a whole adapter with a
 * DPDK port. The scripts test rows of docs/spec/rocev2.md. Commands create the QP, and work
 * requests go through the submission rings. The packets come from a packet socket on the other end
 * of a veth pair. The scripts run in real time.
 *
 * Scripts are skipped if they are about timing, about a single poll iteration of a shard, or about
 * features that struct rn_link does not offer. At least LEAST scripts must run. The whole test is
 * skipped where network namespaces are not available. */
#include "rig.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "line.h"
#include "wire/psn.h"
#include "qp/qp.h"
#include "rowfile.h"
#include "rowlang.h"

#define DUT	 1u
#define SKIPPED	 77
#define PEER_QPN 0x4711u
#define PEER_AT	 0x100000000ull /* address of the simulated peer's memory */
#define LEAST	 100		/* least number of test scripts that must run */
#define MS	 1000000ull

struct bench {
	struct line line;
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint32_t pd[2], lkey, key[KEYS];
	uint8_t *arena;
	/* The members from here on belong to the test script that is being run. */
	/* No simulation runs; only sim.spec and the addresses of sim.node[0] are used. */
	struct sim sim;
	bool connected;
	uint32_t state;
	FILE *out;
	char *word[24];
	unsigned nwords;
	/* number of outcome lines that the test script demands after the current command */
	unsigned expected;
};

static struct bench b;

/* ---- words of the current command ---- */

static const char *value(const char *key)
{
	size_t n = strlen(key);

	for (unsigned i = 1; i < b.nwords; i++)
		if (strncmp(b.word[i], key, n) == 0 && b.word[i][n] == '=')
			return b.word[i] + n + 1;
	return NULL;
}

static bool flag(const char *name)
{
	for (unsigned i = 1; i < b.nwords; i++)
		if (strcmp(b.word[i], name) == 0)
			return true;
	return false;
}

static uint64_t number(const char *key, uint64_t missing)
{
	const char *v = value(key);

	return v ? strtoull(v, NULL, 0) : missing;
}

static int64_t argument(unsigned i)
{
	return strtoll(b.word[i], NULL, 0);
}

static uint32_t key_named(const char *name)
{
	for (unsigned i = 0; i < KEYS; i++)
		if (strcmp(name, row_keys[i].name) == 0)
			return b.key[i];
	return (uint32_t)strtoul(name, NULL, 0);
}

/* ---- connecting the queue pair under test ---- */

static void modify(struct rn_qp_attr a, uint32_t mask)
{
	struct rn_cmd cmd = {
		.op = RN_CMD_MODIFY_QP,
		.modify_qp = {.qpn = b.qp.qpn, .gen = b.qp.gen, .mask = mask, .attr = a}};

	assert_int_equal(rig_exec(b.link, &cmd, NULL), 0);
}

static void connect_up(void)
{
	const struct sim_spec *s = &b.sim.spec;
	struct rn_qp_attr a = {.state = RN_QPS_INIT, .port = 1, .access = s->access};

	if (b.connected)
		return;
	b.connected = true;
	b.qp = rig_qp(b.link, b.pd[0], &b.cq, &b.cq, s->sq_depth);
	modify(a, RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS);
	a = (struct rn_qp_attr){
		.state = RN_QPS_RTR,
		.path_mtu = s->path_mtu,
		.dest_qpn = PEER_QPN,
		.rq_psn = s->first_psn,
		.max_dest_rd_atomic = s->rd_atomic,
		.min_rnr_timer = s->min_rnr_timer,
		.av = {.sgid = b.qp.info.gids[0], .dgid = b.line.own, .hop_limit = 64}};
	memcpy(a.av.dmac, b.line.mac, 6);
	modify(a, RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
			  RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER);
	a = (struct rn_qp_attr){.state = RN_QPS_RTS,
				.timeout = 20,
				.retry_cnt = s->retry_cnt,
				.rnr_retry = s->rnr_retry,
				.sq_psn = rn_psn_add(s->first_psn, 1000),
				.max_rd_atomic = s->rd_atomic};
	modify(a, RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
			  RN_QP_MAX_RD_ATOMIC);
	b.state = RN_QPS_RTS;
	memset(b.arena, 0, READS + 65536);
	for (uint32_t i = 0; i < 65536; i++)
		b.arena[SOURCE + i] = b.arena[V + i] = (uint8_t)(i >> 8);
}

/* ---- outcomes of a command ---- */

static void sum_verdicts(void *arg, const char *name, uint64_t v)
{
	uint64_t *verdicts = arg;

	for (unsigned i = 0; i < RN_V_COUNT; i++)
		if (strncmp(name, "verdict_", 8) == 0 && strcmp(name + 8, rn_verdicts[i].name) == 0)
			verdicts[i] = v;
}

/* Outcomes that were observed since the last command. Frames, completions and events are collected
 * separately, because a script lists frames first, then completions, then events. */
struct came {
	FILE *frames, *done, *events;
	char *text[3];
	size_t size[3];
	unsigned lines;
};

static void look(struct came *c)
{
	struct rn_event ev;
	struct rn_cqe cqe;
	struct rn_pkt pkt;

	b.link->ops->progress(b.link);
	for (; line_next(&b.line, &pkt, line_now()); c->lines++) {
		fprintf(c->frames, "  < ");
		rowlang_frame(c->frames, &b.sim, DUT, &pkt);
	}
	for (; rig_poll(&b.cq, &cqe, 0); c->lines++)
		rowlang_cqe(c->done, &cqe, "unknown");
	while (b.link->ops->wait(b.link, &ev, 1, 0) == 1)
		if (ev.kind < RN_EVENT_CM_REQUEST) {
			rowlang_event(c->events, ev.kind);
			c->lines++;
		}
	uint32_t now = atomic_load(&b.qp.shared->state);
	if (now != b.state) {
		fprintf(c->events, "  state %s\n", rn_qp_states[now].name);
		c->lines++;
	}
	b.state = now;
}

/* Waits up to two seconds for the expected number of outcome lines. Then waits half a millisecond
 * more, in which no further line may come. */
static void outcomes(unsigned expected)
{
	uint64_t until = line_now() + 2000 * MS;
	struct came c = {0};

	c.frames = open_memstream(&c.text[0], &c.size[0]);
	c.done = open_memstream(&c.text[1], &c.size[1]);
	c.events = open_memstream(&c.text[2], &c.size[2]);
	do
		look(&c);
	while (c.lines < expected && line_now() < until);
	for (until = line_now() + MS / 2; line_now() < until;)
		look(&c);
	fclose(c.frames);
	fclose(c.done);
	fclose(c.events);
	for (unsigned i = 0; i < 3; i++) {
		fputs(c.text[i], b.out);
		free(c.text[i]);
	}
}

/* ---- commands, and the run of a test script ---- */

static void do_set(void)
{
	struct sim_spec *s = &b.sim.spec;

	s->path_mtu = (uint8_t)number("mtu", s->path_mtu);
	s->rd_atomic = (uint8_t)number("rd", s->rd_atomic);
	s->retry_cnt = (uint8_t)number("retry", s->retry_cnt);
	s->rnr_retry = (uint8_t)number("rnr_retry", s->rnr_retry);
	s->min_rnr_timer = (uint8_t)number("rnr_timer", s->min_rnr_timer);
	s->access = (uint32_t)number("access", s->access);
}

/* The only work requests of this program are receives. Scripts in which the adapter is the
 * requester depend on time and are skipped. */
static void do_recv(void)
{
	uint32_t id = (uint32_t)argument(1);
	const char *key = value("lkey");

	rig_post(&b.qp, RN_WQE_RECV, id, b.arena + (key ? V : RECVS + (id << 16)),
		 (uint32_t)argument(2), key ? key_named(key) : b.lkey, 0, 0);
	outcomes(b.expected);
}

static uint8_t opcode_named(void)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct rn_opcode_row *row = rn_opcode_row((uint8_t)i);

		if (row->known && strcmp(row->name + 3, b.word[1]) == 0)
			return row->opcode;
	}
	return (uint8_t)strtoul(b.word[1], NULL, 0);
}

static struct rn_pkt packet(uint8_t opcode)
{
	uint32_t base =
		rn_psn_add(b.sim.spec.first_psn, rn_opcode_row(opcode)->response ? 1000 : 0);
	struct rn_pkt p = {.kind = RN_PKT_IB,
			   .src = b.line.own,
			   .dst = b.line.peer,
			   .ipv4 = true,
			   .hop_limit = 64,
			   .ip_df = true,
			   .udp_sport = (uint16_t)number("port", 0xC123),
			   .opcode = opcode,
			   .mig = number("M", 1),
			   .pkey = (uint16_t)number("pkey", 0xFFFF),
			   .dest_qpn = b.qp.qpn,
			   .psn = rn_psn_add(base, (uint32_t)argument(2))};

	memcpy(p.dmac, b.line.peer_mac, 6);
	memcpy(p.smac, b.line.mac, 6);
	p.payload_len = (uint32_t)number("n", 0);
	p.ack_req = flag("A");
	p.se = flag("SE");
	p.va = number("addr", (uint64_t)(uintptr_t)(b.arena + V) + number("va", 0));
	p.dma_len = (uint32_t)number("len", p.payload_len);
	p.rkey = value("rkey") ? key_named(value("rkey")) : b.key[KEY_K];
	p.imm = htonl((uint32_t)number("imm", 0));
	p.inv_rkey = value("inv") ? key_named(value("inv")) : 0;
	p.syndrome = (uint8_t)number("syn", 0x1F);
	p.swap_add = number("arg", 0);
	p.compare = number("cmp", 0);
	p.orig = number("orig", 0);
	p.msn = (uint32_t)number("msn", 0);
	if (value("from"))
		p.src.b[15] ^= 0x40;
	return p;
}

/* Sends a packet to the adapter and prints the adapter's verdict: the verdict whose counter has
 * changed. */
static void do_packet(void)
{
	static uint8_t payload[8192], frame[9216];
	uint64_t before[RN_V_COUNT] = {0}, after[RN_V_COUNT] = {0}, until = line_now() + 2000 * MS;
	struct rn_pkt p = packet(opcode_named());
	unsigned v = 0;

	memset(payload, (int)number("fill", 0xAA), sizeof(payload));
	p.payload = payload;
	b.link->ops->stats(b.link, sum_verdicts, before);
	line_send(&b.line, frame, rn_frame_build(&p, frame, sizeof(frame)));
	do {
		b.link->ops->progress(b.link);
		b.link->ops->stats(b.link, sum_verdicts, after);
		for (v = 0; v < RN_V_COUNT && after[v] == before[v]; v++)
			;
	} while (v == RN_V_COUNT && line_now() < until);
	fprintf(b.out, "  = %s\n", v < RN_V_COUNT ? rn_verdicts[v].name : "NOTHING");
	outcomes(b.expected - 1);
}

static uint8_t *area(void)
{
	char c = b.word[1][0];

	return b.arena +
	       (c == 'v'   ? V
		: c == 'r' ? READS
			   : RECVS + ((uint32_t)argument(1) << 16)) +
	       argument(2);
}

static void do_mem(void)
{
	const uint8_t *p = area();

	fprintf(b.out, " ");
	for (uint32_t i = 0, n = (uint32_t)argument(3), run; i < n; i += run) {
		for (run = 1; i + run < n && p[i + run] == p[i]; run++)
			;
		fprintf(b.out, " %02xx%u", p[i], run);
	}
	fputc('\n', b.out);
}

static void do_touch(void)
{
	memset(area(), (int)argument(4), (size_t)argument(3));
}

static void do_arm(void)
{
	atomic_store(&b.cq.view->shared->armed,
		     strcmp(b.word[1], "solicited") == 0 ? RN_CQ_ARM_SOLICITED : RN_CQ_ARM_ANY);
}

static const struct {
	const char *word;
	void (*run)(void);
} commands[] = {{"set", do_set}, {"recv", do_recv},   {">", do_packet},
		{"mem", do_mem}, {"touch", do_touch}, {"arm", do_arm}};

/* True when this program supports this argument of a command. */
static bool understood(const char *word)
{
	static const char *const keys[] = {
		"mtu",	"rd",	"retry", "rnr_retry", "rnr_timer", "access", "lkey", "n",
		"va",	"addr", "len",	 "rkey",      "syn",	   "msn",    "imm",  "inv",
		"fill", "from", "pkey",	 "M",	      "port",	   "arg",    "cmp",  "orig"};
	static const char *const others[] = {"win", "astray", "group", "GROUP-AT-OUR-MAC", "CNP"};
	size_t n = strcspn(word, "=");
	const char *what = word[n] ? word + n + 1 : word;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(others); i++)
		if (strncmp(what, others[i], strlen(others[i])) == 0)
			return false;
	for (unsigned i = 0; word[n] && i < RN_ARRAY_SIZE(keys); i++)
		if (strlen(keys[i]) == n && strncmp(word, keys[i], n) == 0)
			return true;
	return word[n] == 0;
}

/* True when this program can run this line of a script. A `set` line that presets the MSN cannot be
 * run. */
static bool played(const char *line)
{
	char copy[256], *word;
	bool known = false;

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
	if (line[0] == ' ' || line[0] == '#' || (word = strtok(copy, " ")) == NULL)
		return true;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(commands); i++)
		known |= strcmp(commands[i].word, word) == 0;
	known &= strncmp(line, "set ", 4) || strstr(line, "msn=") == NULL ||
		 strstr(line, "msn=") > strchr(line, '\n');
	while (known && (word = strtok(NULL, " ")) != NULL)
		known = understood(word);
	return known;
}

static bool row_played(const char *script)
{
	for (; *script; script += strcspn(script, "\n") + 1) {
		if (!played(script))
			return false;
		if (script[strcspn(script, "\n")] == 0)
			break;
	}
	return true;
}

static void run_line(char *line)
{
	static char empty[] = "";

	b.nwords = 0;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(b.word); i++)
		b.word[i] = empty;
	for (char *w = strtok(line, " "); w && b.nwords < RN_ARRAY_SIZE(b.word);
	     w = strtok(NULL, " "))
		b.word[b.nwords++] = w;
	if (b.nwords == 0 || b.word[0][0] == '#')
		return;
	if (strcmp(b.word[0], "set"))
		connect_up();
	for (unsigned i = 0; i < RN_ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].word, b.word[0]) == 0)
			commands[i].run();
}

static unsigned lines_behind(const char *next)
{
	unsigned n = 0;

	for (; next && *next == ' '; next = strchr(next, '\n') ? strchr(next, '\n') + 1 : NULL)
		n++;
	return n;
}

static void destroy(void)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {b.qp.qpn, b.qp.gen}};
	struct rn_event ev;
	struct rn_cqe cqe;

	assert_int_equal(rig_exec(b.link, &cmd, NULL), 0);
	while (rig_poll(&b.cq, &cqe, 0))
		;
	while (b.link->ops->wait(b.link, &ev, 1, 0) == 1)
		;
	atomic_store(&b.cq.view->shared->armed, RN_CQ_ARM_NONE);
}

static void run_row(void **state)
{
	const char *script = *state;
	char *copy = strdup(script), *text = NULL, *next = copy, *line;
	size_t size;

	sim_spec_default(&b.sim.spec);
	b.sim.spec.first_psn = 0xFFFFFE;
	b.sim.node[0].arena = (uint8_t *)(uintptr_t)PEER_AT;
	b.connected = false;
	b.out = open_memstream(&text, &size);
	while ((line = strsep(&next, "\n")) != NULL && (*line || next)) {
		if (*line == ' ')
			continue;
		b.expected = lines_behind(next);
		fprintf(b.out, "%s\n", line);
		run_line(line);
	}
	connect_up();
	destroy();
	fclose(b.out);
	assert_string_equal(text, script);
	free(text);
	free(copy);
}

/* ---- set-up and clean-up ---- */

static int open_bench(void **state)
{
	struct rn_link_info info;
	uint32_t lkey;

	b.link = rig_open(
		rig_config(
			"adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\"; ipv4 = [ \"192.0.2.1/24\" ];"
			" mtu = 9000; } );\neal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; window_packets = 256; };\n"
			"idle = { policy = \"inline\"; };\n"),
		0);
	b.pd[0] = rig_pd(b.link);
	b.pd[1] = rig_pd(b.link);
	b.cq = rig_cq(b.link, 256);
	b.arena = aligned_alloc(4096, 4u << 20);
	rig_reg(b.link, b.pd[0], b.arena, 4u << 20, RN_ACCESS_LOCAL_WRITE, &b.lkey, NULL);
	for (unsigned i = 0; i < KEYS; i++)
		rig_reg(b.link, b.pd[row_keys[i].pd != SIM_PD], b.arena + V, row_keys[i].length,
			row_keys[i].access, &lkey, &b.key[i]);
	assert_int_equal(line_open(&b.line, "vb", "192.0.2.2", "192.0.2.1"), 0);
	b.link->ops->info(b.link, &info);
	memcpy(b.line.peer_mac, info.mac, 6);
	return 0;
}

static int close_bench(void **state)
{
	line_close(&b.line);
	rn_link_close(b.link);
	free(b.arena);
	return 0;
}

/* Scripts that this program does not support are skipped without a message. So check that enough
 * scripts were run. */
static void enough_rows_are_played(void **state)
{
	assert_true(*(unsigned *)*state >= LEAST);
}

int main(int argc, char **argv)
{
	static struct rowfile f;
	static struct CMUnitTest tests[ROWFILE_MAX + 1];
	unsigned n = 0;

	if (unshare(CLONE_NEWNET) != 0 ||
	    system("ip link add va mtu 9000 type veth peer name vb mtu 9000 && ip link set va addrgenmode none && "
		   "ip link set vb addrgenmode none && ip link set va up && ip link set vb up") !=
		    0)
		return SKIPPED;
	for (int i = 1; i < argc; i++)
		rowfile_read(&f, argv[i]);
	for (unsigned i = 0; i < f.nrows; i++)
		if (row_played(f.script[i]))
			tests[n++] =
				(struct CMUnitTest){f.name[i], run_row, NULL, NULL, f.script[i]};
	tests[n] = (struct CMUnitTest){"enough_rows_are_played", enough_rows_are_played, NULL, NULL,
				       &n};
	return _cmocka_run_group_tests("rows", tests, n + 1, open_bench, close_bench);
}
