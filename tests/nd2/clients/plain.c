/* A client and a server for one RDMA connection. Both hold the conversation of conversation.h.
 *
 *	plain -s ADDRESS PORT    serves one client, prints "listening on port N" (PORT 0: any)
 *	plain -c ADDRESS PORT    connects as the client
 *
 * Written in C: methods are called through lpVtbl, and waits use the Nds* calls. The program has
 * one thread. A struct end owns all objects of its side of the connection. */
#include <arpa/inet.h>
#include <ndsupport.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conversation.h"

#define CALL(obj, method, ...) ((obj)->lpVtbl->method((obj), ##__VA_ARGS__))
#define MUST(call)	       must(#call, (call))
/* Starts a request, waits for its end, and requires that the request succeeds. */
#define DONE(e, obj, method, ...)                                                                 \
	finish((e), #method, CALL(obj, method, ##__VA_ARGS__, &(e)->ov), (IND2Overlapped *)(obj), \
	       &(e)->ov)
#define WAIT_MS	 20000
#define PORT_KEY 0x5eed

struct end {
	IND2Adapter *adapter;
	HANDLE file, port;
	HANDLE event;	 /* set at the end of a request that DONE() waits for */
	HANDLE departed; /* set at the end of NotifyDisconnect */
	IND2CompletionQueue *cq;
	IND2MemoryRegion *mr;
	IND2QueuePair *qp;
	IND2Connector *connector;
	UINT8 *region;
	UINT32 token;
	OVERLAPPED ov, departure;
	/* Number of Notify calls so far. Odd calls (first, third, ...) report their end by the
	 * event. Even calls report their end by the completion port. */
	unsigned notified;
	/* Numbers of completions so far. `messages` counts receives, also cancelled ones.
	 * `requests` counts all other requests. */
	unsigned requests, messages;
	/* Number of messages that the peer sends. All other receives complete with ND_CANCELED. */
	unsigned peer_says;
};

static void must(const char *what, HRESULT hr)
{
	if (SUCCEEDED(hr))
		return;
	fprintf(stderr, "%s: %08x\n", what, (unsigned)hr);
	exit(1);
}

static void demand(int is, const char *what, UINT64 got)
{
	if (is)
		return;
	fprintf(stderr, "%s: %llu\n", what, (unsigned long long)got);
	exit(1);
}

/* Returns the event handle with its low bit set. A request with this hEvent queues no packet at the
 * completion port of its file when the request ends. */
static HANDLE without_port(HANDLE event)
{
	return (HANDLE)((ULONG_PTR)event | 1);
}

static void wait_event(HANDLE event, const char *what)
{
	demand(NdsEventWait(event, WAIT_MS) == ND_SUCCESS, what, WAIT_MS);
}

static void finish(struct end *e, const char *what, HRESULT hr, IND2Overlapped *obj, OVERLAPPED *ov)
{
	must(what, hr);
	wait_event(e->event, what);
	must(what, CALL(obj, GetOverlappedResult, ov, 0));
}

static void end_open(struct end *e, const struct sockaddr_in *local, unsigned peer_says)
{
	ND2_ADAPTER_INFO info = {.InfoVersion = ND_VERSION_2};
	ULONG cb = sizeof(info);

	memset(e, 0, sizeof(*e));
	e->peer_says = peer_says;
	MUST(NdOpenAdapter(&IID_IND2Adapter, (const struct sockaddr *)local, sizeof(*local),
			   (void **)&e->adapter));
	MUST(CALL(e->adapter, Query, &info, &cb));
	demand(info.MaxCallerData >= CALLER_BYTES && info.MaxCalleeData >= CALLEE_BYTES,
	       "private data", info.MaxCallerData);
	MUST(CALL(e->adapter, CreateOverlappedFile, &e->file));
	MUST(NdsPortCreate(&e->port));
	MUST(NdsPortBind(e->port, e->file, PORT_KEY));
	MUST(NdsEventCreate(0, 0, &e->event));
	MUST(NdsEventCreate(0, 0, &e->departed));
	e->ov.hEvent = without_port(e->event);
	e->departure.hEvent = without_port(e->departed);
	MUST(CALL(e->adapter, CreateCompletionQueue, &IID_IND2CompletionQueue, e->file, 32, 0, 0,
		  (void **)&e->cq));
	e->region = calloc(1, REGION_BYTES);
	demand(e->region != NULL, "no memory", REGION_BYTES);
	MUST(CALL(e->adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, e->file, (void **)&e->mr));
	DONE(e, e->mr, Register, e->region, REGION_BYTES,
	     ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ |
		     ND_MR_FLAG_ALLOW_REMOTE_WRITE);
	e->token = CALL(e->mr, GetLocalToken);
	MUST(CALL(e->adapter, CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)e->cq,
		  (IUnknown *)e->cq, e, SLOTS, 8, 1, 1, 0, (void **)&e->qp));
	MUST(CALL(e->adapter, CreateConnector, &IID_IND2Connector, e->file,
		  (void **)&e->connector));
}

static void end_close(struct end *e)
{
	DONE(e, e->mr, Deregister);
	demand(CALL(e->connector, Release) == 0, "connector is still used", 0);
	demand(CALL(e->qp, Release) == 0, "queue pair is still used", 0);
	demand(CALL(e->cq, Release) == 0, "completion queue is still used", 0);
	demand(CALL(e->mr, Release) == 0, "region is still used", 0);
	CALL(e->adapter, Release);
	MUST(NdsHandleClose(e->event));
	MUST(NdsHandleClose(e->departed));
	MUST(NdsHandleClose(e->file));
	MUST(NdsHandleClose(e->port));
	free(e->region);
}

/* ---- completions ---- */

static struct message *slot(struct end *e, UINT32 i)
{
	return (struct message *)(void *)(e->region + AT_SLOTS) + i;
}

/* Calls Notify and waits for its end: by the event in odd calls, by a packet at the completion port
 * in even calls. */
static void notified(struct end *e)
{
	int by_event = ++e->notified % 2;
	OVERLAPPED ov = {.hEvent = by_event ? without_port(e->event) : NULL};
	NDS_PORT_ENTRY entry = {0};
	ULONG n = 0;

	MUST(CALL(e->cq, Notify, ND_CQ_NOTIFY_ANY, &ov));
	if (by_event)
		wait_event(e->event, "Notify by event");
	MUST(NdsPortGet(e->port, &entry, 1, by_event ? 0 : WAIT_MS, &n));
	demand(n == !by_event, "entries at the port", n);
	if (!by_event)
		demand(entry.lpOverlapped == &ov && entry.lpCompletionKey == PORT_KEY &&
			       !NdsPortEntryFailed(&entry),
		       "the entry at the port", entry.Internal);
	MUST(CALL(e->cq, GetOverlappedResult, &ov, 0));
}

/* Checks one result. The request context of a receive is the address of its message slot. Other
 * requests have the request context NULL. */
static void take(struct end *e, const ND2_RESULT *r)
{
	int receive = r->RequestType == Nd2RequestTypeReceive;
	int unanswered = receive && e->messages >= e->peer_says;

	demand(r->Status == (unanswered ? ND_CANCELED : ND_SUCCESS), "a completion's status",
	       (unsigned)r->Status);
	demand(r->QueuePairContext == e, "a completion's queue pair", 0);
	if (!receive) {
		e->requests++;
		return;
	}
	demand(r->RequestContext == slot(e, e->messages), "receives out of order", e->messages);
	if (!unanswered)
		demand(r->BytesTransferred == sizeof(struct message), "a message's length",
		       r->BytesTransferred);
	e->messages++;
}

/* Waits until `requests` requests and `messages` receives of this side have completed, counted from
 * the start. Cancelled receives count too. */
static void until(struct end *e, unsigned requests, unsigned messages)
{
	ND2_RESULT results[4];
	ULONG n;

	while (e->requests < requests || e->messages < messages) {
		notified(e);
		while ((n = CALL(e->cq, GetResults, results, 4)) > 0)
			for (ULONG i = 0; i < n; i++)
				take(e, &results[i]);
	}
}

/* ---- messages ---- */

static void expect_messages(struct end *e)
{
	for (UINT32 i = 0; i < SLOTS; i++) {
		ND2_SGE sge = {slot(e, i), sizeof(struct message), e->token};

		MUST(CALL(e->qp, Receive, slot(e, i), &sge, 1));
	}
}

/* Sends a message and waits until this side has completed n requests, counted from the start. */
static void say(struct end *e, UINT32 what, UINT32 token, const void *address, unsigned n)
{
	struct message *m = slot(e, SLOTS);
	ND2_SGE sge = {m, sizeof(*m), e->token};

	m->says = what;
	m->token = token;
	m->address = (uintptr_t)address;
	fill(m->text, sizeof(m->text), what);
	MUST(CALL(e->qp, Send, NULL, &sge, 1, 0));
	until(e, n, 0);
}

/* Waits for the n-th message of the peer, counted from 1, and checks its type and text. */
static const struct message *hear(struct end *e, UINT32 what, unsigned n)
{
	const struct message *m = slot(e, n - 1);

	until(e, 0, n);
	demand(m->says == what, "another message", m->says);
	demand(first_wrong(m->text, sizeof(m->text), what) == sizeof(m->text), "a message's text",
	       what);
	return m;
}

static void check_bytes(const UINT8 *bytes, UINT32 n, UINT32 seed, const char *what)
{
	demand(first_wrong(bytes, n, seed) == n, what, first_wrong(bytes, n, seed));
}

static void check_private_data(struct end *e, ULONG n, ULONG field, UINT32 seed)
{
	UINT8 bytes[256];
	ULONG cb = sizeof(bytes);

	MUST(CALL(e->connector, GetPrivateData, bytes, &cb));
	demand(cb == field, "length of private data", cb);
	check_bytes(bytes, n, seed, "private data");
	demand(first_set(bytes + n, cb - n) == cb - n, "what follows private data", cb);
}

/* Waits until the unused receives are cancelled. */
static void hear_no_more(struct end *e)
{
	until(e, 0, SLOTS);
	demand(e->messages == SLOTS, "receives", e->messages);
}

/* ---- client ---- */

static void connect_to(struct end *e, const struct sockaddr_in *local,
		       const struct sockaddr_in *peer)
{
	UINT8 data[CALLER_BYTES];

	fill(data, sizeof(data), SEED_CALLER);
	MUST(CALL(e->connector, Bind, (const struct sockaddr *)local, sizeof(*local)));
	expect_messages(e);
	DONE(e, e->connector, Connect, (IUnknown *)e->qp, (const struct sockaddr *)peer,
	     sizeof(*peer), 1, 1, data, sizeof(data));
	check_private_data(e, CALLEE_BYTES, CALLEE_FIELD, SEED_CALLEE);
	DONE(e, e->connector, CompleteConnect);
}

static void converse(struct end *e)
{
	ND2_SGE out = {e->region + AT_WRITTEN, BULK_BYTES, e->token};
	ND2_SGE in = {e->region + AT_READ, BULK_BYTES, e->token};
	ND2_SGE window = {e->region + AT_WINDOW, WINDOW_BYTES, e->token};
	const struct message *lent;

	say(e, SAY_HELLO, 0, NULL, 1);
	lent = hear(e, SAY_LENT, 1);
	fill(out.Buffer, BULK_BYTES, SEED_WRITTEN);
	MUST(CALL(e->qp, Write, NULL, &out, 1, lent->address + AT_WRITTEN, lent->token, 0));
	say(e, SAY_WRITTEN, 0, NULL, 3);
	MUST(CALL(e->qp, Read, NULL, &in, 1, lent->address + AT_READ, lent->token, 0));
	until(e, 4, 0);
	check_bytes(in.Buffer, BULK_BYTES, SEED_READ, "what was read");
	say(e, SAY_READ, 0, NULL, 5);
	lent = hear(e, SAY_WINDOW, 2);
	fill(window.Buffer, WINDOW_BYTES, SEED_WINDOW);
	MUST(CALL(e->qp, Write, NULL, &window, 1, lent->address, lent->token, 0));
	say(e, SAY_FILLED, 0, NULL, 7);
	hear(e, SAY_BYE, 3);
}

static void be_client(const struct sockaddr_in *peer)
{
	struct sockaddr_in local;
	SIZE_T cb = sizeof(local);
	struct end e;

	MUST(NdResolveAddress((const struct sockaddr *)peer, sizeof(*peer),
			      (struct sockaddr *)&local, &cb));
	end_open(&e, &local, 3);
	connect_to(&e, &local, peer);
	converse(&e);
	DONE(&e, e.connector, Disconnect);
	hear_no_more(&e);
	end_close(&e);
}

/* ---- server ---- */

static void accept_from(struct end *e, const struct sockaddr_in *local)
{
	struct sockaddr_in bound;
	ULONG cb = sizeof(bound);
	UINT8 data[CALLEE_BYTES];
	IND2Listener *listener;

	MUST(CALL(e->adapter, CreateListener, &IID_IND2Listener, e->file, (void **)&listener));
	MUST(CALL(listener, Bind, (const struct sockaddr *)local, sizeof(*local)));
	MUST(CALL(listener, Listen, 0));
	MUST(CALL(listener, GetLocalAddress, (struct sockaddr *)&bound, &cb));
	printf("listening on port %u\n", ntohs(bound.sin_port));
	fflush(stdout);
	DONE(e, listener, GetConnectionRequest, (IUnknown *)e->connector);
	check_private_data(e, CALLER_BYTES, CALLER_FIELD, SEED_CALLER);
	expect_messages(e);
	fill(data, sizeof(data), SEED_CALLEE);
	DONE(e, e->connector, Accept, (IUnknown *)e->qp, 1, 1, data, sizeof(data));
	MUST(CALL(e->connector, NotifyDisconnect, &e->departure));
	demand(CALL(listener, Release) == 0, "listener is still used", 0);
}

static void serve(struct end *e)
{
	UINT8 *lent = e->region + AT_WINDOW;
	IND2MemoryWindow *window;

	fill(e->region + AT_READ, BULK_BYTES, SEED_READ);
	hear(e, SAY_HELLO, 1);
	say(e, SAY_LENT, CALL(e->mr, GetRemoteToken), e->region, 1);
	hear(e, SAY_WRITTEN, 2);
	check_bytes(e->region + AT_WRITTEN, BULK_BYTES, SEED_WRITTEN, "what was written");
	hear(e, SAY_READ, 3);
	check_bytes(e->region + AT_READ, BULK_BYTES, SEED_READ, "what was lent for reading");
	MUST(CALL(e->adapter, CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&window));
	MUST(CALL(e->qp, Bind, NULL, (IUnknown *)e->mr, (IUnknown *)window, lent, WINDOW_BYTES,
		  ND_OP_FLAG_ALLOW_WRITE));
	until(e, 2, 0);
	say(e, SAY_WINDOW, CALL(window, GetRemoteToken), lent, 3);
	hear(e, SAY_FILLED, 4);
	check_bytes(lent, WINDOW_BYTES, SEED_WINDOW, "what was written through the window");
	demand(first_set(lent + WINDOW_BYTES, BULK_BYTES - WINDOW_BYTES) ==
		       BULK_BYTES - WINDOW_BYTES,
	       "what is behind the window", 0);
	MUST(CALL(e->qp, Invalidate, NULL, (IUnknown *)window, 0));
	until(e, 4, 0);
	say(e, SAY_BYE, 0, NULL, 5);
	demand(CALL(window, Release) == 0, "window is still used", 0);
}

static void be_server(const struct sockaddr_in *local)
{
	struct end e;

	end_open(&e, local, 4);
	accept_from(&e, local);
	serve(&e);
	wait_event(e.departed, "NotifyDisconnect");
	MUST(CALL(e.connector, GetOverlappedResult, &e.departure, 0));
	hear_no_more(&e);
	DONE(&e, e.connector, Disconnect);
	end_close(&e);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};

	if (argc != 4 || inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
		fprintf(stderr, "usage: %s -s|-c ADDRESS PORT\n", argv[0]);
		return 2;
	}
	address.sin_port = htons((uint16_t)atoi(argv[3]));
	MUST(NdStartup());
	if (strcmp(argv[1], "-s") == 0)
		be_server(&address);
	else
		be_client(&address);
	MUST(NdCleanup());
	printf("all is well\n");
	return 0;
}
