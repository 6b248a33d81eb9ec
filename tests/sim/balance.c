/* Checks that the counters of a simulation add up:
 * - Each received frame has one verdict.
 * - Each sent frame is counted under one kind of packet.
 * - Each posted work request has one completion.
 * - Each frame that a node sent has arrived at the peer node, was lost, or is in flight. */
#include "balance.h"

#include "wire/stats.h"

static unsigned differ(uint64_t a, uint64_t b, unsigned node, const char *what, FILE *out)
{
	if (a == b)
		return 0;
	fprintf(out, "node %u: %s: %llu against %llu\n", node, what, (unsigned long long)a,
		(unsigned long long)b);
	return 1;
}

unsigned sim_balance(const struct sim *sim, bool all_done, FILE *out)
{
	unsigned bad = 0;
	uint64_t on_the_way[SIM_NODES] = {0};
	for (unsigned i = 0; i < sim->nheap; i++)
		on_the_way[sim_frame_to(sim->heap[i])]++;
	for (unsigned i = 0; i < SIM_NODES; i++) {
		const struct sim_node *n = &sim->node[i], *peer = &sim->node[1 - i];
		struct rn_stats sums[2];
		const struct rn_stats *s = &sums[0], *p = &sums[1];
		uint64_t verdicts = 0;
		sim_stats(n, &sums[0]);
		sim_stats(peer, &sums[1]);
		for (unsigned v = 0; v < RN_V_COUNT; v++)
			verdicts += s->verdict[v];
		bad += differ(s->rx_packets, n->injected, i, "packets received, frames injected",
			      out);
		bad += differ(verdicts, s->rx_packets, i, "verdicts, packets received", out);
		bad += differ(s->tx_packets, n->frames, i, "packets sent, frames on the link", out);
		bad += differ(s->tx_requests + s->tx_retransmitted + s->tx_acks + s->tx_naks +
				      s->tx_rnr_naks + s->tx_read_responses + s->tx_atomic_acks +
				      s->tx_mads + s->tx_arp_nd + s->np_cnp_sent,
			      s->tx_packets, i, "kinds of packets sent, packets sent", out);
		bad += differ(peer->frames - peer->dropped + peer->duplicated,
			      n->arrived + on_the_way[i], i,
			      "frames sent to it, frames arrived or on the way", out);
		uint64_t sound = s->done_send + s->done_write + s->done_read + s->done_atomic +
				 s->done_recv + s->done_bind + s->done_invalidate;
		if (!all_done)
			continue;
		bad += differ(sound + s->done_error + s->done_flushed, s->posts + s->srq_taken, i,
			      "requests done, requests posted or taken", out);
		bad += differ(s->done_recv, p->done_send + p->done_write_imm, i,
			      "receives done, SENDs and WRITEs with immediate done by the peer",
			      out);
	}
	return bad;
}
