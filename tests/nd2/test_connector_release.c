/* Brings a connector into every state and takes one action. The action releases the connector or
 * its queue pair, cancels the connector's requests, or calls Disconnect() or Reject(). Then checks
 * what both sides see.
 *
 * The adapters have room for a few objects only, so the test soon notices an object that is not
 * freed. */
#include "stand.h"

#include <stdio.h>

enum action { FREE_CONNECTOR, FREE_QP, CANCEL, PART, REJECT };

#define NONE	ND_SUCCESS /* there was no request, so the OVERLAPPED is still all 0 */
#define OK	ND_SUCCESS
#define BUSY	ND_PENDING
#define GONE	ND_CANCELED
#define REF	ND_CONNECTION_REFUSED
#define ABORT	ND_CONNECTION_ABORTED
#define INVAL	ND_CONNECTION_INVALID
#define STATE	ND_INVALID_DEVICE_STATE
#define OVER	STATUS_CONNECTION_DISCONNECTED
#define KEPT	1 /* the posted receive has not completed */
#define FLUSHED 2 /* the receive was cancelled */
#define ANY	3

struct row {
	enum stand_state state;
	enum action action;
	HRESULT answer; /* return value of the action */
	HRESULT own;	/* status of the acting side's handshake step or NotifyDisconnect */
	HRESULT peer;	/* status of the peer's pending request, or of its next step */
	int recv, peer_recv;
};

/* clang-format off */
static const struct row rows[] = {
	{STAND_IDLE,          FREE_CONNECTOR, 0,     NONE,  NONE,  KEPT,    KEPT},
	{STAND_IDLE,          FREE_QP,        0,     NONE,  NONE,  FLUSHED, KEPT},
	{STAND_IDLE,          CANCEL,         OK,    NONE,  NONE,  KEPT,    KEPT},
	{STAND_IDLE,          PART,           INVAL, NONE,  NONE,  KEPT,    KEPT},
	{STAND_IDLE,          REJECT,         STATE, NONE,  NONE,  KEPT,    KEPT},

	{STAND_BOUND,         FREE_CONNECTOR, 0,     NONE,  NONE,  KEPT,    KEPT},
	{STAND_BOUND,         FREE_QP,        0,     NONE,  NONE,  FLUSHED, KEPT},
	{STAND_BOUND,         CANCEL,         OK,    NONE,  NONE,  KEPT,    KEPT},
	{STAND_BOUND,         PART,           INVAL, NONE,  NONE,  KEPT,    KEPT},
	{STAND_BOUND,         REJECT,         STATE, NONE,  NONE,  KEPT,    KEPT},

	{STAND_QUEUED,        FREE_CONNECTOR, 0,     GONE,  NONE,  KEPT,    KEPT},
	{STAND_QUEUED,        FREE_QP,        0,     BUSY,  NONE,  FLUSHED, KEPT},
	{STAND_QUEUED,        CANCEL,         OK,    BUSY,  NONE,  KEPT,    KEPT},
	{STAND_QUEUED,        PART,           INVAL, BUSY,  NONE,  KEPT,    KEPT},
	{STAND_QUEUED,        REJECT,         STATE, BUSY,  NONE,  KEPT,    KEPT},

	/* In this group the peer calls Accept after the action. */
	{STAND_REQ_SENT,      FREE_CONNECTOR, 0,     GONE,  ABORT, KEPT,    ANY},
	{STAND_REQ_SENT,      FREE_QP,        0,     GONE,  ABORT, FLUSHED, ANY},
	{STAND_REQ_SENT,      CANCEL,         OK,    GONE,  ABORT, KEPT,    ANY},
	{STAND_REQ_SENT,      PART,           INVAL, OK,    BUSY,  KEPT,    KEPT},
	{STAND_REQ_SENT,      REJECT,         STATE, OK,    BUSY,  KEPT,    KEPT},

	{STAND_REP_RECEIVED,  FREE_CONNECTOR, 0,     NONE,  REF,   KEPT,    FLUSHED},
	{STAND_REP_RECEIVED,  FREE_QP,        0,     NONE,  REF,   FLUSHED, FLUSHED},
	{STAND_REP_RECEIVED,  CANCEL,         OK,    NONE,  BUSY,  KEPT,    KEPT},
	{STAND_REP_RECEIVED,  PART,           INVAL, NONE,  BUSY,  KEPT,    KEPT},
	{STAND_REP_RECEIVED,  REJECT,         OK,    NONE,  REF,   KEPT,    FLUSHED},

	{STAND_REQ_RECEIVED,  FREE_CONNECTOR, 0,     NONE,  REF,   KEPT,    KEPT},
	{STAND_REQ_RECEIVED,  FREE_QP,        0,     NONE,  BUSY,  FLUSHED, KEPT},
	{STAND_REQ_RECEIVED,  CANCEL,         OK,    NONE,  BUSY,  KEPT,    KEPT},
	{STAND_REQ_RECEIVED,  PART,           INVAL, NONE,  BUSY,  KEPT,    KEPT},
	{STAND_REQ_RECEIVED,  REJECT,         OK,    NONE,  REF,   KEPT,    KEPT},

	/* In this group the peer calls CompleteConnect after the action. */
	{STAND_REP_SENT,      FREE_CONNECTOR, 0,     GONE,  ABORT, FLUSHED, FLUSHED},
	{STAND_REP_SENT,      FREE_QP,        0,     GONE,  ABORT, FLUSHED, FLUSHED},
	{STAND_REP_SENT,      CANCEL,         OK,    GONE,  ABORT, FLUSHED, FLUSHED},
	{STAND_REP_SENT,      PART,           INVAL, OK,    OK,    KEPT,    KEPT},
	{STAND_REP_SENT,      REJECT,         STATE, OK,    OK,    KEPT,    KEPT},

	{STAND_CONNECTED,     FREE_CONNECTOR, 0,     GONE,  OK,    FLUSHED, FLUSHED},
	{STAND_CONNECTED,     FREE_QP,        0,     OK,    OK,    FLUSHED, FLUSHED},
	{STAND_CONNECTED,     CANCEL,         OK,    GONE,  BUSY,  KEPT,    KEPT},
	{STAND_CONNECTED,     PART,           BUSY,  OVER,  OK,    FLUSHED, FLUSHED},
	{STAND_CONNECTED,     REJECT,         STATE, BUSY,  BUSY,  KEPT,    KEPT},

	{STAND_PEER_GONE,     FREE_CONNECTOR, 0,     OK,    OVER,  KEPT,    FLUSHED},
	{STAND_PEER_GONE,     FREE_QP,        0,     OK,    OVER,  KEPT,    FLUSHED},
	{STAND_PEER_GONE,     CANCEL,         OK,    OK,    OVER,  KEPT,    FLUSHED},
	{STAND_PEER_GONE,     PART,           BUSY,  OK,    OVER,  KEPT,    FLUSHED},
	{STAND_PEER_GONE,     REJECT,         ABORT, OK,    OVER,  KEPT,    FLUSHED},

	{STAND_DISCONNECTING, FREE_CONNECTOR, 0,     GONE,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTING, FREE_QP,        0,     GONE,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTING, CANCEL,         OK,    GONE,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTING, PART,           STATE, OK,    OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTING, REJECT,         INVAL, OK,    OK,    KEPT,    FLUSHED},

	{STAND_DISCONNECTED,  FREE_CONNECTOR, 0,     OVER,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTED,  FREE_QP,        0,     OVER,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTED,  CANCEL,         OK,    OVER,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTED,  PART,           INVAL, OVER,  OK,    KEPT,    FLUSHED},
	{STAND_DISCONNECTED,  REJECT,         ABORT, OVER,  OK,    KEPT,    FLUSHED},
};
/* clang-format on */

static HRESULT act(struct stand *s, enum action action, OVERLAPPED *ov)
{
	ULONG left;

	switch (action) {
	case FREE_CONNECTOR:
		left = CALL(s->me->connector, Release);
		s->me->connector = NULL;
		return (HRESULT)left;
	case FREE_QP:
		left = CALL(s->me->qp, Release);
		s->me->qp = NULL;
		return (HRESULT)left;
	case CANCEL:
		return CALL(s->me->connector, CancelOverlappedRequests);
	case PART:
		return CALL(s->me->connector, Disconnect, ov);
	default:
		return CALL(s->me->connector, Reject, NULL, 0);
	}
}

static OVERLAPPED *mine(struct stand *s)
{
	switch (s->state) {
	case STAND_QUEUED:
		return &s->request;
	case STAND_REP_SENT:
		return &s->accept;
	case STAND_DISCONNECTING:
		return &s->part;
	case STAND_REQ_SENT:
		return &s->connect;
	default:
		return &s->notify;
	}
}

/* Waits at most 5 s until the connector of e has noticed that the attempt to connect has failed.
 * From then on, GetReadLimits fails. */
static void wait_for_the_news(struct end *e)
{
	ULONG in, out;

	for (int i = 0; i < 5000 && CALL(e->connector, GetReadLimits, &in, &out) == ND_SUCCESS; i++)
		sleep_ms(1);
}

static HRESULT end_of(HRESULT hr, OVERLAPPED *ov, HRESULT wanted)
{
	if (hr != ND_PENDING)
		return hr;
	return status_after(ov, wanted == ND_PENDING ? 5 : 20000);
}

/* Returns the status of the peer's pending request. If no request is pending, calls the peer's next
 * step of the handshake and returns the status of that step. */
static HRESULT peer_ends(struct stand *s, const struct row *row, OVERLAPPED *next)
{
	struct end *peer = s->peer;

	switch (row->state) {
	case STAND_REQ_SENT:
		return end_of(
			CALL(peer->connector, Accept, (IUnknown *)peer->qp, 1, 1, NULL, 0, next),
			next, row->peer);
	case STAND_REP_SENT:
		if (row->peer == ABORT)
			wait_for_the_news(peer);
		return end_of(CALL(peer->connector, CompleteConnect, next), next, row->peer);
	case STAND_REP_RECEIVED:
		return end_of(ND_PENDING, &s->accept, row->peer);
	case STAND_REQ_RECEIVED:
		return end_of(ND_PENDING, &s->connect, row->peer);
	default:
		return end_of(ND_PENDING, &s->peer_notify, row->peer);
	}
}

static int fate_of_receive(struct end *e, int expected)
{
	ND2_RESULT r;

	if (expected == ANY)
		return ANY;
	for (int i = 0; i < (expected == KEPT ? 3 : 20000); i++) {
		while (CALL(e->cq, GetResults, &r, 1) == 1)
			if ((uintptr_t)r.RequestContext == 1)
				return r.Status == ND_CANCELED ? FLUSHED : ANY;
		sleep_ms(1);
	}
	return KEPT;
}

/* Returns false if the connector had already left the state row->state before the action. */
static bool try_row(const struct row *row)
{
	OVERLAPPED part = {0}, next = {0};
	HRESULT answer, own, peer;
	int recv, peer_recv;
	struct stand s;
	bool held;

	stand_open(&s, row->state);
	held = stand_holds(&s);
	answer = act(&s, row->action, &part);
	/* A cancelled request ends before the action returns. */
	if (held && row->own == GONE)
		HR(status_after(mine(&s), 0), GONE);
	peer = peer_ends(&s, row, &next);
	own = end_of(ND_PENDING, mine(&s), row->own);
	recv = fate_of_receive(s.me, row->recv);
	peer_recv = fate_of_receive(s.peer, row->peer_recv);
	if (answer == ND_PENDING)
		HR(status_after(&part, 20000), ND_SUCCESS);
	stand_close(&s);
	if (!held)
		return false;
	if (answer != row->answer || own != row->own || peer != row->peer || recv != row->recv ||
	    peer_recv != row->peer_recv)
		fail_msg("%s, action %d: answer %08x, own %08x, peer %08x, receives %d %d",
			 stand_text(row->state), row->action, (unsigned)answer, (unsigned)own,
			 (unsigned)peer, recv, peer_recv);
	return true;
}

static void nd2_own_release_or_cancel_in_every_state(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int attempts = 0;

		while (!try_row(&rows[i]))
			assert_true(++attempts < 10);
	}
}

static int nothing_is_left(void **state)
{
	close_adapters(state);
	nothing_lives();
	return open_adapters(state);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(nd2_own_release_or_cancel_in_every_state, nothing_is_left),
	cmocka_unit_test_teardown(nd2_own_release_or_cancel_in_every_state, nothing_is_left),
};

int main(void)
{
	use_config("adapters = (\n"
		   "{ name = \"a\"; port = \"ring\"; peer = \"b\"; mac = \"02:00:00:00:00:01\";\n"
		   "  ipv4 = [ \"192.0.2.1/24\" ]; },\n"
		   "{ name = \"b\"; port = \"ring\"; peer = \"a\"; mac = \"02:00:00:00:00:02\";\n"
		   "  ipv4 = [ \"192.0.2.2/24\" ]; });\n"
		   "eal = { hugepages = \"no\"; };\n"
		   "limits = { max_qp = 8; max_cq = 8; max_mr = 8; max_pd = 4; max_cm = 16; };\n");
	return cmocka_run_group_tests(tests, open_adapters, close_adapters);
}
