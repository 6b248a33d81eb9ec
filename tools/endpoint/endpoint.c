/* Sets up, connects and disconnects a tool's endpoint. Ends the program on failures. Owns the
 * pointer to the open endpoint. Used by one thread. */
#include "endpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/address.h"
#include "common/counters.h"
#include "common/stop.h"
#include "common/surroundings.h"
#include "common/version.h"

#define FOR_EVER (-1)
/* longest wait for a connection, with address resolution and retransmissions */
#define CONNECT_MS  60000
#define FAREWELL_MS 10000
#define HASTY_MS    1000 /* longest wait for a disconnect after a failure */

static const struct tool *program;
static struct endpoint *open_one;
static bool dying;

static void let_go(struct endpoint *e);

/* Releases the open endpoint and ends the program. If the release fails and calls leave() again,
 * the endpoint is not released a second time. */
_Noreturn static void leave(int status)
{
	if (open_one && !dying) {
		dying = true;
		let_go(open_one);
	}
	NdCleanup();
	fflush(stdout);
	exit(status);
}

void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fflush(stdout);
	fprintf(stderr, "%s: ", program->name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	leave(stop_status(1));
}

void endpoint_interrupted(const struct endpoint *e)
{
	if (e->o->server ? !stop_asked() : !stop_overdue())
		return;
	if (e->o->server)
		printf("%s: %llu messages, %llu bytes until then\n", program->name,
		       (unsigned long long)e->messages, (unsigned long long)e->bytes);
	else if (e->on_interrupt)
		e->on_interrupt(e->interrupt_arg);
	leave(stop_status(1));
}

void must(const char *what, HRESULT hr)
{
	if (FAILED(hr))
		die("%s: %s (%s)", what, nd_text(hr), nd_name(hr));
}

void endpoint_program(const struct tool *tool, struct options *o, int argc, char **argv)
{
	version_if_asked(argc, argv);
	program = tool;
	options_read(tool, o, argc, argv);
	stop_catch();
	must("NdStartup", NdStartup());
}

static HRESULT finish_in(struct endpoint *e, void *object, HRESULT started, int timeout_ms)
{
	HRESULT hr = nd_finish(object, started, &e->ov, timeout_ms);
	if (hr == ND_IO_TIMEOUT && started == ND_PENDING && (HRESULT)e->ov.Internal == ND_PENDING) {
		IND2Overlapped *o = object;
		CALL(o, CancelOverlappedRequests);
		CALL(o, GetOverlappedResult, &e->ov, true);
		if (stop_asked())
			leave(stop_status(1));
	}
	return hr;
}

void endpoint_finish(struct endpoint *e, const char *what, void *object, HRESULT started)
{
	must(what, finish_in(e, object, started, CONNECT_MS));
}

void endpoint_open(struct endpoint *e, const struct options *o)
{
	struct sockaddr_storage local = o->address;
	SIZE_T cb = sizeof(local);
	ULONG info_bytes = sizeof(e->info);
	memset(e, 0, sizeof(*e));
	e->o = o;
	e->port = program->port;
	if (!o->server)
		must("no adapter reaches this address",
		     NdResolveAddress((const struct sockaddr *)&o->address,
				      address_bytes(&o->address), (struct sockaddr *)&local, &cb));
	must("NdOpenAdapter", NdOpenAdapter(&IID_IND2Adapter, (const struct sockaddr *)&local,
					    address_bytes(&local), (void **)&e->adapter));
	open_one = e;
	e->local = local;
	must("Query", CALL(e->adapter, Query, &e->info, &info_bytes));
	must("CreateOverlappedFile", CALL(e->adapter, CreateOverlappedFile, &e->file));
	must("NdsEventCreate", NdsEventCreate(true, false, &e->ov.hEvent));
	must("NdsEventCreate", NdsEventCreate(true, false, &e->notify.hEvent));
}

void endpoint_memory(struct endpoint *e, size_t bytes, ULONG flags)
{
	if (__builtin_add_overflow(bytes, ENDPOINT_EXTRA + 63, &bytes) ||
	    bytes > e->info.MaxRegistrationSize)
		die("%zu bytes of buffers are more than the adapter registers (%zu)", bytes,
		    e->info.MaxRegistrationSize);
	bytes &= ~(size_t)63;
	e->mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e->mem == MAP_FAILED) {
		e->mem = NULL;
		die("no memory for %zu bytes of buffers", bytes);
	}
	e->mem_bytes = bytes;
	must("CreateMemoryRegion",
	     CALL(e->adapter, CreateMemoryRegion, &IID_IND2MemoryRegion, e->file, (void **)&e->mr));
	endpoint_finish(e, "Register", e->mr, CALL(e->mr, Register, e->mem, bytes, flags, &e->ov));
	e->local_token = CALL(e->mr, GetLocalToken);
	e->remote_token = CALL(e->mr, GetRemoteToken);
}

static ULONG least(ULONG a, ULONG b)
{
	return a < b ? a : b;
}

void endpoint_queues(struct endpoint *e, ULONG *receives, ULONG *requests)
{
	const ND2_ADAPTER_INFO *i = &e->info;
	ULONG sges = least(least(i->MaxInitiatorSge, i->MaxReceiveSge),
			   least(i->MaxReadSge, ENDPOINT_SGES));
	e->pieces = e->o->pieces ? e->o->pieces : 1;
	if (e->pieces > sges)
		usage_error("this adapter has %u scatter/gather entries at most", sges);
	*receives =
		least(*receives, least(i->MaxReceiveQueueDepth, i->MaxCompletionQueueDepth / 2));
	*requests =
		least(*requests, least(i->MaxInitiatorQueueDepth, i->MaxCompletionQueueDepth / 2));
	must("CreateCompletionQueue",
	     CALL(e->adapter, CreateCompletionQueue, &IID_IND2CompletionQueue, e->file,
		  *receives + *requests, 0, 0, (void **)&e->cq));
	must("CreateQueuePair",
	     CALL(e->adapter, CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)e->cq,
		  (IUnknown *)e->cq, e, *receives, *requests, e->pieces, e->pieces,
		  i->InlineRequestThreshold, (void **)&e->qp));
}

void endpoint_surroundings(void)
{
	if (open_one)
		surroundings_print_at((const struct sockaddr *)&open_one->local,
				      sizeof(open_one->local), stdout);
}

/* ---- connecting to the peer ---- */

static void make_connector(struct endpoint *e)
{
	must("CreateConnector", CALL(e->adapter, CreateConnector, &IID_IND2Connector, e->file,
				     (void **)&e->connector));
}

static void private_data(struct endpoint *e, void *to, ULONG room)
{
	uint8_t all[256] = {0};
	ULONG cb = sizeof(all);
	must("GetPrivateData", CALL(e->connector, GetPrivateData, all, &cb));
	if (room > 0)
		memcpy(to, all, least(room, sizeof(all)));
}

void endpoint_connect(struct endpoint *e, const void *data, ULONG bytes, void *answer, ULONG room)
{
	struct sockaddr_storage local;
	SIZE_T cb = sizeof(local);
	const struct sockaddr *peer = (const struct sockaddr *)&e->o->address;
	ULONG peer_bytes = address_bytes(&e->o->address);
	make_connector(e);
	must("NdResolveAddress",
	     NdResolveAddress(peer, peer_bytes, (struct sockaddr *)&local, &cb));
	must("Bind",
	     CALL(e->connector, Bind, (const struct sockaddr *)&local, address_bytes(&local)));
	endpoint_finish(e, "Connect", e->connector,
			CALL(e->connector, Connect, (IUnknown *)e->qp, peer, peer_bytes,
			     e->info.MaxInboundReadLimit, e->info.MaxOutboundReadLimit, data, bytes,
			     &e->ov));
	private_data(e, answer, room);
	endpoint_finish(e, "CompleteConnect", e->connector,
			CALL(e->connector, CompleteConnect, &e->ov));
	e->connected = true;
}

void endpoint_await(struct endpoint *e, void *data, ULONG room)
{
	struct sockaddr_storage at = {0};
	ULONG cb = sizeof(at);
	char text[ADDRESS_TEXT];
	must("CreateListener",
	     CALL(e->adapter, CreateListener, &IID_IND2Listener, e->file, (void **)&e->listener));
	must("Bind", CALL(e->listener, Bind, (const struct sockaddr *)&e->o->address,
			  address_bytes(&e->o->address)));
	must("Listen", CALL(e->listener, Listen, 0));
	must("GetLocalAddress", CALL(e->listener, GetLocalAddress, (struct sockaddr *)&at, &cb));
	printf("%s: listening on %s\n", program->name, address_text(&at, text));
	fflush(stdout);
	make_connector(e);
	must("GetConnectionRequest",
	     finish_in(e, e->listener,
		       CALL(e->listener, GetConnectionRequest, (IUnknown *)e->connector, &e->ov),
		       FOR_EVER));
	private_data(e, data, room);
}

void endpoint_accept(struct endpoint *e, const void *data, ULONG bytes)
{
	endpoint_finish(e, "Accept", e->connector,
			CALL(e->connector, Accept, (IUnknown *)e->qp, e->info.MaxInboundReadLimit,
			     e->info.MaxOutboundReadLimit, data, bytes, &e->ov));
	e->connected = true;
}

/* ---- disconnecting and releasing the endpoint ---- */

#define RELEASE(p)                        \
	do {                              \
		if (p)                    \
			CALL(p, Release); \
		(p) = NULL;               \
	} while (0)

static void disconnect(struct endpoint *e)
{
	int patience = dying ? HASTY_MS : FAREWELL_MS;
	IND2Connector *c = e->connector;
	e->connected = false;
	/* The server sent the last message. If the server disconnected first, the client could not
	 * acknowledge that message. So the server waits for the client to disconnect. */
	if (e->o->server && !dying)
		finish_in(e, c, CALL(c, NotifyDisconnect, &e->ov), patience);
	finish_in(e, c, CALL(c, Disconnect, &e->ov), patience);
}

static void let_go(struct endpoint *e)
{
	stop_leave(program->name);
	if (e->connected)
		disconnect(e);
	if (e->o->stats)
		counters_print(stdout);
	if (e->notify_pending) {
		CALL(e->cq, CancelOverlappedRequests);
		CALL(e->cq, GetOverlappedResult, &e->notify, true);
	}
	RELEASE(e->connector);
	RELEASE(e->listener);
	RELEASE(e->qp);
	RELEASE(e->window);
	if (e->mr && e->local_token)
		finish_in(e, e->mr, CALL(e->mr, Deregister, &e->ov), HASTY_MS);
	RELEASE(e->mr);
	RELEASE(e->cq);
	RELEASE(e->adapter);
	HANDLE handles[] = {e->file, e->ov.hEvent, e->notify.hEvent};
	for (unsigned i = 0; i < 3; i++)
		if (handles[i])
			NdsHandleClose(handles[i]);
	if (e->mem)
		munmap(e->mem, e->mem_bytes);
	open_one = NULL;
}

int endpoint_close(struct endpoint *e)
{
	let_go(e);
	return stop_status(0);
}
