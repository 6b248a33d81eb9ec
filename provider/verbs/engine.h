/* The functions of libsoftrnic that the verbs front end calls, as a table of pointers. libsoftrnic
 * brings DPDK and forty libraries with it, so a program that only links libibverbs must not load
 * it: the first call that needs adapters does. DPDK's symbols stay hidden from the program, because
 * the library is loaded with RTLD_LOCAL. */
#ifndef VERBS_ENGINE_H
#define VERBS_ENGINE_H

#include "rn/client.h"

/* clang-format off */
#define VB_ENGINE_ROWS(X) /* name without its prefix rn_client_ */ \
	X(list) X(open) X(close) X(info) X(stats) X(wait) X(interrupt) X(progress) X(gone) \
	X(pd_create) X(pd_destroy) X(mr_register) X(mr_reregister) X(mr_deregister) \
	X(cq_create) X(cq_destroy) X(cq_id) X(cq_resize) X(cq_lock) X(cq_unlock) \
	X(cq_poll) X(cq_arm) X(cq_fired) X(cq_disarm) X(cq_forget) \
	X(srq_create) X(srq_destroy) X(srq_id) X(srq_resize) X(srq_post_list) X(srq_arm) \
	X(srq_fired) X(srq_disarm) \
	X(mw_create) X(mw_destroy) X(mw_id) \
	X(qp_create) X(qp_modify) X(qp_query) X(qp_destroy) X(qp_number) X(qp_state) X(qp_post_list) \
	X(qp_post_all) X(qp_attach) X(qp_detach) X(av_resolve) X(gid_is_v4) \
	X(cm_bind_service) X(cm_listen) X(cm_connect) X(cm_establish) X(cm_accept) X(cm_reject) \
	X(cm_disconnect) X(cm_delay) X(cm_destroy)
/* clang-format on */

struct vb_engine {
#define X(name) __typeof__(&rn_client_##name) name;
	VB_ENGINE_ROWS(X)
#undef X
};

/* Valid after vb_engine_load() has returned 0. */
extern struct vb_engine vb_engine;

/* Loads libsoftrnic, once. Returns 0 or -ENOENT; the reason is then in err. Any thread may call. */
int vb_engine_load(char *err, size_t errlen);

#endif
