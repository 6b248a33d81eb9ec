/* The shard that stands in the place of a host. */
#ifndef RN_REPLAY_HOST_H
#define RN_REPLAY_HOST_H

#include <stdint.h>

struct record;
struct replay;

/* Makes the shard, with the queue pairs and the memory of the replaced host. Its packets go to r->out. */
void host_begin(struct replay *r);
/* Lets the shard do what it can do now. */
void host_settle(struct replay *r);
/* Fills the memory with what the replaced host answered a READ or an atomic with. */
void host_remember(struct replay *r, const struct record *req);
/* Where the byte is that the peer names by this address. */
uint8_t *host_region(struct replay *r, uint64_t va);

#endif
