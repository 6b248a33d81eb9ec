/* Measures how many connections per second two adapters of one process make and end over net_ring,
 * with one SEND on each connection. Uses only the client API (rn/client.h). One thread acts for
 * both ends: each connection has a new queue pair at each end, is made by the CM, carries one
 * message, and is ended by a DREQ of the active end. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "counted.h"
#include "options.h"
#include "rn/client.h"
#include "sample.h"

#define PORT	   7471u
#define BYTES	   64u
#define WINDOW_MAX 4096u
#define STALL_NS   UINT64_C(10000000000) /* give up if no connection ends within this time */
#define BATCH	   32u

struct options {
	unsigned secs, window, connections;
	const char *policy;
	bool json;
};

/* One end of a connection. wr_ids, and `user` of the CM id, are the index of the connection plus
 * one. */
struct conn {
	struct rn_client_qp *qp;
	uint32_t id;
	uint64_t begun; /* active end: when the connection was begun */
};

struct end {
	struct rn_client *client;
	struct rn_client_cq *cq;
	uint32_t pd, lkey;
	char text[BYTES];
	struct conn conn[WINDOW_MAX];
	unsigned free[WINDOW_MAX], nfree; /* indexes of unused members of conn[] */
};

struct bench {
	struct options o;
	struct end active, passive;
	struct rn_client_addr local, peer;
	uint32_t listener;
	uint64_t begun, made, ended, carried;
	struct rn_sample setup_us; /* from the first command to the CM_RESPONSE */
};

static void give_up(const char *what, int rc)
{
	fprintf(stderr, "bench_connect: %s: %s\n", what, strerror(-rc));
	exit(EXIT_FAILURE);
}

static void must(const char *what, int rc)
{
	if (rc != 0)
		give_up(what, rc);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* ---- set-up ---- */

static void write_config(const struct options *o, const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		give_up(path, -1);
	fprintf(f, "adapters = (\n");
	for (unsigned i = 0; i < 2; i++)
		fprintf(f,
			"{ name = \"end%u\"; mac = \"02:00:00:00:00:%02u\"; port = \"ring\"; "
			"peer = \"end%u\"; ipv4 = [ \"192.0.2.%u/24\" ]; shards = 1; }%s\n",
			i, i + 1, !i, i + 1, i == 0 ? "," : ");");
	fprintf(f, "idle = { policy = \"%s\"; };\neal = { hugepages = \"no\"; };\n", o->policy);
	fclose(f);
}

static void open_end(const struct options *o, struct end *e, const char *config, unsigned adapter)
{
	char err[256] = "";

	if (rn_client_open(config, adapter, &e->client, err, sizeof(err)) != 0) {
		fprintf(stderr, "bench_connect: %s\n", err);
		exit(EXIT_FAILURE);
	}
	must("no protection domain", rn_client_pd_create(e->client, &e->pd));
	uint32_t rkey;
	must("no region",
	     rn_client_mr_register(e->client, e->pd, e->text, BYTES, (uintptr_t)e->text,
				   RN_ACCESS_LOCAL_WRITE, &e->lkey, &rkey));
	must("no completion queue", rn_client_cq_create(e->client, 4 * o->window, 0, 0, &e->cq));
	for (unsigned i = 0; i < o->window; i++)
		e->free[e->nfree++] = o->window - 1 - i;
}

static void close_end(struct end *e)
{
	must("the completion queue stays", rn_client_cq_destroy(e->cq));
	must("the region stays", rn_client_mr_deregister(e->client, e->lkey));
	must("the protection domain stays", rn_client_pd_destroy(e->client, e->pd));
	rn_client_close(e->client);
}

/* ---- one connection ---- */

static void post(struct end *e, unsigned k, uint8_t kind)
{
	struct rn_sge sge = {(uintptr_t)e->text, BYTES, e->lkey};
	struct rn_client_wr wr = {
		.kind = kind, .flags = RN_WQE_SIGNALED, .wr_id = k + 1, .sge = &sge, .num_sge = 1};

	must("a request was refused", rn_client_qp_post(e->conn[k].qp, &wr));
}

static struct rn_cm_param make_qp(struct end *e, unsigned k)
{
	struct rn_client_qp_init init = {.pd = e->pd,
					 .type = RN_QPT_RC,
					 .send_cq = e->cq,
					 .recv_cq = e->cq,
					 .sq_depth = 1,
					 .rq_depth = 1,
					 .sq_sge = 1,
					 .rq_sge = 1,
					 .user = k + 1};
	struct rn_qp_attr a = {.state = RN_QPS_INIT};

	must("no queue pair", rn_client_qp_create(e->client, &init, &e->conn[k].qp));
	must("no INIT",
	     rn_client_qp_modify(e->conn[k].qp, &a,
				 RN_QP_STATE | RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_ACCESS));
	return (struct rn_cm_param){.qpn = rn_client_qp_number(e->conn[k].qp),
				    .psn = 0x123456,
				    .retry_cnt = 7,
				    .rnr_retry = 7};
}

/* Moves the queue pair to RTS with the attributes that the CM has found. */
static void ready_qp(struct end *e, unsigned k, const struct rn_event *ev)
{
	struct rn_qp_attr a = ev->attr;

	a.state = RN_QPS_RTR;
	a.rq_psn = 0x123456;
	a.max_rd_atomic = a.max_dest_rd_atomic = 0;
	a.min_rnr_timer = 1;
	must("no RTR", rn_client_qp_modify(e->conn[k].qp, &a,
					   RN_QP_STATE | RN_QP_AV | RN_QP_PATH_MTU |
						   RN_QP_DEST_QPN | RN_QP_RQ_PSN |
						   RN_QP_MAX_DEST_RD_ATOMIC | RN_QP_MIN_RNR_TIMER));
	a.state = RN_QPS_RTS;
	must("no RTS",
	     rn_client_qp_modify(e->conn[k].qp, &a,
				 RN_QP_STATE | RN_QP_TIMEOUT | RN_QP_RETRY_CNT | RN_QP_RNR_RETRY |
					 RN_QP_SQ_PSN | RN_QP_MAX_RD_ATOMIC));
}

static void begin(struct bench *b)
{
	struct end *e = &b->active;
	unsigned k = e->free[--e->nfree];
	struct rn_client_addr local = b->local;

	e->conn[k].begun = now_ns();
	must("no CM id", rn_client_cm_bind(e->client, &local, false, k + 1, &e->conn[k].id));
	struct rn_cm_param param = make_qp(e, k);
	must("no REQ",
	     rn_client_cm_connect(e->client, e->conn[k].id, &local, &b->peer, &param, k + 1));
	b->begun++;
}

static void finish(struct end *e, unsigned k)
{
	must("the CM id stays", rn_client_cm_destroy(e->client, e->conn[k].id));
	must("the queue pair stays", rn_client_qp_destroy(e->conn[k].qp));
	e->free[e->nfree++] = k;
}

static void accept_one(struct bench *b, const struct rn_event *ev)
{
	struct end *e = &b->passive;

	if (e->nfree == 0)
		give_up("more requests than connections", -ENOBUFS);
	unsigned k = e->free[--e->nfree];
	e->conn[k].id = ev->id;
	struct rn_cm_param param = make_qp(e, k);
	post(e, k, RN_WQE_RECV);
	ready_qp(e, k, ev);
	must("no REP", rn_client_cm_accept(e->client, ev->id, &param, k + 1));
}

static void on_event(struct bench *b, struct end *e, const struct rn_event *ev)
{
	unsigned k = (unsigned)ev->user - 1;

	switch (ev->kind) {
	case RN_EVENT_CM_REQUEST:
		accept_one(b, ev);
		break;
	case RN_EVENT_CM_RESPONSE:
		ready_qp(e, k, ev);
		must("no RTU", rn_client_cm_establish(e->client, e->conn[k].id));
		rn_sample_add(&b->setup_us, (double)(now_ns() - e->conn[k].begun) * 1e-3);
		b->made++;
		post(e, k, RN_WQE_SEND);
		break;
	case RN_EVENT_CM_DISCONNECTED:
		/* The destruction of the passive CM id sends the DREP. */
		finish(e, k);
		b->ended += e == &b->active;
		break;
	case RN_EVENT_CM_REJECTED:
	case RN_EVENT_CM_UNREACHABLE:
		give_up("a connection failed", ev->err);
	}
}

/* Takes the completions of an end. The active end disconnects when its SEND is acknowledged. */
static unsigned reap(struct bench *b, struct end *e)
{
	struct rn_cqe cqe[BATCH];
	bool fired;

	rn_client_cq_lock(e->cq);
	unsigned n = rn_client_cq_poll(e->cq, cqe, BATCH, &fired);
	rn_client_cq_unlock(e->cq);
	for (unsigned i = 0; i < n; i++) {
		if (cqe[i].status != RN_STATUS_SUCCESS)
			give_up("a message failed", -EIO);
		if (cqe[i].flags & RN_CQE_RECV)
			b->carried++;
		else
			must("no DREQ",
			     rn_client_cm_disconnect(e->client, e->conn[cqe[i].wr_id - 1].id));
	}
	return n;
}

static unsigned serve(struct bench *b, struct end *e)
{
	static struct rn_event ev[BATCH];

	rn_client_progress(e->client);
	unsigned n = rn_client_wait(e->client, ev, BATCH, 0);
	for (unsigned i = 0; i < n; i++)
		on_event(b, e, &ev[i]);
	return n + reap(b, e);
}

/* Makes connections until `until` have ended or the time `end` has come. Connections that exist
 * then go on in the next call. Not inlined: callgrind counts between entry and exit. */
RN_COUNTED static void run(struct bench *b, uint64_t until, uint64_t end)
{
	uint64_t last = b->ended, since = now_ns(), t;

	do {
		while (b->active.nfree > 0 && b->begun < until)
			begin(b);
		unsigned n = serve(b, &b->active) + serve(b, &b->passive);
		t = now_ns();
		if (n == 0 && strcmp(b->o.policy, "inline") != 0)
			sched_yield();
		if (b->ended != last)
			since = t;
		last = b->ended;
		if (t - since > STALL_NS)
			give_up("no connection ends", -ETIMEDOUT);
	} while (b->ended < until && t < end);
}

/* ---- measuring ---- */

static void measure(struct bench *b)
{
	struct rn_sample rate = {0};
	uint64_t first = now_ns();

	for (unsigned s = 0; s < b->o.secs; s++) {
		uint64_t t = now_ns(), n = b->ended;
		run(b, UINT64_MAX, t + 1000000000u);
		rn_sample_add(&rate, (double)(b->ended - n) * 1e9 / (double)(now_ns() - t));
	}
	double mean = (double)b->ended * 1e9 / (double)(now_ns() - first);
	if (b->o.json)
		printf("{\"bench\": \"connect\", \"policy\": \"%s\", \"window\": %u, \"secs\": %u, "
		       "\"per_second\": %.0f, \"median\": %.0f, \"min\": %.0f, "
		       "\"setup_us_p50\": %.1f, \"setup_us_p99\": %.1f}\n",
		       b->o.policy, b->o.window, b->o.secs, mean, rn_sample_at(&rate, 0.5),
		       rn_sample_at(&rate, 0), rn_sample_at(&b->setup_us, 0.5),
		       rn_sample_at(&b->setup_us, 0.99));
	else
		printf("%s, %u at once, %u s: %.0f connections/s with a SEND each; seconds: median "
		       "%.0f, min %.0f; set-up p50 %.1f us, p99 %.1f us\n",
		       b->o.policy, b->o.window, b->o.secs, mean, rn_sample_at(&rate, 0.5),
		       rn_sample_at(&rate, 0), rn_sample_at(&b->setup_us, 0.5),
		       rn_sample_at(&b->setup_us, 0.99));
	rn_sample_free(&rate);
}

static void take_options(struct options *o, int argc, char **argv)
{
	const struct rn_option options[] = {
		{"secs", "S", "how long [10]", rn_option_number, &o->secs},
		{"window", "N", "connections that exist at once [64]", rn_option_number,
		 &o->window},
		{"connections", "N", "make just that many, measure nothing (for callgrind)",
		 rn_option_number, &o->connections},
		{"policy", "inline|adaptive|poll", "who polls the adapters [inline: this thread]",
		 rn_option_text, &o->policy},
		{"json", NULL, "one JSON object", rn_option_true, &o->json},
		{0},
	};

	rn_options_take("bench_connect: connections per second over net_ring", options, argc, argv);
}

int main(int argc, char **argv)
{
	static struct bench b = {.o = {.secs = 10, .window = 64, .policy = "inline"}};
	char path[] = "/tmp/bench_connect.XXXXXX";
	int fd;

	take_options(&b.o, argc, argv);
	if (b.o.window == 0 || b.o.window > WINDOW_MAX || b.o.secs == 0 || b.o.secs > 600) {
		fprintf(stderr, "bench_connect: --window is 1..%u, --secs 1..600\n", WINDOW_MAX);
		return 2;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	write_config(&b.o, path);
	alarm(b.o.secs + 120);
	open_end(&b.o, &b.active, path, 0);
	open_end(&b.o, &b.passive, path, 1);
	unlink(path);
	b.local.gid = rn_client_info(b.active.client)->gids[0];
	b.peer = (struct rn_client_addr){rn_client_info(b.passive.client)->gids[0], PORT};
	struct rn_client_addr there = b.peer;
	must("no listener", rn_client_cm_bind(b.passive.client, &there, true, 0, &b.listener));
	must("no listener", rn_client_cm_listen(b.passive.client, b.listener, &there, 0, 0));

	if (b.o.connections > 0)
		run(&b, b.o.connections, UINT64_MAX);
	else
		measure(&b);
	run(&b, b.begun, UINT64_MAX);
	while (b.passive.nfree < b.o.window)
		serve(&b, &b.passive);
	if (b.carried != b.ended || b.made != b.ended)
		give_up("a connection carried no message", -EIO);
	must("the listener stays", rn_client_cm_destroy(b.passive.client, b.listener));
	close_end(&b.active);
	close_end(&b.passive);
	rn_sample_free(&b.setup_us);
	return EXIT_SUCCESS;
}
