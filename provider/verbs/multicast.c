/* Multicast groups that UD QPs have joined. The NIC delivers the datagrams; this file remembers the
 * groups of each QP, because the kernel lets no QP be destroyed that is still attached. Any thread
 * may call these functions. */
#include "verbs/private.h"

#include <stdlib.h>
#include <string.h>

struct vb_group {
	struct vb_group *next;
	struct rn_gid gid;
};

/* Returns the pointer that points to the group's entry, or to NULL at the end of the list. */
static struct vb_group **find(struct vb_qp *qp, const struct rn_gid *gid)
{
	struct vb_group **at = &qp->groups;

	while (*at != NULL && memcmp(&(*at)->gid, gid, sizeof(*gid)) != 0)
		at = &(*at)->next;
	return at;
}

static int attach(struct vb_qp *qp, const struct rn_gid *gid)
{
	struct vb_group **at = find(qp, gid), *group;
	int rc;

	if (*at != NULL)
		return 0;
	group = calloc(1, sizeof(*group));
	if (group == NULL)
		return ENOMEM;
	group->gid = *gid;
	rc = vb_errno(vb_engine.qp_attach(qp->nic, gid));
	if (rc == 0)
		*at = group;
	else
		free(group);
	return rc;
}

static int detach(struct vb_qp *qp, const struct rn_gid *gid)
{
	struct vb_group **at = find(qp, gid), *group = *at;
	int rc;

	if (group == NULL)
		return EINVAL;
	rc = vb_errno(vb_engine.qp_detach(qp->nic, gid));
	if (rc != 0)
		return rc;
	*at = group->next;
	free(group);
	return 0;
}

static int change(struct ibv_qp *qp, const union ibv_gid *group,
		  int (*fn)(struct vb_qp *qp, const struct rn_gid *gid))
{
	struct rn_gid gid;
	int rc;

	OS_REFUSE_CHILD(EIO);
	memcpy(&gid, group, sizeof(gid));
	pthread_mutex_lock(&qp->mutex);
	rc = fn((struct vb_qp *)qp, &gid);
	pthread_mutex_unlock(&qp->mutex);
	return rc;
}

/* Ethernet has no LIDs: `lid` is ignored (IBTA vol. 1, A16.3.1). */
int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return change(qp, gid, attach);
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return change(qp, gid, detach);
}
