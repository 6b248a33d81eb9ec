/* Measures the time of the ICRC per frame:
 * - the CRC-32 of each kernel of wire/icrc_kernel.h that the processor can run, and by a table
 * - a plain copy, and a copy followed by ISA-L's CRC (as the bare pump builds a frame)
 * - gather+KERNEL: copy and CRC in one pass (rn_mem_gather_icrc()), as softrnic builds a frame
 * - gather and place: the port's copies out of and into application memory
 * Runs in one thread. The option --set gives the size of each of the two buffers. Two buffers of
 * the default size fit into the CPU cache. The payload in a frame begins at an address of 54 modulo
 * 64, as behind the headers of a SEND over IPv4. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <isa-l.h>
#include "port/mem.h"
#include "options.h"
#include "sample.h"
#include "wire/icrc_kernel.h"

#define BATCH_NS 50000
#define WIDTH	 17 /* columns of a subject's name */
#define HEADERS	 54 /* bytes before the payload in a frame */

static uint32_t table[8][256];

static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = (c >> 1) ^ (0xedb88320u & (0u - (c & 1)));
		table[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++) {
		for (int k = 1; k < 8; k++)
			table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 255];
	}
}

/* CRC-32 by tables, eight bytes per step (slicing-by-8). Assumes a little-endian CPU. */
static uint32_t crc_by_table(uint32_t seed, const uint8_t *p, size_t n)
{
	uint32_t c = ~seed;

	for (; n >= 8; n -= 8, p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		w ^= c;
		c = table[7][w & 255] ^ table[6][w >> 8 & 255] ^ table[5][w >> 16 & 255] ^
		    table[4][w >> 24 & 255] ^ table[3][w >> 32 & 255] ^ table[2][w >> 40 & 255] ^
		    table[1][w >> 48 & 255] ^ table[0][w >> 56];
	}
	while (n-- > 0)
		c = (c >> 8) ^ table[0][(c ^ *p++) & 255];
	return ~c;
}

static uint32_t run_kernel(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	return rn_icrc_kernels[id].add(0, frame, n);
}

static uint32_t run_table(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	return crc_by_table(0, frame, n);
}

static uint32_t run_copy(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	memcpy(frame, memory, n);
	return frame[n / 2];
}

static uint32_t run_copy_isal(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	memcpy(frame, memory, n);
	return crc32_gzip_refl(0, frame, n);
}

static uint32_t run_gather(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	return rn_mem_guarded.gather(frame, memory, n);
}

static uint32_t run_place(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	return rn_mem_guarded.place(memory, frame, n);
}

static uint32_t run_gather_icrc(unsigned id, uint8_t *frame, uint8_t *memory, size_t n)
{
	uint32_t crc = 0;

	rn_mem_gather_icrc(id, frame, memory, n, &crc);
	return crc;
}

/* A subject moves n bytes between a frame and application memory, or reads them from the frame. */
struct subject {
	const char *name; /* with a kernel: the name before that of the kernel */
	uint32_t (*run)(unsigned id, uint8_t *frame, uint8_t *memory, size_t n);
	bool each_kernel;
};

static const struct subject subjects[] = {
	{"", run_kernel, true},
	{"table", run_table, false},
	{"copy", run_copy, false},
	{"copy+isal", run_copy_isal, false},
	{"gather+", run_gather_icrc, true},
	{"gather", run_gather, false},
	{"place", run_place, false},
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile uint32_t sink;

/* Returns the nanoseconds per call, averaged over `calls` calls. The calls step through both
 * buffers. */
static double time_calls(const struct subject *s, unsigned id, uint8_t *dst, uint8_t *src,
			 size_t set, size_t n, unsigned calls)
{
	size_t step = (HEADERS + n + 63) & ~(size_t)63, at = 0;
	uint32_t acc = 0;
	double t0 = now_ns();

	for (unsigned i = 0; i < calls; i++) {
		acc ^= s->run(id, dst + at + HEADERS, src + at, n);
		at += step;
		if (at + step > set)
			at = 0;
	}
	sink = acc;
	return (now_ns() - t0) / calls;
}

static void measure(const struct subject *s, unsigned id, uint8_t *dst, uint8_t *src, size_t set,
		    size_t n, unsigned reps, bool json)
{
	const char *kernel = s->each_kernel ? rn_icrc_kernels[id].name : "";
	struct rn_sample ns = {0};
	unsigned calls = 64;
	double once, med;
	static bool again;

	once = time_calls(s, id, dst, src, set, n, calls);
	calls = once > 0 && once < BATCH_NS ? (unsigned)(BATCH_NS / once) + 1 : 1;
	for (unsigned i = 0; i < reps; i++)
		rn_sample_add(&ns, time_calls(s, id, dst, src, set, n, calls));
	med = rn_sample_at(&ns, 0.5);
	if (json)
		printf("%s\n  {\"subject\": \"%s%s\", \"bytes\": %zu, \"ns_median\": %.2f, "
		       "\"ns_min\": %.2f, \"ns_max\": %.2f, \"gbytes_per_s\": %.2f}",
		       again ? "," : "", s->name, kernel, n, med, rn_sample_at(&ns, 0),
		       rn_sample_at(&ns, 1), (double)n / med);
	else
		printf("%s%-*s %6zu %9.1f %9.1f %9.1f %9.2f\n", s->name,
		       WIDTH - (int)strlen(s->name), kernel, n, med, rn_sample_at(&ns, 0),
		       rn_sample_at(&ns, 1), (double)n / med);
	again = true;
	rn_sample_free(&ns);
}

static bool tables_agree(const uint8_t *src)
{
	for (size_t n = 0; n < 300; n++) {
		if (crc_by_table(0, src + n % 7, n) != crc32_gzip_refl(0, src + n % 7, n))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {64, 128, 256, 512, 1024, 1084, 2048, 4096, 4156};
	size_t set = 16384;
	unsigned reps = 101;
	bool json = false;
	uint8_t *src, *dst;
	const struct rn_option options[] = {
		{"set", "BYTES", "memory of the data, used in turn [16384]", rn_option_bytes, &set},
		{"reps", "N", "measurements, of which the median counts [101]", rn_option_number,
		 &reps},
		{"json", NULL, "one JSON object", rn_option_true, &json},
		{0},
	};

	rn_options_take("bench_icrc: the CRC of each kernel, and copies with CRC", options, argc,
			argv);
	if (set < 8192 || set > 1u << 30 || reps == 0)
		return 2;
	src = aligned_alloc(64, set & ~(size_t)63);
	dst = aligned_alloc(64, set & ~(size_t)63);
	if (src == NULL || dst == NULL)
		return EXIT_FAILURE;
	for (size_t i = 0; i < (set & ~(size_t)63); i++)
		src[i] = (uint8_t)(i * 131 >> 3);
	memset(dst, 0, set & ~(size_t)63);
	table_fill();
	if (!tables_agree(src)) {
		fprintf(stderr, "bench_icrc: the table and ISA-L disagree\n");
		return EXIT_FAILURE;
	}
	if (json)
		printf("{\"bench\": \"icrc\", \"set\": %zu, \"reps\": %u, \"rows\": [", set, reps);
	else
		printf("%-17s %6s %9s %9s %9s %9s\n", "subject", "bytes", "ns med", "ns min",
		       "ns max", "GB/s");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (size_t k = 0; k < sizeof(subjects) / sizeof(*subjects); k++)
			for (unsigned id = 0; id < (subjects[k].each_kernel ? RN_ICRC_KERNELS : 1);
			     id++)
				if (rn_icrc_kernel_usable(id))
					measure(&subjects[k], id, dst, src, set & ~(size_t)63,
						sizes[i], reps, json);
	}
	if (json)
		printf("\n]}\n");
	free(src);
	free(dst);
	return EXIT_SUCCESS;
}
