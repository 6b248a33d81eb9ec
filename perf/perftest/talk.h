#ifndef RN_PERFTEST_TALK_H
#define RN_PERFTEST_TALK_H
/* The exchange of parameters, results and sync points with the other end: over a TCP socket or,
 * with -R, over a separate queue pair. At each step both ends send messages of the same size, the
 * client first. A function that fails has printed one message on stderr. One thread calls these
 * functions. */
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
		/* the completed receives, in order of arrival. recv: index of the message buffer;
		 * bytes: length of the message in that buffer */
	} got[PT_TALK_RECVS];
	unsigned ngot, sent, acked;
};

/* Opens the connection of the exchange: the server waits for a client, and the client connects. The
 * adapter must be open already. */
int pt_talk_open(struct pt_talk *t, struct pt_end *e);
void pt_talk_close(struct pt_talk *t);

/* Makes the first steps of the exchange: protocol versions, then two sizes that perftest uses
 * (cycle buffer, cache line), then path MTUs. Sets e->mtu to the smaller path MTU of the two
 * ends. */
int pt_talk_begin(struct pt_talk *t);
/* Sends the parameters (numbers, keys, addresses) of this end's queue pair i, and receives those of
 * the peer's queue pair i. */
int pt_talk_card(struct pt_talk *t, unsigned i);
/* Waits until both ends have reached this point. As in perftest, each end sends the parameters of
 * queue pair 0 once more. */
int pt_talk_sync(struct pt_talk *t);
int pt_talk_rates(struct pt_talk *t, const struct pt_rates *mine, struct pt_rates *theirs);
/* Ends the exchange with the last sync point and, over TCP, the message "done". */
int pt_talk_end(struct pt_talk *t);

extern const struct pt_talk_ops pt_talk_tcp, pt_talk_cm;
int pt_talk_tcp_open(struct pt_talk *t);
int pt_talk_cm_open(struct pt_talk *t);

#endif
