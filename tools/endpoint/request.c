/* Posts a tool's requests and takes their completions. Keeps no state. Used by the endpoint's
 * thread. */
#include <sched.h>

#include "endpoint.h"
#include "meter.h"
#include "common/stop.h"

#define POLLS_PER_CLOCK 256

ULONG endpoint_split(const struct endpoint *e, ND2_SGE sge[ENDPOINT_SGES], const uint8_t *at,
		     uint32_t bytes, ULONG pieces)
{
	ULONG n = bytes < pieces ? bytes : pieces;
	uint32_t begin = 0;
	for (ULONG i = 0; i < n; i++) {
		uint32_t end = (uint32_t)((uint64_t)bytes * (i + 1) / n);
		sge[i] = (ND2_SGE){(void *)(uintptr_t)(at + begin), end - begin, e->local_token};
		begin = end;
	}
	return n;
}

static ULONG inline_flag(const struct endpoint *e, uint32_t bytes)
{
	return bytes > 0 && bytes < e->info.InlineRequestThreshold ? ND_OP_FLAG_INLINE : 0;
}

void endpoint_receive(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes)
{
	ND2_SGE sge[ENDPOINT_SGES];
	ULONG n = endpoint_split(e, sge, at, bytes, e->pieces);
	must("Receive", CALL(e->qp, Receive, context, sge, n));
}

void endpoint_send(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		   ULONG flags)
{
	ND2_SGE sge[ENDPOINT_SGES];
	ULONG n = endpoint_split(e, sge, at, bytes, e->pieces);
	must("Send", CALL(e->qp, Send, context, sge, n, flags | inline_flag(e, bytes)));
}

void endpoint_write(struct endpoint *e, void *context, const uint8_t *at, uint32_t bytes,
		    uint64_t addr, uint32_t token, ULONG flags)
{
	ND2_SGE sge[ENDPOINT_SGES];
	ULONG n = endpoint_split(e, sge, at, bytes, e->pieces);
	must("Write",
	     CALL(e->qp, Write, context, sge, n, addr, token, flags | inline_flag(e, bytes)));
}

void endpoint_read(struct endpoint *e, void *context, uint8_t *at, uint32_t bytes, uint64_t addr,
		   uint32_t token, ULONG flags)
{
	ND2_SGE sge[ENDPOINT_SGES];
	ULONG n = endpoint_split(e, sge, at, bytes, e->pieces);
	must("Read", CALL(e->qp, Read, context, sge, n, addr, token, flags));
}

uint32_t endpoint_bind_window(struct endpoint *e, size_t bytes, ULONG flags)
{
	must("CreateMemoryWindow",
	     CALL(e->adapter, CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&e->window));
	must("Bind", CALL(e->qp, Bind, NULL, (IUnknown *)e->mr, (IUnknown *)e->window, e->mem,
			  bytes, flags | ND_OP_FLAG_SILENT_SUCCESS));
	return CALL(e->window, GetRemoteToken);
}

bool endpoint_poll(struct endpoint *e, ND2_RESULT *r)
{
	static const char *const kinds[] = {"a Receive",     "a Send", "a Bind",
					    "an Invalidate", "a Read", "a Write"};
	if (CALL(e->cq, GetResults, r, 1) == 0)
		return false;
	if (r->Status != ND_SUCCESS)
		die("%s ended with: %s (%s)",
		    (unsigned)r->RequestType < 6 ? kinds[r->RequestType] : "a request",
		    nd_text(r->Status), nd_name(r->Status));
	return true;
}

_Noreturn static void no_word(const struct endpoint *e)
{
	die("no completion for %u s", e->o->timeout_s);
}

/* Waits for a completion by sleeping. After arming, the completion queue is polled once more, for a
 * completion that came before the arming. If that poll finds a completion, the notification stays
 * armed for the next wait. */
static void sleep_for(struct endpoint *e, ND2_RESULT *r)
{
	while (true) {
		if (!e->notify_pending) {
			HRESULT hr = CALL(e->cq, Notify, ND_CQ_NOTIFY_ANY, &e->notify);
			must("Notify", hr);
			e->notify_pending = hr == ND_PENDING;
			if (endpoint_poll(e, r))
				return;
		}
		if (e->notify_pending) {
			HRESULT hr = nd_finish(e->cq, ND_PENDING, &e->notify,
					       (int)e->o->timeout_s * 1000);
			endpoint_interrupted(e);
			if (hr == ND_IO_TIMEOUT && (HRESULT)e->notify.Internal == ND_PENDING) {
				if (stop_asked())
					continue;
				no_word(e);
			}
			e->notify_pending = false;
			must("Notify", hr);
		}
		if (endpoint_poll(e, r))
			return;
	}
}

void endpoint_next(struct endpoint *e, ND2_RESULT *r)
{
	double began = 0;
	if (endpoint_poll(e, r))
		return;
	if (e->o->blocking) {
		sleep_for(e, r);
		return;
	}
	while (true) {
		for (unsigned i = 0; i < POLLS_PER_CLOCK; i++)
			if (endpoint_poll(e, r))
				return;
		endpoint_interrupted(e);
		sched_yield(); /* the peer's process may need this CPU */
		double now = meter_now();
		began = began > 0 ? began : now;
		if (now - began > e->o->timeout_s)
			no_word(e);
	}
}
