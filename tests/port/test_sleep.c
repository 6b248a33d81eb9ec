/* While the shard sleeps, a producer is preempted in the middle of an enqueue. Once the producer
 * goes on, the shard must soon take the work requests behind that enqueue. */
#include "rig.h"

#include <unistd.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "port/handover.h"
#include "nic/nic.h"

#define DEPTH 16
#define LEN   64

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t buf[LEN];
	uint32_t lkey, rkey;
};

static void make_end(struct end *e, const char *path, unsigned index)
{
	e->link = rig_open(path, index);
	uint32_t pd = rig_pd(e->link);
	e->cq = rig_cq(e->link, 2 * DEPTH);
	e->qp = rig_qp(e->link, pd, &e->cq, &e->cq, DEPTH);
	rig_reg(e->link, pd, e->buf, LEN, RN_ACCESS_LOCAL_WRITE, &e->lkey, &e->rkey);
}

static struct rte_ring *ring_of(struct end *e)
{
	struct rn_nic *nic = (struct rn_nic *)e->link;

	return nic->lcore[rn_qpn_shard(e->qp.qpn, nic->nshards)].submit.ring;
}

/* Starts an enqueue like rn_submit_put(), but returns as soon as the slot is reserved. A producer
 * that is preempted at this point leaves the ring in the same state. */
static uint32_t begin_to_put(struct rte_ring *r)
{
	uint32_t head, room;

	assert_int_equal(__rte_ring_rts_move_prod_head(r, 1, RTE_RING_QUEUE_FIXED, &head, &room),
			 1);
	return head;
}

RN_HANDOVER_UNSEEN static void go_on_to_put(struct rte_ring *r, uint32_t head,
					    const struct rn_wqe *wqe)
{
	__rte_ring_enqueue_elems(r, head, wqe, RN_SLOT_BYTES, 1);
	__rte_ring_rts_update_tail(&r->rts_prod);
}

/* Posting a receive rings no doorbell. While the enqueue of a receive is unfinished, the shard
 * cannot see the work requests behind that receive in the ring. So the shard finds nothing when
 * their doorbells ring, and must look again later without a doorbell. */
static void an_unfinished_receive_delays_no_request_for_long(void **state)
{
	const char *path = rig_pair(1, 4200, "idle = { policy = \"adaptive\"; spin_us = 50; };");
	struct rn_wqe nobodys = {.kind = RN_WQE_RECV, .slots = 1};
	struct rn_cqe cqe;
	struct end a, b;

	make_end(&a, path, 0);
	make_end(&b, path, 1);
	rig_connect(&a.qp, &b.qp, 0);
	for (unsigned i = 0; i < 3; i++) {
		rig_post(&b.qp, RN_WQE_RECV, i, b.buf, LEN, b.lkey, 0, 0);
		usleep(20000); /* waits until both shards sleep */
		uint32_t head = begin_to_put(ring_of(&a));
		rig_post(&a.qp, RN_WQE_SEND, i, a.buf, LEN, a.lkey, 0, 0);
		usleep(20000); /* waits until the shard has woken and found no work request */
		go_on_to_put(ring_of(&a), head, &nobodys);
		assert_true(rig_poll(&b.cq, &cqe, 1000));
		assert_int_equal(cqe.wr_id, i);
		assert_int_equal(rig_wait(&a.cq).wr_id, i);
	}
	rn_link_close(a.link);
	rn_link_close(b.link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unfinished_receive_delays_no_request_for_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
