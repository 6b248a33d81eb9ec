/* Which flow label does a connection get that this side begins? Runs on shard 0.
 *
 * The passive side takes the flow label over from the REQ. By the convention of Linux both sides
 * compute their UDP source port from it (rn_frame_sport()). A network card that spreads received
 * packets by RSS chooses the receive queue by that port, among others. This side therefore chooses
 * a flow label with which the peer's packets arrive at the shard that owns the QP. Otherwise they
 * would arrive at any shard, which has to hand them over.
 *
 * A wrong prediction does no harm, for example because the peer does not follow the convention:
 * packets that arrive at a wrong shard are handed over. */
#include "cm/cm_priv.h"
#include "wire/frame.h"

/* How many flow labels are tried per shard of the adapter. With n shards one of n labels leads to
 * the right one. If 8 n labels are tried, fewer than one of 2,000 connections finds none. */
#define TRIES_PER_SHARD 8

uint32_t rn_cm_choose_label(struct rn_cm *cm, const struct rn_cm_conn *c)
{
	const struct rn_rx_shards *shards = &cm->rx_shards;
	/* The flow label that Linux would choose. */
	const uint32_t usual = (c->port * 31u + c->peer_port) & 0xFFFFF;
	uint32_t label = usual;

	if (shards->predict == NULL)
		return usual;
	const uint32_t own = rn_qpn_shard(c->own.qpn, cm->nshards);
	for (uint32_t i = 0; i < TRIES_PER_SHARD * cm->nshards; i++) {
		/* With the flow label 0 the source port depends on the peer's QPN, which is not
		 * known yet. */
		if (label != 0) {
			enum rn_rx_shard at = shards->predict(shards->arg, &c->peer, &c->local,
							      rn_frame_sport(label, 0, 0), own);

			if (at == RN_RX_SHARD_UNKNOWN)
				break;
			if (at == RN_RX_SHARD_RIGHT)
				return label;
		}
		label = rn_stream_next(&cm->ports) & 0xFFFFF;
	}
	return usual;
}
