/* Who owns the memory of a frame that a node has received: the node, or a shard that keeps the
 * frame's packet (rn_shard_hold()). Takes the place of the port's mbufs. A sanitizer detects a
 * frame that is freed too soon or never. */
#ifndef SIM_FRAME_OWNER_H
#define SIM_FRAME_OWNER_H

#include <stdint.h>

#include "shard/core.h"

struct sim_node;

/* To be called when the shards of the node have processed a frame, which the caller has allocated.
 * Leaves the frame to the shard that keeps its packet, or frees it. Does not leave every frame to
 * the shard, which then copies the packet. */
void sim_frame_part(struct sim_node *n, uint8_t *frame);
/* Destroys a shard without QPs, or nothing if sh is NULL. Fails the run if the shard keeps a
 * frame. */
void sim_frame_destroy(struct sim_node *n, struct rn_shard *sh);

#endif
