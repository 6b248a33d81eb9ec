#ifndef RN_PERFTEST_CM_H
#define RN_PERFTEST_CM_H
/* Option -R: connections through the RDMA CM, one for each queue pair. A function of type int
 * returns 0, or -1 after one message on stderr. One thread calls these functions. */
#include "end.h"

/* Listens at the port number given by -p, at all addresses of the adapter or, with -x, at e->gid.
 * Stores the listener's CM id in *id. */
int pt_cm_listen(struct pt_end *e, uint32_t *id);
/* Waits for a client and connects qp to the client; a negative timeout_ms means without limit. qp
 * must be in INIT. Sets e->gid to the address to which the client has connected, and *id to the CM
 * id of the connection. `reads`: limit of READs and atomics in flight, 0 for none. */
int pt_cm_accept(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id,
		 int timeout_ms);
/* Connects qp to the server that the options name. perftest's server starts a new listener for the
 * queue pairs of the test. So the client tries again while the server has no listener. *id and
 * `reads` have the same meaning as in pt_cm_accept(). */
int pt_cm_connect(struct pt_end *e, struct rn_client_qp *qp, uint8_t reads, uint32_t *id);
/* Disconnects the queue pairs of the test. perftest's client expects the server to disconnect
 * first. So the client waits up to a second for each queue pair until the server has disconnected
 * that queue pair. If the user has interrupted the test, the client disconnects at once. */
void pt_cm_disconnect_all(struct pt_end *e);

/* Connect all queue pairs of the test: pt_cm_accept_all() at the server, pt_cm_connect_all() at the
 * client. The two ends must call these functions within a few seconds of each other. */
int pt_cm_accept_all(struct pt_end *e);
int pt_cm_connect_all(struct pt_end *e);

#endif
