/* Which QPs are members of which multicast group? Owns the table of groups and their members.
 * Commands change the table, received packets do not. Runs on the shard's thread. */
#include "qp/mcast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "net/group.h"
#include "wire/frame.h"
#include "qp/qp.h"

bool rn_mcast_init(struct rn_mcast *m)
{
	m->ngroups = 0;
	m->group = calloc(RN_GROUPS, sizeof(*m->group));
	return m->group;
}

void rn_mcast_fini(struct rn_mcast *m)
{
	free(m->group);
	m->group = NULL;
}

/* Returns the group with this address, or NULL if the group is not in the table. Searches m->gid, a
 * dense array of addresses; a search through the large structs of m->group would touch more
 * memory. */
static struct rn_mcast_group *find(const struct rn_mcast *m, const struct rn_gid *gid)
{
	for (uint32_t i = 0; i < m->ngroups; i++)
		if (rn_gid_equal(&m->gid[i], gid))
			return &m->group[i];
	return NULL;
}

const struct rn_mcast_group *rn_mcast_find(const struct rn_mcast *m, const struct rn_gid *gid)
{
	return find(m, gid);
}

/* Returns the group with this address; adds a group without members if there is none. Returns NULL
 * if the table of groups is full. */
static struct rn_mcast_group *find_or_make(struct rn_mcast *m, const struct rn_gid *gid)
{
	struct rn_mcast_group *g = find(m, gid);

	if (g || m->ngroups == RN_GROUPS)
		return g;
	g = &m->group[m->ngroups];
	g->gid = m->gid[m->ngroups++] = *gid;
	g->shards = g->nmembers = 0;
	return g;
}

/* Removes the group from the table if no shard has members. The last group of the table moves to
 * the free slot. */
static void drop_if_empty(struct rn_mcast *m, struct rn_mcast_group *g)
{
	uint32_t last = m->ngroups - 1;

	if (g->nmembers || g->shards)
		return;
	m->gid[g - m->group] = m->gid[last];
	*g = m->group[last];
	m->ngroups--;
}

/* Returns the index of the QP in g->member, or g->nmembers if the QP is not a member. */
static uint32_t place_of(const struct rn_mcast_group *g, const struct rn_qp *qp)
{
	uint32_t i = 0;

	while (i < g->nmembers && g->member[i] != qp)
		i++;
	return i;
}

int rn_mcast_attach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid)
{
	struct rn_mcast_group *g = rn_gid_is_group(gid) ? find_or_make(m, gid) : NULL;

	if (!g)
		return rn_gid_is_group(gid) ? -ENOSPC : -EINVAL;
	/* The QP is a member already, so attaching it changes nothing. */
	if (place_of(g, qp) < g->nmembers)
		return 0;
	if (g->nmembers == RN_GROUP_MEMBERS)
		return -ENOSPC;
	g->member[g->nmembers++] = qp;
	qp->ngroups++;
	return 0;
}

/* Removes the QP from the group. Removes the group from the table if no shard has members any more.
 * Returns false if the QP was not a member. */
static bool leave(struct rn_mcast *m, struct rn_mcast_group *g, struct rn_qp *qp)
{
	uint32_t i = place_of(g, qp);

	if (i == g->nmembers)
		return false;
	g->member[i] = g->member[--g->nmembers];
	qp->ngroups--;
	drop_if_empty(m, g);
	return true;
}

int rn_mcast_detach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid)
{
	struct rn_mcast_group *g = find(m, gid);

	return g && leave(m, g, qp) ? 0 : -ENOENT;
}

void rn_mcast_detach_all(struct rn_mcast *m, struct rn_qp *qp)
{
	/* Count down, because leave() may move the last group to index i. */
	for (uint32_t i = m->ngroups; i-- && qp->ngroups;)
		leave(m, &m->group[i], qp);
}

void rn_mcast_shards(struct rn_mcast *m, const struct rn_gid *gid, uint32_t shards)
{
	/* If no shard has members (shards is 0), find the group but do not add a group. */
	struct rn_mcast_group *g = shards ? find_or_make(m, gid) : find(m, gid);

	if (!g)
		return;
	g->shards = shards;
	drop_if_empty(m, g);
}
