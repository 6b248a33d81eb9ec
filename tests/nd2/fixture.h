/* Helpers of the NetworkDirect interface tests: two open adapters that reach each other, a
 * connected pair of queue pairs, and short functions that post and wait. Every wait has a time
 * limit; a timeout fails the test. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ndspi.h"
#include "ndstatus.h"
#include "ndsupport.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CALL(obj, method, ...) ((obj)->lpVtbl->method((obj), ##__VA_ARGS__))
#define OV(obj)		       ((IND2Overlapped *)(obj))
/* Checks that the call returns the expected status. Any thread may do this. */
#define HR(call, expected) \
	check_status((uint32_t)(call), (uint32_t)(expected), #call, __FILE__, __LINE__)
void check_status(uint32_t got, uint32_t expected, const char *call, const char *file, int line);
/* Checks that the call returns ND_PENDING, and that the started request ends with the expected
 * status. */
#define ENDS(obj, call, ov, expected)          \
	do {                                   \
		HR(call, ND_PENDING);          \
		HR(finish(obj, ov), expected); \
	} while (0)
#define RELEASE(obj)                        \
	do {                                \
		if (obj)                    \
			CALL(obj, Release); \
		(obj) = NULL;               \
	} while (0)

extern IND2Adapter *adapters[2]; /* set by open_adapters */
extern ND2_ADAPTER_INFO limits;

int open_adapters(void **state);
int close_adapters(void **state);
IND2Adapter *open_adapter(int which); /* opens adapter 0 or 1; the caller releases it */

/* Gives adapter 0 two shards and adapter 1 one shard, and both adapters this idle policy. To be
 * called before the adapters are opened. */
void use_policy(const char *policy);

/* Sets the whole configuration. Its adapters must have the addresses that address_of() and
 * address6_of() return. To be called before the adapters are opened. If $ND2_ADAPTERS is set, its
 * text takes the place of adapters that are joined by a ring, here and in use_policy(). */
void use_config(const char *text);

struct sockaddr_in address_of(int adapter, uint16_t port);   /* 192.0.2.1 or 192.0.2.2 */
struct sockaddr_in6 address6_of(int adapter, uint16_t port); /* 2001:db8::1 or 2001:db8::2 */
#define SA(sin) ((const struct sockaddr *)(sin))

/* Waits at most 20 s for the end of the request, and returns the request's status. */
HRESULT finish(void *obj, OVERLAPPED *ov);
/* Waits at most `ms` milliseconds for the end of the request, and returns its status. Returns
 * ND_PENDING if the request has not ended. */
HRESULT status_after(OVERLAPPED *ov, unsigned ms);
void sleep_ms(unsigned ms);

/* The number of objects of this kind in the process, as NdsLiveObjects counts them. */
uint64_t live_objects(const char *kind);
/* Fails the test unless every count of live objects is 0 within 20 s. All objects must be released
 * and all handles closed by then. */
void nothing_lives(void);

/* ---- struct end: the objects of one side of a connection ---- */

struct end {
	int which; /* index of the end's adapter, 0 or 1 */
	HANDLE file;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	IND2Connector *connector;
	IND2MemoryRegion *mr;
	uint8_t *buf;
	UINT32 local, remote; /* tokens of the region mr, which covers buf */
};

#define BUF_BYTES (256u * 1024)

/* Limits of an end's objects. A field that is 0 stands for the default named in its comment. */
struct how {
	ULONG cq_depth; /* default: 256 */
	ULONG depth;	/* entries of each of the queue pair's two queues; default: 64 */
	ULONG sge;	/* scatter/gather entries of a request; default: 4 */
	ULONG inl;	/* inline data of a request in bytes; default: 128 */
	ULONG mr_flags; /* default: all access rights */
	ULONG in, out;	/* MaxInboundReadLimit, MaxOutboundReadLimit; default: 4 */
};

void end_open(struct end *e, int which, const struct how *how);
void end_close(struct end *e);

IND2CompletionQueue *new_cq(struct end *e, ULONG depth);
IND2QueuePair *new_qp(struct end *e, IND2CompletionQueue *cq, void *context, const struct how *how);
IND2Connector *new_connector(struct end *e);
IND2Listener *new_listener(struct end *e);
IND2MemoryRegion *new_mr(struct end *e);
void register_mr(IND2MemoryRegion *mr, void *buf, size_t len, ULONG flags);

/* ---- a pair: end a connects from adapter 0, end b accepts on adapter 1 ---- */

struct pair {
	struct end a, b;
	IND2Listener *listener; /* listens on b's adapter, at `port` */
	uint16_t port;
};

void pair_open(struct pair *p, const struct how *how); /* opens both ends, unconnected */
void pair_connect(struct pair *p, const struct how *how);
void pair_open_connected(struct pair *p, const struct how *how);
void pair_close(struct pair *p);

/* The steps of a connection, for tests that do something between two steps. */
void listen_on(struct end *e, IND2Listener **listener, uint16_t *port, ULONG backlog);
void bind_any(struct end *e, IND2Connector *c);
HRESULT start_connect(struct pair *p, const struct how *how, const void *data, ULONG len,
		      OVERLAPPED *ov);
/* Runs the handshake until b's connector has received the connection request. On return, a's
 * Connect is still pending. */
void reach_request(struct pair *p, const struct how *how, OVERLAPPED *connect);
/* Runs the handshake until a's Connect has ended with b's REP. On return, b's Accept is still
 * pending, and a's next step is CompleteConnect. */
void reach_reply(struct pair *p, const struct how *how, OVERLAPPED *accept);

/* ---- traffic; all offsets are offsets in the end's buf ---- */

HRESULT post_send(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags);
HRESULT post_recv(struct end *e, size_t off, ULONG len, uintptr_t ctx);
HRESULT post_write(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		   const struct end *peer, size_t peer_off);
HRESULT post_read(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		  const struct end *peer, size_t peer_off);
/* Waits at most 20 s for the next result, and returns this result. */
ND2_RESULT reap(IND2CompletionQueue *cq);
/* Waits for the next result. The result must have this request context and status. */
void reap_is(IND2CompletionQueue *cq, uintptr_t ctx, HRESULT status);
/* Fails the test if a result comes within ms milliseconds. */
void reap_none(IND2CompletionQueue *cq, unsigned ms);
/* Sends one message from e to peer and waits until the peer has received it, to check that the
 * connection works. */
void exchange(struct end *e, struct end *peer);

void fill(struct end *e, size_t off, size_t len, unsigned seed);
bool filled(const struct end *e, size_t off, size_t len, unsigned seed);

#define nd2_main(tests)                                                              \
	int main(void)                                                               \
	{                                                                            \
		return cmocka_run_group_tests(tests, open_adapters, close_adapters); \
	}

#endif
