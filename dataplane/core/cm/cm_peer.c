/* Which addresses may the peer of a connection have, does a CM message come from the peer, and to
 * which MAC does its answer go? Owns nothing. Runs on shard 0. */
#include <string.h>

#include "cm/cm_priv.h"
#include "wire/frame.h"

/* Returns false for unspecified, loopback, multicast and broadcast addresses. */
bool rn_cm_is_host(const struct rn_gid *g)
{
	static const struct rn_gid none, loopback = {{[15] = 1}};

	if (rn_gid_is_ipv4(g))
		return g->b[12] != 0 && g->b[12] != 127 && g->b[12] < 224;
	return !rn_gid_equal(g, &none) && !rn_gid_equal(g, &loopback) && g->b[0] != 0xff;
}

bool rn_cm_from_peer(const struct rn_cm *cm, const struct rn_cm_conn *c, const struct rn_pkt *pkt)
{
	return !cm->port->check_source || rn_gid_equal(&pkt->src, &c->av.dgid);
}

/* Sets the destination MAC of the CM messages that answer a REQ or SIDR_REQ: the peer's MAC in the
 * neighbour table, or else the source MAC of pkt. Makes no entry in the neighbour table, because
 * packets with forged addresses would fill the table. */
void rn_cm_answer_to(struct rn_cm *cm, struct rn_cm_conn *c, const struct rn_pkt *pkt)
{
	memcpy(c->av.dmac, pkt->smac, 6);
	rn_neigh_known(cm->neigh, &c->av.dgid, c->av.dmac);
}
