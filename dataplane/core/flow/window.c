/* Which PSNs does each work request of the send queue use, and how many packets may be in flight?
 * Runs on the shard's thread.
 *
 * Size: the send window limits the packets in flight. Its size starts at `max`. If losses are
 * many, or if packets wait in queues, a loss makes the size smaller, and the new size becomes the
 * knee. Below the knee, the size doubles per round trip. Above the knee, the size grows by a few
 * packets per round trip.
 *
 * Timeout: the size becomes one packet. If an acknowledgement shows that no packet was lost, the
 * previous size is restored. The packets in flight are then not sent again, unless a READ is
 * incomplete.
 *
 * Patches: after a loss, the missing packet alone is sent again (rn_window_patch()). Until the
 * patch is acknowledged, the size stays below `max`, so that rn_window_ack_plain() leaves each ACK
 * to rn_window_ack(). One gap is closed per round trip, so a wider window than one with one loss is
 * of no use: the size becomes smaller by an eighth then, by a quarter if packets wait in queues.
 *
 * Pieces: a READ of more than `piece` response packets is sent as several READ requests. The window
 * thereby limits the responses in flight too, and the loss of a READ request costs one piece only.
 * max_rd_atomic pieces fill the window. */
#include "flow/window.h"

#define SMALLEST 4 /* smallest knee after a loss, in packets */
/* A window is not made smaller than this because packets wait in queues: they also wait for the
 * turns of the two ends, each of which handles tens of packets, and a smaller window would leave
 * one end without work. With a peer that drops packets each loss repeats a window, so half is
 * enough. */
#define TURNS 64
#define STEP  4	 /* growth above the knee, in packets per round trip */
#define PIECE 64 /* smallest piece of a READ, in response packets */
/* A window holds at least this many pieces, so that some are requested while another arrives. */
#define PIECES 4
/* If no packets wait in queues, the size stays as it is while at most one packet per window is
 * lost, with this many losses in a row at most. Between two ends that keep packets this is as often
 * as gaps can be closed. If the peer drops packets, each loss costs a window, so half of the
 * packets still count, and half a window would bring no more. */
#define LOSS_BURST 4
/* A peer that acknowledges this many patches in a row, and nothing beyond, drops packets. */
#define VAIN_PATCHES 3
/* The same while nothing is known of the peer. The packet behind one patch may be lost too. */
#define VAIN_AT_FIRST 2

void rn_window_init(struct rn_window *w, uint32_t psn, uint32_t max, unsigned depth)
{
	uint32_t share;

	*w = (struct rn_window){.una = psn, .cur = psn, .high = psn, .next = psn};
	w->max = RN_MAX(max, 2u);
	w->size = w->knee = w->max;
	share = w->max / RN_MAX(depth, PIECES);
	w->piece = (uint16_t)(share > PIECE ? 1u << (31 - __builtin_clz(share)) : PIECE);
	w->allowance = (uint16_t)RN_MIN(LOSS_BURST * w->max, UINT16_MAX);
}

void rn_window_start(struct rn_window *w, struct rn_sq *sq, uint32_t npkts)
{
	struct rn_sqe *e = rn_sq_at(sq, sq->started);

	rn_assert(sq->started != sq->tail && sq->send == sq->started && w->cur == w->next);
	e->first_psn = w->next;
	e->npkts = npkts;
	if (rn_sq_is_fetch(e->kind)) {
		rn_window_note_read(w, sq->started);
		w->nbig += npkts > w->piece;
	}
	w->next = rn_psn_add(w->next, npkts);
	w->send_pkt = 0;
	sq->started++;
}

/* Returns how many PSNs in [una, cur) belong to missing responses. */
static uint32_t missing_responses(const struct rn_window *w, const struct rn_sq *sq)
{
	int32_t end = (int32_t)rn_psn_steps(w->una, w->cur), n = 0;

	for (unsigned i = 0; i < w->nreads; i++) {
		const struct rn_sqe *e =
			rn_sq_at(sq, w->read[(w->read_head + i) % RN_MAX_RD_ATOMIC]);
		int32_t from = rn_psn_diff(e->first_psn, w->una), to = from + (int32_t)e->npkts;

		n += RN_MAX(RN_MIN(to, end) - RN_MAX(from, 0), 0);
	}
	return (uint32_t)n;
}

/* Sets cur to high, so that only new packets are sent. The packets in flight were not lost. */
static void go_to_high(struct rn_window *w, struct rn_sq *sq)
{
	uint32_t i = sq->send, part = 0;

	for (; i != sq->started; i++) {
		const struct rn_sqe *e = rn_sq_at(sq, i);

		part = rn_psn_steps(e->first_psn, w->high);
		if (e->status || part < e->npkts)
			break;
	}
	sq->send = i;
	w->cur = w->high;
	w->send_pkt = i == sq->started ? 0 : part;
	w->responses = missing_responses(w, sq);
}

void rn_window_sent(struct rn_window *w, struct rn_sq *sq, uint32_t n)
{
	struct rn_sqe *e = rn_sq_at(sq, sq->send);

	rn_assert(sq->send != sq->started && w->send_pkt + n <= e->npkts);
	w->cur = rn_psn_add(w->cur, n);
	w->send_pkt += n;
	if (rn_sq_is_fetch(e->kind))
		w->responses += n;
	w->high = rn_psn_add(w->una,
			     RN_MAX(rn_psn_steps(w->una, w->cur), rn_psn_steps(w->una, w->high)));
	if (w->send_pkt == e->npkts) {
		sq->send++;
		w->send_pkt = 0;
	}
	if (rn_unlikely(w->patching) && w->cur == w->patch_end)
		go_to_high(w, sq);
}

/* Sets cur back to una, so that all packets from una on are sent again. */
static void go_to_una(struct rn_window *w, struct rn_sq *sq)
{
	uint32_t i = sq->head, psn = w->una;

	/* Search from sq->head on for the work request that contains psn. A failed work request may
	 * have no PSNs and must not be skipped, so stop there too. */
	while (i != sq->started) {
		const struct rn_sqe *e = rn_sq_at(sq, i);

		if (e->status || rn_psn_steps(e->first_psn, psn) < e->npkts)
			break;
		i++;
	}
	sq->send = i;
	w->cur = psn;
	w->responses = 0;
	w->send_pkt = i == sq->started ? 0 : rn_psn_steps(rn_sq_at(sq, i)->first_psn, psn);
}

/* Grows the window after n packets were acknowledged. */
static void grow(struct rn_window *w, uint32_t n)
{
	uint32_t max = w->max - w->patching;

	if (rn_likely(w->size == max))
		return;
	n = RN_MIN(n, max);
	w->allowance = (uint16_t)RN_MIN(RN_MIN(w->allowance + n, LOSS_BURST * w->size), UINT16_MAX);
	if (w->size < w->knee) {
		w->size = RN_MIN(w->size + n, RN_MIN(w->knee, max));
		return;
	}
	w->acked += n;
	if (w->acked >= w->size) {
		w->acked = 0;
		w->size = RN_MIN(w->size + STEP, max);
	}
}

/* The caller has moved una by n. Subtracts the responses among these n PSNs from
 * w->responses. Drops complete READs and atomics from the ring w->read[]. */
static void take_reads(struct rn_window *w, struct rn_sq *sq, uint32_t n)
{
	uint32_t old = w->una - n;

	while (w->nreads) {
		const struct rn_sqe *e = rn_sq_at(sq, w->read[w->read_head]);
		int32_t from = rn_psn_diff(e->first_psn, old), to = from + (int32_t)e->npkts;
		int32_t got = RN_MIN(to, (int32_t)n) - RN_MAX(from, 0);

		w->responses -= RN_MIN((uint32_t)RN_MAX(got, 0), w->responses);
		if (to > (int32_t)n)
			return;
		w->read_head = (w->read_head + 1) % RN_MAX_RD_ATOMIC;
		w->nreads--;
		w->nbig -= e->npkts > w->piece;
	}
}

/* Finds out whether the last timeout was spurious. Called for each acknowledgement until all
 * packets in flight at the timeout are acknowledged. `overtaken` says that the acknowledgement
 * covers packets that were not sent again. No packet was lost then, because after a loss the peer
 * accepts no later packet. The size and knee from before the timeout are restored. */
static void undo_if_spurious(struct rn_window *w, bool overtaken)
{
	if (overtaken) {
		w->size = w->size_before;
		w->knee = w->knee_before;
	}
	w->maybe_spurious = !overtaken && rn_psn_before(w->una, w->recover);
}

void rn_window_ack(struct rn_window *w, struct rn_sq *sq, uint32_t psn)
{
	uint32_t n = rn_psn_steps(w->una, psn);
	bool overtaken = rn_psn_steps(w->una, w->cur) < n,
	     mistaken = overtaken && (w->maybe_spurious || w->probing);

	rn_assert(n <= rn_psn_steps(w->una, w->high));
	w->una = psn;
	if (rn_unlikely(w->maybe_spurious))
		undo_if_spurious(w, overtaken);
	grow(w, n);
	if (rn_unlikely(w->nreads))
		take_reads(w, sq, n);
	if (rn_unlikely(overtaken) && w->reading) {
		/* Responses that arrive late, or were kept, do not show that a request was lost
		 * or kept. */
		if (rn_psn_before(psn, w->patch_end))
			go_to_una(w, sq);
		else
			go_to_high(w, sq);
	} else if (rn_unlikely(overtaken)) {
		/* Packets that were not sent again cannot have been lost, unless the last timeout
		 * or probe was spurious: the peer has kept them. */
		if (!mistaken)
			w->peer_keeps = RN_PEER_KEEPS;
		/* While a READ is incomplete, go back to una even after a spurious timeout. The
		 * responses to the READ may be lost, and the peer repeats the responses only on a
		 * new READ request. */
		if (mistaken && !w->nreads)
			go_to_high(w, sq);
		else
			go_to_una(w, sq);
	}
	rn_assert(w->responses <= rn_psn_steps(w->una, w->cur));
}

void rn_window_rewind(struct rn_window *w, struct rn_sq *sq)
{
	go_to_una(w, sq);
	w->unasked = 0;
	w->patching = w->probing = w->reading = false;
}

/* Sends the packet at una again, and then goes on at `high`. */
static void patch_una(struct rn_window *w, struct rn_sq *sq, bool probing)
{
	rn_window_rewind(w, sq);
	w->patching = true;
	w->probing = probing;
	w->patch_end = rn_psn_add(w->una, 1);
	w->size = RN_MIN(w->size, w->max - 1);
}

/* Makes the window smaller by 1 / part, or by 1 / queued_part if packets wait in queues. The new
 * size becomes the knee. If no packets wait, a loss that the allowance covers costs nothing. */
static void pay_for_loss(struct rn_window *w, bool queued, uint32_t part, uint32_t queued_part)
{
	uint32_t least = SMALLEST, knee;

	if (!queued && w->allowance >= w->size) {
		w->allowance -= (uint16_t)w->size;
		return;
	}
	if (queued)
		least = w->peer_keeps == RN_PEER_DROPS ? TURNS / 2 : TURNS;
	/* A window that still grows again after a timeout may double until it is this large. */
	knee = RN_MIN(least, w->knee);
	least = RN_MIN(RN_MIN(least, w->max - 1), w->size);
	w->size = RN_MAX(w->size - w->size / (queued ? queued_part : part), least);
	w->knee = RN_MAX(w->size, knee);
	w->acked = 0;
}

void rn_window_patch(struct rn_window *w, struct rn_sq *sq, bool queued)
{
	w->maybe_spurious = false;
	w->recover = w->high;
	w->patches = 0;
	pay_for_loss(w, queued, 8, 4);
	patch_una(w, sq, false);
}

/* Handles the acknowledgement of a probe. After one of the probe alone, a peer that drops packets
 * needs all the later ones, and so does one that keeps packets if none has arrived, which a few
 * probes find out. They are sent as after a timeout, which an ACK of more packets can prove
 * spurious. Any other ACK names the next missing packet if the peer answered the probe. If it
 * is an older ACK of a slow peer, nothing is missing, so only a few probes follow each other. */
static bool probed(struct rn_window *w, struct rn_sq *sq, bool beyond)
{
	bool enough = w->patches == VAIN_PATCHES;

	if (!rn_psn_before(w->una, w->recover) || (enough && beyond)) {
		w->patching = w->probing = false;
		return false;
	}
	if (!enough && (beyond || w->peer_keeps == RN_PEER_KEEPS)) {
		w->patches++;
		patch_una(w, sq, true);
		return true;
	}
	rn_window_rewind(w, sq);
	w->maybe_spurious = true;
	w->size_before = w->size;
	w->knee_before = w->knee;
	return true;
}

bool rn_window_patched(struct rn_window *w, struct rn_sq *sq, bool queued)
{
	bool beyond = w->una != w->patch_end;

	if (w->reading)
		return false; /* rn_read_gap_fill() closes this gap */
	if (w->probing)
		return probed(w, sq, beyond);
	if (beyond) {
		w->peer_keeps = RN_PEER_KEEPS;
		w->patches = 0;
	}
	if (!rn_psn_before(w->una, w->recover)) {
		w->patching = false;
		return false;
	}
	uint8_t vain = w->peer_keeps == RN_PEER_KEEPS ? VAIN_PATCHES : VAIN_AT_FIRST;
	if (!beyond && ++w->patches >= vain) {
		w->peer_keeps = RN_PEER_DROPS;
		rn_window_rewind(w, sq);
		return true;
	}
	pay_for_loss(w, queued, 8, 4);
	patch_una(w, sq, false);
	return true;
}

bool rn_window_probe(struct rn_window *w, struct rn_sq *sq)
{
	/* A patch that answers a NAK stays one: the NAK has shown that a packet is missing. */
	bool suspicion = !w->patching || w->probing;

	if (w->nreads || w->maybe_spurious || w->una == w->high || w->cur != w->high)
		return false;
	w->recover = w->high;
	w->patches = 0;
	patch_una(w, sq, suspicion);
	return true;
}

void rn_window_patch_read(struct rn_window *w, struct rn_sq *sq, uint32_t end, bool lost,
			  bool queued)
{
	w->maybe_spurious = false;
	w->recover = w->high;
	if (lost)
		pay_for_loss(w, queued, 8, 4);
	patch_una(w, sq, false);
	w->reading = true;
	w->patch_end = end;
}

struct rn_sqe *rn_window_read(const struct rn_window *w, const struct rn_sq *sq, uint32_t *expect)
{
	struct rn_sqe *e;

	if (!w->nreads)
		return NULL;
	e = rn_sq_at(sq, w->read[w->read_head]);
	*expect = rn_psn_before(w->una, e->first_psn) ? e->first_psn : w->una;
	return e;
}

unsigned rn_window_asked(const struct rn_window *w, const struct rn_sq *sq)
{
	uint32_t mask = w->piece - 1, in_flight = (w->cur - w->una) & RN_PSN_MASK;
	unsigned log2 = (unsigned)__builtin_ctz(w->piece), n = 0;

	for (unsigned i = 0; i < w->nreads; i++) {
		const struct rn_sqe *e =
			rn_sq_at(sq, w->read[(w->read_head + i) % RN_MAX_RD_ATOMIC]);
		int32_t begin = rn_psn_diff(e->first_psn, w->una);
		uint32_t had = (uint32_t)RN_MAX(-begin, 0);
		uint32_t sent = RN_MIN((uint32_t)RN_MAX((int32_t)in_flight - begin, 0), e->npkts);

		n += sent > had ? ((sent + mask) >> log2) - (had >> log2) : 0;
	}
	return n;
}

struct rn_sqe *rn_window_find(const struct rn_window *w, const struct rn_sq *sq, uint32_t psn)
{
	for (uint32_t i = sq->head; i != sq->started; i++) {
		struct rn_sqe *e = rn_sq_at(sq, i);

		if (rn_psn_steps(e->first_psn, psn) < e->npkts)
			return e;
	}
	rn_assert(!"a PSN in flight belongs to a request");
	return NULL;
}

void rn_window_lost(struct rn_window *w, bool queued)
{
	w->maybe_spurious = false;
	pay_for_loss(w, queued, 4, 2);
	/* The allowance grows while the size is below `max`: for one window of packets, then. */
	if (w->size == w->max) {
		w->size = w->knee = w->max - 1;
		w->acked = 0;
	}
}

void rn_window_timed_out(struct rn_window *w)
{
	w->patching = w->probing = w->reading = false;
	if (!w->maybe_spurious) {
		w->maybe_spurious = true;
		w->recover = w->high;
		w->size_before = w->size;
		w->knee_before = w->knee;
	}
	w->knee = RN_MAX(w->size - w->size / 2, RN_MIN(w->max, (uint32_t)SMALLEST));
	w->acked = 0;
	w->size = 1;
}
