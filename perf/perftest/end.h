#ifndef RN_PERFTEST_END_H
#define RN_PERFTEST_END_H
/* This end of the test: the adapter, its memory, queue pairs and completions, through the client
 * API. A function that fails has printed one message on stderr. One thread. */
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "record.h"
#include "rn/client.h"

struct pt_qp {
	struct rn_client_qp *qp;
	struct pt_card mine, theirs;
	uint32_t cm;		 /* id of its connection with -R */
	uint64_t posted, done;	 /* requests */
	uint64_t rposted, rdone; /* receives */
	struct rn_ud to;	 /* UD: their destination */
};

#define PT_EVENTS 64u

struct pt_end {
	const struct pt_options *o;
	struct rn_client *client;
	const struct rn_link_info *info;
	struct rn_gid gid; /* this end's address */
	unsigned gid_index;
	uint8_t mtu; /* path MTU code, 1..5 */
	uint32_t pd, lkey, rkey;
	uint8_t *mem;
	/* bytes from one queue pair's block to the next; the sending blocks come first, then the
	 * receiving ones */
	uint64_t stride;
	uint64_t mem_bytes;
	struct rn_client_cq *cq;
	struct pt_qp *qp;
	struct rn_event pending[PT_EVENTS]; /* events taken by one wait that a later one may need */
	unsigned npending;
	int peer_fd;	     /* the socket of the exchange of parameters, or -1 */
	unsigned polls;	     /* number of polls so far */
	uint64_t gone_since; /* when the other end was first found to be gone; 0: it is connected */
	bool stopped;	     /* the user has interrupted the test */
};

/* Opens the adapter and chooses its address: -x, else the first of the peer's family (v4: the peer
 * has IPv4; pass true if nothing is known of the peer). */
int pt_end_open(struct pt_end *e, const struct pt_options *o);
/* Uses the adapter's address that a client has chosen. */
void pt_end_use_gid(struct pt_end *e, const struct rn_gid *gid);
/* Creates memory, completion queue, and queue pairs in INIT. e->mtu must be set. */
int pt_end_make(struct pt_end *e);
/* Moves the queue pairs to RTR and RTS with the attributes in e->qp[].theirs, without the CM. */
int pt_end_connect(struct pt_end *e);
void pt_end_close(struct pt_end *e);

/* Creates a queue pair in INIT on the end's completion queue `cq`. */
struct rn_client_qp *pt_end_qp(struct pt_end *e, struct rn_client_cq *cq, unsigned tx, unsigned rx,
			       uint64_t ctx);
/* Moves a queue pair to RTR and RTS; the attributes must be complete. */
int pt_end_to_rts(struct rn_client_qp *qp, enum rn_qp_type type, const struct rn_qp_attr *attr);

/* The blocks of queue pair i: where data is sent from, and where it arrives. */
uint8_t *pt_send_at(const struct pt_end *e, unsigned i);
uint8_t *pt_recv_at(const struct pt_end *e, unsigned i);

/* Posts one request of the test on queue pair i; its wr_id is the number of requests posted by
 * then. */
int pt_post(struct pt_end *e, unsigned i, uint32_t size, bool signaled);
/* Posts one receive, large enough for any message of the test. */
int pt_post_recv(struct pt_end *e, unsigned i);
/* Takes completions and counts them in e->qp; with `wait` sleeps for a while if there are none.
 * Returns their number; -1 if one of them failed, or pt_watch did. */
int pt_poll(struct pt_end *e, bool wait);

/* Waits for an event of one of the kinds (a bit mask of 1 << kind) with this id; id 0 means any.
 * False: none came in time. */
bool pt_event(struct pt_end *e, uint64_t kinds, uint32_t id, struct rn_event *ev, int timeout_ms);

/* Takes the events that are there, or arrive in time, and stores them for pt_event. */
void pt_events(struct pt_end *e, int timeout_ms);

/* For loops that wait. Returns -1 if the user has asked to stop (e->stopped), or if the other end
 * is gone, which is printed on stderr. An end that has finished closes its connection first, so
 * the last of its data gets one second to arrive. */
int pt_watch(struct pt_end *e);

uint64_t pt_now_ns(void);
const char *pt_status_text(uint8_t status);

#endif
