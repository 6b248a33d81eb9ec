/* Memory windows: knows whether a window is bound, and chooses the R_Key of the next binding. The
 * NIC gets no command for these two tasks. A binding begins when rn_client_qp_bind() has posted the
 * bind request. It ends when a shard stores the R_Key of the binding in shared->ended. A front end
 * that posts work requests of kind BIND itself (qp.c) does without these two. Owns struct
 * rn_client_mw. Any thread may call these functions. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rn_client_mw {
	struct rn_client *client;
	/* written by shards; valid until rn_client_mw_destroy() */
	const struct rn_mw_shared *shared;
	pthread_mutex_t lock; /* serialises the bind requests of this memory window */
	uint32_t id;
	_Atomic uint32_t key; /* R_Key of the last bind request; `id` before the first bind
			       * request */
	_Atomic uint32_t qpn; /* QPN of the last bind request; 0 before the first bind request */
};

int rn_client_mw_create(struct rn_client *client, uint32_t pd, struct rn_client_mw **out)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_MW, .create_mw = {.pd = pd}};
	struct rn_rsp rsp = {0};
	struct rn_client_mw *mw = calloc(1, sizeof(*mw));
	int rc;

	if (mw == NULL)
		return -ENOMEM;
	rc = rn_client_exec(client, &cmd, &rsp);
	if (rc != 0) {
		free(mw);
		return rc;
	}
	mw->client = client;
	mw->shared = (const struct rn_mw_shared *)(uintptr_t)rsp.mw.shared;
	mw->id = rsp.id;
	atomic_init(&mw->key, rsp.id);
	pthread_mutex_init(&mw->lock, NULL);
	*out = mw;
	return 0;
}

int rn_client_mw_destroy(struct rn_client_mw *mw)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_MW, .destroy_mw = {.id = mw->id, .qpn = mw->qpn}};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(mw->client, &cmd, &rsp);

	if (rc != 0)
		return rc;
	pthread_mutex_destroy(&mw->lock);
	free(mw);
	return 0;
}

uint32_t rn_client_mw_id(const struct rn_client_mw *mw)
{
	return mw->id;
}

void rn_client_mw_posted(struct rn_client_mw *mw, uint32_t qpn)
{
	mw->qpn = qpn;
}

uint32_t rn_client_mw_key(const struct rn_client_mw *mw)
{
	return mw->qpn != 0 ? mw->key : 0;
}

bool rn_client_mw_bound(const struct rn_client_mw *mw)
{
	return atomic_load_explicit(&mw->shared->ended, memory_order_acquire) != mw->key;
}

/* Returns the R_Key for the next binding of a memory window. The low byte runs from 1 to 255, so an
 * R_Key recurs after 255 bindings. */
static uint32_t next_key(uint32_t key)
{
	uint32_t variant = (key & 0xFF) == 0xFF ? 1 : (key & 0xFF) + 1;

	return (key & ~0xFFu) | variant;
}

static struct rn_wqe request(const struct rn_client_qp *qp, uint8_t kind, uint64_t wr_id,
			     uint16_t flags)
{
	return (struct rn_wqe){
		.kind = kind,
		.slots = 1,
		.flags = flags,
		.qpn = qp->qpn,
		.qp_gen = qp->gen,
		.wr_id = wr_id,
	};
}

int rn_client_qp_bind(struct rn_client_qp *qp, struct rn_client_mw *mw,
		      const struct rn_client_bind *bind)
{
	struct rn_wqe wqe = request(qp, RN_WQE_BIND, bind->wr_id, bind->flags);
	int rc = -EBUSY;

	pthread_mutex_lock(&mw->lock);
	if (!rn_client_mw_bound(mw)) {
		wqe.remote_va = bind->addr;
		wqe.rkey = next_key(mw->key);
		wqe.bind = (struct rn_bind){bind->length, bind->lkey, bind->access};
		rc = rn_client_qp_put(qp, &wqe);
	}
	if (rc == 0) {
		mw->qpn = qp->qpn;
		mw->key = wqe.rkey;
	}
	pthread_mutex_unlock(&mw->lock);
	return rc;
}

int rn_client_qp_invalidate(struct rn_client_qp *qp, struct rn_client_mw *mw, uint64_t wr_id,
			    uint16_t flags)
{
	struct rn_wqe wqe = request(qp, RN_WQE_INVALIDATE, wr_id, flags);

	wqe.imm = mw->key;
	return rn_client_qp_put(qp, &wqe);
}
