/* A linear table: an adapter has few groups (RN_GROUPS in a shard). */
#include "switch/member.h"

#include <errno.h>
#include <stdlib.h>

#include "net/group.h"
#include "wire/frame.h"

int rn_members_create(struct rn_members *m, uint32_t max, uint32_t share)
{
	*m = (struct rn_members){.of = calloc(max, sizeof(*m->of)), .max = max, .share = share};
	return m->of ? 0 : -ENOMEM;
}

void rn_members_destroy(struct rn_members *m)
{
	free(m->of);
	m->of = NULL;
}

static struct rn_member_group *find(const struct rn_members *m, const struct rn_gid *gid)
{
	for (uint32_t i = 0; i < m->max; i++)
		if (!rn_client_set_empty(&m->of[i].members) && rn_gid_equal(&m->of[i].gid, gid))
			return &m->of[i];
	return NULL;
}

int rn_members_join(struct rn_members *m, unsigned client, const struct rn_gid *gid)
{
	struct rn_member_group *g = find(m, gid);
	uint32_t own = 0;

	if (!rn_gid_is_group(gid))
		return -EINVAL;
	if (g && rn_client_set_has(&g->members, client))
		return 0;
	for (uint32_t i = 0; i < m->max; i++) {
		own += rn_client_set_has(&m->of[i].members, client);
		if (!g && rn_client_set_empty(&m->of[i].members))
			g = &m->of[i];
	}
	if (!g || own >= m->share)
		return -ENOSPC;
	g->gid = *gid;
	rn_client_set_add(&g->members, client);
	return 0;
}

int rn_members_leave(struct rn_members *m, unsigned client, const struct rn_gid *gid)
{
	struct rn_member_group *g = find(m, gid);

	if (!g || !rn_client_set_has(&g->members, client))
		return -ENOENT;
	rn_client_set_remove(&g->members, client);
	return 0;
}

void rn_members_remove_client(struct rn_members *m, unsigned client)
{
	for (uint32_t i = 0; i < m->max; i++)
		rn_client_set_remove(&m->of[i].members, client);
}

const struct rn_client_set *rn_members_find(const struct rn_members *m, const struct rn_gid *gid)
{
	const struct rn_member_group *g = find(m, gid);

	return g ? &g->members : NULL;
}
