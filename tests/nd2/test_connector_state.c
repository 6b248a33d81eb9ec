/* Tests the status of every connector method in every state of a connector, with two connected
 * adapters. */
#include "stand.h"

#include <stdio.h>

#define ASSOCIATED STATUS_ADDRESS_ALREADY_ASSOCIATED
#define UNBOUND	   STATUS_ADDRESS_NOT_ASSOCIATED
#define ACTIVE	   ND_CONNECTION_ACTIVE
#define INVALID	   ND_CONNECTION_INVALID
#define ABORTED	   ND_CONNECTION_ABORTED
#define STATE	   ND_INVALID_DEVICE_STATE
#define OVER	   STATUS_CONNECTION_DISCONNECTED
#define DONE	   ND_SUCCESS
#define BEGUN	   ND_PENDING

enum method { BIND, CONNECT, COMPLETE, ACCEPT, REJECT, LIMITS, DATA, NOTIFY, DISCONNECT, METHODS };

/* clang-format off */
static const HRESULT expected[STAND_STATES][METHODS] = {
	/*                       Bind        Connect  Complete Accept   Reject   Limits   Data     Notify   Disconnect */
	[STAND_IDLE]          = {DONE,       UNBOUND, INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID},
	[STAND_BOUND]         = {ASSOCIATED, BEGUN,   INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID},
	[STAND_QUEUED]        = {ASSOCIATED, STATE,   INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID},
	[STAND_REQ_SENT]      = {ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   INVALID, INVALID, INVALID, INVALID},
	[STAND_REP_RECEIVED]  = {ASSOCIATED, ACTIVE,  BEGUN,   ACTIVE,  DONE,    DONE,    DONE,    INVALID, INVALID},
	[STAND_REQ_RECEIVED]  = {ASSOCIATED, STATE,   INVALID, BEGUN,   DONE,    DONE,    DONE,    INVALID, INVALID},
	[STAND_REP_SENT]      = {ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   DONE,    DONE,    INVALID, INVALID},
	[STAND_CONNECTED]     = {ASSOCIATED, ACTIVE,  INVALID, ACTIVE,  STATE,   DONE,    DONE,    BEGUN,   BEGUN},
	[STAND_PEER_GONE]     = {ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, DONE,    BEGUN,   BEGUN},
	[STAND_DISCONNECTING] = {ASSOCIATED, STATE,   INVALID, ABORTED, INVALID, INVALID, DONE,    OVER,    STATE},
	[STAND_DISCONNECTED]  = {ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, DONE,    OVER,    INVALID},
};
/* clang-format on */

static HRESULT call(struct stand *s, enum method method, OVERLAPPED *ov)
{
	struct sockaddr_in own = address_of(s->me->which, 0), to = address_of(1, s->p.port);
	IND2Connector *c = s->me->connector;
	IUnknown *qp = (IUnknown *)s->me->qp;
	uint8_t data[256];
	ULONG cb = sizeof(data), in, out;

	switch (method) {
	case BIND:
		return CALL(c, Bind, SA(&own), sizeof(own));
	case CONNECT:
		return CALL(c, Connect, qp, SA(&to), sizeof(to), 1, 1, NULL, 0, ov);
	case COMPLETE:
		return CALL(c, CompleteConnect, ov);
	case ACCEPT:
		return CALL(c, Accept, qp, 1, 1, NULL, 0, ov);
	case REJECT:
		return CALL(c, Reject, NULL, 0);
	case LIMITS:
		return CALL(c, GetReadLimits, &in, &out);
	case DATA:
		return CALL(c, GetPrivateData, data, &cb);
	case NOTIFY:
		return CALL(c, NotifyDisconnect, ov);
	default:
		return CALL(c, Disconnect, ov);
	}
}

/* All calls that this state refuses are made on one connector, because a refused call changes
 * nothing. */
static void check_refusals(enum stand_state state)
{
	for (int attempt = 0; attempt < 10; attempt++) {
		bool wrong = false, holds;
		struct stand s;

		stand_open(&s, state);
		for (unsigned m = 0; m < METHODS; m++) {
			HRESULT want = expected[state][m], hr;
			OVERLAPPED ov = {0};

			if (want == BEGUN || want == DONE)
				continue;
			hr = call(&s, (enum method)m, &ov);
			if (hr != want)
				fprintf(stderr, "%s, method %u: %08x\n", stand_text(state), m,
					(unsigned)hr);
			wrong |= hr != want;
		}
		holds = stand_holds(&s);
		stand_close(&s);
		if (holds) {
			assert_false(wrong);
			return;
		}
	}
	fail_msg("%s does not hold", stand_text(state));
}

static void check_the_rest(enum stand_state state, enum method method)
{
	OVERLAPPED ov = {0};
	struct stand s;
	HRESULT hr;

	stand_open(&s, state);
	hr = call(&s, method, &ov);
	if (hr != expected[state][method])
		fail_msg("%s, method %u: %08x", stand_text(state), (unsigned)method, (unsigned)hr);
	stand_close(&s);
	/* stand_close() has ended all pending requests. So if the call started a request, that
	 * request has ended by now. */
	assert_true(status_after(&ov, 0) != ND_PENDING);
}

static void nd2_own_every_method_in_every_state(void **state)
{
	for (unsigned s = 0; s < STAND_STATES; s++) {
		check_refusals((enum stand_state)s);
		for (unsigned m = 0; m < METHODS; m++)
			if (expected[s][m] == BEGUN || expected[s][m] == DONE)
				check_the_rest((enum stand_state)s, (enum method)m);
	}
}

/* GetLocalAddress works after a Bind, or after a connection request was taken. GetPeerAddress works
 * while the connector has a connection, or has the peer's connection request or REP. */
static void nd2_own_addresses_in_every_state(void **state)
{
	static const struct {
		HRESULT local, peer;
	} want[STAND_STATES] = {
		[STAND_IDLE] = {INVALID, INVALID},	[STAND_BOUND] = {DONE, INVALID},
		[STAND_QUEUED] = {INVALID, INVALID},	[STAND_REQ_SENT] = {DONE, INVALID},
		[STAND_REP_RECEIVED] = {DONE, DONE},	[STAND_REQ_RECEIVED] = {DONE, DONE},
		[STAND_REP_SENT] = {DONE, DONE},	[STAND_CONNECTED] = {DONE, DONE},
		[STAND_PEER_GONE] = {DONE, DONE},	[STAND_DISCONNECTING] = {DONE, DONE},
		[STAND_DISCONNECTED] = {DONE, INVALID},
	};

	for (unsigned i = 0; i < STAND_STATES; i++) {
		struct sockaddr_in local, peer;
		ULONG cb[2] = {sizeof(local), sizeof(peer)};
		struct stand s;
		HRESULT hr[2];

		stand_open(&s, (enum stand_state)i);
		hr[0] = CALL(s.me->connector, GetLocalAddress, (struct sockaddr *)&local, &cb[0]);
		hr[1] = CALL(s.me->connector, GetPeerAddress, (struct sockaddr *)&peer, &cb[1]);
		if (stand_holds(&s)) {
			HR(hr[0], want[i].local);
			HR(hr[1], want[i].peer);
		}
		if (hr[0] == ND_SUCCESS)
			assert_int_equal(local.sin_addr.s_addr,
					 address_of(s.me->which, 0).sin_addr.s_addr);
		/* A passive connector has the port number of its listener. */
		if (hr[0] == ND_SUCCESS && s.me == &s.p.b)
			assert_int_equal(ntohs(local.sin_port), s.p.port);
		if (hr[1] == ND_SUCCESS)
			assert_int_equal(peer.sin_addr.s_addr,
					 address_of(s.peer->which, 0).sin_addr.s_addr);
		if (hr[1] == ND_SUCCESS && s.me == &s.p.a)
			assert_int_equal(ntohs(peer.sin_port), s.p.port);
		stand_close(&s);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_every_method_in_every_state),
	cmocka_unit_test(nd2_own_addresses_in_every_state),
};

nd2_main(tests)
