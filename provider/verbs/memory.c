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
	rc = vb_context_start(context);
	if (rc != 0)
		return vb_fail(rc);
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
	if (atomic_load(&((struct vb_pd *)pd)->ahs) != 0)
		return EBUSY;
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

/* Returns 0 or the errno with which a region with this access is refused. */
static int check_access(unsigned access)
{
	if (access & IBV_ACCESS_ON_DEMAND)
		return EOPNOTSUPP;
	return access & ~KNOWN_ACCESS || !access_is_valid(access) ? EINVAL : 0;
}

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
				      unsigned access)
{
	struct vb_mr *mr;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	rc = check_access(access);
	if (rc != 0)
		return vb_fail(rc);
	mr = calloc(1, sizeof(*mr));
	if (mr == NULL)
		return vb_fail(ENOMEM);
	mr->access = access;
	mr->iova = access & IBV_ACCESS_ZERO_BASED ? 0 : iova;
	rc = vb_engine.mr_register(vb_client_of(pd->context), ((struct vb_pd *)pd)->id, addr,
				   length, mr->iova, access & RN_ACCESS_ALL, &mr->mr.lkey,
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

/* Returns 0 or the errno with which libibverbs and the kernel refuse a call before the region
 * changes. */
static int check_change(const struct ibv_mr *mr, int flags, const struct ibv_pd *pd,
			const void *addr, size_t length, unsigned access)
{
	if (flags == 0 || flags & ~IBV_REREG_MR_FLAGS_SUPPORTED)
		return EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION && (addr == NULL || length == 0))
		return EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_PD &&
	    (pd == NULL || vb_client_of(pd->context) != vb_client_of(mr->context)))
		return EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		return check_access(access);
	return access != 0 ? EINVAL : 0;
}

/* What the region is to be like: the members that `flags` names are new. */
static struct vb_mr changed(const struct vb_mr *mr, int flags, struct ibv_pd *pd, void *addr,
			    size_t length, unsigned access)
{
	struct vb_mr to = *mr;

	if (flags & IBV_REREG_MR_CHANGE_PD)
		to.mr.pd = pd;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		to.access = access;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		to.mr.addr = addr;
		to.mr.length = length;
	}
	if (to.access & IBV_ACCESS_ZERO_BASED)
		to.iova = 0;
	else if (flags & IBV_REREG_MR_CHANGE_TRANSLATION || mr->access & IBV_ACCESS_ZERO_BASED)
		to.iova = (uintptr_t)to.mr.addr;
	return to;
}

/* The keys stay the same. After any error the region is unchanged, so that it can still be used and
 * deregistered; verbs.h promises less for IBV_REREG_MR_ERR_CMD. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access)
{
	struct vb_mr *m = (struct vb_mr *)mr, to;
	int rc = check_change(mr, flags, pd, addr, length, (unsigned)access);

	OS_REFUSE_CHILD((errno = EIO, IBV_REREG_MR_ERR_CMD));
	if (rc != 0) {
		errno = rc;
		return IBV_REREG_MR_ERR_INPUT;
	}
	to = changed(m, flags, pd, addr, length, (unsigned)access);
	rc = vb_engine.mr_reregister(vb_client_of(mr->context), mr->lkey,
				     ((struct vb_pd *)to.mr.pd)->id, to.mr.addr, to.mr.length,
				     to.iova, to.access & RN_ACCESS_ALL);
	if (rc != 0) {
		errno = vb_errno(rc);
		return IBV_REREG_MR_ERR_CMD;
	}
	*m = to;
	return 0;
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
