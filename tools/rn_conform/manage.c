/* Tests of the peer's connection manager, for rows of docs/spec/rocev2.md; see manage.h. Used by
 * the tool's one thread. */
#include "manage.h"

#include <stdlib.h>
#include <string.h>

#include "base/types.h"

#define MS 1000000ull

static enum outcome says(struct play *p, enum outcome o, const char *why)
{
	snprintf(p->why, sizeof(p->why), "%s", why);
	return o;
}

static enum outcome demand(struct play *p, bool right, const char *otherwise)
{
	return right ? PASSED : says(p, DEVIATES, otherwise);
}

static bool opens(struct play *p)
{
	if (conn_open(p->c, 0x1000, true, p->patience))
		return true;
	says(p, NOT_APPLICABLE, "no connection");
	return false;
}

static const struct rn_cm_msg *await(struct play *p, uint16_t attr, unsigned ms)
{
	return conn_take_mad(p->c, attr, line_now() + ms * MS);
}

/* Drops the received CM messages that the test has not taken. */
static void forget(struct play *p)
{
	conn_pump(p->c, NULL, line_now() + 50 * MS);
	p->c->mads.n = 0;
}

enum outcome manage_frames(struct play *p)
{
	if (!opens(p))
		return NOT_APPLICABLE;
	enum outcome o = play_script(p, "> SEND_ONLY 0 n=16 A\n< ACK 0\nalive 1\nalive 2");
	conn_pump(p->c, NULL, line_now() + 300 * MS);
	if (o != PASSED)
		return o;
	if (p->c->line->bad) {
		snprintf(p->why, sizeof(p->why),
			 "the peer sent a frame that every NIC drops: %.150s",
			 p->c->line->bad_text);
		return DEVIATES;
	}
	if (p->c->sports != 1)
		return says(p, DEVIATES, "the UDP source port changes");
	return demand(p, p->c->tx_wrong == 0,
		      "UDP source port below 0xC000, or no DF, or AckReq in a response");
}

enum outcome manage_reply(struct play *p)
{
	if (!opens(p))
		return NOT_APPLICABLE;
	const struct rn_cm_msg *m = &p->c->rep;
	if (m->rep.remote_id != p->c->local_id || m->tid != p->c->tid || m->rep.local_id == 0)
		return says(p, DEVIATES, "REP with other ids or another TID than the REQ");
	if (m->rep.qpn < 2 || m->rep.qpn > 0xFFFFFE)
		return says(p, DEVIATES, "REP names no queue pair");
	return demand(p, m->rep.responder_resources <= 4 && m->rep.initiator_depth <= 4,
		      "REP has a larger READ limit than the REQ offered");
}

/* Sends a REQ with new ids for a service at `port`. With `other_address` the REQ's private data
 * names a destination address that the peer does not have. The peer must answer with a REJ. */
static enum outcome rejected(struct play *p, uint16_t port, bool other_address)
{
	struct conn *c = p->c;
	struct rn_cm_msg m;
	const struct rn_cm_msg *r;

	conn_fresh(c, 0x1000);
	conn_build_req(c, port, &m);
	if (other_address) {
		struct rn_cma_hdr hdr = {40000, true, c->line->own, c->line->peer};

		hdr.dst.b[15] ^= 0x40;
		rn_cma_hdr_build(&hdr, m.req.data);
	}
	r = NULL;
	for (unsigned i = 0; i < 2 * p->patience && r == NULL; i++) {
		conn_send_mad(c, &m);
		while ((r = await(p, RN_CM_REJ, 500)) != NULL && r->rej.remote_id != c->local_id)
			; /* this REJ belongs to another connection attempt */
	}
	if (r == NULL)
		return says(p, DEVIATES, "no REJ came");
	if (r->rej.reason != RN_CM_REJ_NO_SERVICE) {
		snprintf(p->why, sizeof(p->why), "REJ with reason %u, not 8", r->rej.reason);
		return DEVIATES;
	}
	return demand(p, r->tid == m.tid && r->rej.about == RN_CM_ABOUT_REQ,
		      "REJ with another TID, or about another message");
}

enum outcome manage_no_listener(struct play *p)
{
	return rejected(p, 9, false);
}

enum outcome manage_wrong_address(struct play *p)
{
	return rejected(p, p->c->port, true);
}

enum outcome manage_request(struct play *p)
{
	static const uint8_t none[44];
	struct rn_cma_hdr hdr;

	if (!opens(p))
		return NOT_APPLICABLE;
	const struct rn_cm_req *r = &p->c->req.req;
	if (!rn_cma_hdr_parse(r->data, &hdr) || !hdr.ipv4 ||
	    !rn_gid_equal(&hdr.src, &p->c->line->peer) || !rn_gid_equal(&hdr.dst, &p->c->line->own))
		return says(p, DEVIATES, "the private data header has other addresses");
	if (memcmp(r->alternate, none, sizeof(none)) != 0)
		return says(p, DEVIATES, "the REQ has an alternate path, which RoCE does not use");
	if (r->local_lid != 0xFFFF || r->remote_lid != 0xFFFF)
		return says(p, DEVIATES, "LIDs that are not 0xFFFF");
	return demand(p, r->hop_limit > 1 && r->local_id && (r->pkey & 0x7FFF) == 0x7FFF,
		      "wrong hop limit, communication id or P_Key in the REQ");
}

enum outcome manage_repeated_req(struct play *p)
{
	struct rn_cm_msg m;

	if (!opens(p))
		return NOT_APPLICABLE;
	conn_build_req(p->c, p->c->port, &m);
	forget(p);
	conn_send_mad(p->c, &m);
	if (await(p, RN_CM_REJ, 500))
		return says(p, DEVIATES, "the peer rejects an established connection");
	return play_line(p, "alive 0");
}

enum outcome manage_repeated_rep(struct play *p)
{
	if (!opens(p))
		return NOT_APPLICABLE;
	forget(p);
	conn_send_rep(p->c);
	if (!await(p, RN_CM_RTU, 10000))
		return says(p, DEVIATES, "no RTU for a repeated REP");
	return play_line(p, "alive 0");
}

enum outcome manage_stray_reply(struct play *p)
{
	struct conn *c = p->c;
	struct rn_cm_msg m = {.attr = RN_CM_REP, .tid = 77};

	if (!opens(p))
		return NOT_APPLICABLE;
	forget(p);
	m.rep = (struct rn_cm_rep){.local_id = c->local_id ^ 0x5555,
				   .remote_id = c->remote_id ^ 0x5A5A,
				   .qpn = 77,
				   .guid = 77};
	conn_send_mad(c, &m);
	if (await(p, RN_CM_RTU, 500))
		return says(p, DEVIATES, "an RTU for a REP without a REQ");
	return play_line(p, "alive 0");
}

/* Sends no REP, so the peer must repeat its REQ unchanged. */
enum outcome manage_unanswered_req(struct play *p)
{
	struct conn *c = p->c;
	const struct rn_cm_msg *m;
	struct rn_cm_msg first;

	conn_fresh(c, 0x1000);
	m = await(p, RN_CM_REQ, 30000);
	if (m == NULL)
		return says(p, NOT_APPLICABLE, "the peer does not connect");
	first = *m;
	m = await(p, RN_CM_REQ, 20000);
	if (m == NULL)
		return says(p, DEVIATES, "the peer does not repeat its REQ within 20 s");
	enum outcome o = demand(p,
				m->tid == first.tid && m->req.local_id == first.req.local_id &&
					m->req.qpn == first.req.qpn,
				"the repeated REQ has another TID, id or queue pair");
	conn_send_rep(c); /* ends the peer's connection attempt */
	return o;
}

static void build_dreq(const struct conn *c, struct rn_cm_msg *m)
{
	*m = (struct rn_cm_msg){.attr = RN_CM_DREQ, .tid = c->tid + 2};
	m->dreq = (struct rn_cm_dreq){
		.local_id = c->local_id, .remote_id = c->remote_id, .remote_qpn = c->peer_qpn};
}

static enum outcome answered(struct play *p, const struct rn_cm_msg *dreq)
{
	const struct rn_cm_msg *d = NULL;

	forget(p);
	for (unsigned i = 0; i < 2 * p->patience && d == NULL; i++) {
		conn_send_mad(p->c, dreq);
		d = await(p, RN_CM_DREP, 500);
	}
	if (d == NULL)
		return says(p, DEVIATES, "no DREP");
	return demand(p,
		      d->drep.remote_id == dreq->dreq.local_id &&
			      d->drep.local_id == dreq->dreq.remote_id && d->tid == dreq->tid,
		      "DREP with other ids or another TID");
}

enum outcome manage_disconnect(struct play *p)
{
	struct rn_cm_msg m;

	if (!opens(p))
		return NOT_APPLICABLE;
	build_dreq(p->c, &m);
	enum outcome o = answered(p, &m);
	p->c->over = true;
	conn_pump(p->c, NULL, line_now() + 100 * MS);
	p->c->answers.n = 0;
	return o == PASSED ? play_line(p, "dead 0") : o;
}

/* Sends a DREQ, and repeats the DREQ after the peer's DREP. The peer must answer the repetition
 * too. Many peers exit when their connection ends, though. If there is no answer, a DREQ with an
 * unknown id shows whether the peer still runs. If the peer answers that DREQ, it must also answer
 * one more repetition of the first DREQ. This is so even for a peer that was restarted: it knows
 * neither id. */
enum outcome manage_repeated_dreq(struct play *p)
{
	struct rn_cm_msg m;

	if (!opens(p))
		return NOT_APPLICABLE;
	build_dreq(p->c, &m);
	enum outcome o = answered(p, &m);
	p->c->over = true;
	if (o != PASSED)
		return o;
	conn_send_mad(p->c, &m);
	if (await(p, RN_CM_DREP, 500))
		return PASSED;
	struct rn_cm_msg unknown = m;
	unknown.dreq.remote_id = 0x0BADBAD0;
	conn_send_mad(p->c, &unknown);
	if (!await(p, RN_CM_DREP, 300))
		return says(p, NOT_APPLICABLE, "the peer is gone with its connection");
	conn_send_mad(p->c, &m);
	return await(p, RN_CM_DREP, 500) ? PASSED : says(p, DEVIATES, "no DREP to a repeated DREQ");
}

enum outcome manage_disconnect_wrong(struct play *p)
{
	struct rn_cm_msg m;

	if (!opens(p))
		return NOT_APPLICABLE;
	build_dreq(p->c, &m);
	m.dreq.remote_qpn ^= 1;
	forget(p);
	conn_send_mad(p->c, &m);
	if (await(p, RN_CM_DREP, 500))
		return says(p, DEVIATES, "DREP though the DREQ names another queue pair");
	return play_line(p, "alive 0");
}

enum outcome manage_disconnect_unknown(struct play *p)
{
	struct rn_cm_msg m;

	conn_fresh(p->c, 0x1000);
	build_dreq(p->c, &m);
	m.dreq.remote_id = 0x0BADBAD0;
	return answered(p, &m);
}

enum outcome manage_arp(struct play *p)
{
	memset(p->c->line->peer_mac, 0, 6);
	return demand(p, line_resolve(p->c->line), "no answer to ARP");
}

enum outcome manage_alternate_path(struct play *p)
{
	struct rn_cm_msg m = {.attr = RN_CM_LAP, .tid = 78};

	if (!opens(p))
		return NOT_APPLICABLE;
	forget(p);
	conn_send_mad(p->c, &m);
	conn_pump(p->c, NULL, line_now() + 300 * MS);
	return play_line(p, "alive 0");
}

enum outcome manage_repeated_rtu(struct play *p)
{
	if (!opens(p))
		return NOT_APPLICABLE;
	conn_send_rtu(p->c);
	conn_send_rtu(p->c);
	conn_pump(p->c, NULL, line_now() + 200 * MS);
	return play_line(p, "alive 0");
}
