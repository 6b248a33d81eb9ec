/* What a restarted daemon finds, and which files it refuses. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/seats.h"

static char folder[64], path[96];

static int set_up(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/seats-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/seats", folder);
	return 0;
}

static int tear_down(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static struct rn_seats *open_seats(void)
{
	struct rn_seats *s = NULL;
	char err[256] = "";

	assert_int_equal(rn_seats_open(&s, path, err, sizeof(err)), 0);
	assert_string_equal(err, "");
	return s;
}

static void assert_refused(int why, const char *words)
{
	struct rn_seats *s = NULL;
	char err[256] = "";

	assert_int_equal(rn_seats_open(&s, path, err, sizeof(err)), why);
	assert_non_null(strstr(err, words));
	assert_non_null(strstr(err, path));
}

static struct rn_secret key_of_file(void)
{
	struct rn_seats *s = open_seats();
	struct rn_secret key = *rn_seats_key(s);

	rn_seats_close(s);
	return key;
}

static void assert_same_key(const struct rn_secret *a, const struct rn_secret *b, bool same)
{
	assert_int_equal(memcmp(a, b, sizeof(*a)) == 0, same);
}

static void a_new_file_is_empty_and_private(void **state)
{
	static const struct rn_secret zero;
	struct rn_seats *s = open_seats();
	struct stat st;

	assert_true(rn_client_set_empty(rn_seats_former(s)));
	for (unsigned n = 0; n <= RN_CLIENT_MAX; n++)
		assert_int_equal(rn_seats_epochs(s)[n], 0);
	assert_same_key(rn_seats_key(s), &zero, false);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	rn_seats_close(s);
}

static void two_files_have_two_keys(void **state)
{
	struct rn_secret first = key_of_file();

	unlink(path);
	struct rn_secret second = key_of_file();
	assert_same_key(&first, &second, false);
}

static void a_second_daemon_is_refused(void **state)
{
	struct rn_seats *s = open_seats();

	assert_refused(-EBUSY, "another softrnicd");
	rn_seats_close(s);
	rn_seats_close(open_seats());
}

static void a_file_of_another_user_is_refused(void **state)
{
	if (geteuid() != 0)
		skip();
	rn_seats_close(open_seats());
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	assert_refused(-EPERM, "this user alone");
}

static void a_file_that_others_may_read_is_refused(void **state)
{
	static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610, 0666};

	rn_seats_close(open_seats());
	for (unsigned i = 0; i < RN_ARRAY_SIZE(modes); i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		assert_refused(-EPERM, "this user alone");
	}
	assert_int_equal(chmod(path, 0600), 0);
	rn_seats_close(open_seats());
}

static void a_link_and_a_folder_are_refused(void **state)
{
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_refused(-ELOOP, "symbolic");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(-EISDIR, "directory");
	rmdir(path);
}

static void contents_survive_reopening(void **state)
{
	struct rn_seats *s = open_seats();
	struct rn_secret key = *rn_seats_key(s);

	rn_seats_take(s, 1, 7);
	rn_seats_take(s, 64, 8);
	rn_seats_take(s, RN_CLIENT_MAX, 9);
	/* The set of the former daemon is that of the start. */
	assert_true(rn_client_set_empty(rn_seats_former(s)));
	rn_seats_leave(s, 64);
	rn_seats_close(s);

	s = open_seats();
	const struct rn_client_set *former = rn_seats_former(s);
	assert_same_key(&key, rn_seats_key(s), true);
	assert_true(rn_client_set_has(former, 1));
	assert_false(rn_client_set_has(former, 64));
	assert_true(rn_client_set_has(former, RN_CLIENT_MAX));
	assert_int_equal(rn_client_set_next(former, 2), RN_CLIENT_MAX);
	/* A number that has left keeps its epoch: an old token must not fit again. */
	assert_int_equal(rn_seats_epochs(s)[1], 7);
	assert_int_equal(rn_seats_epochs(s)[64], 8);
	assert_int_equal(rn_seats_epochs(s)[RN_CLIENT_MAX], 9);
	rn_seats_close(s);
}

/* The numbers rest all the same. */
static void an_end_for_good_expects_nobody(void **state)
{
	struct rn_seats *s = open_seats();
	struct rn_secret key = *rn_seats_key(s);

	rn_seats_take(s, 5, 3);
	rn_seats_close(s);
	s = open_seats();
	assert_true(rn_seats_may_return(s));
	rn_seats_forget(s);
	rn_seats_close(s);
	s = open_seats();
	assert_false(rn_seats_may_return(s));
	assert_true(rn_client_set_has(rn_seats_former(s), 5));
	assert_same_key(&key, rn_seats_key(s), true);
	assert_int_equal(rn_seats_epochs(s)[5], 3);
	rn_seats_close(s);
}

/* A file that is cut anywhere, longer, or of another kind, is replaced: a part of a key must not
 * be used as a key. */
static void a_damaged_file_gets_a_new_key(void **state)
{
	static const off_t lengths[] = {0, 4, 8, 12, 20, 60, 4096};
	static const struct rn_secret zero;

	for (unsigned i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
		struct rn_seats *s = open_seats();
		struct rn_secret key = *rn_seats_key(s), fresh;

		rn_seats_take(s, 9, 1);
		rn_seats_close(s);
		assert_int_equal(truncate(path, lengths[i]), 0);
		s = open_seats();
		fresh = *rn_seats_key(s);
		assert_same_key(&key, &fresh, false);
		assert_same_key(&zero, &fresh, false);
		/* No half of the old key is left. */
		assert_memory_not_equal(&key, &fresh, 8);
		assert_true(rn_client_set_empty(rn_seats_former(s)));
		rn_seats_close(s);
	}
}

static void a_wrong_file_gets_a_new_key(void **state)
{
	struct rn_secret key = key_of_file(), fresh;
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "somebody's notes", 8, 0), 8);
	close(fd);
	fresh = key_of_file();
	assert_same_key(&key, &fresh, false);
	key = key_of_file();
	assert_same_key(&key, &fresh, true);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(a_new_file_is_empty_and_private),
		T(two_files_have_two_keys),
		T(a_second_daemon_is_refused),
		T(a_file_of_another_user_is_refused),
		T(a_file_that_others_may_read_is_refused),
		T(a_link_and_a_folder_are_refused),
		T(contents_survive_reopening),
		T(an_end_for_good_expects_nobody),
		T(a_damaged_file_gets_a_new_key),
		T(a_wrong_file_gets_a_new_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
