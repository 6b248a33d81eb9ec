/* Which packets does a card's driver lead to which receive queue, by exact rules? Owns the table of
 * the rules, and the wishes of the shards. flow_rule.h says which thread calls which function. */
#include "port/flow_rule.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_flow.h>

#include "wire/frame.h"
#include "port/log.h"
#include "port/port.h"

/* Wishes of one shard that may wait for the watcher, a power of two. A wish that finds no room is
 * dropped; the queue pair wishes again after RN_FLOW_RULE_AFTER more packets. */
#define WISHES 16u
/* How often rn_flow_rule_watch() calls the driver at most, so that a slow driver does not keep the
 * watcher from its other work, nor a control thread that must wait for the watcher. */
#define CALLS_PER_LOOK 4u
/* After a refusal, the time for which no rule for packets of the same address family is tried. */
#define PAUSE RN_S(10)

/* The packets of a rule, and the queue to which it leads them. */
struct flow {
	struct rn_gid src, dst;
	uint16_t sport;
	uint16_t queue;
	uint32_t qpn;
};

/* A queue with one producer, the shard, and one consumer, the thread that holds `lock`. */
struct wishes {
	_Alignas(64) _Atomic uint32_t head; /* number of wishes ever put in */
	_Atomic uint32_t tail;		    /* number of wishes ever taken out */
	struct flow flow[WISHES];
};

enum rule_state { FREE, WISHED, MADE };

struct rule {
	enum rule_state state;
	bool ends; /* the queue pair no longer needs it */
	struct flow flow;
	struct rte_flow *handle; /* in state MADE */
};

struct rn_flow_rules {
	struct wishes of_shard[RN_MAX_SHARDS];
	const struct rn_port *port;
	unsigned nqueues;     /* receive queues of the port; shard i polls queue i */
	bool ipv4, ipv6;      /* the driver takes rules for these packets */
	pthread_mutex_t lock; /* guards the members below and the tails of the wishes */
	struct rule rule[RN_FLOW_RULES_MAX];
	/* Where the watcher goes on, so that each rule gets its turn however many come and go. */
	unsigned next;
	/* For IPv6 [0] and IPv4 [1]: the driver has refused a rule. There are no wishes until
	 * `retry`, or until a rule has been taken back. */
	struct {
		bool on;
		rn_time retry;
	} refused[2];
	struct rn_flow_rule_stats stats;
};

/* ---- calls to the driver ---- */

/* A rule in DPDK's terms. */
struct spec {
	struct rte_flow_item_ipv4 ipv4;
	struct rte_flow_item_ipv6 ipv6;
	struct rte_flow_item_udp udp;
	struct rte_flow_action_queue queue;
	struct rte_flow_item pattern[4];
	struct rte_flow_action actions[2];
};

static const struct rte_flow_attr ingress = {.ingress = 1};

/* DPDK's default masks compare both addresses and both UDP ports, and nothing else. A driver may
 * refuse rules that compare more, such as the protocol number. */
static void describe(const struct flow *flow, struct spec *s)
{
	memset(s, 0, sizeof(*s));
	s->udp.hdr.src_port = rte_cpu_to_be_16(flow->sport);
	s->udp.hdr.dst_port = rte_cpu_to_be_16(RN_ROCE_PORT);
	s->queue.index = flow->queue;
	s->pattern[0].type = RTE_FLOW_ITEM_TYPE_ETH;
	if (rn_gid_is_ipv4(&flow->src)) {
		memcpy(&s->ipv4.hdr.src_addr, flow->src.b + 12, 4);
		memcpy(&s->ipv4.hdr.dst_addr, flow->dst.b + 12, 4);
		s->pattern[1] = (struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_IPV4,
						       .spec = &s->ipv4,
						       .mask = &rte_flow_item_ipv4_mask};
	} else {
		memcpy(s->ipv6.hdr.src_addr, flow->src.b, 16);
		memcpy(s->ipv6.hdr.dst_addr, flow->dst.b, 16);
		s->pattern[1] = (struct rte_flow_item){.type = RTE_FLOW_ITEM_TYPE_IPV6,
						       .spec = &s->ipv6,
						       .mask = &rte_flow_item_ipv6_mask};
	}
	s->pattern[2] = (struct rte_flow_item){
		.type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &s->udp, .mask = &rte_flow_item_udp_mask};
	s->pattern[3].type = RTE_FLOW_ITEM_TYPE_END;
	s->actions[0] =
		(struct rte_flow_action){.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &s->queue};
	s->actions[1].type = RTE_FLOW_ACTION_TYPE_END;
}

/* Would the driver take such a rule? */
static bool is_valid(const struct rn_port *port, const struct flow *flow)
{
	struct rte_flow_error error = {0};
	struct spec s;

	describe(flow, &s);
	return rte_flow_validate(port->id, &ingress, s.pattern, s.actions, &error) == 0;
}

/* Returns the driver's handle of the new rule, or NULL if the driver refuses it. */
static struct rte_flow *make(const struct rn_port *port, const struct flow *flow)
{
	struct rte_flow_error error = {0};
	struct spec s;

	describe(flow, &s);
	struct rte_flow *handle = rte_flow_create(port->id, &ingress, s.pattern, s.actions, &error);
	if (handle == NULL)
		rn_log(FLOW_RULE_REFUSED, port->name,
		       error.message != NULL ? error.message : "no reason given");
	return handle;
}

static bool take_back(const struct rn_port *port, struct rte_flow *handle)
{
	struct rte_flow_error error = {0};

	return rte_flow_destroy(port->id, handle, &error) == 0;
}

/* ---- creation ---- */

/* Whether the driver takes rules for IPv4 or IPv6 is asked with addresses for documentation. */
static bool takes(const struct rn_port *port, bool ipv4)
{
	struct flow flow = {.sport = 0xc000, .queue = (uint16_t)(port->nrxq - 1)};

	if (ipv4) {
		flow.src = flow.dst = (struct rn_gid){
			.b = {[10] = 0xff, [11] = 0xff, [12] = 192, [13] = 0, [14] = 2}};
	} else {
		flow.src = flow.dst = (struct rn_gid){.b = {0x20, 0x01, 0x0d, 0xb8}};
	}
	flow.src.b[15] = 1;
	flow.dst.b[15] = 2;
	return is_valid(port, &flow);
}

struct rn_flow_rules *rn_flow_rule_create(const struct rn_port *port)
{
	/* Whether a rule without a VLAN item matches tagged frames depends on the card. */
	if (port->nrxq < 2 || port->vlan_id != 0)
		return NULL;
	bool ipv4 = takes(port, true), ipv6 = takes(port, false);
	if (!ipv4 && !ipv6)
		return NULL;
	struct rn_flow_rules *r = aligned_alloc(64, RN_ALIGN_UP(sizeof(*r), (size_t)64));
	if (r == NULL)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->port = port;
	r->nqueues = RN_MIN(port->nrxq, RN_MAX_SHARDS);
	r->ipv4 = ipv4;
	r->ipv6 = ipv6;
	pthread_mutex_init(&r->lock, NULL);
	rn_log(FLOW_RULES, port->name, ipv4 && ipv6 ? "IPv4 and IPv6" : ipv4 ? "IPv4" : "IPv6");
	return r;
}

void rn_flow_rule_destroy(struct rn_flow_rules *r)
{
	if (r == NULL)
		return;
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- wishes ---- */

void rn_flow_rule_wish(struct rn_flow_rules *r, unsigned shard, const struct rn_pkt *pkt)
{
	/* A shard beyond the last receive queue gets all its packets from other shards. */
	if (r == NULL || shard >= r->nqueues || !(pkt->ipv4 ? r->ipv4 : r->ipv6))
		return;
	struct wishes *w = &r->of_shard[shard];
	uint32_t head = atomic_load_explicit(&w->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&w->tail, memory_order_acquire) == WISHES)
		return;
	w->flow[head % WISHES] = (struct flow){
		.src = pkt->src,
		.dst = pkt->dst,
		.sport = pkt->udp_sport,
		.queue = (uint16_t)shard,
		.qpn = pkt->dest_qpn,
	};
	atomic_store_explicit(&w->head, head + 1, memory_order_release);
}

static bool is_same(const struct flow *a, const struct flow *b)
{
	return a->sport == b->sport && rn_gid_equal(&a->src, &b->src) &&
	       rn_gid_equal(&a->dst, &b->dst);
}

/* Has the driver refused a rule for packets of this address family? */
static bool is_refused(const struct rn_flow_rules *r, const struct flow *flow)
{
	return r->refused[rn_gid_is_ipv4(&flow->src)].on;
}

/* Enters a wish in the table. Drops it if the queue pair has a rule already, if a rule for the same
 * packets exists, which may be that of another queue pair of the same peer, or if there is no
 * room. */
static void admit(struct rn_flow_rules *r, const struct flow *flow)
{
	struct rule *room = NULL;

	if (is_refused(r, flow))
		return;
	for (unsigned i = 0; i < RN_FLOW_RULES_MAX; i++) {
		struct rule *rule = &r->rule[i];
		if (rule->state == FREE)
			room = room == NULL ? rule : room;
		else if (is_same(&rule->flow, flow) || (rule->flow.qpn == flow->qpn && !rule->ends))
			return;
	}
	if (room != NULL)
		*room = (struct rule){.state = WISHED, .flow = *flow};
}

/* Moves the wishes of all shards to the table, or drops them. The caller holds the lock. */
static void take_wishes(struct rn_flow_rules *r, bool drop)
{
	for (unsigned i = 0; i < r->nqueues; i++) {
		struct wishes *w = &r->of_shard[i];
		uint32_t head = atomic_load_explicit(&w->head, memory_order_acquire),
			 tail = atomic_load_explicit(&w->tail, memory_order_relaxed);
		for (; tail != head; tail++)
			if (!drop)
				admit(r, &w->flow[tail % WISHES]);
		atomic_store_explicit(&w->tail, tail, memory_order_release);
	}
}

void rn_flow_rule_end(struct rn_flow_rules *r, uint32_t qpn)
{
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	/* First the wishes, since one of them may be that of the queue pair. */
	take_wishes(r, false);
	for (unsigned i = 0; i < RN_FLOW_RULES_MAX; i++)
		if (r->rule[i].flow.qpn == qpn)
			r->rule[i].ends = true;
	pthread_mutex_unlock(&r->lock);
}

/* ---- the watcher ---- */

/* Makes a rule, or takes it back, if it is time for that. Releases the lock during the call of the
 * driver; the state of a rule changes in this thread only. Returns the number of calls. */
static unsigned serve(struct rn_flow_rules *r, struct rule *rule, rn_time now)
{
	const struct flow flow = rule->flow;

	if (rule->state == WISHED && (rule->ends || is_refused(r, &flow))) {
		rule->state = FREE;
	} else if (rule->state == WISHED) {
		pthread_mutex_unlock(&r->lock);
		struct rte_flow *handle = make(r->port, &flow);
		pthread_mutex_lock(&r->lock);
		rule->handle = handle;
		rule->state = handle != NULL ? MADE : FREE;
		if (handle == NULL) {
			r->refused[rn_gid_is_ipv4(&flow.src)].on = true;
			r->refused[rn_gid_is_ipv4(&flow.src)].retry = now + PAUSE;
		}
		r->stats.flow_rules += handle != NULL;
		r->stats.flow_rules_refused += handle == NULL;
		return 1;
	} else if (rule->state == MADE && rule->ends) {
		pthread_mutex_unlock(&r->lock);
		/* If the driver fails, the rule is lost: a second attempt would use a handle that
		 * may no longer exist. */
		bool gone = take_back(r->port, rule->handle);
		pthread_mutex_lock(&r->lock);
		rule->state = FREE;
		memset(r->refused, 0, sizeof(r->refused));
		r->stats.flow_rules_ended += gone;
		return 1;
	}
	return 0;
}

/* May the driver be called? A device that is removed or is to be reset may not answer, and each
 * call may then wait for seconds. A driver can announce that while the watcher calls it. */
static bool may_call(const struct rn_flow_rules *r)
{
	return atomic_load(&r->port->quiet) == 0;
}

void rn_flow_rule_watch(struct rn_flow_rules *r, rn_time now)
{
	unsigned calls = 0;

	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < RN_ARRAY_SIZE(r->refused); i++)
		if (now >= r->refused[i].retry)
			r->refused[i].on = false;
	take_wishes(r, false);
	for (unsigned i = 0; i < RN_FLOW_RULES_MAX && calls < CALLS_PER_LOOK && may_call(r); i++) {
		calls += serve(r, &r->rule[r->next], now);
		r->next = (r->next + 1) % RN_FLOW_RULES_MAX;
	}
	pthread_mutex_unlock(&r->lock);
}

/* Takes back `left` rules at once, of which one could not be taken back alone. No rule may be
 * left when a device is stopped: drivers do not forget them by that. Returns how many were taken
 * back. */
static unsigned take_back_all(const struct rn_port *port, unsigned left)
{
	struct rte_flow_error error = {0};

	return rte_flow_flush(port->id, &error) == 0 ? left : 0;
}

void rn_flow_rule_flush(struct rn_flow_rules *r)
{
	unsigned left = 0;

	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	take_wishes(r, true);
	for (unsigned i = 0; i < RN_FLOW_RULES_MAX; i++) {
		struct rule *rule = &r->rule[i];
		/* A card that needs a reset may not answer, and each call may then wait for
		 * seconds. So after the first failure there is one call for the rest. */
		if (rule->state == MADE && left == 0 && take_back(r->port, rule->handle))
			r->stats.flow_rules_ended++;
		else if (rule->state == MADE)
			left++;
		rule->state = FREE;
	}
	if (left > 0)
		r->stats.flow_rules_ended += take_back_all(r->port, left);
	memset(r->refused, 0, sizeof(r->refused));
	pthread_mutex_unlock(&r->lock);
}

void rn_flow_rule_stats(struct rn_flow_rules *r, struct rn_flow_rule_stats *out)
{
	memset(out, 0, sizeof(*out));
	if (r == NULL)
		return;
	pthread_mutex_lock(&r->lock);
	*out = r->stats;
	pthread_mutex_unlock(&r->lock);
}
