/* How many connections may be half-open, that is asked for by a sender that may not exist?
 *
 * Owns the counts of requests that wait for our answer and of answers that wait for the peer's: of
 * all, of each listener and of each source. They share a part of the table (max_half) that nothing
 * else depends on, so connections and our own attempts always find room. Within that part nobody
 * takes the last of it: a listener gets one more request only while it has fewer than are free, a
 * source only while it has fewer than half of those that are free. A flood from two sources can
 * fill the share of one listener; another listener still has room for another source. Runs on
 * shard 0.
 */
#include <stdlib.h>

#include "cm/cm_priv.h"

/* Counters of sources. Sources whose addresses hash to one counter share it, and may get less for that, never more. */
#define SOURCES 4096u

#define SMALL 64u /* half-open connections in a small table, but never more than half of it */

bool rn_cm_half_create(struct rn_cm *cm, uint32_t max)
{
	if (max == 0)
		max = RN_MIN(RN_MAX(cm->max / 4, SMALL), cm->max / 2);
	cm->max_half = RN_MAX(RN_MIN(max, cm->max), 1u);
	cm->half_from = calloc(SOURCES, sizeof(*cm->half_from));
	return cm->half_from != NULL;
}

void rn_cm_half_destroy(struct rn_cm *cm)
{
	free(cm->half_from);
}

static uint32_t *count_of(struct rn_cm *cm, const struct rn_gid *from)
{
	return &cm->half_from[rn_cm_hash_source(cm, from) % SOURCES];
}

bool rn_cm_half_room(struct rn_cm *cm, const struct rn_cm_conn *listener, const struct rn_gid *from)
{
	uint32_t free = cm->max_half - cm->nhalf;

	return listener->nhalf < free && 2 * *count_of(cm, from) < free;
}

void rn_cm_half_begin(struct rn_cm *cm, struct rn_cm_conn *c)
{
	c->half = true;
	cm->nhalf++;
	c->parent->nhalf++;
	++*count_of(cm, &c->av.dgid);
}

/* The listener may have gone, and its place may be another's. */
void rn_cm_half_end(struct rn_cm *cm, struct rn_cm_conn *c)
{
	struct rn_cm_conn *listener = rn_cm_by_id(cm, c->parent_id);

	if (!c->half)
		return;
	c->half = false;
	cm->nhalf--;
	if (listener)
		listener->nhalf--;
	--*count_of(cm, &c->av.dgid);
}

struct rn_cm_conn *rn_cm_child(struct rn_cm *cm, struct rn_cm_conn *listener,
			       const struct rn_gid *from)
{
	struct rn_cm_conn *c = NULL;

	if ((!listener->backlog || listener->nheld < listener->backlog) &&
	    rn_cm_half_room(cm, listener, from))
		c = rn_cm_new(cm);
	if (!c)
		return NULL;
	rn_cm_take_port(cm, c, listener->port);
	c->port_space = listener->port_space;
	c->qp_type = listener->qp_type;
	c->user = listener->user;
	c->parent = listener;
	c->parent_id = listener->id;
	listener->nheld++;
	rn_list_add_tail(&listener->held, &c->sibling);
	return c;
}
