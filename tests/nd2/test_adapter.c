/* Tests of adapters, and of rules that hold for all objects: rows 20 to 36 of docs/spec/nd2.md. */
#include "fixture.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

static void nd2_row_020_query_without_a_buffer(void **state)
{
	ULONG cb = 0;

	HR(CALL(adapters[0], Query, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 96);
}

static void nd2_row_021_query_ignores_the_version_given(void **state)
{
	static const ULONG versions[] = {0xdeadbeef, 1, ND_VERSION_2};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct {
			ND2_ADAPTER_INFO info;
			uint8_t more[100];
		} buf = {.info.InfoVersion = versions[i]};
		ULONG cb = i == 1 ? sizeof(buf) : sizeof(buf.info);

		HR(CALL(adapters[0], Query, &buf.info, &cb), ND_SUCCESS);
		assert_int_equal(cb, 96);
		assert_int_equal(buf.info.InfoVersion, 0x20000);
	}
}

static void nd2_row_022_query_into_a_short_buffer(void **state)
{
	uint8_t buf[96];
	ULONG cb = 95;

	memset(buf, 0xee, sizeof(buf));
	HR(CALL(adapters[0], Query, (ND2_ADAPTER_INFO *)buf, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 96);
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], 0xee);
}

static void nd2_row_023_limits_make_sense(void **state)
{
	assert_true(limits.MaxReadSge <= limits.MaxInitiatorSge && limits.MaxReadSge >= 2);
	assert_int_equal(limits.MaxReceiveQueueDepth, limits.MaxInitiatorQueueDepth);
	assert_in_range(limits.MaxReceiveQueueDepth, 4096, 16384);
	assert_true(limits.MaxCompletionQueueDepth >= 2 * limits.MaxReceiveQueueDepth);
	assert_true(limits.InlineRequestThreshold <= limits.MaxInlineDataSize);
	assert_in_range(limits.LargeRequestThreshold, 8192, 65536);
	assert_true(limits.MaxTransferLength >= 64u << 20);
	assert_true(limits.MaxRegistrationSize >= 64u << 20);
	assert_true(limits.MaxCallerData >= 40);
	assert_true(limits.MaxCalleeData >= 40);
	assert_in_range(limits.MaxInboundReadLimit, 1, 255);
	assert_in_range(limits.MaxOutboundReadLimit, 1, 255);
	assert_true(limits.AdapterFlags & ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED);
}

static HRESULT try_cq(struct end *e, ULONG depth, KAFFINITY affinity)
{
	IND2CompletionQueue *cq;
	HRESULT hr = CALL(adapters[0], CreateCompletionQueue, &IID_IND2CompletionQueue, e->file,
			  depth, 0, affinity, (void **)&cq);

	if (SUCCEEDED(hr))
		RELEASE(cq);
	else
		assert_null(cq);
	return hr;
}

static void nd2_row_024_deepest_completion_queue(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(try_cq(&e, limits.MaxCompletionQueueDepth, 0), ND_SUCCESS);
	end_close(&e);
}

static void nd2_row_025_completion_queue_depth_out_of_range(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(try_cq(&e, 0, 0), ND_INVALID_PARAMETER_3);
	HR(try_cq(&e, limits.MaxCompletionQueueDepth + 1, 0), ND_INVALID_PARAMETER_3);
	end_close(&e);
}

static void nd2_row_026_impossible_affinity(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(try_cq(&e, 16, (KAFFINITY)1 << 63), ND_SUCCESS);
	end_close(&e);
}

static HRESULT try_qp(struct end *e, void *rcq, void *icq, ULONG rdepth, ULONG idepth, ULONG rsge,
		      ULONG isge, ULONG inl)
{
	IND2QueuePair *qp;
	HRESULT hr = CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair, (IUnknown *)rcq,
			  (IUnknown *)icq, NULL, rdepth, idepth, rsge, isge, inl, (void **)&qp);

	if (SUCCEEDED(hr))
		RELEASE(qp);
	else
		assert_null(qp);
	return hr;
}

/* A queue pair with all limits at their maxima, and two completion queues of the greatest depth.
 * Some clients request these maxima for every connection. */
struct largest {
	IND2CompletionQueue *cq[2];
	IND2QueuePair *qp;
};

static void make_largest(struct end *e, struct largest *l, IND2CompletionQueue *shallow)
{
	for (int i = 0; i < 2; i++)
		l->cq[i] = new_cq(e, limits.MaxCompletionQueueDepth);
	HR(CALL(adapters[0], CreateQueuePair, &IID_IND2QueuePair,
		(IUnknown *)(shallow ? shallow : l->cq[0]),
		(IUnknown *)(shallow ? shallow : l->cq[1]), NULL, limits.MaxReceiveQueueDepth,
		limits.MaxInitiatorQueueDepth, limits.MaxReceiveSge, limits.MaxInitiatorSge,
		limits.MaxInlineDataSize, (void **)&l->qp),
	   ND_SUCCESS);
}

static void release_largest(struct largest *l)
{
	RELEASE(l->qp);
	RELEASE(l->cq[0]);
	RELEASE(l->cq[1]);
}

static void nd2_row_027_all_maxima_at_once(void **state)
{
	const struct how how = {.cq_depth = 2};
	struct largest l;
	struct end e;

	end_open(&e, 0, &how);
	for (int i = 0; i < 6; i++) {
		make_largest(&e, &l, i & 1 ? e.cq : NULL);
		release_largest(&l);
	}
	end_close(&e);
}

static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void nd2_own_depth_costs_no_memory_until_it_is_used(void **state)
{
	enum { N = 24 };
	struct largest l[N];
	size_t before, grown;
	struct end e;

	/* Set M_PERTURB to 0. Otherwise malloc fills new memory and thereby makes pages resident
	 * that must stay untouched in this test. */
	mallopt(M_PERTURB, 0);
	end_open(&e, 0, NULL);
	make_largest(&e, &l[0], NULL);
	before = resident();
	for (int i = 1; i < N; i++)
		make_largest(&e, &l[i], NULL);
	grown = resident() > before ? resident() - before : 0;
	print_message("%zu KB each\n", grown / (N - 1) >> 10);
	for (int i = 0; i < N; i++)
		release_largest(&l[i]);
	end_close(&e);
/* Not checked with sanitizers, because their shadow memory counts as resident. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	if (grown / (N - 1) > 256u << 10)
		fail_msg("%zu bytes each", grown / (N - 1));
#endif
}

/* One queue pair can use all the depth, SGE and inline limits that Query reports. */
static void nd2_own_a_queue_pair_of_all_maxima_works(void **state)
{
	const struct how how = {.cq_depth = limits.MaxCompletionQueueDepth,
				.depth = limits.MaxReceiveQueueDepth,
				.sge = limits.MaxReceiveSge,
				.inl = limits.MaxInlineDataSize,
				.in = limits.MaxInboundReadLimit,
				.out = limits.MaxOutboundReadLimit};
	struct pair p;

	pair_open_connected(&p, &how);
	for (uintptr_t i = 0; i < how.depth; i++)
		HR(post_recv(&p.b, 4096, limits.MaxInlineDataSize, i), ND_SUCCESS);
	HR(post_recv(&p.b, 0, 1, 0), ND_NO_MORE_ENTRIES);
	fill(&p.a, 0, limits.MaxInlineDataSize, 5);
	for (uintptr_t i = 0; i < 3; i++) {
		HR(post_send(&p.a, 0, limits.MaxInlineDataSize, i, ND_OP_FLAG_INLINE), ND_SUCCESS);
		reap_is(p.a.cq, i, ND_SUCCESS);
		reap_is(p.b.cq, i, ND_SUCCESS);
		assert_true(filled(&p.b, 4096, limits.MaxInlineDataSize, 5));
	}
	HR(CALL(p.b.qp, Flush), ND_SUCCESS);
	for (uintptr_t i = 3; i < how.depth; i++)
		reap_is(p.b.cq, i, ND_CANCELED);
	pair_close(&p);
}

static void nd2_row_028_receive_depth_over_the_limit(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(try_qp(&e, e.cq, e.cq, limits.MaxReceiveQueueDepth + 1, 1, 1, 1, 0),
	   ND_INVALID_PARAMETER_5);
	end_close(&e);
}

static void nd2_row_029_other_values_over_the_limit(void **state)
{
	struct end e;

	end_open(&e, 0, NULL);
	HR(try_qp(&e, e.cq, e.cq, 1, limits.MaxInitiatorQueueDepth + 1, 1, 1, 0),
	   ND_INVALID_PARAMETER_6);
	HR(try_qp(&e, e.cq, e.cq, 1, 1, limits.MaxReceiveSge + 1, 1, 0), ND_INVALID_PARAMETER_7);
	HR(try_qp(&e, e.cq, e.cq, 1, 1, 1, limits.MaxInitiatorSge + 1, 0), ND_INVALID_PARAMETER_8);
	HR(try_qp(&e, e.cq, e.cq, 1, 1, 1, 1, limits.MaxInlineDataSize + 1),
	   ND_INVALID_PARAMETER_9);
	end_close(&e);
}

/* QueryInterface of an object that belongs to another provider or to none. */
static HRESULT stranger_query(IUnknown *This, REFIID riid, void **ppv)
{
	return E_NOINTERFACE;
}

static ULONG stranger_count(IUnknown *This)
{
	return 1;
}

static void nd2_row_030_something_else_for_a_queue(void **state)
{
	static const IUnknownVtbl vtbl = {stranger_query, stranger_count, stranger_count};
	IUnknown stranger = {&vtbl};
	struct end e, far;

	end_open(&e, 0, NULL);
	end_open(&far, 1, NULL);
	HR(try_qp(&e, e.mr, e.cq, 1, 1, 1, 1, 0), ND_INVALID_PARAMETER_2);
	HR(try_qp(&e, e.cq, e.mr, 1, 1, 1, 1, 0), ND_INVALID_PARAMETER_3);
	HR(try_qp(&e, NULL, e.cq, 1, 1, 1, 1, 0), ND_INVALID_PARAMETER_2);
	HR(try_qp(&e, e.cq, &stranger, 1, 1, 1, 1, 0), ND_INVALID_PARAMETER_3);
	HR(try_qp(&e, far.cq, e.cq, 1, 1, 1, 1, 0), ND_INVALID_PARAMETER_2);
	end_close(&far);
	end_close(&e);
}

static void nd2_row_033_files_closed_before_their_objects(void **state)
{
	HANDLE many[200];
	OVERLAPPED ov = {0};
	struct end e;

	for (int i = 0; i < 200; i++)
		HR(CALL(adapters[0], CreateOverlappedFile, &many[i]), ND_SUCCESS);
	for (int i = 0; i < 200; i++)
		HR(NdsHandleClose(many[i]), ND_SUCCESS);
	end_open(&e, 0, NULL);
	HR(NdsHandleClose(e.file), ND_SUCCESS);
	HR(CALL(e.cq, Notify, ND_CQ_NOTIFY_ANY, &ov), ND_PENDING);
	HR(CALL(e.cq, CancelOverlappedRequests), ND_SUCCESS);
	HR(finish(e.cq, &ov), ND_CANCELED);
	ENDS(e.mr, CALL(e.mr, Deregister, &ov), &ov, ND_SUCCESS);
	end_close(&e);
}

/* Checks that QueryInterface returns the same pointer for each interface of the object and for
 * IUnknown. */
static void answers(void *obj, const GUID *own, int overlapped)
{
	IUnknown *p = obj;
	void *got;

	HR(CALL(p, QueryInterface, own, &got), S_OK);
	assert_ptr_equal(got, obj);
	CALL(p, Release);
	HR(CALL(p, QueryInterface, &IID_IUnknown, &got), S_OK);
	assert_ptr_equal(got, obj);
	CALL(p, Release);
	HR(CALL(p, QueryInterface, &IID_IND2Overlapped, &got), overlapped ? S_OK : E_NOINTERFACE);
	if (overlapped)
		CALL(p, Release);
	HR(CALL(p, QueryInterface, &IID_IClassFactory, &got), E_NOINTERFACE);
	assert_null(got);
	HR(CALL(p, QueryInterface, own, NULL), E_POINTER);
}

static void nd2_row_034_query_interface(void **state)
{
	IND2Listener *l;
	void *nothing = &l;
	struct end e;

	end_open(&e, 0, NULL);
	l = new_listener(&e);
	answers(adapters[0], &IID_IND2Adapter, 0);
	answers(e.cq, &IID_IND2CompletionQueue, 1);
	answers(e.mr, &IID_IND2MemoryRegion, 1);
	answers(e.qp, &IID_IND2QueuePair, 0);
	answers(e.connector, &IID_IND2Connector, 1);
	answers(l, &IID_IND2Listener, 1);
	HR(CALL(adapters[0], CreateConnector, &IID_IND2Listener, e.file, &nothing), E_NOINTERFACE);
	assert_null(nothing);
	HR(CALL(adapters[0], CreateConnector, &IID_IND2Connector, NULL, &nothing),
	   ND_INVALID_HANDLE);
	RELEASE(l);
	end_close(&e);
}

static void nd2_row_035_the_last_release_answers_0(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	assert_int_equal(CALL(p.a.connector, AddRef), 2);
	assert_int_equal(CALL(p.a.connector, Release), 1);
	assert_int_equal(CALL(p.a.connector, Release), 0);
	assert_int_equal(CALL(p.a.qp, Release), 0);
	assert_int_equal(CALL(p.a.cq, Release), 0);
	assert_int_equal(CALL(p.a.mr, Release), 0);
	assert_int_equal(CALL(p.listener, Release), 0);
	p.a.connector = NULL;
	p.a.qp = NULL;
	p.a.cq = NULL;
	p.a.mr = NULL;
	p.listener = NULL;
	pair_close(&p);
}

static void nd2_row_036_queue_released_before_its_queue_pairs(void **state)
{
	struct pair p;

	pair_open_connected(&p, NULL);
	RELEASE(p.a.cq);
	for (uintptr_t i = 0; i < 10; i++) {
		HR(post_recv(&p.a, 0, 100, i), ND_SUCCESS);
		HR(post_write(&p.a, 0, 100, i, 0, &p.b, 0), ND_SUCCESS);
		HR(post_send(&p.b, 0, 100, i, 0), ND_SUCCESS);
		reap_is(p.b.cq, i, ND_SUCCESS);
	}
	HR(post_recv(&p.a, 0, 100, 11), ND_SUCCESS);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_020_query_without_a_buffer),
	cmocka_unit_test(nd2_row_021_query_ignores_the_version_given),
	cmocka_unit_test(nd2_row_022_query_into_a_short_buffer),
	cmocka_unit_test(nd2_row_023_limits_make_sense),
	cmocka_unit_test(nd2_row_024_deepest_completion_queue),
	cmocka_unit_test(nd2_row_025_completion_queue_depth_out_of_range),
	cmocka_unit_test(nd2_row_026_impossible_affinity),
	cmocka_unit_test(nd2_row_027_all_maxima_at_once),
	cmocka_unit_test(nd2_own_depth_costs_no_memory_until_it_is_used),
	cmocka_unit_test(nd2_own_a_queue_pair_of_all_maxima_works),
	cmocka_unit_test(nd2_row_028_receive_depth_over_the_limit),
	cmocka_unit_test(nd2_row_029_other_values_over_the_limit),
	cmocka_unit_test(nd2_row_030_something_else_for_a_queue),
	cmocka_unit_test(nd2_row_033_files_closed_before_their_objects),
	cmocka_unit_test(nd2_row_034_query_interface),
	cmocka_unit_test(nd2_row_035_the_last_release_answers_0),
	cmocka_unit_test(nd2_row_036_queue_released_before_its_queue_pairs),
};

nd2_main(tests)
