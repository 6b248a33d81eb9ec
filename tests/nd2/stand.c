/* Brings a connector into each state in the shortest way; see stand.h. */
#include "stand.h"

static const struct {
	const char *text;
	bool active;
} rows[STAND_STATES] = {
#define active	      true
#define passive	      false
#define X(name, side) {#name, side},
	STAND_ROWS(X)
#undef X
#undef active
#undef passive
};

const char *stand_text(enum stand_state state)
{
	return rows[state].text;
}

static void connect_them(struct stand *s)
{
	OVERLAPPED complete = {0};

	reach_reply(&s->p, NULL, &s->accept);
	ENDS(s->p.a.connector, CALL(s->p.a.connector, CompleteConnect, &complete), &complete,
	     ND_SUCCESS);
	HR(finish(s->p.b.connector, &s->accept), ND_SUCCESS);
	HR(CALL(s->me->connector, NotifyDisconnect, &s->notify), ND_PENDING);
	HR(CALL(s->peer->connector, NotifyDisconnect, &s->peer_notify), ND_PENDING);
}

/* Posts two Sends at the peer, and only one receive on this side. The second Send waits. The peer
 * ends its side of the connection only when that Send has ended. */
static void make_the_peer_drain(struct stand *s)
{
	HR(post_send(s->peer, 0, 8, 2, 0), ND_SUCCESS);
	HR(post_send(s->peer, 0, 8, 3, 0), ND_SUCCESS);
	reap_is(s->me->cq, 1, ND_SUCCESS);
	reap_is(s->peer->cq, 2, ND_SUCCESS);
}

static void part(struct stand *s, struct end *who)
{
	OVERLAPPED ov = {0};

	ENDS(who->connector, CALL(who->connector, Disconnect, &ov), &ov, ND_SUCCESS);
}

static void reach(struct stand *s)
{
	switch (s->state) {
	case STAND_QUEUED:
		HR(CALL(s->p.listener, GetConnectionRequest, (IUnknown *)s->me->connector,
			&s->request),
		   ND_PENDING);
		break;
	case STAND_REQ_SENT:
	case STAND_REQ_RECEIVED:
		reach_request(&s->p, NULL, &s->connect);
		break;
	case STAND_REP_RECEIVED:
	case STAND_REP_SENT:
		reach_reply(&s->p, NULL, &s->accept);
		break;
	case STAND_CONNECTED:
		connect_them(s);
		break;
	case STAND_PEER_GONE:
		connect_them(s);
		part(s, s->peer);
		HR(finish(s->me->connector, &s->notify), ND_SUCCESS);
		/* The receive is flushed when the peer's disconnect has been handled. */
		reap_is(s->me->cq, 1, ND_CANCELED);
		break;
	case STAND_DISCONNECTING:
		connect_them(s);
		make_the_peer_drain(s);
		HR(CALL(s->me->connector, Disconnect, &s->part), ND_PENDING);
		break;
	case STAND_DISCONNECTED:
		connect_them(s);
		part(s, s->me);
		reap_is(s->me->cq, 1, ND_CANCELED);
		break;
	default:
		break;
	}
}

void stand_open(struct stand *s, enum stand_state state)
{
	memset(s, 0, sizeof(*s));
	s->state = state;
	pair_open(&s->p, NULL);
	s->me = rows[state].active ? &s->p.a : &s->p.b;
	s->peer = rows[state].active ? &s->p.b : &s->p.a;
	HR(post_recv(&s->p.a, 0, 64, 1), ND_SUCCESS);
	HR(post_recv(&s->p.b, 0, 64, 1), ND_SUCCESS);
	reach(s);
}

bool stand_holds(struct stand *s)
{
	return s->state != STAND_DISCONNECTING || status_after(&s->part, 0) == ND_PENDING;
}

void stand_close(struct stand *s)
{
	pair_close(&s->p);
}
