/* Derives from the frames of a captured exchange what the two hosts did: their messages, QPs and
 * PSNs. */
#include "replay_capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pcap.h"
#include "wire/psn.h"
#include "qp/qp.h"
#include "replay.h"
#include "base/types.h"

void capture_fill(struct record *rec, const uint8_t *frame, uint32_t len)
{
	assert_true(len <= BYTES);
	memcpy(rec->bytes, frame, len);
	rec->len = len;
	assert_int_equal(rn_frame_parse(rec->bytes, len, &rec->pkt), RN_V_OK);
	rec->is_cm = rec->pkt.kind == RN_PKT_IB && rec->pkt.dest_qpn == RN_GSI_QPN;
	if (rec->is_cm)
		assert_true(rn_cm_msg_parse(rec->pkt.payload, rec->pkt.payload_len, &rec->cm));
}

/* Returns the number of the work request to which a packet belongs. A retransmission has the number
 * of the original work request, even if only the last part is sent again. */
static unsigned number_of(const struct replay *r, const struct record *rec, unsigned *requests)
{
	if (!rec->pkt.op->has_reth && !rec->pkt.op->has_atomic_eth)
		return 0;
	for (const struct record *old = r->rec; old < rec; old++)
		if (!old->is_cm && old->ours == rec->ours &&
		    old->pkt.dest_qpn == rec->pkt.dest_qpn &&
		    (old->pkt.op->has_reth || old->pkt.op->has_atomic_eth) &&
		    rn_psn_steps(old->pkt.psn, rec->pkt.psn) < flow_psns(&old->pkt))
			return old->number;
	return (*requests)++;
}

void capture_load(struct replay *r, uint8_t host)
{
	static struct pcap p;
	unsigned requests = 0;

	assert_true(pcap_open(&p, RN_VECTORS, r->file));
	while (pcap_next(&p)) {
		struct record *rec = &r->rec[r->nrec];

		assert_true(r->nrec < RECORDS);
		capture_fill(rec, p.frame, p.len);
		rec->ours = rec->pkt.src.b[15] == host;
		if (!rec->is_cm) {
			rec->number = number_of(r, rec, &requests);
			variant_apply(r->variant, &rec->pkt, rec->number);
		}
		r->nrec++;
	}
	fclose(p.file);
}

uint8_t capture_type(const struct replay *r)
{
	for (unsigned i = 0; i < r->nrec; i++)
		if (!r->rec[i].is_cm)
			return r->rec[i].pkt.op->transport == RN_T_UD	? RN_QPT_UD
			       : r->rec[i].pkt.op->transport == RN_T_UC ? RN_QPT_UC
									: RN_QPT_RC;
	return RN_QPT_RC;
}

/* Finds the QPNs of both ends.
 * - UD: each datagram carries both QPNs.
 * - RC: a request and the response with the same PSN together give both QPNs.
 * - UC: packets carry the QPN of the destination, and there are no responses. The QPN of the
 *   sending side stays unknown and is not needed. */
void capture_pairs(struct replay *r)
{
	const struct record *last = &r->rec[r->nrec - 1];

	if (capture_type(r) != RN_QPT_RC) {
		r->pair[0].own = last->ours ? last->pkt.src_qpn : last->pkt.dest_qpn;
		r->pair[0].peer = last->ours ? last->pkt.dest_qpn : last->pkt.src_qpn;
		r->npairs = 1;
		return;
	}
	for (unsigned i = 0; i < r->nrec; i++)
		for (unsigned k = 0; k < r->nrec; k++) {
			const struct record *req = &r->rec[i], *rsp = &r->rec[k];
			uint32_t own, peer;
			unsigned n;

			if (!replay_is_request(req) || rsp->is_cm || !rsp->pkt.op->response ||
			    req->ours == rsp->ours || req->pkt.psn != rsp->pkt.psn)
				continue;
			own = req->ours ? rsp->pkt.dest_qpn : req->pkt.dest_qpn;
			peer = req->ours ? req->pkt.dest_qpn : rsp->pkt.dest_qpn;
			for (n = 0; n < r->npairs && r->pair[n].own != own; n++)
				;
			assert_true(n < PAIRS);
			r->pair[n].own = own;
			r->pair[n].peer = peer;
			r->npairs = RN_MAX(r->npairs, n + 1);
		}
}

uint32_t capture_gather(const struct replay *r, unsigned i, uint8_t *buf, const struct rn_pkt **end)
{
	const struct record *first = &r->rec[i];
	uint32_t n = 0, psn = first->pkt.psn;

	for (; i < r->nrec; i++) {
		const struct record *rec = &r->rec[i];

		if (rec->is_cm || rec->ours != first->ours ||
		    rec->pkt.dest_qpn != first->pkt.dest_qpn ||
		    rec->pkt.op->family != first->pkt.op->family || rec->pkt.psn != psn)
			continue;
		psn = rn_psn_add(psn, 1);
		memcpy(buf + n, rec->pkt.payload, rec->pkt.payload_len);
		n += rec->pkt.payload_len;
		*end = &rec->pkt;
		if (rec->pkt.op->ends)
			break;
	}
	return n;
}

uint32_t capture_first_psn(const struct replay *r, unsigned pair, bool ours)
{
	for (unsigned i = 0; i < r->nrec; i++)
		if (replay_is_request(&r->rec[i]) && r->rec[i].ours == ours &&
		    replay_pair_of(r, &r->rec[i]) == pair)
			return r->rec[i].pkt.psn;
	return 0;
}
