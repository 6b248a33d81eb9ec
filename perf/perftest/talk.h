#ifndef RN_PERFTEST_TALK_H
#define RN_PERFTEST_TALK_H
/* The exchange of parameters, results and sync points with the other end, over a TCP socket or, with
 * -R, over a queue pair of its own. Both ends send messages of the same size at the same step; the
 * client goes first. Functions that fail have printed one sentence on stderr. One thread. */
#include <stddef.h>

#include "end.h"

struct pt_talk;

struct pt_talk_ops {
	/* All `bytes` of them. 0 or -1. */
	int (*send)(struct pt_talk *t, const void *data, size_t bytes);
	int (*recv)(struct pt_talk *t, void *data, size_t bytes);
	int (*send_card)(struct pt_talk *t, const struct pt_card *card);
	int (*recv_card)(struct pt_talk *t, struct pt_card *card);
	void (*close)(struct pt_talk *t);
};

#define PT_TALK_RECVS 4u
#define PT_TALK_BYTES 64u /* of a message over the queue pair */

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
	} got[PT_TALK_RECVS]; /* receives that have completed, in order */
	unsigned ngot, sent, acked;
};

/* Server: waits for a client; client: connects. The adapter is open. */
int pt_talk_open(struct pt_talk *t, struct pt_end *e);
void pt_talk_close(struct pt_talk *t);

/* Versions, sizes, the smaller path MTU (into e->mtu): the first steps, in this order. */
int pt_talk_begin(struct pt_talk *t);
/* Tells of queue pair i and learns of the peer's. */
int pt_talk_card(struct pt_talk *t, unsigned i);
/* Both ends have come this far. perftest takes the card of queue pair 0 for it. */
int pt_talk_sync(struct pt_talk *t);
int pt_talk_rates(struct pt_talk *t, const struct pt_rates *mine, struct pt_rates *theirs);
/* The last sync point, and the last word. */
int pt_talk_end(struct pt_talk *t);

extern const struct pt_talk_ops pt_talk_tcp, pt_talk_cm;
int pt_talk_tcp_open(struct pt_talk *t);
int pt_talk_cm_open(struct pt_talk *t);

#endif
