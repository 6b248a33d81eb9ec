/* Helpers of the window tests: bind, invalidate, and access memory through a window. In every pair,
 * end b owns the windows and end a is the peer. p.b.remote is the token that end a uses. */
#ifndef WINDOW_H
#define WINDOW_H

#include "fixture.h"

#define RO ND_OP_FLAG_ALLOW_READ
#define WO ND_OP_FLAG_ALLOW_WRITE

/* The region has no remote rights. So the peer can access the region only through a window. */
static const struct how local_only = {.mr_flags = ND_MR_FLAG_ALLOW_LOCAL_WRITE};

static inline IND2MemoryWindow *new_window(const struct end *e)
{
	IND2MemoryWindow *mw;

	HR(CALL(adapters[e->which], CreateMemoryWindow, &IID_IND2MemoryWindow, (void **)&mw),
	   ND_SUCCESS);
	return mw;
}

static inline HRESULT post_bind(struct end *e, IND2MemoryWindow *mw, size_t off, size_t len,
				uintptr_t ctx, ULONG flags)
{
	return CALL(e->qp, Bind, (void *)ctx, (IUnknown *)e->mr, (IUnknown *)mw, e->buf + off, len,
		    flags);
}

static inline HRESULT post_invalidate(struct end *e, IND2MemoryWindow *mw, uintptr_t ctx,
				      ULONG flags)
{
	return CALL(e->qp, Invalidate, (void *)ctx, (IUnknown *)mw, flags);
}

/* Binds the window and waits for the result. Stores the window's token in e->remote, which the
 * peer's requests use. */
static inline void bind_now(struct end *e, IND2MemoryWindow *mw, size_t off, size_t len,
			    ULONG flags)
{
	HR(post_bind(e, mw, off, len, 0xb1, flags), ND_SUCCESS);
	e->remote = CALL(mw, GetRemoteToken);
	reap_is(e->cq, 0xb1, ND_SUCCESS);
}

static inline void unbind_now(struct end *e, IND2MemoryWindow *mw)
{
	HR(post_invalidate(e, mw, 0xb2, 0), ND_SUCCESS);
	reap_is(e->cq, 0xb2, ND_SUCCESS);
}

static inline HRESULT deregister(struct end *e)
{
	OVERLAPPED ov = {0};
	HRESULT hr = CALL(e->mr, Deregister, &ov);

	return hr == ND_PENDING ? finish(e->mr, &ov) : hr;
}

/* Checks that the region cannot be deregistered, because a window is bound to the region.
 * Deregister returns ND_DEVICE_BUSY and starts no request. */
static inline void is_busy(struct end *e)
{
	OVERLAPPED ov = {0};

	HR(CALL(e->mr, Deregister, &ov), ND_DEVICE_BUSY);
	HR(status_after(&ov, 0), ND_DEVICE_BUSY);
}

static inline void read_works(struct pair *p, size_t off, size_t len)
{
	fill(&p->b, off, len, 77);
	memset(p->a.buf, 0, len);
	HR(post_read(&p->a, 0, (ULONG)len, 0xa1, 0, &p->b, off), ND_SUCCESS);
	reap_is(p->a.cq, 0xa1, ND_SUCCESS);
	assert_true(filled(&p->b, off, len, 77));
	assert_memory_equal(p->a.buf, p->b.buf + off, len);
}

static inline void write_works(struct pair *p, size_t off, size_t len)
{
	fill(&p->a, 0, len, 78);
	HR(post_write(&p->a, 0, (ULONG)len, 0xa2, 0, &p->b, off), ND_SUCCESS);
	reap_is(p->a.cq, 0xa2, ND_SUCCESS);
	assert_memory_equal(p->b.buf + off, p->a.buf, len);
}

/* Checks that the peer's Read or Write is refused. This error breaks the connection, so a posted
 * receive of end b is cancelled. */
static inline void is_refused(struct pair *p, bool read, size_t off, size_t len)
{
	HR(post_recv(&p->b, 0, 10, 0xb9), ND_SUCCESS);
	if (read)
		HR(post_read(&p->a, 0, (ULONG)len, 0xa9, 0, &p->b, off), ND_SUCCESS);
	else
		HR(post_write(&p->a, 0, (ULONG)len, 0xa9, 0, &p->b, off), ND_SUCCESS);
	reap_is(p->a.cq, 0xa9, ND_ACCESS_VIOLATION);
	reap_is(p->b.cq, 0xb9, ND_CANCELED);
}

#endif
