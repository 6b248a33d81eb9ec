/* What librdmacm asks about an id: addresses, adapter, path. The callers hold the lock. */
#include "ucma/ucma.h"

#include <endian.h>
#include <infiniband/sa.h>
#include <string.h>

#define PKEY	      0xffff
#define EXACTLY	      2 /* IBTA: a selector that says "exactly" */
#define RATE_100_GBPS 16
#define HEADER	      offsetof(struct ucma_paths, path)
#define LIFE_TIME     16 /* 4.096 us << n: what Linux says of RoCE */

/* Does librdmacm get a path? From the route on, and for connections that arrived. */
static bool has_path(const struct ucma_id *id)
{
	return id->adapter != NULL && id->state >= UCMA_ROUTE_KNOWN && id->state != UCMA_LISTEN;
}

/* Linux derives the life time of a path from the timeout that the program wants. */
static uint8_t life_time(const struct ucma_id *id)
{
	return id->has_timeout && id->ack_timeout > 0 ? (uint8_t)(id->ack_timeout - 1) : LIFE_TIME;
}

static void fill_path(const struct ucma_id *id, struct ib_user_path_rec *path)
{
	memcpy(path->dgid, &id->dgid, sizeof(path->dgid));
	memcpy(path->sgid, &id->sgid, sizeof(path->sgid));
	path->pkey = htobe16(PKEY);
	if (!has_path(id))
		return;
	path->reversible = 1;
	path->numb_path = 1;
	path->traffic_class = id->tos;
	path->hop_limit = 64;
	path->mtu_selector = path->rate_selector = path->packet_life_time_selector = EXACTLY;
	path->mtu = id->adapter->nic->info.max_path_mtu;
	path->rate = RATE_100_GBPS;
	path->packet_life_time = life_time(id);
}

int ucma_query_route(struct ucma_call *call)
{
	struct rdma_ucm_query_route_resp *out = &call->out.route;
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.query.id, false, &id);

	if (rc != 0)
		return rc;
	out->src_addr = id->src.in6;
	out->dst_addr = id->dst.in6;
	if (id->adapter == NULL)
		return 0;
	out->node_guid = ibv_get_device_guid(&id->adapter->device->dev);
	out->ibdev_index = (uint32_t)ibv_get_device_index(&id->adapter->device->dev);
	out->port_num = VB_PORT;
	out->num_paths = has_path(id);
	fill_path(id, &out->ib_route[0]);
	return 0;
}

static void begin_addr(const struct ucma_id *id, struct rdma_ucm_query_addr_resp *out)
{
	if (id->adapter == NULL)
		return;
	out->pkey = htobe16(PKEY);
	out->node_guid = ibv_get_device_guid(&id->adapter->device->dev);
	out->ibdev_index = (uint32_t)ibv_get_device_index(&id->adapter->device->dev);
	out->port_num = VB_PORT;
}

static void query_addr(const struct ucma_id *id, struct ucma_call *call)
{
	struct rdma_ucm_query_addr_resp *out = &call->out.addr;

	begin_addr(id, out);
	out->src_size = (uint16_t)ucma_addr_size(&id->src);
	memcpy(&out->src_addr, &id->src, out->src_size);
	out->dst_size = (uint16_t)ucma_addr_size(&id->dst);
	memcpy(&out->dst_addr, &id->dst, out->dst_size);
}

/* A GID as a socket address; rdma/rdma_cma.h calls this struct sockaddr_ib. */
struct gid_addr {
	uint16_t family;
	uint16_t pkey; /* this member and those below are big endian */
	uint32_t flowinfo;
	uint8_t gid[16];
	uint64_t sid, sid_mask, scope_id; /* Linux leaves out the last two here */
};
#define FAMILY_IB 27 /* AF_IB */

static void fill_gid(const struct ucma_id *id, const struct rn_gid *gid,
		     const union ucma_addr *addr, void *to)
{
	struct gid_addr a = {.family = FAMILY_IB};

	if (id->adapter != NULL)
		a.pkey = htobe16(PKEY);
	memcpy(a.gid, gid, sizeof(a.gid));
	a.sid = htobe64((uint64_t)id->port_space << 16 | ucma_addr_port(addr));
	memcpy(to, &a, sizeof(a));
}

static void query_gid(const struct ucma_id *id, struct ucma_call *call)
{
	struct rdma_ucm_query_addr_resp *out = &call->out.addr;

	begin_addr(id, out);
	out->src_size = out->dst_size = sizeof(struct gid_addr);
	fill_gid(id, &id->sgid, &id->src, &out->src_addr);
	fill_gid(id, &id->dgid, &id->dst, &out->dst_addr);
}

/* The path in the form of the messages of IBTA. */
static void query_path(const struct ucma_id *id, struct ucma_call *call)
{
	struct ucma_paths *out = &call->out.paths;
	struct ib_user_path_rec path = {0};
	struct ibv_path_record packed = {0};

	out->num_paths = has_path(id);
	/* A path is copied whole or not at all, and Linux asks for more room than its bytes. */
	if (!has_path(id) || call->room <= sizeof(*out)) {
		call->answered = HEADER;
		return;
	}
	fill_path(id, &path);
	memcpy(&packed.dgid, path.dgid, sizeof(packed.dgid));
	memcpy(&packed.sgid, path.sgid, sizeof(packed.sgid));
	packed.flowlabel_hoplimit = htobe32(path.hop_limit);
	packed.tclass = path.traffic_class;
	packed.reversible_numpath = IBV_PATH_RECORD_REVERSIBLE | 1;
	packed.pkey = path.pkey;
	packed.mtu = (uint8_t)(EXACTLY << 6 | path.mtu);
	packed.rate = (uint8_t)(EXACTLY << 6 | path.rate);
	packed.packetlifetime = (uint8_t)(EXACTLY << 6 | path.packet_life_time);
	out->path[0].flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
	memcpy(out->path[0].path_rec, &packed, sizeof(packed));
}

int ucma_query(struct ucma_call *call)
{
	static const struct {
		size_t least, bytes;
		void (*run)(const struct ucma_id *id, struct ucma_call *call);
	} options[] = {
		[RDMA_USER_CM_QUERY_ADDR] = {offsetof(struct rdma_ucm_query_addr_resp, ibdev_index),
					     sizeof(struct rdma_ucm_query_addr_resp), query_addr},
		[RDMA_USER_CM_QUERY_PATH] = {sizeof(struct rdma_ucm_query_path_resp),
					     sizeof(struct ucma_paths), query_path},
		[RDMA_USER_CM_QUERY_GID] = {offsetof(struct rdma_ucm_query_addr_resp, ibdev_index),
					    sizeof(struct rdma_ucm_query_addr_resp), query_gid},
	};
	uint32_t option = call->in.query.option;
	struct ucma_id *id;
	int rc = ucma_call_id(call, call->in.query.id, false, &id);

	if (rc != 0)
		return rc;
	if (option >= sizeof(options) / sizeof(options[0]))
		return ENOSYS;
	if (call->room < options[option].least)
		return ENOSPC;
	options[option].run(id, call);
	if (call->answered > options[option].bytes)
		call->answered = (uint16_t)options[option].bytes;
	return 0;
}
