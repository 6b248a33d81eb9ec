/* Connects queue pairs through the RDMA CM (option -R). Keeps no state: the callers own the CM ids.
 * One thread calls these functions. */
#include "cm.h"

#include "common/stop.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS     10000
#define TRIES	      50
#define TRY_US	      100000
#define NO_SERVICE    8 /* REJ reason "invalid service id": the server has no listener */
#define MIN_RNR_TIMER 12

static int complain(const struct pt_end *e, const char *what, int rc)
{
	if (!stop_asked())
		fprintf(stderr, "%s: %s: %s\n", e->o->tool->name, what, strerror(-rc));
	return -1;
}

int pt_cm_listen(struct pt_end *e, uint32_t *id)
{
	/* the listener's address: all IPv4 and IPv6 addresses of the adapter; with -x, --ipv6 or
	 * --source_ip the selected address */
	struct rn_client_addr at = {.port = (uint16_t)e->o->port};
	int rc;

	if (e->o->gid != PT_ANY_GID || e->o->source_ip || e->o->v6)
		at.gid = e->gid;
	rc = rn_client_cm_bind(e->client, &at, true, 0, id);
	if (rc == 0)
		rc = rn_client_cm_listen(e->client, *id, &at, 0, 0);
	return rc ? complain(e, "cannot listen through the RDMA CM", rc) : 0;
}

static void fill(const struct pt_end *e, struct rn_client_qp *qp, uint8_t reads,
		 struct rn_cm_param *p)
{
	*p = (struct rn_cm_param){.qpn = rn_client_qp_number(qp),
				  .psn = (uint32_t)lrand48() & 0xffffff,
				  .responder_resources = reads,
				  .initiator_depth = reads,
				  .retry_cnt = (uint8_t)e->o->retry,
				  .rnr_retry = 7,
				  .path_mtu = e->o->mtu ? e->mtu : 0,
				  .ack_timeout = (uint8_t)e->o->timeout,
				  .tclass = (uint8_t)e->o->tclass,
				  .sl = (uint8_t)e->o->sl};
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* Moves qp to RTS. The limit of READs and atomics in flight is the smaller offer of the two
 * ends. */
static int to_rts(struct pt_end *e, struct rn_client_qp *qp, const struct rn_event *ev,
		  struct rn_cm_param *mine)
{
	struct rn_qp_attr a = ev->attr;
	int rc;

	mine->initiator_depth = smaller(mine->initiator_depth, ev->param.responder_resources);
	mine->responder_resources = smaller(mine->responder_resources, ev->param.initiator_depth);
	a.rq_psn = mine->psn;
	a.max_rd_atomic = mine->initiator_depth;
	a.max_dest_rd_atomic = mine->responder_resources;
	a.min_rnr_timer = MIN_RNR_TIMER;
	rc = pt_end_to_rts(qp, RN_QPT_RC, &a);
	return rc ? complain(e, "a queue pair does not connect", rc) : 0;
}

int pt_cm_accept(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
		 int timeout_ms)
{
	struct rn_cm_param mine;
	struct rn_event ev;
	uint64_t ends = 1ull << RN_EVENT_CM_ESTABLISHED | 1ull << RN_EVENT_CM_REJECTED |
			1ull << RN_EVENT_CM_UNREACHABLE;
	int rc;

	while (!pt_event(e, 1ull << RN_EVENT_CM_REQUEST, 0, &ev,
			 timeout_ms < 0 ? 1000 : timeout_ms)) {
		if (timeout_ms >= 0 || stop_asked())
			return complain(e, "no connection request", -ETIMEDOUT);
	}
	*id = ev.id;
	pt_end_use_gid(e, &ev.attr.av.sgid);
	fill(e, qp, reads, &mine);
	if (to_rts(e, qp, &ev, &mine) != 0)
		return -1;
	rc = rn_client_cm_accept(e->client, *id, &mine, 0);
	if (rc != 0)
		return complain(e, "cannot accept", rc);
	if (!pt_event(e, ends, *id, &ev, ANSWER_MS) || ev.kind != RN_EVENT_CM_ESTABLISHED)
		return complain(e, "the client has not finished connecting", -ECONNABORTED);
	return 0;
}

static int server_address(struct pt_end *e, struct rn_client_addr *peer)
{
	bool v4 = rn_client_gid_is_v4(&e->gid);
	struct addrinfo hints = {.ai_family = v4 ? AF_INET : AF_INET6, .ai_socktype = SOCK_STREAM};
	struct addrinfo *ai;
	int rc = getaddrinfo(e->o->server, NULL, &hints, &ai);

	if (rc != 0) {
		fprintf(stderr, "%s: %s: %s\n", e->o->tool->name, e->o->server, gai_strerror(rc));
		return -1;
	}
	rc = rn_client_addr_from_sockaddr(peer, ai->ai_addr, ai->ai_addrlen);
	freeaddrinfo(ai);
	peer->port = (uint16_t)e->o->port;
	return rc ? complain(e, e->o->server, rc) : 0;
}

/* Tries once to connect. Returns 0 if connected, 1 if the server has no listener yet, -1 on
 * failure. */
static int try(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
	       const struct rn_client_addr *peer)
{
	struct rn_client_addr local = {e->gid, 0};
	uint64_t ends = 1ull << RN_EVENT_CM_RESPONSE | 1ull << RN_EVENT_CM_REJECTED |
			1ull << RN_EVENT_CM_UNREACHABLE;
	struct rn_cm_param mine;
	struct rn_event ev;
	int rc;

	fill(e, qp, reads, &mine);
	rc = rn_client_cm_bind(e->client, &local, false, 0, id);
	if (rc != 0)
		return complain(e, "no port to connect from", rc);
	rc = rn_client_cm_connect(e->client, *id, &local, peer, &mine, 0);
	if (rc != 0)
		return complain(e, "cannot connect", rc);
	if (!pt_event(e, ends, *id, &ev, ANSWER_MS) || ev.kind == RN_EVENT_CM_UNREACHABLE)
		return complain(e, "the server does not answer", -EHOSTUNREACH);
	if (ev.kind == RN_EVENT_CM_REJECTED) {
		rn_client_cm_destroy(e->client, *id);
		*id = 0;
		if (ev.reason == NO_SERVICE)
			return 1;
		fprintf(stderr, "%s: the server refuses, reason %u\n", e->o->tool->name, ev.reason);
		return -1;
	}
	if (to_rts(e, qp, &ev, &mine) != 0)
		return -1;
	rc = rn_client_cm_establish(e->client, *id);
	return rc ? complain(e, "the server has gone", rc) : 0;
}

int pt_cm_connect(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id)
{
	struct rn_client_addr peer;

	if (server_address(e, &peer) != 0)
		return -1;
	for (unsigned i = 0; i < TRIES && !stop_asked(); i++) {
		int rc = try(e, qp, reads, id, &peer);

		if (rc <= 0)
			return rc;
		usleep(TRY_US);
	}
	return complain(e, "the server does not listen", -ECONNREFUSED);
}

static uint8_t reads_of(const struct pt_end *e, unsigned i)
{
	return e->o->tool->verb >= PT_READ ? (uint8_t)e->qp[i].mine.outs : 0;
}

int pt_cm_accept_all(struct pt_end *e)
{
	for (unsigned i = 0; i < e->o->qps; i++)
		if (pt_cm_accept(e, e->qp[i].qp, reads_of(e, i), &e->qp[i].cm, ANSWER_MS) != 0)
			return -1;
	return 0;
}

int pt_cm_connect_all(struct pt_end *e)
{
	for (unsigned i = 0; i < e->o->qps; i++)
		if (pt_cm_connect(e, e->qp[i].qp, reads_of(e, i), &e->qp[i].cm) != 0)
			return -1;
	return 0;
}

void pt_cm_disconnect_all(struct pt_end *e)
{
	bool goes_first = pt_is_server(e->o) || e->stopped;
	struct rn_event ev;

	for (unsigned i = 0; i < e->o->qps; i++) {
		uint32_t id = e->qp[i].cm;

		if (!id)
			continue;
		if (!goes_first)
			pt_event(e, 1ull << RN_EVENT_CM_DISCONNECTED, id, &ev, ANSWER_MS / 10);
		if (rn_client_cm_disconnect(e->client, id) == 0 && goes_first)
			pt_event(e, 1ull << RN_EVENT_CM_DISCONNECTED, id, &ev, ANSWER_MS / 10);
		rn_client_cm_destroy(e->client, id);
		e->qp[i].cm = 0;
	}
}
