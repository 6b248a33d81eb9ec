/* One open adapter of the NIC in this process. All IND2Adapter instances of that adapter share one
 * struct nd_device. The device's event thread takes the adapter's events and passes them to objects
 * by id. Any thread may call these functions. */
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

/* Opens adapter `index` of the configuration, or takes a reference if that adapter is open already.
 * Returns 0 or -errno. -ENODEV: the network port of the adapter is gone. If a port
 * was removed earlier, first calls nd_device_wait_closed(). Event threads must not call this
 * function. */
int nd_device_get(unsigned index, struct nd_device **);
void nd_device_put(struct nd_device *);
/* Waits until no event thread handles events or closes its device, at most two seconds. An event
 * thread that drops the last reference on its device closes the device itself. Event threads must
 * not call this function. */
void nd_device_wait_closed(void);

/* Adds a route: from now on obj gets the events with this id. The new route replaces an earlier
 * route of this id. A route does not keep obj alive, so obj's retire or destroy function must
 * remove the route. RN_EVENT_PORT_GONE goes to every object that has a route. Returns 0, -ENOMEM,
 * or -ENODEV if the network port is gone. */
int nd_device_route(struct nd_device *, enum nd_route, uint32_t id, struct nd_object *);
void nd_device_unroute(struct nd_device *, enum nd_route, uint32_t id);
/* Passes an event to the object that has a route for the event's id. Returns false if there is no
 * such object. The caller must hold no locks. */
bool nd_device_dispatch(struct nd_device *, const struct rn_event *);

#endif
