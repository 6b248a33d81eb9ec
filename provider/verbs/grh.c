/* Reads the IP header in front of a datagram. Owns nothing; all functions are pure. The bytes come
 * from a buffer of the program and may be anything. */
#include "verbs/grh.h"

#include <endian.h>
#include <errno.h>
#include <netinet/ip.h>
#include <stdbool.h>
#include <string.h>

static_assert(sizeof(struct ibv_grh) == RN_UD_GRH_BYTES, "the whole area");

static struct rn_gid gid_of_v4(in_addr_t address)
{
	struct rn_gid gid = {.b = {[10] = 0xff, [11] = 0xff}};

	memcpy(gid.b + 12, &address, sizeof(address));
	return gid;
}

static bool is_v4(const struct rn_gid *gid)
{
	const struct rn_gid zero = gid_of_v4(0);

	return memcmp(gid, &zero, 12) == 0;
}

static bool is_group(const struct rn_gid *gid)
{
	return is_v4(gid) ? gid->b[12] >> 4 == 0xe : gid->b[0] == 0xff;
}

static bool is_source(const struct rn_gid *own, const struct rn_gid *dgid)
{
	return is_group(dgid) ? is_v4(own) == is_v4(dgid) : memcmp(own, dgid, sizeof(*own)) == 0;
}

int vb_grh_route(const struct rn_gid *gids, unsigned ngids, const void *bytes,
		 struct ibv_global_route *route)
{
	struct rn_gid sgid, dgid;
	struct ibv_grh grh;
	struct iphdr v4;
	uint32_t first;

	memset(route, 0, sizeof(*route));
	memcpy(&grh, bytes, sizeof(grh)); /* the program's buffer may have any alignment */
	memcpy(&v4, (const uint8_t *)bytes + RN_UD_GRH_BYTES - sizeof(v4), sizeof(v4));
	first = be32toh(grh.version_tclass_flow);
	if (first >> 28 == 6) {
		memcpy(&sgid, &grh.sgid, sizeof(sgid));
		memcpy(&dgid, &grh.dgid, sizeof(dgid));
		route->flow_label = first & 0xfffff;
		route->traffic_class = (uint8_t)(first >> 20);
	} else if (v4.version == 4 && v4.ihl == 5) {
		sgid = gid_of_v4(v4.saddr);
		dgid = gid_of_v4(v4.daddr);
		route->traffic_class = v4.tos;
	} else {
		return EINVAL;
	}
	if (is_group(&sgid))
		return EINVAL;
	memcpy(&route->dgid, &sgid, sizeof(route->dgid));
	for (unsigned i = 0; i < ngids; i++)
		if (is_source(&gids[i], &dgid)) {
			route->sgid_index = (uint8_t)i;
			return 0;
		}
	return EINVAL;
}
