/* Loading ahead (ahead.h) has no effect on results, so the tests check when it is done, and that it
 * reads nothing outside a frame and the tables, whatever the frame says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shard/ahead.h"
#include "shard/shard.h"
#include "wire/hdr.h"
#include "wire/opcode.h"

#define EVERYTHING (RN_AHEAD_QPS | RN_AHEAD_REGIONS)

static struct rn_core_cfg cfg;
static struct rn_port_attr port;
static struct rn_mr_table *mrs;

static struct rn_shard *start(uint32_t regions)
{
	rn_core_defaults(&cfg);
	cfg.secrets = rn_secrets_of_seed(1);
	mrs = rn_mr_table_create(regions, &cfg.secrets.of[RN_SECRET_KEYS]);
	struct rn_shard *sh = rn_shard_create(&cfg, &port, mrs, &rn_mem_plain, 0);
	assert_true(mrs && sh);
	return sh;
}

static void stop(struct rn_shard *sh)
{
	rn_shard_destroy(sh);
	rn_mr_table_destroy(mrs);
}

static uint32_t add_region(void)
{
	static char byte;
	struct rn_mr_attr a = {.ptr = &byte, .iova = (uintptr_t)&byte, .length = 1};
	uint32_t lkey, rkey;

	assert_int_equal(rn_mr_add(mrs, &a, &lkey, &rkey), 0);
	return lkey;
}

static void only_many_qps_and_regions_are_loaded_ahead(void **state)
{
	struct rn_shard *sh = start(20000);
	uint32_t lkey = 0;

	for (unsigned i = 0; i < 16384; i++) {
		assert_int_equal(rn_ahead_what(sh), 0);
		lkey = add_region();
	}
	assert_int_equal(rn_ahead_what(sh), RN_AHEAD_REGIONS);
	sh->nqp = 512;
	assert_int_equal(rn_ahead_what(sh), EVERYTHING);
	assert_int_equal(rn_mr_remove(mrs, lkey), 0);
	assert_int_equal(rn_ahead_what(sh), RN_AHEAD_QPS);
	sh->nqp = 511;
	assert_int_equal(rn_ahead_what(sh), 0);
	sh->nqp = 0;
	stop(sh);
}

/* The frame ends where the next page is inaccessible. */
static void no_byte_after_a_frame_is_read(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *mem =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rn_shard *sh = start(64);
	static const uint16_t types[] = {RN_ETHERTYPE_IPV4, RN_ETHERTYPE_IPV6, 0x1234};
	struct rn_ahead a;

	assert_true(mem != MAP_FAILED);
	assert_int_equal(mprotect(mem + page, page, PROT_NONE), 0);
	for (unsigned t = 0; t < 3; t++) {
		for (uint32_t len = 0; len <= 128; len++) {
			uint8_t *f = mem + page - len;

			memset(f, RN_OP_WRITE_ONLY, len);
			if (len >= RN_ETH_BYTES)
				rn_store16(f + RN_ETH_TYPE, types[t]);
			rn_ahead_begin(&a, sh, EVERYTHING);
			for (unsigned i = 0; i < 2; i++) /* a new frame, and the same again */
				rn_ahead_rx_qp(sh, rn_ahead_rx(&a, f, len));
		}
	}
	stop(sh);
	munmap(mem, 2 * page);
}

static void numbers_that_name_nothing_are_ignored(void **state)
{
	static const uint32_t numbers[] = {0, 1, 0xFFFFFF, 0x1000000, UINT32_MAX};
	struct rn_shard *sh = start(64);
	struct rn_ahead a;

	rn_ahead_begin(&a, sh, EVERYTHING);
	for (unsigned i = 0; i < 25; i++)
		rn_ahead_post_qp(sh, rn_ahead_post(&a, numbers[i / 5], numbers[i % 5]));
	stop(sh);
}

/* The second step is only for many QPs, and only once for QPs that follow each other. */
static void a_qp_is_loaded_once_in_a_row(void **state)
{
	struct rn_shard *sh = start(64);
	uint8_t f[128] = {0};
	uint32_t request, response;
	struct rn_ahead a;

	rn_store16(f + RN_ETH_TYPE, RN_ETHERTYPE_IPV4);
	f[42] = RN_OP_WRITE_ONLY;
	rn_store32(f + 46, 0x000123);
	rn_ahead_begin(&a, sh, RN_AHEAD_REGIONS);
	assert_int_equal(rn_ahead_rx(&a, f, sizeof(f)), 0);
	rn_ahead_begin(&a, sh, RN_AHEAD_QPS);
	request = rn_ahead_rx(&a, f, sizeof(f));
	assert_int_not_equal(request, 0);
	assert_int_equal(rn_ahead_rx(&a, f, sizeof(f)), 0);
	assert_int_equal(rn_ahead_rx(&a, f, 62), 0); /* as long as an ACK */
	f[42] = RN_OP_ACK;
	response = rn_ahead_rx(&a, f, sizeof(f));
	assert_int_not_equal(response, 0);
	assert_int_not_equal(response, request);
	rn_store32(f + 46, 0x000124);
	assert_int_not_equal(rn_ahead_rx(&a, f, sizeof(f)), 0);

	rn_ahead_begin(&a, sh, RN_AHEAD_REGIONS);
	assert_int_equal(rn_ahead_post(&a, 0x123, 0), 0);
	rn_ahead_begin(&a, sh, EVERYTHING);
	assert_int_not_equal(rn_ahead_post(&a, 0x123, 0), 0);
	assert_int_equal(rn_ahead_post(&a, 0x123, 0), 0);
	assert_int_not_equal(rn_ahead_post(&a, 0x124, 0), 0);
	stop(sh);
}

/* What the steps of a walk are called with: element i of a burst of 40 is of QP 1000 + i / 3. */
static unsigned firsts, seconds, now_at;

static uint32_t first_step(struct rn_ahead *a, const void *burst, unsigned i)
{
	assert_ptr_equal(burst, &firsts);
	assert_int_equal(i, firsts++);
	return rn_ahead_post(a, 1000 + i / 3, 0);
}

static void second_step(const struct rn_shard *sh, uint32_t which)
{
	assert_int_equal(which, 1000 + seconds++);
	/* neither too early nor too late: element 3 * (which - 1000) is the first of this QP */
	assert_in_range(3 * (which - 1000), now_at, now_at + RN_AHEAD + RN_AHEAD_GROUP - 1);
	rn_ahead_post_qp(sh, which);
}

/* Also if the caller leaves out elements, as after work requests of several slots. */
static void a_walk_takes_each_step_once_and_in_time(void **state)
{
	struct rn_shard *sh = start(64);
	enum { BURST = 40, QPS = RN_DIV_UP(BURST, 3) };
	struct rn_ahead a;

	for (unsigned stride = 1; stride <= 5; stride++) {
		firsts = seconds = 0;
		rn_ahead_begin(&a, sh, EVERYTHING);
		for (now_at = 0; now_at < BURST; now_at += stride) {
			rn_ahead_walk(&a, now_at, BURST, &firsts, first_step, second_step);
			assert_in_range(firsts, RN_MIN(now_at + 2 * RN_AHEAD + 1, BURST), BURST);
			/* all QPs of the elements up to now_at + RN_AHEAD */
			assert_in_range(seconds, RN_MIN((now_at + RN_AHEAD) / 3 + 1, QPS), QPS);
		}
		assert_int_equal(firsts, BURST);
		assert_int_equal(seconds, QPS);
	}
	stop(sh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_many_qps_and_regions_are_loaded_ahead),
		cmocka_unit_test(no_byte_after_a_frame_is_read),
		cmocka_unit_test(a_qp_is_loaded_once_in_a_row),
		cmocka_unit_test(a_walk_takes_each_step_once_and_in_time),
		cmocka_unit_test(numbers_that_name_nothing_are_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
