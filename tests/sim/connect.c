/* CM connections over links that lose packets are established and ended correctly. The seed
 * determines a run. Each connection has one QP on each node.
 * - The passive side accepts or rejects the connection.
 * - On an accepted connection both sides send a few messages. Then one side disconnects, or both
 *   sides do at once.
 * - Meanwhile each node resolves datagram services of the peer node (SIDR).
 * The simulated clients start connections and SIDR requests, end connections, and otherwise react
 * to events. */
#include "connect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "cm/cm.h"
#include "wire/psn.h"
#include "shard/shard.h"

#define CONNS	 6u
#define MESSAGES 3u
#define LENGTH	 3000u
#define LIMIT	 RN_S(2000)
#define ASKS	 4u
#define ASK_USER 3000u
/* number of CM ids of answered SIDR requests that a node keeps; as long as the id exists, the NIC
 * itself answers a repetition of the SIDR request */
#define ANSWERED 16u

struct side {
	uint32_t cm; /* CM id, 0 = none */
	bool has_qp, up, talks, gone, thought;
	unsigned sent, received;
};

struct conn {
	unsigned from; /* the node that connects */
	bool refuse;   /* the passive side rejects the connection */
	bool slow;     /* the clients handle the REQ and REP events up to 200 s late */
	/* The active side sends nothing before it has received a message. So no data packet can
	 * replace a lost RTU. */
	bool quiet;
	bool refused, failed, parted;
	unsigned tries;
	struct side side[SIM_NODES]; /* indexed by node; the QP of connection k is sim_node.qp[k] */
};

/* A datagram service that node `from` resolves (SIDR_REQ). */
struct ask {
	unsigned from;
	bool refuse, over;
	uint32_t cm;
	unsigned tries;
};

/* An event that a slow client has received and handles only at time `due`. */
struct later {
	rn_time due;
	unsigned node;
	struct rn_event ev;
};

struct connect {
	struct sim sim;
	struct later later[2 * CONNS];
	unsigned nlater;
	struct ask ask[ASKS];
	uint32_t service[SIM_NODES];
	uint32_t answered[SIM_NODES][ANSWERED];
	unsigned nanswered[SIM_NODES];
	struct rn_rng rng;
	uint64_t seed;
	uint16_t port[SIM_NODES];
	uint32_t listener[SIM_NODES];
	struct conn conn[CONNS];
	struct connect_totals *t;
	unsigned objections;
	FILE *out;
};

#define OBJECT(c, ...)                                                                             \
	do {                                                                                       \
		if ((c)->objections++ < 10) {                                                      \
			fprintf((c)->out, "seed %llu at %llu us: ", (unsigned long long)(c)->seed, \
				(unsigned long long)((c)->sim.now / 1000));                        \
			fprintf((c)->out, __VA_ARGS__);                                            \
			fputc('\n', (c)->out);                                                     \
		}                                                                                  \
	} while (0)

static uint32_t below(struct connect *c, uint64_t n)
{
	return (uint32_t)rn_rng_below(&c->rng, n);
}

static uint8_t byte_of(unsigned conn, unsigned node, unsigned message, uint32_t i)
{
	return (uint8_t)(conn * 67 + node * 31 + message * 7 + i);
}

static uint64_t send_area(unsigned conn, unsigned message)
{
	return (conn * MESSAGES + message) * (uint64_t)8192;
}

static uint64_t recv_area(unsigned conn, unsigned message)
{
	return (4 << 20) + send_area(conn, message);
}

/* ---- commands and messages of the clients ---- */

static int command(struct connect *c, unsigned node, unsigned op, uint32_t id, struct rn_cmd *cmd,
		   struct rn_rsp *rsp)
{
	cmd->op = (uint16_t)op;
	cmd->cm.id = id;
	sim_exec(&c->sim, node, cmd, rsp);
	return rsp->err;
}

/* Issues a command whose only argument is a CM id. */
static void simple(struct connect *c, unsigned node, unsigned op, uint32_t id)
{
	struct rn_cmd cmd = {0};
	struct rn_rsp rsp;
	int err = command(c, node, op, id, &cmd, &rsp);
	/* DISCONNECT may fail with -ENOTCONN or -EALREADY, because the peer may have disconnected
	 * first. */
	if (err && !(op == RN_CMD_CM_DISCONNECT && (err == -ENOTCONN || err == -EALREADY)))
		OBJECT(c, "node %u: command %u failed: %d", node, op, err);
}

static struct rn_cm_param parameters(struct connect *c, unsigned node, unsigned k)
{
	return (struct rn_cm_param){
		.qpn = c->sim.node[node].qp[k].qpn,
		.psn = (uint32_t)(k * 1000 + node),
		.responder_resources = 4,
		.initiator_depth = 4,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.data_len = 1,
		.data = {(uint8_t)k},
	};
}

static void make_qp(struct connect *c, unsigned node, unsigned k)
{
	struct sim_qp *qp = &c->sim.node[node].qp[k];
	if (qp->live)
		return;
	sim_create_qp(&c->sim, node, k);
	c->conn[k].side[node].has_qp = true;
	for (unsigned m = 0; m < MESSAGES; m++)
		sim_post(&c->sim, node, k,
			 &(struct sim_op){.kind = RN_WQE_RECV,
					  .wr_id = m,
					  .local = recv_area(k, m),
					  .length = LENGTH});
}

/* Starts connection k, for the first time or again after its address could not be resolved. */
static void dial(struct connect *c, unsigned k)
{
	struct conn *n = &c->conn[k];
	struct rn_cmd cmd = {.user = k + 1};
	struct rn_rsp rsp;
	bool v6 = c->sim.spec.ipv6;
	make_qp(c, n->from, k);
	cmd.cm.peer = c->sim.node[1 - n->from].port.gids[v6];
	if (below(c, 2))
		cmd.cm.local = c->sim.node[n->from].port.gids[v6];
	cmd.cm.peer_port = c->port[1 - n->from];
	cmd.cm.param = parameters(c, n->from, k);
	n->tries++;
	if (command(c, n->from, RN_CMD_CM_CONNECT, n->side[n->from].cm, &cmd, &rsp))
		OBJECT(c, "connection %u: CONNECT failed: %d", k, rsp.err);
	else
		n->side[n->from].cm = rsp.id;
}

/* Moves QP k to RTR and RTS with the attributes in the event, as a front end must. */
static void to_rts(struct connect *c, unsigned node, unsigned k, const struct rn_event *ev)
{
	struct rn_qp_attr a = ev->attr;
	a.rq_psn = (uint32_t)(k * 1000 + node);
	a.max_rd_atomic = RN_MIN(a.max_rd_atomic, 4);
	a.max_dest_rd_atomic = RN_MIN(a.max_dest_rd_atomic, 4);
	a.state = RN_QPS_RTR;
	if (sim_modify(&c->sim, node, k,
		       RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
			       RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER,
		       &a))
		OBJECT(c, "node %u connection %u: RTR refused", node, k);
	a.state = RN_QPS_RTS;
	if (sim_modify(&c->sim, node, k,
		       RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY |
			       RN_QP_SQ_PSN | RN_QP_MAX_RD_ATOMIC,
		       &a))
		OBJECT(c, "node %u connection %u: RTS refused", node, k);
}

/* Posts all messages that one side of connection k sends. */
static void talk(struct connect *c, unsigned node, unsigned k)
{
	uint8_t *arena = c->sim.node[node].arena;
	c->conn[k].side[node].talks = true;
	for (unsigned m = 0; m < MESSAGES; m++) {
		for (uint32_t i = 0; i < LENGTH; i++)
			arena[send_area(k, m) + i] = byte_of(k, node, m, i);
		sim_post(&c->sim, node, k,
			 &(struct sim_op){.kind = RN_WQE_SEND,
					  .flags = RN_WQE_SIGNALED,
					  .wr_id = m,
					  .local = send_area(k, m),
					  .length = LENGTH});
	}
}

static void hang_up(struct connect *c, unsigned node, unsigned k)
{
	struct side *s = &c->conn[k].side[node];
	if (s->has_qp)
		sim_destroy_qp(&c->sim, node, k);
	s->has_qp = false;
	if (s->cm)
		simple(c, node, RN_CMD_CM_DESTROY, s->cm);
	s->cm = 0;
}

/* ---- events ---- */

/* Handles a REQ: accepts or rejects the connection. The private data carry the connection's
 * number. */
static void answer(struct connect *c, unsigned node, const struct rn_event *ev)
{
	unsigned k = ev->param.data[0];
	struct rn_cmd cmd = {.user = k + 1};
	struct rn_rsp rsp;
	if (k >= CONNS || c->conn[k].from == node || c->conn[k].side[node].cm) {
		OBJECT(c, "node %u: a request nobody made, or twice", node);
		return;
	}
	c->conn[k].side[node].cm = ev->id;
	if (c->conn[k].refuse) {
		cmd.cm.param.data_len = 1;
		cmd.cm.param.data[0] = 77;
		if (command(c, node, RN_CMD_CM_REJECT, ev->id, &cmd, &rsp))
			OBJECT(c, "connection %u: REJECT failed: %d", k, rsp.err);
		hang_up(c, node, k);
		return;
	}
	make_qp(c, node, k);
	to_rts(c, node, k, ev);
	cmd.cm.param = parameters(c, node, k);
	if (command(c, node, RN_CMD_CM_ACCEPT, ev->id, &cmd, &rsp))
		OBJECT(c, "connection %u: ACCEPT failed: %d", k, rsp.err);
}

/* Handles a REP, or an RTU (or the first data packet in place of a lost RTU). */
static void established(struct connect *c, unsigned node, unsigned k, const struct rn_event *ev)
{
	if (ev->kind == RN_EVENT_CM_RESPONSE) {
		to_rts(c, node, k, ev);
		simple(c, node, RN_CMD_CM_ESTABLISH, ev->id);
		if (ev->param.data[0] != k)
			OBJECT(c, "connection %u: private data lost", k);
	}
	if (c->conn[k].side[node].up)
		OBJECT(c, "node %u connection %u: established twice", node, k);
	c->conn[k].side[node].up = true;
	if (!c->conn[k].quiet || c->conn[k].from != node)
		talk(c, node, k);
}

/* Handles the end of a connection or of an attempt to connect. */
static void over(struct connect *c, unsigned node, unsigned k, const struct rn_event *ev)
{
	struct conn *n = &c->conn[k];
	if (ev->kind == RN_EVENT_CM_REJECTED) {
		if (!n->refuse || ev->reason != 28 || ev->param.data[0] != 77)
			OBJECT(c, "connection %u: rejected with %u", k, ev->reason);
		n->refused = true;
		hang_up(c, node, k);
	} else if (ev->kind == RN_EVENT_CM_UNREACHABLE) {
		c->t->unreachable++;
		/* Address resolution fails when three ARP or ND requests are lost. Then start the
		 * connection again. */
		if (ev->err == -EHOSTUNREACH && n->tries < 20) {
			dial(c, k);
			return;
		}
		OBJECT(c, "connection %u: unreachable (%d)", k, ev->err);
		n->failed = true;
		hang_up(c, node, k);
	} else {
		if (n->side[node].gone)
			OBJECT(c, "node %u connection %u: told twice of its end", node, k);
		if (ev->reason == 2)
			OBJECT(c, "node %u connection %u: nobody answered the DREQ", node, k);
		n->side[node].gone = true;
		hang_up(c, node, k);
	}
}

/* ---- datagram services, and the handling of all events ---- */

/* Sends a SIDR_REQ for datagram service k. */
static void ask(struct connect *c, unsigned k)
{
	struct ask *a = &c->ask[k];
	struct rn_cmd cmd = {.user = ASK_USER + k};
	struct rn_rsp rsp;
	cmd.cm.port_space = RN_PS_UDP;
	cmd.cm.peer = c->sim.node[1 - a->from].port.gids[c->sim.spec.ipv6];
	cmd.cm.peer_port = c->port[1 - a->from];
	cmd.cm.param.data_len = 1;
	cmd.cm.param.data[0] = (uint8_t)k;
	a->tries++;
	if (command(c, a->from, RN_CMD_CM_CONNECT, a->cm, &cmd, &rsp))
		OBJECT(c, "question %u: CONNECT failed: %d", k, rsp.err);
	else
		a->cm = rsp.id;
}

/* Accepts or rejects a SIDR_REQ, then may destroy its CM id. A later repetition of the same
 * SIDR_REQ then reaches the client as a new SIDR request. */
static void answer_ask(struct connect *c, unsigned node, const struct rn_event *ev)
{
	unsigned k = ev->param.data[0];
	struct rn_cmd cmd = {0};
	struct rn_rsp rsp;
	if (k >= ASKS || c->ask[k].from == node || ev->param.data_len != RN_CM_SIDR_REQ_DATA) {
		OBJECT(c, "node %u: a question nobody asked", node);
		return;
	}
	cmd.cm.reason = 3;
	cmd.cm.param = (struct rn_cm_param){
		.qpn = 5000 + k, .qkey = k, .data_len = 1, .data = {(uint8_t)(100 + k)}};
	if (command(c, node, c->ask[k].refuse ? RN_CMD_CM_REJECT : RN_CMD_CM_ACCEPT, ev->id, &cmd,
		    &rsp))
		OBJECT(c, "question %u: no answer possible: %d", k, rsp.err);
	if (below(c, 2) && c->nanswered[node] < ANSWERED)
		c->answered[node][c->nanswered[node]++] = ev->id;
	else
		simple(c, node, RN_CMD_CM_DESTROY, ev->id);
}

/* Handles the outcome of a SIDR_REQ. */
static void take_answer(struct connect *c, unsigned node, const struct rn_event *ev)
{
	unsigned k = (unsigned)ev->user - ASK_USER;
	struct ask *a = &c->ask[k];
	if (a->over || a->from != node) {
		OBJECT(c, "question %u: answered twice", k);
		return;
	}
	/* Address resolution fails when three ARP or ND requests are lost. Then send the SIDR_REQ
	 * again. A lost SIDR_REQ needs no help: the NIC sends each SIDR_REQ up to sixteen times,
	 * and in these runs at least one of them arrives. */
	if (ev->kind == RN_EVENT_CM_UNREACHABLE && ev->err == -EHOSTUNREACH && a->tries < 20) {
		ask(c, k);
		return;
	}
	a->over = true;
	if (ev->kind == RN_EVENT_CM_RESPONSE) {
		c->t->resolved++;
		if (a->refuse || ev->param.qpn != 5000 + k || ev->attr.dest_qpn != 5000 + k ||
		    ev->param.qkey != (k ? k : RN_UDP_QKEY) || ev->param.data[0] != 100 + k ||
		    memcmp(ev->attr.av.dmac, c->sim.node[1 - node].port.mac, 6) != 0)
			OBJECT(c, "question %u: wrong answer", k);
	} else if (ev->kind != RN_EVENT_CM_REJECTED || !a->refuse || ev->reason != 3 ||
		   ev->param.data[0] != 100 + k) {
		OBJECT(c, "question %u: event %u, reason %u", k, ev->kind, ev->reason);
	}
}

static void take_event(struct connect *c, unsigned node, const struct rn_event *ev)
{
	unsigned k = (unsigned)ev->user - 1;
	switch (ev->kind) {
	case RN_EVENT_CM_REQUEST:
		answer(c, node, ev);
		break;
	case RN_EVENT_CM_RESPONSE:
	case RN_EVENT_CM_ESTABLISHED:
		established(c, node, k, ev);
		break;
	case RN_EVENT_CM_REJECTED:
	case RN_EVENT_CM_UNREACHABLE:
	case RN_EVENT_CM_DISCONNECTED:
		over(c, node, k, ev);
		break;
	case RN_EVENT_QP_FATAL:
		OBJECT(c, "node %u: QP %u failed", node, ev->id);
		break;
	}
}

/* Defers an event of a slow client to a random later time. Returns false if the event must be
 * handled now. */
static bool think(struct connect *c, unsigned node, const struct rn_event *ev)
{
	unsigned k = ev->param.data[0];
	if ((ev->kind != RN_EVENT_CM_REQUEST && ev->kind != RN_EVENT_CM_RESPONSE) || k >= CONNS ||
	    !c->conn[k].slow || c->conn[k].side[node].thought)
		return false;
	c->conn[k].side[node].thought = true;
	c->later[c->nlater++] = (struct later){c->sim.now + RN_S(below(c, 200)), node, *ev};
	c->t->thought++;
	return true;
}

static rn_time next_deferred(const struct connect *c)
{
	rn_time next = LIMIT;
	for (unsigned i = 0; i < c->nlater; i++)
		next = RN_MIN(next, c->later[i].due);
	return next;
}

static void handle_deferred(struct connect *c)
{
	for (unsigned i = 0; i < c->nlater;) {
		struct later l = c->later[i];
		if (l.due > c->sim.now) {
			i++;
			continue;
		}
		c->later[i] = c->later[--c->nlater];
		take_event(c, l.node, &l.ev);
	}
}

static void take_events(struct connect *c)
{
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned i = 0; i < c->sim.nevents[node]; i++) {
			const struct rn_event ev = c->sim.events[node][i];
			if (ev.parent == c->service[node]) {
				answer_ask(c, node, &ev);
				continue;
			}
			if (ev.user >= ASK_USER) {
				take_answer(c, node, &ev);
				continue;
			}
			if (!think(c, node, &ev))
				take_event(c, node, &ev);
		}
	c->sim.nevents[0] = c->sim.nevents[1] = 0;
}

static void take_completion(struct connect *c, unsigned node, const struct rn_cqe *e)
{
	unsigned k = (unsigned)e->qp_ctx, m = (unsigned)e->wr_id;
	struct side *s = &c->conn[k].side[node];
	if (e->status == RN_STATUS_WR_FLUSH_ERR)
		return;
	if (e->status)
		OBJECT(c, "node %u connection %u: request failed with %u", node, k, e->status);
	if (!(e->flags & RN_CQE_RECV)) {
		s->sent++;
		return;
	}
	s->received++;
	c->t->messages++;
	if (!s->talks && s->up)
		talk(c, node, k);
	for (uint32_t i = 0; i < LENGTH; i++)
		if (c->sim.node[node].arena[recv_area(k, m) + i] != byte_of(k, 1 - node, m, i)) {
			OBJECT(c, "node %u connection %u: wrong bytes", node, k);
			return;
		}
}

static bool complete(const struct side *s)
{
	return s->up && s->sent == MESSAGES && s->received == MESSAGES;
}

/* Disconnects every connection on which both sides have sent and received all messages. The
 * DISCONNECT comes from one side, or from both sides at once. */
static void part(struct connect *c)
{
	for (unsigned k = 0; k < CONNS; k++) {
		struct side *s = c->conn[k].side;
		if (c->conn[k].parted || !complete(&s[0]) || !complete(&s[1]))
			continue;
		c->conn[k].parted = true;
		unsigned who = below(c, 3);
		for (unsigned node = 0; node < SIM_NODES; node++)
			if (s[node].cm && !s[node].gone && who != node)
				simple(c, node, RN_CMD_CM_DISCONNECT, s[node].cm);
	}
}

static bool finished(const struct connect *c)
{
	for (unsigned k = 0; k < ASKS; k++)
		if (!c->ask[k].over)
			return false;
	for (unsigned k = 0; k < CONNS; k++) {
		const struct conn *n = &c->conn[k];
		if (!n->failed && !n->refused && !(n->side[0].gone && n->side[1].gone))
			return false;
	}
	return true;
}

/* ---- one run: set-up, loop, clean-up ---- */

static void set_up(struct connect *c, FILE *log)
{
	struct sim_spec s;
	sim_spec_default(&s);
	s.seed = c->seed;
	s.ipv6 = below(c, 2);
	s.vlan = below(c, 4) == 0;
	s.rq_depth = s.sq_depth = 8;
	uint32_t loss = below(c, 4) ? below(c, 200001) : 0;
	for (unsigned i = 0; i < SIM_NODES; i++)
		s.link[i].impair = (struct rn_impair){
			.loss_ppm = loss,
			.duplicate_ppm = below(c, 50000),
			.reorder_ppm = below(c, 50000),
			.corrupt_ppm = below(c, 10000),
			.delay_min_ns = RN_US(5),
			.delay_max_ns = RN_US(50),
			.reorder_ns = RN_US(100),
		};
	sim_init(&c->sim, &s);
	c->sim.log = log;
	for (unsigned node = 0; node < SIM_NODES; node++) {
		struct rn_cmd cmd = {.user = 1000};
		struct rn_rsp rsp;
		cmd.cm.port = c->port[node] = (uint16_t)(4000 + node);
		if (below(c, 2))
			cmd.cm.local = c->sim.node[node].port.gids[s.ipv6];
		if (command(c, node, RN_CMD_CM_LISTEN, 0, &cmd, &rsp))
			OBJECT(c, "LISTEN failed: %d", rsp.err);
		c->listener[node] = rsp.id;
		cmd.cm.port_space = RN_PS_UDP;
		if (command(c, node, RN_CMD_CM_LISTEN, 0, &cmd, &rsp))
			OBJECT(c, "LISTEN for datagrams failed: %d", rsp.err);
		c->service[node] = rsp.id;
	}
	for (unsigned k = 0; k < ASKS; k++) {
		c->ask[k].from = below(c, 2);
		c->ask[k].refuse = below(c, 6) == 0;
		ask(c, k);
	}
	for (unsigned k = 0; k < CONNS; k++) {
		c->conn[k].from = below(c, 2);
		c->conn[k].refuse = below(c, 6) == 0;
		c->conn[k].quiet = below(c, 2);
		c->conn[k].slow = below(c, 8) == 0;
		dial(c, k);
	}
}

static void tear_down(struct connect *c)
{
	for (unsigned node = 0; node < SIM_NODES; node++) {
		simple(c, node, RN_CMD_CM_DESTROY, c->listener[node]);
		simple(c, node, RN_CMD_CM_DESTROY, c->service[node]);
		while (c->nanswered[node])
			simple(c, node, RN_CMD_CM_DESTROY, c->answered[node][--c->nanswered[node]]);
	}
	for (unsigned k = 0; k < ASKS; k++)
		simple(c, c->ask[k].from, RN_CMD_CM_DESTROY, c->ask[k].cm);
	sim_run(&c->sim, c->sim.now + RN_S(200));
	take_events(c);
	for (unsigned node = 0; node < SIM_NODES; node++) {
		const struct rn_stats *s = rn_shard_stats(c->sim.node[node].shard);
		unsigned waits = rn_cm_timewait(c->sim.node[node].shard->lane.cm);
		if (waits)
			OBJECT(c, "node %u: %u timewait records are left", node, waits);
		for (unsigned v = 0; v < RN_V_COUNT; v++)
			c->t->verdicts[v] += s->verdict[v];
		c->t->mads_again += s->tx_mads;
		c->t->lost += c->sim.node[node].dropped;
	}
	if (sim_balance(&c->sim, false, c->out))
		OBJECT(c, "the books do not balance");
	unsigned left = sim_fini(&c->sim);
	if (left)
		OBJECT(c, "%u objects left over", left);
}

unsigned connect_run(uint64_t seed, struct connect_totals *totals, FILE *out, FILE *log)
{
	struct connect *c = calloc(1, sizeof(*c));
	struct rn_cqe e;
	if (c == NULL)
		abort();
	c->seed = seed;
	c->t = totals;
	c->out = out;
	rn_rng_seed(&c->rng, seed ^ 0xA0761D6478BD642Full);
	set_up(c, log);
	while (!finished(c) && c->sim.now < LIMIT && c->objections == 0) {
		sim_step(&c->sim, next_deferred(c));
		take_events(c);
		handle_deferred(c);
		for (unsigned node = 0; node < SIM_NODES; node++)
			while (sim_poll(&c->sim, node, &e))
				take_completion(c, node, &e);
		part(c);
	}
	for (unsigned k = 0; k < ASKS; k++)
		if (!c->ask[k].over)
			OBJECT(c, "question %u: never answered", k);
	for (unsigned k = 0; k < CONNS; k++) {
		const struct conn *n = &c->conn[k];
		totals->rejected += n->refused;
		totals->established += n->side[0].up && n->side[1].up;
		if (!n->refused && !n->failed && !(n->side[0].gone && n->side[1].gone))
			OBJECT(c, "connection %u: up %u %u, gone %u %u, sent %u %u, received %u %u",
			       k, n->side[0].up, n->side[1].up, n->side[0].gone, n->side[1].gone,
			       n->side[0].sent, n->side[1].sent, n->side[0].received,
			       n->side[1].received);
	}
	totals->connections += CONNS;
	totals->runs++;
	tear_down(c);
	unsigned objections = c->objections;
	free(c);
	return objections;
}
