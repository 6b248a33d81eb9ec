/* The shard that takes the place of a host in a replay. */
#ifndef RN_REPLAY_HOST_H
#define RN_REPLAY_HOST_H

#include <stdint.h>

struct record;
struct replay;

/* Creates the shard with the QPs and the memory of the replaced host. Its packets are stored in
 * r->out. */
void host_begin(struct replay *r);
/* Lets the shard send everything it can send now. */
void host_settle(struct replay *r);
/* Fills the memory with the data with which the replaced host answered a READ or an atomic. */
void host_remember(struct replay *r, const struct record *req);
/* The place of the byte at the address that the peer uses. */
uint8_t *host_region(struct replay *r, uint64_t va);

#endif
