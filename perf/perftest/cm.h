#ifndef RN_PERFTEST_CM_H
#define RN_PERFTEST_CM_H
/* -R: connections through the RDMA CM, one per queue pair. Functions that fail have printed one
 * sentence on stderr. One thread. */
#include "end.h"

/* *id: of the listener at the port of the options, at all addresses of the adapter or, with -x, at e->gid. */
int pt_cm_listen(struct pt_end *e, uint32_t *id);
/* e->gid becomes the address that the client asked for.
 * Waits for a client, forever with timeout_ms < 0, and connects qp, in INIT, to it. *id: of the
 * connection. `reads`: READs and atomics at once, 0 where there are none. */
int pt_cm_accept(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
		 int timeout_ms);
/* To the server of the options; again while nobody listens there: perftest's server listens anew
 * for the queue pairs of the test. */
int pt_cm_connect(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id);
/* The connections of the test's queue pairs, in order: perftest's client waits for the server to
 * part. */
void pt_cm_part(struct pt_end *e);

/* All queue pairs of the test, once both ends know that it is their turn. */
int pt_cm_accept_all(struct pt_end *e);
int pt_cm_connect_all(struct pt_end *e);

#endif
