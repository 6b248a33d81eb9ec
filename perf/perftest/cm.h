#ifndef RN_PERFTEST_CM_H
#define RN_PERFTEST_CM_H
/* Option -R: connections through the RDMA CM, one per queue pair. Functions that return int return
 * 0, or -1 after one message on stderr. Used by one thread. */
#include "end.h"

/* Listens at the port of the options (-p), at all addresses of the adapter or, with -x, at e->gid.
 * Stores the listener's CM id in *id. */
int pt_cm_listen(struct pt_end *e, uint32_t *id);
/* Waits for a client (without limit if timeout_ms < 0) and connects qp, which must be in INIT, to
 * it. Sets e->gid to the address that the client connected to, and *id to the connection's CM id.
 * `reads`: limit of READs and atomics in flight, 0 for none. */
int pt_cm_accept(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
		 int timeout_ms);
/* Connects qp to the server of the options. Tries again while the server has no listener: the
 * server of perftest starts a new listener for the queue pairs of the test. *id and `reads`: as in
 * pt_cm_accept. */
int pt_cm_connect(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id);
/* Disconnects the test's queue pairs. perftest's client expects that the server disconnects first.
 * So a client waits for each queue pair, up to a second, until the server has disconnected it. If
 * the user has interrupted the test, the client disconnects at once. */
void pt_cm_disconnect_all(struct pt_end *e);

/* Connect all queue pairs of the test: pt_cm_accept_all() is for the server, pt_cm_connect_all()
 * for the client. The two ends must call them at about the same time: each waits only some seconds
 * for the other. */
int pt_cm_accept_all(struct pt_end *e);
int pt_cm_connect_all(struct pt_end *e);

#endif
