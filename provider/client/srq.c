/* Shared receive queues: checks that an SRQ has room for a receive, and whether the number of
 * receives has fallen below the armed limit. Any thread may call these functions.
 *
 * A receive is posted only while posted - taken < depth, so the NIC always has room for the
 * receive. `lock` serialises posts; posts wait while the SRQ is resized. `armed` has no lock: the
 * caller must not run rn_client_srq_arm(), _fired() and _disarm() at the same time. */
#include "client/client.h"
#include "client/sgl.h"

#include <errno.h>
#include <stdlib.h>

int rn_client_srq_create(struct rn_client *client, const struct rn_client_srq_init *init,
			 struct rn_client_srq **out)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_SRQ, .user = init->user};
	struct rn_rsp rsp = {0};
	struct rn_client_srq *srq;
	int rc;

	if (init->depth > client->info.max_queue_depth || init->max_sge > client->info.max_sge ||
	    init->max_length > client->info.max_msg)
		return -EINVAL;
	srq = calloc(1, sizeof(*srq));
	if (srq == NULL)
		return -ENOMEM;
	cmd.create_srq.pd = init->pd;
	cmd.create_srq.depth = init->depth;
	cmd.create_srq.max_sge = init->max_sge;
	rc = rn_client_exec(client, &cmd, &rsp);
	if (rc != 0) {
		free(srq);
		return rc;
	}
	srq->client = client;
	srq->id = rsp.id;
	srq->shared = (struct rn_srq_shared *)(uintptr_t)rsp.srq.shared;
	srq->depth = init->depth;
	srq->max_sge = init->max_sge;
	srq->max_length = init->max_length != 0 ? init->max_length : client->info.max_msg;
	pthread_mutex_init(&srq->lock, NULL);
	*out = srq;
	return 0;
}

int rn_client_srq_destroy(struct rn_client_srq *srq)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_SRQ, .obj.id = srq->id};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(srq->client, &cmd, &rsp);

	if (rc != 0)
		return rc;
	pthread_mutex_destroy(&srq->lock);
	free(srq);
	return 0;
}

uint32_t rn_client_srq_id(const struct rn_client_srq *srq)
{
	return srq->id;
}

int rn_client_srq_resize(struct rn_client_srq *srq, uint32_t depth)
{
	struct rn_cmd cmd = {.op = RN_CMD_MODIFY_SRQ,
			     .modify_srq = {.id = srq->id, .depth = depth}};
	struct rn_rsp rsp = {0};
	int rc;

	pthread_mutex_lock(&srq->lock);
	rc = rn_client_exec(srq->client, &cmd, &rsp);
	if (rc == 0)
		srq->depth = depth;
	pthread_mutex_unlock(&srq->lock);
	return rc;
}

uint32_t rn_client_srq_level(const struct rn_client_srq *srq)
{
	/* Read `taken` before `posted`: in this order the difference cannot be negative. */
	uint64_t taken = atomic_load(&srq->shared->taken);

	return (uint32_t)(atomic_load(&srq->shared->posted) - taken);
}

/* Posts one receive. The caller holds srq->lock. */
static int post_locked(struct rn_client_srq *srq, const struct rn_client_wr *wr)
{
	struct rn_link *link = srq->client->link;
	struct rn_sgl_slots wqe;

	if (atomic_load_explicit(&link->gone, memory_order_relaxed))
		return -ENODEV;
	if (wr->num_sge > srq->max_sge)
		return -E2BIG;
	if (rn_sgl_length(wr->sge, wr->num_sge) > srq->max_length)
		return -EMSGSIZE;
	if (rn_client_srq_level(srq) >= srq->depth)
		return -ENOMEM;
	memset(&wqe.head, 0, sizeof(wqe.head));
	wqe.head.kind = RN_WQE_RECV;
	wqe.head.flags = RN_WQE_SIGNALED;
	wqe.head.wr_id = wr->wr_id;
	wqe.head.length = (uint32_t)rn_sgl_length(wr->sge, wr->num_sge);
	rn_sgl_put_sges(&wqe, wr->sge, wr->num_sge);
	link->ops->srq_post(link, srq->id, &wqe.head);
	return 0;
}

int rn_client_srq_post_list(struct rn_client_srq *srq, const struct rn_client_wr *wr, uint32_t n,
			    uint32_t *posted)
{
	uint32_t done = 0;
	int rc = 0;

	pthread_mutex_lock(&srq->lock);
	while (done < n && (rc = post_locked(srq, &wr[done])) == 0)
		done++;
	pthread_mutex_unlock(&srq->lock);
	*posted = done;
	return rc;
}

int rn_client_srq_post(struct rn_client_srq *srq, const struct rn_client_wr *wr)
{
	uint32_t posted;

	return rn_client_srq_post_list(srq, wr, 1, &posted);
}

/* ---- the limit event: srq->armed is the armed limit; when the event fires, the NIC sets
 *   shared->limit to 0 ---- */

bool rn_client_srq_arm(struct rn_client_srq *srq, uint32_t limit)
{
	/* Store the limit, then read `taken`. The NIC increments `taken`, then reads the limit. So
	 * either this thread sees that a receive was taken, or the NIC sees the new limit. If the
	 * limit event that an earlier call armed has fired, `before` is 0. */
	uint32_t before = atomic_exchange(&srq->shared->limit, limit);
	bool fired = srq->armed != 0 && before == 0;

	srq->armed = limit;
	if (!fired && rn_client_srq_level(srq) >= limit)
		return false;
	rn_client_srq_disarm(srq);
	return true;
}

bool rn_client_srq_fired(struct rn_client_srq *srq)
{
	if (srq->armed == 0 || atomic_load(&srq->shared->limit) != 0)
		return false;
	srq->armed = 0;
	return true;
}

void rn_client_srq_disarm(struct rn_client_srq *srq)
{
	srq->armed = 0;
	atomic_store(&srq->shared->limit, 0);
}
