/* A capture writes every frame, truncated to snaplen, to a pcap file. When the disk is full, the
 * file still ends with a whole record. The loss of frames is logged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/capture.h"

#define FRAME 1000u

/* Redirection of standard error, so that a test can count log lines.
 * - hear() redirects standard error to the temporary file `said`.
 * - stderr_was holds the former standard error, or -1.
 * - lines_so_far() counts the lines of `said` that contain a text.
 * - lines_that_say() restores standard error and counts such lines. */
static int stderr_was = -1;
static FILE *said;

static void hear(void)
{
	said = tmpfile();
	assert_non_null(said);
	fflush(stderr);
	stderr_was = dup(STDERR_FILENO);
	assert_true(dup2(fileno(said), STDERR_FILENO) >= 0);
}

static unsigned lines_so_far(const char *text)
{
	char all[4096], *rest = all;
	unsigned n = 0;

	fflush(stderr);
	/* pread() leaves the file offset, at which the log appends its lines, as it is. */
	ssize_t len = pread(fileno(said), all, sizeof(all) - 1, 0);
	assert_true(len >= 0);
	all[len] = '\0';
	for (char *line; (line = strsep(&rest, "\n")) != NULL;)
		n += line[0] != '\0' && strstr(line, text) != NULL;
	return n;
}

static unsigned lines_that_say(const char *text)
{
	if (stderr_was >= 0) {
		fflush(stderr);
		dup2(stderr_was, STDERR_FILENO);
		close(stderr_was);
		stderr_was = -1;
	}
	return lines_so_far(text);
}

/* Counts the frames in a pcap file. The file must consist of whole records. Each frame begins with
 * a number of four bytes, and these numbers must increase. */
static unsigned frames_in(const char *path)
{
	uint8_t frame[FRAME];
	uint32_t head[6], rec[4], number, last = 0;
	FILE *in = fopen(path, "r");
	unsigned n = 0;
	size_t got;

	assert_non_null(in);
	assert_int_equal(fread(head, sizeof(head), 1, in), 1);
	while ((got = fread(rec, 1, sizeof(rec), in)) == sizeof(rec)) {
		assert_int_equal(rec[2], FRAME);
		assert_int_equal(fread(frame, 1, FRAME, in), FRAME);
		memcpy(&number, frame, sizeof(number));
		assert_true(n == 0 || number > last);
		last = number;
		n++;
	}
	assert_int_equal(got, 0);
	fclose(in);
	return n;
}

static void write_frames(struct rn_capture *c, unsigned from, unsigned to)
{
	uint8_t frame[FRAME] = {0};

	for (uint32_t i = from; i < to; i++) {
		memcpy(frame, &i, sizeof(i));
		rn_capture_frame(c, frame, FRAME, RN_US(i));
	}
}

static void writes_what_passed(void **state)
{
	char path[] = "/tmp/rn-capture-XXXXXX";
	struct rn_capture_file *file;
	uint8_t frame[3000], kept[200];
	uint32_t head[6], rec[4];

	close(mkstemp(path));
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	assert_int_equal(rn_capture_open(&file, path, 100), 0);
	struct rn_capture *c = rn_capture_add(file, RN_S(5));
	assert_non_null(c);
	for (unsigned i = 0; i < 500; i++)
		rn_capture_frame(c, frame, 60 + i, RN_S(5) + RN_US(i));
	assert_int_equal(rn_capture_close(file), 0);

	FILE *in = fopen(path, "r");
	assert_int_equal(fread(head, sizeof(head), 1, in), 1);
	assert_int_equal(head[0], 0xa1b23c4du);
	assert_int_equal(head[5], 1);
	for (unsigned i = 0; i < 500; i++) {
		assert_int_equal(fread(rec, sizeof(rec), 1, in), 1);
		assert_int_equal(rec[3], 60 + i);
		assert_int_equal(rec[2], RN_MIN(60 + i, 100u));
		assert_int_equal(fread(kept, rec[2], 1, in), 1);
		assert_memory_equal(kept, frame, rec[2]);
	}
	assert_int_equal(fgetc(in), EOF);
	fclose(in);
	unlink(path);
}

static void counts_what_did_not_fit(void **state)
{
	struct rn_capture_file *file;
	static uint8_t frame[65535];

	assert_int_equal(rn_capture_open(&file, "/dev/null", 65535), 0);
	struct rn_capture *c = rn_capture_add(file, 0);
	for (unsigned i = 0; i < 2000; i++)
		rn_capture_frame(c, frame, sizeof(frame), i);
	assert_true(rn_capture_close(file) > 0);
}

static void leaves_whole_records_where_the_disk_ends(void **state)
{
	char path[] = "/tmp/rn-capture-XXXXXX";
	struct rn_capture_file *file;
	struct rlimit was, limit;

	close(mkstemp(path));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	limit = (struct rlimit){.rlim_cur = 100000, .rlim_max = was.rlim_max};
	hear();
	assert_int_equal(rn_capture_open(&file, path, 65535), 0);
	struct rn_capture *c = rn_capture_add(file, 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (unsigned i = 0; i < 10; i++) {
		write_frames(c, i * 20, i * 20 + 20);
		usleep(10000);
	}
	uint64_t lost = rn_capture_close(file);
	setrlimit(RLIMIT_FSIZE, &was);

	assert_int_equal(lines_that_say(path), 2);
	assert_int_equal(lines_that_say("File too large"), 1);
	assert_int_equal(frames_in(path), (100000 - 24) / (16 + FRAME));
	assert_int_equal(lost, 200 - frames_in(path));
	char count[64];
	snprintf(count, sizeof(count), "lacks %llu frames", (unsigned long long)lost);
	assert_int_equal(lines_that_say(count), 1);
	fclose(said);
	unlink(path);
}

/* A full file system gets more room while a capture runs. Frames captured from then on are in the
 * file. */
static void goes_on_when_there_is_room_again(void **state)
{
	char dir[] = "/tmp/rn-capture-XXXXXX", path[64];
	struct rn_capture_file *file;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mkdtemp(dir) == NULL)
		skip();
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	if (mount("none", dir, "tmpfs", 0, "size=64k") != 0) {
		rmdir(dir);
		skip();
	}
	snprintf(path, sizeof(path), "%s/pcap", dir);
	hear();
	assert_int_equal(rn_capture_open(&file, path, 65535), 0);
	struct rn_capture *c = rn_capture_add(file, 0);
	write_frames(c, 0, 200);
	/* The writer thread must find the disk full before there is more room. */
	for (unsigned i = 0; i < 2000 && lines_so_far("No space left") == 0; i++)
		usleep(10000);
	assert_int_equal(mount("none", dir, "tmpfs", MS_REMOUNT, "size=1m"), 0);
	write_frames(c, 200, 300);
	uint64_t lost = rn_capture_close(file);
	unsigned kept = frames_in(path);
	umount(dir);
	rmdir(dir);

	assert_int_equal(lines_that_say("No space left"), 1);
	fclose(said);
	assert_true(lost > 0 && kept >= 100);
	assert_int_equal(lost + kept, 300);
}

static void refuses_a_disk_without_room_for_the_header(void **state)
{
	struct rn_capture_file *file;

	assert_int_equal(rn_capture_open(&file, "/dev/full", 100), -ENOSPC);
}

static void makes_a_file_for_its_owner_alone(void **state)
{
	char dir[] = "/tmp/rn-capture-XXXXXX", path[64];
	mode_t mask = umask(0);
	struct rn_capture_file *file;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pcap", dir);
	assert_int_equal(rn_capture_open(&file, path, 100), 0);
	umask(mask);
	hear();
	assert_int_equal(rn_capture_close(file), 0);
	assert_int_equal(lines_that_say(""), 0);
	fclose(said);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_passed),
		cmocka_unit_test(counts_what_did_not_fit),
		cmocka_unit_test(leaves_whole_records_where_the_disk_ends),
		cmocka_unit_test(goes_on_when_there_is_room_again),
		cmocka_unit_test(refuses_a_disk_without_room_for_the_header),
		cmocka_unit_test(makes_a_file_for_its_owner_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
