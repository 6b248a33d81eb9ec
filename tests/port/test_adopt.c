/* The application has initialised EAL before it uses the library. The library then uses this EAL
 * unchanged and does not clean it up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "rn/link.h"

static void opens_on_the_application_s_eal(void **state)
{
	struct rn_link *link;
	struct rn_link_info info;
	struct rn_cmd cmd = {.op = RN_CMD_CREATE_CQ};
	struct rn_rsp rsp;
	char err[256] = "";

	cmd.create_cq.depth = 16;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(rn_link_open(NULL, 0, &link, err, sizeof(err)), 0);
		link->ops->info(link, &info);
		assert_string_equal(info.name, "softrnic0");
		assert_int_equal(link->ops->exec(link, &cmd, &rsp), 0);
		cmd = (struct rn_cmd){.op = RN_CMD_DESTROY_CQ, .obj.id = rsp.id};
		assert_int_equal(link->ops->exec(link, &cmd, &rsp), 0);
		cmd = (struct rn_cmd){.op = RN_CMD_CREATE_CQ, .create_cq.depth = 16};
		rn_link_close(link);
	}
}

static void leaves_eal_alone(void **state)
{
	struct rte_mempool *pool;

	assert_int_equal(rte_lcore_count(), 1);
	/* The library removes the runtime folder only if the library itself has initialised EAL.
	 * Here the application has, so the test must remove this folder. */
	assert_int_equal(rmdir(rte_eal_get_runtime_dir()), 0);
	pool = rte_mempool_create("application", 63, 64, 0, 0, NULL, NULL, NULL, NULL,
				  SOCKET_ID_ANY, 0);
	assert_non_null(pool);
	rte_mempool_free(pool);
}

int main(void)
{
	char *argv[] = {"application",
			"--no-huge",
			"-m",
			"384",
			"--no-pci",
			"--no-shconf",
			"--no-telemetry",
			"--log-level=4",
			"--file-prefix=application",
			"--lcores=0@0",
			NULL};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_on_the_application_s_eal),
		cmocka_unit_test(leaves_eal_alone),
	};

	if (rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) < 0) {
		fprintf(stderr, "EAL does not start\n");
		return 1;
	}
	return cmocka_run_group_tests_name("adopt", tests, NULL, NULL);
}
