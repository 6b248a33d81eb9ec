/* How many connections may be half-open? Owns the counts of half-open connections: of all, of each
 * listener and of each source address. Runs on shard 0.
 *
 * A received REQ or SIDR_REQ makes a connection that is half-open: its source address may be
 * forged. A REQ's connection stays half-open until this side rejects the REQ, the peer confirms the
 * REP, or the attempt ends. A SIDR_REQ's connection stays half-open until this side answers or
 * gives up. At most max_half entries of the connection table are half-open. A flood of requests
 * therefore leaves entries for CM_CONNECT and for listeners.
 *
 * Let `free` be max_half minus the number of half-open connections. A request is accepted if its
 * listener has fewer than `free` half-open connections and its source address fewer than `free` /
 * 2. No listener and no source address can therefore take the last entry. Two flooding source
 * addresses can block one listener, but no other listener. */
#include <stdlib.h>

#include "cm/cm_priv.h"

/* Number of counters for source addresses. Source addresses with the same hash share a counter. */
#define SOURCES 4096u

/* The default of max_half is a quarter of the connection table, but at least SMALL. In a small
 * table, max_half is at most half of the table. */
#define SMALL 64u

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

/* Ends the half-open state of c: takes c out of all counts. The listener is found by its id, not by
 * a pointer, because the listener may have been destroyed. */
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
