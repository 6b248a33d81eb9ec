/* Tracks which PSN comes next in each direction between the shard and its peer in a replay
 * (replay.h). A replay runs in one thread. */
#include "replay_flow.h"

#include "wire/psn.h"
#include "base/types.h"

uint32_t flow_psns(const struct rn_pkt *request)
{
	return request->op->family == RN_F_READ_REQ ? RN_MAX(1u, RN_DIV_UP(request->dma_len, 1024u))
						    : 1u;
}

bool flow_fetches(const struct rn_pkt *request)
{
	return request->op->family == RN_F_READ_REQ || request->op->family == RN_F_ATOMIC;
}

bool flow_is_new(struct flow *f, const struct rn_pkt *request)
{
	if (rn_psn_before(request->psn, f->end))
		return false;
	f->end = rn_psn_add(request->psn, flow_psns(request));
	return true;
}

enum rn_verdict flow_request(struct flow *f, const struct rn_pkt *request)
{
	bool again = f->gap;

	if (request->psn == f->next) {
		f->next = rn_psn_add(f->next, flow_psns(request));
		f->gap = false;
		return RN_V_OK;
	}
	if (rn_psn_before(f->next, request->psn)) {
		f->gap = true;
		return again ? RN_V_REQ_GAP_AGAIN : RN_V_REQ_GAP;
	}
	if (request->op->family == RN_F_READ_REQ) {
		f->rest = true;
		f->from = request->psn;
	}
	return flow_fetches(request) ? RN_V_REQ_DUP_READ : RN_V_REQ_DUPLICATE;
}

enum rn_verdict flow_response(struct flow *f, const struct rn_pkt *response)
{
	if (rn_psn_before(response->psn, f->una))
		return RN_V_RSP_STALE;
	for (const struct post *p = f->post; p < f->post + f->posted; p++) {
		/* first PSN of this request for which no response has arrived */
		uint32_t first = rn_psn_before(p->psn, f->una) ? f->una : p->psn;

		if (!p->fetches || !rn_psn_before(first, rn_psn_add(p->psn, p->psns)) ||
		    !rn_psn_before(first, response->psn))
			continue;
		f->una = first;
		return RN_V_RSP_IMPLIED_NAK;
	}
	if (response->op->has_aeth && response->syndrome >> 5 == 3) {
		f->una = response->psn;
		return RN_V_RSP_NAK_SEQ;
	}
	f->una = rn_psn_add(response->psn, 1);
	return RN_V_OK;
}

const struct post *flow_post(const struct flow *f, uint32_t psn)
{
	for (const struct post *p = f->post; p < f->post + f->posted; p++)
		if (rn_psn_steps(p->psn, psn) < p->psns)
			return p;
	return NULL;
}
