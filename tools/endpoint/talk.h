/* The messages that the two ends of a tool exchange beside the data: orders of 48 bytes, in
 * private data when they connect, then as Sends of the same queue pair. The client sends orders,
 * the server carries them out. The last order is ORDER_BYE, so a server can tell a client that has
 * finished from one that has died. The endpoint's thread. */
#ifndef TOOLS_TALK_H
#define TOOLS_TALK_H

#include "endpoint.h"

enum order_kind {
	ORDER_HELLO = 1, /* in private data: the client's options, and the server's buffers */
	/* client: `count` messages of `size` bytes follow, the first with number `first` */
	ORDER_RUN,
	ORDER_GO,     /* server: ready for these messages */
	ORDER_CREDIT, /* server: `count` more receives are posted */
	ORDER_DONE,   /* either: all messages have arrived and were right */
	ORDER_BYE,    /* client: there are no more tests */
};

/* The meaning of all fields but `kind` depends on the tool. */
struct order {
	uint32_t kind, size;
	uint64_t count, first;
	uint64_t addr;
	uint32_t token; /* as GetRemoteToken returned it, sent unchanged */
	uint32_t seed;
};

enum { TALK_SLOTS = 16 }; /* orders in flight in each direction */

/* The same as endpoint_connect, endpoint_await and endpoint_accept, with a HELLO in the private
 * data. A peer that is another tool is rejected. */
void talk_connect(struct endpoint *e, const struct order *mine, struct order *theirs);
void talk_await(struct endpoint *e, struct order *theirs);
void talk_accept(struct endpoint *e, const struct order *mine);

/* Posts receives for `n` orders, at most TALK_SLOTS at a time. Data and orders consume receives in
 * the order in which they were posted. */
void talk_listen(struct endpoint *e, unsigned n);
/* Sends an order; talk_is_own recognizes its completion. */
void talk_say(struct endpoint *e, const struct order *o);
/* Sends ORDER_BYE and waits until the peer has acknowledged it. */
void talk_bye(struct endpoint *e);
/* True for the completion of a sent order, which the caller can ignore. */
bool talk_is_own(const struct endpoint *e, const ND2_RESULT *r);
/* True for the completion of a received order, which is stored in *o. */
bool talk_heard(const struct endpoint *e, const ND2_RESULT *r, struct order *o);
/* As endpoint_next, but skips the completions of sent orders. */
void talk_next(struct endpoint *e, ND2_RESULT *r);
/* Waits for the next order; any other completion is an error. The order must be of this kind,
 * unless kind is 0. */
void talk_hear(struct endpoint *e, enum order_kind kind, struct order *o);

#endif
