/* Multicast: the MAC of a group, and which queue pairs of this shard are in which group (docs/spec/rocev2.md 1.8).
 *
 * A shard knows every group that has members anywhere on the NIC: what comes for it is handed to all of `shards`. Members
 * are the shard's own queue pairs. Fixed tables, searched from the front: groups are few. Shard thread. */
#ifndef RN_MCAST_H
#define RN_MCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "rn/abi.h"

struct rn_qp;

#define RN_GROUPS        64u  /* of a NIC */
#define RN_GROUP_MEMBERS 128u /* of one group, on one shard */

struct rn_mcast_group {
	struct rn_gid gid;
	uint32_t shards; /* bit i: shard i has members */
	uint32_t nmembers;
	struct rn_qp *member[RN_GROUP_MEMBERS];
};

struct rn_mcast {
	uint32_t ngroups;
	struct rn_gid gid[RN_GROUPS]; /* of group[i] */
	struct rn_mcast_group *group; /* RN_GROUPS of them, from rn_mcast_init() */
};

/* False: no memory. */
bool rn_mcast_init(struct rn_mcast *m);
void rn_mcast_fini(struct rn_mcast *m);

/* A member twice is a member once. -EINVAL: no group; -ENOSPC: as many groups as a NIC has, or members as a group has. */
int rn_mcast_attach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid);
/* -ENOENT: it is no member. */
int rn_mcast_detach(struct rn_mcast *m, struct rn_qp *qp, const struct rn_gid *gid);
/* It leaves all its groups. */
void rn_mcast_forget(struct rn_mcast *m, struct rn_qp *qp);

/* Which shards have members; 0: none. There is room for RN_GROUPS, the caller keeps count. */
void rn_mcast_shards(struct rn_mcast *m, const struct rn_gid *gid, uint32_t shards);

/* NULL: nobody on this NIC is in it. */
const struct rn_mcast_group *rn_mcast_find(const struct rn_mcast *m, const struct rn_gid *gid);

static inline bool rn_mcast_known(const struct rn_mcast *m, const struct rn_gid *gid)
{
	return rn_unlikely(m->ngroups) && rn_mcast_find(m, gid);
}

#endif
