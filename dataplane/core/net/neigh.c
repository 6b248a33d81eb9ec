/* Which destination MAC do packets for an address have? Owns the neighbour table: a fixed number of
 * entries, a hash table and two lists. Local entries are listed by last use, foreign entries by age
 * (neigh.h). rn_neigh_tx() in neigh_msg.c sends all probes. Runs on shard 0.
 *
 * States of an entry:
 * - ASKING: no reply yet.
 * - READY: the MAC is known.
 * - FAILED: the last probe had no reply.
 * - REFRESHING: the MAC is older than neigh_reachable or in doubt. The MAC is probed again, and
 *   packets still use it. */
#include "net/neigh.h"

#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "net/group.h"
#include "net/neigh_priv.h"

const uint8_t rn_neigh_broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const struct rn_gid unspecified;

/* Returns the source address of probes for `hop`. This is src if src is an address of this NIC, src
 * and hop have the same family, and hop is not link-local. Otherwise returns the NIC's best source
 * address for hop. */
static struct rn_gid asker(const struct rn_neigh *n, const struct rn_gid *src,
			   const struct rn_gid *hop)
{
	struct rn_gid own = *src;

	if (rn_gid_is_link_local(hop) || rn_port_own(&n->port, src) < 0 ||
	    !rn_gid_same_family(src, hop))
		rn_port_source(&n->port, hop, &own);
	return own;
}

static uint64_t hash_of(const struct rn_neigh *n, const struct rn_gid *addr)
{
	return rn_secret_hash(&n->secret, addr->b, sizeof(addr->b));
}

static struct rn_nbr *find(const struct rn_neigh *n, const struct rn_gid *addr)
{
	for (struct rn_hnode *h = rn_htab_first(&n->table, hash_of(n, addr)); h;
	     h = rn_htab_next(h)) {
		struct rn_nbr *e = rn_container_of(h, struct rn_nbr, node);

		if (rn_gid_equal(&e->addr, addr))
			return e;
	}
	return NULL;
}

/* Makes the entry local (neigh.h) and the most recently used. */
static void touch(struct rn_neigh *n, struct rn_nbr *e)
{
	e->ours = true;
	rn_list_del(&e->use);
	rn_list_add_tail(&n->used, &e->use);
}

/* Queues the entry, so that rn_neigh_changed() reports it. */
static void tell(struct rn_neigh *n, struct rn_nbr *e)
{
	rn_list_del(&e->changed);
	rn_list_add_tail(&n->changed, &e->changed);
	n->epoch++;
}

/* Removes the entry from the table. */
static void forget(struct rn_neigh *n, struct rn_nbr *e)
{
	rn_htab_del(&n->table, &e->node);
	rn_timer_cancel(&n->wheel, &e->timer);
	rn_list_del(&e->changed);
	rn_list_del(&e->owed);
	rn_list_del(&e->use);
	rn_list_add_tail(&n->free, &e->use);
	n->count--;
}

/* Frees an entry for a new one: the oldest foreign entry. If there is none and the new entry is
 * local (for_us), frees the longest unused local entry that is not static, held or ASKING. Returns
 * false if no entry can be freed. */
static bool evict_one(struct rn_neigh *n, bool for_us)
{
	struct rn_list *pos;

	if (!rn_list_empty(&n->strangers)) {
		forget(n, rn_container_of(n->strangers.next, struct rn_nbr, use));
		return true;
	}
	if (!for_us)
		return false;
	rn_list_for_each(pos, &n->used)
	{
		struct rn_nbr *e = rn_container_of(pos, struct rn_nbr, use);

		if (!e->fixed && !e->holds && e->state != RN_NBR_ASKING) {
			forget(n, e);
			return true;
		}
	}
	return false;
}

static struct rn_nbr *new_entry(struct rn_neigh *n, const struct rn_gid *addr,
				const struct rn_gid *probe_src, bool ours)
{
	struct rn_list *l;
	struct rn_nbr *e;

	if (rn_list_empty(&n->free) && !evict_one(n, ours))
		return NULL;
	l = rn_list_pop(&n->free);
	e = rn_container_of(l, struct rn_nbr, use);
	e->addr = *addr;
	e->probe_src = *probe_src;
	e->asked = 0;
	e->fixed = false;
	e->ours = ours;
	e->holds = 0;
	rn_htab_add(&n->table, &e->node, hash_of(n, addr));
	rn_list_add_tail(ours ? &n->used : &n->strangers, &e->use);
	n->count++;
	return e;
}

/* Queues a probe and starts the timer for its reply. */
static void ask(struct rn_neigh *n, struct rn_nbr *e, rn_time now)
{
	e->asked++;
	rn_list_del(&e->owed);
	rn_list_add_tail(&n->owed, &e->owed);
	rn_timer_arm(&n->wheel, &e->timer, now + n->retry);
}

/* Starts a round of probes in the state ASKING or REFRESHING. In REFRESHING, the first e->direct
 * probes go to the known MAC, and further probes are broadcast. Sets e->direct to 1; the caller may
 * then set another number. */
static void start_probing(struct rn_neigh *n, struct rn_nbr *e, enum rn_nbr_state state,
			  rn_time now)
{
	e->state = state;
	e->asked = e->stuck = 0;
	e->direct = 1;
	ask(n, e, now);
}

/* Sets the MAC and makes the entry READY. rn_neigh_changed() will report a new or changed MAC, but
 * not a confirmed MAC. */
static void settle(struct rn_neigh *n, struct rn_nbr *e, const uint8_t mac[6], rn_time now)
{
	bool news = e->state == RN_NBR_ASKING || e->state == RN_NBR_FAILED ||
		    memcmp(e->mac, mac, 6) != 0;

	memcpy(e->mac, mac, 6);
	e->state = RN_NBR_READY;
	e->confirmed = now;
	rn_timer_cancel(&n->wheel, &e->timer);
	rn_list_del(&e->owed);
	if (news)
		tell(n, e);
}

/* Returns true if the entry has a MAC that packets may use. */
static bool has_usable_mac(const struct rn_nbr *e)
{
	return e->state == RN_NBR_READY || e->state == RN_NBR_REFRESHING;
}

/* Returns true if the entry's MAC is being refreshed and a broadcast probe has been queued or
 * sent. */
static bool is_broadcasting(const struct rn_nbr *e)
{
	return e->state == RN_NBR_REFRESHING && e->asked > e->direct;
}

/* Handles a message that gives the entry's address another MAC. Probes the known MAC several times,
 * because probes can be lost, but leaves one probe for the broadcast. */
static void dispute(struct rn_neigh *n, struct rn_nbr *e, rn_time now)
{
	if (is_broadcasting(e))
		return;
	if (e->state == RN_NBR_READY)
		start_probing(n, e, RN_NBR_REFRESHING, now);
	e->direct = (uint8_t)RN_MIN(RN_NEIGH_DISPUTE, n->probes - 1);
}

bool rn_neigh_update(struct rn_neigh *n, const struct rn_gid *addr, const uint8_t mac[6],
		     enum rn_nbr_source how, rn_time now)
{
	static const uint8_t no_mac[6];
	struct rn_nbr *e;

	/* Ignore a message whose MAC is zero or a group MAC. Also ignore a message whose address
	 * belongs to this NIC or is not that of a host. */
	if ((mac[0] & 1) || memcmp(mac, no_mac, 6) == 0 || !rn_gid_is_host(addr) ||
	    rn_port_own(&n->port, addr) >= 0)
		return false;
	e = find(n, addr);
	/* A neighbour that asks for an address of this NIC is likely to send packets next, so make
	 * an entry. */
	if (!e && how == RN_NBR_REQUEST && rn_port_on_link(&n->port, addr)) {
		struct rn_gid probe_src = asker(n, &unspecified, addr);

		e = new_entry(n, addr, &probe_src, false);
		if (e)
			e->state = RN_NBR_ASKING;
	}
	if (!e || e->fixed)
		return false;
	/* Another MAC than the known one is accepted only from the reply to a broadcast probe. */
	if (has_usable_mac(e) && memcmp(e->mac, mac, 6) != 0 &&
	    !(how == RN_NBR_REPLY && is_broadcasting(e))) {
		if (how != RN_NBR_NO_OVERRIDE)
			dispute(n, e, now);
		return false;
	}
	settle(n, e, mac, now);
	return true;
}

/* Writes the destination MAC of a group or of an IPv4 broadcast address. */
static void group_mac(const struct rn_gid *g, uint8_t mac[6])
{
	if (rn_gid_is_ipv4(g) && g->b[12] == 0xff)
		memcpy(mac, rn_neigh_broadcast, 6);
	else
		rn_group_mac(g, mac);
}

/* An address of this NIC, a group or broadcast needs no entry. For such a hop, sets mac and returns
 * true. */
static bool needs_no_entry(const struct rn_neigh *n, const struct rn_gid *hop, uint8_t mac[6])
{
	if (rn_port_own(&n->port, hop) >= 0)
		memcpy(mac, n->port.mac, 6);
	else if (!rn_gid_is_host(hop))
		group_mac(hop, mac);
	else
		return false;
	return true;
}

/* Returns the entry for the next hop of dst, or NULL if there is none. */
static struct rn_nbr *entry_of(struct rn_neigh *n, const struct rn_gid *dst)
{
	struct rn_gid hop;

	return rn_port_next_hop(&n->port, dst, &hop) ? find(n, &hop) : NULL;
}

enum rn_neigh_state rn_neigh_known(struct rn_neigh *n, const struct rn_gid *dst, uint8_t mac[6])
{
	struct rn_gid hop;
	struct rn_nbr *e;

	if (!rn_port_next_hop(&n->port, dst, &hop))
		return RN_NEIGH_FAILED;
	if (needs_no_entry(n, &hop, mac))
		return RN_NEIGH_READY;
	e = find(n, &hop);
	if (!e || !has_usable_mac(e))
		return RN_NEIGH_PENDING;
	memcpy(mac, e->mac, 6);
	return RN_NEIGH_READY;
}

struct rn_nbr *rn_neigh_hold(struct rn_neigh *n, const struct rn_gid *dst)
{
	struct rn_nbr *e = entry_of(n, dst);

	if (e) {
		e->holds++;
		touch(n, e);
	}
	return e;
}

void rn_neigh_release(struct rn_neigh *n, struct rn_nbr *e)
{
	/* An entry that failed while a connection held it has no running timer, so remove the entry
	 * here. */
	if (--e->holds == 0 && e->state == RN_NBR_FAILED && !rn_timer_armed(&e->timer))
		forget(n, e);
}

void rn_neigh_report_again(struct rn_neigh *n, const struct rn_gid *dst)
{
	struct rn_nbr *e = entry_of(n, dst);

	if (e && has_usable_mac(e))
		tell(n, e);
}

enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src,
				     const struct rn_gid *dst, uint8_t mac[6], rn_time now)
{
	struct rn_gid hop, probe_src;
	struct rn_nbr *e;

	if (!rn_port_next_hop(&n->port, dst, &hop))
		return RN_NEIGH_FAILED;
	if (needs_no_entry(n, &hop, mac))
		return RN_NEIGH_READY;
	e = find(n, &hop);
	if (!e) {
		probe_src = asker(n, src, &hop);
		e = new_entry(n, &hop, &probe_src, true);
		if (!e) {
			n->full++;
			return RN_NEIGH_FAILED;
		}
		start_probing(n, e, RN_NBR_ASKING, now);
		return RN_NEIGH_PENDING;
	}
	touch(n, e);
	switch ((enum rn_nbr_state)e->state) {
	case RN_NBR_ASKING:
		return RN_NEIGH_PENDING;
	case RN_NBR_FAILED:
		/* The last probes failed. To save the network from a flood of probes, send none
		 * until the timer expires. */
		if (rn_timer_armed(&e->timer))
			return RN_NEIGH_FAILED;
		start_probing(n, e, RN_NBR_ASKING, now);
		return RN_NEIGH_PENDING;
	case RN_NBR_READY:
		if (!e->fixed && now - e->confirmed >= n->reachable)
			start_probing(n, e, RN_NBR_REFRESHING, now);
		break;
	case RN_NBR_REFRESHING:
		break;
	}
	memcpy(mac, e->mac, 6);
	return RN_NEIGH_READY;
}

void rn_neigh_probe(struct rn_neigh *n, const struct rn_gid *dst, rn_time now)
{
	struct rn_gid hop;
	struct rn_nbr *e;

	if (!rn_port_next_hop(&n->port, dst, &hop))
		return;
	e = find(n, &hop);
	if (!e || e->fixed || e->state != RN_NBR_READY || now - e->confirmed < n->retry)
		return;
	start_probing(n, e, RN_NBR_REFRESHING, now);
	e->direct = 0; /* broadcast the first probe: the known MAC does not answer */
}

bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6],
		      enum rn_neigh_state *state)
{
	struct rn_list *l = rn_list_pop(&n->changed);
	struct rn_nbr *e;

	if (!l)
		return false;
	e = rn_container_of(l, struct rn_nbr, changed);
	*addr = e->addr;
	memcpy(mac, e->mac, 6);
	*state = e->state == RN_NBR_FAILED   ? RN_NEIGH_FAILED
		 : e->state == RN_NBR_ASKING ? RN_NEIGH_PENDING
					     : RN_NEIGH_READY;
	return true;
}

uint64_t rn_neigh_epoch(const struct rn_neigh *n)
{
	return n->epoch;
}

unsigned rn_neigh_count(const struct rn_neigh *n)
{
	return n->count;
}

uint64_t rn_neigh_dropped(const struct rn_neigh *n)
{
	return n->dropped;
}

rn_time rn_neigh_next(const struct rn_neigh *n)
{
	return rn_wheel_next(&n->wheel);
}

/* Returns true if the timer of e has expired but its last probe is still queued: the Ethernet link
 * is coming up, and the NIC takes no frames. Every RN_NEIGH_STUCK-th time, returns false, so that
 * the probe counts as unanswered. */
static bool probe_not_sent(struct rn_nbr *e)
{
	return !rn_list_empty(&e->owed) && ++e->stuck % RN_NEIGH_STUCK != 0;
}

void rn_neigh_tick(struct rn_neigh *n, rn_time now)
{
	struct rn_timer *t;

	while ((t = rn_wheel_expire(&n->wheel, now))) {
		struct rn_nbr *e = rn_container_of(t, struct rn_nbr, timer);

		if (e->state == RN_NBR_FAILED) {
			/* Keep an entry that a connection holds. The next rn_neigh_resolve() probes
			 * again. */
			if (!e->holds)
				forget(n, e);
		} else if (probe_not_sent(e)) {
			rn_timer_arm(&n->wheel, &e->timer, now + n->retry);
		} else if (e->asked < n->probes) {
			ask(n, e, now);
		} else {
			e->state = RN_NBR_FAILED;
			rn_list_del(&e->owed);
			rn_timer_arm(&n->wheel, &e->timer, now + n->retry);
			tell(n, e);
		}
	}
}

/* Handles an entry whose address no longer belongs to a neighbour. Removes the entry, or makes the
 * entry FAILED if a connection holds it. */
static void lose(struct rn_neigh *n, struct rn_nbr *e)
{
	n->epoch++; /* makes waiting connections resolve the MAC again */
	if (!e->holds) {
		forget(n, e);
		return;
	}
	e->state = RN_NBR_FAILED;
	rn_timer_cancel(&n->wheel, &e->timer);
	rn_list_del(&e->owed);
	rn_list_del(&e->changed);
}

/* Checks the entries in the list after a change of the NIC's addresses. Removes an entry whose
 * address is now the NIC's own or in no subnet of the NIC. Replaces a source address of probes that
 * the NIC no longer has. */
static void remove_off_link(struct rn_neigh *n, struct rn_list *list)
{
	struct rn_list *pos, *tmp;

	rn_list_for_each_safe(pos, tmp, list)
	{
		struct rn_nbr *e = rn_container_of(pos, struct rn_nbr, use);

		if (e->fixed)
			continue;
		if (rn_port_own(&n->port, &e->addr) >= 0 || !rn_port_on_link(&n->port, &e->addr)) {
			lose(n, e);
		} else if (rn_port_own(&n->port, &e->probe_src) < 0) {
			e->probe_src = asker(n, &unspecified, &e->addr);
		}
	}
}

void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now)
{
	bool all = memcmp(n->port.mac, port->mac, 6) != 0;
	uint32_t announce = 0;

	/* Announce the new addresses of the NIC. If the MAC is new, announce all addresses. */
	for (int i = 0; i < port->ngids; i++)
		if (all || rn_port_own(&n->port, &port->gids[i]) < 0)
			announce |= 1u << i;
	n->port = *port;
	n->announce = announce;
	/* Drop queued replies: they have the old MAC, or they come from an address that may be
	 * gone. */
	n->answer_count = n->echo_count = 0;
	remove_off_link(n, &n->used);
	remove_off_link(n, &n->strangers);
}

static_assert(RN_PORT_GIDS < 32, "a bit for each address");

static uint32_t all_own(const struct rn_neigh *n)
{
	return (1u << n->port.ngids) - 1;
}

void rn_neigh_announce(struct rn_neigh *n)
{
	n->announce = all_own(n);
}

uint64_t rn_neigh_full(const struct rn_neigh *n)
{
	return n->full;
}

uint64_t rn_neigh_conflicts(const struct rn_neigh *n)
{
	return n->conflicts;
}

/* Adds the configured neighbours; n->max has room for all of them. */
static void add_static(struct rn_neigh *n, const struct rn_core_cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->nstatic_neigh; i++) {
		const struct rn_static_neigh *s = &cfg->static_neigh[i];
		struct rn_nbr *e = find(n, &s->addr);

		if (!e)
			e = new_entry(n, &s->addr, &unspecified, true);
		e->state = RN_NBR_READY;
		e->fixed = true;
		memcpy(e->mac, s->mac, 6);
	}
}

struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 rn_time now)
{
	struct rn_neigh *n = calloc(1, sizeof(*n));
	uint32_t buckets;

	if (!n)
		return NULL;
	n->max = RN_MAX(cfg->max_neigh, 1u) + cfg->nstatic_neigh;
	buckets = rn_pow2_up(n->max);
	n->entries = calloc(n->max, sizeof(*n->entries));
	n->buckets = calloc(buckets, sizeof(*n->buckets));
	n->echoes = calloc(RN_NEIGH_ECHOES, sizeof(*n->echoes));
	if (!n->entries || !n->buckets || !n->echoes) {
		rn_neigh_destroy(n);
		return NULL;
	}
	n->port = *port;
	/* dispute() needs at least two probes: one for the known MAC and one for the broadcast. */
	n->probes = RN_MAX(cfg->neigh_probes, 2);
	n->retry = RN_MAX(cfg->neigh_retry, RN_MS(1));
	n->reachable = cfg->neigh_reachable;
	n->secret = cfg->secrets.of[RN_SECRET_NEIGH_TABLE];
	rn_htab_init(&n->table, n->buckets, buckets);
	rn_list_init(&n->used);
	rn_list_init(&n->strangers);
	rn_list_init(&n->free);
	rn_list_init(&n->changed);
	rn_list_init(&n->owed);
	rn_wheel_init(&n->wheel, now);
	for (uint32_t i = 0; i < n->max; i++) {
		struct rn_nbr *e = &n->entries[i];

		rn_list_init(&e->changed);
		rn_list_init(&e->owed);
		rn_list_init(&e->use);
		rn_timer_init(&e->timer);
		rn_list_add_tail(&n->free, &e->use);
	}
	add_static(n, cfg);
	rn_neigh_announce(n);
	return n;
}

void rn_neigh_destroy(struct rn_neigh *n)
{
	if (!n)
		return;
	free(n->echoes);
	free(n->buckets);
	free(n->entries);
	free(n);
}
