/* The shard that stands in for the replaced host in a replay. */
#ifndef RN_REPLAY_HOST_H
#define RN_REPLAY_HOST_H

#include <stdint.h>

struct record;
struct replay;

/* Creates the shard with the QPs and the memory of the replaced host. The packets that the shard
 * sends are stored in r->out. */
void host_begin(struct replay *r);
/* Lets the shard send all frames that it can send without another event. */
void host_settle(struct replay *r);
/* Copies the data with which the replaced host answered this READ or atomic to the shard's memory,
 * so that the shard gives the same answer. */
void host_remember(struct replay *r, const struct record *req);
/* Returns the byte in the shard's memory that the peer addresses as va. */
uint8_t *host_region(struct replay *r, uint64_t va);

#endif
