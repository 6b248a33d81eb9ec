/* What ibv_post_send() and the extended post calls (post_ex.c) have in common. */
#ifndef VERBS_POST_H
#define VERBS_POST_H

#include "verbs/private.h"

static_assert(sizeof(struct ibv_sge) == sizeof(struct rn_sge), "one layout");
static_assert(offsetof(struct ibv_sge, length) == offsetof(struct rn_sge, length), "one layout");
static_assert(offsetof(struct ibv_sge, lkey) == offsetof(struct rn_sge, lkey), "one layout");
static_assert((int)IBV_SEND_SOLICITED == (int)RN_WQE_SOLICITED, "one number");
static_assert((int)IBV_SEND_INLINE == (int)RN_WQE_INLINE, "one number");

/* The flags of send requests that softrnic has (enum ibv_send_flags). */
#define VB_SEND_FLAGS \
	((unsigned)(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE))

/* Returns the enum rn_wqe_flag for enum ibv_send_flags, and those in `always`. */
static inline uint16_t vb_wqe_flags(unsigned flags, uint32_t always)
{
	return (uint16_t)((flags & IBV_SEND_SIGNALED ? RN_WQE_SIGNALED : 0u) |
			  (flags & IBV_SEND_FENCE ? RN_WQE_FENCE : 0u) |
			  (flags & ((unsigned)IBV_SEND_SOLICITED | IBV_SEND_INLINE)) | always);
}

/* Returns the errno for a work request that the NIC refused: programs tell a full queue (ENOMEM)
 * from an error of their own (EINVAL). */
static inline int vb_post_errno(int rc)
{
	return rc == -E2BIG || rc == -EMSGSIZE ? EINVAL : vb_errno(rc);
}

#endif
