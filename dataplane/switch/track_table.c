/* Owns the entries, the hash tables and the lists of each client. */
#include "switch/track_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "switch/obituary.h"
#include "switch/share.h"
#include "wire/frame.h"

#define CLIENTS 256

#define track_of(n, member) rn_container_of(n, struct rn_track, member)

/* ---- creation ---- */

int rn_track_table_create(struct rn_track_table *ct, uint32_t max, uint32_t share,
			  const struct rn_secret *key, rn_time now)
{
	uint32_t nbuckets = 1;

	while (nbuckets < 2 * max)
		nbuckets *= 2;
	*ct = (struct rn_track_table){.of = calloc(max, sizeof(*ct->of)),
				      .max = max,
				      .share = share,
				      .free_at = calloc(max, sizeof(*ct->free_at)),
				      .buckets = calloc(3 * (size_t)nbuckets, sizeof(*ct->buckets)),
				      .key = *key,
				      .client = calloc(CLIENTS, sizeof(*ct->client))};
	rn_list_init(&ct->turns);
	rn_wheel_init(&ct->wheel, now);
	if (!ct->of || !ct->free_at || !ct->buckets || !ct->client) {
		rn_track_table_destroy(ct);
		return -ENOMEM;
	}
	ct->reserved = RN_CLIENT_MAX * rn_share_kept(max);
	rn_htab_init(&ct->by_local, ct->buckets, nbuckets);
	rn_htab_init(&ct->by_remote, ct->buckets + nbuckets, nbuckets);
	rn_htab_init(&ct->by_pair, ct->buckets + 2 * (size_t)nbuckets, nbuckets);
	for (uint32_t i = 0; i < max; i++)
		ct->free_at[ct->nfree++] = max - 1 - i;
	for (unsigned c = 0; c < CLIENTS; c++) {
		rn_list_init(&ct->client[c].entries);
		rn_list_init(&ct->client[c].soft);
		rn_list_init(&ct->client[c].due);
		rn_list_init(&ct->client[c].in_turn);
	}
	return 0;
}

void rn_track_table_destroy(struct rn_track_table *ct)
{
	free(ct->of);
	free(ct->free_at);
	free(ct->buckets);
	free(ct->client);
	ct->of = NULL;
}

/* ---- finding entries ---- */

/* The numbers in the keys come from other hosts, so the hash has a secret key. */
static uint64_t hash(const struct rn_track_table *ct, uint32_t number, const struct rn_gid *peer)
{
	const struct {
		struct rn_gid peer;
		uint32_t number;
	} key = {*peer, number};

	static_assert(sizeof(key) == 20, "no padding, which would be hashed too");
	return rn_secret_hash(&ct->key, &key, sizeof(key));
}

static const struct rn_gid no_peer;

struct rn_track *rn_track_by_local(const struct rn_track_table *ct, uint32_t local_id)
{
	for (struct rn_hnode *n = rn_htab_first(&ct->by_local, hash(ct, local_id, &no_peer)); n;
	     n = rn_htab_next(n))
		if (track_of(n, by_local)->local_id == local_id)
			return track_of(n, by_local);
	return NULL;
}

struct rn_track *rn_track_by_remote(const struct rn_track_table *ct, unsigned client,
				    uint32_t remote_id, const struct rn_gid *peer,
				    enum rn_track_state state)
{
	for (struct rn_hnode *n = rn_htab_first(&ct->by_remote, hash(ct, remote_id, peer)); n;
	     n = rn_htab_next(n)) {
		struct rn_track *t = track_of(n, by_remote);

		if (t->remote_id == remote_id && (state == RN_TRACK_FREE || t->state == state) &&
		    (client == 0 || t->client == client) && rn_gid_equal(&t->way.dst, peer))
			return t;
	}
	return NULL;
}

static struct rn_track *by_pair(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				const struct rn_gid *peer, bool announced)
{
	for (struct rn_hnode *n = rn_htab_first(&ct->by_pair, hash(ct, qpn, peer)); n;
	     n = rn_htab_next(n)) {
		struct rn_track *t = track_of(n, by_pair);

		if (t->remote_qpn == qpn && (client == 0 || t->client == client) &&
		    (t->state == RN_TRACK_PAIR) == announced && rn_gid_equal(&t->way.dst, peer))
			return t;
	}
	return NULL;
}

struct rn_track *rn_track_connected(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				    const struct rn_gid *peer)
{
	return by_pair(ct, client, qpn, peer, false);
}

struct rn_track *rn_track_announced(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				    const struct rn_gid *peer)
{
	return by_pair(ct, client, qpn, peer, true);
}

struct rn_track *rn_track_rival(const struct rn_track_table *ct, unsigned client, uint32_t qpn,
				const struct rn_gid *peer, bool pairs)
{
	for (struct rn_hnode *n = rn_htab_first(&ct->by_pair, hash(ct, qpn, peer)); n;
	     n = rn_htab_next(n)) {
		struct rn_track *t = track_of(n, by_pair);

		if (t->remote_qpn == qpn && t->client != client && t->claimed &&
		    (!pairs || t->state == RN_TRACK_PAIR) && rn_gid_equal(&t->way.dst, peer))
			return t;
	}
	return NULL;
}

/* ---- life of an entry ---- */

static void index_node(struct rn_htab *table, struct rn_hnode *node, bool *in, uint64_t h)
{
	if (*in)
		rn_htab_del(table, node);
	rn_htab_add(table, node, h);
	*in = true;
}

void rn_track_set_local(struct rn_track_table *ct, struct rn_track *t, uint32_t local_id)
{
	t->local_id = local_id;
	index_node(&ct->by_local, &t->by_local, &t->in_local, hash(ct, local_id, &no_peer));
}

void rn_track_set_remote(struct rn_track_table *ct, struct rn_track *t, uint32_t remote_id)
{
	t->remote_id = remote_id;
	index_node(&ct->by_remote, &t->by_remote, &t->in_remote, hash(ct, remote_id, &t->way.dst));
}

void rn_track_set_pair(struct rn_track_table *ct, struct rn_track *t, uint32_t remote_qpn)
{
	t->remote_qpn = remote_qpn;
	index_node(&ct->by_pair, &t->by_pair, &t->in_pair, hash(ct, remote_qpn, &t->way.dst));
}

void rn_track_set_state(struct rn_track_table *ct, struct rn_track *t, enum rn_track_state state)
{
	t->state = (uint8_t)state;
	rn_list_del(&t->soft);
	if (rn_track_rows[state].yields)
		rn_list_add_tail(&ct->client[t->client].soft, &t->soft);
}

/* ---- entries that are due ---- */

void rn_track_make_due(struct rn_track_table *ct, struct rn_track *t)
{
	struct rn_track_client *tc = &ct->client[t->client];

	rn_list_del(&t->due);
	rn_list_add_tail(&tc->due, &t->due);
	if (rn_list_empty(&tc->in_turn))
		rn_list_add_tail(&ct->turns, &tc->in_turn);
}

void rn_track_leave_due(struct rn_track_table *ct, struct rn_track *t)
{
	struct rn_track_client *tc = &ct->client[t->client];

	rn_list_del(&t->due);
	if (rn_list_empty(&tc->due))
		rn_list_del(&tc->in_turn);
}

struct rn_track *rn_track_next_due(struct rn_track_table *ct)
{
	struct rn_track_client *tc;

	if (rn_list_empty(&ct->turns))
		return NULL;
	tc = rn_container_of(ct->turns.next, struct rn_track_client, in_turn);
	rn_list_del(&tc->in_turn);
	rn_list_add_tail(&ct->turns, &tc->in_turn);
	return track_of(tc->due.next, due);
}

/* ---- taking and giving back ---- */

void rn_track_release(struct rn_track_table *ct, struct rn_track *t)
{
	struct rn_track_client *tc = &ct->client[t->client];

	if (t->in_local)
		rn_htab_del(&ct->by_local, &t->by_local);
	if (t->in_remote)
		rn_htab_del(&ct->by_remote, &t->by_remote);
	if (t->in_pair)
		rn_htab_del(&ct->by_pair, &t->by_pair);
	rn_list_del(&t->mine);
	rn_list_del(&t->soft);
	rn_track_leave_due(ct, t);
	rn_timer_cancel(&ct->wheel, &t->timer);
	ct->reserved -= rn_share_unused(tc->count, ct->max);
	tc->count--;
	ct->reserved += rn_share_unused(tc->count, ct->max);
	t->state = RN_TRACK_FREE;
	ct->free_at[ct->nfree++] = (uint32_t)(t - ct->of);
}

/* May the client have one more entry? The entries that are kept for other clients do not count. */
static bool has_room(const struct rn_track_table *ct, const struct rn_track_client *tc)
{
	return tc->count < ct->share &&
	       ct->nfree > ct->reserved - rn_share_unused(tc->count, ct->max);
}

struct rn_track *rn_track_new(struct rn_track_table *ct, unsigned client,
			      const struct rn_mad_way *way)
{
	struct rn_track_client *tc = &ct->client[client];
	struct rn_track *t;

	if (!has_room(ct, tc) && !rn_list_empty(&tc->soft))
		rn_track_release(ct, track_of(tc->soft.next, soft));
	if (!has_room(ct, tc))
		return NULL;
	t = &ct->of[ct->free_at[--ct->nfree]];
	*t = (struct rn_track){.client = (uint8_t)client, .way = *way};
	rn_list_init(&t->soft);
	rn_list_init(&t->due);
	rn_timer_init(&t->timer);
	rn_list_add_tail(&tc->entries, &t->mine);
	ct->reserved -= rn_share_unused(tc->count, ct->max);
	tc->count++;
	ct->reserved += rn_share_unused(tc->count, ct->max);
	return t;
}
