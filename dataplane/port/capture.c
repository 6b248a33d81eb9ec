/* Where do captured frames go? Owns the pcap file, a byte ring per shard and the thread that moves from these to that. */
#include "capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "thread.h"

#define RING_BYTES    (1u << 20)
#define MAX_PRODUCERS 128
#define PCAP_NS_MAGIC 0xa1b23c4du
#define LINK_ETHERNET 1

struct record {
	uint64_t time;
	uint32_t kept, len;
};

struct rn_capture {
	_Atomic uint64_t tail; /* the shard's; bytes ever written */
	_Atomic uint64_t head; /* the writer's */
	_Atomic uint64_t lost;
	uint64_t to_wall;      /* added to the shard's time */
	uint32_t snaplen;
	uint8_t ring[RING_BYTES];
};

struct rn_capture_file {
	FILE *out;
	uint32_t snaplen;
	pthread_t thread;
	_Atomic bool stop;
	_Atomic unsigned n;
	struct rn_capture *producer[MAX_PRODUCERS];
};

static void put(struct rn_capture *c, uint64_t at, const void *data, size_t len)
{
	size_t first = RN_MIN(len, RING_BYTES - at % RING_BYTES);

	memcpy(c->ring + at % RING_BYTES, data, first);
	memcpy(c->ring, (const char *)data + first, len - first);
}

static void get(const struct rn_capture *c, uint64_t at, void *data, size_t len)
{
	size_t first = RN_MIN(len, RING_BYTES - at % RING_BYTES);

	memcpy(data, c->ring + at % RING_BYTES, first);
	memcpy((char *)data + first, c->ring, len - first);
}

void rn_capture_frame(struct rn_capture *c, const uint8_t *frame, uint32_t len, rn_time now)
{
	struct record r = {.time = now + c->to_wall, .kept = RN_MIN(len, c->snaplen), .len = len};
	uint64_t tail = atomic_load_explicit(&c->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&c->head, memory_order_acquire);

	if (tail - head + sizeof(r) + r.kept > RING_BYTES) {
		atomic_fetch_add_explicit(&c->lost, 1, memory_order_relaxed);
		return;
	}
	put(c, tail, &r, sizeof(r));
	put(c, tail + sizeof(r), frame, r.kept);
	atomic_store_explicit(&c->tail, tail + sizeof(r) + r.kept, memory_order_release);
}

static void write_out(struct rn_capture_file *f, struct rn_capture *c)
{
	uint64_t head = atomic_load_explicit(&c->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&c->tail, memory_order_acquire);
	uint8_t frame[65536];
	struct record r;

	while (head < tail) {
		get(c, head, &r, sizeof(r));
		get(c, head + sizeof(r), frame, r.kept);
		uint32_t hdr[4] = {(uint32_t)(r.time / 1000000000u), (uint32_t)(r.time % 1000000000u), r.kept, r.len};
		fwrite(hdr, sizeof(hdr), 1, f->out);
		fwrite(frame, 1, r.kept, f->out);
		head += sizeof(r) + r.kept;
		atomic_store_explicit(&c->head, head, memory_order_release);
	}
}

static void write_all(struct rn_capture_file *f)
{
	for (unsigned i = 0; i < atomic_load(&f->n); i++)
		write_out(f, f->producer[i]);
	fflush(f->out);
}

static void *writer(void *arg)
{
	struct rn_capture_file *f = arg;
	struct timespec pause = {.tv_nsec = 5000000};

	rn_thread_settle("rn-capture");
	while (!atomic_load(&f->stop)) {
		write_all(f);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int rn_capture_open(struct rn_capture_file **file, const char *path, uint32_t snaplen)
{
	struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, figures, snaplen, link;
	} head = {PCAP_NS_MAGIC, 2, 4, 0, 0, snaplen, LINK_ETHERNET};
	struct rn_capture_file *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -ENOMEM;
	f->snaplen = RN_MIN(snaplen, 65535u);
	f->out = fopen(path, "we");
	if (f->out == NULL) {
		int err = -errno;
		free(f);
		return err;
	}
	fwrite(&head, sizeof(head), 1, f->out);
	int err = -pthread_create(&f->thread, NULL, writer, f);
	if (err != 0) {
		fclose(f->out);
		free(f);
		return err;
	}
	*file = f;
	return 0;
}

struct rn_capture *rn_capture_add(struct rn_capture_file *f, rn_time now)
{
	unsigned n = atomic_load(&f->n);
	struct rn_capture *c = n < MAX_PRODUCERS ? calloc(1, sizeof(*c)) : NULL;
	struct timespec wall;

	if (c == NULL)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &wall);
	c->to_wall = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec - now;
	c->snaplen = f->snaplen;
	f->producer[n] = c;
	atomic_store(&f->n, n + 1);
	return c;
}

uint64_t rn_capture_close(struct rn_capture_file *f)
{
	uint64_t lost = 0;

	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
	write_all(f);
	for (unsigned i = 0; i < atomic_load(&f->n); i++) {
		lost += atomic_load(&f->producer[i]->lost);
		free(f->producer[i]);
	}
	fclose(f->out);
	free(f);
	return lost;
}
