/* Multicast groups. Joining is local: switches are told nothing (rn_client_qp_attach()). librdmacm
 * attaches the id's queue pair when it takes the event. The callers hold the lock. */
#include "ucma/ucma.h"

#include <stdlib.h>
#include <string.h>

#define HOPS_TO_GROUP 1 /* of datagrams to a group, as in Linux */

static bool is_group(const union ucma_addr *addr)
{
	return addr->sa.sa_family == AF_INET ? IN_MULTICAST(ntohl(addr->in.sin_addr.s_addr))
					     : IN6_IS_ADDR_MULTICAST(&addr->in6.sin6_addr);
}

static int report(struct ucma_group *group, const struct rn_gid *gid)
{
	struct ucma_id *id = group->id;
	struct rn_av av = {.sgid = id->sgid, .dgid = *gid, .hop_limit = HOPS_TO_GROUP};
	struct ucma_event *out = ucma_event_new(id, UCMA_MULTICAST_JOIN, 0);
	struct rdma_ucm_ud_param *ud;

	if (out == NULL)
		return ENOMEM;
	out->group = group;
	out->resp.uid = group->uid;
	out->resp.id = group->handle;
	ud = &out->resp.param.ud;
	ud->qp_num = RN_QPN_GROUP;
	ud->qkey = RN_UDP_QKEY;
	av.tclass = id->tos;
	ucma_attr_ah(id->adapter, &av, &ud->ah_attr);
	ucma_event_send(out);
	return 0;
}

static int join(struct ucma_call *call, uint32_t handle, uint64_t uid, const union ucma_addr *addr)
{
	static uint32_t last;
	struct rn_gid gid;
	struct ucma_group *group;
	struct ucma_id *id;
	int rc = ucma_call_id(call, handle, true, &id);

	if (rc != 0)
		return rc;
	if ((id->state != UCMA_BOUND && id->state != UCMA_ADDR_KNOWN) ||
	    id->qp_type != IBV_QPT_UD || !is_group(addr))
		return EINVAL;
	group = calloc(1, sizeof(*group));
	if (group == NULL)
		return ENOMEM;
	*group = (struct ucma_group){.id = id, .handle = ++last, .uid = uid};
	gid = ucma_addr_gid(addr);
	rc = report(group, &gid);
	if (rc != 0) {
		free(group);
		return rc;
	}
	group->next = id->groups;
	id->groups = group;
	call->out.create_id.id = group->handle;
	return 0;
}

/* ---- commands ---- */

int ucma_join_ip(struct ucma_call *call)
{
	const struct rdma_ucm_join_ip_mcast *cmd = &call->in.join_ip_mcast;
	union ucma_addr addr = {.in6 = cmd->addr};

	return ucma_addr_size(&addr) == 0 ? EINVAL : join(call, cmd->id, cmd->uid, &addr);
}

int ucma_join_addr(struct ucma_call *call)
{
	const struct rdma_ucm_join_mcast *cmd = &call->in.join_mcast;
	union ucma_addr addr;

	memcpy(&addr, &cmd->addr, sizeof(addr));
	if (ucma_addr_size(&addr) == 0 || cmd->addr_size != ucma_addr_size(&addr) ||
	    cmd->join_flags >= 1 << RDMA_MC_JOIN_FLAG_RESERVED)
		return EINVAL;
	return join(call, cmd->id, cmd->uid, &addr);
}

int ucma_leave(struct ucma_call *call)
{
	struct ucma_group *group = NULL, **from = NULL;
	struct ucma_id *id;
	uint32_t at = 0;

	while (group == NULL && (id = ucma_id_next(&at)) != NULL)
		for (from = &id->groups; (group = *from) != NULL; from = &group->next)
			if (group->handle == call->in.destroy_id.id)
				break;
	if (group == NULL)
		return ENOENT;
	if (group->id->file != call->file)
		return EINVAL;
	if (group->id->state == UCMA_ADAPTER_REMOVED)
		return ENXIO;
	ucma_event_withdraw(group->id, group);
	*from = group->next;
	call->out.destroy_id.events_reported = group->events_reported;
	free(group);
	return 0;
}
