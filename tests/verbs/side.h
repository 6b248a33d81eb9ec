/* One end of a connection as an ordinary verbs program makes it: device, PD, buffer, CQ and QP. The
 * programs of this folder are linked with Debian's libibverbs and run with softrnic's. */
#ifndef SIDE_H
#define SIDE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <infiniband/verbs.h>

#define SIDE_BYTES 65536

struct side {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq; /* NULL: the QP gets a receive queue of its own */
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf; /* SIDE_BYTES bytes */
	union ibv_gid gid;
};

/* Opens device `index` and makes all objects but the QP. */
void side_open(struct side *s, unsigned index);
/* Makes a QP of the given type, with `depth` requests per queue, 4 SGEs and 64 bytes inline. If
 * s->srq is set, the QP takes its receives from there. */
void side_make_qp(struct side *s, enum ibv_qp_type type, uint32_t depth);
/* Makes a QP of the same size with the extended post calls for `ops`. */
void side_make_qp_ex(struct side *s, enum ibv_qp_type type, uint32_t depth, uint64_t ops);
/* Destroys everything; each call must succeed. */
void side_close(struct side *s);

int side_to_init(struct side *s);
/* Moves a QP in INIT to RTR, towards the QP of `peer`; then to RTS. RC and UC. */
int side_to_rtr(struct side *s, const struct side *peer);
int side_to_rts(struct side *s);
/* Opens both ends and connects them. a and b are devices. */
void side_connect(struct side *one, struct side *other, unsigned a, unsigned b, uint32_t depth);
/* Moves the QPs of both ends from RESET to RTS, towards each other. */
void side_join(struct side *one, struct side *other);

/* Post one receive or send of `len` bytes at offset `at` of the buffer. */
void side_recv(struct side *s, uint64_t wr_id, uint32_t at, uint32_t len);
void side_send(struct side *s, uint64_t wr_id, uint32_t at, uint32_t len);
/* Waits for one completion. */
struct ibv_wc side_wait(struct side *s);
/* Waits for an asynchronous event, which must be of the given type, and acknowledges it. Returns
 * the object that the event names. */
void *side_event(struct side *s, enum ibv_event_type type);

#endif
