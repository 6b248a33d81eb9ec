/* The adapters are opened again while the event thread of a removed adapter still holds references
 * on objects that the application has released. */
#include "fixture.h"
#include "rn/link.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The event thread pauses once, after it has unlocked mutexes this many times. 0 or less: no pause
 * is due. */
static _Atomic int unlocks_to_pause;

static void pause_event_thread(void)
{
	char thread[16] = "";

	pthread_getname_np(pthread_self(), thread, sizeof(thread));
	if (strcmp(thread, "rn-events") == 0 && atomic_fetch_sub(&unlocks_to_pause, 1) == 1)
		usleep(30000);
}

/* The dynamic linker takes this function instead of that of the C library, also for calls of the
 * provider. So the test can stop a thread of the provider. */
__attribute__((visibility("default"))) int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*_Atomic unlock)(pthread_mutex_t *);
	int (*f)(pthread_mutex_t *) = atomic_load(&unlock);
	int rc;

	if (f == NULL) {
		*(void **)&f = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
		atomic_store(&unlock, f);
	}
	rc = f(mutex);
	if (atomic_load(&unlocks_to_pause) > 0)
		pause_event_thread();
	return rc;
}

/* The application releases all objects of a removed adapter and at once opens the adapters again.
 * The event thread passes the removal to all objects. In some rounds it pauses while it holds the
 * last references on objects. Both adapters must work. */
static void nd2_own_removed_opens_at_once(void **state)
{
	/* Enough completion queues that most of the 1,024 buckets of the provider's hash table have
	 * one: for these the event thread unlocks a mutex while it holds a reference. */
	enum { CQS = 1500 };
	IND2CompletionQueue **cq = calloc(CQS, sizeof(*cq));

	for (int round = 0; round < 12; round++) {
		struct end e = {.which = round % 2};

		HR(CALL(adapters[e.which], CreateOverlappedFile, &e.file), ND_SUCCESS);
		for (unsigned i = 0; i < CQS; i++)
			cq[i] = new_cq(&e, 1);
		atomic_store(&unlocks_to_pause, 20 + round);
		assert_int_equal(rn_link_unplug(e.which == 0 ? "a" : "b"), 0);
		for (unsigned i = 0; i < 5000 && atomic_load(&unlocks_to_pause) > 0; i++)
			usleep(1000);
		assert_true(atomic_load(&unlocks_to_pause) <= 0);
		for (unsigned i = 0; i < CQS; i++)
			RELEASE(cq[i]);
		NdsHandleClose(e.file);
		close_adapters(NULL);
		open_adapters(NULL);
	}
	free(cq);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nd2_own_removed_opens_at_once, open_adapters,
						close_adapters),
	};

	if (argc > 1)
		use_policy(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
