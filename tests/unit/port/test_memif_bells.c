/* The doorbells of a memif connection. The test plays the messages of a handshake and writes the
 * eventfds as a peer does: only while the flags in the shared memory ask for that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port/memif_bells.h"

enum { ADD_REGION = 4, ADD_RING = 5, C2S = 1 };
enum { BYTES = 3 * 4096, COOKIE = 0x3E31F20 };

/* What the client of a connection has created. */
static struct {
	int region, efd;
	uint8_t *memory;
} T;

static struct rn_memif_bells bells;
static struct rn_wake shard;

static int set_up(void **state)
{
	T.region = memfd_create("region", MFD_CLOEXEC);
	T.efd = eventfd(0, 0);
	if (ftruncate(T.region, BYTES) != 0)
		return -1;
	T.memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, T.region, 0);
	return rn_wake_open(&shard, RN_WAKE_EVENTFD, NULL);
}

static int tear_down(void **state)
{
	rn_memif_bells_detach(&bells);
	rn_memif_bells_fini(&bells);
	rn_wake_close(&shard);
	munmap(T.memory, BYTES);
	close(T.region);
	close(T.efd);
	return 0;
}

static void put(uint8_t *message, unsigned at, uint32_t value, size_t bytes)
{
	memcpy(message + at, &value, bytes);
}

static void say_region(unsigned index, int fd)
{
	uint8_t m[128] = {ADD_REGION};

	put(m, 2, index, 2);
	put(m, 4, BYTES, 4);
	rn_memif_bells_take(&bells, m, fd);
}

static void say_ring(unsigned flags, unsigned index, unsigned region, uint32_t at, int fd)
{
	uint8_t m[128] = {ADD_RING};

	put(m, 2, flags, 2);
	put(m, 4, index, 2);
	put(m, 6, region, 2);
	put(m, 8, at, 4);
	rn_memif_bells_take(&bells, m, fd);
}

/* The flags of the ring at `at`. The driver has just connected, and asks for no signals. */
static _Atomic uint16_t *ring_at(uint32_t at)
{
	put(T.memory, at, COOKIE, 4);
	put(T.memory, at + 4, RN_WAKE_MASKED, 2);
	return (_Atomic uint16_t *)(T.memory + at + 4);
}

/* A peer with frames. */
static void signal_frames(_Atomic uint16_t *flags)
{
	if ((atomic_load(flags) & RN_WAKE_MASKED) == 0)
		assert_int_equal(eventfd_write(T.efd, 1), 0);
}

static void frames_wake_the_shard_while_it_listens(void **state)
{
	for (unsigned server = 0; server < 2; server++) {
		_Atomic uint16_t *flags = ring_at(4160);

		rn_memif_bells_init(&bells, server);
		say_region(0, T.region);
		say_ring(server ? C2S : 0, 2, 0, 4160, T.efd);
		/* This end transmits into the other ring. */
		say_ring(server ? 0 : C2S, 2, 0, 0, -1);
		assert_true(rn_memif_bells_attach(&bells, 2, &shard));
		/* The driver's receive bursts read the eventfd and must not wait. */
		assert_true(fcntl(T.efd, F_GETFL) & O_NONBLOCK);
		signal_frames(flags);
		for (unsigned i = 0; i < 3; i++) {
			assert_true(rn_wake_listen(&shard));
			assert_false(rn_wake_listen(&shard));
			rn_wake_announce(&shard);
			assert_false(rn_wake_wait(&shard, RN_MS(1)));
			assert_false(shard.signalled);
			signal_frames(flags);
			assert_true(rn_wake_wait(&shard, RN_S(10)));
			assert_true(shard.signalled);
			assert_false(rn_wake_pending(&shard));
			signal_frames(flags);
			assert_true(rn_wake_pending(&shard));
			rn_wake_ignore(&shard);
			signal_frames(flags);
			assert_false(rn_wake_pending(&shard));
		}
		rn_wake_announce(&shard);
		rn_wake_ring(&shard);
		assert_true(rn_wake_wait(&shard, RN_S(10)));
		assert_false(shard.signalled); /* a doorbell, and no frames */
		rn_memif_bells_detach(&bells);
		assert_false(rn_wake_listen(&shard));
		rn_memif_bells_fini(&bells);
		rn_wake_ignore(&shard);
		eventfd_write(T.efd, 1);
		rn_wake_announce(&shard);
		assert_false(rn_wake_wait(&shard, RN_MS(1)));
		eventfd_read(T.efd, &(eventfd_t){0});
	}
}

/* The ring of a new connection has other memory and another eventfd. */
static void a_new_connection_takes_the_place_of_the_former(void **state)
{
	_Atomic uint16_t *flags = ring_at(4096);

	rn_memif_bells_init(&bells, true);
	say_region(0, T.region);
	ring_at(0);
	say_ring(C2S, 0, 0, 0, T.region);
	say_region(0, T.region);
	assert_false(rn_memif_bells_attach(&bells, 0, &shard));
	say_ring(C2S, 0, 0, 4096, T.efd);
	assert_true(rn_memif_bells_attach(&bells, 0, &shard));
	assert_true(rn_wake_listen(&shard));
	signal_frames(flags);
	assert_true(rn_wake_pending(&shard));
	/* The driver of the next connection asks for no signals. */
	atomic_store(flags, RN_WAKE_MASKED);
	assert_true(rn_wake_listen(&shard));
}

/* The shard then looks for frames as on a port without a wake source. */
static void a_ring_without_a_usable_bell_is_not_attached(void **state)
{
	static const struct {
		unsigned flags, index, region;
		uint32_t at;
	} rows[] = {
		{0, 0, 0, 0},		     /* the other direction */
		{C2S, 1, 0, 0},		     /* another ring */
		{C2S, RN_MAX_SHARDS, 0, 0},  /* an index that no shard has */
		{C2S, 0, 1, 0},		     /* in a region that is not known */
		{C2S, 0, 0, 2},		     /* not aligned */
		{C2S, 0, 0, 64},	     /* no cookie there */
		{C2S, 0, 0, BYTES - 4},	     /* the flags are behind the region */
		{C2S, 0, 0, BYTES},	     /* behind the region */
		{C2S, 0, 0, UINT32_MAX - 3}, /* overflows 32 bits */
	};

	rn_memif_bells_init(&bells, true);
	ring_at(0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		say_region(0, T.region);
		say_ring(rows[i].flags, rows[i].index, rows[i].region, rows[i].at, T.efd);
		assert_false(rn_memif_bells_attach(&bells, 0, &shard));
		assert_false(rn_wake_listen(&shard));
	}
	say_region(0, T.region);
	say_ring(C2S, 0, 0, 0, -1); /* without a descriptor */
	assert_false(rn_memif_bells_attach(&bells, 0, &shard));
	say_ring(C2S, 0, 0, 0, T.region); /* a descriptor on which nobody can wait */
	assert_false(rn_memif_bells_attach(&bells, 0, &shard));
	rn_memif_bells_fini(&bells);
	say_ring(C2S, 0, 0, 0, T.efd); /* without a region */
	assert_false(rn_memif_bells_attach(&bells, 0, &shard));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_wake_the_shard_while_it_listens, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_new_connection_takes_the_place_of_the_former,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_ring_without_a_usable_bell_is_not_attached,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
