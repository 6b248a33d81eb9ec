/* The calm: the part of a hostile run (hostile.h) after the attack has stopped. Checks that no QP
 * hangs and that a new connection works. Also checks that connections whose client is gone end by
 * themselves. */
#include "hostile_calm.h"

#include <string.h>

#include "cm/cm.h"
#include "hostile_ledger.h"
#include "hostile_move.h"
#include "hostile_work.h"
#include "shard/shard.h"

/* longest wait for the end of all work requests, in rounds of 0.5 s of virtual time */
#define PATIENCE 1200u

/* Returns whether the QP still has work requests that must complete without further action of the
 * client. Sends must complete in any state, receives only in the error state. */
static bool has_open_requests(const struct hostile *h, unsigned node, unsigned q)
{
	const struct sim_qp *qp = &h->sim.node[node].qp[q];
	bool receives = qp_state(h, node, q) == RN_QPS_ERR && !h->sim.node[node].srq;
	return qp->sq_posted != atomic_load(&qp->shared->sq_retired) ||
	       (receives && qp->rq_posted != atomic_load(&qp->shared->rq_retired));
}

static bool round_over(struct hostile *h)
{
	bool open = false;
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < h->sim.spec.qps; q++) {
			unsigned state = qp_state(h, node, q);
			hostile_move_on(h, node, q);
			if (state != RN_QPS_RESET && state != RN_QPS_ERR)
				hostile_receive(h, node, q, 16);
		}
	sim_run(&h->sim, h->sim.now + RN_MS(500));
	ledger_take(h);
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < h->sim.spec.qps + (h->sim.spec.foreign != 0); q++)
			open |= has_open_requests(h, node, q);
	return !open;
}

static void report_stuck(struct hostile *h, unsigned node, unsigned q)
{
	const struct sim_qp *qp = &h->sim.node[node].qp[q];
	if (has_open_requests(h, node, q))
		OBJECT(h,
		       "node %u QP %u hangs in state %u, its peer in %u: %u of %u requests and %u of %u receives ended",
		       node, q, qp_state(h, node, q), qp_state(h, 1 - node, q),
		       atomic_load(&qp->shared->sq_retired), qp->sq_posted,
		       atomic_load(&qp->shared->rq_retired), qp->rq_posted);
}

static void check_requests_end(struct hostile *h)
{
	for (unsigned n = 0; n < PATIENCE; n++)
		if (round_over(h)) {
			SEEN(h, HEALED);
			ledger_check(h);
			return;
		}
	for (unsigned node = 0; node < SIM_NODES; node++)
		for (unsigned q = 0; q < h->sim.spec.qps + (h->sim.spec.foreign != 0); q++)
			report_stuck(h, node, q);
}

static void check_bystander(struct hostile *h)
{
	if (!h->neighbours && h->bystander_got != h->bystander_sent)
		OBJECT(h, "the bystander sent %u messages, %u arrived", h->bystander_sent,
		       h->bystander_got);
}

/* Connects a new pair of QPs and sends one message from node 1 to node 0. The other direction is
 * not tested: an SRQ of node 1 may still hold receives from the attack, which the message would
 * consume. */
static void check_new_connection(struct hostile *h)
{
	struct sim *sim = &h->sim;
	unsigned q = sim->spec.qps + 1, good = 0;
	uint32_t length = sim->spec.type == RN_QPT_UD ? 100 : 5000,
		 header = sim->spec.type == RN_QPT_UD ? RN_UD_GRH_BYTES : 0;
	struct rn_cqe c;
	sim_connect(sim, q);
	memset(sim->node[0].arena, 0x11, 6000);
	memset(sim->node[1].arena, 0x22, 6000);
	sim_post(sim, 0, q, &(struct sim_op){.kind = RN_WQE_RECV, .length = 6000});
	sim_post(sim, 1, q,
		 &(struct sim_op){.kind = RN_WQE_SEND, .flags = RN_WQE_SIGNALED, .length = length});
	sim_run(sim, sim->now + RN_S(10));
	for (unsigned node = 0; node < SIM_NODES; node++)
		while (sim_poll(sim, node, &c))
			good += c.qpn == sim->node[node].qp[q].qpn && c.status == RN_STATUS_SUCCESS;
	if (good != 2 || memcmp(sim->node[0].arena + header, sim->node[1].arena, length))
		OBJECT(h, "a new connection does not work any more (%u completions)", good);
}

/* Destroys all CM ids. Checks that all connections and then all timewait records end, although no
 * client acts on them any more. */
static void check_connections_end(struct hostile *h)
{
	hostile_cm_end(&h->cm);
	sim_run(&h->sim, h->sim.now + RN_S(3000));
	for (unsigned node = 0; node < SIM_NODES; node++) {
		const struct rn_cm *cm = h->sim.node[node].shard->lane.cm;
		if (rn_cm_live(cm) || rn_cm_timewait(cm))
			OBJECT(h, "node %u: %u connections and %u timewait records do not end",
			       node, rn_cm_live(cm), rn_cm_timewait(cm));
	}
	if (h->cm.refused)
		OBJECT(h, "%u ids could not be destroyed", h->cm.refused);
}

void hostile_calm(struct hostile *h)
{
	for (unsigned i = 0; i < SIM_NODES; i++)
		h->sim.spec.link[i].impair =
			(struct rn_impair){.delay_min_ns = RN_US(5), .delay_max_ns = RN_US(5)};
	check_requests_end(h);
	check_bystander(h);
	check_new_connection(h);
	check_connections_end(h);
}
