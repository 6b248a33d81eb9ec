/* Passes each event of the NIC to the ND2 object with the id in the event. Owns the adapters that
 * the process has open. Each adapter has one event thread and a hash table of routes; a route maps
 * an id to an object. */
#include "nd2/device.h"

#include "os/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUCKETS	       1024u
#define EVENTS_AT_ONCE 8
#define CLOSING_MS     2000 /* how long nd_device_wait_closed() waits */

struct route {
	struct route *next;
	enum nd_route kind;
	uint32_t id;
	uint32_t notified; /* the device's `round` when `obj` was last notified */
	struct nd_object *obj;
};

struct device {
	struct nd_device pub;
	unsigned index;
	unsigned users; /* number of users of the device; guarded by table_lock */
	pthread_t thread;
	_Atomic bool stop;
	pthread_mutex_t lock; /* guards bucket[], which maps ids in events to objects */
	/* how many events dispatch_to_all() has passed to all objects; used only by the event
	 * thread */
	uint32_t round;
	struct route *bucket[BUCKETS];
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *table[ND_MAX_DEVICES];
/* true after a device was closed whose network port was gone; guarded by table_lock */
static bool closed_removed;
/* number of event threads that are handling events or closing their devices */
static _Atomic unsigned busy;

static struct device *device_of(struct nd_device *dev)
{
	return (struct device *)dev;
}

static struct route **bucket_of(struct device *d, enum nd_route kind, uint32_t id)
{
	return &d->bucket[(id * 2654435761u + (uint32_t)kind * 97u) >> 22];
}

static struct route *find_route(struct device *d, enum nd_route kind, uint32_t id)
{
	struct route *r = *bucket_of(d, kind, id);

	while (r != NULL && (r->kind != kind || r->id != id))
		r = r->next;
	return r;
}

int nd_device_route(struct nd_device *dev, enum nd_route kind, uint32_t id, struct nd_object *obj)
{
	struct device *d = device_of(dev);
	struct route **bucket = bucket_of(d, kind, id), *r;
	int rc = 0;

	pthread_mutex_lock(&d->lock);
	/* Add no route once the network port is gone: dispatch_to_all() looks up the objects for
	 * RN_EVENT_PORT_GONE under this lock. An object with a later route would miss that
	 * event. */
	if (rn_client_gone(dev->client)) {
		pthread_mutex_unlock(&d->lock);
		return -ENODEV;
	}
	r = find_route(d, kind, id);
	if (r == NULL) {
		r = calloc(1, sizeof(*r));
		if (r != NULL) {
			r->kind = kind;
			r->id = id;
			r->next = *bucket;
			*bucket = r;
		}
	}
	if (r != NULL)
		r->obj = obj;
	else
		rc = -ENOMEM;
	pthread_mutex_unlock(&d->lock);
	return rc;
}

void nd_device_unroute(struct nd_device *dev, enum nd_route kind, uint32_t id)
{
	struct device *d = device_of(dev);
	struct route **at = bucket_of(d, kind, id), *r;

	pthread_mutex_lock(&d->lock);
	while (*at != NULL && ((*at)->kind != kind || (*at)->id != id))
		at = &(*at)->next;
	r = *at;
	if (r != NULL)
		*at = r->next;
	pthread_mutex_unlock(&d->lock);
	free(r);
}

/* Takes a reference on the object. Returns false if the object's count has reached 0: the object is
 * being destroyed. */
static bool ref_if_alive(struct nd_object *obj)
{
	uint32_t refs = atomic_load(&obj->refs);

	while (refs != 0)
		if (atomic_compare_exchange_weak(&obj->refs, &refs, refs + 1))
			return true;
	return false;
}

static enum nd_route route_of_event(uint16_t kind)
{
	if (kind == RN_EVENT_CQ || kind == RN_EVENT_CQ_OVERRUN)
		return ND_ROUTE_CQ;
	if (kind == RN_EVENT_SRQ_LIMIT)
		return ND_ROUTE_SRQ;
	return kind >= RN_EVENT_CM_REQUEST ? ND_ROUTE_CM : ND_ROUTE_QP;
}

bool nd_device_dispatch(struct nd_device *dev, const struct rn_event *ev)
{
	struct device *d = device_of(dev);
	uint32_t id = ev->kind == RN_EVENT_CM_REQUEST ? ev->parent : ev->id;
	struct nd_object *obj = NULL;
	struct route *r;

	pthread_mutex_lock(&d->lock);
	r = find_route(d, route_of_event(ev->kind), id);
	if (r != NULL && ref_if_alive(r->obj))
		obj = r->obj;
	pthread_mutex_unlock(&d->lock);
	if (obj == NULL)
		return false;
	if (obj->cls->event != NULL)
		obj->cls->event(obj, ev);
	nd_object_put(obj);
	return true;
}

/* Finds up to n objects of a hash bucket to which dispatch_to_all() has not yet passed the present
 * event. Takes a reference on each object and stores the objects in objs[]. Returns the number of
 * objects. */
static unsigned next_to_notify(struct device *d, unsigned bucket, struct nd_object *objs[],
			       unsigned n)
{
	unsigned k = 0;

	pthread_mutex_lock(&d->lock);
	for (struct route *r = d->bucket[bucket]; r != NULL && k < n; r = r->next) {
		if (r->notified != d->round && ref_if_alive(r->obj))
			objs[k++] = r->obj;
		r->notified = d->round;
	}
	pthread_mutex_unlock(&d->lock);
	return k;
}

/* Passes an event to every object that is registered to receive events. To be called when the
 * network port is gone or its Ethernet link is down. Objects created later need no event: without
 * the network port their creation fails; without the Ethernet link a connector's Disconnect reads
 * `link_down`. */
static void dispatch_to_all(struct device *d, const struct rn_event *ev)
{
	struct nd_object *objs[64];
	unsigned n;

	d->round++;
	for (unsigned b = 0; b < BUCKETS; b++)
		while ((n = next_to_notify(d, b, objs, 64)) != 0)
			while (n-- != 0) {
				if (objs[n]->cls->event != NULL)
					objs[n]->cls->event(objs[n], ev);
				nd_object_put(objs[n]);
			}
}

static void handle(struct device *d, const struct rn_event *ev)
{
	if (ev->kind == RN_EVENT_PORT_DOWN || ev->kind == RN_EVENT_PORT_UP)
		atomic_store(&d->pub.link_down, ev->kind == RN_EVENT_PORT_DOWN);
	if (ev->kind == RN_EVENT_PORT_GONE || ev->kind == RN_EVENT_PORT_DOWN) {
		dispatch_to_all(d, ev);
	} else if (!nd_device_dispatch(&d->pub, ev) && ev->kind == RN_EVENT_CM_REQUEST) {
		/* The listener was released meanwhile. Reject the connection request as if there
		 * were no listener (IBTA vol. 1, REJ reason 8: invalid service id). */
		rn_client_cm_reject(d->pub.client, ev->id, 8, NULL, 0);
		rn_client_cm_destroy(d->pub.client, ev->id);
	}
}

static void close_device(struct device *d)
{
	rn_client_close(d->pub.client);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

static void *run_events(void *arg)
{
	struct device *d = arg;
	struct rn_event ev[EVENTS_AT_ONCE];

	os_thread_disable_cancel();
	while (!atomic_load(&d->stop)) {
		unsigned n = rn_client_wait(d->pub.client, ev, EVENTS_AT_ONCE, 1000);

		atomic_fetch_add(&busy, 1);
		for (unsigned i = 0; i < n; i++)
			handle(d, &ev[i]);
		/* index is ND_MAX_DEVICES if an event handler dropped the last reference on the
		 * device. nd_device_put() then ran on this thread and left the closing to this
		 * place: a thread cannot join itself. */
		if (d->index == ND_MAX_DEVICES) {
			close_device(d);
			atomic_fetch_sub(&busy, 1);
			return NULL;
		}
		atomic_fetch_sub(&busy, 1);
	}
	return NULL;
}

void nd_device_wait_closed(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < CLOSING_MS && atomic_load(&busy) != 0; i++)
		nanosleep(&pause, NULL);
}

static int open_device(unsigned index, struct device **out)
{
	struct device *d = calloc(1, sizeof(*d));
	char err[512] = "";
	int rc;

	if (d == NULL)
		return -ENOMEM;
	rc = rn_client_open(NULL, index, &d->pub.client, err, sizeof(err));
	if (rc != 0) {
		fprintf(stderr, "softrnic: adapter %u: %s\n", index, err);
		free(d);
		return rc;
	}
	d->index = index;
	d->pub.info = rn_client_info(d->pub.client);
	pthread_mutex_init(&d->lock, NULL);
	if (os_thread_start(&d->thread, "rn-events", run_events, d) != 0) {
		close_device(d);
		return -ENOMEM;
	}
	*out = d;
	return 0;
}

/* Was a network port removed from a device that is open now or was open earlier? */
static bool saw_removal(void)
{
	bool found;

	pthread_mutex_lock(&table_lock);
	found = closed_removed;
	for (unsigned i = 0; i < ND_MAX_DEVICES; i++)
		found |= table[i] != NULL && rn_client_gone(table[i]->pub.client);
	pthread_mutex_unlock(&table_lock);
	return found;
}

int nd_device_get(unsigned index, struct nd_device **dev)
{
	int rc = 0;

	if (index >= ND_MAX_DEVICES)
		return -EINVAL;
	/* A removed adapter works again after all devices of the process were closed and one is
	 * opened. When the application has released all its objects, an event thread may still hold
	 * references on some of them, while it passes events to them. Wait until no event thread
	 * handles events: the last reference also closes the device. */
	if (saw_removal())
		nd_device_wait_closed();
	pthread_mutex_lock(&table_lock);
	if (table[index] == NULL)
		rc = open_device(index, &table[index]);
	else if (rn_client_gone(table[index]->pub.client))
		rc = -ENODEV;
	if (rc == 0) {
		table[index]->users++;
		*dev = &table[index]->pub;
	}
	pthread_mutex_unlock(&table_lock);
	return rc;
}

void nd_device_put(struct nd_device *dev)
{
	struct device *d = device_of(dev);
	bool last;

	pthread_mutex_lock(&table_lock);
	last = --d->users == 0;
	if (last) {
		table[d->index] = NULL;
		closed_removed |= rn_client_gone(d->pub.client);
	}
	if (last && pthread_equal(pthread_self(), d->thread)) {
		pthread_detach(d->thread);
		d->index = ND_MAX_DEVICES;
		atomic_store(&d->stop, true);
		last = false;
	} else if (last) {
		atomic_store(&d->stop, true);
		rn_client_interrupt(d->pub.client);
		pthread_join(d->thread, NULL);
		close_device(d);
	}
	pthread_mutex_unlock(&table_lock);
}
