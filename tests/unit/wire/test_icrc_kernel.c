/* Every kernel that this processor can run gives the CRC of a bytewise table, for every length, at
 * any alignment, in pieces, and without reading outside the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/rng.h"
#include "base/types.h"
#include "wire/icrc_kernel.h"

#define BYTES 9216u
#define PAGE  4096u

static uint8_t bytes[BYTES + 64];
/* crc_of_first[i] is the CRC of the first i bytes, continued from START. */
#define START 0x2144DF1Cu
static uint32_t crc_of_first[BYTES + 1];

/* zlib's CRC-32, one byte at a time and without the code under test. */
static uint32_t step(uint32_t crc, uint8_t byte)
{
	crc = ~crc ^ byte;
	for (unsigned bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
	return ~crc;
}

static void fill(const uint8_t *from)
{
	crc_of_first[0] = START;
	for (unsigned i = 0; i < BYTES; i++)
		crc_of_first[i + 1] = step(crc_of_first[i], from[i]);
}

static int random_bytes(void **state)
{
	struct rn_rng rng;

	rn_rng_seed(&rng, 16);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rn_rng_next(&rng);
	return 0;
}

static void every_length_and_alignment(void **state)
{
	for (unsigned shift = 0; shift < 64; shift += 7) {
		fill(bytes + shift);
		for (unsigned id = 0; id < RN_ICRC_KERNELS; id++)
			for (unsigned n = 0; rn_icrc_kernel_usable(id) && n <= BYTES; n++)
				if (rn_icrc_kernels[id].add(START, bytes + shift, n) !=
				    crc_of_first[n])
					fail_msg("%s: %u bytes at %u", rn_icrc_kernels[id].name, n,
						 shift);
	}
}

/* A CRC is continued over two or three pieces of any length. */
static void pieces(void **state)
{
	struct rn_rng rng;

	rn_rng_seed(&rng, 17);
	fill(bytes);
	for (unsigned id = 0; id < RN_ICRC_KERNELS; id++)
		for (unsigned round = 0; rn_icrc_kernel_usable(id) && round < 5000; round++) {
			const struct rn_icrc_kernel *k = &rn_icrc_kernels[id];
			unsigned n = (unsigned)(rn_rng_next(&rng) % (BYTES + 1));
			unsigned a = (unsigned)(rn_rng_next(&rng) % (n + 1));
			unsigned b = a + (unsigned)(rn_rng_next(&rng) % (n - a + 1));
			uint32_t crc = k->add(START, bytes, a);

			crc = k->add(crc, bytes + a, b - a);
			crc = k->add(crc, bytes + b, n - b);
			if (crc != crc_of_first[n])
				fail_msg("%s: %u, %u, %u", k->name, a, b, n);
		}
}

/* The bytes lie between two pages that cannot be read, once at the start and once at the end. */
static void reads_only_its_bytes(void **state)
{
	uint8_t *p = mmap(NULL, 5 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	p += PAGE;
	assert_int_equal(mprotect(p, 3 * PAGE, PROT_READ | PROT_WRITE), 0);
	fill(bytes);
	for (unsigned id = 0; id < RN_ICRC_KERNELS; id++)
		for (unsigned n = 0; rn_icrc_kernel_usable(id) && n <= 3 * PAGE && n <= BYTES;
		     n += n < 1200 ? 1 : 61) {
			memcpy(p, bytes, n);
			assert_int_equal(rn_icrc_kernels[id].add(START, p, n), crc_of_first[n]);
			memcpy(p + 3 * PAGE - n, bytes, n);
			assert_int_equal(rn_icrc_kernels[id].add(START, p + 3 * PAGE - n, n),
					 crc_of_first[n]);
		}
	munmap(p - PAGE, 5 * PAGE);
}

/* end() continues from sums: for one block these are its bytes, with the start value of the CRC in
 * the first four. */
static void end_continues_from_sums(void **state)
{
	fill(bytes);
	for (unsigned id = 0; id < RN_ICRC_KERNELS; id++) {
		const struct rn_icrc_kernel *k = &rn_icrc_kernels[id];
		_Alignas(64) uint8_t sums[RN_ICRC_BLOCK_MAX];
		uint32_t first;

		if (!k->block || !rn_icrc_kernel_usable(id))
			continue;
		assert_true(k->block <= sizeof(sums) && (k->block & (k->block - 1)) == 0);
		memcpy(sums, bytes, RN_MIN(k->block, sizeof(sums)));
		memcpy(&first, sums, sizeof(first));
		first ^= ~START;
		memcpy(sums, &first, sizeof(first));
		for (unsigned n = 0; n < 2 * k->block; n++)
			assert_int_equal(k->end(sums, bytes + k->block, n),
					 crc_of_first[k->block + n]);
	}
}

static void the_best_kernel_is_usable(void **state)
{
	enum rn_icrc_kernel_id best = rn_icrc_kernel_best();

	assert_true(rn_icrc_kernel_usable(best));
	for (unsigned id = best + 1; id < RN_ICRC_KERNELS; id++)
		assert_false(rn_icrc_kernel_usable(id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_and_alignment),
		cmocka_unit_test(pieces),
		cmocka_unit_test(reads_only_its_bytes),
		cmocka_unit_test(end_continues_from_sums),
		cmocka_unit_test(the_best_kernel_is_usable),
	};
	return cmocka_run_group_tests(tests, random_bytes, NULL);
}
