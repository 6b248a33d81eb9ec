#ifndef RN_PERFTEST_END_H
#define RN_PERFTEST_END_H
/* This end of the test: the adapter, its memory, queue pairs and completions, through the client
 * API. Every function that fails has printed one sentence on stderr. One thread. */
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "record.h"
#include "rn/client.h"

struct pt_qp {
	struct rn_client_qp *qp;
	struct pt_card mine, theirs;
	uint32_t cm;		   /* id of its connection with -R */
	uint64_t posted, done;	   /* requests */
	uint64_t rposted, rdone;   /* receives */
	struct rn_ud to;	   /* UD: where they go */
};

#define PT_EVENTS 64u

struct pt_end {
	const struct pt_options *o;
	struct rn_client *client;
	const struct rn_link_info *info;
	struct rn_gid gid; /* ours */
	unsigned gid_index;
	uint8_t mtu; /* enum 1..5 */
	uint32_t pd, lkey, rkey;
	uint8_t *mem;
	uint64_t stride; /* from one queue pair's block to the next: first all that send, then all that receive */
	uint64_t mem_bytes;
	struct rn_client_cq *cq;
	struct pt_qp *qp;
	struct rn_event pending[PT_EVENTS]; /* taken, and of interest to somebody later */
	unsigned npending;
	int peer_fd;	     /* the socket of the exchange of parameters, or -1 */
	unsigned polls;	     /* so far */
	uint64_t gone_since; /* when the other end was first seen to be gone; 0: it is there */
	bool stopped;	     /* the user has interrupted the test */
};

/* Opens the adapter and chooses the address of it: -x, else the first of the peer's family (v4: is
 * it IPv4?; when nothing is known of the peer, pass true). */
int pt_end_open(struct pt_end *e, const struct pt_options *o);
/* The address of the adapter that a client has chosen. */
void pt_end_use_gid(struct pt_end *e, const struct rn_gid *gid);
/* Memory, completion queue, queue pairs in INIT. e->mtu is known by now. */
int pt_end_make(struct pt_end *e);
/* By hand, with what e->qp[].theirs says: RTR and RTS. */
int pt_end_connect(struct pt_end *e);
void pt_end_close(struct pt_end *e);

/* A queue pair in INIT on the end's completion queue `cq`. */
struct rn_client_qp *pt_end_qp(struct pt_end *e, struct rn_client_cq *cq, unsigned tx, unsigned rx,
			       uint64_t ctx);
/* To RTR and RTS with attributes that are complete. */
int pt_end_to_rts(struct rn_client_qp *qp, enum rn_qp_type type, const struct rn_qp_attr *attr);

/* The block of queue pair i that data is sent from, and where it arrives. */
uint8_t *pt_send_at(const struct pt_end *e, unsigned i);
uint8_t *pt_recv_at(const struct pt_end *e, unsigned i);

/* One request of the test on queue pair i; its completion has wr_id = how many were posted by then. */
int pt_post(struct pt_end *e, unsigned i, uint32_t size, bool signaled);
/* One receive, for a message of any size of the test. */
int pt_post_recv(struct pt_end *e, unsigned i);
/* Takes completions and counts them in e->qp. With `wait` sleeps, for a while, when there are none.
 * The number taken; -1 when one of them failed, or pt_watch did. */
int pt_poll(struct pt_end *e, bool wait);

/* Waits for an event of one of the kinds (a bit mask of 1 << kind) of this id, or any with id 0.
 * False: none came in time. */
bool pt_event(struct pt_end *e, uint64_t kinds, uint32_t id, struct rn_event *ev, int timeout_ms);

/* Takes the events that there are, or come in time, for pt_event. */
void pt_events(struct pt_end *e, int timeout_ms);

/* For loops that wait. -1: the user has asked to stop (e->stopped), or the other end has gone, which is said on stderr. An
 * end that has finished hangs up first, so that the last of its work is given a second to arrive. */
int pt_watch(struct pt_end *e);

uint64_t pt_now_ns(void);
const char *pt_status_text(uint8_t status);

#endif
