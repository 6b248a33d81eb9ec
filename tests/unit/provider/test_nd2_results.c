/* BytesTransferred of two Receives, as GetResults reports it. The first Receive is consumed by a
 * WRITE with immediate, which no NetworkDirect client can send. For comparison, the second Receive
 * is consumed by a Send. */
#include "../../nd2/fixture.h"
#include "fake_link.h"

/* A WRITE with immediate consumes a Receive, but its data go to the WRITE's remote address. The
 * Receive's buffer gets no data, so the Receive's BytesTransferred is 0. */
static void a_receive_that_a_write_took(void **state)
{
	ND2_RESULT r;
	struct end e;

	end_open(&e, 0, NULL);
	fill(&e, 0, 64, 1);
	assert_false(fake_link_write_imm(3000));
	HR(post_recv(&e, 0, 64, 7), ND_SUCCESS);
	assert_true(fake_link_write_imm(3000));
	r = reap(e.cq);
	HR(r.Status, ND_SUCCESS);
	assert_int_equal(r.BytesTransferred, 0);
	assert_int_equal(r.RequestType, Nd2RequestTypeReceive);
	assert_ptr_equal(r.RequestContext, (void *)7);
	assert_true(filled(&e, 0, 64, 1));
	reap_none(e.cq, 0);
	end_close(&e);
}

/* A Send of 3000 bytes, as many as the WRITE above. BytesTransferred of the Receive is 3000. */
static void a_receive_that_a_send_took(void **state)
{
	ND2_RESULT r;
	struct pair p;

	pair_open_connected(&p, NULL);
	HR(post_recv(&p.b, 0, 4096, 8), ND_SUCCESS);
	HR(post_send(&p.a, 0, 3000, 1, 0), ND_SUCCESS);
	r = reap(p.b.cq);
	HR(r.Status, ND_SUCCESS);
	assert_int_equal(r.BytesTransferred, 3000);
	pair_close(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_receive_that_a_write_took),
	cmocka_unit_test(a_receive_that_a_send_took),
};

nd2_main(tests)
