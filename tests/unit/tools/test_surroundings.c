/* The number of threads that a measurement keeps busy, and the number of CPUs that are free for
 * these threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/surroundings.h"

static void busy_threads(void **state)
{
	static const struct {
		const char *port, *idle;
		uint32_t shards;
		unsigned busy;
	} rows[] = {
		{"memif", "inline", 1, 2},	 {"ring", "inline", 1, 2},
		{"af_packet", "inline", 1, 1},	 {"memif", "poll", 1, 4},
		{"af_packet", "adaptive", 2, 3}, {"vdev", "poll", 4, 5},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rn_link_info info = {.shards = rows[i].shards};

		strcpy(info.port, rows[i].port);
		strcpy(info.idle, rows[i].idle);
		assert_int_equal(surroundings_busy(&info), rows[i].busy);
	}
}

static void free_processors(void **state)
{
	static const struct {
		struct surroundings s;
		double free;
	} rows[] = {
		/* no other program runs: both CPUs are free */
		{{.cpus = 2, .load = 0.1, .running = 2, .busy = 2}, 2},
		/* the load average still counts an earlier test: both CPUs are free */
		{{.cpus = 2, .load = 1.8, .running = 2, .busy = 2}, 2},
		/* a short burst of other threads does not count: both CPUs are free */
		{{.cpus = 2, .load = 0, .running = 9, .busy = 2}, 2},
		/* another program uses one CPU */
		{{.cpus = 2, .load = 7, .running = 3, .busy = 2}, 1},
		/* other programs use all CPUs */
		{{.cpus = 2, .load = 7, .running = 9, .busy = 2}, 0},
		{{.cpus = 16, .load = 7.5, .running = 20, .busy = 4}, 8.5},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(surroundings_free(&rows[i].s) == rows[i].free);
}

static void this_machine(void **state)
{
	struct rn_link_info info = {.shards = 1, .port = "memif", .idle = "inline"};
	struct surroundings s;

	(void)state;
	surroundings_read(&s, &info);
	assert_in_range(s.cpus, 1, 4096);
	assert_in_range(s.running, 1, 100000);
	assert_true(s.load >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_threads),
		cmocka_unit_test(free_processors),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
