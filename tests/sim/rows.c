/* Interprets the language of rows.h: feeds packets and work requests to one NIC and prints what the
 * NIC does. */
#include "rows.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "craft.h"
#include "wire/psn.h"
#include "rowlang.h"
#include "net/group.h"
#include "shard/shard.h"

#define DUT 1u /* the node under test; injected packets come from the addresses of node 0 */

/* Memory windows. Each window is bound over the first 4096 bytes of the memory region whose key is
 * named "k". */
enum { WIN, WIN_RO, WIN_ASTRAY, WINDOWS };
static const struct {
	const char *name;
	uint32_t access;
	bool astray; /* the memory window is bound on another QP */
} window_kinds[WINDOWS] = {
	[WIN] = {"win", RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC,
		 false},
	[WIN_RO] = {"winro", RN_ACCESS_REMOTE_READ, false},
	[WIN_ASTRAY] = {"astray",
			RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC,
			true},
};

struct rows {
	struct sim sim;
	bool connected, rtr, waiting, brief;
	uint32_t msn;
	rn_time wait_from;
	uint32_t key[KEYS];
	bool registered[KEYS];
	uint32_t window[WINDOWS];
	struct rn_mw_shared shared[WINDOWS];
	struct rn_mw_list elsewhere;
	uint32_t state;
	FILE *out;
	char *word[24]; /* words of the current command; missing words are empty strings */
	unsigned nwords;
};

static void fail(const struct rows *r, const char *why)
{
	fprintf(stderr, "rows: %s: %s %s\n", why, r->word[0], r->nwords > 1 ? r->word[1] : "");
	abort();
}

/* ---- memory that fails after the command `fault` ---- */

/* start of the 64 KiB of the arena in which every access fails; NULL = all accesses succeed */
static const uint8_t *gone;

static bool is_there(const uint8_t *p, size_t n)
{
	return gone == NULL || p + n <= gone || p >= gone + 65536;
}

static bool gather(void *dst, const void *ptr, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.gather(dst, ptr, n);
}

static bool gather_icrc(void *dst, const void *ptr, size_t n, uint32_t *icrc)
{
	return is_there(ptr, n) && rn_mem_plain.gather_icrc(dst, ptr, n, icrc);
}

static bool place(void *ptr, const void *src, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.place(ptr, src, n);
}

static bool cmp_swap(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.cmp_swap(ptr, compare, swap, old);
}

static bool fetch_add(void *ptr, uint64_t add, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.fetch_add(ptr, add, old);
}

static const struct rn_mem_ops memory = {gather, place, cmp_swap, fetch_add, gather_icrc};

/* ---- words of the current command ---- */

/* Returns the text after KEY= in the current command, or NULL. */
static const char *value(const struct rows *r, const char *key)
{
	size_t n = strlen(key);
	for (unsigned i = 1; i < r->nwords; i++)
		if (strncmp(r->word[i], key, n) == 0 && r->word[i][n] == '=')
			return r->word[i] + n + 1;
	return NULL;
}

/* Returns whether the current command contains this word. */
static bool flag(const struct rows *r, const char *name)
{
	for (unsigned i = 1; i < r->nwords; i++)
		if (strcmp(r->word[i], name) == 0)
			return true;
	return false;
}

static uint64_t number(const struct rows *r, const char *key, uint64_t missing)
{
	const char *v = value(r, key);
	return v ? strtoull(v, NULL, 0) : missing;
}

static int64_t argument(const struct rows *r, unsigned i)
{
	if (i >= r->nwords)
		fail(r, "argument missing");
	return strtoll(r->word[i], NULL, 0);
}

/* Returns the multicast group of the script: an IPv6 group after `set ipv6=1`, otherwise an IPv4
 * group. */
static struct rn_gid group_gid(const struct rows *r)
{
	static const struct rn_gid v4 = {{[10] = 0xff, 0xff, 239, 1, 2, 3}},
				   v6 = {{0xff, 0x15, [15] = 0x33}};
	return r->sim.spec.ipv6 ? v6 : v4;
}

static uint32_t key_named(const struct rows *r, const char *name)
{
	for (unsigned i = 0; i < KEYS; i++)
		if (strcmp(name, row_keys[i].name) == 0)
			return r->key[i];
	for (unsigned i = 0; i < WINDOWS; i++)
		if (strcmp(name, window_kinds[i].name) == 0)
			return r->window[i];
	return (uint32_t)strtoul(name, NULL, 0);
}

static const char *window_named(const struct rows *r, uint32_t key)
{
	for (unsigned i = 0; i < WINDOWS; i++)
		if (key == r->window[i])
			return window_kinds[i].name;
	return "unknown";
}

/* ---- set-up of the node under test ---- */

static struct rn_mr_via via_of(const struct rows *r, unsigned i)
{
	return (struct rn_mr_via){SIM_PD, r->sim.node[DUT].qp[0].qpn ^
						  (window_kinds[i].astray ? 0x1000 : 0)};
}

static struct rn_mw_list *list_of(struct rows *r, unsigned i)
{
	struct sim_node *n = &r->sim.node[DUT];

	return window_kinds[i].astray ? &r->elsewhere : &rn_shard_qp(n->shard, n->qp[0].qpn)->bound;
}

/* Creates the memory windows and binds them directly, without BIND requests, so that no counter
 * changes. */
static void create_bound_windows(struct rows *r)
{
	struct sim_node *n = &r->sim.node[DUT];

	for (unsigned i = 0; i < WINDOWS; i++) {
		struct rn_bind b = {4096, r->key[KEY_K], window_kinds[i].access};
		uint32_t *key = &r->window[i];

		if (rn_mw_add(n->mrs, SIM_PD, &r->shared[i], key))
			abort();
		*key = (*key & ~0xFFu) | ((*key & 0xFF) % 255 + 1);
		if (!rn_mw_bind(n->mrs, *key, via_of(r, i), (uint64_t)(uintptr_t)(n->arena + V), &b,
				list_of(r, i)))
			abort();
	}
}

static void destroy_bound_windows(struct rows *r)
{
	uint32_t owner;

	for (unsigned i = 0; i < WINDOWS; i++) {
		rn_mw_unbind(r->sim.node[DUT].mrs, r->window[i], via_of(r, i), list_of(r, i));
		if (rn_mw_remove(r->sim.node[DUT].mrs, r->window[i], &owner))
			abort();
	}
}

/* Creates and connects the node under test, unless an earlier call has done so. Must be called
 * before every command except `set`. */
static void connect_up(struct rows *r)
{
	struct sim_node *n = &r->sim.node[DUT];
	if (r->connected)
		return;
	r->connected = true;
	struct sim_spec spec = r->sim.spec;
	bool (*filter)(struct sim *, unsigned, const struct rn_pkt *, void *) = r->sim.filter;
	sim_init(&r->sim, &spec);
	r->sim.filter = filter;
	r->sim.filter_arg = r;
	sim_connect_rtr(&r->sim, 0);
	if (!r->rtr)
		sim_rts(&r->sim, DUT, 0);
	for (uint32_t i = 0; i < 65536; i++) {
		n->arena[SOURCE + i] = n->arena[V + i] = (uint8_t)(i >> 8);
	}
	for (unsigned i = 0; i < KEYS; i++) {
		struct rn_mr_attr a = {n->arena + V, (uint64_t)(uintptr_t)(n->arena + V),
				       row_keys[i].length, row_keys[i].pd, row_keys[i].access};
		uint32_t lkey;
		if (rn_mr_add(n->mrs, &a, &lkey, &r->key[i]))
			abort();
		r->registered[i] = true;
	}
	create_bound_windows(r);
	rn_shard_qp(n->shard, n->qp[0].qpn)->rx.msn = r->msn;
	r->state = atomic_load(&n->qp[0].shared->state);
	sim_send(&r->sim, DUT, UINT32_MAX); /* discards the node's first ARP and ND messages */
}

static void unregister(struct rows *r, unsigned i)
{
	if (!r->registered[i] || rn_mr_remove(r->sim.node[DUT].mrs, r->key[i]))
		abort();
	rn_mr_reclaim(r->sim.node[DUT].mrs, r->key[i]);
	r->registered[i] = false;
}

/* ---- outcomes of a command ---- */

/* Filter: drops every frame. Writes to the output each IB packet of the node under test; after the
 * command `brief`, only packets with AckReq. */
static bool note_frame(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct rows *r = arg;
	if (from != DUT || pkt->kind != RN_PKT_IB || (r->brief && !pkt->ack_req))
		return false;
	fprintf(r->out, "  < ");
	if (r->waiting)
		fprintf(r->out, "@%llu ", (unsigned long long)((sim->now - r->wait_from) / 1000));
	rowlang_frame(r->out, sim, from, pkt);
	return false;
}

/* Writes the node's completions, its events, and a change of the QP's state to the output. */
static void note_outcomes(struct rows *r)
{
	struct rn_cqe c;
	while (sim_poll(&r->sim, DUT, &c))
		rowlang_cqe(r->out, &c, window_named(r, c.imm));
	for (unsigned i = 0; i < r->sim.nevents[DUT]; i++)
		rowlang_event(r->out, r->sim.events[DUT][i].kind);
	r->sim.nevents[DUT] = 0;
	uint32_t now = atomic_load(&r->sim.node[DUT].qp[0].shared->state);
	if (now != r->state)
		fprintf(r->out, "  state %s\n", rn_qp_states[now].name);
	r->state = now;
}

static void let_send(struct rows *r, unsigned max)
{
	sim_send(&r->sim, DUT, max);
	note_outcomes(r);
}

/* ---- commands, and the run of a script ---- */

static void do_set(struct rows *r)
{
	struct sim_spec *s = &r->sim.spec;
	if (r->connected)
		fail(r, "set comes first");
	s->path_mtu = (uint8_t)number(r, "mtu", s->path_mtu);
	s->rd_atomic = (uint8_t)number(r, "rd", s->rd_atomic);
	s->retry_cnt = (uint8_t)number(r, "retry", s->retry_cnt);
	s->rnr_retry = (uint8_t)number(r, "rnr_retry", s->rnr_retry);
	s->timeout = (uint8_t)number(r, "timeout", s->timeout);
	s->min_rnr_timer = (uint8_t)number(r, "rnr_timer", s->min_rnr_timer);
	s->access = (uint32_t)number(r, "access", s->access);
	s->window = (uint32_t)number(r, "window", s->window);
	s->type = (uint8_t)number(r, "type", s->type);
	s->credits = number(r, "credits", s->credits);
	s->keep = (int)number(r, "keep", (uint64_t)s->keep);
	s->srq_depth = (uint32_t)number(r, "srq", s->srq_depth);
	s->ipv6 = number(r, "ipv6", s->ipv6);
	r->msn = (uint32_t)number(r, "msn", 0);
	r->rtr = number(r, "rtr", 0);
}

static bool is_fetch(enum rn_wqe_kind kind)
{
	return kind == RN_WQE_READ || kind == RN_WQE_CMP_SWAP || kind == RN_WQE_FETCH_ADD;
}

static void do_post(struct rows *r)
{
	struct sim_op op = {
		.wr_id = (uint64_t)argument(r, 1), .length = (uint32_t)argument(r, 2), .remote = V};
	op.kind = rowlang_kind(r->word[0]);
	op.flags = flag(r, "silent") ? 0 : RN_WQE_SIGNALED;
	op.flags |= flag(r, "fence") ? RN_WQE_FENCE : 0;
	op.flags |= flag(r, "se") ? RN_WQE_SOLICITED : 0;
	op.imm = (uint32_t)number(r, "imm", 0);
	if (op.kind != RN_WQE_SEND_INVAL)
		op.imm = htonl(op.imm);
	op.local = op.kind == RN_WQE_RECV ? RECVS + (op.wr_id << 16)
		   : is_fetch(op.kind)	  ? READS
					  : SOURCE;
	op.remote += number(r, "va", 0);
	op.atomic = (struct rn_atomic){number(r, "arg", 0), number(r, "cmp", 0)};
	struct rn_ud to = sim_ud(&r->sim, DUT, 0);
	to.qkey = (uint32_t)number(r, "qkey", to.qkey);
	if (flag(r, "group")) {
		to.qpn = RN_QPN_GROUP;
		to.av.dgid = group_gid(r);
		rn_group_mac(&to.av.dgid, to.av.dmac);
	}
	op.ud = &to;
	if (value(r, "lkey")) {
		op.lkey = key_named(r, value(r, "lkey"));
		op.local = V;
	}
	if (op.kind == RN_WQE_RECV && r->sim.spec.srq_depth)
		sim_post_shared(&r->sim, &op);
	else
		sim_post(&r->sim, DUT, 0, &op);
	if (!flag(r, "later"))
		let_send(r, UINT32_MAX);
}

static uint8_t opcode_named(const struct rows *r)
{
	uint8_t type = r->sim.spec.type;
	uint8_t transport = type == RN_QPT_RC ? RN_T_RC : type == RN_QPT_UC ? RN_T_UC : RN_T_UD;
	for (unsigned i = 0; i < 256; i++) {
		const struct rn_opcode_row *row = rn_opcode_row((uint8_t)i);
		if (row->known && row->transport == transport &&
		    strcmp(row->name + 3, r->word[1]) == 0)
			return row->opcode;
	}
	if (strcmp(r->word[1], "CNP") == 0)
		return RN_OPCODE_CNP;
	if (strncmp(r->word[1], "0x", 2))
		fail(r, "no such opcode");
	return (uint8_t)strtoul(r->word[1], NULL, 0);
}

static enum rn_verdict inject(struct rows *r, const struct rn_pkt *p)
{
	uint8_t frame[SIM_FRAME_MAX];
	unsigned n = rn_frame_build(p, frame, sizeof(frame));

	if (n == 0)
		fail(r, "too long");
	if (flag(r, "bad_icrc"))
		frame[n - 1] ^= 1;
	return sim_inject(&r->sim, DUT, frame, n);
}

/* Builds a CNP as adapters send it. Arguments of the script command can change the fields that the
 * receiver of a CNP must ignore. */
static void make_cnp(struct rows *r, struct rn_pkt *p)
{
	p->psn = (uint32_t)argument(r, 2);
	p->mig = number(r, "M", 0);
	p->becn = number(r, "becn", 1);
	p->payload_len = (uint32_t)number(r, "n", 16);
	memset((uint8_t *)p->payload, (int)number(r, "fill", 0), p->payload_len);
	p->tclass = (uint8_t)number(r, "tclass", 0xC2);
}

/* Sets the fields of a datagram: Q_Key, source QPN, and the multicast destination. */
static void address_datagram(const struct rows *r, struct rn_pkt *p)
{
	p->qkey = (uint32_t)number(r, "qkey", SIM_QKEY);
	p->src_qpn = (uint32_t)number(r, "src", 7);
	p->dest_qpn = (uint32_t)number(r, "qpn", p->dest_qpn);
	if (flag(r, "group") || flag(r, "GROUP-AT-OUR-MAC"))
		p->dst = group_gid(r);
	if (flag(r, "group"))
		rn_group_mac(&p->dst, p->dmac);
}

static void do_packet(struct rows *r)
{
	static uint8_t payload[8192];
	struct rn_pkt p = craft_packet(&r->sim, DUT, 0, opcode_named(r), (int32_t)argument(r, 2));
	const char *key = value(r, "rkey");
	memset(payload, (int)number(r, "fill", 0xAA), sizeof(payload));
	p.payload = payload;
	p.payload_len = (uint32_t)number(r, "n", 0);
	p.ack_req = flag(r, "A");
	p.se = flag(r, "SE");
	p.va = (uint64_t)(uintptr_t)(r->sim.node[DUT].arena + V) + number(r, "va", 0);
	p.va = number(r, "addr", p.va);
	p.dma_len = (uint32_t)number(r, "len", p.payload_len);
	p.rkey = key ? key_named(r, key) : r->key[KEY_K];
	p.imm = htonl((uint32_t)number(r, "imm", 0));
	p.inv_rkey = value(r, "inv") ? key_named(r, value(r, "inv")) : 0;
	p.syndrome = (uint8_t)number(r, "syn", 0x1F);
	p.swap_add = number(r, "arg", 0);
	p.compare = number(r, "cmp", 0);
	p.orig = number(r, "orig", 0);
	p.msn = (uint32_t)number(r, "msn", 0);
	p.pkey = (uint16_t)number(r, "pkey", p.pkey);
	p.mig = number(r, "M", 1);
	p.udp_sport = (uint16_t)number(r, "port", p.udp_sport);
	p.tclass = (uint8_t)number(r, "tclass", 0);
	if (value(r, "from"))
		p.src.b[15] ^= 0x40;
	if (value(r, "qp"))
		p.dest_qpn ^= 0x1000;
	address_datagram(r, &p);
	if (p.opcode == RN_OPCODE_CNP)
		make_cnp(r, &p);
	for (uint64_t n = number(r, "times", 1); n > 1; n--, p.psn = rn_psn_add(p.psn, 1))
		inject(r, &p);
	fprintf(r->out, "  = %s\n", rn_verdicts[inject(r, &p)].name);
	if (strcmp(r->word[0], ">") == 0)
		let_send(r, UINT32_MAX);
}

/* Prints the QP's rate limit in thousandths of the line rate, or "no limit". */
static void do_rate(struct rows *r)
{
	const struct sim_node *n = &r->sim.node[DUT];
	const struct rn_qp *qp = rn_shard_qp(n->shard, n->qp[0].qpn);

	if (qp->cc.limited)
		fprintf(r->out, "  rate %llu\n",
			(unsigned long long)(qp->cc.rate * 1000 / n->cfg.cc.line_rate));
	else
		fprintf(r->out, "  no limit\n");
}

static void do_speak(struct rows *r)
{
	let_send(r, (unsigned)argument(r, 1));
}

static void do_wait(struct rows *r)
{
	r->waiting = true;
	r->wait_from = r->sim.now;
	sim_run(&r->sim, r->sim.now + RN_US(argument(r, 1)));
	r->waiting = false;
	let_send(r, UINT32_MAX);
}

static uint8_t *area(const struct rows *r)
{
	uint8_t *arena = r->sim.node[DUT].arena;
	char c = r->word[1][0];
	return arena +
	       (c == 'v'   ? V
		: c == 'r' ? READS
			   : RECVS + ((uint32_t)argument(r, 1) << 16)) +
	       argument(r, 2);
}

static void do_mem(struct rows *r)
{
	const uint8_t *p = area(r);
	fprintf(r->out, " ");
	for (uint32_t i = 0, n = (uint32_t)argument(r, 3), run; i < n; i += run) {
		for (run = 1; i + run < n && p[i + run] == p[i]; run++)
			;
		fprintf(r->out, " %02xx%u", p[i], run);
	}
	fputc('\n', r->out);
}

static void do_touch(struct rows *r)
{
	memset(area(r), (int)argument(r, 4), (size_t)argument(r, 3));
}

static void do_dereg(struct rows *r)
{
	for (unsigned i = 0; i < KEYS; i++)
		if (strcmp(r->word[1], row_keys[i].name) == 0)
			unregister(r, i);
}

static void do_invalidate(struct rows *r)
{
	for (unsigned i = 0; i < WINDOWS; i++)
		if (strcmp(r->word[1], window_kinds[i].name) == 0 &&
		    !rn_mw_invalidate(r->sim.node[DUT].mrs, r->window[i], via_of(r, i)))
			fail(r, "not bound");
}

static void do_group(struct rows *r)
{
	const struct rn_gid gid = group_gid(r);
	sim_group(&r->sim, DUT, 0, strcmp(r->word[0], "join") == 0, &gid);
}

static void do_brief(struct rows *r)
{
	r->brief = true;
}

static void do_fault(struct rows *r)
{
	gone = r->sim.node[DUT].arena + V;
}

static void do_arm(struct rows *r)
{
	atomic_store(&r->sim.node[DUT].cq_shared->armed,
		     strcmp(r->word[1], "solicited") == 0 ? RN_CQ_ARM_SOLICITED : RN_CQ_ARM_ANY);
}

static void do_rts(struct rows *r)
{
	sim_rts(&r->sim, DUT, 0);
	let_send(r, UINT32_MAX);
}

static void do_sqd(struct rows *r)
{
	struct rn_qp_attr a = {.state = RN_QPS_SQD, .sqd_notify = flag(r, "notify")};
	if (sim_modify(&r->sim, DUT, 0, RN_QP_STATE | RN_QP_SQD_NOTIFY, &a))
		fail(r, "refused");
	let_send(r, UINT32_MAX);
}

static void do_error(struct rows *r)
{
	struct rn_qp_attr a = {.state = RN_QPS_ERR};
	if (sim_modify(&r->sim, DUT, 0, RN_QP_STATE, &a))
		fail(r, "refused");
	let_send(r, UINT32_MAX);
}

static const struct {
	const char *word;
	void (*run)(struct rows *r);
} commands[] = {
	{"set", do_set},       {"recv", do_post},      {"send", do_post},
	{"write", do_post},    {"read", do_post},      {"send_imm", do_post},
	{"send_inv", do_post}, {"write_imm", do_post}, {">", do_packet},
	{"cmp_swap", do_post}, {"fetch_add", do_post}, {">>", do_packet},
	{"speak", do_speak},   {"wait", do_wait},      {"mem", do_mem},
	{"touch", do_touch},   {"dereg", do_dereg},    {"rts", do_rts},
	{"sqd", do_sqd},       {"error", do_error},    {"brief", do_brief},
	{"arm", do_arm},       {"fault", do_fault},    {"invalidate", do_invalidate},
	{"rate", do_rate},     {"join", do_group},     {"leave", do_group},
};

static void run_line(struct rows *r, char *line)
{
	static char empty[] = "";
	r->nwords = 0;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(r->word); i++)
		r->word[i] = empty;
	for (char *w = strtok(line, " "); w && r->nwords < RN_ARRAY_SIZE(r->word);
	     w = strtok(NULL, " "))
		r->word[r->nwords++] = w;
	if (r->nwords == 0 || r->word[0][0] == '#')
		return;
	if (strcmp(r->word[0], "set"))
		connect_up(r);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].word, r->word[0]) == 0) {
			commands[i].run(r);
			return;
		}
	fail(r, "no such command");
}

char *rows_run(const char *script, uint32_t first_psn, uint32_t *verdicts)
{
	struct rows *r = calloc(1, sizeof(*r));
	char *copy = strdup(script), *text = NULL, *next = copy, *line;
	size_t size;
	if (r == NULL || copy == NULL)
		abort();
	r->out = open_memstream(&text, &size);
	sim_spec_default(&r->sim.spec);
	r->sim.spec.first_psn = first_psn;
	r->sim.spec.mem = &memory;
	gone = NULL;
	r->sim.filter = note_frame;
	while ((line = strsep(&next, "\n")) != NULL && (*line || next)) {
		if (*line == ' ')
			continue;
		fprintf(r->out, "%s\n", line);
		run_line(r, line);
	}
	connect_up(r);
	destroy_bound_windows(r);
	for (unsigned i = 0; i < KEYS; i++)
		if (r->registered[i])
			unregister(r, i);
	for (unsigned v = 0; v < RN_V_COUNT; v++)
		verdicts[v] += (uint32_t)rn_shard_stats(r->sim.node[DUT].shard)->verdict[v];
	sim_balance(&r->sim, false, r->out);
	if (sim_fini(&r->sim))
		fprintf(r->out, "LEFT OVER\n");
	fclose(r->out);
	free(copy);
	free(r);
	return text;
}
