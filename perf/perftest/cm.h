#ifndef RN_PERFTEST_CM_H
#define RN_PERFTEST_CM_H
/* -R: connections through the RDMA CM, one per queue pair. A function that fails has printed one
 * message on stderr. One thread. */
#include "end.h"

/* Listens at the port of the options, at all addresses of the adapter or, with -x, at e->gid. *id:
 * the listener. */
int pt_cm_listen(struct pt_end *e, uint32_t *id);
/* Waits for a client (for ever if timeout_ms < 0) and connects qp, which is in INIT, to it. e->gid
 * becomes the address that the client asked for. *id: the connection. `reads`: READs and atomics
 * in flight, 0 for none. */
int pt_cm_accept(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
		 int timeout_ms);
/* Connects to the server of the options, and retries while it does not listen: perftest's server
 * starts a new listener for the queue pairs of the test. */
int pt_cm_connect(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id);
/* Disconnects the test's queue pairs, in order: perftest's client waits for the server to
 * disconnect. */
void pt_cm_part(struct pt_end *e);

/* Connects all queue pairs of the test, once both ends have reached this step. */
int pt_cm_accept_all(struct pt_end *e);
int pt_cm_connect_all(struct pt_end *e);

#endif
