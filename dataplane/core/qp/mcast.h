/* Multicast: which queue pairs of this shard are members of which group (docs/spec/rocev2.md 1.8).
 * Runs on the shard's thread.
 *
 * The table of each shard has all groups of the NIC. dataplane/port passes a packet for a group to
 * every shard in the group's set `shards`. `member` lists the members on this shard only. The table
 * has a fixed size and is searched linearly, because groups are few. */
#ifndef RN_MCAST_H
#define RN_MCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "rn/abi.h"

struct rn_qp;

struct rn_mcast_group {
	struct rn_gid gid;
	uint32_t shards; /* bit i: the group has members on shard i */
	uint32_t nmembers;
	struct rn_qp *member[RN_GROUP_MEMBERS];
};

struct rn_mcast {
	uint32_t ngroups;
	struct rn_gid gid[RN_GROUPS]; /* gid[i] is the address of group[i] */
	struct rn_mcast_group *group; /* RN_GROUPS groups, allocated by rn_mcast_init() */
};

/* Allocates an empty table of groups. Returns false if there is no memory. */
bool rn_mcast_init(struct rn_mcast *m);
void rn_mcast_fini(struct rn_mcast *m);

/* Adds the QP to the group. Has no effect if the QP is a member already. -EINVAL: gid is no
 * multicast address. -ENOSPC: there is no room for another group or for another member of this
 * group. */
int rn_mcast_attach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid);
/* Removes the QP from the group. -ENOENT: the QP is not a member. */
int rn_mcast_detach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid);
/* Removes the QP from all its groups. */
void rn_mcast_detach_all(struct rn_mcast *m, struct rn_qp *qp);

/* Sets which shards have members (bit i: shard i); 0 means none. The caller keeps the number of
 * groups within RN_GROUPS; a further group is ignored. */
void rn_mcast_shards(struct rn_mcast *m, const struct rn_gid *gid, uint32_t shards);

/* Returns the group with this address, or NULL if no QP of this NIC is a member. */
const struct rn_mcast_group *rn_mcast_find(const struct rn_mcast *m, const struct rn_gid *gid);

/* Returns true if the group has members on this NIC. */
static inline bool rn_mcast_known(const struct rn_mcast *m, const struct rn_gid *gid)
{
	return rn_unlikely(m->ngroups) && rn_mcast_find(m, gid);
}

#endif
