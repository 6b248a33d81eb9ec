/* Keys and QPNs of an adapter differ each time the adapter starts, unless a seed is configured. A
 * seed causes a warning in the log. */
#include "rig.h"

#include <unistd.h>

#define WARNED "softrnic: warning: adapter a: protocol.seed is set"

struct names {
	uint32_t qpn, key;
};

static uint8_t mem[4096];

/* Opens both adapters and creates a QP and a memory region on each. Stores their QPNs and keys in
 * `names`, then closes the adapters. */
static void names_of(const char *more, struct names names[2])
{
	const char *path = rig_pair(1, 1500, more);
	struct rn_link *l[2];

	for (unsigned i = 0; i < 2; i++)
		l[i] = rig_open(path, i);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t pd = rig_pd(l[i]), lkey;
		struct rig_cq cq = rig_cq(l[i], 16);

		names[i].qpn = rig_qp(l[i], pd, &cq, &cq, 4).qpn;
		rig_reg(l[i], pd, mem, sizeof(mem), RN_ACCESS_REMOTE_READ, &lkey, &names[i].key);
	}
	for (unsigned i = 0; i < 2; i++)
		rn_link_close(l[i]);
}

/* Calls names_of(). Returns true when names_of() wrote `text` to standard error. */
static bool says(const char *more, struct names names[2], const char *text)
{
	static char heard[65536];
	int saved = dup(STDERR_FILENO);
	FILE *caught = tmpfile();
	ssize_t n;

	assert_non_null(caught);
	fflush(stderr);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
	names_of(more, names);
	fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	n = pread(fileno(caught), heard, sizeof(heard) - 1, 0);
	assert_true(n >= 0);
	heard[n] = '\0';
	fclose(caught);
	return strstr(heard, text) != NULL;
}

static void every_start_has_its_own(void **state)
{
	struct names first[2], second[2];

	assert_false(says("", first, WARNED));
	assert_false(says("", second, WARNED));
	assert_int_not_equal(first[0].key, second[0].key);
	assert_int_not_equal(first[0].qpn, second[0].qpn);
	assert_int_not_equal(first[0].key, first[1].key);
	assert_int_not_equal(first[0].qpn, first[1].qpn);
}

static void a_seed_repeats_and_is_warned_of(void **state)
{
	struct names first[2], second[2];

	assert_true(says("protocol = { seed = 7; };\n", first, WARNED));
	assert_true(says("protocol = { seed = 7; };\n", second, WARNED));
	assert_memory_equal(first, second, sizeof(first));
	assert_int_not_equal(first[0].key, first[1].key);
	assert_int_not_equal(first[0].qpn, first[1].qpn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_start_has_its_own),
		cmocka_unit_test(a_seed_repeats_and_is_warned_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
