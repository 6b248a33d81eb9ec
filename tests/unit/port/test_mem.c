/* Guarded access to application memory (port/mem.h).
 * - A fault during an access makes the access return false.
 * - A fault elsewhere goes to the application's own handler.
 * - When an application sees the last bytes of a received message, it also sees all earlier
 *   bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <isa-l/crc.h>

#include "port/mem.h"

#define PAGE 4096u

static uint8_t source[1 << 20];

static void copies_every_length_exactly(void **state)
{
	static uint8_t dst[8192];

	for (unsigned i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 167 + i / 251);
	for (unsigned n = 0; n < 1200; n++) {
		for (unsigned at = 0; at < 9; at++) {
			memset(dst, 0xee, sizeof(dst));
			assert_true(rn_mem_guarded.place(dst + 16 + at, source + n, n));
			assert_memory_equal(dst + 16 + at, source + n, n);
			assert_int_equal(dst[15 + at], 0xee);
			assert_int_equal(dst[16 + at + n], 0xee);
			memset(dst, 0xee, sizeof(dst));
			assert_true(rn_mem_guarded.gather(dst + 16, source + at, n));
			assert_memory_equal(dst + 16, source + at, n);
			assert_int_equal(dst[16 + n], 0xee);
		}
	}
}

/* Copy and CRC in one pass, with every kernel of this processor: the copy is exact, and the CRC is
 * that of ISA-L. */
static void gathers_with_the_icrc_of_the_copy(void **state)
{
	static uint8_t dst[8192];

	for (unsigned i = 0; i < sizeof(source); i++)
		source[i] = (uint8_t)(i * 167 + i / 251);
	for (unsigned id = 0; id < RN_ICRC_KERNELS; id++)
		for (unsigned n = 0; rn_icrc_kernel_usable(id) && n < 4200; n += n < 1200 ? 1 : 37)
			for (unsigned at = 0; at < 64; at += 9) {
				uint8_t *to = dst + 16 + n % 64;
				uint32_t icrc = n;

				memset(dst, 0xee, sizeof(dst));
				assert_true(rn_mem_gather_icrc(id, to, source + at * 5, n, &icrc));
				assert_memory_equal(to, source + at * 5, n);
				assert_int_equal(to[-1], 0xee);
				assert_int_equal(to[n], 0xee);
				assert_int_equal(icrc, crc32_gzip_refl(n, to, n));
			}
	uint32_t icrc = 7;
	assert_true(rn_mem_guarded.gather_icrc(dst, source, 4096, &icrc));
	assert_int_equal(icrc, crc32_gzip_refl(7, source, 4096));
}

enum crime { UNMAPPED, READ_ONLY, FORBIDDEN, TRUNCATED };

static uint8_t *victim(enum crime crime)
{
	int fd = memfd_create("victim", 0);

	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	uint8_t *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	memset(p, 1, 2 * PAGE);
	if (crime == UNMAPPED)
		munmap(p + PAGE, PAGE);
	else if (crime == READ_ONLY)
		mprotect(p + PAGE, PAGE, PROT_READ);
	else if (crime == FORBIDDEN)
		mprotect(p + PAGE, PAGE, PROT_NONE);
	else
		assert_int_equal(ftruncate(fd, PAGE), 0);
	close(fd);
	return p;
}

static void faults_make_the_access_fail(void **state)
{
	static const struct {
		enum crime crime;
		bool can_read;
	} rows[] = {{UNMAPPED, false}, {READ_ONLY, true}, {FORBIDDEN, false}, {TRUNCATED, false}};
	uint8_t buf[PAGE];

	/* rn_mem_install() replaces the handlers of the test framework */
	assert_int_equal(rn_mem_install(), 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		uint8_t *p = victim(rows[i].crime);
		for (unsigned n = 1; n <= PAGE; n = n * 2 + 1) {
			/* The first write is wholly inside the bad page, the second crosses into
			 * the bad page. */
			assert_false(rn_mem_guarded.place(p + PAGE, source, n));
			assert_false(rn_mem_guarded.place(p + PAGE - n / 2, source, n));
			assert_true(rn_mem_guarded.place(p + PAGE - n, source, n));
			assert_int_equal(rn_mem_guarded.gather(buf, p + PAGE, n), rows[i].can_read);
			assert_true(rn_mem_guarded.gather(buf, p + PAGE - n, n));
			for (unsigned id = 0; id < RN_ICRC_KERNELS; id++) {
				uint32_t icrc = 0;

				if (!rn_icrc_kernel_usable(id))
					continue;
				assert_int_equal(rn_mem_gather_icrc(id, buf, p + PAGE, n, &icrc),
						 rows[i].can_read);
				assert_int_equal(
					rn_mem_gather_icrc(id, buf, p + PAGE - n / 2, n, &icrc),
					rows[i].can_read);
				assert_true(rn_mem_gather_icrc(id, buf, p + PAGE - n, n, &icrc));
				/* whole blocks: no byte is left for another routine */
				assert_int_equal(
					rn_mem_gather_icrc(id, buf, p + PAGE - 256, 512, &icrc),
					rows[i].can_read);
			}
		}
		munmap(p, PAGE);
		if (rows[i].crime != UNMAPPED)
			munmap(p + PAGE, PAGE);
	}
	rn_mem_uninstall();
}

/* Copies of every length that begin or end at the edge of a page that the application has unmapped.
 * A single byte in such a page makes the copy fail. Longer copies use other instructions. */
static void every_byte_at_an_edge_counts(void **state)
{
	static uint8_t buf[PAGE], page[PAGE];
	uint8_t *p =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *good = p + PAGE, *end = good + PAGE;

	assert_ptr_not_equal(p, MAP_FAILED);
	munmap(p, PAGE);
	munmap(end, PAGE);
	assert_int_equal(rn_mem_install(), 0);
	for (unsigned n = 1; n <= 1000; n++) {
		assert_true(rn_mem_guarded.gather(buf, good, n));
		assert_true(rn_mem_guarded.gather(buf, end - n, n));
		assert_false(rn_mem_guarded.gather(buf, good - 1, n));
		assert_false(rn_mem_guarded.gather(buf, end - n + 1, n));
		memset(good, 7, PAGE);
		memcpy(page, good, PAGE);
		assert_false(rn_mem_guarded.place(end - n + 1, source, n));
		assert_memory_equal(good, page, PAGE - n + 1);
		memset(good, 7, PAGE);
		assert_false(rn_mem_guarded.place(good - 1, source, n));
		assert_memory_equal(good, page, PAGE);
		assert_true(rn_mem_guarded.place(good, source, n));
		assert_memory_equal(good, source, n);
		assert_true(rn_mem_guarded.place(end - n, source, n));
		assert_memory_equal(end - n, source, n);
	}
	rn_mem_uninstall();
	munmap(good, PAGE);
}

static void atomics_succeed_or_fail_as_a_whole(void **state)
{
	uint64_t old = 0;

	assert_int_equal(rn_mem_install(), 0);
	for (enum crime crime = UNMAPPED; crime <= TRUNCATED; crime++) {
		uint8_t *p = victim(crime);
		uint64_t *word = (uint64_t *)(p + PAGE - 8);

		*word = UINT64_MAX;
		assert_true(rn_mem_guarded.fetch_add(word, 3, &old));
		assert_true(old == UINT64_MAX && *word == 2);
		assert_true(rn_mem_guarded.cmp_swap(word, 2, 7, &old));
		assert_true(old == 2 && *word == 7);
		assert_true(rn_mem_guarded.cmp_swap(word, 2, 9, &old));
		assert_true(old == 7 && *word == 7);
		old = 5;
		assert_false(rn_mem_guarded.fetch_add(p + PAGE, 3, &old));
		assert_false(rn_mem_guarded.cmp_swap(p + PAGE, 1, 3, &old));
		assert_int_equal(old, 5);
		munmap(p, PAGE);
		if (crime != UNMAPPED)
			munmap(p + PAGE, PAGE);
	}
	rn_mem_uninstall();
}

/* ---- single steps: each byte is moved once and in order ---- */

#define STEPPED 640u
#define UNMOVED 0xFF

/* The processor traps after each instruction (trap flag). The handler numbers the instructions and
 * writes the number of the next one to all source bytes, so that a byte in the destination says
 * when it was loaded. */
static struct {
	volatile uint8_t *src, *dst;
	unsigned n, step;
	uint8_t moves[STEPPED];	  /* how often byte i was stored */
	unsigned loaded[STEPPED]; /* number of the instruction that loaded byte i */
	unsigned stored[STEPPED];
} steps;

/* The assembly routines of mem.c. Only their instructions are counted. */
extern const char rn_mem_begin[], rn_mem_end[];
extern const char rn_mem_fold_128[], rn_mem_fold_256[], rn_mem_fold_512[];

static void after_step(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	greg_t rip = uc->uc_mcontext.gregs[REG_RIP];

	for (unsigned i = 0; i < steps.n; i++) {
		if (steps.dst[i] != UNMOVED) {
			steps.moves[i]++;
			steps.loaded[i] = steps.dst[i];
			steps.stored[i] = steps.step;
		}
		steps.dst[i] = UNMOVED;
	}
	steps.step += rip >= (greg_t)rn_mem_begin && rip < (greg_t)rn_mem_end;
	assert_true(steps.step < UNMOVED);
	for (unsigned i = 0; i < steps.n; i++)
		steps.src[i] = (uint8_t)steps.step;
}

static void step_through(bool (*copy)(void *, const void *, size_t), uint8_t *dst, uint8_t *src,
			 unsigned n)
{
	memset(&steps, 0, sizeof(steps));
	steps.src = src;
	steps.dst = dst;
	steps.n = n;
	memset(src, 0, n);
	memset(dst, UNMOVED, n);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
	copy(dst, src, n);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc", "memory");
}

static enum rn_icrc_kernel_id kernel;
static uint32_t stepped_icrc;

static bool gather_icrc(void *dst, const void *src, size_t n)
{
	stepped_icrc = 0;
	return rn_mem_gather_icrc(kernel, dst, src, n, &stepped_icrc);
}

/* Other threads change the memory during a copy. The ICRC is that of the bytes that were stored.
 * The source changes after each instruction, so a second load of a byte gives another value. */
static void the_icrc_is_of_the_stored_bytes(void **state)
{
	static _Alignas(64) uint8_t src[STEPPED], dst[STEPPED], stored[STEPPED];
	struct sigaction sa = {.sa_sigaction = after_step, .sa_flags = SA_SIGINFO}, former;

	assert_int_equal(sigaction(SIGTRAP, &sa, &former), 0);
	for (kernel = RN_ICRC_PCLMUL; kernel < RN_ICRC_KERNELS; kernel++) {
		unsigned n = 2 * (unsigned)rn_icrc_kernels[kernel].block;

		if (!rn_icrc_kernel_usable(kernel))
			continue;
		step_through(gather_icrc, dst, src, n);
		for (unsigned i = 0; i < n; i++)
			stored[i] = (uint8_t)steps.loaded[i];
		assert_int_not_equal(stored[0], stored[n - 1]);
		assert_int_equal(stepped_icrc, crc32_gzip_refl(0, stored, n));
	}
	sigaction(SIGTRAP, &former, NULL);
}

/* Other threads use the memory during a copy. A byte that is stored twice undoes what another
 * thread has written in between; an aligned word that is loaded in two pieces may be torn. */
static void each_byte_is_moved_once_and_in_order(void **state)
{
	static _Alignas(64) uint8_t src[STEPPED + 64], dst[STEPPED + 64];
	struct sigaction sa = {.sa_sigaction = after_step, .sa_flags = SA_SIGINFO}, former;

	assert_int_equal(sigaction(SIGTRAP, &sa, &former), 0);
	for (unsigned n = 1; n < 200; n++)
		for (unsigned at = 0; at < 64; at += n < 40 ? 1 : 8) {
			step_through(rn_mem_guarded.place, dst + at, src, n);
			for (unsigned i = 0; i < n; i++) {
				assert_int_equal(steps.moves[i], 1);
				assert_true(i == 0 || steps.stored[i] >= steps.stored[i - 1]);
			}
			/* An aligned word at the end becomes visible last, as a whole. */
			if ((at + n) % 8 == 0 && n > 8) {
				assert_true(steps.stored[n - 8] > steps.stored[n - 9]);
				assert_int_equal(steps.stored[n - 8], steps.stored[n - 1]);
			}
			step_through(rn_mem_guarded.gather, dst, src + at, n);
			for (unsigned i = 1; i < n; i++) {
				assert_true(steps.loaded[i] >= steps.loaded[i - 1]);
				if (at % 8 == 0 && i % 8 && i / 8 * 8 + 8 <= n)
					assert_int_equal(steps.loaded[i], steps.loaded[i - 1]);
			}
		}
	/* Two whole blocks of each kernel, and a rest. */
	for (kernel = 0; kernel < RN_ICRC_KERNELS; kernel++)
		for (unsigned at = 0; rn_icrc_kernel_usable(kernel) && at < 64; at += 8) {
			unsigned n = 2 * (unsigned)rn_icrc_kernels[kernel].block + 40;

			step_through(gather_icrc, dst, src + at, n);
			for (unsigned i = 1; i < n; i++) {
				assert_true(steps.loaded[i] >= steps.loaded[i - 1]);
				if (i % 8)
					assert_int_equal(steps.loaded[i], steps.loaded[i - 1]);
			}
			for (unsigned i = 0; i < n; i++)
				assert_int_equal(steps.moves[i], 1);
		}
	sigaction(SIGTRAP, &former, NULL);
}

/* How many bytes at the start of steps.dst have their new value, and after which instruction the
 * last `nlast` bytes got theirs. */
static struct {
	unsigned stored, nlast, before_last, at_last;
	bool torn; /* the last `nlast` bytes were not stored at once */
} prefix;

static void after_long_step(int sig, siginfo_t *info, void *context)
{
	unsigned former = prefix.stored;

	steps.step++;
	while (prefix.stored < steps.n && steps.dst[prefix.stored] == steps.src[prefix.stored])
		prefix.stored++;
	if (former < steps.n - prefix.nlast && prefix.stored >= steps.n - prefix.nlast)
		prefix.before_last = steps.step;
	if (former < steps.n && prefix.stored == steps.n)
		prefix.at_last = steps.step;
	prefix.torn |= prefix.stored > steps.n - prefix.nlast && prefix.stored < steps.n;
}

/* Copies that use rep movsb too end with an ordinary store of the last word, if its address is a
 * multiple of its size. */
static void the_last_word_of_a_long_copy_comes_last(void **state)
{
	static const unsigned lengths[] = {769, 770, 772, 776, 800, 832, 833, 840, 896, 1024, 1026};
	static _Alignas(64) uint8_t src[2048], dst[2048];
	struct sigaction sa = {.sa_sigaction = after_long_step, .sa_flags = SA_SIGINFO}, former;

	assert_int_equal(sigaction(SIGTRAP, &sa, &former), 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(lengths); i++)
		for (unsigned at = 0; at <= 64; at += 8) {
			unsigned n = lengths[i];

			memset(src, 0x5a, sizeof(src));
			memset(dst, 0, sizeof(dst));
			memset(&steps, 0, sizeof(steps));
			memset(&prefix, 0, sizeof(prefix));
			steps.src = src;
			steps.dst = dst + at;
			steps.n = n;
			prefix.nlast = RN_MIN(8u, 1u << __builtin_ctz(n));
			__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
			rn_mem_guarded.place(dst + at, src, n);
			__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc", "memory");
			assert_int_equal(prefix.stored, n);
			assert_true(prefix.before_last > 0);
			assert_true(prefix.at_last > prefix.before_last);
			assert_false(prefix.torn);
		}
	sigaction(SIGTRAP, &former, NULL);
}

#define ROUNDS 200000u

static _Alignas(8) uint64_t counter;

/* Processors with CET require that every indirect call lands on endbr64. The compiler adds endbr64
 * to C functions; the other routines are written in assembly. */
static void indirect_call_targets_begin_with_endbr64(void **state)
{
	static const uint8_t landing[4] = {0xf3, 0x0f, 0x1e, 0xfa};

	assert_memory_equal(rn_mem_guarded.gather, landing, sizeof(landing));
	assert_memory_equal(rn_mem_guarded.cmp_swap, landing, sizeof(landing));
	assert_memory_equal(rn_mem_guarded.fetch_add, landing, sizeof(landing));
	assert_memory_equal(rn_mem_fold_128, landing, sizeof(landing));
	assert_memory_equal(rn_mem_fold_256, landing, sizeof(landing));
	assert_memory_equal(rn_mem_fold_512, landing, sizeof(landing));
}

static void *count_as_an_application(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void *count_as_a_shard(void *arg)
{
	uint64_t old;

	for (unsigned i = 0; i < ROUNDS; i++)
		if (!rn_mem_guarded.fetch_add(&counter, 1, &old))
			return arg;
	return NULL;
}

/* Increments the counter by compare-and-swap; each successful swap adds one. */
static void *swap_as_a_shard(void *arg)
{
	uint64_t seen = 0, old;

	for (unsigned i = 0; i < ROUNDS; seen = old) {
		if (!rn_mem_guarded.cmp_swap(&counter, seen, seen + 1, &old))
			return arg;
		i += old == seen;
	}
	return NULL;
}

static void atomics_of_several_threads_add_up(void **state)
{
	void *(*const run[])(void *) = {count_as_an_application, count_as_a_shard, count_as_a_shard,
					swap_as_a_shard};
	pthread_t t[RN_ARRAY_SIZE(run)];
	void *failed;

	counter = 0;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(run); i++)
		assert_int_equal(pthread_create(&t[i], NULL, run[i], &counter), 0);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(run); i++) {
		assert_int_equal(pthread_join(t[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(counter, RN_ARRAY_SIZE(run) * ROUNDS);
}

static sigjmp_buf out;
static volatile sig_atomic_t passed_on;

static void applications_handler(int sig)
{
	passed_on++;
	siglongjmp(out, 1);
}

static void passes_other_faults_on(void **state)
{
	struct sigaction sa = {.sa_handler = applications_handler, .sa_flags = SA_NODEFER}, old;
	uint8_t *p = victim(FORBIDDEN);

	sigaction(SIGSEGV, &sa, &old);
	assert_int_equal(rn_mem_install(), 0);
	if (sigsetjmp(out, 1) == 0)
		*(volatile uint8_t *)(p + PAGE) = 1;
	assert_int_equal(passed_on, 1);
	assert_false(rn_mem_guarded.place(p + PAGE, source, 8));
	assert_int_equal(passed_on, 1);
	rn_mem_uninstall();
	struct sigaction now;
	sigaction(SIGSEGV, &old, &now);
	assert_ptr_equal(now.sa_handler, applications_handler);
}

static void unhandled_faults_still_kill(void **state)
{
	pid_t child = fork();

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		rn_mem_install();
		((volatile uint8_t *)victim(FORBIDDEN))[PAGE] = 1;
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static struct sigaction below;
static volatile sig_atomic_t seen;

static void handler_that_passes_on(int sig, siginfo_t *info, void *context)
{
	if (++seen > 1)
		_exit(3); /* not reached: the first fault must end the process */
	below.sa_sigaction(sig, info, context);
}

/* An application installs a handler over rn_mem's handler and passes faults on. rn_mem_uninstall()
 * must leave the application's handler in place. A new rn_mem_install() must not replace this
 * handler, or both handlers would pass a fault to each other for ever. */
static void handlers_over_ours_see_a_fault_once(void **state)
{
	pid_t child = fork();

	if (child == 0) {
		struct sigaction sa = {.sa_sigaction = handler_that_passes_on,
				       .sa_flags = SA_SIGINFO};
		uint8_t *p = victim(FORBIDDEN);
		signal(SIGSEGV, SIG_DFL);
		rn_mem_install();
		sigaction(SIGSEGV, &sa, &below);
		rn_mem_uninstall();
		rn_mem_install();
		if (rn_mem_guarded.place(p + PAGE, source, 8))
			_exit(4);
		seen = 0;
		((volatile uint8_t *)p)[PAGE] = 1;
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}

struct duel {
	uint8_t *buf;
	size_t n;
	unsigned rounds, bad;
	_Atomic unsigned seen;
};

/* Polls the last byte of the buffer. When the last byte has changed, all other bytes must have
 * changed already. */
static void *watch(void *arg)
{
	struct duel *d = arg;

	for (unsigned round = 1; round <= d->rounds; round++) {
		volatile uint8_t *last = d->buf + d->n - 1;
		for (unsigned spins = 0; *last != (uint8_t)round; spins++)
			if (spins % 4096 == 4095)
				sched_yield();
		atomic_thread_fence(memory_order_acquire);
		/* Check from the end: a wrong copy routine would store the bytes before the last
		 * byte too late. */
		for (size_t i = d->n; i-- > 0;)
			d->bad += d->buf[i] != (uint8_t)round;
		atomic_store_explicit(&d->seen, round, memory_order_release);
	}
	return NULL;
}

static unsigned fight(size_t n, unsigned rounds)
{
	static uint8_t src[1 << 20];
	struct duel d = {.buf = calloc(1, n + 64), .n = n, .rounds = rounds};
	pthread_t t;

	pthread_create(&t, NULL, watch, &d);
	for (unsigned round = 1; round <= rounds; round++) {
		memset(src, (int)round, n);
		assert_true(rn_mem_guarded.place(d.buf, src, n));
		while (atomic_load_explicit(&d.seen, memory_order_acquire) != round)
			sched_yield();
	}
	pthread_join(t, NULL);
	free(d.buf);
	return d.bad;
}

/* The number of rounds is multiplied by this factor, taken from the environment variable RN_ROUNDS.
 * RN_ROUNDS=150 gives 1.4 million rounds over all sizes. */
static unsigned factor = 1;

static void last_bytes_come_last(void **state)
{
	static const size_t sizes[] = {1,   2,	  3,	7,    8,    9,	  15,	16,   17,     31,
				       33,  63,	  64,	65,   100,  255,  256,	257,  511,    512,
				       513, 1000, 1024, 1025, 2048, 4000, 4095, 4096, 1 << 20};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(sizes); i++)
		assert_int_equal(fight(sizes[i], (sizes[i] > 65536 ? 10 : 200) * factor), 0);
	for (size_t n = 1; n <= 4096; n++)
		assert_int_equal(fight(n, factor), 0);
}

static int read_factor(void **state)
{
	const char *rounds = getenv("RN_ROUNDS");

	if (rounds != NULL && atoi(rounds) > 0)
		factor = (unsigned)atoi(rounds);
	return 0;
}

static bool is_blocked(int sig)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, sig) == 1;
}

static void block(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(how, &set, NULL);
}

/* rn_mem_unblock(), called before a thread polls, unblocks SIGSEGV. rn_mem_restore() restores the
 * thread's signal mask. times[] are times of the adapters' clock. This clock restarts when an
 * application opens its adapters again, so times[2] is earlier than times[1]. */
static void polling_handles_faults_that_the_thread_blocks(void **state)
{
	static const rn_time times[] = {RN_S(3600), RN_S(3601), RN_S(1), RN_S(2)};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(times); i++) {
		rn_mem_unblock(times[i]);
		assert_false(is_blocked(SIGSEGV));
		rn_mem_restore();
		block(SIG_BLOCK, SIGSEGV);
		rn_mem_unblock(i + 1 < RN_ARRAY_SIZE(times) ? times[i + 1] : times[i] + RN_MS(1));
		assert_false(is_blocked(SIGSEGV));
		rn_mem_restore();
		assert_true(is_blocked(SIGSEGV));
		block(SIG_UNBLOCK, SIGSEGV);
	}
}

/* Returns true if the kernel may use huge pages for the page at p: the flag hg in its VmFlags. */
static bool may_be_huge(const char *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	bool here = false, huge = false;
	unsigned long from, to;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			here = (uintptr_t)p >= from && (uintptr_t)p < to;
		else if (here && strncmp(line, "VmFlags:", 8) == 0)
			huge = strstr(line, " hg") != NULL;
	}
	fclose(f);
	return huge;
}

/* Only whole huge pages: the pages at both ends may belong to other data. */
static void advises_huge_pages_within_the_memory(void **state)
{
	size_t huge = (size_t)2 << 20;
	char *map =
		mmap(NULL, 4 * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = (char *)(((uintptr_t)map + huge - 1) / huge * huge);

	assert_true(map != MAP_FAILED);
	rn_mem_advise_pages(first + PAGE, huge, true);
	assert_false(may_be_huge(first));
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) == 0) {
		rn_mem_advise_pages(first + PAGE, 2 * huge, true);
		assert_true(may_be_huge(first + huge));
		assert_false(may_be_huge(first + PAGE));
		assert_false(may_be_huge(first + 2 * huge));
		rn_mem_advise_pages(first + PAGE, 2 * huge, false);
		assert_false(may_be_huge(first + huge));
	}
	munmap(map, 4 * huge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polling_handles_faults_that_the_thread_blocks),
		cmocka_unit_test(copies_every_length_exactly),
		cmocka_unit_test(gathers_with_the_icrc_of_the_copy),
		cmocka_unit_test(the_icrc_is_of_the_stored_bytes),
		cmocka_unit_test(each_byte_is_moved_once_and_in_order),
		cmocka_unit_test(the_last_word_of_a_long_copy_comes_last),
		cmocka_unit_test(faults_make_the_access_fail),
		cmocka_unit_test(every_byte_at_an_edge_counts),
		cmocka_unit_test(passes_other_faults_on),
		cmocka_unit_test(unhandled_faults_still_kill),
		cmocka_unit_test(handlers_over_ours_see_a_fault_once),
		cmocka_unit_test(last_bytes_come_last),
		cmocka_unit_test(atomics_succeed_or_fail_as_a_whole),
		cmocka_unit_test(indirect_call_targets_begin_with_endbr64),
		cmocka_unit_test(atomics_of_several_threads_add_up),
		cmocka_unit_test(advises_huge_pages_within_the_memory),
	};
	return cmocka_run_group_tests(tests, read_factor, NULL);
}
