#ifndef RN_PERFTEST_TALK_H
#define RN_PERFTEST_TALK_H
/* The exchange of parameters, results and sync points with the other end, over a TCP socket or,
 * with -R, over a separate queue pair. Both ends send messages of the same size at each step; the
 * client goes first. A function that fails has printed one message on stderr. Used by one
 * thread. */
#include <stddef.h>

#include "end.h"

struct pt_talk;

struct pt_talk_ops {
	/* Send or receive exactly `bytes`. Return 0 or -1. */
	int (*send)(struct pt_talk *t, const void *data, size_t bytes);
	int (*recv)(struct pt_talk *t, void *data, size_t bytes);
	int (*send_card)(struct pt_talk *t, const struct pt_card *card);
	int (*recv_card)(struct pt_talk *t, struct pt_card *card);
	void (*close)(struct pt_talk *t);
};

#define PT_TALK_RECVS 4u
#define PT_TALK_BYTES 64u /* with -R: bytes of a message buffer of the exchange */

struct pt_talk {
	const struct pt_talk_ops *ops;
	struct pt_end *e;
	double their_version;
	/* used over TCP: the socket */
	int fd;
	/* used with -R: connection, queue pair and memory */
	uint32_t cm, listener, lkey, rkey;
	struct rn_client_cq *cq;
	struct rn_client_qp *qp;
	uint8_t *mem;
	struct {
		unsigned recv, bytes;
		/* the receives that have completed, in order of arrival. recv: index of the message
		 * buffer; bytes: length of the message in it */
	} got[PT_TALK_RECVS];
	unsigned ngot, sent, acked;
};

/* Opens the connection of the exchange: the server waits for a client, the client connects. The
 * adapter must be open. */
int pt_talk_open(struct pt_talk *t, struct pt_end *e);
void pt_talk_close(struct pt_talk *t);

/* The first steps of the exchange, in this order: protocol versions, two sizes that perftest uses
 * (cycle buffer, cache line), path MTUs. Sets e->mtu to the smaller path MTU of both ends. */
int pt_talk_begin(struct pt_talk *t);
/* Sends the parameters of this end's queue pair i (numbers, keys, addresses) and receives the
 * peer's. */
int pt_talk_card(struct pt_talk *t, unsigned i);
/* Waits until both ends have reached this point: as in perftest, both send the parameters of queue
 * pair 0 once more. */
int pt_talk_sync(struct pt_talk *t);
int pt_talk_rates(struct pt_talk *t, const struct pt_rates *mine, struct pt_rates *theirs);
/* Ends the exchange: the last sync point and, over TCP, the message "done". */
int pt_talk_end(struct pt_talk *t);

extern const struct pt_talk_ops pt_talk_tcp, pt_talk_cm;
int pt_talk_tcp_open(struct pt_talk *t);
int pt_talk_cm_open(struct pt_talk *t);

#endif
