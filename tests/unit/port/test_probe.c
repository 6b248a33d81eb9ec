/* rn_probe() accepts a buffer, small or large, only if all pages of the buffer have the required
 * rights. rn_probe() changes no byte of the buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "port/probe.h"
#include "base/types.h"

#define PAGE 4096u
#define MB   (UINT64_C(1) << 20)

static uint8_t *map(size_t bytes, int rights)
{
	uint8_t *p = mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static int probe(const void *p, uint64_t length, bool write)
{
	return rn_probe((uintptr_t)p, length, write);
}

/* Each row of the table describes a buffer. All pages of the buffer have the same rights, except
 * one page, the odd page. */
static void rights_of_every_page_count(void **state)
{
	static const struct {
		/* rights: of all pages except the odd page. odd: rights of the odd page; -1: the
		 * odd page is unmapped. */
		int rights, odd;
		int read, write; /* expected results of probing the whole buffer */
	} rows[] = {
		{PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, 0, 0},
		{PROT_READ | PROT_WRITE, PROT_READ, 0, -EFAULT},
		{PROT_READ | PROT_WRITE, PROT_NONE, -EFAULT, -EFAULT},
		{PROT_READ | PROT_WRITE, -1, -EFAULT, -EFAULT},
		{PROT_READ, PROT_READ, 0, -EFAULT},
		{PROT_NONE, PROT_NONE, -EFAULT, -EFAULT},
		{PROT_READ | PROT_EXEC, PROT_READ, 0, -EFAULT},
	};
	static const unsigned sizes[] = {1, 2, 3, 16, 17, 200}, shift[] = {0, 1, 100, PAGE - 1};

	for (unsigned r = 0; r < RN_ARRAY_SIZE(rows); r++) {
		for (unsigned s = 0; s < RN_ARRAY_SIZE(sizes); s++) {
			unsigned n = sizes[s];
			unsigned odd[] = {0, n / 2, n - 1};

			for (unsigned o = 0; o < RN_ARRAY_SIZE(odd); o++) {
				uint8_t *p = map((n + 2) * PAGE, PROT_NONE), *buf = p + PAGE;
				uint8_t *at = buf + odd[o] * PAGE;
				unsigned cut = shift[(r + s + o) % RN_ARRAY_SIZE(shift)];

				mprotect(buf, n * PAGE, rows[r].rights);
				if (rows[r].odd < 0)
					munmap(at, PAGE);
				else
					mprotect(at, PAGE, rows[r].odd);
				/* Neither the first nor the last byte of a buffer needs to be at a
				 * page boundary. */
				assert_int_equal(probe(buf + cut, n * PAGE - cut, false),
						 rows[r].read);
				assert_int_equal(probe(buf, n * PAGE - cut, true), rows[r].write);
				munmap(p, (n + 2) * PAGE);
			}
		}
	}
}

static void one_byte_too_many_is_too_many(void **state)
{
	static const unsigned pages[] = {1, 16, 100};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(pages); i++) {
		uint64_t bytes = (uint64_t)pages[i] * PAGE;
		uint8_t *p = map(bytes + 2 * PAGE, PROT_NONE), *buf = p + PAGE;

		mprotect(buf, bytes, PROT_READ | PROT_WRITE);
		assert_int_equal(probe(buf, bytes, true), 0);
		assert_int_equal(probe(buf, bytes + 1, false), -EFAULT);
		assert_int_equal(probe(buf - 1, bytes, false), -EFAULT);
		assert_int_equal(probe(buf + bytes - 1, 1, true), 0);
		assert_int_equal(probe(buf + bytes, 1, false), -EFAULT);
		munmap(p, bytes + 2 * PAGE);
	}
}

static void impossible_addresses(void **state)
{
	static const struct {
		uint64_t addr, length;
	} rows[] = {
		{0, 1},
		{1, PAGE},
		{8, UINT64_C(1) << 46},
		{UINT64_MAX, 1},
		{UINT64_MAX, 2},
		{UINT64_MAX - 10, UINT64_MAX},
		{UINT64_C(1) << 63, PAGE},
		{UINT64_C(0x00007ffffffff000), PAGE},
		{UINT64_C(0xffffffffff600000), PAGE}, /* vsyscall page: listed, but not readable */
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		assert_int_equal(rn_probe(rows[i].addr, rows[i].length, false), -EFAULT);
		assert_int_equal(rn_probe(rows[i].addr, rows[i].length, true), -EFAULT);
	}
	assert_int_equal(rn_probe(0, 0, true), 0);
	assert_int_equal(rn_probe(UINT64_MAX, 0, true), 0);
}

/* A buffer may extend over several adjacent mappings. */
static void a_buffer_may_lie_in_several_mappings(void **state)
{
	enum { N = 64 };
	uint8_t *p = map(N * 2 * PAGE, PROT_READ | PROT_WRITE);

	/* Alternating rights make the kernel split the memory into many mappings. */
	for (int i = 0; i < N; i += 2)
		mprotect(p + i * 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	assert_int_equal(probe(p + 5, N * 2 * PAGE - 5, true), 0);
	assert_int_equal(probe(p + 5, 4 * PAGE, true), 0);
	munmap(p + N * PAGE, PAGE);
	assert_int_equal(probe(p, N * 2 * PAGE, false), -EFAULT);
	assert_int_equal(probe(p, N * PAGE, true), 0);
	munmap(p, N * 2 * PAGE);
}

/* Read-only memory, such as program text, may be registered for reading. */
static void read_only_memory_is_readable(void **state)
{
	static const char constant[100000] = "x";

	assert_int_equal(probe(constant, sizeof(constant), false), 0);
	assert_int_equal(probe(constant, sizeof(constant), true), -EFAULT);
	assert_int_equal(probe("abc", 4, false), 0);
	assert_int_equal(probe("abc", 4, true), -EFAULT);
}

static unsigned resident_pages(uint8_t *p, size_t bytes)
{
	unsigned char vec[1024];
	unsigned n = 0;

	assert_true(bytes / PAGE <= sizeof(vec));
	assert_int_equal(mincore(p, bytes, vec), 0);
	for (size_t i = 0; i < bytes / PAGE; i++)
		n += vec[i] & 1;
	return n;
}

static void no_byte_changes_and_large_buffers_stay_sparse(void **state)
{
	uint8_t *p = map(4 * MB, PROT_READ | PROT_WRITE);

	memset(p, 0x5a, RN_PROBE_SMALL);
	assert_int_equal(probe(p, RN_PROBE_SMALL, true), 0);
	for (unsigned i = 0; i < RN_PROBE_SMALL; i++)
		assert_int_equal(p[i], 0x5a);
	assert_int_equal(probe(p, 4 * MB, true), 0);
	assert_int_equal(resident_pages(p, 4 * MB), RN_PROBE_SMALL / PAGE);
	munmap(p, 4 * MB);
}

/* Probing a buffer of 4 GiB that was never touched is quick and allocates no pages. */
static void a_huge_sparse_buffer(void **state)
{
	uint64_t bytes = UINT64_C(4) << 30;
	uint8_t *p = map(bytes, PROT_READ | PROT_WRITE);
	struct timespec a, b;
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	/* Only the CPU time of this thread counts, since other processes may take the CPU. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	assert_int_equal(probe(p, bytes, true), 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_minflt - before.ru_minflt < 100);
	assert_true((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 500);
	mprotect(p + bytes / 2, PAGE, PROT_READ);
	assert_int_equal(probe(p, bytes, true), -EFAULT);
	munmap(p, bytes);
}

/* Probes in a thread that blocks all signals. Any fault would end the process, so probing must
 * cause no fault. */
static void *probe_with_faults_blocked(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	assert_int_equal(probe(arg, PAGE, false), -EFAULT);
	assert_int_equal(probe(arg, MB, true), -EFAULT);
	return NULL;
}

static void no_signal_is_ever_raised(void **state)
{
	uint8_t *p = map(MB, PROT_NONE);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, probe_with_faults_blocked, p), 0);
	pthread_join(thread, NULL);
	munmap(p, MB);
}

/* Runs rn_probe_list(), which reads the kernel's list of mappings, on a list made by the test. */
static int list_says(const char *text, uint64_t addr, uint64_t length, bool write)
{
	char path[] = "/tmp/probe-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
	return rn_probe_list(fd, addr, length, write);
}

static void lists_are_read_to_the_end_of_the_buffer(void **state)
{
	static const char list[] =
		"00001000-00003000 r--p 00000000 00:00 0\n"
		"00003000-00005000 rw-p 00000000 00:00 0        [heap] - r-- rw-\n"
		"00005000-00006000 ---p 00000000 00:00 0\n"
		"7fffe0000000-7fffe0001000 rw-s 00000000 08:01 12 /x y\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";
	static const struct {
		uint64_t addr, length;
		bool write;
		int says;
	} rows[] = {
		{0x1000, 0x4000, false, 0},
		{0x1000, 0x4000, true, -EFAULT},
		{0x3000, 0x2000, true, 0},
		{0x2fff, 2, true, -EFAULT},
		{0x2fff, 2, false, 0},
		{0x4fff, 1, true, 0},
		{0x4fff, 2, false, -EFAULT},
		{0xfff, 1, false, -EFAULT},
		{0xfff, 2, false, -EFAULT},
		{0x6000, 1, false, -EFAULT},
		{0x7fffe0000000, 0x1000, true, 0},
		{0x7fffe0000000, 0x1001, true, -EFAULT},
		{0xffffffffff600000, 1, false, -EFAULT},
		{0xfffffffffff00000, 1, false, -EFAULT},
		{0xfff, 0, false, 0},
	};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++)
		assert_int_equal(list_says(list, rows[i].addr, rows[i].length, rows[i].write),
				 rows[i].says);
	assert_int_equal(list_says("", 1, 1, false), -EFAULT);
}

/* Writes a list of mappings to a pipe, one byte at a time. So a read from the pipe may end anywhere
 * in a line. */
static void *feed(void *arg)
{
	static const char list[] =
		"00001000-00003000 r--p 0 00:00 0\n00003000-0000a000 rw-p 0 00:00 0 /a-b\n";
	int fd = *(int *)arg;

	for (size_t i = 0; i < sizeof(list) - 1; i++)
		if (write(fd, list + i, 1) != 1)
			break;
	close(fd);
	return NULL;
}

static void lines_may_be_cut_anywhere(void **state)
{
	pthread_t thread;
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	pthread_create(&thread, NULL, feed, &fds[1]);
	assert_int_equal(rn_probe_list(fds[0], 0x2000, 0x8001, false), -EFAULT);
	pthread_join(thread, NULL);
	assert_int_equal(pipe(fds), 0);
	pthread_create(&thread, NULL, feed, &fds[1]);
	assert_int_equal(rn_probe_list(fds[0], 0x2000, 0x8000, false), 0);
	pthread_join(thread, NULL);
}

/* No file descriptor is free to open the kernel's list of mappings: the error is -ENOMEM, not
 * -EFAULT. Small buffers are probed without the list. */
static void no_descriptor_left(void **state)
{
	struct rlimit had, none;
	uint8_t *p = map(MB, PROT_READ | PROT_WRITE);

	getrlimit(RLIMIT_NOFILE, &had);
	none = had;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	int large = probe(p, MB, true), small = probe(p, PAGE, true);
	setrlimit(RLIMIT_NOFILE, &had);
	assert_int_equal(large, -ENOMEM);
	assert_int_equal(small, 0);
	assert_int_equal(rn_probe_list(-1, 1, 1, false), -ENOMEM);
	munmap(p, MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_of_every_page_count),
		cmocka_unit_test(one_byte_too_many_is_too_many),
		cmocka_unit_test(impossible_addresses),
		cmocka_unit_test(a_buffer_may_lie_in_several_mappings),
		cmocka_unit_test(read_only_memory_is_readable),
		cmocka_unit_test(no_byte_changes_and_large_buffers_stay_sparse),
		cmocka_unit_test(a_huge_sparse_buffer),
		cmocka_unit_test(no_signal_is_ever_raised),
		cmocka_unit_test(lists_are_read_to_the_end_of_the_buffer),
		cmocka_unit_test(lines_may_be_cut_anywhere),
		cmocka_unit_test(no_descriptor_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
