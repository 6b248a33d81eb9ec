/* A NIC in memory for tests of the provider. It has two adapters, joined to each other: adapter 0
 * with 192.0.2.1 and 2001:db8::1, adapter 1 with 192.0.2.2 and 2001:db8::2. The fake NIC follows
 * the rules of rn/link.h (order, events, queue accounting, states, keys, flushes) but has no wire
 * protocol. A request is executed by copying when it is posted, and the connection manager answers
 * at once. Any thread may call the functions, which lock one mutex. */
#ifndef FAKE_LINK_H
#define FAKE_LINK_H

#include "rn/link.h"

/* Returns how many objects of all kinds were created and not destroyed; 0 after a test. */
unsigned fake_link_objects(void);

/* Acts as if the network port were removed: sets link->gone, then posts RN_EVENT_PORT_GONE. Pending
 * requests stay pending. */
void fake_link_unplug(struct rn_link *link);

/* Acts as if a WRITE of len bytes with immediate data arrived at the first queue pair that has a
 * receive. The queue pair's oldest receive completes, with its buffers unchanged. Returns false if
 * no queue pair has a receive. */
bool fake_link_write_imm(uint32_t len);

#endif
