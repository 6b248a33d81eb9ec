/* One adapter of the NIC as this process uses it: all IND2Adapter instances opened on that adapter
 * share one struct nd_device. The device's thread takes the adapter's events and routes them to
 * objects by id. Any thread may call. */
#ifndef ND_DEVICE_H
#define ND_DEVICE_H

#include "nd2/com.h"
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
	_Atomic bool link_down;	      /* set before connectors get RN_EVENT_PORT_DOWN */
	_Atomic uint32_t nconnectors; /* number of connectors; at most info->max_cm */
};

/* Opens adapter `index` of the configuration, or takes a reference if it is open. Returns 0 or
 * -errno; -ENODEV: the adapter's network port is gone. */
int nd_device_get(unsigned index, struct nd_device **);
void nd_device_put(struct nd_device *);
/* Waits, at most timeout_ms, until no event thread is closing its device: an event thread that
 * drops the last reference closes the device itself. Must not be called by an event thread. */
void nd_device_wait_closed(unsigned timeout_ms);

/* Routes events: from now on events with this id go to obj, instead of the object of an earlier
 * route. A route does not keep obj alive: obj's retire or destroy function must remove the route.
 * RN_EVENT_PORT_GONE goes to every object that has a route. Returns 0, -ENOMEM, or -ENODEV if the
 * network port is gone. */
int nd_device_route(struct nd_device *, enum nd_route, uint32_t id, struct nd_object *);
void nd_device_unroute(struct nd_device *, enum nd_route, uint32_t id);
/* Passes an event to the object that its id is routed to. False: there is no such object. Must be
 * called without locks held. */
bool nd_device_dispatch(struct nd_device *, const struct rn_event *);

#endif
