/* The measurement loops of bench_pump. End a runs short epochs. Before and after each epoch, end a
 * probes how far apart the two cores are (distance.h). End b follows the phase that end a sets.
 * Each end has its own thread, but with --solo one thread runs both ends. */
#include <stdlib.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include "pump.h"
#include "pump_frame.h"

#define BURST_MAX  256
#define STREAM_MS  15
#define WARM_MS	   2
#define ECHO_MS	   8
#define ROUNDS_MAX 20000

static bool spent(uint64_t since, double ms)
{
	return rte_rdtsc() - since > (uint64_t)(ms * 1e-3 * (double)rte_get_tsc_hz());
}

/* The sending side of an end. Frames that the DPDK port did not accept stay in m[from] to m[to -
 * 1], for the next sender_push(). */
struct sender {
	const struct rn_pump_end *end;
	struct pump_flow flow;
	struct rte_mbuf *m[BURST_MAX];
	unsigned burst, from, to;
	uint64_t sent;
};

static void sender_fill(struct sender *s, unsigned n)
{
	s->from = s->to = 0;
	if (rte_pktmbuf_alloc_bulk(s->end->pool, s->m, n) != 0)
		return;
	for (; s->to < n; s->to++) {
		struct rte_mbuf *m = s->m[s->to];

		m->data_len = pump_frame_build(&s->flow, rte_pktmbuf_mtod(m, uint8_t *));
		m->pkt_len = m->data_len;
	}
}

static void sender_push(struct sender *s)
{
	uint16_t n = rte_eth_tx_burst(s->end->port, 0, s->m + s->from, (uint16_t)(s->to - s->from));

	s->from += n;
	s->sent += n;
}

static void sender_step(struct sender *s)
{
	if (s->from == s->to)
		sender_fill(s, s->burst);
	if (s->from < s->to)
		sender_push(s);
}

static void sender_drop(struct sender *s)
{
	if (s->from < s->to)
		rte_pktmbuf_free_bulk(s->m + s->from, s->to - s->from);
	s->from = s->to = 0;
	pump_flow_realign(&s->flow);
}

/* Builds and sends one whole message. Returns false if the DPDK port has not taken the message
 * within 1 s. */
static bool sender_message(struct sender *s)
{
	uint64_t t0 = rte_rdtsc();

	for (unsigned left = s->flow.frames, n; left > 0; left -= n) {
		n = left < s->burst ? left : s->burst;
		do {
			sender_fill(s, n);
			if (s->to == 0 && spent(t0, 1000))
				return false;
		} while (s->to == 0);
		while (s->from < s->to) {
			sender_push(s);
			if (s->from < s->to && spent(t0, 1000))
				return false;
		}
	}
	return true;
}

static unsigned receive_turn(const struct rn_pump_end *e, struct pump_flow *f, unsigned burst)
{
	struct rte_mbuf *m[BURST_MAX];
	unsigned n = rte_eth_rx_burst(e->port, 0, m, (uint16_t)burst);

	for (unsigned i = 0; i < n; i++)
		pump_frame_take(f, rte_pktmbuf_mtod(m[i], const uint8_t *), m[i]->data_len);
	if (n > 0)
		rte_pktmbuf_free_bulk(m, n);
	return n;
}

static void flows_init(const struct rn_pump_options *o, const struct rn_pump_end *e,
		       struct sender *tx, struct pump_flow *rx)
{
	*tx = (struct sender){.end = e, .burst = o->burst};
	rn_pump_flow_init(&tx->flow, o->write, !o->bare, o->size, o->mtu, e->source, o->buffer);
	rn_pump_flow_init(rx, o->write, !o->bare, o->size, o->mtu, e->sink, o->buffer);
}

/* ---- end b: receives and answers ---- */

static void serve_stream(const struct rn_pump_options *o, struct rn_pump_end *b,
			 struct rn_pump_shared *sh, struct pump_flow *rx)
{
	unsigned n = receive_turn(b, rx, o->burst);

	if (n > 0) {
		sh->b_frames += n;
		sh->b_messages = rx->messages;
	}
}

void rn_pump_serve(const struct rn_pump_options *o, struct rn_pump_end *b,
		   struct rn_pump_shared *sh)
{
	static struct sender tx;
	static struct pump_flow rx;
	uint64_t answered, t0 = rte_rdtsc();
	uint32_t phase;

	flows_init(o, b, &tx, &rx);
	while ((phase = sh->phase) != PUMP_QUIT && !spent(t0, o->secs * 1e3 + 20000)) {
		if (phase != sh->entered) {
			pump_flow_realign(&rx);
			sh->entered = phase;
		}
		if (phase == PUMP_PROBE) {
			rn_distance_answer(&sh->distance);
		} else if (phase == PUMP_STREAM) {
			serve_stream(o, b, sh, &rx);
		} else {
			answered = rx.messages;
			if (receive_turn(b, &rx, o->burst) > 0) {
				for (; answered < rx.messages; answered++)
					sender_message(&tx);
			}
		}
		sh->b_bad = rx.bad;
	}
}

/* ---- end a: measures ---- */

static bool enter(struct rn_pump_shared *sh, enum pump_phase phase)
{
	uint64_t t0 = rte_rdtsc();

	sh->phase = phase;
	while (sh->entered != phase) {
		if (spent(t0, 2000))
			return false;
	}
	return true;
}

static double probe(struct rn_pump_shared *sh, struct rn_pump_result *r)
{
	double ns = enter(sh, PUMP_PROBE) ? rn_distance_ask(&sh->distance) : -1;

	rn_sample_add(&r->probes, ns);
	return ns;
}

struct rate {
	double mpps, mmsg;
};

/* Sends messages for one epoch (STREAM_MS), without a pause. The rates count the frames and
 * messages that end b received after the warm-up of WARM_MS. */
static bool stream_epoch(struct rn_pump_shared *sh, struct sender *tx, struct rate *rate,
			 struct rn_pump_result *r)
{
	uint64_t start = sh->b_frames, sent = tx->sent, t0, t1, frames, messages;
	double us;

	if (!enter(sh, PUMP_STREAM))
		return false;
	for (t0 = rte_rdtsc(); !spent(t0, WARM_MS);)
		sender_step(tx);
	frames = sh->b_frames;
	messages = sh->b_messages;
	for (t1 = rte_rdtsc(); !spent(t1, STREAM_MS - WARM_MS);)
		sender_step(tx);
	us = (double)(rte_rdtsc() - t1) * 1e6 / (double)rte_get_tsc_hz();
	rate->mpps = (double)(sh->b_frames - frames) / us;
	rate->mmsg = (double)(sh->b_messages - messages) / us;
	sender_drop(tx);
	sent = tx->sent - sent;
	for (t0 = rte_rdtsc(); sh->b_frames - start < sent && !spent(t0, 100);)
		;
	r->lost += (int64_t)(sent - (sh->b_frames - start));
	return true;
}

/* Sends a message and waits for the answer, repeatedly for ECHO_MS. Adds each round trip time to
 * `ns`. */
static bool echo_epoch(const struct rn_pump_options *o, struct rn_pump_end *a,
		       struct rn_pump_shared *sh, struct sender *tx, struct pump_flow *rx,
		       struct rn_sample *ns)
{
	uint64_t t0 = rte_rdtsc(), t, done;

	pump_flow_realign(rx);
	if (!enter(sh, PUMP_ECHO))
		return false;
	for (int i = 0; i < ROUNDS_MAX && !spent(t0, ECHO_MS); i++) {
		done = rx->messages;
		t = rte_rdtsc();
		if (!sender_message(tx))
			return false;
		while (rx->messages == done) {
			if (receive_turn(a, rx, o->burst) == 0 && spent(t, 1000))
				return false;
		}
		rn_sample_add(ns, (double)(rte_rdtsc() - t) * 1e9 / (double)rte_get_tsc_hz());
	}
	return true;
}

bool rn_pump_drive(const struct rn_pump_options *o, struct rn_pump_end *a,
		   struct rn_pump_shared *sh, struct rn_pump_result *r)
{
	static struct sender tx;
	static struct pump_flow rx;
	struct rn_sample ns = {0};
	struct rate rate = {0, 0};
	uint64_t t0 = rte_rdtsc();
	bool ok = true;

	flows_init(o, a, &tx, &rx);
	while (ok && !spent(t0, o->secs * 1e3)) {
		double before = probe(sh, r), after;
		enum rn_regime g;

		ns.n = 0;
		ok = before >= 0 && (o->rtt ? echo_epoch(o, a, sh, &tx, &rx, &ns)
					    : stream_epoch(sh, &tx, &rate, r));
		after = ok ? probe(sh, r) : -1;
		ok = ok && after >= 0;
		if (!ok)
			break;
		g = rn_regime_of(before, after);
		r->epochs++;
		if (o->rtt) {
			rn_sample_add(&r->rtt_p50[g], rn_sample_at(&ns, 0.5));
			rn_sample_add(&r->rtt_p99[g], rn_sample_at(&ns, 0.99));
		} else {
			rn_sample_add(&r->mpps[g], rate.mpps);
			rn_sample_add(&r->mmsg[g], rate.mmsg);
		}
	}
	r->bad = rx.bad + sh->b_bad;
	sh->phase = PUMP_QUIT;
	rn_sample_free(&ns);
	return ok;
}

void rn_pump_solo(const struct rn_pump_options *o, struct rn_pump_end *a, struct rn_pump_end *b,
		  struct rn_pump_result *r)
{
	static struct sender tx;
	static struct pump_flow rx;
	struct pump_flow unused;
	uint64_t t0 = rte_rdtsc(), t, frames, messages;

	flows_init(o, a, &tx, &unused);
	rn_pump_flow_init(&rx, o->write, !o->bare, o->size, o->mtu, b->sink, o->buffer);
	while (!spent(t0, o->secs * 1e3)) {
		double us;

		frames = tx.sent;
		messages = rx.messages;
		for (t = rte_rdtsc(); !spent(t, STREAM_MS);) {
			sender_step(&tx);
			receive_turn(b, &rx, o->burst);
		}
		us = (double)(rte_rdtsc() - t) * 1e6 / (double)rte_get_tsc_hz();
		/* Results are stored by regime, the class of distance between two lcores. With a
		 * single lcore there is no distance: all results are stored under NEAR, and
		 * bench_pump.c prints "one" instead of "near". */
		rn_sample_add(&r->mpps[RN_REGIME_NEAR], (double)(tx.sent - frames) / us);
		rn_sample_add(&r->mmsg[RN_REGIME_NEAR], (double)(rx.messages - messages) / us);
		r->epochs++;
	}
	sender_drop(&tx);
	r->bad = rx.bad;
}
