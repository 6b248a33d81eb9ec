/* Exchanges orders, that is control messages, between both ends of a tool. Owns the memory of the
 * orders in e->mem, behind the tool's data. That memory has TALK_SLOTS slots for outgoing and
 * TALK_SLOTS slots for incoming orders. Used by the endpoint's thread. */
#include "talk.h"

#include <endian.h>
#include <string.h>

#define MAGIC	0x4e44u /* "ND" in ASCII */
#define VERSION 1

/* The bytes of an order (control message) on the wire. All fields except `token` are little endian;
 * `token` is sent as GetRemoteToken returned it. */
struct order_bytes {
	uint16_t magic, version;
	uint32_t tool; /* the tool's default port, which identifies the tool */
	uint32_t kind, size;
	uint64_t count, first, addr;
	uint32_t token, seed;
};
_Static_assert(sizeof(struct order_bytes) == TALK_BYTES, "no holes");
_Static_assert(2 * TALK_SLOTS * sizeof(struct order_bytes) <= ENDPOINT_EXTRA,
	       "room for both directions");

static void pack(const struct endpoint *e, const struct order *o, struct order_bytes *to)
{
	*to = (struct order_bytes){htole16(MAGIC),    htole16(VERSION), htole32(e->port),
				   htole32(o->kind),  htole32(o->size), htole64(o->count),
				   htole64(o->first), htole64(o->addr), o->token,
				   htole32(o->seed)};
}

static void unpack(const struct endpoint *e, const struct order_bytes *b, struct order *o)
{
	if (le16toh(b->magic) != MAGIC || le16toh(b->version) != VERSION ||
	    le32toh(b->tool) != e->port)
		die("the peer is another program, or another version of this one");
	*o = (struct order){le32toh(b->kind),  le32toh(b->size), le64toh(b->count),
			    le64toh(b->first), le64toh(b->addr), b->token,
			    le32toh(b->seed)};
}

void talk_connect(struct endpoint *e, const struct order *mine, struct order *theirs)
{
	struct order_bytes out, in;
	pack(e, mine, &out);
	endpoint_connect(e, &out, sizeof(out), &in, sizeof(in));
	unpack(e, &in, theirs);
}

void talk_await(struct endpoint *e, struct order *theirs)
{
	struct order_bytes in;
	endpoint_await(e, &in, sizeof(in));
	unpack(e, &in, theirs);
}

void talk_accept(struct endpoint *e, const struct order *mine)
{
	struct order_bytes out;
	pack(e, mine, &out);
	endpoint_accept(e, &out, sizeof(out));
}

static struct order_bytes *slots(const struct endpoint *e, bool incoming)
{
	return (struct order_bytes *)(e->mem + e->mem_bytes - ENDPOINT_EXTRA) +
	       (incoming ? TALK_SLOTS : 0);
}

void talk_post_receives(struct endpoint *e, unsigned n)
{
	while (n-- > 0) {
		struct order_bytes *b = slots(e, true) + e->heard++ % TALK_SLOTS;
		endpoint_receive(e, b, (uint8_t *)b, sizeof(*b));
	}
}

void talk_send(struct endpoint *e, const struct order *o)
{
	struct order_bytes *b = slots(e, false) + e->said++ % TALK_SLOTS;
	pack(e, o, b);
	endpoint_send(e, b, (const uint8_t *)b, sizeof(*b), 0);
}

void talk_send_bye(struct endpoint *e)
{
	const struct order_bytes *b = slots(e, false) + e->said % TALK_SLOTS;
	ND2_RESULT r;
	talk_send(e, &(struct order){.kind = ORDER_BYE});
	do
		endpoint_next(e, &r);
	while (r.RequestContext != b);
}

static bool within(const struct order_bytes *at, const ND2_RESULT *r)
{
	uintptr_t context = (uintptr_t)r->RequestContext;
	return context >= (uintptr_t)at && context < (uintptr_t)(at + TALK_SLOTS);
}

bool talk_is_own(const struct endpoint *e, const ND2_RESULT *r)
{
	return within(slots(e, false), r);
}

bool talk_take_order(const struct endpoint *e, const ND2_RESULT *r, struct order *o)
{
	if (!within(slots(e, true), r))
		return false;
	if (r->BytesTransferred != sizeof(struct order_bytes))
		die("the peer sent %u bytes instead of a control message", r->BytesTransferred);
	unpack(e, r->RequestContext, o);
	return true;
}

void talk_next(struct endpoint *e, ND2_RESULT *r)
{
	do
		endpoint_next(e, r);
	while (talk_is_own(e, r));
}

void talk_await_order(struct endpoint *e, enum order_kind kind, struct order *o)
{
	ND2_RESULT r;
	talk_next(e, &r);
	if (!talk_take_order(e, &r, o))
		die("unexpected completion of a request");
	if (kind && o->kind != (uint32_t)kind)
		die("protocol error: the peer sent message %u instead of %u", o->kind,
		    (unsigned)kind);
}
