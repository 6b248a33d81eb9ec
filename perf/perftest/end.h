#ifndef RN_PERFTEST_END_H
#define RN_PERFTEST_END_H
/* One end of a perftest run, built on the client API: the adapter, its memory, queue pairs and
 * completions. A function that fails has printed one message on stderr. One thread calls these
 * functions. */
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "record.h"
#include "rn/client.h"

struct pt_qp {
	struct rn_client_qp *qp;
	struct pt_card mine, theirs;
	uint32_t cm;		 /* with -R: CM id of the connection */
	uint64_t posted, done;	 /* work requests posted, work requests completed */
	uint64_t rposted, rdone; /* receives posted, receives completed */
	struct rn_ud to;	 /* UD: destination of the messages */
	uint32_t lkey, rkey;	 /* keys of the memory of this queue pair */
};

#define PT_EVENTS 64u

struct pt_end {
	const struct pt_options *o;
	struct rn_client *client;
	const struct rn_link_info *info;
	struct rn_gid gid; /* this end's address */
	unsigned gid_index;
	uint8_t mtu; /* path MTU code: 1 is 256 bytes, 5 is 4096 */
	uint32_t pd;
	uint8_t *mem;
	/* bytes of one block of mem. Each queue pair has two blocks, for sending and for
	 * receiving. */
	uint64_t stride;
	uint64_t mem_bytes;
	struct rn_client_cq *cq;
	struct rn_client_srq *srq; /* with --use-srq: the receives of all queue pairs */
	struct pt_qp *qp;
	struct rn_event pending[PT_EVENTS]; /* events that pt_event() has not yet taken */
	unsigned npending;
	int peer_fd;	/* TCP socket over which the ends exchange parameters, or -1 */
	unsigned polls; /* number of polls; every 1024th poll calls pt_check_peer() */
	/* time (ns) when the other end was first found to be gone; 0 = the other end is
	 * connected */
	uint64_t gone_since;
	bool stopped; /* the user has interrupted the test */
};

/* Opens the adapter and chooses this end's address:
 * - with -x: the address with that index
 * - with -R, if the server is given as an IPv6 address: the first IPv6 address
 * - else: the first IPv4 address */
int pt_end_open(struct pt_end *e, const struct pt_options *o);
/* Sets this end's address to `gid`, the address to which a client has connected. */
void pt_end_use_gid(struct pt_end *e, const struct rn_gid *gid);
/* Creates the memory region, the completion queue, and the queue pairs in state INIT. */
int pt_end_make(struct pt_end *e);
/* Moves the queue pairs to RTR and RTS without the CM, with the attributes in e->qp[].theirs. */
int pt_end_connect(struct pt_end *e);
void pt_end_close(struct pt_end *e);

/* Creates a queue pair in INIT that completes to `cq`, with room for `tx` send requests and `rx`
 * receives. If srq is not NULL, it has the receives. The completions carry `ctx`. Returns NULL
 * after a message on stderr. */
struct rn_client_qp *pt_end_qp(struct pt_end *e, struct rn_client_cq *cq, struct rn_client_srq *srq,
			       unsigned tx, unsigned rx, uint64_t ctx);
/* Moves a queue pair to RTR and then to RTS; `attr` must have all attributes of both moves. */
int pt_end_to_rts(struct rn_client_qp *qp, enum rn_qp_type type, const struct rn_qp_attr *attr);

/* Return the memory blocks of queue pair i: pt_send_at() for data to send, pt_recv_at() for
 * arriving data. */
uint8_t *pt_send_at(const struct pt_end *e, unsigned i);
uint8_t *pt_recv_at(const struct pt_end *e, unsigned i);

/* Posts one work request of the test on queue pair i. wr_id is the number of work requests posted
 * on queue pair i, including this work request. */
int pt_post(struct pt_end *e, unsigned i, uint32_t size, bool signaled);
/* Posts n work requests on queue pair i as one list (-l). Every cq_mod-th work request of the queue
 * pair is signaled, and the one whose number is `last`. */
int pt_post_list(struct pt_end *e, unsigned i, uint32_t size, uint64_t n, uint64_t last);
/* Post one receive, or a list of n (--recv_post_list), on queue pair i, each large enough for any
 * message of the test. */
int pt_post_recv(struct pt_end *e, unsigned i);
int pt_post_recvs(struct pt_end *e, unsigned i, uint64_t n);
#define PT_SLEEP_MS 100
/* Takes completions, and counts them in `done` and `rdone` of the queue pairs e->qp. With `wait`,
 * sleeps up to PT_SLEEP_MS milliseconds if there is no completion; pt_poll_for(), up to `ms`.
 * Returns the number of completions taken. Returns -1 if a completion reports an error or
 * pt_check_peer() fails. */
int pt_poll(struct pt_end *e, bool wait);
int pt_poll_for(struct pt_end *e, unsigned ms);

/* Waits up to timeout_ms for an event with this id (0 means any id). `kinds` is a bit mask: bit k
 * stands for events of kind k. Returns false if no such event came in time, or the user has asked
 * to stop. */
bool pt_event(struct pt_end *e, uint64_t kinds, uint32_t id, struct rn_event *ev, int timeout_ms);

/* Takes the queued events, and the events that arrive within timeout_ms. Stores these events for
 * pt_event(). */
void pt_events(struct pt_end *e, int timeout_ms);

/* Keeps everything as it is for so many seconds, or until the user asks to stop. The adapter goes
 * on working. */
void pt_linger(struct pt_end *e, unsigned secs);

/* To be called in loops that wait. Returns 0 while the test may go on. Returns -1:
 * - if the user has asked to stop; sets e->stopped
 * - after a message on stderr, if the other end has been gone for more than a second. The other
 *   end disconnects as soon as it has finished, so its last data may arrive during this second. */
int pt_check_peer(struct pt_end *e);

uint64_t pt_now_ns(void);
const char *pt_status_text(uint8_t status);

#endif
