/* Verbs that softrnic does not have. A function that returns a pointer sets errno to EOPNOTSUPP and
 * returns NULL, one that returns a number returns EOPNOTSUPP, and one that returns nothing does
 * nothing. docs/verbs.md lists these verbs. */
#include "verbs/private.h"

/* ---- objects of other processes, device memory, DMA buffers ---- */

struct ibv_context *ibv_import_device(int cmd_fd)
{
	return vb_fail(EOPNOTSUPP);
}

struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	return vb_fail(EOPNOTSUPP);
}

void ibv_unimport_pd(struct ibv_pd *pd)
{
}

struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	return vb_fail(EOPNOTSUPP);
}

void ibv_unimport_mr(struct ibv_mr *mr)
{
}

struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle)
{
	return vb_fail(EOPNOTSUPP);
}

void ibv_unimport_dm(struct ibv_dm *dm)
{
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				 int fd, int access)
{
	return vb_fail(EOPNOTSUPP);
}

/* ---- enhanced connections ---- */

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return EOPNOTSUPP;
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return EOPNOTSUPP;
}
