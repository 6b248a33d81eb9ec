/* Declarations shared by the source files of the fake NIC. */
#ifndef FAKE_PRIV_H
#define FAKE_PRIV_H

#include "rn/link.h"

#include <pthread.h>

#define FAKE_EVENTS 256

struct fake_adapter {
	struct rn_link link; /* first member, as a struct rn_link * is cast to this struct */
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
	struct fake_adapter *adapter; /* NULL: the entry is free */
};

struct fake_srq {
	struct rn_srq_shared shared;
	struct fake_adapter *adapter;
	struct fake_work *queue;
	unsigned users; /* number of queue pairs that use this shared receive queue */
};

struct fake_work {
	struct fake_work *next;
	uint64_t since; /* when the work request first had to wait for the peer, in ns; 0: never */
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
	bool heard;		    /* the first request of the peer's queue pair has arrived */
	struct fake_work *queue[2]; /* [0]: send queue, [1]: receive queue */
};

struct fake_mr {
	struct fake_adapter *adapter;
	uint32_t key, pd, access;
	uint64_t addr, len;
	bool window;
	/* For a window: number of the queue pair on which the window is bound (0: unbound), and
	 * lkey of the window's region. */
	uint32_t qpn, lkey;
	struct rn_mw_shared shared;
};

/* The functions below, except fake_cm_live() and fake_srq_live(), are called with the mutex of
 * fake_link.c held. */
void fake_tell(struct fake_adapter *a, const struct rn_event *ev);
int fake_cm_exec(struct fake_adapter *a, struct fake_adapter *both, const struct rn_cmd *cmd,
		 struct rn_rsp *rsp);
void fake_cm_comm_est(uint32_t qpn);
unsigned fake_cm_live(void);
int fake_srq_exec(struct fake_adapter *a, const struct rn_cmd *cmd, struct rn_rsp *rsp);
struct fake_srq *fake_srq_of(uint32_t id);
void fake_srq_put(uint32_t id, struct fake_work *w);
/* Takes the oldest receive out of the shared receive queue. Returns NULL if the shared receive
 * queue is empty. */
struct fake_work *fake_srq_take(struct fake_srq *srq);
unsigned fake_srq_live(void);

#endif
