/* How do captured frames get into the pcap file? Owns the file, a byte ring per shard, and the
 * thread that moves frames from the rings to the file. Frames that do not fit on the disk are
 * counted. The file always ends with a whole record, so that pcap readers accept the file. */
#include "port/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "port/log.h"
#include "port/thread.h"

#define RING_BYTES    (1u << 20)
#define BLOCK_BYTES   (1u << 17) /* size of one write, which is larger than any record */
#define RECORD_HEAD   16u
#define MAX_PRODUCERS 128
#define PCAP_NS_MAGIC 0xa1b23c4du
#define LINK_ETHERNET 1

/* The header of a frame in a shard's ring. The frame's bytes follow the header. */
struct record {
	uint64_t time;	    /* nanoseconds since 1970 */
	uint32_t kept, len; /* kept: number of captured bytes; len: length of the frame in bytes */
};

struct rn_capture {
	_Atomic uint64_t tail; /* total number of bytes that the shard has put into the ring */
	_Atomic uint64_t head; /* total number of bytes that the writer thread has taken out */
	_Atomic uint64_t lost; /* frames dropped because the ring was full */
	uint64_t to_wall;      /* offset from the shard's time to nanoseconds since 1970 */
	uint32_t snaplen;
	uint8_t ring[RING_BYTES];
};

struct rn_capture_file {
	int fd;
	char *path;
	uint32_t snaplen;
	/* Only the writer thread uses the members from `block` to `torn`. */
	uint8_t block[BLOCK_BYTES]; /* whole pcap records that are not yet in the file */
	size_t used;
	off_t end;	    /* end of the last whole record in the file */
	uint64_t unwritten; /* frames that could not be written */
	bool warned;	    /* the first write error has been logged */
	/* the file ends within a record and cannot be truncated, so writing has stopped */
	bool torn;

	pthread_t thread;
	_Atomic bool stop;
	_Atomic unsigned n;
	struct rn_capture *producer[MAX_PRODUCERS];
};

/* Copies `len` bytes from `data` into the ring at position `at`. Bytes that do not fit before the
 * end of the ring go to its beginning. */
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

/* Writes until all bytes are written or an error occurs. Sets *done to the number of bytes written.
 * Returns 0 or -errno. */
static int write_some(int fd, const uint8_t *data, size_t len, size_t *done)
{
	*done = 0;
	while (*done < len) {
		ssize_t n = write(fd, data + *done, len - *done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		*done += (size_t)n;
	}
	return 0;
}

/* Returns how many of the first `len` bytes of the block form whole records. Sets *rest to the
 * number of frames in the block after these records. */
static size_t whole_records(const struct rn_capture_file *f, size_t len, uint64_t *rest)
{
	size_t at = 0, whole = 0;
	uint32_t kept;

	*rest = 0;
	while (at < f->used) {
		memcpy(&kept, f->block + at + 8, sizeof(kept));
		at += RECORD_HEAD + kept;
		if (at <= len)
			whole = at;
		else
			++*rest;
	}
	return whole;
}

static void warn_once(struct rn_capture_file *f, int err)
{
	if (!f->warned)
		rn_log(CAPTURE_LOSES, f->path, strerror(-err));
	f->warned = true;
}

/* Writes the block to the file. After a partial write, truncates the file to its last whole record:
 * writing can then go on when the disk has space again. */
static void write_block(struct rn_capture_file *f)
{
	size_t done = 0, whole;
	uint64_t rest;

	if (f->used == 0)
		return;
	int rc = f->torn ? -EIO : write_some(f->fd, f->block, f->used, &done);
	whole = whole_records(f, done, &rest);
	f->end += (off_t)whole;
	if (rc != 0) {
		f->unwritten += rest;
		warn_once(f, rc);
		if (done > whole &&
		    (ftruncate(f->fd, f->end) != 0 || lseek(f->fd, f->end, SEEK_SET) < 0))
			f->torn = true;
	}
	f->used = 0;
}

static void add_record(struct rn_capture_file *f, const struct rn_capture *c, uint64_t at)
{
	struct record r;

	get(c, at, &r, sizeof(r));
	if (f->used + RECORD_HEAD + r.kept > BLOCK_BYTES)
		write_block(f);
	uint32_t hdr[4] = {(uint32_t)(r.time / 1000000000u), (uint32_t)(r.time % 1000000000u),
			   r.kept, r.len};
	memcpy(f->block + f->used, hdr, sizeof(hdr));
	get(c, at + sizeof(r), f->block + f->used + sizeof(hdr), r.kept);
	f->used += sizeof(hdr) + r.kept;
}

static void write_out(struct rn_capture_file *f, struct rn_capture *c)
{
	uint64_t head = atomic_load_explicit(&c->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&c->tail, memory_order_acquire);
	struct record r;

	while (head < tail) {
		get(c, head, &r, sizeof(r));
		add_record(f, c, head);
		head += sizeof(r) + r.kept;
		atomic_store_explicit(&c->head, head, memory_order_release);
	}
}

static void write_all(struct rn_capture_file *f)
{
	for (unsigned i = 0; i < atomic_load(&f->n); i++)
		write_out(f, f->producer[i]);
	write_block(f);
}

/* The writer thread, in which all signals are blocked. After `stop` this thread also writes the
 * remaining frames. rn_capture_close() must not write: a write can cause SIGXFSZ (file too large)
 * or SIGPIPE (pipe without reader), and these signals must not hit an application's thread. */
static void *writer(void *arg)
{
	struct rn_capture_file *f = arg;
	struct timespec pause = {.tv_nsec = 5000000};

	rn_thread_set_up("rn-capture");
	while (!atomic_load(&f->stop)) {
		write_all(f);
		nanosleep(&pause, NULL);
	}
	write_all(f);
	return NULL;
}

static int write_head(struct rn_capture_file *f)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, figures, snaplen, link;
	} head = {PCAP_NS_MAGIC, 2, 4, 0, 0, f->snaplen, LINK_ETHERNET};
	size_t done;

	f->end = sizeof(head);
	return write_some(f->fd, (const uint8_t *)&head, sizeof(head), &done);
}

static void discard(struct rn_capture_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

int rn_capture_open(struct rn_capture_file **file, const char *path, uint32_t snaplen)
{
	struct rn_capture_file *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -ENOMEM;
	f->snaplen = RN_MIN(snaplen, 65535u);
	f->path = strdup(path);
	/* Use mode 0600, because the file contains the applications' data. */
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = f->fd < 0 ? -errno : f->path == NULL ? -ENOMEM : write_head(f);
	if (rc == 0)
		rc = -pthread_create(&f->thread, NULL, writer, f);
	if (rc != 0) {
		discard(f);
		return rc;
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
	uint64_t lost;

	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
	lost = f->unwritten;
	for (unsigned i = 0; i < atomic_load(&f->n); i++) {
		lost += atomic_load(&f->producer[i]->lost);
		free(f->producer[i]);
	}
	if (lost > 0)
		rn_log(CAPTURE_LACKS, f->path, (unsigned long long)lost);
	discard(f);
	return lost;
}
