/* The kernels: the ways to compute the CRC-32 of the ICRC over many bytes. Each kernel needs other
 * instructions of the processor. ISA-L runs everywhere and is the reference. All functions are
 * pure, and any thread may call them.
 *
 * A kernel that folds keeps `block` bytes of sums: one sum of 16 bytes (fold.h) for each 16 bytes
 * of a block. Each further block is folded into the sums. Code that copies the bytes anyway can
 * fold them in the same pass (port/mem.c), and then calls end(). */
#ifndef RN_ICRC_KERNEL_H
#define RN_ICRC_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/fold.h"

enum rn_icrc_kernel_id {
	RN_ICRC_ISAL,
	RN_ICRC_PCLMUL,	    /* 16 bytes per instruction */
	RN_ICRC_VPCLMUL256, /* 32 bytes per instruction */
	RN_ICRC_VPCLMUL512, /* 64 bytes per instruction */
	RN_ICRC_KERNELS
};

#define RN_ICRC_BLOCK_MAX 256u

struct rn_icrc_kernel {
	const char *name;
	size_t block; /* bytes, a power of two; 0: the kernel does not fold, and has no end() */
	const uint64_t *by_block; /* two factors that move a sum forward by `block` bytes */
	/* Continues a CRC over len further bytes, of any length and alignment. */
	uint32_t (*add)(uint32_t crc, const uint8_t *data, size_t len);
	/* Returns the CRC of the blocks that `sums` stands for, followed by the len bytes of
	 * `rest`. The 16 bytes before `rest` are readable. */
	uint32_t (*end)(const uint8_t *sums, const uint8_t *rest, size_t len);
};

extern const struct rn_icrc_kernel rn_icrc_kernels[RN_ICRC_KERNELS];

/* Has this processor the instructions that the kernel needs? */
static inline bool rn_icrc_kernel_usable(enum rn_icrc_kernel_id id)
{
	switch (id) {
	case RN_ICRC_ISAL:
		return true;
	case RN_ICRC_PCLMUL:
		return rn_fold_usable();
	case RN_ICRC_VPCLMUL256:
		return rn_fold_usable() && __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("vpclmulqdq");
	case RN_ICRC_VPCLMUL512:
		return rn_icrc_kernel_usable(RN_ICRC_VPCLMUL256) &&
		       __builtin_cpu_supports("avx512f");
	default:
		return false;
	}
}

/* Returns the fastest kernel that this processor can run. */
static inline enum rn_icrc_kernel_id rn_icrc_kernel_best(void)
{
	enum rn_icrc_kernel_id id = RN_ICRC_KERNELS;

	while (!rn_icrc_kernel_usable(--id))
		;
	return id;
}

#endif
