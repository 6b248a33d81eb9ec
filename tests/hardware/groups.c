/* Multicast groups through the filter of a card. ND2 has no datagrams, so this program uses the
 * client API. It uses the first adapter of $SOFTRNIC_CONFIG.
 *
 *	groups receive	joins the groups below and waits for a datagram of each
 *	groups send	sends datagrams to each group for three seconds */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rn/client.h"

#define QKEY	0x11111111
#define ROUNDS	60
#define WAIT_S	30
#define DEPTH	64u
#define BYTES	64u
#define SLOT	(BYTES + RN_UD_GRH_BYTES)
#define NGROUPS 3u

/* The MACs of these groups differ in more than the bits that a hash filter of a card looks at. */
static const struct rn_gid groups[NGROUPS] = {
	{{[10] = 0xff, 0xff, 239, 7, 8, 9}},
	{{[10] = 0xff, 0xff, 225, 99, 81, 3}},
	{{0xff, 0x0e, [12] = 0x47, 0x11, 0x08, 0x15}},
};

struct side {
	struct rn_client *client;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	uint32_t pd, lkey;
	uint8_t mem[DEPTH * SLOT];
};

static int complain(const char *what, int err)
{
	fprintf(stderr, "groups: %s: %s\n", what, strerror(-err));
	return 1;
}

static int set_up(struct side *s)
{
	struct rn_qp_attr a = {.port = 1, .qkey = QKEY};
	char text[256] = "";
	uint32_t rkey;
	int r = rn_client_open(NULL, 0, &s->client, text, sizeof(text));

	if (r != 0) {
		fprintf(stderr, "groups: %s\n", text);
		return r;
	}
	r = rn_client_pd_create(s->client, &s->pd);
	if (r == 0)
		r = rn_client_mr_register(s->client, s->pd, s->mem, sizeof(s->mem),
					  (uintptr_t)s->mem, RN_ACCESS_LOCAL_WRITE, &s->lkey,
					  &rkey);
	if (r == 0)
		r = rn_client_cq_create(s->client, 2 * DEPTH, 0, 0, &s->cq);
	struct rn_client_qp_init init = {.pd = s->pd,
					 .type = RN_QPT_UD,
					 .send_cq = s->cq,
					 .recv_cq = s->cq,
					 .sq_depth = DEPTH,
					 .rq_depth = DEPTH,
					 .sq_sge = 1,
					 .rq_sge = 1};
	if (r == 0)
		r = rn_client_qp_create(s->client, &init, &s->qp);
	static const uint32_t masks[] = {[RN_QPS_INIT] = RN_QP_PKEY_INDEX | RN_QP_PORT | RN_QP_QKEY,
					 [RN_QPS_RTR] = 0,
					 [RN_QPS_RTS] = RN_QP_SQ_PSN};
	for (a.state = RN_QPS_INIT; r == 0 && a.state <= RN_QPS_RTS; a.state++)
		r = rn_client_qp_modify(s->qp, &a, RN_QP_STATE | masks[a.state]);
	return r;
}

/* Takes a completion; sleeps if there is none. Returns whether there was one. */
static bool take(struct side *s, struct rn_cqe *cqe)
{
	bool fired;

	rn_client_cq_lock(s->cq);
	unsigned n = rn_client_cq_poll(s->cq, cqe, 1, &fired);
	rn_client_cq_unlock(s->cq);
	if (n == 0) {
		rn_client_progress(s->client);
		usleep(1000);
	}
	return n == 1;
}

/* Returns the bit of the group to which a datagram was sent: the destination is at the end of the
 * GRH, or of the IPv4 header there. */
static unsigned group_of(const uint8_t *grh)
{
	for (unsigned i = 0; i < NGROUPS; i++) {
		unsigned skip = rn_client_gid_is_v4(&groups[i]) ? 12 : 0;
		if (memcmp(grh + 24 + skip, groups[i].b + skip, 16 - skip) == 0)
			return 1u << i;
	}
	return 0;
}

static int receive(struct side *s)
{
	time_t until = time(NULL) + WAIT_S;
	unsigned came = 0;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < DEPTH; i++) {
		struct rn_sge sge = {(uintptr_t)s->mem + (size_t)i * SLOT, SLOT, s->lkey};
		struct rn_client_wr wr = {
			.kind = RN_WQE_RECV, .wr_id = i, .sge = &sge, .num_sge = 1};
		r = rn_client_qp_post(s->qp, &wr);
	}
	for (unsigned i = 0; r == 0 && i < NGROUPS; i++)
		r = rn_client_qp_attach(s->qp, &groups[i]);
	if (r != 0)
		return complain("cannot join", r);
	printf("joined\n");
	fflush(stdout);
	while (came != (1u << NGROUPS) - 1 && time(NULL) < until) {
		struct rn_cqe cqe;
		if (take(s, &cqe) && cqe.status == RN_STATUS_SUCCESS)
			came |= group_of(s->mem + cqe.wr_id * SLOT);
	}
	printf("datagrams of groups %#x\n", came);
	return came == (1u << NGROUPS) - 1 ? 0 : 1;
}

static int send_to(struct side *s, const struct rn_gid *group)
{
	struct rn_sge sge = {(uintptr_t)s->mem, BYTES, s->lkey};
	struct rn_ud to = {.qpn = RN_QPN_GROUP, .qkey = QKEY};
	struct rn_client_wr wr = {.kind = RN_WQE_SEND,
				  .flags = RN_WQE_SIGNALED,
				  .sge = &sge,
				  .num_sge = 1,
				  .ud = &to};
	const struct rn_gid any = {{0}};
	struct rn_cqe cqe;
	int r;

	for (unsigned i = 0;; i++) {
		r = rn_client_av_resolve(s->client, &any, group, 7, &to.av);
		if ((r != -EINPROGRESS && r != -EAGAIN) || i == 1000)
			break;
		usleep(1000);
	}
	if (r == 0)
		r = rn_client_qp_post(s->qp, &wr);
	for (unsigned i = 0; r == 0 && !take(s, &cqe); i++)
		if (i == 5000)
			return -ETIMEDOUT;
	return r;
}

int main(int argc, char **argv)
{
	static struct side s;

	if (argc != 2 || (strcmp(argv[1], "receive") != 0 && strcmp(argv[1], "send") != 0)) {
		fprintf(stderr, "usage: groups receive | send\n");
		return 1;
	}
	int r = set_up(&s);
	if (r != 0)
		return complain("cannot set up the adapter", r);
	if (argv[1][0] == 'r') {
		r = receive(&s);
	} else {
		for (unsigned n = 0; r == 0 && n < ROUNDS * NGROUPS; n++) {
			r = send_to(&s, &groups[n % NGROUPS]);
			usleep(50000 / NGROUPS);
		}
		r = r == 0 ? 0 : complain("cannot send", r);
		printf("sent %u\n", ROUNDS * NGROUPS);
	}
	rn_client_close(s.client);
	return r;
}
