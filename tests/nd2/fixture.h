/* Helpers of the interface tests: two opened adapters that reach each other, a connected pair of
 * queue pairs, and short functions to post and to wait. Every wait is bounded, and a timeout fails
 * the test. */
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
#define HR(call, expected)     assert_int_equal((uint32_t)(call), (uint32_t)(expected))
#define OV(obj)		       ((IND2Overlapped *)(obj))
/* The call answers PENDING, and its request ends with this status. */
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

extern IND2Adapter *adapters[2]; /* opened by open_adapters */
extern ND2_ADAPTER_INFO limits;

int open_adapters(void **state);
int close_adapters(void **state);
IND2Adapter *open_adapter(int which); /* one alone, by its address; the caller's */

/* Before: under this idle policy, with two shards on adapter 0. */
void use_policy(const char *policy);

/* The same with a configuration of one's own. Its adapters have the addresses below. */
void use_config(const char *text);

struct sockaddr_in address_of(int adapter, uint16_t port);   /* 192.0.2.1, .2 */
struct sockaddr_in6 address6_of(int adapter, uint16_t port); /* 2001:db8::1, ::2 */
#define SA(sin) ((const struct sockaddr *)(sin))

/* Waits for the end of a request, 20 s at most: its status. */
HRESULT finish(void *obj, OVERLAPPED *ov);
/* Waits at most ms: the status, ND_PENDING if it has not ended. */
HRESULT status_after(OVERLAPPED *ov, unsigned ms);
void sleep_ms(unsigned ms);

/* Objects of a kind alive in this process, as NdsLiveObjects counts them. */
uint64_t live_objects(const char *kind);
/* Fails the test unless every count is 0 within 5 s: everything was released, closed and taken. */
void nothing_lives(void);

/* ---- one end ---- */

struct end {
	int which; /* adapter */
	HANDLE file;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	IND2Connector *connector;
	IND2MemoryRegion *mr;
	uint8_t *buf;
	UINT32 local, remote; /* tokens of buf */
};

#define BUF_BYTES (256u * 1024)

/* How ends are made; zero fields take the values in brackets. */
struct how {
	ULONG cq_depth; /* 256 */
	ULONG depth;	/* 64 */
	ULONG sge;	/* 4 */
	ULONG inl;	/* 128 */
	ULONG mr_flags; /* all */
	ULONG in, out;	/* read limits: 4 */
};

void end_open(struct end *e, int which, const struct how *how);
void end_close(struct end *e);

IND2CompletionQueue *new_cq(struct end *e, ULONG depth);
IND2QueuePair *new_qp(struct end *e, IND2CompletionQueue *cq, void *context, const struct how *how);
IND2Connector *new_connector(struct end *e);
IND2Listener *new_listener(struct end *e);
IND2MemoryRegion *new_mr(struct end *e);
void register_mr(IND2MemoryRegion *mr, void *buf, size_t len, ULONG flags);

/* ---- two ends, connected: a is the active one, on adapter 0 ---- */

struct pair {
	struct end a, b;
	IND2Listener *listener; /* on b's adapter, listening */
	uint16_t port;
};

void pair_open(struct pair *p, const struct how *how); /* not connected yet */
void pair_connect(struct pair *p, const struct how *how);
void pair_open_connected(struct pair *p, const struct how *how);
void pair_close(struct pair *p);

/* The steps of connecting, for tests that want to stand between them. Each waits for its end. */
void listen_on(struct end *e, IND2Listener **listener, uint16_t *port, ULONG backlog);
void bind_any(struct end *e, IND2Connector *c);
HRESULT start_connect(struct pair *p, const struct how *how, const void *data, ULONG len,
		      OVERLAPPED *ov);
/* Until the request is in b's connector and a's Connect waits for an answer. */
void reach_request(struct pair *p, const struct how *how, OVERLAPPED *connect);
/* Until b's Accept and a's reply: Connect is complete, CompleteConnect due. */
void reach_reply(struct pair *p, const struct how *how, OVERLAPPED *accept);

/* ---- traffic: offsets are into buf ---- */

HRESULT post_send(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags);
HRESULT post_recv(struct end *e, size_t off, ULONG len, uintptr_t ctx);
HRESULT post_write(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		   const struct end *peer, size_t peer_off);
HRESULT post_read(struct end *e, size_t off, ULONG len, uintptr_t ctx, ULONG flags,
		  const struct end *peer, size_t peer_off);
/* The next result, 20 s at most. */
ND2_RESULT reap(IND2CompletionQueue *cq);
/* The next result, which must be this one. */
void reap_is(IND2CompletionQueue *cq, uintptr_t ctx, HRESULT status);
/* None comes for so long. */
void reap_none(IND2CompletionQueue *cq, unsigned ms);
/* One message from e to peer arrives: the connection is good. */
void exchange(struct end *e, struct end *peer);

void fill(struct end *e, size_t off, size_t len, unsigned seed);
bool filled(const struct end *e, size_t off, size_t len, unsigned seed);

#define nd2_main(tests)                                                              \
	int main(void)                                                               \
	{                                                                            \
		return cmocka_run_group_tests(tests, open_adapters, close_adapters); \
	}

#endif
