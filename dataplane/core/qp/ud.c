/* Datagrams of UD QPs. Sends each work request as one packet to the address in the work request.
 * Places each received packet in one posted receive. Runs on the shard's thread. */
#include "qp/ud.h"

#include <string.h>

#include "wire/frame.h"
#include "wire/hdr.h"
#include "qp/lane.h"
#include "qp/mcast.h"
#include "qp/responder.h"

/* ---- sending datagrams ---- */

/* Returns the headers of the datagram for work request e. `to` is the destination of the datagram:
 * address vector, QPN and Q_Key. */
static struct rn_pkt head_of(const struct rn_qp *qp, const struct rn_sqe *e, const struct rn_ud *to)
{
	const struct rn_av full = rn_port_av(&qp->lane->port, &to->av), *av = &full;
	bool imm = e->kind == RN_WQE_SEND_IMM;
	struct rn_pkt pkt = {
		.kind = RN_PKT_IB,
		.has_vlan = av->has_vlan,
		.vlan_tci = av->vlan_tci,
		.src = av->sgid,
		.dst = av->dgid,
		.ipv4 = rn_gid_is_ipv4(&av->dgid),
		.tclass = av->tclass,
		.hop_limit = av->hop_limit,
		.ip_df = true,
		.flow_label = av->flow_label,
		.udp_sport = rn_frame_sport(av->flow_label, qp->qpn, to->qpn),
		.opcode = RN_T_UD | (imm ? RN_OP_SEND_ONLY_IMM : RN_OP_SEND_ONLY),
		.se = e->flags & RN_WQE_SOLICITED,
		.mig = true,
		.pkey = 0xFFFF,
		.dest_qpn = to->qpn,
		.psn = qp->win.cur,
		.imm = e->imm,
		.qkey = to->qkey & RN_UD_OWN_QKEY ? qp->attr.qkey : to->qkey,
		.src_qpn = qp->qpn,
		.payload_len = e->length,
	};

	memcpy(pkt.dmac, av->dmac, 6);
	memcpy(pkt.smac, qp->lane->port.mac, 6);
	return pkt;
}

/* Builds the frame of a well-formed work request. Returns the length of the frame. Returns 0 if the
 * work request fails. *status is then the status for the CQE, and *why is the verdict, or RN_V_OK
 * if there is none. */
static unsigned build(struct rn_qp *qp, const struct rn_sqe *e, struct rn_txbuf *buf,
		      uint8_t *status, enum rn_verdict *why)
{
	const struct rn_ud *to = rn_sq_ud(e);
	struct rn_pkt pkt;
	unsigned at;

	*why = RN_V_OK;
	/* Each work request names a destination of its own, so the destination is checked for each
	 * packet. */
	if (to->qpn > RN_PSN_MASK || !rn_port_av_fits(&qp->lane->port, &to->av)) {
		*status = RN_STATUS_LOC_QP_OP_ERR;
		return 0;
	}
	pkt = head_of(qp, e, to);
	rn_assert(rn_frame_bytes(&pkt) <= buf->cap);
	at = rn_frame_put_headers(&pkt, buf->data);
	*why = rn_sq_gather(e, qp->lane->mrs, qp->lane->mem, qp->pd, 0, e->length, buf->data + at,
			    NULL);
	if (*why != RN_V_OK) {
		*status = RN_STATUS_LOC_PROT_ERR;
		return 0;
	}
	/* The network does not send a multicast frame back to its sender, so members of the
	 * multicast group on this NIC need a copy. */
	buf->loop = rn_mcast_known(&qp->lane->mcast, &pkt.dst);
	return rn_frame_finish(&pkt, buf->data);
}

/* Completes the oldest work request, which used npsn PSNs, without waiting: UD has no
 * acknowledgements. */
static void finish(struct rn_qp *qp, uint32_t npsn, rn_time now)
{
	struct rn_window *w = &qp->win;

	rn_window_start(w, &qp->sq, npsn);
	rn_window_sent(w, &qp->sq, npsn);
	rn_window_ack(w, &qp->sq, w->cur);
	rn_qp_complete_send(qp, RN_STATUS_SUCCESS, 0, now);
}

unsigned rn_ud_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now)
{
	struct rn_lane *lane = qp->lane;
	struct rn_sq *sq = &qp->sq;

	while (sq->head != sq->tail && rn_qp_states[qp->state].start) {
		const struct rn_sqe *e = rn_sq_at(sq, sq->head);
		bool too_long = e->length > 128u << lane->port.max_path_mtu;
		enum rn_verdict why = e->verdict;
		uint8_t status = e->status;
		unsigned len;

		/* A NOP, or a datagram longer than the MTU, completes with success and is not sent
		 * (docs/spec/rocev2.md row Q46). */
		if (!status && (e->kind == RN_WQE_NOP || too_long)) {
			lane->stats.tx_ud_too_long += e->kind != RN_WQE_NOP;
			finish(qp, 0, now);
			continue;
		}
		/* If the work request is malformed, rn_sq_push() has set e->status. */
		len = status ? 0 : build(qp, e, buf, &status, &why);
		if (!len) {
			rn_qp_send_failed(qp, status, why, now);
			return 0;
		}
		lane->stats.tx_requests++;
		finish(qp, 1, now);
		return len;
	}
	return 0;
}

/* ---- receiving datagrams ---- */

void rn_ud_grh(const struct rn_pkt *pkt, uint8_t grh[RN_UD_GRH_BYTES])
{
	static_assert(RN_UD_GRH_BYTES == RN_IPV6_BYTES, "the whole header");

	if (pkt->ipv4) {
		memset(grh, 0, RN_UD_GRH_BYTES - RN_IPV4_BYTES);
		memcpy(grh + RN_UD_GRH_BYTES - RN_IPV4_BYTES, pkt->ip, RN_IPV4_BYTES);
	} else {
		memcpy(grh, pkt->ip, RN_IPV6_BYTES);
	}
}

/* Copies n bytes from src into the memory of receive e, starting at byte `off` of the receive.
 * Returns false if the memory is not accessible. */
static bool place(struct rn_qp *qp, const struct rn_rqe *e, uint32_t off, uint32_t n,
		  const uint8_t *src)
{
	return rn_rq_place(e, qp->lane->mrs, qp->lane->mem, qp->recv_pd, off, n, src) == RN_V_OK;
}

enum rn_verdict rn_ud_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now)
{
	struct rn_arrival a = {
		.bytes = RN_UD_GRH_BYTES + pkt->payload_len,
		.imm = pkt->op->has_imm ? pkt->imm : 0,
		.flags = RN_CQE_GRH | (pkt->se ? RN_CQE_SOLICITED : 0) |
			 (pkt->op->has_imm ? RN_CQE_IMM : 0) | (pkt->ipv4 ? RN_CQE_IPV4 : 0),
		.src_qpn = pkt->src_qpn,
		.sl = pkt->vlan_tci >> 13,
	};
	uint8_t grh[RN_UD_GRH_BYTES];
	const struct rn_rqe *e;

	if (!pkt->op->known)
		return RN_V_QP_TRANSPORT;
	/* A datagram that fails a check from here to the length check uses no receive and does not
	 * change the QP. */
	if (pkt->qkey != qp->attr.qkey)
		return RN_V_QKEY;
	e = rn_responder_receive(qp);
	if (!e)
		return RN_V_UD_NO_RECEIVE;
	if (!e->bad && a.bytes > e->length)
		return RN_V_UD_TOO_LONG;
	/* The first 40 bytes of the receive are for the IP header (GRH). The payload follows. */
	rn_ud_grh(pkt, grh);
	if (e->bad || !place(qp, e, 0, RN_UD_GRH_BYTES, grh) ||
	    !place(qp, e, RN_UD_GRH_BYTES, pkt->payload_len, pkt->payload)) {
		rn_qp_complete_recv(qp, RN_STATUS_LOC_PROT_ERR, RN_V_UD_LOCAL, NULL, now);
		rn_qp_note_error(qp, rn_verdicts[RN_V_UD_LOCAL].text);
		rn_qp_error(qp, rn_qp_fatal(qp->recv_cq), false, now);
		return RN_V_UD_LOCAL;
	}
	rn_qp_complete_recv(qp, RN_STATUS_SUCCESS, 0, &a, now);
	return RN_V_OK;
}
