/* Memory regions, in addition to the rows of docs/spec/nd2.md. Tests invalid buffers, access rights
 * in every combination, requests over several regions, invalid tokens, and regions that are
 * registered or deregistered under traffic.
 *
 * These tests run over the real NIC only, not over the fake NIC of tests/unit/provider. */
#include "fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PAGE	 4096u
#define WRITABLE (ND_MR_FLAG_ALLOW_LOCAL_WRITE)

static uint8_t *map(size_t bytes, int rights)
{
	uint8_t *p = mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static HRESULT try_register(IND2MemoryRegion *mr, const void *p, size_t bytes, ULONG flags)
{
	OVERLAPPED ov = {.Internal = 7};
	HRESULT hr = CALL(mr, Register, p, bytes, flags, &ov);

	if (hr == ND_PENDING)
		hr = finish(mr, &ov);
	else
		assert_true(ov.Internal == 7 || ov.Internal == (uint32_t)hr);
	return hr;
}

static void deregister(IND2MemoryRegion *mr)
{
	OVERLAPPED ov = {0};

	ENDS(mr, CALL(mr, Deregister, &ov), &ov, ND_SUCCESS);
}

/* ---- buffers ---- */

static void nd2_own_invalid_buffers(void **state)
{
	static const size_t sizes[] = {1, PAGE, 16 * PAGE, 17 * PAGE, 1000 * PAGE};
	static const ULONG writes[] = {ND_MR_FLAG_ALLOW_LOCAL_WRITE, ND_MR_FLAG_ALLOW_REMOTE_WRITE};
	IND2MemoryRegion *mr;
	struct end e;

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t mapped = (sizes[i] + PAGE - 1) / PAGE * PAGE;
		uint8_t *p = map(mapped + PAGE, PROT_READ);

		/* Use PROT_NONE instead of munmap, because another thread's mmap could fill the
		 * unmapped pages. */
		mprotect(p + mapped, PAGE, PROT_NONE);
		for (int w = 0; w < 2; w++)
			HR(try_register(mr, p, sizes[i], writes[w]), ND_ACCESS_VIOLATION);
		HR(try_register(mr, p, mapped + 1, 0), ND_ACCESS_VIOLATION);
		HR(try_register(mr, p + mapped, sizes[i], 0), ND_ACCESS_VIOLATION);
		mprotect(p, mapped, PROT_NONE);
		HR(try_register(mr, p, sizes[i], 0), ND_ACCESS_VIOLATION);
		assert_int_equal(CALL(mr, GetLocalToken), 0);
		assert_int_equal(CALL(mr, GetRemoteToken), 0);
		/* After the refused calls the same region object can be registered as usual. */
		mprotect(p, mapped, PROT_READ);
		HR(try_register(mr, p, sizes[i], ND_MR_FLAG_ALLOW_REMOTE_READ), ND_SUCCESS);
		deregister(mr);
		mprotect(p, mapped, PROT_READ | PROT_WRITE);
		HR(try_register(mr, p, sizes[i], WRITABLE), ND_SUCCESS);
		deregister(mr);
		munmap(p, mapped + PAGE);
	}
	HR(try_register(mr, (void *)16, 100, 0), ND_ACCESS_VIOLATION);
	HR(try_register(mr, (void *)UINTPTR_MAX, 100, 0), ND_ACCESS_VIOLATION);
	HR(try_register(mr, (void *)(UINTPTR_MAX - 99), 100, 0), ND_ACCESS_VIOLATION);
	HR(try_register(mr, (void *)(UINTPTR_MAX - 100), 100, 0), ND_ACCESS_VIOLATION);
	RELEASE(mr);
	end_close(&e);
}

/* Read-only memory, even program text, can be registered without LOCAL_WRITE. A Send can send this
 * memory. */
static void nd2_own_constant_memory_can_be_sent(void **state)
{
	static const char text[] = "what nobody may write can still be read";
	IND2MemoryRegion *mr;
	struct pair p;
	ND2_SGE sge = {(void *)(uintptr_t)text, sizeof(text), 0};

	pair_open_connected(&p, NULL);
	mr = new_mr(&p.a);
	HR(try_register(mr, text, sizeof(text), 0), ND_SUCCESS);
	sge.MemoryRegionToken = CALL(mr, GetLocalToken);
	HR(post_recv(&p.b, 0, 100, 1), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)2, &sge, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	assert_memory_equal(p.b.buf, text, sizeof(text));
	RELEASE(mr);
	pair_close(&p);
}

/* ---- access flags of a region ---- */

enum use { RECEIVE, READ_SINK, PEER_READS, PEER_WRITES, USES };

static HRESULT outcome(struct pair *p, enum use use)
{
	struct end *actor = use == READ_SINK ? &p->b : &p->a;
	ND2_RESULT r;

	if (use == RECEIVE) {
		HR(post_recv(&p->b, 0, 100, 1), ND_SUCCESS);
		HR(post_send(&p->a, 0, 100, 2, 0), ND_SUCCESS);
		return reap(p->b.cq).Status;
	}
	if (use == PEER_WRITES)
		HR(post_write(actor, 0, 100, 1, 0, &p->b, 0), ND_SUCCESS);
	else if (use == PEER_READS)
		HR(post_read(actor, 0, 100, 1, 0, &p->b, 0), ND_SUCCESS);
	else
		HR(post_read(actor, 0, 100, 1, 0, &p->a, 0), ND_SUCCESS);
	r = reap(actor->cq);
	return r.Status;
}

/* Registers the target region with each set of flags, and tries each kind of access to the
 * region. */
static void nd2_own_every_set_of_flags(void **state)
{
	static const struct {
		ULONG flags;
		bool allowed[USES];
	} rows[] = {
		{0, {0, 0, 0, 0}},
		{ND_MR_FLAG_ALLOW_LOCAL_WRITE, {1, 1, 0, 0}},
		{ND_MR_FLAG_ALLOW_REMOTE_READ, {0, 0, 1, 0}},
		{ND_MR_FLAG_ALLOW_REMOTE_READ | ND_MR_FLAG_ALLOW_LOCAL_WRITE, {1, 1, 1, 0}},
		{ND_MR_FLAG_ALLOW_REMOTE_WRITE, {1, 1, 0, 1}},
		/* ND_MR_FLAG_ALLOW_REMOTE_WRITE is 5, since it includes LOCAL_WRITE. The value 4 is
		 * its own bit alone. */
		{4, {1, 1, 0, 1}},
		{ND_MR_FLAG_ALLOW_REMOTE_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ, {1, 1, 1, 1}},
		{ND_MR_FLAG_RDMA_READ_SINK, {0, 0, 0, 0}},
		{ND_MR_FLAG_DO_NOT_SECURE_VM | ND_MR_FLAG_RDMA_READ_SINK |
			 ND_MR_FLAG_ALLOW_LOCAL_WRITE,
		 {1, 1, 0, 0}},
	};

	assert_int_equal(ND_MR_FLAG_ALLOW_REMOTE_WRITE, 5);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
		for (int use = 0; use < USES; use++) {
			HRESULT hr;
			struct pair p;

			pair_open(&p, NULL);
			deregister(p.b.mr);
			HR(try_register(p.b.mr, p.b.buf, BUF_BYTES, rows[r].flags), ND_SUCCESS);
			p.b.local = CALL(p.b.mr, GetLocalToken);
			p.b.remote = CALL(p.b.mr, GetRemoteToken);
			pair_connect(&p, NULL);
			hr = outcome(&p, use);
			if (hr != (rows[r].allowed[use] ? ND_SUCCESS : ND_ACCESS_VIOLATION))
				fail_msg("flags %x, use %d: %08x", (unsigned)rows[r].flags, use,
					 (unsigned)hr);
			pair_close(&p);
		}
}

static void nd2_own_unknown_flags(void **state)
{
	IND2MemoryRegion *mr;
	struct end e;
	OVERLAPPED ov = {0};

	end_open(&e, 0, NULL);
	mr = new_mr(&e);
	for (int bit = 0; bit < 32; bit++) {
		ULONG known = ND_MR_FLAG_ALLOW_LOCAL_WRITE | ND_MR_FLAG_ALLOW_REMOTE_READ |
			      ND_MR_FLAG_ALLOW_REMOTE_WRITE | ND_MR_FLAG_RDMA_READ_SINK |
			      ND_MR_FLAG_DO_NOT_SECURE_VM;

		if (known & 1u << bit) {
			HR(try_register(mr, e.buf, 100, 1u << bit), ND_SUCCESS);
			deregister(mr);
		} else {
			HR(CALL(mr, Register, e.buf, 100, 1u << bit, &ov), ND_INVALID_PARAMETER_3);
		}
	}
	RELEASE(mr);
	end_close(&e);
}

/* ---- one request over several regions ---- */

static void nd2_own_one_request_over_several_regions(void **state)
{
	enum { N = 4, BYTES = 3000 };
	IND2MemoryRegion *from[N], *to[N];
	ND2_SGE source[N], sink[N];
	struct pair p;

	pair_open_connected(&p, NULL);
	fill(&p.a, 0, N * 10000, 3);
	for (int i = 0; i < N; i++) {
		/* The source regions do not overlap. The sink regions overlap, since all of them
		 * begin at the start of one buffer. */
		from[i] = new_mr(&p.a);
		HR(try_register(from[i], p.a.buf + i * 10000, BYTES, 0), ND_SUCCESS);
		source[i] = (ND2_SGE){p.a.buf + i * 10000, BYTES, CALL(from[i], GetLocalToken)};
		to[i] = new_mr(&p.b);
		HR(try_register(to[i], p.b.buf, (size_t)(i + 1) * BYTES, WRITABLE), ND_SUCCESS);
		sink[i] = (ND2_SGE){p.b.buf + i * BYTES, BYTES, CALL(to[i], GetLocalToken)};
	}
	HR(CALL(p.b.qp, Receive, (void *)1, sink, N), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)2, source, N, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_SUCCESS);
	reap_is(p.b.cq, 1, ND_SUCCESS);
	for (int i = 0; i < N; i++)
		assert_memory_equal(p.b.buf + i * BYTES, p.a.buf + i * 10000, BYTES);
	/* A Read scatters into several regions; a Write gathers from several regions. */
	fill(&p.a, 0, N * BYTES, 9);
	HR(CALL(p.b.qp, Read, (void *)3, sink, N, (UINT64)(uintptr_t)p.a.buf, p.a.remote, 0),
	   ND_SUCCESS);
	reap_is(p.b.cq, 3, ND_SUCCESS);
	assert_memory_equal(p.b.buf, p.a.buf, N * BYTES);
	fill(&p.a, 0, N * 10000, 5);
	HR(CALL(p.a.qp, Write, (void *)4, source, N, (UINT64)(uintptr_t)p.b.buf, p.b.remote, 0),
	   ND_SUCCESS);
	reap_is(p.a.cq, 4, ND_SUCCESS);
	for (int i = 0; i < N; i++)
		assert_memory_equal(p.b.buf + i * BYTES, p.a.buf + i * 10000, BYTES);
	/* One invalid SGE makes the whole request fail. */
	deregister(from[2]);
	HR(post_recv(&p.b, 0, BUF_BYTES, 5), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)6, source, N, 0), ND_SUCCESS);
	reap_is(p.a.cq, 6, ND_ACCESS_VIOLATION);
	for (int i = 0; i < N; i++) {
		RELEASE(from[i]);
		RELEASE(to[i]);
	}
	pair_close(&p);
}

/* An SGE must lie within the region of its token, even if a second region begins where the first
 * one ends. */
static void nd2_own_an_sge_lies_in_one_region(void **state)
{
	IND2MemoryRegion *first, *second;
	struct pair p;
	ND2_SGE sge;

	pair_open_connected(&p, NULL);
	first = new_mr(&p.a);
	second = new_mr(&p.a);
	HR(try_register(first, p.a.buf, 1000, 0), ND_SUCCESS);
	HR(try_register(second, p.a.buf + 1000, 1000, 0), ND_SUCCESS);
	sge = (ND2_SGE){p.a.buf + 1, 1000, CALL(first, GetLocalToken)};
	HR(post_recv(&p.b, 0, 1000, 1), ND_SUCCESS);
	HR(CALL(p.a.qp, Send, (void *)2, &sge, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_ACCESS_VIOLATION);
	RELEASE(first);
	RELEASE(second);
	pair_close(&p);
}

/* ---- tokens ---- */

static void send_with_token(UINT32 token, bool remote)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	if (remote) {
		p.b.remote = token;
		HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
	} else {
		p.a.local = token;
		HR(post_recv(&p.b, 0, 10, 9), ND_SUCCESS);
		HR(post_send(&p.a, 0, 10, 1, 0), ND_SUCCESS);
	}
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	pair_close(&p);
}

static void nd2_own_invalid_tokens(void **state)
{
	static const UINT32 invented[] = {0,	      1,	  0xff,	     0x80000000,
					  0x12345678, 0xffffff00, 0xffffffff};
	IND2MemoryRegion *mr;
	struct pair p;

	for (size_t i = 0; i < sizeof(invented) / sizeof(invented[0]); i++)
		for (int remote = 0; remote < 2; remote++)
			send_with_token(invented[i], remote);
	/* A request with the token of a deregistered region is refused, even if the region's memory
	 * has been registered again with a new token. */
	pair_open_connected(&p, NULL);
	mr = new_mr(&p.b);
	HR(try_register(mr, p.b.buf, 100, ND_MR_FLAG_ALLOW_REMOTE_WRITE), ND_SUCCESS);
	p.b.remote = CALL(mr, GetRemoteToken);
	HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_SUCCESS);
	deregister(mr);
	HR(try_register(mr, p.b.buf, 100, ND_MR_FLAG_ALLOW_REMOTE_WRITE), ND_SUCCESS);
	assert_int_not_equal(CALL(mr, GetRemoteToken), p.b.remote);
	HR(post_write(&p.a, 0, 10, 2, 0, &p.b, 0), ND_SUCCESS);
	reap_is(p.a.cq, 2, ND_ACCESS_VIOLATION);
	RELEASE(mr);
	pair_close(&p);
	/* A local token of the peer's adapter is invalid on this adapter. */
	pair_open_connected(&p, NULL);
	p.a.local = p.b.local;
	p.a.buf[0] ^= 1;
	HR(post_recv(&p.b, 0, 10, 9), ND_SUCCESS);
	HR(post_send(&p.a, 0, 10, 1, 0), ND_SUCCESS);
	reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
	pair_close(&p);
}

/* All connections of an adapter instance (one OpenAdapter) can use a region that the instance has
 * registered. No connection of another instance can use the region. */
static void nd2_own_regions_belong_to_an_instance(void **state)
{
	IND2Adapter *first = adapters[1];
	struct pair p, q, other;

	pair_open_connected(&p, NULL);
	pair_open_connected(&q, NULL);
	fill(&q.a, 0, 100, 1);
	HR(post_write(&q.a, 0, 100, 1, 0, &p.b, 0), ND_SUCCESS);
	reap_is(q.a.cq, 1, ND_SUCCESS);
	assert_true(filled(&p.b, 0, 100, 1));
	adapters[1] = NULL;
	HR(CALL(first, QueryInterface, &IID_IND2Adapter, (void **)&adapters[1]), S_OK);
	/* QueryInterface adds a reference to the adapter instance and makes no new instance. */
	assert_ptr_equal(adapters[1], first);
	RELEASE(adapters[1]);
	adapters[1] = open_adapter(1);
	assert_ptr_not_equal(adapters[1], first);
	pair_open_connected(&other, NULL);
	HR(post_write(&other.a, 0, 100, 2, 0, &p.b, 0), ND_SUCCESS);
	reap_is(other.a.cq, 2, ND_ACCESS_VIOLATION);
	pair_close(&other);
	/* Another instance of the adapter refuses the region's local token too. */
	pair_open_connected(&other, NULL);
	other.b.local = p.b.local;
	other.b.buf[0] = 0;
	HR(post_recv(&other.a, 0, 100, 3), ND_SUCCESS);
	HR(post_send(&other.b, 0, 100, 4, 0), ND_SUCCESS);
	reap_is(other.b.cq, 4, ND_ACCESS_VIOLATION);
	pair_close(&other);
	RELEASE(adapters[1]);
	adapters[1] = first;
	pair_close(&q);
	pair_close(&p);
}

/* ---- registration under traffic ---- */

struct flow {
	struct pair p;
	_Atomic bool stop, dead;
	_Atomic uint64_t writes;
	uint64_t longest_ns; /* longest time between two completions */
	HRESULT end;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Posts Writes from end a to end b, with up to 16 in flight. Stops when f->stop is set or a Write
 * fails. */
static void *write_on(void *arg)
{
	struct flow *f = arg;
	uint64_t last = now_ns();
	unsigned open = 0;

	f->end = ND_SUCCESS;
	while (f->end == ND_SUCCESS && (!f->stop || open > 0)) {
		ND2_RESULT r;

		if (open < 16 && !f->stop) {
			HR(post_write(&f->p.a, 0, 2048, 1, 0, &f->p.b, 0), ND_SUCCESS);
			open++;
		}
		if (CALL(f->p.a.cq, GetResults, &r, 1) == 1) {
			uint64_t now = now_ns();

			if (now - last > f->longest_ns)
				f->longest_ns = now - last;
			last = now;
			open--;
			f->writes++;
			f->end = r.Status;
		}
	}
	f->dead = true;
	return NULL;
}

static void wait_for_writes(struct flow *f, uint64_t more)
{
	uint64_t until = f->writes + more;

	for (int i = 0; i < 10000 && f->writes < until && !f->dead; i++)
		sleep_ms(1);
	assert_true(f->writes >= until);
}

static void nd2_own_registering_gigabytes_does_not_stall_traffic(void **state)
{
	const size_t bytes = (size_t)4 << 30;
	uint8_t *p = map(bytes, PROT_READ | PROT_WRITE);
	static struct flow f;
	uint64_t total = 0, writes = 0;
	IND2MemoryRegion *mr;
	struct rusage ru;
	pthread_t thread;
	long faults;

	pair_open_connected(&f.p, NULL);
	mr = new_mr(&f.p.b);
	assert_int_equal(pthread_create(&thread, NULL, write_on, &f), 0);
	wait_for_writes(&f, 100);
	getrusage(RUSAGE_SELF, &ru);
	faults = ru.ru_minflt;
	for (int i = 0; i < 50; i++) {
		uint64_t begin = now_ns(), before = f.writes;

		HR(try_register(mr, p, bytes, ND_MR_FLAG_ALLOW_REMOTE_WRITE), ND_SUCCESS);
		deregister(mr);
		total += now_ns() - begin;
		writes += f.writes - before;
	}
	wait_for_writes(&f, 100);
	f.stop = true;
	pthread_join(thread, NULL);
	HR(f.end, ND_SUCCESS);
	print_message(
		"4 GiB registered and deregistered in %.2f ms, %.1f Writes meanwhile, longest wait for one %.1f ms\n",
		(double)total / 50e6, (double)writes / 50, (double)f.longest_ns / 1e6);
	/* The times vary too much, so they are only printed. The number of page faults is checked:
	 * Register must not touch every page of the region, because this would stall the
	 * traffic. */
	getrusage(RUSAGE_SELF, &ru);
	assert_true(ru.ru_minflt - faults < 200000);
	munmap(p, bytes);
	RELEASE(mr);
	pair_close(&f.p);
}

/* The target region or the source region is deregistered, and its memory is unmapped, while Writes
 * use the region. The next Write fails, and the later Writes are flushed. Nothing else happens. */
static void nd2_own_deregistered_under_traffic(void **state)
{
	for (int round = 0; round < 10; round++) {
		static struct flow f;
		bool local = round & 1;
		struct end *e;
		IND2MemoryRegion *mr;
		pthread_t thread;
		uint8_t *p;

		memset(&f, 0, sizeof(f));
		pair_open_connected(&f.p, NULL);
		e = local ? &f.p.a : &f.p.b;
		mr = new_mr(e);
		p = map(PAGE, PROT_READ | PROT_WRITE);
		HR(try_register(mr, p, PAGE, ND_MR_FLAG_ALLOW_REMOTE_WRITE), ND_SUCCESS);
		free(e->buf);
		e->buf = p;
		e->local = CALL(mr, GetLocalToken);
		e->remote = CALL(mr, GetRemoteToken);
		assert_int_equal(pthread_create(&thread, NULL, write_on, &f), 0);
		wait_for_writes(&f, 50);
		if (round % 4 < 2)
			deregister(mr);
		else
			RELEASE(mr);
		munmap(p, PAGE);
		pthread_join(thread, NULL);
		HR(f.end, ND_ACCESS_VIOLATION);
		for (int i = 0; i < 15; i++) {
			ND2_RESULT r;

			if (CALL(f.p.a.cq, GetResults, &r, 1) == 1)
				HR(r.Status, ND_CANCELED);
		}
		e->buf = NULL;
		RELEASE(mr);
		pair_close(&f.p);
	}
}

/* The library's signal handlers. Saved because the test framework replaces them by its own. */
static struct sigaction library_handler[2];
static const int faults[2] = {SIGSEGV, SIGBUS};

static void put_library_handlers_back(void)
{
	for (int i = 0; i < 2; i++)
		sigaction(faults[i], &library_handler[i], NULL);
}

/* The memory of a registered region is unmapped. A request on this memory ends with an error, and
 * the process survives. */
static void nd2_own_unmapped_while_registered(void **state)
{
	put_library_handlers_back();
	for (int peer = 0; peer < 2; peer++) {
		IND2MemoryRegion *mr;
		struct pair p;
		struct end *e = peer ? &p.b : &p.a;
		uint8_t *m = map(PAGE, PROT_READ | PROT_WRITE), *buf;

		pair_open_connected(&p, NULL);
		mr = new_mr(e);
		HR(try_register(mr, m, PAGE, ND_MR_FLAG_ALLOW_REMOTE_WRITE), ND_SUCCESS);
		buf = e->buf;
		e->buf = m;
		e->local = CALL(mr, GetLocalToken);
		e->remote = CALL(mr, GetRemoteToken);
		munmap(m, PAGE);
		HR(post_write(&p.a, 0, 10, 1, 0, &p.b, 0), ND_SUCCESS);
		reap_is(p.a.cq, 1, ND_ACCESS_VIOLATION);
		e->buf = buf;
		RELEASE(mr);
		pair_close(&p);
	}
}

/* Registers and deregisters a region 500 times. Several threads run this function at the same time
 * on the same buffer. */
static void *churn(void *arg)
{
	struct end *e = arg;
	IND2MemoryRegion *mr = new_mr(e);

	for (int i = 0; i < 500; i++) {
		HR(try_register(mr, e->buf, 100 + (size_t)i * 500, WRITABLE), ND_SUCCESS);
		assert_int_not_equal(CALL(mr, GetLocalToken), 0);
		deregister(mr);
	}
	RELEASE(mr);
	return NULL;
}

static void nd2_own_registering_from_several_threads(void **state)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	struct end e;

	end_open(&e, 0, NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, churn, &e), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	end_close(&e);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_invalid_buffers),
	cmocka_unit_test(nd2_own_constant_memory_can_be_sent),
	cmocka_unit_test(nd2_own_every_set_of_flags),
	cmocka_unit_test(nd2_own_unknown_flags),
	cmocka_unit_test(nd2_own_one_request_over_several_regions),
	cmocka_unit_test(nd2_own_an_sge_lies_in_one_region),
	cmocka_unit_test(nd2_own_invalid_tokens),
	cmocka_unit_test(nd2_own_regions_belong_to_an_instance),
	cmocka_unit_test(nd2_own_registering_gigabytes_does_not_stall_traffic),
	cmocka_unit_test(nd2_own_deregistered_under_traffic),
	cmocka_unit_test(nd2_own_unmapped_while_registered),
	cmocka_unit_test(nd2_own_registering_from_several_threads),
};

int main(void)
{
	int failed;

	open_adapters(NULL);
	for (int i = 0; i < 2; i++)
		sigaction(faults[i], NULL, &library_handler[i]);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	close_adapters(NULL);
	return failed;
}
