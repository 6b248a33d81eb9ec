/* The shard of a replay (replay.h). It has the addresses, QPs and memory of the captured host that
 * it replaces. */
#ifndef RN_REPLAY_HOST_H
#define RN_REPLAY_HOST_H

#include <stdint.h>

struct record;
struct replay;

/* Creates the shard with the QPs and the memory of the captured host that it replaces. The packets
 * that the shard sends are stored in r->out. */
void host_begin(struct replay *r);
/* Runs the simulator for 10 us. In this time the shard sends every frame for which it waits neither
 * for a received frame nor for a timer. */
void host_settle(struct replay *r);
/* Copies to the shard's memory the data with which the captured host answered this READ or atomic.
 * So the shard, which replaces this host, answers with the same data. */
void host_remember(struct replay *r, const struct record *req);
/* Returns the byte in the shard's memory that the peer addresses as va. */
uint8_t *host_region(struct replay *r, uint64_t va);

#endif
