/* Which queue pairs does this client have, and about which of them does the daemon know? Owns the
 * records. Runs in control threads and in the watcher thread. */
#include "nic/daemon_pairs.h"

#include <stdlib.h>

#include "wire/frame.h"

void rn_daemon_pairs_init(struct rn_daemon_pairs *r, struct rn_daemon_link *link)
{
	r->link = link;
	rn_htab_init(&r->pairs, r->bucket[0], RN_DAEMON_PAIRS_BUCKETS);
	rn_htab_init(&r->peers, r->bucket[1], RN_DAEMON_PAIRS_BUCKETS);
}

void rn_daemon_pairs_fini(struct rn_daemon_pairs *r)
{
	for (unsigned i = 0; i < RN_DAEMON_PAIRS_BUCKETS; i++)
		while (r->pairs.bucket[i] != NULL) {
			struct rn_hnode *n = r->pairs.bucket[i];

			rn_htab_del(&r->pairs, n);
			free(rn_container_of(n, struct rn_daemon_pair, node));
		}
}

struct rn_daemon_pair *rn_daemon_pair_create(void)
{
	return calloc(1, sizeof(struct rn_daemon_pair));
}

void rn_daemon_pairs_add(struct rn_daemon_pairs *r, struct rn_daemon_pair *pair, uint32_t qpn)
{
	pair->qpn = qpn;
	rn_htab_add(&r->pairs, &pair->node, rn_hash_u64(qpn));
}

struct rn_daemon_pair *rn_daemon_pairs_find(const struct rn_daemon_pairs *r, uint32_t qpn)
{
	for (struct rn_hnode *n = rn_htab_first(&r->pairs, rn_hash_u64(qpn)); n != NULL;
	     n = rn_htab_next(n)) {
		struct rn_daemon_pair *p = rn_container_of(n, struct rn_daemon_pair, node);

		if (p->qpn == qpn)
			return p;
	}
	return NULL;
}

static uint64_t hash_peer(const struct rn_daemon_claim *claim)
{
	return rn_hash_bytes(&claim->dst, sizeof(claim->dst), claim->remote_qpn);
}

/* Several queue pairs of this adapter may send to one queue pair of a peer. */
static bool is_announced(const struct rn_daemon_pairs *r, const struct rn_daemon_claim *claim)
{
	for (struct rn_hnode *n = rn_htab_first(&r->peers, hash_peer(claim)); n != NULL;
	     n = rn_htab_next(n)) {
		const struct rn_daemon_pair *p = rn_container_of(n, struct rn_daemon_pair, by_peer);

		if (p->claim.remote_qpn == claim->remote_qpn &&
		    rn_gid_equal(&p->claim.dst, &claim->dst))
			return true;
	}
	return false;
}

void rn_daemon_pairs_withdraw(struct rn_daemon_pairs *r, struct rn_daemon_pair *p)
{
	if (p == NULL || !p->announced)
		return;
	rn_htab_del(&r->peers, &p->by_peer);
	p->announced = false;
	if (!is_announced(r, &p->claim))
		rn_daemon_link_unclaim(r->link, p->claim.remote_qpn, &p->claim.dst);
}

void rn_daemon_pairs_remove(struct rn_daemon_pairs *r, uint32_t qpn)
{
	struct rn_daemon_pair *p = rn_daemon_pairs_find(r, qpn);

	if (p == NULL)
		return;
	rn_daemon_pairs_withdraw(r, p);
	rn_htab_del(&r->pairs, &p->node);
	free(p);
}

void rn_daemon_pairs_announce(struct rn_daemon_pairs *r, const struct rn_daemon_claim *claim)
{
	rn_daemon_link_announce(r->link, claim);
}

void rn_daemon_pairs_connected(struct rn_daemon_pairs *r, struct rn_daemon_pair *p,
			       const struct rn_daemon_claim *claim)
{
	struct rn_daemon_pair former = *p;

	if (p->announced)
		rn_htab_del(&r->peers, &p->by_peer);
	p->claim = *claim;
	p->announced = true;
	rn_htab_add(&r->peers, &p->by_peer, hash_peer(claim));
	if (former.announced && !is_announced(r, &former.claim))
		rn_daemon_link_unclaim(r->link, former.claim.remote_qpn, &former.claim.dst);
}

void rn_daemon_pairs_refused(struct rn_daemon_pairs *r, const struct rn_daemon_claim *claim)
{
	if (!is_announced(r, claim))
		rn_daemon_link_unclaim(r->link, claim->remote_qpn, &claim->dst);
}

int rn_daemon_pairs_register(struct rn_daemon_pairs *r)
{
	struct rn_daemon_claim of[RN_DAEMON_CLAIMS];
	uint32_t accepted;
	unsigned n = 0;
	int rc = 0;

	for (unsigned i = 0; i < RN_DAEMON_PAIRS_BUCKETS; i++)
		for (struct rn_hnode *h = r->pairs.bucket[i]; h != NULL; h = h->next) {
			const struct rn_daemon_pair *p =
				rn_container_of(h, struct rn_daemon_pair, node);

			if (!p->announced)
				continue;
			of[n++] = p->claim;
			if (n == RN_DAEMON_CLAIMS) {
				rc = rn_daemon_link_claim(r->link, of, n, &accepted);
				n = 0;
			}
		}
	if (n > 0)
		rc = rn_daemon_link_claim(r->link, of, n, &accepted);
	return rn_daemon_link_away(r->link, rc) ? rc : 0;
}
