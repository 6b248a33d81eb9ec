/* Large READs complete although every retransmitted READ request causes many responses. Time is
 * virtual. --print shows the measured values without checking them.
 * - The peer is a model of a software responder that does not know which responses the requester
 *   has received. It answers all READ requests in full, one after the other. It looks up a
 *   retransmitted READ request among the latest READ requests and answers it again.
 * - The requester pauses so long that responses overflow the RX ring of its DPDK port. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "craft.h"
#include "wire/psn.h"
#include "wire/stats.h"

#define LENGTH	 8388607u
#define READS	 3u
#define DEPTH	 16u /* elements of peer.record[]; course.depth is at most DEPTH */
#define MTU	 1024u
#define PACKETS	 (READS * ((LENGTH + MTU - 1) / MTU))
#define WAITING	 8192u
#define BURST	 32u
#define RING_MAX 4096u
#define LIMIT	 RN_S(120)

struct course {
	const char *name;
	rn_time pace;  /* time between two responses of the peer */
	unsigned ring; /* size of the RX ring of the requester's DPDK port, in frames */
	/* Upper limits for the random times of the requester, in us. away_us: for each pause.
	 * awake_us: for each active time. */
	unsigned away_us, awake_us;
	uint32_t loss_ppm; /* loss of responses, in parts per million */
	unsigned depth;	   /* number of READs in flight, as negotiated */
	/* maximum number of responses that the peer may send, in percent of the responses that a
	 * run without loss needs */
	unsigned cost;
	/* Upper limits for the random times of the peer, in us. pause_us: for each pause. work_us:
	 * for each active time. */
	unsigned pause_us, work_us;
};

static const struct course courses[] = {
	{"all is well", RN_US(33), 512, 0, 1000, 0, 16, 100},
	{"away 30 ms, 512 frames", RN_US(33), 512, 30000, 20000, 0, 16, 150},
	{"away 30 ms, 512 frames, one READ at a time", RN_US(33), 512, 30000, 20000, 0, 1, 150},
	{"away 30 ms, 64 frames", RN_US(33), 64, 30000, 20000, 0, 16, 250},
	{"away 90 ms, 512 frames", RN_US(33), 512, 90000, 30000, 0, 16, 250},
	{"away 30 ms, fast peer", RN_US(2), 512, 30000, 20000, 0, 16, 150},
	{"1 % lost, slow peer", RN_US(33), 512, 0, 1000, 10000, 16, 250},
	{"1 % lost, away 10 ms", RN_US(33), 512, 10000, 10000, 10000, 16, 300},
	{"the peer pauses 30 ms", RN_US(33), 512, 0, 1000, 0, 16, 150, 30000, 20000},
	{"both pause 30 ms, 256 frames", RN_US(33), 256, 30000, 20000, 0, 16, 200, 30000, 20000},
	{"both pause 90 ms, 64 frames", RN_US(33), 64, 90000, 20000, 0, 16, 300, 90000, 20000},
};

struct request {
	/* psn: first PSN, counted from the connection's first PSN; npkts: number of responses */
	uint32_t psn, npkts;
	uint64_t va;
	uint32_t length;
	bool again;
};

struct response {
	uint8_t opcode;
	uint32_t psn, length;
	const uint8_t *data;
};

struct peer {
	struct sim sim;
	const struct course *course;
	struct request waiting[WAITING];
	unsigned first, nwaiting;
	struct request record[DEPTH]; /* ring of the latest READ requests, each once */
	unsigned nrecords;
	uint32_t epsn;	   /* first PSN that no READ request so far uses */
	uint32_t answered; /* number of responses sent so far to the oldest waiting READ request */
	struct response ring[RING_MAX];
	unsigned nring;
	uint64_t requests, again, sent, overrun, lost;
};

static const struct request *find(const struct peer *p, const struct request *r)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		const struct request *o = &p->record[i];
		if (r->psn >= o->psn && r->psn + r->npkts <= o->psn + o->npkts &&
		    r->va == o->va + (uint64_t)(r->psn - o->psn) * MTU)
			return o;
	}
	return NULL;
}

/* Filter: queues every READ request for the model peer, then drops the packet, so that no shard of
 * the peer node gets it. The requester sends no other RoCE packets. */
static bool on_request(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct peer *p = arg;
	if (pkt->kind != RN_PKT_IB) /* drops ARP and ND messages */
		return false;
	struct request r = {.psn = (pkt->psn - sim->spec.first_psn) & RN_PSN_MASK,
			    .va = pkt->va,
			    .length = pkt->dma_len,
			    .npkts = RN_DIV_UP(pkt->dma_len, MTU)};
	assert_int_equal(from, 0);
	assert_int_equal(pkt->op->opcode, RN_OP_READ_REQUEST);
	p->requests++;
	r.again = r.psn < p->epsn;
	if (r.psn > p->epsn || (r.again && !find(p, &r)))
		fail_msg("asked for PSN %u, %u packets: no such answer is known", r.psn, r.npkts);
	p->again += r.again;
	if (!r.again) {
		p->record[p->nrecords++ % p->course->depth] = r;
		p->epsn += r.npkts;
	}
	assert_true(p->nwaiting < WAITING);
	p->waiting[(p->first + p->nwaiting++) % WAITING] = r;
	return false;
}

/* Sends the next response to the oldest waiting READ request. The response is lost at random
 * (loss_ppm), or if the requester's RX ring is full. */
static void answer(struct peer *p)
{
	struct request *r = &p->waiting[p->first];
	uint32_t off = p->answered * MTU;
	bool begins = p->answered == 0 && !r->again, ends = p->answered + 1 == r->npkts;
	struct response a = {.psn = r->psn + p->answered,
			     .length = RN_MIN(r->length - off, MTU),
			     .data = (const uint8_t *)(uintptr_t)(r->va + off)};
	if (p->nwaiting == 0)
		return;
	a.opcode = begins ? (ends ? RN_OP_READ_RESP_ONLY : RN_OP_READ_RESP_FIRST)
			  : (ends ? RN_OP_READ_RESP_LAST : RN_OP_READ_RESP_MIDDLE);
	p->sent++;
	if (rn_rng_below(&p->sim.rng, 1000000) < p->course->loss_ppm)
		p->lost++;
	else if (p->nring < p->course->ring)
		p->ring[p->nring++] = a;
	else
		p->overrun++;
	p->answered++;
	if (!ends)
		return;
	p->answered = 0;
	p->first = (p->first + 1) % WAITING;
	p->nwaiting--;
}

/* Lets the requester poll. It takes the responses from its RX ring in bursts. After each burst it
 * sends frames and checks its timers. */
static void take(struct peer *p, rn_time now)
{
	p->sim.now = now;
	for (unsigned i = 0; i < p->nring; i++) {
		const struct response *a = &p->ring[i];
		struct rn_pkt pkt = craft_packet(&p->sim, 0, 0, a->opcode, (int32_t)a->psn);
		pkt.payload = a->data;
		pkt.payload_len = a->length;
		craft_inject(&p->sim, 0, &pkt);
		if (i % BURST == BURST - 1)
			sim_run(&p->sim, now);
	}
	p->nring = 0;
	sim_run(&p->sim, now);
}

static uint64_t some(struct peer *p, unsigned us)
{
	return us ? RN_US(rn_rng_below(&p->sim.rng, us)) : 0;
}

/* A host is active from the time `back` to the time `leave`. Before `back` it pauses. */
struct shift {
	rn_time back, leave;
};

static bool is_there(struct peer *p, struct shift *s, unsigned away_us, unsigned there_us,
		     rn_time now)
{
	if (now >= s->leave) {
		s->back = now + some(p, away_us);
		s->leave = s->back + 1 + some(p, there_us);
	}
	return now >= s->back;
}

/* Runs until all READs have completed or the time limit is reached. Returns the number of READs
 * that succeeded. */
static unsigned run(struct peer *p)
{
	const struct course *course = p->course;
	rn_time now = p->sim.now, end = now + LIMIT;
	struct shift ours = {now, now}, theirs = {now, now};
	unsigned done = 0, good = 0;
	struct rn_cqe c;
	for (; done < READS && now < end; now += course->pace) {
		if (is_there(p, &theirs, course->pause_us, course->work_us, now))
			answer(p);
		if (!is_there(p, &ours, course->away_us, course->awake_us, now))
			continue;
		take(p, now);
		while (sim_poll(&p->sim, 0, &c)) {
			good += c.status == RN_STATUS_SUCCESS;
			done++;
		}
	}
	return good;
}

static struct peer peer;

static unsigned course(const struct course *c)
{
	struct peer *p = &peer;
	struct sim_spec spec;
	unsigned good;
	rn_time start;
	memset(p, 0, sizeof(*p));
	p->course = c;
	sim_spec_default(&spec);
	spec.window = 1024;
	spec.rd_atomic = (uint8_t)c->depth;
	sim_init(&p->sim, &spec);
	sim_connect(&p->sim, 0);
	p->sim.filter = on_request;
	p->sim.filter_arg = p;
	for (uint32_t i = 0; i < LENGTH; i++)
		p->sim.node[1].arena[i] = (uint8_t)((i * 2654435761u) >> 13 | 1);
	for (unsigned i = 0; i < READS; i++)
		sim_post(&p->sim, 0, 0,
			 &(struct sim_op){
				 .kind = RN_WQE_READ, .flags = RN_WQE_SIGNALED, .length = LENGTH});
	start = p->sim.now;
	good = run(p);
	const struct rn_stats *s = rn_shard_stats(p->sim.node[0].shard);
	print_message(
		"%-44s %u of %u  %6.2f s  requests %llu, again %llu  responses %llu of %u, overrun %llu, lost %llu  "
		"early %llu  timeouts %llu\n",
		c->name, good, READS, (double)(p->sim.now - start) / 1e9,
		(unsigned long long)p->requests, (unsigned long long)p->again,
		(unsigned long long)p->sent, PACKETS, (unsigned long long)p->overrun,
		(unsigned long long)p->lost, (unsigned long long)s->timeouts_early,
		(unsigned long long)s->timeouts);
	return good;
}

static void test_course(void **state)
{
	const struct course *c = *state;
	assert_int_equal(course(c), READS);
	assert_memory_equal(peer.sim.node[0].arena, peer.sim.node[1].arena, LENGTH);
	assert_true(peer.sent <= (uint64_t)PACKETS * c->cost / 100);
	assert_int_equal(sim_fini(&peer.sim), 0);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[RN_ARRAY_SIZE(courses)];
	for (unsigned i = 0; i < RN_ARRAY_SIZE(courses); i++) {
		tests[i] = (struct CMUnitTest){courses[i].name, test_course, NULL, NULL,
					       (void *)&courses[i]};
		if (argc > 1) {
			course(&courses[i]);
			sim_fini(&peer.sim);
		}
	}
	return argc > 1 ? 0 : cmocka_run_group_tests_name("big read", tests, NULL, NULL);
}
