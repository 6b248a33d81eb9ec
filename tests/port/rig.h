/* Helpers for the tests of this folder, which open two adapters in one process. The tests use
 * adapters only through struct rn_link, the interface between a front end and an adapter. Every
 * helper fails the test on an error. */
#ifndef RIG_H
#define RIG_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rn/abi.h"
#include "rn/link.h"

struct rig_cq {
	struct rn_link *link;
	uint32_t id;
	struct rn_cq_view *view;
	struct rn_cq_ring *at[RN_MAX_SHARDS]; /* for each shard, the ring that is being read */
};

struct rig_qp {
	struct rn_link *link;
	uint32_t qpn, gen;
	struct rn_qp_shared *shared;
	struct rn_link_info info;
	uint32_t psn;
};

/* Writes the text of a configuration to a file and returns the file's path. The file exists until
 * the process ends. */
const char *rig_config(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes a configuration of the built-in pair of adapters and returns its path. `shards` and `mtu`
 * apply to both adapters. `more` holds extra sections of the configuration. */
const char *rig_pair(unsigned shards, unsigned mtu, const char *more);

struct rn_link *rig_open(const char *path, unsigned index);
/* Executes a command. Returns rsp.err. Fills *rsp unless rsp is NULL. */
int rig_exec(struct rn_link *l, const struct rn_cmd *cmd, struct rn_rsp *rsp);

uint32_t rig_pd(struct rn_link *l);
struct rig_cq rig_cq(struct rn_link *l, uint32_t depth);
struct rig_qp rig_qp(struct rn_link *l, uint32_t pd, const struct rig_cq *scq,
		     const struct rig_cq *rcq, uint32_t depth);
void rig_reg(struct rn_link *l, uint32_t pd, void *addr, size_t len, uint32_t access,
	     uint32_t *lkey, uint32_t *rkey);
/* Both functions connect QPs without the CM.
 * - rig_connect_one() moves q to RTS, connected to `peer`, with the largest path MTU.
 * - rig_connect() connects the QPs a and b with each other and moves both to RTS. mtu is a path MTU
 *   code; 0 = the largest path MTU that both QPs allow. */
void rig_connect_one(struct rig_qp *q, const struct rig_qp *peer);
void rig_connect(struct rig_qp *a, struct rig_qp *b, uint8_t mtu);

void rig_post(struct rig_qp *q, enum rn_wqe_kind kind, uint64_t wr_id, void *addr, uint32_t len,
	      uint32_t lkey, uint64_t remote, uint32_t rkey);

/* Waits for one CQE. With the inline idle policy rig_wait() also runs the shards. Fails the test
 * after 20 s. */
struct rn_cqe rig_wait(struct rig_cq *cq);
/* Waits like rig_wait(), but returns false when no CQE comes within `ms` milliseconds. */
bool rig_poll(struct rig_cq *cq, struct rn_cqe *out, unsigned ms);

uint64_t rig_stat(struct rn_link *l, const char *name);
uint64_t rig_now_ns(void);

#endif
