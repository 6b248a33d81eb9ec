/* The kinds of request that benchmarks measure, and the option --op that names them. */
#ifndef RN_OPS_H
#define RN_OPS_H

#include <stdint.h>
#include <string.h>

#include "rn/abi.h"
#include "options.h"

static const char *const rn_ops[] = {
	[RN_WQE_SEND] = "send", [RN_WQE_WRITE] = "write", [RN_WQE_READ] = "read"};

/* Stores an enum rn_wqe_kind in a uint8_t. */
static inline bool rn_option_op(const struct rn_option *option, const char *arg)
{
	for (uint8_t k = 0; k < sizeof(rn_ops) / sizeof(rn_ops[0]); k++) {
		if (rn_ops[k] != NULL && strcmp(arg, rn_ops[k]) == 0) {
			*(uint8_t *)option->value = k;
			return true;
		}
	}
	return false;
}

#endif
