/* The running adapters of this process, and the thread that passes on the events of each. Owns
 * struct vb_nic. Any thread may call these functions. */
#include "verbs/private.h"

#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EVENTS_AT_ONCE 16
#define RESOLVE_S      10 /* the NIC answers earlier; it gives up on a neighbour after seconds */
/* How long the adapters of a process that ends stay on the wire. The last acknowledgements may
 * still be in rings that other processes have not read, and vanish with this process. A network
 * card would have sent them. */
#define LINGER_MS 300

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vb_nic *table[VB_MAX_DEVICES];
static bool ended; /* close_all() has run, so no adapter starts; guarded by table_lock */

static struct vb_target **bucket_of(struct vb_nic *nic, uint64_t number)
{
	return &nic->bucket[number % VB_TARGET_BUCKETS];
}

void vb_nic_add_target(struct vb_nic *nic, struct vb_target *target)
{
	struct vb_target **bucket;

	pthread_mutex_lock(&nic->lock);
	target->number = ++nic->last_number;
	bucket = bucket_of(nic, target->number);
	target->next = *bucket;
	*bucket = target;
	pthread_mutex_unlock(&nic->lock);
}

void vb_nic_remove_target(struct vb_nic *nic, struct vb_target *target)
{
	struct vb_target **at = bucket_of(nic, target->number);

	pthread_mutex_lock(&nic->lock);
	while (*at != NULL && *at != target)
		at = &(*at)->next;
	if (*at != NULL)
		*at = target->next;
	pthread_mutex_unlock(&nic->lock);
}

void vb_nic_remove_owned(struct vb_nic *nic, const struct vb_context *owner)
{
	pthread_mutex_lock(&nic->lock);
	for (unsigned b = 0; b < VB_TARGET_BUCKETS; b++) {
		struct vb_target **at = &nic->bucket[b];

		while (*at != NULL)
			if ((*at)->owner == owner)
				*at = (*at)->next;
			else
				at = &(*at)->next;
	}
	pthread_mutex_unlock(&nic->lock);
}

static bool is_port_event(const struct rn_event *ev)
{
	return ev->kind == RN_EVENT_PORT_DOWN || ev->kind == RN_EVENT_PORT_UP ||
	       ev->kind == RN_EVENT_PORT_GONE;
}

static void deliver_to_all(struct vb_nic *nic, const struct rn_event *ev)
{
	for (unsigned b = 0; b < VB_TARGET_BUCKETS; b++)
		for (struct vb_target *t = nic->bucket[b]; t != NULL; t = t->next)
			if (t->every_port_event)
				t->deliver(t, ev);
}

static void deliver(struct vb_nic *nic, const struct rn_event *ev)
{
	uint64_t number = ev->user & ((UINT64_C(1) << VB_TARGET_TAG_SHIFT) - 1);
	struct vb_target *t;

	if (ev->kind == RN_EVENT_PORT_DOWN || ev->kind == RN_EVENT_PORT_UP)
		atomic_store(&nic->link_up, ev->kind == RN_EVENT_PORT_UP);
	pthread_mutex_lock(&nic->lock);
	if (is_port_event(ev)) {
		deliver_to_all(nic, ev);
	} else {
		t = *bucket_of(nic, number);
		while (t != NULL && t->number != number)
			t = t->next;
		if (t != NULL)
			t->deliver(t, ev);
	}
	pthread_mutex_unlock(&nic->lock);
}

static void *run_events(void *arg)
{
	struct vb_nic *nic = arg;
	struct rn_event ev[EVENTS_AT_ONCE];

	os_thread_disable_cancel();
	while (!atomic_load(&nic->stop)) {
		unsigned n = vb_engine.wait(nic->client, ev, EVENTS_AT_ONCE, 1000);

		for (unsigned i = 0; i < n; i++)
			deliver(nic, &ev[i]);
	}
	return NULL;
}

static void linger(void)
{
	const struct timespec pause = {.tv_nsec = LINGER_MS * 1000000L};
	bool talked = false;

	for (unsigned i = 0; i < VB_MAX_DEVICES; i++)
		talked |= table[i] != NULL && atomic_load(&table[i]->talked);
	if (talked)
		nanosleep(&pause, NULL);
}

static void close_nic(struct vb_nic *nic)
{
	atomic_store(&nic->stop, true);
	vb_engine.interrupt(nic->client);
	if (os_thread_join(nic->thread))
		vb_engine.close(nic->client);
}

/* Closes the adapters properly when the process ends, for files that are written at the end. An
 * adapter with open contexts is left alone: threads of the program may still be using it. */
static void close_all(void)
{
	struct vb_nic *unused[VB_MAX_DEVICES];
	unsigned n = 0;

	if (os_child)
		return;
	vb_ucma_end();
	pthread_mutex_lock(&table_lock);
	linger();
	ended = true;
	for (unsigned i = 0; i < VB_MAX_DEVICES; i++)
		if (table[i] != NULL && table[i]->contexts == 0) {
			table[i]->closed = true;
			unused[n++] = table[i];
		}
	pthread_mutex_unlock(&table_lock);
	for (unsigned i = 0; i < n; i++)
		if (vb_ucma_forget(unused[i]))
			close_nic(unused[i]);
}

static int start(struct vb_device *device, struct vb_nic **out)
{
	struct vb_nic *nic = calloc(1, sizeof(*nic));
	char err[512] = "out of memory";
	int rc = -ENOMEM;

	if (nic == NULL)
		return ENOMEM;
	vb_device_starting(true);
	rc = vb_engine.open(NULL, device->index, &nic->client, err, sizeof(err));
	vb_device_starting(false);
	if (rc != 0) {
		fprintf(stderr, "softrnic: adapter %u: %s\n", device->index, err);
		free(nic);
		return vb_errno(rc);
	}
	nic->info = *vb_engine.info(nic->client);
	vb_device_sort_gids(&nic->info);
	nic->link_up = nic->info.link_up;
	pthread_mutex_init(&nic->lock, NULL);
	if (os_thread_start(&nic->thread, "rn-verbs", run_events, nic) != 0) {
		vb_engine.close(nic->client);
		pthread_mutex_destroy(&nic->lock);
		free(nic);
		return ENOMEM;
	}
	*out = nic;
	return 0;
}

int vb_nic_get(struct vb_device *device, struct vb_nic **nic)
{
	static bool at_exit;
	int rc = 0;

	pthread_mutex_lock(&table_lock);
	if (table[device->index] == NULL)
		rc = ended ? EIO : start(device, &table[device->index]);
	else if (table[device->index]->closed || vb_engine.gone(table[device->index]->client))
		rc = EIO;
	if (rc == 0) {
		*nic = table[device->index];
		(*nic)->contexts++;
	}
	/* Not a destructor: those of libsoftrnic run before the destructors of this library. */
	if (rc == 0 && !at_exit)
		at_exit = atexit(close_all) == 0;
	pthread_mutex_unlock(&table_lock);
	return rc;
}

bool vb_nic_runs(const struct vb_device *device)
{
	bool runs;

	pthread_mutex_lock(&table_lock);
	runs = table[device->index] != NULL;
	pthread_mutex_unlock(&table_lock);
	return runs;
}

void vb_nic_put(struct vb_nic *nic)
{
	pthread_mutex_lock(&table_lock);
	nic->contexts--;
	pthread_mutex_unlock(&table_lock);
}

/* ---- addresses ---- */

/* A thread that waits for RN_EVENT_RESOLVED. */
struct waiter {
	struct vb_target target; /* first member: resolved() casts the target to this struct */
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool is_done;
	int err;
	struct rn_av av;
};

static void resolved(struct vb_target *target, const struct rn_event *ev)
{
	struct waiter *w = (struct waiter *)target;

	pthread_mutex_lock(&w->lock);
	w->is_done = true;
	w->err = ev->err;
	w->av = ev->attr.av;
	pthread_cond_signal(&w->done);
	pthread_mutex_unlock(&w->lock);
}

static int await(struct waiter *w, struct rn_av *av)
{
	struct timespec end;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += RESOLVE_S;
	pthread_mutex_lock(&w->lock);
	while (!w->is_done && rc == 0)
		rc = pthread_cond_timedwait(&w->done, &w->lock, &end);
	if (w->is_done)
		rc = -w->err;
	*av = w->av;
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int vb_nic_resolve(struct vb_nic *nic, unsigned sgid_index, const struct rn_gid *dgid,
		   struct rn_av *av)
{
	struct waiter w = {.target.deliver = resolved,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .done = PTHREAD_COND_INITIALIZER};
	int rc, state;

	if (sgid_index >= nic->info.ngids)
		return EINVAL;
	/* The waiter is on this stack: the thread must not be cancelled while it is a target. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	vb_nic_add_target(nic, &w.target);
	rc = vb_engine.av_resolve(nic->client, &nic->info.gids[sgid_index], dgid, w.target.number,
				  av);
	rc = rc == -EINPROGRESS ? await(&w, av) : -rc;
	vb_nic_remove_target(nic, &w.target);
	pthread_setcancelstate(state, NULL);
	/* The kernel knows no address of another family or another host. */
	return rc == EAFNOSUPPORT || rc == EADDRNOTAVAIL ? EINVAL : rc;
}
