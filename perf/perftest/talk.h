#ifndef RN_PERFTEST_TALK_H
#define RN_PERFTEST_TALK_H
/* The exchange of parameters, results and sync points with the other end, over a TCP socket or,
 * with -R, over a separate queue pair. Both ends send messages of the same size at each step; the
 * client goes first. A function that fails has printed one message on stderr. One thread. */
#include <stddef.h>

#include "end.h"

struct pt_talk;

struct pt_talk_ops {
	/* Sends or receives all `bytes`. 0 or -1. */
	int (*send)(struct pt_talk *t, const void *data, size_t bytes);
	int (*recv)(struct pt_talk *t, void *data, size_t bytes);
	int (*send_card)(struct pt_talk *t, const struct pt_card *card);
	int (*recv_card)(struct pt_talk *t, struct pt_card *card);
	void (*close)(struct pt_talk *t);
};

#define PT_TALK_RECVS 4u
#define PT_TALK_BYTES 64u /* bytes of a message over the queue pair */

struct pt_talk {
	const struct pt_talk_ops *ops;
	struct pt_end *e;
	double their_version;
	/* TCP */
	int fd;
	/* -R */
	uint32_t cm, listener, lkey, rkey;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	uint8_t *mem;
	struct {
		unsigned recv, bytes;
	} got[PT_TALK_RECVS]; /* completed receives, in order */
	unsigned ngot, sent, acked;
};

/* The server waits for a client, the client connects. The adapter is open. */
int pt_talk_open(struct pt_talk *t, struct pt_end *e);
void pt_talk_close(struct pt_talk *t);

/* The first steps, in this order: versions, sizes, the smaller path MTU (into e->mtu). */
int pt_talk_begin(struct pt_talk *t);
/* Sends this end's data of queue pair i and receives the peer's. */
int pt_talk_card(struct pt_talk *t, unsigned i);
/* Waits until both ends have reached this point. perftest sends the card of queue pair 0 for it. */
int pt_talk_sync(struct pt_talk *t);
int pt_talk_rates(struct pt_talk *t, const struct pt_rates *mine, struct pt_rates *theirs);
/* The last sync point and the last message. */
int pt_talk_end(struct pt_talk *t);

extern const struct pt_talk_ops pt_talk_tcp, pt_talk_cm;
int pt_talk_tcp_open(struct pt_talk *t);
int pt_talk_cm_open(struct pt_talk *t);

#endif
