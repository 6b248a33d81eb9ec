/* Reads completion queues and decides when an armed CQ fires. A CQ that fires notifies its waiters
 * once and is disarmed. Owns the reader's position in the rings of each shard.
 *
 * Each completion causes at most one firing:
 * - rn_client_cq_arm() checks the unread completions that came after the last firing.
 * - rn_client_cq_poll() checks each completion that it takes from an armed CQ.
 * - RN_EVENT_CQ is a hint to check again. A late, early or repeated RN_EVENT_CQ does no harm.
 *
 * Any thread may call these functions. The caller of rn_client_cq_poll(), _arm(), _fired(),
 * _disarm() or _forget() holds the CQ's lock. The caller of rn_client_cq_resize() does not. */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>

int rn_client_cq_create(struct rn_client *client, uint32_t depth, uint64_t affinity, uint64_t user,
			struct rn_client_cq **out)
{
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_CQ, .user = user};
	struct rn_rsp rsp = {0};
	struct rn_client_cq *cq;
	int rc;

	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		return -ENOMEM;
	cmd.create_cq.depth = depth;
	cmd.create_cq.affinity = affinity;
	rc = rn_client_exec(client, &cmd, &rsp);
	if (rc != 0) {
		free(cq);
		return rc;
	}
	cq->client = client;
	cq->id = rsp.id;
	cq->view = client->link->ops->cq_view(client->link, cq->id);
	cq->nfeeds = client->info.shards;
	*out = cq;
	return 0;
}

int rn_client_cq_destroy(struct rn_client_cq *cq)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_CQ, .obj.id = cq->id};
	struct rn_rsp rsp = {0};
	int rc = rn_client_exec(cq->client, &cmd, &rsp);

	if (rc != 0)
		return rc;
	free(cq);
	return 0;
}

uint32_t rn_client_cq_id(const struct rn_client_cq *cq)
{
	return cq->id;
}

void rn_client_cq_lock(struct rn_client_cq *cq)
{
	rn_lock_take(&cq->lock);
}

void rn_client_cq_unlock(struct rn_client_cq *cq)
{
	rn_lock_release(&cq->lock);
}

static bool meets(enum rn_cq_arm armed, const struct rn_cqe *cqe)
{
	if (armed == RN_CQ_ARM_SOLICITED)
		return cqe->flags & (RN_CQE_SOLICITED | RN_CQE_ERROR);
	return armed == RN_CQ_ARM_ANY;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the number of unread entries of a ring. The result is right even after the tail has
 * wrapped at 2^32, because rings are far smaller than 2^32. */
static uint32_t unread_in(const struct rn_cq_ring *ring, uint32_t head)
{
	return atomic_load_explicit(&ring->tail, memory_order_acquire) - head;
}

/* Returns the ring that holds the next unread entry. The producer may write the last entries of a
 * ring and set `next` after this function has read `tail`: so read `tail` again after `next`. Once
 * `next` is set, the producer writes no more entries to this ring. */
static struct rn_cq_ring *reading_ring(struct rn_client_cq *cq, uint32_t shard)
{
	struct rn_client_cq_feed *feed = &cq->feed[shard];
	struct rn_cq_ring *next;
	uint32_t head;

	if (feed->ring == NULL) {
		feed->ring = atomic_load_explicit(&cq->view->first[shard], memory_order_acquire);
		if (feed->ring == NULL)
			return NULL;
	}
	for (;;) {
		head = (uint32_t)(feed->consumed - feed->base);
		if (unread_in(feed->ring, head) != 0)
			return feed->ring;
		next = atomic_load_explicit(&feed->ring->next, memory_order_acquire);
		if (next == NULL || unread_in(feed->ring, head) != 0)
			return feed->ring;
		cq->client->link->ops->cq_ring_done(cq->client->link, cq->id, feed->ring);
		feed->ring = next;
		feed->base = feed->consumed;
	}
}

/* Has the shard written nothing since the last read? Also false if the reader must go on to another
 * ring first. */
static inline bool nothing_new(const struct rn_client_cq_feed *feed)
{
	const struct rn_cq_ring *ring = feed->ring;

	return ring != NULL && unread_in(ring, (uint32_t)(feed->consumed - feed->base)) == 0 &&
	       atomic_load_explicit(&ring->next, memory_order_relaxed) == NULL;
}

/* Does one of the first n entries from index feed->consumed on, copied to cqe, meet the armed
 * condition? */
static bool one_meets(const struct rn_client_cq *cq, const struct rn_client_cq_feed *feed,
		      const struct rn_cqe *cqe, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (feed->consumed + i >= feed->fired && meets(cq->armed, &cqe[i]))
			return true;
	return false;
}

/* Takes up to n entries that the shard has written. */
static __attribute__((noinline)) unsigned take(struct rn_client_cq *cq, uint32_t shard,
					       struct rn_cqe *out, unsigned n, bool *met)
{
	struct rn_client_cq_feed *feed = &cq->feed[shard];
	unsigned got = 0;

	while (got < n) {
		struct rn_cq_ring *ring = feed->ring;
		uint32_t head = (uint32_t)(feed->consumed - feed->base), count = 0;

		if (ring != NULL)
			count = unread_in(ring, head);
		if (count == 0) {
			ring = reading_ring(cq, shard);
			if (ring == NULL)
				break;
			head = (uint32_t)(feed->consumed - feed->base);
			count = unread_in(ring, head);
			if (count == 0)
				break;
		}
		if (count > n - got)
			count = n - got;
		for (uint32_t i = 0; i < count; i++)
			out[got + i] = ring->cqe[(head + i) & ring->mask];
		if (cq->armed != RN_CQ_ARM_NONE && one_meets(cq, feed, out + got, count))
			*met = true;
		got += count;
		feed->consumed += count;
		atomic_store_explicit(&ring->head, head + count, memory_order_release);
		/* Only a ring that was replaced is followed by another one. */
		if (atomic_load_explicit(&ring->next, memory_order_acquire) == NULL)
			break;
	}
	return got;
}

/* Takes up to n entries from several shards, beginning with the shard whose turn it is. */
static __attribute__((noinline)) unsigned
take_from_several(struct rn_client_cq *cq, struct rn_cqe *out, unsigned n, bool *met)
{
	unsigned got = 0;
	uint32_t shard = cq->turn;

	for (uint32_t i = 0; i < cq->nfeeds && got < n; i++) {
		got += take(cq, shard, out + got, n - got, met);
		if (++shard == cq->nfeeds)
			shard = 0;
	}
	return got;
}

static inline unsigned take_from_all(struct rn_client_cq *cq, struct rn_cqe *out, unsigned n,
				     bool *met)
{
	if (cq->nfeeds > 1)
		return take_from_several(cq, out, n, met);
	return nothing_new(&cq->feed[0]) ? 0 : take(cq, 0, out, n, met);
}

/* Returns the index after the last entry that the shard has written. If `met` is not NULL, sets
 * *met if an entry meets the armed condition. Entries that were written before the last firing, or
 * that an earlier scan has checked, are not checked again. */
static uint64_t scan(struct rn_client_cq *cq, uint32_t shard, bool *met)
{
	struct rn_client_cq_feed *feed = &cq->feed[shard];
	struct rn_cq_ring *ring = reading_ring(cq, shard);
	uint64_t at = max_u64(feed->consumed, max_u64(feed->fired, feed->scanned));
	uint64_t base = feed->base;

	while (ring != NULL) {
		struct rn_cq_ring *next = atomic_load_explicit(&ring->next, memory_order_acquire);
		uint64_t end = base + atomic_load_explicit(&ring->tail, memory_order_acquire);

		/* In the ring that is being read the tail may have wrapped at 2^32, and base + tail
		 * is then wrong. So count from the first unread entry, feed->consumed. */
		if (ring == feed->ring)
			end = feed->consumed +
			      unread_in(ring, (uint32_t)(feed->consumed - feed->base));
		for (; met != NULL && at < end; at++)
			if (meets(cq->armed, &ring->cqe[(uint32_t)(at - base) & ring->mask]))
				*met = true;
		base = end;
		ring = next;
	}
	return base;
}

/* Returns the number of unread entries of the CQ. Gives replaced rings without unread entries back
 * to the NIC. */
static uint64_t count_unread(struct rn_client_cq *cq)
{
	uint64_t n = 0;

	for (uint32_t s = 0; s < cq->nfeeds; s++)
		n += scan(cq, s, NULL) - cq->feed[s].consumed;
	return n;
}

int rn_client_cq_resize(struct rn_client_cq *cq, uint32_t depth)
{
	struct rn_cmd cmd = {.op = RN_CMD_RESIZE_CQ, .resize_cq = {cq->id, depth}};
	struct rn_rsp rsp = {0};
	uint64_t unread;
	int rc;

	if (!(cq->client->info.features & RN_LINK_CQ_RESIZE))
		return -EOPNOTSUPP;
	if (depth == 0 || depth > cq->client->info.max_cqe)
		return -EINVAL;
	rn_client_cq_lock(cq);
	unread = count_unread(cq);
	rn_client_cq_unlock(cq);
	if (unread > depth)
		return -EMSGSIZE;
	rc = rn_client_exec(cq->client, &cmd, &rsp);
	if (rc != 0)
		return rc;
	/* Give the empty rings that the resize has replaced back to the NIC. */
	rn_client_cq_lock(cq);
	count_unread(cq);
	rn_client_cq_unlock(cq);
	return 0;
}

static void fire(struct rn_client_cq *cq)
{
	for (uint32_t s = 0; s < cq->nfeeds; s++)
		cq->feed[s].fired = scan(cq, s, NULL);
	cq->armed = RN_CQ_ARM_NONE;
	atomic_store(&cq->view->shared->armed, RN_CQ_ARM_NONE);
}

static bool look(struct rn_client_cq *cq)
{
	bool met = false;

	for (uint32_t s = 0; s < cq->nfeeds; s++)
		cq->feed[s].scanned = scan(cq, s, &met);
	if (met)
		fire(cq);
	return met;
}

unsigned rn_client_cq_poll(struct rn_client_cq *cq, struct rn_cqe *cqe, unsigned n, bool *fired)
{
	struct rn_link *link = cq->client->link;
	bool met = false;
	unsigned got = take_from_all(cq, cqe, n, &met);

	if (got == 0) {
		link->ops->progress(link);
		got = take_from_all(cq, cqe, n, &met);
	}
	if (cq->nfeeds > 1 && ++cq->turn == cq->nfeeds)
		cq->turn = 0;
	if (met)
		fire(cq);
	*fired = met;
	return got;
}

/* Stores the armed condition, then checks the unread entries. A shard publishes its tail, then
 * reads the armed condition. So either this thread sees the shard's new entry, or the shard sees
 * the armed condition. */
static bool arm_and_check(struct rn_client_cq *cq)
{
	atomic_store(&cq->view->shared->armed, cq->armed);
	atomic_thread_fence(memory_order_seq_cst);
	return look(cq);
}

bool rn_client_cq_arm(struct rn_client_cq *cq, enum rn_cq_arm what)
{
	if (what > cq->armed) {
		cq->armed = what;
		for (uint32_t s = 0; s < cq->nfeeds; s++)
			cq->feed[s].scanned = 0;
	}
	return arm_and_check(cq);
}

bool rn_client_cq_fired(struct rn_client_cq *cq)
{
	if (cq->armed == RN_CQ_ARM_NONE)
		return false;
	return arm_and_check(cq);
}

void rn_client_cq_disarm(struct rn_client_cq *cq)
{
	cq->armed = RN_CQ_ARM_NONE;
	atomic_store(&cq->view->shared->armed, RN_CQ_ARM_NONE);
}

/* ---- completions of a queue pair that are no longer wanted ---- */

/* Returns the entry with index `at`, which the shard has written and nobody has read. */
static struct rn_cqe *entry(const struct rn_client_cq_feed *feed, uint64_t at)
{
	struct rn_cq_ring *ring = feed->ring;
	uint64_t base = feed->base;
	uint64_t end = feed->consumed + unread_in(ring, (uint32_t)(feed->consumed - base));

	while (at >= end) {
		base = end;
		ring = atomic_load_explicit(&ring->next, memory_order_acquire);
		end = base + atomic_load_explicit(&ring->tail, memory_order_acquire);
	}
	return &ring->cqe[(uint32_t)(at - base) & ring->mask];
}

/* Marks the next n unread completions of the shard as read. */
static void skip(struct rn_client_cq *cq, uint32_t shard, uint64_t n)
{
	struct rn_client_cq_feed *feed = &cq->feed[shard];

	while (n > 0) {
		struct rn_cq_ring *ring = reading_ring(cq, shard);
		uint32_t head = (uint32_t)(feed->consumed - feed->base);
		uint32_t count = unread_in(ring, head);

		if (count > n)
			count = (uint32_t)n;
		feed->consumed += count;
		atomic_store_explicit(&ring->head, head + count, memory_order_release);
		n -= count;
	}
}

/* Moves the entries that stay to the end of those that are unread, in their order, and skips the
 * places before them. The shard writes only behind the unread entries. */
static void forget_in(struct rn_client_cq *cq, uint32_t shard, uint64_t qp_ctx)
{
	struct rn_client_cq_feed *feed = &cq->feed[shard];
	uint64_t end = scan(cq, shard, NULL), to = end, fired = feed->fired,
		 scanned = feed->scanned;

	for (uint64_t at = end; at-- > feed->consumed;) {
		const struct rn_cqe *cqe = entry(feed, at);

		if (cqe->qp_ctx == qp_ctx) {
			/* The entries that were checked, or written before the last firing, move up
			 * by as many places as are removed behind them. */
			feed->fired += at >= fired;
			feed->scanned += at >= scanned;
		} else if (--to != at) {
			*entry(feed, to) = *cqe;
		}
	}
	skip(cq, shard, to - feed->consumed);
}

void rn_client_cq_forget(struct rn_client_cq *cq, uint64_t qp_ctx)
{
	for (uint32_t s = 0; s < cq->nfeeds; s++)
		forget_in(cq, s, qp_ctx);
}
