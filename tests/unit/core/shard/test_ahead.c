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

	assert_true(mem != MAP_FAILED);
	assert_int_equal(mprotect(mem + page, page, PROT_NONE), 0);
	for (unsigned t = 0; t < 3; t++) {
		for (uint32_t len = 0; len <= 128; len++) {
			uint8_t *f = mem + page - len;

			memset(f, RN_OP_WRITE_ONLY, len);
			if (len >= RN_ETH_BYTES)
				rn_store16(f + RN_ETH_TYPE, types[t]);
			rn_ahead_rx_qp(sh, rn_ahead_rx(sh, EVERYTHING, f, len));
		}
	}
	stop(sh);
	munmap(mem, 2 * page);
}

static void numbers_that_name_nothing_are_ignored(void **state)
{
	static const uint32_t numbers[] = {0, 1, 0xFFFFFF, 0x1000000, UINT32_MAX};
	struct rn_shard *sh = start(64);

	for (unsigned i = 0; i < 25; i++) {
		rn_ahead_post_qp(sh, rn_ahead_post(sh, EVERYTHING, numbers[i / 5], numbers[i % 5]));
	}
	stop(sh);
}

/* The second step is only for many QPs, and only once for QPs that follow each other. */
static void a_qp_is_loaded_once_in_a_row(void **state)
{
	struct rn_shard *sh = start(64);
	uint8_t f[128] = {0};
	uint32_t request, response;

	rn_store16(f + RN_ETH_TYPE, RN_ETHERTYPE_IPV4);
	f[42] = RN_OP_WRITE_ONLY;
	rn_store32(f + 46, 0x000123);
	assert_int_equal(rn_ahead_rx(sh, RN_AHEAD_REGIONS, f, sizeof(f)), 0);
	request = rn_ahead_rx(sh, RN_AHEAD_QPS, f, sizeof(f));
	assert_int_not_equal(request, 0);
	assert_int_equal(rn_ahead_rx(sh, RN_AHEAD_QPS, f, sizeof(f)), 0);
	f[42] = RN_OP_ACK;
	response = rn_ahead_rx(sh, RN_AHEAD_QPS, f, sizeof(f));
	assert_int_not_equal(response, 0);
	assert_int_not_equal(response, request);
	rn_store32(f + 46, 0x000124);
	assert_int_not_equal(rn_ahead_rx(sh, RN_AHEAD_QPS, f, sizeof(f)), 0);

	assert_int_equal(rn_ahead_post(sh, RN_AHEAD_REGIONS, 0x123, 0), 0);
	assert_int_not_equal(rn_ahead_post(sh, EVERYTHING, 0x123, 0), 0);
	assert_int_equal(rn_ahead_post(sh, EVERYTHING, 0x123, 0), 0);
	assert_int_not_equal(rn_ahead_post(sh, EVERYTHING, 0x124, 0), 0);
	stop(sh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_many_qps_and_regions_are_loaded_ahead),
		cmocka_unit_test(no_byte_after_a_frame_is_read),
		cmocka_unit_test(a_qp_is_loaded_once_in_a_row),
		cmocka_unit_test(numbers_that_name_nothing_are_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
