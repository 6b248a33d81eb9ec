/* A NIC in memory for tests of the provider: two adapters, joined to each other, that implement the
 * functions of rn/link.h. A request is executed by copying when it is posted, and the connection
 * manager answers at once. The fake NIC keeps the rules of rn/link.h (order, events, queue
 * accounting, states, keys, flushes) but has no wire protocol. All functions lock one mutex and may
 * be called by any thread. Adapter 0 has the addresses 192.0.2.1 and 2001:db8::1, adapter 1 has
 * 192.0.2.2 and 2001:db8::2. */
#ifndef FAKE_LINK_H
#define FAKE_LINK_H

#include "rn/link.h"

/* The number of objects of all kinds that were created and not destroyed; 0 after a test. */
unsigned fake_link_objects(void);

/* Acts as if the network port were removed: sets link->gone, then posts RN_EVENT_PORT_GONE. Pending
 * requests are left as they are. */
void fake_link_unplug(struct rn_link *link);

/* Acts as if a WRITE with immediate of len bytes arrived at the first queue pair that has a
 * receive: completes the queue pair's oldest receive without writing to its buffers. Returns false
 * if no queue pair has a receive. */
bool fake_link_write_imm(uint32_t len);

#endif
