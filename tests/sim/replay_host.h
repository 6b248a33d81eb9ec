/* The shard of a replay (replay.h): it has the addresses, QPs and memory of the captured host that
 * it replaces. */
#ifndef RN_REPLAY_HOST_H
#define RN_REPLAY_HOST_H

#include <stdint.h>

struct record;
struct replay;

/* Creates the shard with the QPs and the memory of the captured host that it replaces. The packets
 * that the shard sends are stored in r->out. */
void host_begin(struct replay *r);
/* Runs the simulator for 10 us, in which the shard sends all frames that it can send without a new
 * frame or timer event. */
void host_settle(struct replay *r);
/* Copies to the shard's memory the data with which the captured host answered this READ or atomic,
 * so that the shard, which replaces this host, gives the same answer. */
void host_remember(struct replay *r, const struct record *req);
/* Returns the byte in the shard's memory that the peer addresses as va. */
uint8_t *host_region(struct replay *r, uint64_t va);

#endif
