/* When is the memory of a received frame freed? See frame_owner.h. One thread. */
#include "frame_owner.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "sim: %s\n", what);
	abort();
}

static void take_back(struct sim_node *n, struct rn_shard *sh)
{
	void *frame;

	while (rn_shard_give_back(sh, &frame, 1)) {
		free(frame);
		n->lent--;
	}
	must(!rn_shard_keeps(sh), "a frame was not given back");
}

void sim_frame_part(struct sim_node *n, uint8_t *frame)
{
	struct rn_shard *const shards[] = {n->shard, n->second};
	bool held = false;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(shards) && shards[i]; i++) {
		if (n->injected % 8 != 0 &&
		    rn_shard_hold(shards[i], frame, n->injected % 8 == 1 ? NULL : frame)) {
			must(!held, "two shards keep a frame");
			held = true;
			n->lent++;
		}
		rn_shard_settle(shards[i]);
		take_back(n, shards[i]);
	}
	if (!held)
		free(frame);
}

void sim_frame_destroy(struct sim_node *n, struct rn_shard *sh)
{
	if (!sh)
		return;
	take_back(n, sh);
	rn_shard_abandon(sh);
	must(!rn_shard_keeps(sh), "a packet was kept without a queue pair");
	rn_shard_destroy(sh);
}
