/* nd_udaddy: the counterpart of rdma-core's udaddy over softrnic. The peer may be udaddy on any
 * RoCEv2 host. ND2 has no datagrams, so this program uses the client API (rn/client.h). Runs in one
 * thread.
 *
 * The protocol, for each "connection":
 * - The client asks the CM for the service's queue pair (SIDR).
 * - The client sends COUNT datagrams of SIZE bytes, with its own queue pair number as immediate
 *   data.
 * - When all datagrams have arrived, the server sends COUNT datagrams back. Their data are the
 *   first SIZE bytes of the server's receive buffer: 40 bytes of GRH, then the client's data.
 * If a datagram is lost, udaddy waits for ever; nd_udaddy ends with a timeout. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/counters.h"
#include "rn/client.h"
#include "common/session.h"
#include "common/stop.h"
#include "common/version.h"

#define UDADDY_PORT 7174
#define WAIT_MS	    20000
#define GRH	    RN_UD_GRH_BYTES

struct options {
	bool server, stats;
	struct sockaddr_storage local, peer;
	unsigned connections, count, size;
};

/* One "connection": a queue pair and the destination of its datagrams. */
struct path {
	struct rn_client_qp *qp;
	uint32_t cm;
	struct rn_ud to;
	uint8_t *mem; /* one buffer to send from, then `count` receive buffers */
	unsigned received, sent;
};

struct lab {
	const struct options *o;
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct path *path;
	uint8_t *mem;
	size_t bytes; /* size of one path's memory, in bytes */
	uint32_t pd, lkey, listener;
};

static void usage(FILE *f)
{
	fputs("usage: nd_udaddy -b ADDR [-c CONNECTIONS] [-C COUNT] [-S SIZE]            server\n"
	      "       nd_udaddy -s ADDR [-b LOCAL] [-c CONNECTIONS] [-C COUNT] [-S SIZE] client\n"
	      "  -s ADDR         address of the server\n"
	      "  -b ADDR         own address\n"
	      "  -P PORT         default 7174\n"
	      "  -c CONNECTIONS  default 1\n"
	      "  -C COUNT        datagrams per connection and direction, 0..10000 (default 10)\n"
	      "  -S SIZE         bytes of a datagram, 1..4096 (default 100)\n"
	      "      --config FILE  configuration (default $SOFTRNIC_CONFIG, else built in)\n"
	      "      --stats     print all counters that are not zero at the end\n"
	      "Both ends must be given the same numbers. Exit status 0 only when every byte was right; 130 when interrupted (143: by SIGTERM).\n",
	      f);
}

static int complain(const char *what, int err)
{
	fprintf(stderr, "nd_udaddy: %s: %s\n", what, strerror(-err));
	return -1;
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint8_t *receive_at(const struct lab *l, const struct path *p, unsigned i)
{
	return p->mem + (GRH + l->o->size) * (i + 1);
}

/* Returns whether gid may be the local address. If the options name a local address, gid must equal
 * that address. Otherwise gid must have the IP version of the peer's address. */
static bool is_own(const struct lab *l, const struct rn_gid *gid,
		   const struct rn_client_addr *local, const struct rn_client_addr *peer)
{
	if (l->o->local.ss_family)
		return rn_client_gid_equal(gid, &local->gid);
	return rn_client_gid_is_v4(gid) == rn_client_gid_is_v4(&peer->gid);
}

/* Opens the adapter that has the local address. If no local address was given, stores the chosen
 * address in *local. */
static int open_adapter(struct lab *l, struct rn_client_addr *local,
			const struct rn_client_addr *peer)
{
	struct rn_link_info info[8];
	char err[256];
	int n = rn_client_list(NULL, info, 8, err, sizeof(err));
	for (int i = 0; i < n && i < 8; i++)
		for (unsigned g = 0; g < info[i].ngids; g++)
			if (is_own(l, &info[i].gids[g], local, peer)) {
				local->gid = info[i].gids[g];
				int r = rn_client_open(NULL, (unsigned)i, &l->client, err,
						       sizeof(err));
				if (r != 0)
					fprintf(stderr, "nd_udaddy: %s\n", err);
				return r;
			}
	if (n < 0)
		fprintf(stderr, "nd_udaddy: %s\n", err);
	else
		fprintf(stderr, "nd_udaddy: no adapter of the configuration has this address\n");
	return -1;
}

static int set_up(struct lab *l)
{
	unsigned n = l->o->connections, depth = l->o->count ? l->o->count : 1;
	uint32_t rkey;
	l->bytes = (size_t)(GRH + l->o->size) * (depth + 1);
	l->mem = calloc(n, l->bytes);
	l->path = calloc(n, sizeof(*l->path));
	if (!l->mem || !l->path)
		return complain("memory", -ENOMEM);
	int r = rn_client_pd_create(l->client, &l->pd);
	if (r == 0)
		r = rn_client_mr_register(l->client, l->pd, l->mem, n * l->bytes, (uintptr_t)l->mem,
					  RN_ACCESS_LOCAL_WRITE, &l->lkey, &rkey);
	if (r == 0)
		r = rn_client_cq_create(l->client, 2 * n * depth, 0, 0, &l->cq);
	return r ? complain("cannot set up the adapter", r) : 0;
}

static int post_receives(struct lab *l, struct path *p)
{
	for (unsigned i = 0; i < l->o->count; i++) {
		struct rn_sge sge = {(uintptr_t)receive_at(l, p, i), GRH + l->o->size, l->lkey};
		struct rn_client_wr wr = {
			.kind = RN_WQE_RECV, .wr_id = i, .sge = &sge, .num_sge = 1};
		int r = rn_client_qp_post(p->qp, &wr);
		if (r != 0)
			return complain("cannot post a receive", r);
	}
	return 0;
}

static int make_qp(struct lab *l, unsigned index)
{
	struct path *p = &l->path[index];
	unsigned depth = l->o->count ? l->o->count : 1;
	struct rn_client_qp_init init = {.pd = l->pd,
					 .type = RN_QPT_UD,
					 .send_cq = l->cq,
					 .recv_cq = l->cq,
					 .sq_depth = depth,
					 .rq_depth = depth,
					 .sq_sge = 1,
					 .rq_sge = 1,
					 .qp_ctx = index};
	static const struct {
		uint8_t state;
		uint32_t mask;
	} moves[] = {{RN_QPS_INIT, RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_QKEY},
		     {RN_QPS_RTR, 0},
		     {RN_QPS_RTS, RN_QP_SQ_PSN}};
	p->mem = l->mem + index * l->bytes;
	int r = rn_client_qp_create(l->client, &init, &p->qp);
	for (unsigned i = 0; r == 0 && i < 3; i++) {
		struct rn_qp_attr a = {.state = moves[i].state, .port = 1, .qkey = RN_UDP_QKEY};
		r = rn_client_qp_modify(p->qp, &a, RN_QP_STATE | moves[i].mask);
	}
	return r ? complain("cannot make a queue pair", r) : post_receives(l, p);
}

static int send_all(struct lab *l, struct path *p, const uint8_t *data)
{
	struct rn_sge sge = {(uintptr_t)data, l->o->size, l->lkey};
	struct rn_client_wr wr = {.kind = RN_WQE_SEND_IMM,
				  .flags = RN_WQE_SIGNALED,
				  .sge = &sge,
				  .num_sge = 1,
				  .ud = &p->to,
				  .imm = htonl(rn_client_qp_number(p->qp))};
	for (unsigned i = 0; i < l->o->count; i++) {
		int r = rn_client_qp_post(p->qp, &wr);
		if (r != 0)
			return complain("cannot send", r);
	}
	return 0;
}

/* Checks the length, sender and data of a received datagram. The server compares the data with the
 * first datagram's data. The client skips 40 bytes (the GRH that the server received) and compares
 * the rest with the data that it sent. */
static int take(struct lab *l, struct path *p, const struct rn_cqe *c)
{
	unsigned size = l->o->size;
	const uint8_t *got = receive_at(l, p, (unsigned)c->wr_id) + GRH;
	const uint8_t *want = l->o->server ? receive_at(l, p, 0) + GRH : p->mem;
	bool equal = true;
	if (l->o->server)
		equal = memcmp(got, want, size) == 0;
	else if (size > GRH)
		equal = memcmp(got + GRH, want, size - GRH) == 0;
	if (c->byte_len != GRH + size || !(c->flags & RN_CQE_IMM) || ntohl(c->imm) != c->src_qpn ||
	    !equal) {
		fprintf(stderr,
			"nd_udaddy: a datagram is wrong: %u bytes from queue pair %u, immediate data %u\n",
			c->byte_len, c->src_qpn, ntohl(c->imm));
		return -1;
	}
	p->to.qpn = c->src_qpn;
	p->received++;
	return 0;
}

static int take_completions(struct lab *l)
{
	struct rn_cqe cqe[32];
	bool fired;
	rn_client_cq_lock(l->cq);
	unsigned n = rn_client_cq_poll(l->cq, cqe, 32, &fired);
	rn_client_cq_unlock(l->cq);
	if (n == 0) {
		rn_client_progress(l->client);
		usleep(100);
	}
	for (unsigned i = 0; i < n; i++) {
		struct path *p = &l->path[cqe[i].qp_ctx];
		if (cqe[i].status != RN_STATUS_SUCCESS) {
			fprintf(stderr, "nd_udaddy: a request ended with status %u\n",
				cqe[i].status);
			return -1;
		}
		if (!(cqe[i].flags & RN_CQE_RECV))
			p->sent++;
		else if (take(l, p, &cqe[i]) != 0)
			return -1;
	}
	return 0;
}

/* Waits until every path has received and sent the given numbers of datagrams. */
static int complete(struct lab *l, unsigned received, unsigned sent)
{
	uint64_t until = now_ms() + WAIT_MS;
	for (unsigned i = 0; i < l->o->connections; i++)
		while (l->path[i].received < received || l->path[i].sent < sent) {
			if (stop_asked() || take_completions(l) != 0)
				return -1;
			if (now_ms() > until) {
				fprintf(stderr,
					"nd_udaddy: %u of %u datagrams came, none more in %d s\n",
					l->path[i].received, received, WAIT_MS / 1000);
				return -1;
			}
		}
	return 0;
}

/* Waits for the next event of the connection manager. */
static int next_event(struct lab *l, struct rn_event *ev, int timeout_ms)
{
	uint64_t until = now_ms() + (uint64_t)timeout_ms;
	while (now_ms() < until && !stop_asked())
		if (rn_client_wait(l->client, ev, 1, 100) == 1 && ev->kind >= RN_EVENT_CM_REQUEST)
			return 0;
	if (!stop_asked())
		fprintf(stderr, "nd_udaddy: no message from the peer for %d s\n",
			timeout_ms / 1000);
	return -1;
}

static int ask(struct lab *l, struct rn_client_addr *local, const struct rn_client_addr *peer)
{
	for (unsigned i = 0; i < l->o->connections; i++) {
		struct rn_cm_param param = {0};
		int r = make_qp(l, i);
		if (r != 0)
			return r;
		local->port = 0;
		r = rn_client_cm_bind_service(l->client, RN_PS_UDP, RN_QPT_UD, local, false, i,
					      &l->path[i].cm);
		if (r == 0)
			r = rn_client_cm_connect(l->client, l->path[i].cm, local, peer, &param, i);
		if (r != 0)
			return complain("cannot ask", r);
	}
	for (unsigned n = 0; n < l->o->connections;) {
		struct rn_event ev;
		if (next_event(l, &ev, WAIT_MS) != 0)
			return -1;
		if (ev.kind != RN_EVENT_CM_RESPONSE) {
			fprintf(stderr, "nd_udaddy: refused: %s, SIDR status %u\n",
				ev.kind == RN_EVENT_CM_REJECTED ? "no such service" : "no answer",
				ev.reason);
			return -1;
		}
		l->path[ev.user].to = (struct rn_ud){ev.attr.av, ev.param.qpn, ev.param.qkey};
		n++;
	}
	return 0;
}

static int answer(struct lab *l, struct rn_client_addr *local)
{
	int r = rn_client_cm_bind_service(l->client, RN_PS_UDP, RN_QPT_UD, local, true, 0,
					  &l->listener);
	if (r == 0)
		r = rn_client_cm_listen(l->client, l->listener, local, 0, 0);
	if (r != 0)
		return complain("cannot listen", r);
	printf("nd_udaddy: listening on port %u\n", local->port);
	fflush(stdout);
	for (unsigned i = 0; i < l->o->connections; i++) {
		struct rn_event ev;
		if (next_event(l, &ev, 3 * WAIT_MS) != 0 || make_qp(l, i) != 0)
			return -1;
		struct rn_cm_param param = {.qpn = rn_client_qp_number(l->path[i].qp)};
		l->path[i].cm = ev.id;
		l->path[i].to = (struct rn_ud){.av = ev.attr.av, .qkey = RN_UDP_QKEY};
		r = rn_client_cm_accept(l->client, ev.id, &param, i);
		if (r != 0)
			return complain("cannot answer", r);
	}
	return 0;
}

static int serve(struct lab *l)
{
	if (complete(l, l->o->count, 0) != 0)
		return -1;
	for (unsigned i = 0; i < l->o->connections; i++)
		if (send_all(l, &l->path[i], receive_at(l, &l->path[i], 0)) != 0)
			return -1;
	return complete(l, l->o->count, l->o->count);
}

static int request(struct lab *l)
{
	for (unsigned i = 0; i < l->o->connections; i++) {
		for (unsigned b = 0; b < l->o->size; b++)
			l->path[i].mem[b] = (uint8_t)(b * 7 + b / 251 + i * 31 + 1);
		if (send_all(l, &l->path[i], l->path[i].mem) != 0)
			return -1;
	}
	return complete(l, l->o->count, l->o->count);
}

static void tear_down(struct lab *l)
{
	stop_leave("nd_udaddy");
	for (unsigned i = 0; l->path && i < l->o->connections; i++) {
		if (l->path[i].cm)
			rn_client_cm_destroy(l->client, l->path[i].cm);
		if (l->path[i].qp)
			rn_client_qp_destroy(l->path[i].qp);
	}
	if (l->listener)
		rn_client_cm_destroy(l->client, l->listener);
	if (l->cq)
		rn_client_cq_destroy(l->cq);
	if (l->lkey)
		rn_client_mr_deregister(l->client, l->lkey);
	if (l->pd)
		rn_client_pd_destroy(l->client, l->pd);
	rn_client_close(l->client);
	free(l->path);
	free(l->mem);
}

static int run(const struct options *o)
{
	struct lab l = {.o = o};
	struct rn_client_addr local = {0}, peer = {0};
	if ((o->local.ss_family &&
	     rn_client_addr_from_sockaddr(&local, (const struct sockaddr *)&o->local,
					  sizeof(o->local)) != 0) ||
	    (!o->server && rn_client_addr_from_sockaddr(&peer, (const struct sockaddr *)&o->peer,
							sizeof(o->peer)) != 0))
		return -1;
	if (open_adapter(&l, &local, &peer) != 0)
		return -1;
	int err = set_up(&l);
	if (err == 0)
		err = o->server ? answer(&l, &local) : ask(&l, &local, &peer);
	if (err == 0)
		err = o->server ? serve(&l) : request(&l);
	if (err == 0)
		printf("nd_udaddy: %u connections, %u datagrams of %u bytes each way, data compared\n",
		       o->connections, o->count, o->size);
	if (o->server && err == 0)
		/* keeps the service open, because the client may repeat a SIDR request */
		usleep(1000000);
	if (o->stats)
		counters_print(stdout);
	tear_down(&l);
	return err;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"config", 1, 0, 'X'}, {"stats", 0, 0, 'T'}, {"help", 0, 0, 'h'}, {0}};
	struct options o = {.connections = 1, .count = 10, .size = 100};
	const char *peer = NULL, *local = NULL;
	unsigned port = UDADDY_PORT;
	session_program = "nd_udaddy";
	version_if_asked(argc, argv);
	for (int c; (c = getopt_long(argc, argv, "s:b:P:c:C:S:h", longs, NULL)) != -1;) {
		switch (c) {
		case 's':
			peer = optarg;
			break;
		case 'b':
			local = optarg;
			break;
		case 'P':
			port = session_number(optarg, 1, 65535);
			break;
		case 'c':
			o.connections = session_number(optarg, 1, 256);
			break;
		case 'C':
			o.count = session_number(optarg, 0, 10000);
			break;
		case 'S':
			o.size = session_number(optarg, 1, 4096);
			break;
		case 'X':
			setenv("SOFTRNIC_CONFIG", optarg, 1);
			break;
		case 'T':
			o.stats = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 1;
		}
	}
	o.server = !peer;
	if (optind != argc || (o.server && !local)) {
		usage(stderr);
		return 1;
	}
	if ((peer && session_parse_address(peer, (uint16_t)port, &o.peer) != 0) ||
	    (local && session_parse_address(local, o.server ? (uint16_t)port : 0, &o.local) != 0))
		return 1;
	stop_catch();
	return stop_status(run(&o) ? 1 : 0);
}
