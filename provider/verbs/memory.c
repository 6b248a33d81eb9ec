/* Protection domains and memory regions. Memory is not pinned, so nothing needs to be done before a
 * fork. Any thread may call these functions. */
#include "verbs/private.h"

#include <stdlib.h>

#define OPTIONAL_ACCESS ((unsigned)IBV_ACCESS_OPTIONAL_RANGE)
/* Flags that change nothing here: of pages, and of the order of writes. */
#define IGNORED_ACCESS ((unsigned)IBV_ACCESS_HUGETLB | OPTIONAL_ACCESS)
#define KNOWN_ACCESS   (RN_ACCESS_ALL | (unsigned)IBV_ACCESS_ZERO_BASED | IGNORED_ACCESS)

static_assert((int)IBV_ACCESS_LOCAL_WRITE == (int)RN_ACCESS_LOCAL_WRITE, "one number");
static_assert((int)IBV_ACCESS_REMOTE_WRITE == (int)RN_ACCESS_REMOTE_WRITE, "one number");
static_assert((int)IBV_ACCESS_REMOTE_READ == (int)RN_ACCESS_REMOTE_READ, "one number");
static_assert((int)IBV_ACCESS_REMOTE_ATOMIC == (int)RN_ACCESS_REMOTE_ATOMIC, "one number");
static_assert((int)IBV_ACCESS_MW_BIND == (int)RN_ACCESS_MW_BIND, "one number");

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct vb_pd *pd;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	pd = calloc(1, sizeof(*pd));
	if (pd == NULL)
		return vb_fail(ENOMEM);
	rc = vb_engine.pd_create(vb_client_of(context), &pd->id);
	if (rc != 0) {
		free(pd);
		return vb_fail(vb_errno(rc));
	}
	pd->pd.context = context;
	pd->pd.handle = pd->id;
	return &pd->pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	rc = vb_engine.pd_destroy(vb_client_of(pd->context), ((struct vb_pd *)pd)->id);
	if (rc == 0)
		free(pd);
	return vb_errno(rc);
}

/* Peers may only write where this side may write too (IBTA vol. 1, 10.6.3.1). */
static bool access_is_valid(unsigned access)
{
	return access & IBV_ACCESS_LOCAL_WRITE ||
	       !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
}

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				      unsigned access)
{
	struct vb_mr *mr;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	if (access & IBV_ACCESS_ON_DEMAND)
		return vb_fail(EOPNOTSUPP);
	if (access & ~KNOWN_ACCESS || !access_is_valid(access))
		return vb_fail(EINVAL);
	mr = calloc(1, sizeof(*mr));
	if (mr == NULL)
		return vb_fail(ENOMEM);
	if (access & IBV_ACCESS_ZERO_BASED)
		iova = 0;
	rc = vb_engine.mr_register(vb_client_of(pd->context), ((struct vb_pd *)pd)->id, addr,
				   length, iova, access & RN_ACCESS_ALL, &mr->mr.lkey,
				   &mr->mr.rkey);
	if (rc != 0) {
		free(mr);
		return vb_fail(vb_errno(rc));
	}
	mr->mr.context = pd->context;
	mr->mr.pd = pd;
	mr->mr.addr = addr;
	mr->mr.length = length;
	mr->mr.handle = mr->mr.lkey;
	return &mr->mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return register_memory(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			       int access)
{
	return register_memory(pd, addr, length, iova, (unsigned)access);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				unsigned int access)
{
	return register_memory(pd, addr, length, iova, access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	int rc;

	OS_REFUSE_CHILD(EIO);
	rc = vb_engine.mr_deregister(vb_client_of(mr->context), mr->lkey);
	if (rc == 0)
		free(mr);
	return vb_errno(rc);
}

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access)
{
	errno = EOPNOTSUPP;
	return IBV_REREG_MR_ERR_INPUT;
}

/* ---- fork: memory is shared with nobody but this process ---- */

int ibv_fork_init(void)
{
	return 0;
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size)
{
	return 0;
}

int ibv_dofork_range(void *base, size_t size)
{
	return 0;
}
