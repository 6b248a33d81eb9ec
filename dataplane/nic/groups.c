/* Which shards have members of which multicast group? Each shard stores which of its own QPs are
 * members. This file keeps the set of shards per group. After each change, the functions query the
 * changed shard and then update all shards and the port. Runs in control threads, under the control
 * lock. */
#include "nic/groups.h"

#include <errno.h>
#include <string.h>

#include "nic/daemon_service.h"
#include "nic/nic.h"
#include "nic/shard_call.h"

/* ---- calls to the shards and the port ---- */

struct group_query_call {
	struct rn_call call; /* first member: run_group_query() casts `call` to this struct */
	const struct rn_nic_groups *groups;
	bool here[RN_GROUPS];
};

/* Finds out which of the adapter's multicast groups have members in this shard. Runs in the
 * shard. */
static void run_group_query(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	struct group_query_call *c = (struct group_query_call *)call;

	for (unsigned i = 0; i < c->groups->n; i++)
		c->here[i] = rn_shard_group_here(lc->shard, &c->groups->group[i].gid);
}

struct group_update_call {
	struct rn_call call; /* first member: run_group_update() casts `call` to this struct */
	const struct rn_nic_group *group;
};

static void run_group_update(struct rn_call *call, struct rn_lcore *lc, rn_time now)
{
	const struct group_update_call *c = (struct group_update_call *)call;

	rn_shard_group(lc->shard, &c->group->gid, c->group->shards);
}

/* Tells every shard which shards have members of the multicast group. */
static void update_group_shards(struct rn_nic *nic, const struct rn_nic_group *g)
{
	for (unsigned s = 0; s < nic->nshards; s++) {
		struct group_update_call c = {.call.run = run_group_update, .group = g};
		rn_lcore_call(&nic->lcore[s], &c.call);
	}
}

void rn_nic_groups_update_port(struct rn_nic *nic)
{
	uint8_t mac[RN_FILTER_GROUPS][6];
	unsigned n = rn_group_neighbour_macs(&nic->attr, mac);

	for (unsigned i = 0; i < nic->groups.n; i++)
		rn_group_mac(&nic->groups.group[i].gid, mac[n++]);
	rn_port_groups(nic->port, (const uint8_t(*)[6])mac, n);
}

void rn_nic_groups_changed(struct rn_nic *nic, unsigned shard)
{
	struct rn_nic_groups *all = &nic->groups;
	struct group_query_call c = {.call.run = run_group_query, .groups = all};
	uint32_t bit = 1u << shard;
	bool other_groups = false;
	unsigned kept = 0;

	if (all->n == 0)
		return;
	rn_lcore_call(&nic->lcore[shard], &c.call);
	for (unsigned i = 0; i < all->n; i++) {
		struct rn_nic_group g = all->group[i];
		uint32_t shards = c.here[i] ? g.shards | bit : g.shards & ~bit;
		/* The port's list of groups changes when a group gets its first member or loses its
		 * last member. */
		other_groups |= (shards == 0) != (g.shards == 0);
		if (shards != g.shards) {
			g.shards = shards;
			update_group_shards(nic, &g);
		}
		if (shards != 0)
			all->group[kept++] = g;
	}
	all->n = kept;
	if (!other_groups)
		return;
	if (nic->daemon != NULL)
		rn_daemon_service_leave(nic->daemon, all);
	pthread_mutex_lock(&nic->removal); /* prevents the removal of the device during the call */
	rn_nic_groups_update_port(nic);
	pthread_mutex_unlock(&nic->removal);
}

/* ---- the commands ATTACH_GROUP and DETACH_GROUP ---- */

static bool is_known(const struct rn_nic_groups *all, const struct rn_gid *gid)
{
	for (unsigned i = 0; i < all->n; i++)
		if (memcmp(&all->group[i].gid, gid, sizeof(*gid)) == 0)
			return true;
	return false;
}

int rn_nic_group_change(struct rn_nic *nic, const struct rn_cmd *cmd, struct rn_rsp *rsp)
{
	struct rn_nic_groups *all = &nic->groups;
	unsigned shard = rn_qpn_shard(cmd->group.qpn, nic->nshards);
	int rc;

	if (cmd->op == RN_CMD_ATTACH_GROUP && !is_known(all, &cmd->group.gid)) {
		if (!rn_gid_is_group(&cmd->group.gid))
			return -EINVAL;
		if (all->n == RN_GROUPS)
			return -ENOSPC;
		rc = nic->daemon != NULL ? rn_daemon_service_join(nic->daemon, &cmd->group.gid) : 0;
		if (rc != 0)
			return rc;
		all->group[all->n++] = (struct rn_nic_group){.gid = cmd->group.gid};
	}
	rc = rn_nic_exec_in(nic, shard, cmd, rsp);
	/* Call rn_nic_groups_changed() also after a failure: a group added above then has no member
	 * and must be removed again. */
	rn_nic_groups_changed(nic, shard);
	return rc;
}
