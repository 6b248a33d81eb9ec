/* A NIC for tests of the provider: two adapters joined in memory, behind the functions of
 * rn/link.h. A request is executed when it is posted, by copying; the connection manager answers
 * at once. The fake keeps the link's contract (order, events, queue accounting, states, keys,
 * flushes), not the wire protocol. One lock; any thread. 192.0.2.1 and 2001:db8::1 are adapter 0,
 * 192.0.2.2 and 2001:db8::2 adapter 1. */
#ifndef FAKE_LINK_H
#define FAKE_LINK_H

#include "rn/link.h"

/* Objects of any kind that were made and not destroyed; 0 when all is well at the end. */
unsigned fake_link_objects(void);

/* The port goes: the flag, then the event. Requests stay as they are. */
void fake_link_unplug(struct rn_link *link);

/* A WRITE with immediate of that many bytes comes: the oldest receive of the only queue pair that
 * has one is taken, and nothing put into it. False: none has. */
bool fake_link_write_imm(uint32_t len);

#endif
