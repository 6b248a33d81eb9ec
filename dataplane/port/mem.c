/* Reads and writes application memory that the application may unmap at any moment. Only the
 * assembly routines below access this memory. After a fault in a routine, the signal handler
 * resumes at a common exit that returns false. Owns the process's SIGSEGV and SIGBUS handlers. Any
 * thread may access memory this way. */
#include "port/mem.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifndef __x86_64__
#error "the copy routines are written for x86-64"
#endif

/* The routines that access application memory. After a fault each routine returns false.
 * - rn_mem_copy() copies n bytes in ascending order, by ordinary stores and rep movsb. The last
 *   store is an ordinary one, of the last 8 bytes if n is a multiple of 8; otherwise of the last 4,
 *   2 or 1 bytes, the largest of these of which n is a multiple.
 * - rn_mem_store() makes one store of n = 1, 2, 4 or 8 bytes.
 * - rn_mem_cmp_swap() and rn_mem_fetch_add() execute one locked instruction each, and store the
 *   former value in *old.
 * - rn_mem_fold_128(), _256() and _512() copy n bytes, a multiple of the kernel's block, and fold
 *   them for the CRC (wire/icrc_kernel.h), with registers of that many bits. They store the sums.
 *   The bytes that are folded are those that are stored, even if another thread changes the source:
 *   each byte is loaded once.
 *
 * The routines use no stack and no callee-saved register. So after a fault the signal handler can
 * continue at rn_mem_fault, which returns false to the caller of the routine. Routines called
 * through pointers (rn_mem_guarded) begin with endbr64, as CET requires.
 *
 * rn_mem_copy() moves each byte once, because other threads may use the memory at the same time: a
 * second store of a byte would undo what another thread has written, and a second load could tear a
 * word. Copies of up to 768 bytes use moves of 16 bytes, four at a time. Longer copies use rep
 * movsb, which current cores execute a cache line at a time, for all but the first 64 bytes and the
 * last 1 to 64 bytes: the stores of one rep movsb may become visible in any order, but all of them
 * before a later store (Intel SDM vol. 3, 9.2.4). */
__asm__(".pushsection .text\n"
	".p2align 6\n"
	".globl rn_mem_begin, rn_mem_copy, rn_mem_store, rn_mem_fault, rn_mem_end\n"
	".globl rn_mem_cmp_swap, rn_mem_fetch_add\n"
	".globl rn_mem_fold_128, rn_mem_fold_256, rn_mem_fold_512\n"
	".hidden rn_mem_begin, rn_mem_copy, rn_mem_store, rn_mem_fault, rn_mem_end\n"
	".hidden rn_mem_cmp_swap, rn_mem_fetch_add\n"
	".hidden rn_mem_fold_128, rn_mem_fold_256, rn_mem_fold_512\n"
	".type rn_mem_copy, @function\n"
	".type rn_mem_store, @function\n"
	".type rn_mem_cmp_swap, @function\n"
	".type rn_mem_fetch_add, @function\n"
	".type rn_mem_fold_128, @function\n"
	".type rn_mem_fold_256, @function\n"
	".type rn_mem_fold_512, @function\n"
	"rn_mem_begin:\n"
	"rn_mem_copy:\n"
	"	endbr64\n"
	"1:	subq $64, %rdx\n"
	"	jb 2f\n"
	"	movdqu (%rsi), %xmm0\n"
	"	movdqu 16(%rsi), %xmm1\n"
	"	movdqu 32(%rsi), %xmm2\n"
	"	movdqu 48(%rsi), %xmm3\n"
	"	movdqu %xmm0, (%rdi)\n"
	"	movdqu %xmm1, 16(%rdi)\n"
	"	movdqu %xmm2, 32(%rdi)\n"
	"	jz 7f\n"
	"	movdqu %xmm3, 48(%rdi)\n"
	"	addq $64, %rsi\n"
	"	addq $64, %rdi\n"
	"	cmpq $704, %rdx\n"
	"	jbe 1b\n"
	"	leaq -1(%rdx), %rcx\n"
	"	andq $-64, %rcx\n"
	"	subq %rcx, %rdx\n"
	"	rep movsb\n"
	"	jmp 1b\n"
	"2:	testl $32, %edx\n"
	"	jz 3f\n"
	"	movdqu (%rsi), %xmm0\n"
	"	movdqu 16(%rsi), %xmm1\n"
	"	movdqu %xmm0, (%rdi)\n"
	"	movq %xmm1, 16(%rdi)\n"
	"	movhps %xmm1, 24(%rdi)\n"
	"	addq $32, %rsi\n"
	"	addq $32, %rdi\n"
	"3:	testl $16, %edx\n"
	"	jz 4f\n"
	"	movdqu (%rsi), %xmm0\n"
	"	movq %xmm0, (%rdi)\n"
	"	movhps %xmm0, 8(%rdi)\n"
	"	addq $16, %rsi\n"
	"	addq $16, %rdi\n"
	"4:	testl $8, %edx\n"
	"	jz 5f\n"
	"	movq (%rsi), %rax\n"
	"	movq %rax, (%rdi)\n"
	"	addq $8, %rsi\n"
	"	addq $8, %rdi\n"
	"5:	testl $7, %edx\n"
	"	jz 8f\n"
	"	testl $4, %edx\n"
	"	jz 6f\n"
	"	movl (%rsi), %eax\n"
	"	movl %eax, (%rdi)\n"
	"	addq $4, %rsi\n"
	"	addq $4, %rdi\n"
	"6:	testl $2, %edx\n"
	"	jz 9f\n"
	"	movw (%rsi), %ax\n"
	"	movw %ax, (%rdi)\n"
	"	addq $2, %rsi\n"
	"	addq $2, %rdi\n"
	"9:	testl $1, %edx\n"
	"	jz 8f\n"
	"	movb (%rsi), %al\n"
	"	movb %al, (%rdi)\n"
	"	jmp 8f\n"
	"7:	movq %xmm3, 48(%rdi)\n"
	"	movhps %xmm3, 56(%rdi)\n"
	"8:	movl $1, %eax\n"
	"	ret\n"
	"rn_mem_store:\n"
	"	movl $1, %eax\n"
	"	cmpq $8, %rdx\n"
	"	jne 1f\n"
	"	movq %rsi, (%rdi)\n"
	"	ret\n"
	"1:	cmpq $4, %rdx\n"
	"	jne 1f\n"
	"	movl %esi, (%rdi)\n"
	"	ret\n"
	"1:	cmpq $2, %rdx\n"
	"	jne 1f\n"
	"	movw %si, (%rdi)\n"
	"	ret\n"
	"1:	movb %sil, (%rdi)\n"
	"	ret\n"
	"rn_mem_cmp_swap:\n"
	"	endbr64\n"
	"	movq %rsi, %rax\n"
	"	lock cmpxchgq %rdx, (%rdi)\n"
	"	movq %rax, (%rcx)\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"rn_mem_fetch_add:\n"
	"	endbr64\n"
	"	lock xaddq %rsi, (%rdi)\n"
	"	movq %rsi, (%rdx)\n"
	"	movl $1, %eax\n"
	"	ret\n"
	/* One step of a copy that folds: copies a register of data, and moves a register of sums
	 * forward by a block. The data still has to be XOR-ed with `part` and `sum`. */
	".macro rn_mem_step at, sum, data, part, factors, move\n"
	"	\\move \\at(%rsi), \\data\n"
	"	vpclmulqdq $0x00, \\factors, \\sum, \\part\n"
	"	vpclmulqdq $0x11, \\factors, \\sum, \\sum\n"
	"	\\move \\data, \\at(%rdi)\n"
	".endm\n"
	"rn_mem_fold_128:\n"
	"	endbr64\n"
	"	vmovdqu (%r8), %xmm15\n"
	"	vmovd %r9d, %xmm14\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	vmovdqu 16*\\i(%rsi), %xmm\\i\n"
	"	vmovdqu %xmm\\i, 16*\\i(%rdi)\n"
	".endr\n"
	"	vpxor %xmm14, %xmm0, %xmm0\n"
	"	jmp 2f\n"
	"	.p2align 5\n"
	"1:\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	rn_mem_step 16*\\i, %xmm\\i, %xmm8, %xmm9, %xmm15, vmovdqu\n"
	"	vpxor %xmm8, %xmm9, %xmm9\n"
	"	vpxor %xmm9, %xmm\\i, %xmm\\i\n"
	".endr\n"
	"2:	subq $-128, %rsi\n"
	"	subq $-128, %rdi\n"
	"	addq $-128, %rdx\n"
	"	jnz 1b\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	vmovdqu %xmm\\i, 16*\\i(%rcx)\n"
	".endr\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"rn_mem_fold_256:\n"
	"	endbr64\n"
	"	vbroadcasti128 (%r8), %ymm15\n"
	"	vmovd %r9d, %xmm14\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	vmovdqu 32*\\i(%rsi), %ymm\\i\n"
	"	vmovdqu %ymm\\i, 32*\\i(%rdi)\n"
	".endr\n"
	"	vpxor %ymm14, %ymm0, %ymm0\n"
	"	jmp 2f\n"
	"	.p2align 5\n"
	"1:\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	rn_mem_step 32*\\i, %ymm\\i, %ymm8, %ymm9, %ymm15, vmovdqu\n"
	"	vpxor %ymm8, %ymm9, %ymm9\n"
	"	vpxor %ymm9, %ymm\\i, %ymm\\i\n"
	".endr\n"
	"2:	addq $256, %rsi\n"
	"	addq $256, %rdi\n"
	"	subq $256, %rdx\n"
	"	jnz 1b\n"
	".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	vmovdqu %ymm\\i, 32*\\i(%rcx)\n"
	".endr\n"
	"	vzeroupper\n"
	"	movl $1, %eax\n"
	"	ret\n"
	"rn_mem_fold_512:\n"
	"	endbr64\n"
	"	vbroadcasti32x4 (%r8), %zmm15\n"
	"	vmovd %r9d, %xmm14\n"
	".irp i, 0, 1, 2, 3\n"
	"	vmovdqu64 64*\\i(%rsi), %zmm\\i\n"
	"	vmovdqu64 %zmm\\i, 64*\\i(%rdi)\n"
	".endr\n"
	"	vpxorq %zmm14, %zmm0, %zmm0\n"
	"	jmp 2f\n"
	"	.p2align 5\n"
	"1:\n"
	".irp i, 0, 1, 2, 3\n"
	"	rn_mem_step 64*\\i, %zmm\\i, %zmm8, %zmm9, %zmm15, vmovdqu64\n"
	"	vpternlogq $0x96, %zmm8, %zmm9, %zmm\\i\n"
	".endr\n"
	"2:	addq $256, %rsi\n"
	"	addq $256, %rdi\n"
	"	subq $256, %rdx\n"
	"	jnz 1b\n"
	".irp i, 0, 1, 2, 3\n"
	"	vmovdqu64 %zmm\\i, 64*\\i(%rcx)\n"
	".endr\n"
	"	vzeroupper\n"
	"	movl $1, %eax\n"
	"	ret\n"
	".purgem rn_mem_step\n"
	"rn_mem_end:\n"
	"rn_mem_fault:\n"
	"	xorl %eax, %eax\n"
	"	ret\n"
	".popsection\n");

extern const char rn_mem_begin[], rn_mem_end[], rn_mem_fault[];
bool rn_mem_copy(void *dst, const void *src, size_t n);
bool rn_mem_store(void *dst, uint64_t value, size_t n);
bool rn_mem_cmp_swap(void *dst, uint64_t compare, uint64_t swap, uint64_t *old);
bool rn_mem_fetch_add(void *dst, uint64_t add, uint64_t *old);
/* The first four bytes are XOR-ed with `start` before they are folded, but not in dst. */
typeof(bool(void *dst, const void *src, size_t n, uint8_t *sums, const uint64_t by_block[2],
	    uint32_t start)) rn_mem_fold_128,
	rn_mem_fold_256, rn_mem_fold_512;

static struct sigaction former[2];
static unsigned installed; /* number of rn_mem_install() calls without rn_mem_uninstall() so far */
/* [0] SIGSEGV, [1] SIGBUS. True if on_fault() is installed, or if a handler that was installed
 * later may pass faults on to on_fault(). */
static bool in_place[2];
static const int signals[2] = {SIGSEGV, SIGBUS};

/* Handles a signal as if on_fault() were not installed. */
static void pass_on(const struct sigaction *old, int sig, siginfo_t *info, void *context)
{
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else if (old->sa_handler == SIG_DFL || info->si_code > 0) {
		/* Restore the default action and return. The faulting instruction then runs again
		 * and ends the process, with the right address in the core dump. A signal from
		 * kill() has no such instruction, so send the signal again. */
		signal(sig, SIG_DFL);
		if (info->si_code <= 0)
			raise(sig);
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *rip = &uc->uc_mcontext.gregs[REG_RIP];

	if (info->si_code > 0 && *rip >= (greg_t)rn_mem_begin && *rip < (greg_t)rn_mem_end)
		*rip = (greg_t)rn_mem_fault;
	else
		pass_on(&former[sig == SIGBUS], sig, info, context);
}

int rn_mem_install(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (installed > 0) {
		installed++;
		return 0;
	}
	sigemptyset(&sa.sa_mask);
	for (unsigned i = 0; i < 2; i++) {
		/* If in_place is still set from before the last rn_mem_uninstall(), another handler
		 * was installed over on_fault() and may pass faults on to it. If on_fault() were
		 * now installed over the other handler, both handlers would call each other for
		 * ever. */
		if (!in_place[i] && sigaction(signals[i], &sa, &former[i]) != 0)
			return -errno;
		in_place[i] = true;
	}
	installed = 1;
	return 0;
}

void rn_mem_uninstall(void)
{
	struct sigaction now;

	if (--installed > 0)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
		    now.sa_sigaction == on_fault)
			in_place[i] = sigaction(signals[i], &former[i], NULL) != 0;
}

#define MASK_AGE RN_US(50)

/* The state of SIGSEGV and SIGBUS in the signal mask of the calling thread. The initial-exec TLS
 * model makes the access in every poll iteration cheap. */
static _Thread_local struct {
	rn_time seen;	/* time at which the mask was read */
	bool open;	/* neither SIGSEGV nor SIGBUS was blocked at that time */
	bool blocks[2]; /* was SIGSEGV [0], SIGBUS [1] blocked? rn_mem_restore() blocks it again */
} mask __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) void read_signal_mask(rn_time now)
{
	sigset_t faults, before;

	sigemptyset(&faults);
	for (unsigned i = 0; i < 2; i++)
		sigaddset(&faults, signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &faults, &before);
	for (unsigned i = 0; i < 2; i++)
		mask.blocks[i] = sigismember(&before, signals[i]) == 1;
	/* If a signal was blocked, `open` stays false, so the next poll iteration reads the mask
	 * again. */
	mask.open = !mask.blocks[0] && !mask.blocks[1];
	mask.seen = now;
}

/* Reads the signal mask again if a signal was blocked, or if the last reading is MASK_AGE old.
 * `now` may be less than mask.seen: the clock restarts when the adapters are opened again, and two
 * adapters may differ a little. */
void rn_mem_unblock(rn_time now)
{
	if (!mask.open || now - mask.seen + MASK_AGE >= 2 * MASK_AGE)
		read_signal_mask(now);
}

static __attribute__((noinline)) void block_again(void)
{
	sigset_t faults;

	sigemptyset(&faults);
	for (unsigned i = 0; i < 2; i++)
		if (mask.blocks[i])
			sigaddset(&faults, signals[i]);
	pthread_sigmask(SIG_BLOCK, &faults, NULL);
}

void rn_mem_restore(void)
{
	if (rn_unlikely(!mask.open))
		block_again();
}

bool rn_mem_gather_icrc(enum rn_icrc_kernel_id id, void *dst, const void *ptr, size_t n,
			uint32_t *icrc)
{
	static typeof(rn_mem_fold_128) *const fold[RN_ICRC_KERNELS] = {
		[RN_ICRC_PCLMUL] = rn_mem_fold_128,
		[RN_ICRC_VPCLMUL256] = rn_mem_fold_256,
		[RN_ICRC_VPCLMUL512] = rn_mem_fold_512,
	};
	const struct rn_icrc_kernel *k = &rn_icrc_kernels[id];
	_Alignas(64) uint8_t sums[RN_ICRC_BLOCK_MAX];
	size_t whole = fold[id] ? n & -k->block : 0;
	uint8_t *rest = (uint8_t *)dst + whole;

	if (!whole) {
		if (!rn_mem_copy(dst, ptr, n))
			return false;
		*icrc = k->add(*icrc, dst, n);
		return true;
	}
	if (!fold[id](dst, ptr, whole, sums, k->by_block, ~*icrc) ||
	    !rn_mem_copy(rest, (const uint8_t *)ptr + whole, n - whole))
		return false;
	*icrc = k->end(sums, rest, n - whole);
	return true;
}

static bool gather_icrc(void *dst, const void *ptr, size_t n, uint32_t *icrc)
{
	return rn_mem_gather_icrc(rn_icrc_kernel_best(), dst, ptr, n, icrc);
}

/* Returns the width in bytes of the final store, which ends at `end`: 8, 4, 2 or 1. This is the
 * largest width that is at most n and naturally aligned. Other threads see a naturally aligned
 * store as one store. */
static size_t last_bytes(uintptr_t end, size_t n)
{
	size_t width = 8;

	if (rn_likely(n >= width && end % width == 0))
		return width;
	while (width > n || (end & (width - 1)) != 0)
		width /= 2;
	return width;
}

/* place() for memory that does not begin at a multiple of 8: copies the last bytes by a separate
 * store. */
static __attribute__((noinline)) bool place_unaligned(void *ptr, const void *src, size_t n)
{
	if (n == 0)
		return true;
	size_t last = last_bytes((uintptr_t)ptr + n, n);
	size_t body = n - last;
	uint64_t value = 0;

	/* A copy of constant size is one instruction, any other is a call. */
	if (rn_likely(last == sizeof(value)))
		memcpy(&value, (const char *)src + body, sizeof(value));
	else
		memcpy(&value, (const char *)src + body, last);
	if (body > 0 && !rn_mem_copy(ptr, src, body))
		return false;
	/* On x86 this fence is only a compiler barrier, which is enough. */
	atomic_thread_fence(memory_order_release);
	return rn_mem_store((char *)ptr + body, value, last);
}

/* Applications poll the last byte of a buffer for the end of a WRITE, so the last bytes must become
 * visible after all other bytes. In memory that begins at a multiple of 8 the last store of
 * rn_mem_copy() is the one that last_bytes() requires. */
static bool place(void *ptr, const void *src, size_t n)
{
	if (rn_likely((uintptr_t)ptr % sizeof(uint64_t) == 0))
		return rn_mem_copy(ptr, src, n);
	return place_unaligned(ptr, src, n);
}

const struct rn_mem_ops rn_mem_guarded = {.gather = rn_mem_copy,
					  .place = place,
					  .cmp_swap = rn_mem_cmp_swap,
					  .fetch_add = rn_mem_fetch_add,
					  .gather_icrc = gather_icrc};

#define HUGE_PAGE ((uintptr_t)2 << 20)

/* Since Linux 6.1: makes huge pages at once of pages that are in use. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

void rn_mem_advise_pages(void *memory, size_t bytes, bool huge)
{
	uintptr_t first = RN_ALIGN_UP((uintptr_t)memory, HUGE_PAGE);
	uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;

	if (first >= end)
		return;
	madvise((void *)first, end - first, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (huge)
		madvise((void *)first, end - first, MADV_COLLAPSE);
}
