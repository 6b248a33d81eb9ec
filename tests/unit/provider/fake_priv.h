/* Insides of the fake NIC. */
#ifndef FAKE_PRIV_H
#define FAKE_PRIV_H

#include "rn/link.h"

#include <pthread.h>

#define FAKE_EVENTS 256

struct fake_adapter {
	struct rn_link link; /* first */
	unsigned opens;
	uint32_t next_pd;
	pthread_cond_t changed;
	bool interrupted;
	unsigned first, nevents;
	struct rn_event events[FAKE_EVENTS];
};

struct fake_cq {
	struct rn_cq_view view;
	struct rn_cq_shared shared;
	struct rn_cq_ring *ring;
	struct fake_adapter *adapter; /* NULL: free, as below */
};

struct fake_srq {
	struct rn_srq_shared shared;
	struct fake_adapter *adapter;
	struct fake_work *queue;
	unsigned users; /* queue pairs */
};

struct fake_work {
	struct fake_work *next;
	uint64_t since; /* waiting for the peer */
	union {
		_Alignas(64) struct rn_wqe head;
		uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
	} wqe;
};

struct fake_qp {
	struct rn_qp_shared shared;
	struct fake_adapter *adapter;
	uint32_t qpn, gen, pd;
	uint64_t ctx;
	struct fake_cq *send_cq, *recv_cq;
	struct fake_srq *srq;
	struct rn_qp_attr attr;
	bool heard;		    /* something has arrived */
	struct fake_work *queue[2]; /* send, receive */
};

struct fake_mr {
	struct fake_adapter *adapter;
	uint32_t key, pd, access;
	uint64_t addr, len;
	bool window;
	uint32_t qpn, lkey; /* window: where it is bound (0: nowhere), and what it exposes */
	struct rn_mw_shared shared;
};

/* All under the one lock. */
void fake_tell(struct fake_adapter *a, const struct rn_event *ev);
int fake_cm_exec(struct fake_adapter *a, struct fake_adapter *both, const struct rn_cmd *cmd,
		 struct rn_rsp *rsp);
void fake_cm_comm_est(uint32_t qpn);
unsigned fake_cm_live(void);
int fake_srq_exec(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp);
struct fake_srq *fake_srq_of(uint32_t id);
void fake_srq_put(uint32_t id, struct fake_work *w);
/* The oldest receive; NULL: none. */
struct fake_work *fake_srq_take(struct fake_srq *srq);
unsigned fake_srq_live(void);

#endif
