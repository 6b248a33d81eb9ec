/* If a shard's doorbell rings between the shard's last check for work and its sleep, the wake-up is
 * not lost. A descriptor of a receive queue wakes the shard too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "port/wake.h"

static void drivers_have_rows(void **state)
{
	static const struct {
		const char *driver;
		enum rn_wake_source source;
	} rows[] = {
		{"net_ring", RN_WAKE_PEER},	{"net_af_packet", RN_WAKE_SOCKET},
		{"net_null", RN_WAKE_NEVER},	{"net_memif", RN_WAKE_EVENTFD},
		{"net_tap", RN_WAKE_QUEUE},	{"net_pcap", RN_WAKE_TIMED},
		{"net_af_xdp", RN_WAKE_QUEUE},	{"net_something", RN_WAKE_TIMED},
		{RN_WAKE_OTHER, RN_WAKE_TIMED}, {RN_WAKE_CARD, RN_WAKE_INTR},
		{"net_vhost", RN_WAKE_INTR},	{"net_virtio_user", RN_WAKE_INTR},
		{"net_virtio", RN_WAKE_TIMED},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(rn_wake_row(rows[i].driver)->source, rows[i].source);
}

static void a_doorbell_before_the_sleep_ends_it(void **state)
{
	struct rn_wake w;

	assert_int_equal(rn_wake_open(&w, RN_WAKE_PEER, NULL), 0);
	rn_wake_ring(&w); /* nothing is written to the eventfd while the shard is awake */
	rn_wake_announce(&w);
	assert_false(rn_wake_wait(&w, RN_MS(1)));
	rn_wake_announce(&w);
	rn_wake_ring(&w);
	rn_wake_ring(&w);
	assert_true(rn_wake_wait(&w, RN_S(10)));
	rn_wake_announce(&w);
	assert_false(rn_wake_wait(&w, 0));
	rn_wake_close(&w);
}

struct card {
	unsigned queue, on, off;
};

static void switch_interrupt(void *arg, unsigned queue, bool on)
{
	struct card *c = arg;

	c->queue = queue;
	c->on += on;
	c->off += !on;
}

/* The kernel writes an eventfd for each interrupt, and nobody reads it. */
static void an_interrupt_ends_one_sleep(void **state)
{
	struct card c = {0};
	struct rn_wake w;
	uint64_t one = 1;
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	assert_int_equal(rn_wake_open(&w, RN_WAKE_INTR, NULL), 0);
	w.interrupt = switch_interrupt;
	w.interrupt_arg = &c;
	w.interrupt_queue = 2;
	assert_int_equal(rn_wake_attach(&w, fd, NULL), 0);
	rn_wake_ignore(&w); /* the interrupt is off already */
	assert_int_equal(c.off, 0);
	for (unsigned i = 1; i <= 3; i++) {
		/* Each sleep switches the interrupt on, as some cards switch it off themselves. */
		assert_false(rn_wake_listen(&w));
		assert_int_equal(c.on, i);
		rn_wake_announce(&w);
		assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
		assert_true(rn_wake_wait(&w, RN_S(10)));
		assert_true(w.signalled);
		rn_wake_announce(&w);
		assert_false(rn_wake_wait(&w, RN_MS(1)));
		assert_false(w.signalled);
	}
	rn_wake_ignore(&w);
	rn_wake_ignore(&w);
	assert_int_equal(c.off, 1);
	assert_int_equal(c.queue, 2);
	rn_wake_close(&w);
	close(fd);
}

/* Wake source QUEUE: the descriptor ends a sleep as long as it is readable, except if the shard has
 * found that the driver does not read it. The shard owns a duplicate. */
static void a_readable_queue_ends_the_sleep(void **state)
{
	struct rn_wake w;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(rn_wake_open(&w, RN_WAKE_QUEUE, NULL), 0);
	assert_int_equal(rn_wake_watch(&w, fd[0]), 0);
	close(fd[0]);
	rn_wake_announce(&w);
	assert_false(rn_wake_wait(&w, RN_MS(1)));
	assert_false(w.signalled);
	assert_int_equal(write(fd[1], "f", 1), 1);
	for (unsigned i = 0; i < 2; i++) {
		rn_wake_announce(&w);
		assert_true(rn_wake_wait(&w, RN_S(10)));
		assert_true(w.signalled);
	}
	w.unread = true;
	rn_wake_announce(&w);
	assert_false(rn_wake_wait(&w, RN_MS(1)));
	assert_false(w.signalled);
	rn_wake_announce(&w);
	rn_wake_ring(&w);
	assert_true(rn_wake_wait(&w, RN_S(10)));
	assert_false(w.signalled);
	rn_wake_close(&w);
	/* The write fails, because rn_wake_close() has closed the last descriptor of the reading
	 * end, its own duplicate. */
	assert_int_equal(write(fd[1], "f", 1), -1);
	close(fd[1]);
}

static struct rn_wake bell;
static _Atomic unsigned work;

static void *ringer(void *arg)
{
	for (unsigned i = 0; i < 2000; i++) {
		unsigned before = atomic_load(&work);
		atomic_store_explicit(&work, before + 1, memory_order_release);
		rn_wake_ring(&bell);
		while (atomic_load_explicit(&work, memory_order_acquire) != 0)
			;
	}
	return NULL;
}

static void nothing_is_lost_between_two_threads(void **state)
{
	pthread_t t;
	unsigned got = 0, timeouts = 0;

	assert_int_equal(rn_wake_open(&bell, RN_WAKE_PEER, NULL), 0);
	pthread_create(&t, NULL, ringer, NULL);
	while (got < 2000) {
		rn_wake_announce(&bell);
		if (atomic_load_explicit(&work, memory_order_acquire) == 0)
			timeouts += !rn_wake_wait(&bell, RN_S(5)) && atomic_load(&work) == 0;
		else
			rn_wake_cancel(&bell);
		if (atomic_exchange(&work, 0) != 0)
			got++;
	}
	pthread_join(t, NULL);
	assert_int_equal(timeouts, 0);
	rn_wake_close(&bell);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_have_rows),
		cmocka_unit_test(a_readable_queue_ends_the_sleep),
		cmocka_unit_test(a_doorbell_before_the_sleep_ends_it),
		cmocka_unit_test(an_interrupt_ends_one_sleep),
		cmocka_unit_test(nothing_is_lost_between_two_threads),
	};
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
