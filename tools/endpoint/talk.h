/* Orders: the control messages of 48 bytes that both ends of a tool exchange. Used by the
 * endpoint's thread.
 * The first order of each side is in the private data of the connection set-up. Later orders are
 * Sends on the queue pair that also carries the data. The client's orders say what the server must
 * do; the server's orders are answers. The client's last order is ORDER_BYE. If the connection ends
 * without ORDER_BYE, the server knows that the client died. */
#ifndef TOOLS_TALK_H
#define TOOLS_TALK_H

#include "endpoint.h"

enum order_kind {
	/* in the private data: the client's options; in the server's answer all fields except
	 * `kind` are unused */
	ORDER_HELLO = 1,
	/* from the client: `count` messages of `size` bytes follow, numbered from `first` on */
	ORDER_RUN,
	/* the sender of this order is ready for messages; `count` may be the number of its
	 * receives, or `addr` and `token` may describe its buffer */
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
	uint32_t token; /* remote token, unchanged from GetRemoteToken */
	uint32_t seed;
};

/* greatest number of orders (control messages) in flight in each direction */
enum { TALK_SLOTS = 16 };

/* Like endpoint_connect, endpoint_await and endpoint_accept, with orders (control messages) of kind
 * ORDER_HELLO as private data: `mine` is sent, `theirs` is received. The program ends if the peer
 * is another tool. */
void talk_connect(struct endpoint *e, const struct order *mine, struct order *theirs);
void talk_await(struct endpoint *e, struct order *theirs);
void talk_accept(struct endpoint *e, const struct order *mine);

/* Posts receives for `n` orders (control messages). At most TALK_SLOTS of these receives may be
 * posted at a time. Data and control messages use the same receives, oldest first. So the caller
 * must post receives in the sequence in which data and control messages will arrive. */
void talk_post_receives(struct endpoint *e, unsigned n);
/* Sends an order (control message). talk_is_own() recognizes the completion of the Send. */
void talk_send(struct endpoint *e, const struct order *o);
/* Sends the last order, ORDER_BYE. Waits until the peer's adapter has acknowledged that order. */
void talk_send_bye(struct endpoint *e);
/* Returns whether `r` is the completion of an order's Send (an order is a control message). The
 * caller can ignore such a completion. */
bool talk_is_own(const struct endpoint *e, const ND2_RESULT *r);
/* Takes an order (control message) from a receive completion. If an order has arrived with `r`,
 * stores the order in *o and returns true. Otherwise returns false. */
bool talk_take_order(const struct endpoint *e, const ND2_RESULT *r, struct order *o);
/* Waits for the next completion like endpoint_next, but skips the completions of orders sent
 * (talk_is_own()). */
void talk_next(struct endpoint *e, ND2_RESULT *r);
/* Waits for the next order (control message) from the peer. Any other completion ends the program,
 * and so does an order of another kind (unless kind is 0). */
void talk_await_order(struct endpoint *e, enum order_kind kind, struct order *o);

#endif
