/* The exchange of parameters and results with the other end over a separate queue pair (-R). Owns
 * that queue pair, its connection and its memory: one buffer to send from, and one buffer for each
 * receive. One thread calls these functions. */
#include "cm.h"
#include "talk.h"

#include "common/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_NS    600000000000ull
#define TURNS_PER_LOOK 4096
#define SLEEP_MS       100

static int complain(const struct pt_talk *t, const char *what, int rc)
{
	if (!stop_asked())
		fprintf(stderr, "%s: %s: %s\n", t->e->o->tool->name, what, strerror(-rc));
	return -1;
}

static uint8_t *block(const struct pt_talk *t, unsigned i)
{
	return t->mem + i * PT_TALK_BYTES;
}

static int post_recv(struct pt_talk *t, unsigned i)
{
	struct rn_sge sge = {(uintptr_t)block(t, i + 1), PT_TALK_BYTES, t->lkey};
	struct rn_client_wr wr = {.kind = RN_WQE_RECV, .wr_id = i, .sge = &sge, .num_sge = 1};
	int rc = rn_client_qp_post(t->qp, &wr);

	return rc ? complain(t, "a receive was refused", rc) : 0;
}

static int take(struct pt_talk *t)
{
	struct rn_cqe cqe[PT_TALK_RECVS];
	bool fired;
	unsigned n;

	rn_client_cq_lock(t->cq);
	n = rn_client_cq_poll(t->cq, cqe, PT_TALK_RECVS, &fired);
	rn_client_cq_unlock(t->cq);
	for (unsigned i = 0; i < n; i++) {
		if (cqe[i].status != RN_STATUS_SUCCESS) {
			fprintf(stderr, "%s: the exchange with the other end failed: %s\n",
				t->e->o->tool->name, pt_status_text(cqe[i].status));
			return -1;
		}
		if (!(cqe[i].flags & RN_CQE_RECV)) {
			t->acked++;
		} else if (t->ngot < PT_TALK_RECVS) {
			t->got[t->ngot].recv = (unsigned)cqe[i].wr_id;
			t->got[t->ngot++].bytes = cqe[i].byte_len;
		}
	}
	return 0;
}

/* Takes completions; with -e, sleeps until there are some. Looks after the peer now and then.
 * Returns 0 or -1. */
static int wait_a_turn(struct pt_talk *t, unsigned *turns)
{
	bool sleeps = t->e->o->events, look = sleeps || ++*turns % TURNS_PER_LOOK == 0;

	if (sleeps) {
		rn_client_cq_lock(t->cq);
		bool fired = rn_client_cq_arm(t->cq, RN_CQ_ARM_ANY);

		rn_client_cq_unlock(t->cq);
		if (!fired)
			pt_events(t->e, SLEEP_MS);
		rn_client_cq_lock(t->cq);
		rn_client_cq_disarm(t->cq);
		rn_client_cq_unlock(t->cq);
	}
	if (take(t) != 0)
		return -1;
	return look ? pt_check_peer(t->e) : 0;
}

static int cm_send(struct pt_talk *t, const void *data, size_t bytes)
{
	struct rn_sge sge = {(uintptr_t)block(t, 0), (uint32_t)bytes, t->lkey};
	struct rn_client_wr wr = {
		.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .sge = &sge, .num_sge = 1};
	unsigned turns = 0;
	int rc;

	if (bytes > PT_TALK_BYTES)
		return complain(t, "too long a message", -EMSGSIZE);
	memcpy(block(t, 0), data, bytes);
	rc = rn_client_qp_post(t->qp, &wr);
	if (rc != 0)
		return complain(t, "cannot send to the other end", rc);
	t->sent++;
	while (t->acked < t->sent)
		if (wait_a_turn(t, &turns) != 0)
			return -1;
	return 0;
}

/* Waits for one message. pt_check_peer() detects a peer that disconnects. A peer that dies without
 * disconnecting is detected PATIENCE_NS after the end of a -D run,
 * unless the test runs until it is interrupted. */
static int cm_recv(struct pt_talk *t, void *data, size_t bytes)
{
	uint64_t end = pt_now_ns() + PATIENCE_NS + t->e->o->secs * 1000000000ull;
	unsigned i, came, turns = 0;

	while (t->ngot == 0) {
		if (wait_a_turn(t, &turns) != 0)
			return -1;
		if (!t->e->o->endless && pt_now_ns() > end)
			return complain(t, "no answer from the other end", -ETIMEDOUT);
	}
	i = t->got[0].recv;
	came = t->got[0].bytes;
	memmove(t->got, t->got + 1, --t->ngot * sizeof(t->got[0]));
	if (came < bytes)
		return complain(t, "the other end sent a message that is too short", -EBADMSG);
	memcpy(data, block(t, i + 1), bytes);
	return post_recv(t, i);
}

static int cm_send_card(struct pt_talk *t, const struct pt_card *card)
{
	uint8_t bytes[PT_BINARY_BYTES];

	pt_card_to_binary(card, bytes);
	return cm_send(t, bytes, sizeof(bytes));
}

static int cm_recv_card(struct pt_talk *t, struct pt_card *card)
{
	uint8_t bytes[PT_BINARY_BYTES];

	if (cm_recv(t, bytes, sizeof(bytes)) != 0)
		return -1;
	pt_card_from_binary(card, bytes);
	return 0;
}

static void cm_close(struct pt_talk *t)
{
	struct rn_client *client = t->e->client;

	if (t->cm) {
		rn_client_cm_disconnect(client, t->cm);
		rn_client_cm_destroy(client, t->cm);
	}
	if (t->listener)
		rn_client_cm_destroy(client, t->listener);
	if (t->qp)
		rn_client_qp_destroy(t->qp);
	if (t->cq)
		rn_client_cq_destroy(t->cq);
	if (t->lkey)
		rn_client_mr_deregister(client, t->lkey);
	free(t->mem);
}

const struct pt_talk_ops pt_talk_cm = {cm_send, cm_recv, cm_send_card, cm_recv_card, cm_close};

static int make(struct pt_talk *t)
{
	size_t bytes = (PT_TALK_RECVS + 1) * PT_TALK_BYTES;
	struct pt_end *e = t->e;
	int rc;

	t->mem = calloc(1, bytes);
	if (!t->mem)
		return complain(t, "no memory", -ENOMEM);
	rc = rn_client_mr_register(e->client, e->pd, t->mem, bytes, (uintptr_t)t->mem,
				   RN_ACCESS_LOCAL_WRITE, &t->lkey, &t->rkey);
	if (rc == 0)
		rc = rn_client_cq_create(e->client, 2 * PT_TALK_RECVS, 0, 0, &t->cq);
	if (rc != 0)
		return complain(t, "no memory region or completion queue", rc);
	t->qp = pt_end_qp(e, t->cq, NULL, 2, PT_TALK_RECVS, 0);
	if (!t->qp)
		return -1;
	for (unsigned i = 0; i < PT_TALK_RECVS; i++)
		if (post_recv(t, i) != 0)
			return -1;
	return 0;
}

int pt_talk_cm_open(struct pt_talk *t)
{
	struct pt_end *e = t->e;

	if (make(t) != 0)
		return -1;
	if (!pt_is_server(e->o))
		return pt_cm_connect(e, t->qp, 0, &t->cm);
	if (pt_cm_listen(e, &t->listener) != 0)
		return -1;
	return pt_cm_accept(e, t->qp, 0, &t->cm, -1);
}
