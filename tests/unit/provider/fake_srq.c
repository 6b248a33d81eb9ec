/* Shared receive queues of the fake NIC: lists of receives, guarded by the mutex of fake_link.c. */
#include "fake_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16384u

static struct fake_srq srqs[32];

struct fake_srq *fake_srq_of(uint32_t id)
{
	return id != 0 ? &srqs[id] : NULL;
}

static int create(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	if (cmd->create_srq.depth == 0 || cmd->create_srq.depth > MAX_DEPTH)
		return -EINVAL;
	for (uint32_t i = 1; i < sizeof(srqs) / sizeof(srqs[0]); i++) {
		if (srqs[i].adapter != NULL)
			continue;
		memset(&srqs[i], 0, sizeof(srqs[i]));
		srqs[i].adapter = a;
		rsp->id = i;
		rsp->srq.shared = (uintptr_t)&srqs[i].shared;
		return 0;
	}
	return -ENOSPC;
}

static int destroy(struct fake_srq *srq)
{
	if (srq->users != 0)
		return -EBUSY;
	while (srq->queue != NULL) {
		struct fake_work *w = srq->queue;

		srq->queue = w->next;
		free(w);
	}
	srq->adapter = NULL;
	return 0;
}

int fake_srq_exec(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct fake_srq *srq;

	switch (cmd->op) {
	case RN_CMD_CREATE_SRQ:
		return create(a, cmd, rsp);
	case RN_CMD_MODIFY_SRQ:
		srq = &srqs[cmd->modify_srq.id];
		if (cmd->modify_srq.depth == 0 || cmd->modify_srq.depth > MAX_DEPTH)
			return -EINVAL;
		return srq->shared.posted - srq->shared.taken > cmd->modify_srq.depth ? -EOVERFLOW
										      : 0;
	default:
		return destroy(&srqs[cmd->obj.id]);
	}
}

void fake_srq_put(uint32_t id, struct fake_work *w)
{
	struct fake_work **end = &srqs[id].queue;

	while (*end != NULL)
		end = &(*end)->next;
	*end = w;
	atomic_fetch_add(&srqs[id].shared.posted, 1);
}

struct fake_work *fake_srq_take(struct fake_srq *srq)
{
	struct fake_work *w = srq->queue;
	uint32_t limit;

	if (w == NULL)
		return NULL;
	srq->queue = w->next;
	atomic_fetch_add(&srq->shared.taken, 1);
	limit = atomic_load(&srq->shared.limit);
	if (limit != 0 && srq->shared.posted - srq->shared.taken < limit &&
	    atomic_exchange(&srq->shared.limit, 0) != 0)
		fake_tell(srq->adapter, &(struct rn_event){.kind = RN_EVENT_SRQ_LIMIT,
							   .id = (uint32_t)(srq - srqs)});
	return w;
}

unsigned fake_srq_live(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(srqs) / sizeof(srqs[0]); i++)
		n += srqs[i].adapter != NULL;
	return n;
}
