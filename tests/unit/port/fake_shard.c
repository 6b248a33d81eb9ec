/* Fakes of the core functions that the port layer calls (rn_shard_*(), rn_frame_parse()). The fakes
 * record their calls. The fake rn_shard_tx() makes numbered dummy frames. */
#include "fake_shard.h"

#include <stdlib.h>
#include <string.h>

#include "shard/ahead.h"
#include "wire/frame.h"

uint32_t rn_shard_detour(struct rn_shard *sh, const struct rn_pkt *pkt, enum rn_verdict v)
{
	return sh->detours += sh->detours > 0;
}

struct rn_shard *fake_shard_create(void)
{
	return calloc(1, sizeof(struct rn_shard));
}

uint64_t fake_digest(const struct rn_wqe *wqe)
{
	const uint8_t *b = (const uint8_t *)wqe;
	uint64_t h = 1469598103934665603u;

	for (unsigned i = 0; i < wqe->slots * (unsigned)RN_SLOT_BYTES; i++)
		h = (h ^ b[i]) * 1099511628211u;
	return h;
}

static void note(const struct rn_shard *sh, unsigned step, unsigned what, uint32_t qpn,
		 uint32_t lkey)
{
	struct fake_ahead *seen = sh->seen;

	if (seen == NULL)
		return;
	seen->call[seen->n].step = step;
	seen->call[seen->n].what = what;
	seen->call[seen->n].qpn = qpn;
	seen->call[seen->n++].lkey = lkey;
}

unsigned rn_ahead_what(const struct rn_shard *sh)
{
	return sh->ahead;
}

void rn_ahead_begin(struct rn_ahead *a, const struct rn_shard *sh, unsigned what)
{
	static const uint8_t region[1][64];

	*a = (struct rn_ahead){
		.sh = sh, .what = what, .end = UINT32_MAX, .last = UINT64_MAX, .regions = region};
}

uint32_t rn_ahead_post_other(struct rn_ahead *a, uint32_t qpn)
{
	note(a->sh, 1, a->what, qpn, 0);
	a->last = qpn;
	return a->what & RN_AHEAD_QPS ? qpn : 0;
}

void rn_ahead_post_qp(const struct rn_shard *sh, uint32_t which)
{
	note(sh, 2, 0, which, 0);
}

void rn_shard_post(struct rn_shard *sh, const struct rn_wqe *wqe, rn_time now)
{
	note(sh, 3, 0, wqe->qpn, wqe->sge[0].lkey);
	sh->digest[sh->nposted] = fake_digest(wqe);
	sh->posted[sh->nposted++] = *wqe;
}

enum rn_verdict rn_shard_rx(struct rn_shard *sh, const struct rn_pkt *pkt, rn_time now)
{
	sh->order[sh->norder++] = 'p';
	sh->rx_psn[sh->nrx++] = pkt->psn;
	return RN_V_OK;
}

/* Refuses every frame, so that the caller parses the frame: the tests look at parsed packets. */
bool rn_shard_rx_short(struct rn_shard *sh, const uint8_t *frame, uint32_t len, enum rn_verdict *v,
		       rn_time now)
{
	return false;
}

void rn_shard_refused(struct rn_shard *sh, enum rn_verdict v)
{
	sh->nrefused++;
}

unsigned rn_shard_tx(struct rn_shard *sh, struct rn_txbuf *bufs, unsigned n, rn_time now)
{
	unsigned i;

	for (i = 0; i < n && sh->to_send > 0; i++, sh->to_send--, sh->sent++) {
		memset(bufs[i].data, 0, 64);
		memcpy(bufs[i].data, sh->dmac, 6);
		memcpy(bufs[i].data + 60, &sh->sent, 4);
		bufs[i].len = 64;
	}
	return i;
}

bool rn_shard_wants_tx(const struct rn_shard *sh, rn_time now)
{
	return sh->to_send > 0;
}

bool rn_shard_done(struct rn_shard *sh, rn_time now)
{
	return false;
}

bool rn_shard_only_acks(const struct rn_shard *sh)
{
	return false;
}

rn_time rn_shard_next(const struct rn_shard *sh)
{
	return RN_TIME_NEVER;
}

void rn_shard_tick(struct rn_shard *sh, rn_time now)
{
}

unsigned rn_shard_outbox(struct rn_shard *sh, struct rn_msg *m, unsigned n)
{
	if (n == 0 || sh->noutbox == 0)
		return 0;
	*m = sh->outbox[0];
	memmove(sh->outbox, sh->outbox + 1, --sh->noutbox * sizeof(sh->outbox[0]));
	return 1;
}

void rn_shard_inbox(struct rn_shard *sh, const struct rn_msg *m, rn_time now)
{
	sh->order[sh->norder++] = 'm';
	sh->ninbox++;
}

/* Reads the number that the fake rn_shard_tx() stored in a frame. A frame whose byte 59 is not 0 is
 * invalid. */
enum rn_verdict rn_frame_parse(const uint8_t *frame, size_t len, struct rn_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	if (len < 64 || frame[59] != 0)
		return RN_V_FRAME_SHORT;
	memcpy(&pkt->psn, frame + 60, 4);
	pkt->dest_qpn = frame[58];
	return RN_V_OK;
}
