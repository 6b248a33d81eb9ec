/* Chooses NUMA nodes. Owns nothing. Any thread may call the functions. */
#include "port/numa.h"

int rn_numa_pool(const int *node, unsigned n)
{
	int common = -1;

	for (unsigned i = 0; i < n; i++) {
		if (node[i] < 0)
			continue;
		if (common >= 0 && node[i] != common)
			return -1;
		common = node[i];
	}
	return common;
}

bool rn_numa_far(int card, int thread)
{
	return card >= 0 && thread >= 0 && card != thread;
}
