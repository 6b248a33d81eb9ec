/* Which clients are members of which multicast group? */
#ifndef RN_MEMBER_H
#define RN_MEMBER_H

#include <stdint.h>

#include "rn/abi.h"
#include "switch/client_set.h"

struct rn_member_group {
	struct rn_gid gid;
	struct rn_client_set members; /* empty: the entry is free */
};

struct rn_members {
	struct rn_member_group *of;
	uint32_t max;
	uint32_t share; /* maximum number of groups of one client */
};

int rn_members_create(struct rn_members *m, uint32_t max, uint32_t share);
void rn_members_destroy(struct rn_members *m);

/* Makes the client a member. Returns 0, also if the client is a member already, -EINVAL if gid
 * is no multicast address, or -ENOSPC if the table or the client's share is full. */
int rn_members_join(struct rn_members *m, unsigned client, const struct rn_gid *gid);
/* Returns 0, or -ENOENT if the client is no member. */
int rn_members_leave(struct rn_members *m, unsigned client, const struct rn_gid *gid);
void rn_members_remove_client(struct rn_members *m, unsigned client);
/* Returns the members of the group, or NULL if there are none. */
const struct rn_client_set *rn_members_find(const struct rn_members *m, const struct rn_gid *gid);

#endif
