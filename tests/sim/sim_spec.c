/* Which options does a simulation have if the caller or the environment does not change them? */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

void sim_spec_default(struct sim_spec *spec)
{
	*spec = (struct sim_spec){
		.seed = 1,
		.first_psn = 1000,
		.path_mtu = 3,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.timeout = 14,
		.min_rnr_timer = 1,
		.type = RN_QPT_RC,
		.rd_atomic = 4,
		.sq_depth = 128,
		.rq_depth = 128,
		.qps = 1,
		.keep = -1,
		.access = RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC,
	};
	for (unsigned i = 0; i < SIM_NODES; i++)
		spec->link[i] = (struct sim_link_spec){.impair = {.delay_min_ns = RN_US(5)}};
}

uint32_t sim_spec_keep(const struct sim_spec *spec, unsigned node)
{
	const char *nodes = getenv("SIM_KEEP") ?: "01";

	if (node == 1 && spec->drops)
		return 0;
	if (spec->keep >= 0)
		return (uint32_t)spec->keep;
	return strchr(nodes, '0' + (int)node) ? 2048 : 0;
}
