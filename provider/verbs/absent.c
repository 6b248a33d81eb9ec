/* What softrnic's verbs do not have yet, or never will: each function answers EOPNOTSUPP in the way
 * of its kind. docs/verbs.md lists them. */
#include "verbs/private.h"

/* ---- address handles and multicast groups ---- */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	return vb_fail(EOPNOTSUPP);
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
			struct ibv_grh *grh, struct ibv_ah_attr *ah_attr)
{
	errno = EOPNOTSUPP;
	return -1;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
				     uint8_t port_num)
{
	return vb_fail(EOPNOTSUPP);
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	return EOPNOTSUPP;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return EOPNOTSUPP;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return EOPNOTSUPP;
}

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
