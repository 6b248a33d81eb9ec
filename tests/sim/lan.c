/* The engine of lan.h: frames travel in order and take LATENCY from sender to receiver. */
#include "lan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shard/shard.h"
#include "wire/frame.h"

#define CQ	  1u
#define CQ_SIZE	  512u
#define PD	  1u
#define LATENCY	  RN_US(5)
#define FRAME_MAX 9216u

/* A frame that arrives at a switch, from the wire or from a client, or at a client. */
struct lan_frame {
	struct lan_frame *next;
	rn_time when;
	unsigned host;
	int from;    /* at a switch: RN_SWITCH_WIRE or the number of a client; -1: at a client */
	unsigned to; /* at a client: its number */
	uint32_t len;
	uint8_t data[];
};

static void must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "lan: %s\n", what);
		abort();
	}
}

static void *zeroed(size_t bytes)
{
	void *p = aligned_alloc(64, RN_ALIGN_UP(bytes, 64));

	must(p != NULL, "no memory");
	return memset(p, 0, RN_ALIGN_UP(bytes, 64));
}

/* ---- start and end ---- */

struct rn_gid lan_gid(unsigned host)
{
	return (struct rn_gid){{[10] = 0xff, 0xff, 192, 0, 2, (uint8_t)(host + 1)}};
}

static void start_client(struct lan *lan, unsigned host, unsigned i, uint64_t seed)
{
	struct lan_client *c = &lan->host[host].client[i];
	int number = rn_switch_attach(lan->host[host].sw, lan->now);
	struct rn_mr_attr mr;
	uint32_t rkey;

	must(number > 0, "no client number");
	c->alive = true;
	c->number = (unsigned)number;
	rn_core_defaults(&c->cfg);
	c->cfg.nshards = 1;
	c->cfg.client = c->number;
	c->cfg.max_qp = LAN_QPS;
	c->cfg.max_cq = 2;
	c->cfg.max_cm = 64;
	c->cfg.secrets = rn_secrets_of_seed(seed);
	c->mrs = rn_mr_table_create(64, &c->cfg.secrets.of[RN_SECRET_KEYS]);
	c->shard = rn_shard_create(&c->cfg, &lan->host[host].cfg.port, c->mrs, &rn_mem_plain,
				   lan->now);
	must(c->mrs && c->shard, "no shard");
	c->arena = zeroed(LAN_ARENA);
	c->cq_shared = zeroed(sizeof(*c->cq_shared));
	c->cq = zeroed(rn_cq_ring_bytes(CQ_SIZE));
	rn_cq_ring_init(c->cq, CQ_SIZE);
	rn_shard_cq_link(c->shard, CQ, c->cq_shared, c->cq, 0);
	mr = (struct rn_mr_attr){c->arena, (uintptr_t)c->arena, LAN_ARENA, PD,
				 RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE |
					 RN_ACCESS_REMOTE_READ};
	must(rn_mr_add(c->mrs, &mr, &c->key, &rkey) == 0, "arena not registered");
}

static struct rn_switch *start_switch(const struct lan_host *h, rn_time now)
{
	struct rn_switch *sw = rn_switch_create(&h->cfg, now);

	must(sw != NULL, "no switch");
	return sw;
}

void lan_init(struct lan *lan, uint64_t seed, bool strict, uint32_t loss_ppm)
{
	memset(lan, 0, sizeof(*lan));
	lan->now = RN_S(1);
	lan->loss_ppm = loss_ppm;
	lan->last = &lan->first;
	rn_rng_seed(&lan->rng, seed);
	for (unsigned host = 0; host < LAN_HOSTS; host++) {
		struct lan_host *h = &lan->host[host];

		rn_switch_defaults(&h->cfg);
		h->cfg.strict = strict;
		h->cfg.core.secrets = rn_secrets_of_seed(seed * 100 + host);
		h->cfg.port = (struct rn_port_attr){.mac = {2, 0, 0, 0, 0, (uint8_t)(host + 1)},
						    .mtu = 9000,
						    .max_path_mtu = 5,
						    .ngids = 1,
						    .gids = {lan_gid(host)},
						    .prefix_len = {24},
						    .guid = 0x100 + host,
						    .check_source = true};
		h->sw = start_switch(h, lan->now);
		for (unsigned i = 0; i < LAN_CLIENTS; i++)
			start_client(lan, host, i, seed * 100 + 10 * host + i + 2);
	}
}

static void count_outcomes(struct lan *lan, const struct lan_host *h)
{
	for (unsigned from = 0; from <= RN_CLIENT_MAX; from++)
		for (unsigned o = 0; o < RN_OUTCOMES; o++)
			lan->outcomes[o] += rn_switch_count(h->sw, from, o);
}

static unsigned stop_client(struct lan_client *c, rn_time now)
{
	unsigned left;

	for (unsigned k = 0; k < LAN_QPS; k++) {
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP};
		struct rn_rsp rsp;
		struct rn_exec x = {.cmd = &cmd, .rsp = &rsp};

		if (c->qp[k].mem == NULL)
			continue;
		cmd.qp.qpn = c->qp[k].qpn;
		cmd.qp.gen = c->qp[k].gen;
		rn_shard_exec(c->shard, &x, now);
		free(c->qp[k].mem);
		c->qp[k].mem = NULL;
	}
	left = rn_shard_leftovers(c->shard);
	rn_shard_destroy(c->shard);
	rn_mr_table_destroy(c->mrs);
	free(c->cq);
	free(c->cq_shared);
	free(c->arena);
	c->alive = false;
	c->nev = 0;
	return left;
}

unsigned lan_fini(struct lan *lan)
{
	unsigned left = 0;

	for (unsigned host = 0; host < LAN_HOSTS; host++) {
		struct lan_host *h = &lan->host[host];

		for (unsigned i = 0; i < LAN_CLIENTS; i++)
			if (h->client[i].alive)
				left += stop_client(&h->client[i], lan->now);
		for (unsigned c = 1; c <= RN_CLIENT_MAX; c++)
			left += rn_switch_connections(h->sw, c);
		count_outcomes(lan, h);
		rn_switch_destroy(h->sw);
	}
	while (lan->first) {
		struct lan_frame *f = lan->first;

		lan->first = f->next;
		free(f);
	}
	return left;
}

void lan_kill(struct lan *lan, unsigned host, unsigned client)
{
	struct lan_client *c = &lan->host[host].client[client];

	stop_client(c, lan->now);
	rn_switch_detach(lan->host[host].sw, c->number, lan->now);
}

void lan_restart(struct lan *lan, unsigned host)
{
	struct lan_host *h = &lan->host[host];

	count_outcomes(lan, h);
	h->cfg.grace = LAN_GRACE;
	for (unsigned i = 0; i < LAN_CLIENTS; i++) {
		rn_client_set_add(&h->cfg.former, h->client[i].number);
		h->cfg.epoch[h->client[i].number] = rn_switch_epoch(h->sw, h->client[i].number);
	}
	rn_switch_destroy(h->sw);
	h->sw = start_switch(h, lan->now);
	for (unsigned i = 0; i < LAN_CLIENTS; i++) {
		unsigned number = h->client[i].number;

		if (h->client[i].alive)
			must(rn_switch_reattach(h->sw, number, rn_switch_token(h->sw, number),
						lan->now) == (int)number,
			     "a client does not get its number back");
	}
}

/* ---- commands and requests ---- */

int lan_exec(struct lan *lan, unsigned host, unsigned client, unsigned k, const struct rn_cmd *cmd,
	     struct rn_rsp *rsp)
{
	struct lan_client *c = &lan->host[host].client[client];
	size_t bytes = rn_exec_bytes(cmd, &c->cfg);
	struct rn_exec x = {.cmd = cmd, .rsp = rsp};

	memset(rsp, 0, sizeof(*rsp));
	if (bytes)
		x.mem = zeroed(bytes);
	rn_shard_exec(c->shard, &x, lan->now);
	if (cmd->op == RN_CMD_CREATE_QP) {
		must(rsp->err == 0, "no QP");
		c->qp[k] = (struct lan_qp){.qpn = rsp->id, .gen = rsp->gen, .mem = x.mem};
	} else if (cmd->op == RN_CMD_DESTROY_QP) {
		free(c->qp[k].mem);
		c->qp[k].mem = NULL;
	}
	return rsp->err;
}

void lan_post(struct lan *lan, unsigned host, unsigned client, unsigned k, uint8_t kind,
	      uint64_t wr_id, uint32_t offset, uint32_t length)
{
	struct lan_client *c = &lan->host[host].client[client];
	struct rn_wqe w = {.kind = kind,
			   .slots = 1,
			   .flags = RN_WQE_SIGNALED,
			   .num_sge = 1,
			   .wr_id = wr_id,
			   .length = length,
			   .qpn = c->qp[k].qpn,
			   .qp_gen = c->qp[k].gen};

	w.sge[0] = (struct rn_sge){(uintptr_t)c->arena + offset, length, c->key};
	rn_shard_post(c->shard, &w, lan->now);
}

bool lan_poll(struct lan *lan, unsigned host, unsigned client, struct rn_cqe *cqe)
{
	struct rn_cq_ring *ring = lan->host[host].client[client].cq;
	uint32_t head = atomic_load(&ring->head);

	if (head == atomic_load(&ring->tail))
		return false;
	*cqe = ring->cqe[head & ring->mask];
	atomic_store(&ring->head, head + 1);
	return true;
}

/* ---- frames ---- */

static void launch(struct lan *lan, unsigned host, int from, unsigned to, const uint8_t *data,
		   uint32_t len)
{
	struct lan_frame *f = malloc(sizeof(*f) + len);

	must(f != NULL, "no memory");
	*f = (struct lan_frame){
		.when = lan->now + LATENCY, .host = host, .from = from, .to = to, .len = len};
	memcpy(f->data, data, len);
	*lan->last = f;
	lan->last = &f->next;
}

/* Sends a frame where the switch of a host wants it. */
static void forward(struct lan *lan, unsigned host, const struct rn_switch_way *way,
		    const uint8_t *data, uint32_t len)
{
	if (way->wire && rn_rng_chance(&lan->rng, lan->loss_ppm))
		lan->lost++;
	else if (way->wire)
		launch(lan, 1 - host, RN_SWITCH_WIRE, 0, data, len);
	if (way->client)
		launch(lan, host, -1, way->client, data, len);
	if (way->clients)
		for (unsigned c = rn_client_set_next(way->clients, 1); c < 256;
		     c = rn_client_set_next(way->clients, c + 1))
			launch(lan, host, -1, c, data, len);
}

static void receive(struct lan *lan, struct rn_shard *sh, const struct lan_frame *f)
{
	struct rn_pkt pkt;
	enum rn_verdict v;

	if (rn_shard_rx_short(sh, f->data, f->len, &v, lan->now))
		return;
	v = rn_frame_parse(f->data, f->len, &pkt);
	if (v == RN_V_OK)
		rn_shard_rx(sh, &pkt, lan->now);
	else
		rn_shard_refused(sh, v);
}

static void arrive(struct lan *lan, const struct lan_frame *f)
{
	struct lan_host *h = &lan->host[f->host];
	struct rn_switch_way way;

	lan->frames++;
	if (f->from >= 0) {
		/* the sender has died, or the switch has restarted without the sender */
		if (f->from > 0 && !rn_switch_attached(h->sw, (unsigned)f->from))
			return;
		rn_switch_rx(h->sw, (unsigned)f->from, f->data, f->len, &way, lan->now);
		forward(lan, f->host, &way, f->data, f->len);
		return;
	}
	for (unsigned i = 0; i < LAN_CLIENTS; i++)
		if (h->client[i].alive && h->client[i].number == f->to)
			receive(lan, h->client[i].shard, f);
}

static bool send_all(struct lan *lan)
{
	static uint8_t data[FRAME_MAX];
	struct rn_switch_way way;
	bool sent = false;

	for (unsigned host = 0; host < LAN_HOSTS; host++) {
		struct lan_host *h = &lan->host[host];
		unsigned len;

		for (unsigned i = 0; i < LAN_CLIENTS; i++) {
			struct rn_txbuf buf = {.data = data, .cap = sizeof(data)};
			struct lan_client *c = &h->client[i];

			if (!c->alive)
				continue;
			for (unsigned n = 0; n < 32 && rn_shard_tx(c->shard, &buf, 1, lan->now);
			     n++) {
				launch(lan, host, (int)c->number, 0, data, buf.len);
				sent = true;
			}
			rn_shard_done(c->shard, lan->now);
			while (c->nev < LAN_EVENTS && rn_shard_events(c->shard, &c->ev[c->nev], 1))
				c->nev++;
		}
		while ((len = rn_switch_tx(h->sw, data, sizeof(data), &way, lan->now))) {
			forward(lan, host, &way, data, len);
			sent = true;
		}
	}
	return sent;
}

static void tick_all(struct lan *lan)
{
	for (unsigned host = 0; host < LAN_HOSTS; host++) {
		rn_switch_tick(lan->host[host].sw, lan->now);
		for (unsigned i = 0; i < LAN_CLIENTS; i++)
			if (lan->host[host].client[i].alive)
				rn_shard_tick(lan->host[host].client[i].shard, lan->now);
	}
}

static rn_time next_time(const struct lan *lan)
{
	rn_time next = lan->first ? lan->first->when : RN_TIME_NEVER;

	for (unsigned host = 0; host < LAN_HOSTS; host++) {
		next = RN_MIN(next, rn_switch_next(lan->host[host].sw));
		for (unsigned i = 0; i < LAN_CLIENTS; i++)
			if (lan->host[host].client[i].alive)
				next = RN_MIN(next, rn_shard_next(lan->host[host].client[i].shard));
	}
	return next;
}

void lan_step(struct lan *lan, rn_time until)
{
	rn_time next;

	if (!send_all(lan)) {
		next = RN_MIN(next_time(lan), until);
		lan->now = RN_MAX(lan->now, next);
	} else {
		lan->now += RN_US(1);
	}
	tick_all(lan);
	while (lan->first && lan->first->when <= lan->now) {
		struct lan_frame *f = lan->first;

		lan->first = f->next;
		if (lan->first == NULL)
			lan->last = &lan->first;
		arrive(lan, f);
		free(f);
	}
}
