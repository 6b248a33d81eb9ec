/* One adapter of the NIC as this process uses it: shared by all IND2Adapter instances opened on it,
 * with the one thread that takes its events and routes them to objects by id. Any thread.
 */
#ifndef ND_DEVICE_H
#define ND_DEVICE_H

#include "com.h"
#include "rn/client.h"

#define ND_MAX_DEVICES 16

enum nd_route {
	ND_ROUTE_CQ,
	ND_ROUTE_SRQ,
	ND_ROUTE_QP,
	ND_ROUTE_CM,
};

struct nd_device {
	struct rn_client *client;
	const struct rn_link_info *info;
	_Atomic bool link_down; /* set before connectors hear of it */
	_Atomic uint32_t nconnectors; /* that exist: no more than the NIC has room for */
};

/* Opens adapter `index` of the configuration, or shares it. 0 or -errno; -ENODEV: its port is gone. */
int nd_device_get(unsigned index, struct nd_device **);
void nd_device_put(struct nd_device *);
/* An event's thread may be the last to let go of a device, and then closes it: waits until none is at
 * that, for at most timeout_ms. Not from such a thread. */
void nd_device_settle(unsigned timeout_ms);

/* From now on events that name this id go to obj (replacing whoever had them). An entry does not
 * keep the object alive: remove it in retire, or in destroy at the latest. -ENOMEM; -ENODEV: the port is
 * gone. Who has a route before that is told by RN_EVENT_PORT_GONE. */
int nd_device_route(struct nd_device *, enum nd_route, uint32_t id, struct nd_object *);
void nd_device_unroute(struct nd_device *, enum nd_route, uint32_t id);
/* Hands an event to whoever its id is routed to now; false: nobody. No lock held. */
bool nd_device_dispatch(struct nd_device *, const struct rn_event *);

#endif
