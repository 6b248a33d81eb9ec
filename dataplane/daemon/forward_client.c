/* How does a client's shared memory come into use, and out of use again? Owns the list of clients
 * whose rings are in use, and the eventfds by which they wake the thread. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <rte_vhost.h>

#include "daemon/forward_priv.h"
#include "daemon/vhost.h"

/* How much a client may send at once after a pause, as a time at its rate. */
#define BUCKET_DEPTH RN_MS(10)
/* The thread takes bursts of frames from a client that has gone until it has this many. */
#define LAST_FRAMES 256u

/* ---- the eventfds of clients ---- */

static void forget_kick(struct rn_forward *f, struct client *c, unsigned queue)
{
	if (c->kick[queue] < 0)
		return;
	/* The client has the same eventfd, so closing would not remove it from the epoll
	 * instance. */
	epoll_ctl(f->ep, EPOLL_CTL_DEL, c->kick[queue], NULL);
	close(c->kick[queue]);
	c->kick[queue] = -1;
}

void rn_forward_find_kicks(struct rn_forward *f, struct client *c)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	struct rte_vhost_vring ring;

	for (unsigned q = 0; q < c->queues; q++) {
		forget_kick(f, c, q);
		if (rte_vhost_get_vhost_vring(c->vid, (uint16_t)(2 * q + 1), &ring) != 0 ||
		    ring.kickfd < 0)
			continue;
		/* The library may be closing the descriptor, and its number may be another file. */
		int fd = fcntl(ring.kickfd, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0 && rn_vhost_is_eventfd(fd) &&
		    epoll_ctl(f->ep, EPOLL_CTL_ADD, fd, &event) == 0)
			c->kick[q] = fd;
		else if (fd >= 0)
			close(fd);
	}
}

/* ---- a client that makes the thread wait ---- */

/* Does the thread wait in the kernel, as opposed to waiting for a CPU? */
static bool sleeps(const struct rn_forward *f)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)atomic_load(&f->tid));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	const char *state = n > 0 ? strrchr(text, ')') : NULL;

	close(fd);
	return state != NULL && strncmp(state, ") S", 3) == 0;
}

void rn_forward_watch(struct rn_forward *f)
{
	uint32_t made = atomic_load(&f->calls_made), number = atomic_load(&f->serves);

	if (f->running && number != 0 && made == atomic_load(&f->seen) && sleeps(f) &&
	    made == atomic_load(&f->calls_made) && number == atomic_load(&f->serves)) {
		atomic_store(&f->client[number].stuck, 1);
		pthread_kill(f->thread, SIGUSR2);
	}
	atomic_store(&f->seen, made);
}

bool rn_forward_stuck(const struct rn_forward *f, unsigned client)
{
	return atomic_load(&f->client[client].stuck) != 0;
}

/* ---- clients come and go ---- */

struct plug {
	unsigned client, queues;
	int vid;
	struct lane *lane;
	rn_time free_from;
};

static void plug(struct rn_forward *f, void *arg, rn_time now)
{
	struct plug *p = arg;
	struct client *c = &f->client[p->client];

	/* The client has gone while its device came up. */
	if (!rn_switch_attached(f->sw, p->client) || c->plugged)
		return;
	c->vid = p->vid;
	c->queues = p->queues;
	c->queue = 0;
	c->ahead = false;
	c->lane = p->lane;
	p->lane = NULL;
	c->plugged = true;
	rn_client_set_add(&f->plugged, p->client);
	rn_forward_find_kicks(f, c);
}

int rn_forward_plug(struct rn_forward *f, unsigned client, int vid, unsigned queues)
{
	struct plug p = {.client = client, .queues = RN_MIN(queues, QUEUES), .vid = vid};

	p.lane = calloc(p.queues, sizeof(*p.lane));
	if (p.lane == NULL)
		return -ENOMEM;
	rn_forward_call(f, plug, &p);
	free(p.lane);
	return 0;
}

static void unplug(struct rn_forward *f, void *arg, rn_time now)
{
	struct plug *p = arg;
	struct client *c = &f->client[p->client];

	if (!c->plugged)
		return;
	/* A process may end at once after its last message or ACK. */
	for (unsigned n = 0; n < LAST_FRAMES;) {
		unsigned taken = rn_forward_take(f, p->client);

		if (taken == 0)
			break;
		n += taken;
	}
	for (unsigned q = 0; q < c->queues; q++) {
		forget_kick(f, c, q);
		rn_forward_drop(c->lane[q].m, c->lane[q].n, &c->stats);
	}
	p->lane = c->lane;
	c->lane = NULL;
	c->plugged = false;
	rn_client_set_remove(&f->plugged, p->client);
}

void rn_forward_unplug(struct rn_forward *f, unsigned client)
{
	struct plug p = {.client = client};

	rn_forward_call(f, unplug, &p);
	free(p.lane);
}

static void detach(struct rn_forward *f, void *arg, rn_time now)
{
	struct plug *p = arg;

	unplug(f, arg, now);
	p->free_from = rn_switch_detach(f->sw, p->client, now);
}

rn_time rn_forward_detach(struct rn_forward *f, unsigned client)
{
	struct plug p = {.client = client};

	rn_forward_call(f, detach, &p);
	free(p.lane);
	return p.free_from;
}

void rn_forward_changed(struct rn_forward *f, unsigned client)
{
	atomic_store(&f->client[client].changed, 1);
	rn_wake_ring(&f->wake);
}

const struct rn_forward_stats *rn_forward_stats(const struct rn_forward *f, unsigned client)
{
	return &f->client[client].stats;
}

void rn_forward_reset(struct rn_forward *f, unsigned client)
{
	struct client *c = &f->client[client];

	c->stats = (struct rn_forward_stats){0};
	atomic_store(&c->stuck, 0);
	rn_bucket_init(&c->packets, f->cfg.packets_s, BUCKET_DEPTH);
	rn_bucket_init(&c->bits, f->cfg.bits_s, BUCKET_DEPTH);
}

void rn_forward_set_rates(struct rn_forward *f, uint64_t packets_s, uint64_t bits_s)
{
	f->cfg.packets_s = packets_s;
	f->cfg.bits_s = bits_s;
	for (unsigned n = 1; n < NUMBERS; n++) {
		f->client[n].packets.rate = packets_s;
		f->client[n].bits.rate = bits_s;
	}
}

bool rn_forward_plugged(const struct rn_forward *f, unsigned client)
{
	return f->client[client].plugged;
}
