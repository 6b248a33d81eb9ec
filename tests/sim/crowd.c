/* The clients of crowd.h. The seed determines a run. */
#include "crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shard/claims.h"

#define CONNS	 12u
#define MESSAGES 12u
#define LENGTH	 3000u
#define LIMIT	 RN_S(100)
#define NEWS	 RN_MS(100)

struct end {
	unsigned host, client;
	uint32_t cm; /* CM id; 0: none */
	bool up, over;
	unsigned posted, sent, receives, received;
};

struct conn {
	struct end end[2]; /* [0] connects to [1] */
	rn_time starts;
	bool dialled, hung_up;
};

struct crowd {
	struct lan lan;
	struct rn_rng rng;
	uint64_t seed;
	struct conn conn[CONNS];
	uint32_t listener[LAN_HOSTS][LAN_CLIENTS];
	struct crowd_totals *t;
	unsigned objections;
	FILE *out;
	bool restarted;
	rn_time claims_until[LAN_HOSTS]; /* 0: the host's switch has not restarted */
	rn_time died;			 /* RN_TIME_NEVER: nobody has died */
};

#define OBJECT(c, ...)                                                                             \
	do {                                                                                       \
		if ((c)->objections++ < 10) {                                                      \
			fprintf((c)->out, "seed %llu at %llu us: ", (unsigned long long)(c)->seed, \
				(unsigned long long)((c)->lan.now / 1000));                        \
			fprintf((c)->out, __VA_ARGS__);                                            \
			fputc('\n', (c)->out);                                                     \
		}                                                                                  \
	} while (0)

static uint32_t below(struct crowd *c, uint64_t n)
{
	return (uint32_t)rn_rng_below(&c->rng, n);
}

static bool alive(const struct crowd *c, const struct end *e)
{
	return c->lan.host[e->host].client[e->client].alive;
}

static bool bereaved(const struct crowd *c, unsigned k)
{
	return !alive(c, &c->conn[k].end[0]) || !alive(c, &c->conn[k].end[1]);
}

static uint8_t byte_of(unsigned k, unsigned side, unsigned message, uint32_t i)
{
	return (uint8_t)(k * 67 + side * 31 + message * 7 + i);
}

/* Each end has room for LAN_DEPTH messages to send and as many to receive. */
static uint32_t place(unsigned k, bool receive, unsigned message)
{
	return ((k * 2 + receive) * LAN_DEPTH + message % LAN_DEPTH) * 4096;
}

/* ---- commands ---- */

static int command(struct crowd *c, const struct end *e, unsigned k, struct rn_cmd *cmd,
		   struct rn_rsp *rsp)
{
	return lan_exec(&c->lan, e->host, e->client, k, cmd, rsp);
}

static void simple(struct crowd *c, const struct end *e, unsigned k, unsigned op)
{
	struct rn_cmd cmd = {.op = (uint16_t)op};
	struct rn_rsp rsp;
	int err;

	cmd.cm.id = e->cm;
	err = command(c, e, k, &cmd, &rsp);
	if (err && !bereaved(c, k) &&
	    !(op == RN_CMD_CM_DISCONNECT && (err == -ENOTCONN || err == -EALREADY)))
		OBJECT(c, "connection %u: command %u failed: %d", k, op, err);
}

static struct lan_qp *qp_of(struct crowd *c, const struct end *e, unsigned k)
{
	return &c->lan.host[e->host].client[e->client].qp[k];
}

static void make_qp(struct crowd *c, struct end *e, unsigned k)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_QP};
	struct rn_rsp rsp;

	if (qp_of(c, e, k)->mem)
		return;
	cmd.create_qp.type = RN_QPT_RC;
	cmd.create_qp.pd = 1;
	cmd.create_qp.send_cq = cmd.create_qp.recv_cq = 1;
	cmd.create_qp.sq_depth = cmd.create_qp.rq_depth = LAN_DEPTH;
	cmd.create_qp.sq_sge = cmd.create_qp.rq_sge = 1;
	cmd.create_qp.qp_ctx = k * 2 + (e == &c->conn[k].end[1]);
	command(c, e, k, &cmd, &rsp);
}

static void modify(struct crowd *c, const struct end *e, unsigned k, uint32_t mask,
		   const struct rn_qp_attr *attr)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_QP};
	struct rn_rsp rsp;

	cmd.modify_qp.qpn = qp_of(c, e, k)->qpn;
	cmd.modify_qp.gen = qp_of(c, e, k)->gen;
	cmd.modify_qp.mask = RN_QP_STATE | mask;
	cmd.modify_qp.attr = *attr;
	if (command(c, e, k, &cmd, &rsp))
		OBJECT(c, "connection %u: state %u refused: %d", k, attr->state, rsp.err);
}

static void post_receives(struct crowd *c, struct end *e, unsigned k)
{
	while (e->receives < MESSAGES && e->receives < e->received + LAN_DEPTH) {
		lan_post(&c->lan, e->host, e->client, k, RN_WQE_RECV, e->receives,
			 place(k, true, e->receives), LENGTH);
		e->receives++;
	}
}

/* Moves the QP to RTS with the attributes of the event. */
static void to_rts(struct crowd *c, struct end *e, unsigned k, const struct rn_event *ev)
{
	struct rn_qp_attr a = ev->attr;
	unsigned side = e == &c->conn[k].end[1];

	a.state = RN_QPS_INIT;
	a.port = 1;
	a.access = RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ;
	modify(c, e, k, RN_QP_PORT | RN_QP_PKEY_INDEX | RN_QP_ACCESS, &a);
	post_receives(c, e, k);
	a.rq_psn = 1000 * k + side;
	a.max_rd_atomic = a.max_dest_rd_atomic = 1;
	a.state = RN_QPS_RTR;
	modify(c, e, k,
	       RN_QP_AV | RN_QP_PATH_MTU | RN_QP_DEST_QPN | RN_QP_RQ_PSN |
		       RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER,
	       &a);
	a.state = RN_QPS_RTS;
	modify(c, e, k,
	       RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY | RN_QP_SQ_PSN |
		       RN_QP_MAX_RD_ATOMIC,
	       &a);
}

static struct rn_cm_param parameters(struct crowd *c, const struct end *e, unsigned k)
{
	return (struct rn_cm_param){.qpn = qp_of(c, e, k)->qpn,
				    .psn = 1000 * k + (e == &c->conn[k].end[1]),
				    .responder_resources = 1,
				    .initiator_depth = 1,
				    .retry_cnt = 7,
				    .rnr_retry = 7,
				    .data_len = 1,
				    .data = {(uint8_t)(k + 1)}};
}

static uint16_t port_of(const struct end *e)
{
	return (uint16_t)(4000 + e->host * 10 + e->client);
}

static void listen_at_switch(struct crowd *c, const struct end *e)
{
	static const struct rn_gid any_ipv4 = {{[10] = 0xff, 0xff}};
	const struct lan_host *h = &c->lan.host[e->host];
	uint64_t service = rn_cm_service_id(RN_PS_TCP, port_of(e));
	int err = rn_switch_listen(h->sw, h->client[e->client].number, service, &any_ipv4);

	if (err)
		OBJECT(c, "the switch refuses a listener: %d", err);
}

static void start_listening(struct crowd *c)
{
	for (unsigned host = 0; host < LAN_HOSTS; host++)
		for (unsigned i = 0; i < LAN_CLIENTS; i++) {
			const struct end e = {.host = host, .client = i};
			struct rn_cmd cmd = {.op = RN_CMD_CM_LISTEN, .user = 1000};
			struct rn_rsp rsp;

			cmd.cm.port = port_of(&e);
			cmd.cm.local = (struct rn_gid){{[10] = 0xff, 0xff}};
			if (command(c, &e, 0, &cmd, &rsp))
				OBJECT(c, "LISTEN failed: %d", rsp.err);
			c->listener[host][i] = rsp.id;
			listen_at_switch(c, &e);
		}
}

static void dial(struct crowd *c, unsigned k)
{
	struct end *e = &c->conn[k].end[0], *to = &c->conn[k].end[1];
	struct rn_cmd cmd = {.op = RN_CMD_CM_CONNECT, .user = k * 2 + 1};
	struct rn_rsp rsp;

	c->conn[k].dialled = true;
	if (!alive(c, e))
		return;
	make_qp(c, e, k);
	cmd.cm.peer = lan_gid(to->host);
	cmd.cm.peer_port = port_of(to);
	cmd.cm.param = parameters(c, e, k);
	if (command(c, e, k, &cmd, &rsp))
		OBJECT(c, "connection %u: CONNECT failed: %d", k, rsp.err);
	e->cm = rsp.id;
}

/* Posts as many messages as the send queue and the buffers have room for. */
static void talk(struct crowd *c, unsigned k, unsigned side)
{
	struct end *e = &c->conn[k].end[side];
	uint8_t *arena = c->lan.host[e->host].client[e->client].arena;

	for (; e->posted < MESSAGES && e->posted < e->sent + LAN_DEPTH; e->posted++) {
		uint32_t at = place(k, false, e->posted);

		for (uint32_t i = 0; i < LENGTH; i++)
			arena[at + i] = byte_of(k, side, e->posted, i);
		lan_post(&c->lan, e->host, e->client, k, RN_WQE_SEND, e->posted, at, LENGTH);
	}
}

/* ---- announcements to a switch that has restarted ---- */

static void announce(struct crowd *c, unsigned host, const struct lan_client *client,
		     const struct rn_cm_track *track)
{
	const struct rn_track_claim claim = {.state = track->state,
					     .local_id = track->local_id,
					     .remote_id = track->remote_id,
					     .local_qpn = track->local_qpn,
					     .remote_qpn = track->remote_qpn,
					     .service_id = track->service_id,
					     .way = track->way};
	int err = rn_switch_claim(c->lan.host[host].sw, client->number, &claim, c->lan.now);

	/* A request that arrives long after the restart is known to the switch. */
	if (err && claim.state != RN_TRACK_REQ_RCVD)
		OBJECT(c, "a claim is refused: %d", err);
}

/* Announces the connection of one end to a switch that has restarted. The switch before may have
 * passed a message that the client had not seen yet, so clients announce again at each event for a
 * while. */
static void announce_end(struct crowd *c, const struct end *e)
{
	const struct lan_client *client = &c->lan.host[e->host].client[e->client];
	struct rn_cm_track track;

	if (c->lan.now < c->claims_until[e->host] && rn_shard_track(client->shard, e->cm, &track))
		announce(c, e->host, client, &track);
}

/* Announces all that a client has, in small portions. */
static void announce_all(struct crowd *c, unsigned host, const struct lan_client *client)
{
	struct rn_cm_listener_id listener[2];
	struct rn_cm_track track[2];
	uint32_t cursor = 0;
	unsigned n;

	while ((n = rn_shard_listeners(client->shard, &cursor, listener, 2)))
		while (n--)
			if (rn_switch_listen(c->lan.host[host].sw, client->number,
					     listener[n].service_id, &listener[n].addr))
				OBJECT(c, "the switch refuses a listener that comes back");
	cursor = 0;
	while ((n = rn_shard_tracks(client->shard, &cursor, track, 2)))
		while (n--)
			announce(c, host, client, &track[n]);
}

/* ---- events and completions ---- */

static void finish(struct crowd *c, unsigned k, struct end *e)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
	struct rn_rsp rsp;

	if (e->over)
		OBJECT(c, "connection %u: ended twice", k);
	e->over = true;
	cmd.qp.qpn = qp_of(c, e, k)->qpn;
	cmd.qp.gen = qp_of(c, e, k)->gen;
	if (qp_of(c, e, k)->mem)
		command(c, e, k, &cmd, &rsp);
	simple(c, e, k, RN_CMD_CM_DESTROY);
	e->cm = 0;
}

static void answer(struct crowd *c, unsigned host, unsigned client, const struct rn_event *ev)
{
	unsigned k = ev->param.data[0] - 1u;
	struct rn_cmd cmd = {.op = RN_CMD_CM_ACCEPT};
	struct rn_rsp rsp;
	struct end *e;

	if (k >= CONNS || c->conn[k].end[1].host != host || c->conn[k].end[1].client != client ||
	    c->conn[k].end[1].cm) {
		/* A REJ that follows at once has replaced the private data of the REQ. */
		if (c->died == RN_TIME_NEVER)
			OBJECT(c, "host %u client %u: a request for another client, or twice", host,
			       client);
		cmd.op = RN_CMD_CM_DESTROY;
		cmd.cm.id = ev->id;
		lan_exec(&c->lan, host, client, 0, &cmd, &rsp);
		return;
	}
	e = &c->conn[k].end[1];
	e->cm = ev->id;
	announce_end(c, e);
	make_qp(c, e, k);
	to_rts(c, e, k, ev);
	cmd.user = k * 2 + 2;
	cmd.cm.id = ev->id;
	cmd.cm.param = parameters(c, e, k);
	/* A peer that has just died may have withdrawn its REQ. */
	if (command(c, e, k, &cmd, &rsp) && !bereaved(c, k))
		OBJECT(c, "connection %u: ACCEPT failed: %d", k, rsp.err);
}

static void take_event(struct crowd *c, unsigned host, unsigned client, const struct rn_event *ev)
{
	unsigned k = (unsigned)(ev->user - 1) / 2, side = (unsigned)(ev->user - 1) % 2;
	struct end *e;

	if (ev->kind == RN_EVENT_CM_REQUEST) {
		answer(c, host, client, ev);
		return;
	}
	if (ev->user == 0 || k >= CONNS)
		return;
	e = &c->conn[k].end[side];
	announce_end(c, e);
	switch (ev->kind) {
	case RN_EVENT_CM_RESPONSE:
		to_rts(c, e, k, ev);
		simple(c, e, k, RN_CMD_CM_ESTABLISH);
		e->up = true;
		break;
	case RN_EVENT_CM_ESTABLISHED:
		e->up = true;
		break;
	case RN_EVENT_CM_DISCONNECTED:
	case RN_EVENT_CM_REJECTED:
	case RN_EVENT_CM_UNREACHABLE:
		if (!bereaved(c, k) && !c->conn[k].hung_up)
			OBJECT(c, "connection %u: ended by event %u, reason %u, error %d", k,
			       ev->kind, ev->reason, ev->err);
		/* A switch that has restarted refuses nothing at first, so that clients can come
		 * back. */
		if (bereaved(c, k) && c->lan.loss_ppm == 0 && c->conn[k].starts < c->died &&
		    !c->restarted) {
			rn_time news = c->lan.now - c->died;

			c->t->slowest_news = RN_MAX(c->t->slowest_news, news);
			if (news > NEWS)
				OBJECT(c, "connection %u: heard of a death after %llu us", k,
				       (unsigned long long)(news / 1000));
		}
		finish(c, k, e);
		break;
	default:
		break;
	}
}

static void take_completion(struct crowd *c, unsigned host, unsigned client, const struct rn_cqe *q)
{
	unsigned k = (unsigned)q->qp_ctx / 2, side = (unsigned)q->qp_ctx % 2;
	struct end *e = &c->conn[k].end[side];
	const uint8_t *arena = c->lan.host[host].client[client].arena;

	if (q->status) {
		if (q->status == RN_STATUS_WR_FLUSH_ERR)
			return;
		/* The peer is dead and the message that would have ended the connection was
		 * lost. */
		if (bereaved(c, k) && e->cm)
			simple(c, e, k, RN_CMD_CM_DISCONNECT);
		else if (!bereaved(c, k))
			OBJECT(c, "connection %u: a request failed: %u", k, q->status);
		return;
	}
	if (!(q->flags & RN_CQE_RECV)) {
		e->sent++;
		return;
	}
	for (uint32_t i = 0; i < LENGTH; i++)
		if (arena[place(k, true, (unsigned)q->wr_id) + i] !=
		    byte_of(k, 1 - side, (unsigned)q->wr_id, i)) {
			OBJECT(c, "connection %u: wrong bytes", k);
			break;
		}
	e->received++;
	c->t->messages++;
}

/* ---- a client dies, a switch restarts ---- */

/* A client dies. */
static void kill_one(struct crowd *c)
{
	c->died = c->lan.now;
	c->t->deaths++;
	lan_kill(&c->lan, below(c, LAN_HOSTS), below(c, LAN_CLIENTS));
	for (unsigned k = 0; k < CONNS; k++)
		for (unsigned side = 0; side < 2; side++)
			if (!alive(c, &c->conn[k].end[side]))
				c->conn[k].end[side].over = true;
}

/* A switch that still has to end the connections of a dead client does not restart in these runs:
 * what it owed would be lost, and an idle peer would wait for ever. */
static bool mourns(const struct crowd *c, unsigned host)
{
	const struct lan_host *h = &c->lan.host[host];

	for (unsigned i = 0; i < LAN_CLIENTS; i++)
		if (!h->client[i].alive && rn_switch_connections(h->sw, h->client[i].number))
			return true;
	return false;
}

static void restart_one(struct crowd *c)
{
	unsigned host = below(c, LAN_HOSTS);

	if (mourns(c, host))
		return;
	c->t->restarts++;
	c->restarted = true;
	lan_restart(&c->lan, host);
	c->claims_until[host] = c->lan.now + LAN_GRACE;
	for (unsigned i = 0; i < LAN_CLIENTS; i++)
		if (c->lan.host[host].client[i].alive)
			announce_all(c, host, &c->lan.host[host].client[i]);
}

/* ---- one run ---- */

static bool complete(const struct end *e)
{
	return e->up && e->sent == MESSAGES && e->received == MESSAGES;
}

static void serve(struct crowd *c)
{
	struct rn_cqe q;

	for (unsigned host = 0; host < LAN_HOSTS; host++)
		for (unsigned i = 0; i < LAN_CLIENTS; i++) {
			struct lan_client *client = &c->lan.host[host].client[i];

			for (unsigned n = 0; client->alive && n < client->nev; n++)
				take_event(c, host, i, &client->ev[n]);
			client->nev = 0;
			while (client->alive && lan_poll(&c->lan, host, i, &q))
				take_completion(c, host, i, &q);
		}
	for (unsigned k = 0; k < CONNS; k++) {
		struct conn *n = &c->conn[k];

		if (!n->dialled && n->starts <= c->lan.now)
			dial(c, k);
		for (unsigned side = 0; side < 2; side++)
			if (n->end[side].up && !n->end[side].over) {
				post_receives(c, &n->end[side], k);
				talk(c, k, side);
			}
		if (complete(&n->end[0]) && complete(&n->end[1]) && !n->hung_up &&
		    !n->end[0].over) {
			n->hung_up = true;
			simple(c, &n->end[0], k, RN_CMD_CM_DISCONNECT);
		}
	}
}

static bool finished(const struct crowd *c)
{
	for (unsigned k = 0; k < CONNS; k++) {
		const struct conn *n = &c->conn[k];

		/* A client that died before the REQ arrived never had its end. */
		if (!n->dialled || !n->end[0].over || (!n->end[1].over && n->end[1].cm))
			return false;
	}
	return true;
}

static void set_up(struct crowd *c)
{
	lan_init(&c->lan, c->seed, below(c, 2), below(c, 3) ? 0 : below(c, 50000));
	start_listening(c);
	for (unsigned k = 0; k < CONNS; k++) {
		struct conn *n = &c->conn[k];

		do {
			for (unsigned side = 0; side < 2; side++)
				n->end[side] = (struct end){.host = below(c, LAN_HOSTS),
							    .client = below(c, LAN_CLIENTS)};
		} while (n->end[0].host == n->end[1].host && n->end[0].client == n->end[1].client);
		n->starts = c->lan.now + below(c, RN_MS(3));
		c->t->inside += n->end[0].host == n->end[1].host;
	}
}

static void tear_down(struct crowd *c)
{
	unsigned left;

	for (unsigned host = 0; host < LAN_HOSTS; host++)
		for (unsigned i = 0; i < LAN_CLIENTS; i++) {
			const struct end e = {
				.host = host, .client = i, .cm = c->listener[host][i]};

			if (alive(c, &e))
				simple(c, &e, 0, RN_CMD_CM_DESTROY);
		}
	for (rn_time until = c->lan.now + RN_S(200); c->lan.now < until;) {
		lan_step(&c->lan, until);
		for (unsigned host = 0; host < LAN_HOSTS; host++)
			for (unsigned i = 0; i < LAN_CLIENTS; i++)
				c->lan.host[host].client[i].nev = 0;
	}
	left = lan_fini(&c->lan);
	if (left)
		OBJECT(c, "%u objects are left", left);
	for (unsigned o = 0; o < RN_OUTCOMES; o++)
		c->t->outcomes[o] += c->lan.outcomes[o];
	c->t->frames += c->lan.frames;
	c->t->lost += c->lan.lost;
}

unsigned crowd_run(uint64_t seed, struct crowd_totals *totals, FILE *out)
{
	struct crowd *c = calloc(1, sizeof(*c));
	rn_time death, restart;
	unsigned objections;

	if (c == NULL)
		abort();
	c->seed = seed;
	c->t = totals;
	c->out = out;
	c->died = RN_TIME_NEVER;
	rn_rng_seed(&c->rng, seed ^ 0xA0761D6478BD642Full);
	set_up(c);
	death = below(c, 2) ? c->lan.now + below(c, RN_MS(4)) : RN_TIME_NEVER;
	restart = below(c, 2) ? c->lan.now + below(c, RN_MS(1)) : RN_TIME_NEVER;
	while (!finished(c) && c->lan.now < LIMIT && c->objections == 0) {
		lan_step(&c->lan, c->lan.now + RN_US(50));
		if (c->lan.now >= death) {
			death = RN_TIME_NEVER;
			kill_one(c);
		}
		if (c->lan.now >= restart) {
			restart = below(c, 4) ? c->lan.now + below(c, RN_MS(1)) : RN_TIME_NEVER;
			restart_one(c);
		}
		serve(c);
	}
	for (unsigned k = 0; k < CONNS; k++) {
		const struct conn *n = &c->conn[k];

		totals->bereaved += bereaved(c, k);
		if (!bereaved(c, k) && (!complete(&n->end[0]) || !complete(&n->end[1])))
			OBJECT(c, "connection %u: up %u %u, sent %u %u, received %u %u", k,
			       n->end[0].up, n->end[1].up, n->end[0].sent, n->end[1].sent,
			       n->end[0].received, n->end[1].received);
		else if (!n->end[0].over || (n->end[1].cm && !n->end[1].over))
			OBJECT(c, "connection %u: does not end", k);
	}
	totals->connections += CONNS;
	totals->runs++;
	if (c->objections == 0)
		tear_down(c);
	objections = c->objections;
	free(c);
	return objections;
}
