/* Addresses and routes of peers: which adapter, which source address, which MAC. The answers are
 * events, as in Linux, even if they are known at once. The callers hold the lock. */
#include "ucma/ucma.h"

#include <string.h>

/* The adapter's first address of a family. */
static const struct rn_gid *first_address(const struct ucma_adapter *adapter, bool v4)
{
	const struct rn_link_info *info = &adapter->device->info;

	for (unsigned i = 0; i < info->ngids; i++)
		if (vb_engine.gid_is_v4(&info->gids[i]) == v4)
			return &info->gids[i];
	return NULL;
}

/* Sets what the resolution has found. */
static void know(struct ucma_id *id, const struct rn_gid *sgid, const struct rn_gid *dgid)
{
	id->sgid = *sgid;
	id->dgid = *dgid;
	if (ucma_addr_is_any(&id->src))
		id->src = ucma_addr_of(sgid, ucma_addr_port(&id->src));
	id->state = UCMA_ADDR_KNOWN;
	ucma_event_post(id, UCMA_ADDR_RESOLVED, 0);
}

static void end_query(struct ucma_id *id, int err, const struct rn_av *av)
{
	if (err == 0) {
		know(id, &av->sgid, &av->dgid);
	} else {
		id->state = UCMA_BOUND;
		/* An id without a source address may find its next peer on another adapter. */
		if (ucma_addr_is_any(&id->src))
			id->adapter = NULL;
		ucma_event_post(id, UCMA_ADDR_ERROR, err);
	}
}

/* Asks the adapter. Returns 0 (an event follows or was sent) or a negative errno. */
static int ask(struct ucma_id *id, const struct rn_gid *own)
{
	struct rn_gid peer = ucma_addr_gid(&id->dst);
	struct rn_av av;
	int rc = vb_engine.av_resolve(id->adapter->nic->client, own, &peer,
				      ucma_id_user(id, id->adapter), &av);

	id->queued = rc == -EAGAIN;
	id->adapter->asking += rc == -EINPROGRESS;
	if (rc == -EAFNOSUPPORT || rc == -EAGAIN)
		return rc;
	if (rc != -EINPROGRESS)
		end_query(id, rc, &av);
	return 0;
}

static const struct rn_gid *source_of(const struct ucma_id *id)
{
	static const struct rn_gid any;

	return ucma_addr_is_any(&id->src) ? &any : &id->sgid;
}

/* Starts the queries that had to wait because the adapter was resolving too many addresses. */
static void ask_for_queued(const struct ucma_adapter *adapter)
{
	struct ucma_id *id;
	uint32_t at = 0;

	while ((id = ucma_id_next(&at)) != NULL) {
		int rc = 0;

		if (id->adapter != adapter || id->state != UCMA_ADDR_QUERY || !id->queued)
			continue;
		rc = ask(id, source_of(id));
		if (rc == -EAGAIN && adapter->asking > 0)
			return;
		if (rc != 0)
			end_query(id, rc, NULL);
	}
}

void ucma_resolved(struct ucma_adapter *adapter, struct ucma_id *id, int err,
		   const struct rn_av *av)
{
	adapter->asking--;
	if (id != NULL && id->state == UCMA_ADDR_QUERY && !id->queued)
		end_query(id, err, av);
	ask_for_queued(adapter);
}

/* The peer is the wildcard or a loopback address: this adapter itself. */
static int resolve_loopback(struct ucma_id *id)
{
	bool v4 = id->src.sa.sa_family == AF_INET;
	struct ucma_adapter *bound = id->adapter;
	const struct rn_gid *own = NULL;
	unsigned n;
	struct ucma_adapter *all = ucma_adapters(&n);
	int rc;

	if (id->adapter != NULL)
		own = &id->sgid;
	for (unsigned i = 0; own == NULL && i < n; i++) {
		own = first_address(&all[i], v4);
		if (own != NULL)
			id->adapter = &all[i];
	}
	if (own == NULL)
		return ENODEV;
	rc = ucma_adapter_start(id->adapter);
	if (rc == 0)
		know(id, own, own);
	else
		id->adapter = bound;
	return rc;
}

static int resolve_peer(struct ucma_id *id)
{
	struct rn_gid peer = ucma_addr_gid(&id->dst);
	struct ucma_adapter *bound = id->adapter;
	int rc;

	if (bound == NULL)
		id->adapter = ucma_adapter_towards(&peer);
	if (id->adapter == NULL)
		return ENETUNREACH;
	rc = ucma_adapter_start(id->adapter);
	if (rc == 0) {
		id->state = UCMA_ADDR_QUERY;
		rc = ask(id, source_of(id));
		if (rc == -EAGAIN && id->adapter->asking > 0)
			return 0;
		if (rc != 0)
			id->state = UCMA_BOUND;
		rc = rc == -EAFNOSUPPORT ? ENETUNREACH : -rc;
	}
	if (rc != 0)
		id->adapter = bound;
	return rc;
}

static int resolve(struct ucma_id *id, const union ucma_addr *src, const union ucma_addr *dst)
{
	union ucma_addr own = {.sa.sa_family = dst->sa.sa_family};
	int rc = 0;

	if (id->state == UCMA_IDLE)
		rc = ucma_bind(id, src->sa.sa_family != 0 ? src : &own);
	if (rc != 0)
		return rc;
	if (id->state != UCMA_BOUND || id->src.sa.sa_family != dst->sa.sa_family)
		return EINVAL;
	memset(&id->dst, 0, sizeof(id->dst));
	memcpy(&id->dst, dst, ucma_addr_size(dst));
	return ucma_addr_is_any(dst) ? resolve_loopback(id) : resolve_peer(id);
}

/* ---- commands ---- */

static int resolve_ids(struct ucma_call *call, uint32_t handle, const union ucma_addr *src,
		       const union ucma_addr *dst)
{
	struct ucma_id *id;
	int rc;

	if (ucma_addr_size(dst) == 0 || (src->sa.sa_family != 0 && ucma_addr_size(src) == 0))
		return EINVAL;
	rc = ucma_call_id(call, handle, false, &id);
	return rc != 0 ? rc : resolve(id, src, dst);
}

int ucma_resolve_ip(struct ucma_call *call)
{
	const struct rdma_ucm_resolve_ip *cmd = &call->in.resolve_ip;
	union ucma_addr src = {.in6 = cmd->src_addr}, dst = {.in6 = cmd->dst_addr};

	return resolve_ids(call, cmd->id, &src, &dst);
}

int ucma_resolve_addr(struct ucma_call *call)
{
	const struct rdma_ucm_resolve_addr *cmd = &call->in.resolve_addr;
	union ucma_addr src, dst;

	memcpy(&src, &cmd->src_addr, sizeof(src));
	memcpy(&dst, &cmd->dst_addr, sizeof(dst));
	if (cmd->src_size == 0)
		memset(&src, 0, sizeof(src));
	if (cmd->reserved != 0 || cmd->dst_size != ucma_addr_size(&dst) ||
	    cmd->src_size != ucma_addr_size(&src))
		return EINVAL;
	return resolve_ids(call, cmd->id, &src, &dst);
}

/* The route of RoCE is known with the address. */
int ucma_resolve_route(struct ucma_call *call)
{
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.resolve_route.id, true, &id);

	if (rc != 0)
		return rc;
	if (id->state != UCMA_ADDR_KNOWN)
		return EINVAL;
	id->state = UCMA_ROUTE_KNOWN;
	ucma_event_post(id, UCMA_ROUTE_RESOLVED, 0);
	return 0;
}
