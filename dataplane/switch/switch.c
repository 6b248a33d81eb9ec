/* Decides where a frame goes. A frame from a client is first checked (departure()); what stays
 * within the port is then delivered like a frame from the wire (deliver()). */
#include "switch/switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "net/group.h"
#include "net/neigh.h"
#include "switch/mad_names.h"
#include "switch/mad_queue.h"
#include "switch/member.h"
#include "switch/obituary.h"
#include "switch/peek.h"
#include "switch/service.h"
#include "wire/arp_msg.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/nd_msg.h"
#include "wire/opcode.h"

#define NUMBERS (RN_CLIENT_MAX + 1)

struct seat {
	bool taken;
	/* Peers may know the client: it got frames, claimed connections, or has come back. */
	bool reached;
	rn_time free_from;    /* not taken: when the number may be used again */
	rn_time claims_until; /* taken: until then the client may say what it had before */
	uint64_t count[RN_OUTCOMES];
};

struct rn_switch {
	struct rn_switch_cfg cfg;
	struct seat seat[NUMBERS]; /* [RN_SWITCH_WIRE] has the counters of the wire */
	struct rn_client_set attached;
	struct rn_client_set others; /* rn_switch_way.clients of a frame that not all members get */
	struct rn_services services;
	struct rn_members members;
	struct rn_track_table track;
	struct rn_neigh *neigh;
	/* answers to the wire, and answers to clients: a flood of one side does not displace the
	 * answers to the other */
	struct rn_mad_queue owed[2];
	unsigned turn; /* which of take_mad()'s three sources gave the last message */
	struct rn_stream tids;
	uint32_t psn;
	uint8_t mad[RN_MAD_BYTES];
	rn_time grace_end; /* until then clients may come back after a restart */
};

/* ---- creation ---- */

void rn_switch_defaults(struct rn_switch_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	rn_core_defaults(&cfg->core);
	cfg->strict = true;
	cfg->services = 2048;
	cfg->service_share = 256;
	cfg->groups = 1024;
	cfg->group_share = 32;
	cfg->connections = 65536;
	cfg->connection_share = 16384;
	/* Not shorter than the longest timewait of a connection in the core, 17.2 s. */
	cfg->timewait = RN_S(18);
}

struct rn_switch *rn_switch_create(const struct rn_switch_cfg *cfg, rn_time now)
{
	struct rn_switch *sw = calloc(1, sizeof(*sw));

	if (!sw)
		return NULL;
	sw->cfg = *cfg;
	sw->grace_end = cfg->grace ? now + cfg->grace : 0;
	/* These may be the numbers of clients that come back, or of some that have just died. */
	for (unsigned c = rn_client_set_next(&cfg->former, 1); c < NUMBERS;
	     c = rn_client_set_next(&cfg->former, c + 1))
		sw->seat[c].free_from = RN_MAX(sw->grace_end, now) + cfg->timewait;
	rn_stream_init(&sw->tids, &cfg->core.secrets.of[RN_SECRET_TIDS], 0);
	sw->neigh = rn_neigh_create(&cfg->core, &sw->cfg.port, now);
	if (!sw->neigh || rn_services_create(&sw->services, cfg->services, cfg->service_share) ||
	    rn_members_create(&sw->members, cfg->groups, cfg->group_share) ||
	    rn_track_table_create(&sw->track, cfg->connections, cfg->connection_share,
				  &cfg->core.secrets.of[RN_SECRET_CM_TABLES], now)) {
		rn_switch_destroy(sw);
		return NULL;
	}
	return sw;
}

void rn_switch_destroy(struct rn_switch *sw)
{
	if (!sw)
		return;
	if (sw->track.of)
		rn_track_table_destroy(&sw->track);
	rn_members_destroy(&sw->members);
	rn_services_destroy(&sw->services);
	if (sw->neigh)
		rn_neigh_destroy(sw->neigh);
	free(sw);
}

/* ---- clients ---- */

bool rn_switch_attached(const struct rn_switch *sw, unsigned client)
{
	return client >= 1 && client < NUMBERS && sw->seat[client].taken;
}

/* Returns the free number whose timewait has ended longest ago, or 0. */
static unsigned oldest_number(const struct rn_switch *sw, rn_time now)
{
	unsigned best = 0;

	for (unsigned c = 1; c < NUMBERS; c++)
		if (!sw->seat[c].taken && sw->seat[c].free_from <= now &&
		    (best == 0 || sw->seat[c].free_from < sw->seat[best].free_from))
			best = c;
	return best;
}

static int take_seat(struct rn_switch *sw, unsigned number)
{
	sw->seat[number] = (struct seat){.taken = true};
	rn_client_set_add(&sw->attached, number);
	return (int)number;
}

int rn_switch_attach(struct rn_switch *sw, rn_time now)
{
	unsigned number = oldest_number(sw, now);

	if (number == 0)
		return -EAGAIN;
	sw->cfg.epoch[number]++;
	return take_seat(sw, number);
}

uint64_t rn_switch_token(const struct rn_switch *sw, unsigned number)
{
	const uint64_t key[2] = {number, rn_switch_epoch(sw, number)};

	return rn_secret_hash(&sw->cfg.tokens, key, sizeof(key));
}

uint32_t rn_switch_epoch(const struct rn_switch *sw, unsigned number)
{
	return number < NUMBERS ? sw->cfg.epoch[number] : 0;
}

int rn_switch_reattach(struct rn_switch *sw, unsigned number, uint64_t token, rn_time now)
{
	if (number < 1 || number >= NUMBERS || token != rn_switch_token(sw, number))
		return -EPERM;
	if (sw->seat[number].taken || now >= sw->grace_end ||
	    !rn_client_set_has(&sw->cfg.former, number))
		return -EBUSY;
	take_seat(sw, number);
	sw->seat[number].claims_until = now + sw->cfg.grace;
	sw->seat[number].reached = true;
	return (int)number;
}

/* May a frame come for the client's number? Not if no other host and no other client has ever heard
 * of it. */
static bool is_known(const struct seat *seat)
{
	uint64_t forwarded = 0;

	for (unsigned o = 0; o < RN_OUTCOMES; o++)
		forwarded += rn_outcomes[o].kind == RN_OUTCOME_FORWARD ? seat->count[o] : 0;
	return seat->reached || forwarded > 0;
}

rn_time rn_switch_detach(struct rn_switch *sw, unsigned client, rn_time now)
{
	struct seat *seat = &sw->seat[client < NUMBERS ? client : 0];

	if (!rn_switch_attached(sw, client))
		return now;
	rn_services_remove_client(&sw->services, client);
	rn_members_remove_client(&sw->members, client);
	rn_conntrack_bury(&sw->track, client);
	rn_client_set_remove(&sw->attached, client);
	seat->taken = false;
	seat->free_from = is_known(seat) ? now + sw->cfg.timewait : now;
	return seat->free_from;
}

static bool is_own(const struct rn_switch *sw, const struct rn_gid *addr)
{
	return rn_port_own(&sw->cfg.port, addr) >= 0;
}

int rn_switch_listen(struct rn_switch *sw, unsigned client, uint64_t service_id,
		     const struct rn_gid *addr)
{
	if (!rn_switch_attached(sw, client))
		return -ENOENT;
	if (!rn_service_is_wildcard(addr) && !is_own(sw, addr))
		return -EADDRNOTAVAIL;
	return rn_services_add(&sw->services, client, service_id, addr);
}

int rn_switch_unlisten(struct rn_switch *sw, unsigned client, uint64_t service_id,
		       const struct rn_gid *addr)
{
	return rn_services_remove(&sw->services, client, service_id, addr);
}

int rn_switch_join(struct rn_switch *sw, unsigned client, const struct rn_gid *group)
{
	return rn_switch_attached(sw, client) ? rn_members_join(&sw->members, client, group)
					      : -ENOENT;
}

int rn_switch_leave(struct rn_switch *sw, unsigned client, const struct rn_gid *group)
{
	return rn_members_leave(&sw->members, client, group);
}

int rn_switch_claim(struct rn_switch *sw, unsigned client, const struct rn_track_claim *claim,
		    rn_time now)
{
	bool asked = claim->state == RN_TRACK_REQ_RCVD || claim->state == RN_TRACK_SIDR_RCVD;

	if (!rn_switch_attached(sw, client))
		return -ENOENT;
	if ((claim->local_id && rn_client_of_id(claim->local_id) != client) ||
	    (claim->local_qpn && rn_client_of_qpn(claim->local_qpn) != client))
		return -EPERM;
	if (!is_own(sw, &claim->way.src))
		return -EADDRNOTAVAIL;
	/* Messages of the CM that the switch has not seen can only have passed before the restart.
	 * Pairs are connected without messages at any time. */
	if (claim->state != RN_TRACK_PAIR && claim->state != RN_TRACK_FREE &&
	    now >= sw->seat[client].claims_until)
		return -EPERM;
	if (asked && rn_services_find(&sw->services, claim->service_id, &claim->way.src) != client)
		return -EPERM;
	int rc = rn_conntrack_claim(&sw->track, client, claim);

	if (rc == 0)
		sw->seat[client].reached = true;
	return rc;
}

int rn_switch_unclaim(struct rn_switch *sw, unsigned client, uint32_t remote_qpn,
		      const struct rn_gid *peer)
{
	return rn_conntrack_unclaim(&sw->track, client, remote_qpn, peer);
}

/* ---- CM messages ---- */

/* Returns the client to which a CM message goes, or 0. */
static unsigned receiver_of(const struct rn_switch *sw, const struct rn_mad_names *n,
			    const struct rn_cm_msg *msg, const struct rn_pkt *pkt)
{
	unsigned client;

	/* A repeated request goes to the client that has received it before. */
	if (n->by_service)
		client = rn_conntrack_asked(&sw->track, n->sender, &pkt->src,
					    msg->attr == RN_CM_SIDR_REQ);
	else if (n->receiver == 0 && msg->attr == RN_CM_REJ)
		client = rn_conntrack_asked(&sw->track, n->sender, &pkt->src, false);
	else
		client = rn_client_of_id(n->receiver);
	if (n->by_service && client == 0)
		client = rn_services_find(&sw->services, n->service_id, &pkt->dst);
	return rn_switch_attached(sw, client) ? client : 0;
}

/* Queues the answer to a CM message that no client gets, if the protocol demands one. */
static void answer(struct rn_switch *sw, const struct rn_pkt *pkt, const struct rn_cm_msg *msg,
		   bool full)
{
	struct rn_cm_msg m;

	if (rn_mad_answer(msg, full, &m))
		rn_mad_queue_answer(&sw->owed[is_own(sw, &pkt->src)], pkt, &m);
}

/* Delivers a CM message to a client. A message for which there is no client is answered, but not
 * as long as clients may come back after a restart: their peers must not be refused. */
static enum rn_outcome deliver_mad(struct rn_switch *sw, const struct rn_pkt *pkt,
				   const struct rn_cm_msg *msg, struct rn_switch_way *way,
				   rn_time now)
{
	const struct rn_mad_names n = rn_mad_names(msg, pkt->payload);
	unsigned client = receiver_of(sw, &n, msg, pkt);

	if (client == 0 && now < sw->grace_end)
		return RN_OUT_TOO_EARLY;
	if (client == 0) {
		/* The answer to an obituary. */
		if (n.receiver)
			rn_conntrack_received(&sw->track, rn_client_of_id(n.receiver), msg, pkt);
		answer(sw, pkt, msg, false);
		return n.by_service ? RN_OUT_NO_SERVICE : RN_OUT_NO_CONNECTION;
	}
	if (rn_conntrack_received(&sw->track, client, msg, pkt) == RN_OUT_TRACK_FULL) {
		answer(sw, pkt, msg, true);
		return RN_OUT_TRACK_FULL;
	}
	way->client = (uint8_t)client;
	return n.by_service ? RN_OUT_TO_SERVICE : RN_OUT_TO_ID;
}

/* Parses a frame to QP1. Returns false if it is no CM message, or one that clients would refuse. */
static bool parse_mad(const uint8_t *frame, size_t len, struct rn_pkt *pkt, struct rn_cm_msg *msg)
{
	return rn_frame_parse(frame, len, pkt) == RN_V_OK && pkt->kind == RN_PKT_IB &&
	       pkt->op->known && pkt->op->transport == RN_T_UD && !pkt->op->has_imm &&
	       pkt->qkey == RN_GSI_QKEY && rn_cm_msg_parse(pkt->payload, pkt->payload_len, msg);
}

/* ---- frames to an address of the port ---- */

/* Delivers data to its client, by the destination QPN or to the members of a group. */
static enum rn_outcome deliver_data(struct rn_switch *sw, unsigned from, const struct rn_peek *p,
				    struct rn_switch_way *way)
{
	unsigned client = rn_client_of_qpn(p->dest_qpn);
	const struct rn_client_set *members;

	if (p->dest_qpn != RN_MCAST_QPN) {
		if (!is_own(sw, &p->dst))
			return RN_OUT_NOT_OURS;
		if (!rn_switch_attached(sw, client))
			return RN_OUT_NO_QP;
		way->client = (uint8_t)client;
		return RN_OUT_TO_QP;
	}
	if (!rn_gid_is_group(&p->dst))
		return RN_OUT_NOT_OURS;
	/* The members within the sending client get their copies there. */
	members = rn_members_find(&sw->members, &p->dst);
	if (members) {
		sw->others = *members;
		rn_client_set_remove(&sw->others, from);
		way->clients = rn_client_set_empty(&sw->others) ? NULL : &sw->others;
	}
	way->wire = from != RN_SWITCH_WIRE;
	return way->wire || way->clients ? RN_OUT_TO_GROUP : RN_OUT_NO_MEMBER;
}

/* ---- frames from the wire ---- */

/* Does every client have to see this message? A reply or advertisement, or an announcement: a
 * request of another host about its own address. */
static bool teaches(const struct rn_switch *sw, const struct rn_pkt *pkt)
{
	struct rn_arp arp;
	struct rn_nd nd;

	if (pkt->kind == RN_PKT_ARP)
		return rn_arp_parse(pkt->payload, pkt->payload_len, &arp) &&
		       (arp.op == RN_ARP_REPLY || rn_gid_equal(&arp.sender, &arp.target)) &&
		       !is_own(sw, &arp.sender);
	return pkt->kind == RN_PKT_ND &&
	       rn_nd_parse(&pkt->src, &pkt->dst, pkt->payload, pkt->payload_len, &nd) &&
	       nd.type == RN_ND_ADVERT && !is_own(sw, &nd.target);
}

static enum rn_outcome from_neighbour(struct rn_switch *sw, const uint8_t *frame, size_t len,
				      struct rn_switch_way *way, rn_time now)
{
	struct rn_pkt pkt;

	if (rn_frame_parse(frame, len, &pkt) != RN_V_OK || pkt.kind == RN_PKT_IB)
		return RN_OUT_MALFORMED;
	if (teaches(sw, &pkt)) {
		way->clients = &sw->attached;
		return RN_OUT_TO_ALL;
	}
	return rn_neigh_rx(sw->neigh, &pkt, now) == RN_V_OK ? RN_OUT_NEIGHBOUR : RN_OUT_MALFORMED;
}

static enum rn_outcome arrival(struct rn_switch *sw, const struct rn_peek *p, const uint8_t *frame,
			       size_t len, struct rn_switch_way *way, rn_time now)
{
	struct rn_cm_msg msg;
	struct rn_pkt pkt;

	/* Frames between addresses of the port never come from the wire. */
	if ((p->kind == RN_PEEK_DATA || p->kind == RN_PEEK_MAD) && is_own(sw, &p->src))
		return RN_OUT_NOT_OURS;
	switch (p->kind) {
	case RN_PEEK_DATA:
		return deliver_data(sw, RN_SWITCH_WIRE, p, way);
	case RN_PEEK_MAD:
		if (!is_own(sw, &p->dst))
			return RN_OUT_NOT_OURS;
		return parse_mad(frame, len, &pkt, &msg) ? deliver_mad(sw, &pkt, &msg, way, now)
							 : RN_OUT_MALFORMED;
	case RN_PEEK_OTHER:
		return from_neighbour(sw, frame, len, way, now);
	default:
		return RN_OUT_MALFORMED;
	}
}

/* ---- frames from clients ---- */

/* A client may ask for the MAC of a neighbour. Everything else that concerns the addresses of the
 * port is the switch's task. */
static enum rn_outcome check_neighbour(const struct rn_switch *sw, const uint8_t *frame, size_t len)
{
	struct rn_pkt pkt;
	struct rn_arp arp;
	struct rn_nd nd;

	if (rn_frame_parse(frame, len, &pkt) != RN_V_OK)
		return RN_OUT_MALFORMED;
	if (pkt.kind == RN_PKT_ARP) {
		if (!rn_arp_parse(pkt.payload, pkt.payload_len, &arp))
			return RN_OUT_MALFORMED;
		if (arp.op != RN_ARP_REQUEST || rn_gid_equal(&arp.sender, &arp.target))
			return RN_OUT_CLIENT_KIND;
		if (memcmp(arp.sender_mac, sw->cfg.port.mac, 6) != 0)
			return RN_OUT_CLIENT_MAC;
		return is_own(sw, &arp.sender) ? RN_OUT_TO_WIRE : RN_OUT_CLIENT_ADDRESS;
	}
	if (pkt.kind != RN_PKT_ND)
		return RN_OUT_CLIENT_KIND;
	if (!rn_nd_parse(&pkt.src, &pkt.dst, pkt.payload, pkt.payload_len, &nd))
		return RN_OUT_MALFORMED;
	if (nd.type != RN_ND_SOLICIT)
		return RN_OUT_CLIENT_KIND;
	if (nd.has_mac && memcmp(nd.mac, sw->cfg.port.mac, 6) != 0)
		return RN_OUT_CLIENT_MAC;
	return is_own(sw, &pkt.src) ? RN_OUT_TO_WIRE : RN_OUT_CLIENT_ADDRESS;
}

/* Checks the client's numbers in a CM message, and records it. */
static enum rn_outcome check_mad(struct rn_switch *sw, unsigned client, const struct rn_pkt *pkt,
				 const struct rn_cm_msg *msg)
{
	const struct rn_mad_names n = rn_mad_names(msg, pkt->payload);

	if (n.sender ? rn_client_of_id(n.sender) != client : !n.may_lack_sender)
		return RN_OUT_CLIENT_ID;
	if (n.qpn && rn_client_of_qpn(n.qpn) != client)
		return RN_OUT_CLIENT_QPN;
	if (!rn_mad_is_honest(msg, &pkt->src, sw->cfg.port.guid))
		return RN_OUT_CLIENT_BODY;
	return rn_conntrack_sent(&sw->track, client, msg, pkt);
}

static enum rn_outcome check_data(const struct rn_switch *sw, unsigned client,
				  const struct rn_peek *p)
{
	const struct rn_opcode_row *op = rn_opcode_row(p->opcode);
	bool datagram = op->known && op->transport == RN_T_UD;

	if (op->transport == RN_T_UD && rn_client_of_qpn(p->src_qpn) != client)
		return RN_OUT_CLIENT_QPN;
	/* A datagram names its sender. Any other packet speaks for the connection to which it
	 * belongs, whoever sends it. */
	if (sw->cfg.strict && !datagram &&
	    !rn_conntrack_allows(&sw->track, client, p->dest_qpn, &p->dst))
		return RN_OUT_CLIENT_PAIR;
	return RN_OUT_TO_WIRE;
}

/* Decides about a frame of a client whose MAC and VLAN are right. */
static enum rn_outcome departure(struct rn_switch *sw, unsigned client, const struct rn_peek *p,
				 const uint8_t *frame, size_t len, struct rn_switch_way *way,
				 rn_time now)
{
	bool inside = memcmp(p->dmac, sw->cfg.port.mac, 6) == 0;
	struct rn_cm_msg msg;
	struct rn_pkt pkt;
	enum rn_outcome o;

	if (p->kind == RN_PEEK_BAD)
		return RN_OUT_MALFORMED;
	if (p->kind == RN_PEEK_OTHER) {
		o = check_neighbour(sw, frame, len);
		way->wire = o == RN_OUT_TO_WIRE && !inside;
		return o == RN_OUT_TO_WIRE && inside ? RN_OUT_NOT_OURS : o;
	}
	if (!is_own(sw, &p->src))
		return RN_OUT_CLIENT_ADDRESS;
	/* A frame to an address of the port stays inside, and no other frame does. */
	if (is_own(sw, &p->dst) != inside)
		return RN_OUT_NOT_OURS;
	if (p->kind == RN_PEEK_DATA) {
		o = check_data(sw, client, p);
		if (o != RN_OUT_TO_WIRE)
			return o;
		if (inside || p->dest_qpn == RN_MCAST_QPN)
			return deliver_data(sw, client, p, way);
	} else {
		if (!parse_mad(frame, len, &pkt, &msg))
			return RN_OUT_MALFORMED;
		if (pkt.src_qpn != RN_GSI_QPN)
			return RN_OUT_CLIENT_QPN;
		o = check_mad(sw, client, &pkt, &msg);
		if (o != RN_OUT_TO_WIRE)
			return o;
		if (inside)
			return deliver_mad(sw, &pkt, &msg, way, now);
	}
	way->wire = true;
	return RN_OUT_TO_WIRE;
}

/* ---- rx and tx ---- */

static enum rn_outcome decide(struct rn_switch *sw, unsigned from, const uint8_t *frame, size_t len,
			      struct rn_switch_way *way, rn_time now)
{
	const struct rn_port_attr *port = &sw->cfg.port;
	unsigned vid = port->has_vlan ? port->vlan_tci & RN_VLAN_VID : 0;
	struct rn_peek p;

	if (len < RN_ETH_BYTES)
		return RN_OUT_MALFORMED;
	rn_peek(frame, len, &p);
	if (from == RN_SWITCH_WIRE) {
		if (p.vid != vid || (!(p.dmac[0] & 1) && memcmp(p.dmac, port->mac, 6) != 0))
			return RN_OUT_NOT_OURS;
		return arrival(sw, &p, frame, len, way, now);
	}
	if (memcmp(p.smac, port->mac, 6) != 0)
		return RN_OUT_CLIENT_MAC;
	if (p.vid != vid)
		return RN_OUT_CLIENT_VLAN;
	return departure(sw, from, &p, frame, len, way, now);
}

enum rn_outcome rn_switch_rx(struct rn_switch *sw, unsigned from, const uint8_t *frame, size_t len,
			     struct rn_switch_way *way, rn_time now)
{
	enum rn_outcome o;

	*way = (struct rn_switch_way){0};
	o = decide(sw, from, frame, len, way, now);
	sw->seat[from].count[o]++;
	if (way->client != 0)
		sw->seat[way->client].reached = true;
	return o;
}

static bool take_obituary(struct rn_switch *sw, struct rn_owed_mad *owed, rn_time now)
{
	struct rn_track *t;

	while ((t = rn_conntrack_due(&sw->track))) {
		bool some =
			rn_obituary(t, sw->cfg.port.guid, rn_stream_next(&sw->tids), &owed->msg);

		owed->way = t->way;
		rn_conntrack_mourned(&sw->track, t, now);
		if (some)
			return true;
	}
	return false;
}

/* Takes the next CM message that is due. Answers to the wire, answers to clients and obituaries
 * take turns, so that none of them delays the others. */
static bool take_mad(struct rn_switch *sw, struct rn_owed_mad *owed, rn_time now)
{
	for (unsigned i = 0; i < 3; i++) {
		sw->turn = (sw->turn + 1) % 3;
		if (sw->turn == 2 ? take_obituary(sw, owed, now)
				  : rn_mad_queue_take(&sw->owed[sw->turn], owed))
			return true;
	}
	return false;
}

bool rn_switch_wants_tx(const struct rn_switch *sw)
{
	return rn_neigh_wants_tx(sw->neigh) || sw->owed[0].count > 0 || sw->owed[1].count > 0 ||
	       rn_conntrack_is_due(&sw->track);
}

unsigned rn_switch_tx(struct rn_switch *sw, uint8_t *buf, size_t cap, struct rn_switch_way *way,
		      rn_time now)
{
	struct rn_owed_mad owed;
	struct rn_pkt pkt;
	unsigned n = rn_neigh_wants_tx(sw->neigh) ? rn_neigh_tx(sw->neigh, buf, cap, now) : 0;

	*way = (struct rn_switch_way){.wire = true};
	if (n || !take_mad(sw, &owed, now))
		return n;
	rn_cm_msg_build(&owed.msg, sw->mad);
	rn_mad_pkt(&pkt, &sw->cfg.port, &owed.way, sw->psn++, sw->mad);
	if (is_own(sw, &owed.way.dst)) {
		const struct rn_mad_names names = rn_mad_names(&owed.msg, sw->mad);

		way->wire = false;
		way->client = (uint8_t)receiver_of(sw, &names, &owed.msg, &pkt);
		if (way->client)
			rn_conntrack_received(&sw->track, way->client, &owed.msg, &pkt);
	}
	return rn_frame_build(&pkt, buf, cap);
}

void rn_switch_tick(struct rn_switch *sw, rn_time now)
{
	rn_neigh_tick(sw->neigh, now);
	rn_conntrack_tick(&sw->track, now);
}

rn_time rn_switch_next(const struct rn_switch *sw)
{
	rn_time neigh = rn_neigh_next(sw->neigh), track = rn_conntrack_next(&sw->track);

	return RN_MIN(neigh, track);
}

void rn_switch_announce(struct rn_switch *sw)
{
	rn_neigh_announce(sw->neigh);
}

uint64_t rn_switch_count(const struct rn_switch *sw, unsigned from, enum rn_outcome outcome)
{
	return sw->seat[from].count[outcome];
}

unsigned rn_switch_connections(const struct rn_switch *sw, unsigned client)
{
	return client < NUMBERS ? sw->track.client[client].count : 0;
}
