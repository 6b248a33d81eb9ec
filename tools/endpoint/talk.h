/* What the two ends of a tool say to each other beside the data: orders of 48 bytes, in private data when they connect, then
 * as Sends of the same queue pair. The client orders, the server obeys; the last order is ORDER_BYE, so that a server knows
 * a client that has finished from one that is gone. The endpoint's thread. */
#ifndef TOOLS_TALK_H
#define TOOLS_TALK_H

#include "endpoint.h"

enum order_kind {
	ORDER_HELLO = 1, /* in private data: what the client's options say, and the server's buffers */
	ORDER_RUN,       /* client: `count` messages of `size` bytes come, the first has number `first` */
	ORDER_GO,        /* server: ready for them */
	ORDER_CREDIT,    /* server: `count` more receives are posted */
	ORDER_DONE,      /* either: that is all of it, and it was right */
	ORDER_BYE,       /* client: there is nothing more to do */
};

/* What a field means is the tool's affair, but for kind. */
struct order {
	uint32_t kind, size;
	uint64_t count, first;
	uint64_t addr;
	uint32_t token; /* as GetRemoteToken gives it: travels unchanged */
	uint32_t seed;
};

enum { TALK_SLOTS = 16 }; /* orders of each direction under way */

/* endpoint_connect, endpoint_await and endpoint_accept with a HELLO each. A client or server of another tool is refused. */
void talk_connect(struct endpoint *e, const struct order *mine, struct order *theirs);
void talk_await(struct endpoint *e, struct order *theirs);
void talk_accept(struct endpoint *e, const struct order *mine);

/* Posts receives for so many orders, at most TALK_SLOTS at a time. Receives are taken in the order in which they were posted,
 * by data as by orders. */
void talk_listen(struct endpoint *e, unsigned n);
/* Sends an order; its completion is swallowed by talk_is_own. */
void talk_say(struct endpoint *e, const struct order *o);
/* Says ORDER_BYE and waits until the peer has it. */
void talk_bye(struct endpoint *e);
/* Is this the completion of an order that was sent? Then it is of no interest. */
bool talk_is_own(const struct endpoint *e, const ND2_RESULT *r);
/* Is this an order that came? Then it is stored. */
bool talk_heard(const struct endpoint *e, const ND2_RESULT *r, struct order *o);
/* endpoint_next, without the completions of orders that were sent. */
void talk_next(struct endpoint *e, ND2_RESULT *r);
/* Waits for the next order and fails when anything else completes first. It must be of this kind, unless kind is 0. */
void talk_hear(struct endpoint *e, enum order_kind kind, struct order *o);

#endif
