/* Finds the share to which a QP belongs, and the room that the share needs in its CQ. A share is
 * the QPs of one shard that have the same SRQ and the same receive CQ. srq_share.h states the rule
 * for the room. Runs in control threads, under the control lock. */
#include "nic/srq_share.h"

#include <stdlib.h>

#include "nic/objects.h"

struct rn_nic_share *rn_nic_share_find(struct rn_nic_srq *srq, struct rn_nic_cq *cq, unsigned shard,
				       uint64_t *room)
{
	struct rn_nic_share *share = cq->feed[shard].shares;

	while (share != NULL && share->srq != srq)
		share = share->next;
	/* Every QP needs room for one more CQE. The first QP of a share also needs room for the
	 * SRQ's largest depth so far. */
	*room = 1 + (share == NULL ? srq->most : 0);
	if (share != NULL)
		return share;
	share = calloc(1, sizeof(*share));
	if (share != NULL) {
		rn_list_init(&share->of_srq);
		share->srq = srq;
		share->cq = cq;
		share->shard = shard;
	}
	return share;
}

void rn_nic_share_join(struct rn_nic_share *share)
{
	struct rn_nic_feed *f = &share->cq->feed[share->shard];

	/* The first QP puts the share on the lists of the CQ and the SRQ, and makes the CQ keep
	 * room for the SRQ's largest depth so far. Every QP, including the first, adds room for one
	 * CQE. */
	if (share->users++ == 0) {
		share->next = f->shares;
		f->shares = share;
		rn_list_add_tail(&share->srq->shares, &share->of_srq);
		f->depths += share->srq->most;
	}
	f->depths++;
	share->srq->users++;
}

void rn_nic_share_leave(struct rn_nic_share *share)
{
	struct rn_nic_feed *f = &share->cq->feed[share->shard];
	struct rn_nic_share **at = &f->shares;
	uint64_t room = 1 + (share->users == 1 ? share->srq->most : 0);

	/* Move this room from `depths` to `gone`: the ring may still hold unread completions of the
	 * destroyed QP. cq_rings.c keeps room for them. */
	f->depths -= room;
	f->gone += room;
	share->srq->users--;
	if (--share->users > 0)
		return;
	while (*at != share)
		at = &(*at)->next;
	*at = share->next;
	rn_list_del(&share->of_srq);
	free(share);
}

void rn_nic_share_drop(struct rn_nic_share *share)
{
	if (share != NULL && share->users == 0)
		free(share);
}
