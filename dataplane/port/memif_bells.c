/* Which eventfd does the peer of a memif port write, and how is the peer asked to? Owns duplicates
 * of the descriptors, and a mapping of each page with flags. Runs in the relay's thread, or in the
 * control thread when the relay is destroyed. */
#include "port/memif_bells.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TYPE_ADD_REGION 4
#define TYPE_ADD_RING	5
#define FLAG_C2S	1 /* of ADD_RING: frames go from the client to the server */
#define COOKIE		0x3E31F20u

/* Offsets in the messages, whose fields have no padding. */
enum {
	TYPE_AT = 0,
	REGION_INDEX_AT = 2,
	FLAGS_AT = 2,
	RING_AT = 4,
	RING_REGION_AT = 6,
	OFFSET_AT = 8
};

/* The first 8 bytes of a memif ring, in the memory that both processes share (memif 2.0). The
 * receiver of the ring writes `flags`, and the sender reads it. */
struct ring_head {
	uint32_t cookie;
	_Atomic uint16_t flags;
	uint16_t head;
};

static unsigned get16(const uint8_t *message, unsigned at)
{
	uint16_t value;

	memcpy(&value, message + at, sizeof(value));
	return value;
}

static void forget_bell(struct rn_memif_bell *bell)
{
	if (bell->map != NULL)
		munmap(bell->map, bell->bytes);
	if (bell->fd >= 0)
		close(bell->fd);
	*bell = (struct rn_memif_bell){.fd = -1};
}

void rn_memif_bells_init(struct rn_memif_bells *b, bool server)
{
	memset(b, 0, sizeof(*b));
	b->server = server;
	b->region = -1;
	for (unsigned q = 0; q < RN_MAX_SHARDS; q++)
		b->bell[q].fd = -1;
}

void rn_memif_bells_fini(struct rn_memif_bells *b)
{
	for (unsigned q = 0; q < RN_MAX_SHARDS; q++)
		forget_bell(&b->bell[q]);
	if (b->region >= 0)
		close(b->region);
	b->region = -1;
}

static void take_region(struct rn_memif_bells *b, const uint8_t *message, int fd)
{
	struct stat st;

	/* All implementations keep the rings in region 0. It is announced before the rings. */
	if (get16(message, REGION_INDEX_AT) != 0)
		return;
	rn_memif_bells_fini(b);
	/* A mapping of huge pages can only be unmapped in whole pages. Such a region is left out.
	 */
	if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_blksize == sysconf(_SC_PAGESIZE))
		b->region = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	b->region_bytes = b->region >= 0 ? (uint64_t)st.st_size : 0;
}

static void take_ring(struct rn_memif_bells *b, const uint8_t *message, int fd)
{
	bool to_server = (get16(message, FLAGS_AT) & FLAG_C2S) != 0;
	unsigned q = get16(message, RING_AT);
	int flags = fcntl(fd, F_GETFL);

	if (to_server != b->server || q >= RN_MAX_SHARDS || get16(message, RING_REGION_AT) != 0 ||
	    flags < 0)
		return;
	/* The driver reads the eventfd in each receive burst while the peer is asked to write, and
	 * must not wait there. The peer only writes it. */
	if ((flags & O_NONBLOCK) == 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return;
	forget_bell(&b->bell[q]);
	memcpy(&b->bell[q].at, message + OFFSET_AT, sizeof(b->bell[q].at));
	b->bell[q].fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void rn_memif_bells_take(struct rn_memif_bells *b, const uint8_t *message, int fd)
{
	unsigned type = get16(message, TYPE_AT);

	if (fd < 0)
		return;
	if (type == TYPE_ADD_REGION)
		take_region(b, message, fd);
	else if (type == TYPE_ADD_RING)
		take_ring(b, message, fd);
}

/* Maps the ring's head. Returns NULL if there is none. */
static struct ring_head *map_head(struct rn_memif_bells *b, struct rn_memif_bell *bell)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), in_page = bell->at % page;
	size_t bytes = in_page + sizeof(struct ring_head);
	struct ring_head *ring;
	void *map;

	if (b->region < 0 || bell->at % _Alignof(struct ring_head) != 0 ||
	    bell->at + sizeof(*ring) > b->region_bytes)
		return NULL;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->region,
		   (off_t)(bell->at - in_page));
	if (map == MAP_FAILED)
		return NULL;
	ring = (struct ring_head *)((uint8_t *)map + in_page);
	if (ring->cookie != COOKIE) {
		munmap(map, bytes);
		return NULL;
	}
	bell->map = map;
	bell->bytes = bytes;
	return ring;
}

bool rn_memif_bells_attach(struct rn_memif_bells *b, unsigned q, struct rn_wake *wake)
{
	struct rn_memif_bell *bell = &b->bell[q];
	struct ring_head *ring = bell->fd >= 0 && bell->map == NULL ? map_head(b, bell) : NULL;

	if (ring == NULL || rn_wake_attach(wake, bell->fd, &ring->flags) != 0)
		return false;
	bell->wake = wake;
	return true;
}

void rn_memif_bells_detach(struct rn_memif_bells *b)
{
	for (unsigned q = 0; q < RN_MAX_SHARDS; q++) {
		if (b->bell[q].wake != NULL)
			rn_wake_detach(b->bell[q].wake, b->bell[q].fd);
		b->bell[q].wake = NULL;
	}
}
