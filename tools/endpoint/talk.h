/* Orders: the control messages of 48 bytes that the two ends of a tool exchange. The first order of
 * each side is in the private data of the connection set-up. Later orders are sent by the Send
 * method, on the queue pair that also carries the data. The client's orders say what the server
 * must do; the server's orders are answers. The last order of the client is ORDER_BYE, so that the
 * server can distinguish a client that has finished from one that has died. Used by the endpoint's
 * thread. */
#ifndef TOOLS_TALK_H
#define TOOLS_TALK_H

#include "endpoint.h"

enum order_kind {
	/* in the private data: the client's options; in the server's answer only `kind` has a
	 * meaning */
	ORDER_HELLO = 1,
	/* from the client: `count` messages of `size` bytes follow; the first has number `first` */
	ORDER_RUN,
	/* the sender of this order is ready for messages; the order may carry the number of its
	 * receives (`count`), or `addr` and `token` of its buffer */
	ORDER_GO,
	ORDER_CREDIT, /* from the server: `count` more receives are posted */
	ORDER_DONE,   /* from the server: all messages have arrived with the right data */
	ORDER_BYE,    /* from the client: there are no more tests */
};

/* The content of an order. The meaning of all fields except `kind` depends on the tool. */
struct order {
	uint32_t kind, size;
	uint64_t count, first;
	uint64_t addr;
	uint32_t token; /* as GetRemoteToken returned it, sent unchanged */
	uint32_t seed;
};

/* greatest number of orders (control messages) in flight in each direction */
enum { TALK_SLOTS = 16 };

/* Like endpoint_connect, endpoint_await and endpoint_accept, with the orders (control messages)
 * `mine` and `theirs` of kind ORDER_HELLO as private data. If the peer is another tool, the program
 * ends. */
void talk_connect(struct endpoint *e, const struct order *mine, struct order *theirs);
void talk_await(struct endpoint *e, struct order *theirs);
void talk_accept(struct endpoint *e, const struct order *mine);

/* Posts receives for `n` orders (control messages); at most TALK_SLOTS of them may be posted at a
 * time. Data and orders consume the receives of the queue pair in the order of posting, so the
 * caller must post them in the sequence in which data and orders will arrive. */
void talk_post_receives(struct endpoint *e, unsigned n);
/* Sends an order (control message). talk_is_own() recognizes its completion. */
void talk_send(struct endpoint *e, const struct order *o);
/* Sends the last order, ORDER_BYE, and waits until the peer's adapter has acknowledged it. */
void talk_send_bye(struct endpoint *e);
/* Returns whether `r` is the completion of the Send of an order (control message); the caller can
 * ignore such a completion. */
bool talk_is_own(const struct endpoint *e, const ND2_RESULT *r);
/* If `r` is the completion of a receive that took an order (control message), stores the order in
 * *o and returns true. Otherwise returns false. */
bool talk_take_order(const struct endpoint *e, const ND2_RESULT *r, struct order *o);
/* Waits for the next completion like endpoint_next, but skips those for which talk_is_own() is
 * true. */
void talk_next(struct endpoint *e, ND2_RESULT *r);
/* Waits for the next order (control message) from the peer. Any other completion, or an order of
 * another kind (unless kind is 0), ends the program. */
void talk_await_order(struct endpoint *e, enum order_kind kind, struct order *o);

#endif
