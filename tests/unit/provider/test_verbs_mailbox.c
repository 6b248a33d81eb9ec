/* Mailboxes of events: the descriptor tells whether a note waits, each note is taken as often as it
 * was sent, and the end of an object withdraws its notes and waits for acknowledgements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "verbs/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static struct vb_mailbox box;

static bool readable(void)
{
	struct pollfd p = {.fd = box.fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int open_box(void **state)
{
	int rc = vb_mailbox_init(&box);

	return rc != 0 ? rc : fcntl(box.fd, F_SETFL, fcntl(box.fd, F_GETFL) | O_NONBLOCK);
}

static int close_box(void **state)
{
	vb_mailbox_fini(&box);
	return 0;
}

static void an_empty_mailbox_is_not_readable(void **state)
{
	assert_false(readable());
	assert_null(vb_mailbox_take(&box));
	assert_int_equal(errno, EAGAIN);
}

static void notes_are_taken_in_order_and_as_often_as_sent(void **state)
{
	struct vb_note one = {0}, two = {0};

	vb_mailbox_send(&box, &one);
	vb_mailbox_send(&box, &two);
	vb_mailbox_send(&box, &one);
	assert_true(readable());
	assert_ptr_equal(vb_mailbox_take(&box), &one);
	assert_ptr_equal(vb_mailbox_take(&box), &two);
	assert_true(readable());
	assert_ptr_equal(vb_mailbox_take(&box), &one);
	assert_false(readable());
	assert_null(vb_mailbox_take(&box));
}

static void retiring_withdraws_notes(void **state)
{
	struct vb_note one = {0}, two = {0}, three = {0};

	vb_mailbox_send(&box, &one);
	vb_mailbox_send(&box, &two);
	vb_mailbox_send(&box, &two);
	vb_mailbox_send(&box, &three);
	vb_mailbox_retire(&box, &two);
	assert_ptr_equal(vb_mailbox_take(&box), &one);
	vb_mailbox_ack(&box, &one, 1);
	vb_mailbox_retire(&box, &three);
	assert_false(readable());
	vb_mailbox_retire(&box, &one);
	vb_mailbox_send(&box, &two);
	assert_ptr_equal(vb_mailbox_take(&box), &two);
}

static _Atomic bool acked;

static void *acknowledge(void *arg)
{
	usleep(50000);
	acked = true;
	vb_mailbox_ack(&box, arg, 2);
	return NULL;
}

static void retiring_waits_for_acknowledgements(void **state)
{
	struct vb_note note = {0};
	pthread_t thread;

	acked = false;
	vb_mailbox_send(&box, &note);
	vb_mailbox_send(&box, &note);
	assert_non_null(vb_mailbox_take(&box));
	assert_non_null(vb_mailbox_take(&box));
	assert_int_equal(pthread_create(&thread, NULL, acknowledge, &note), 0);
	vb_mailbox_retire(&box, &note);
	assert_true(acked);
	pthread_join(thread, NULL);
}

static void *take(void *arg)
{
	return vb_mailbox_take(&box);
}

static void start_taking(pthread_t *thread)
{
	assert_int_equal(fcntl(box.fd, F_SETFL, fcntl(box.fd, F_GETFL) & ~O_NONBLOCK), 0);
	assert_int_equal(pthread_create(thread, NULL, take, NULL), 0);
	usleep(20000);
}

/* A thread that takes a note reads the descriptor before it takes the lock. In between another
 * thread may destroy the object of that note. */
static void a_withdrawn_note_leaves_the_descriptor_unreadable(void **state)
{
	struct vb_note one = {0}, two = {0};
	uint64_t count;

	vb_mailbox_send(&box, &one);
	assert_int_equal(read(box.fd, &count, sizeof(count)), sizeof(count));
	vb_mailbox_retire(&box, &one);
	vb_mailbox_send(&box, &two);
	assert_int_equal(write(box.fd, &count, sizeof(count)), sizeof(count));
	assert_ptr_equal(vb_mailbox_take(&box), &two);
	assert_false(readable());
}

static void a_waiting_thread_gets_the_note(void **state)
{
	struct vb_note note = {0};
	pthread_t thread;
	void *got;

	start_taking(&thread);
	vb_mailbox_send(&box, &note);
	pthread_join(thread, &got);
	assert_ptr_equal(got, &note);
}

/* AddressSanitizer reports the stack of every cancelled thread, because it does not see how a
 * cancellation leaves the functions of the thread. */
#ifndef __SANITIZE_ADDRESS__
static void a_waiting_thread_can_be_cancelled(void **state)
{
	pthread_t thread;
	void *got;

	start_taking(&thread);
	assert_int_equal(pthread_cancel(thread), 0);
	pthread_join(thread, &got);
	assert_ptr_equal(got, PTHREAD_CANCELED);
}

static void *send_and_retire_when_cancelled(void *arg)
{
	struct vb_note two = {0};

	pthread_cancel(pthread_self());
	vb_mailbox_send(&box, arg);
	vb_mailbox_send(&box, &two);
	vb_mailbox_retire(&box, &two);
	pthread_testcancel();
	return NULL;
}

/* A cancelled thread must not keep the lock. */
static void sending_and_retiring_are_no_cancellation_points(void **state)
{
	struct vb_note note = {0};
	pthread_t thread;
	void *got;

	assert_int_equal(pthread_create(&thread, NULL, send_and_retire_when_cancelled, &note), 0);
	pthread_join(thread, &got);
	assert_ptr_equal(got, PTHREAD_CANCELED);
	assert_int_equal(pthread_mutex_trylock(&box.lock), 0);
	pthread_mutex_unlock(&box.lock);
	assert_ptr_equal(vb_mailbox_take(&box), &note);
	assert_null(vb_mailbox_take(&box));
}
#endif

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_box, close_box)
	const struct CMUnitTest tests[] = {
		TEST(an_empty_mailbox_is_not_readable),
		TEST(notes_are_taken_in_order_and_as_often_as_sent),
		TEST(retiring_withdraws_notes),
		TEST(retiring_waits_for_acknowledgements),
		TEST(a_withdrawn_note_leaves_the_descriptor_unreadable),
		TEST(a_waiting_thread_gets_the_note),
#ifndef __SANITIZE_ADDRESS__
		TEST(a_waiting_thread_can_be_cancelled),
		TEST(sending_and_retiring_are_no_cancellation_points),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
