/* Answers two questions from the tables of rules.h: which statuses a call may return in a state,
 * and which states follow. Owns no state. */
#include "rules.h"

#include <stddef.h>

struct rule {
	enum kind kind;
	uint32_t states;
	set_t call, end;
	uint32_t next;
};

static const struct rule plain[ACTS] = {
#define X(name, kind, ...) [A_##name] = {K_##kind, __VA_ARGS__},
	PLAIN_RULES(X) GETTER_RULES(X)
#undef X
};

static const struct refusal {
	enum act act;
	uint32_t states;
	set_t call;
} refusals[] = {
#define X(name, ...) {A_##name, __VA_ARGS__},
	REFUSALS(X) GETTER_REFUSALS(X)
#undef X
};

static const struct step_rule {
	bool used;
	enum step step;
	set_t arguments, call, end;
	uint32_t next;
} steps[ACTS] = {
#define X(name, ...) [A_##name] = {true, __VA_ARGS__},
	CONNECTOR_RULES(X)
#undef X
};

static const set_t matrix[CN_STATES][STEPS] = {
#define X(name, ...) [CN_##name] = {__VA_ARGS__},
	CONNECTOR_MATRIX(X)
#undef X
};

enum status status_of(HRESULT hr)
{
	static const HRESULT values[] = {
#define X(name, value) value,
		STATUS_ROWS(X)
#undef X
	};
	unsigned i = 0;

	while (i < STATUSES && values[i] != hr)
		i++;
	return (enum status)i;
}

const char *status_name(HRESULT hr)
{
	static const char *const names[] = {
#define X(name, value) #value,
		STATUS_ROWS(X)
#undef X
			"a status of no rule",
	};

	return names[status_of(hr)];
}

const char *act_name(enum act act)
{
	static const char *const names[] = {
#define X(name, ...) #name,
		PLAIN_RULES(X) GETTER_RULES(X) CONNECTOR_RULES(X)
#undef X
	};

	return names[act];
}

enum kind act_kind(enum act act)
{
	return steps[act].used ? K_CONNECTOR : plain[act].kind;
}

/* Returns the statuses that the act may return in one state. Stores in *end the statuses with which
 * the request of the act may end, and in *next the possible states after success. */
static set_t answers(enum act act, unsigned state, set_t *end, uint32_t *next)
{
	const struct step_rule *s = &steps[act];
	const struct rule *p = &plain[act];
	set_t call = 0;

	*end = 0;
	*next = 0;
	if (s->used) {
		if (state >= CN_STATES)
			return 0;
		if (matrix[state][s->step] != OK)
			return matrix[state][s->step] | s->arguments;
		*end = s->end;
		*next = s->next;
		return s->call | s->arguments;
	}
	if (p->states & IN(state)) {
		call = p->call;
		*end = p->end;
		*next = p->next;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].act == act && refusals[i].states & IN(state))
			call |= refusals[i].call;
	/* Cancelling a pending step of a connector ends its connection or its attempt to
	 * connect. */
	if (act == A_CONNECTOR_CANCEL &&
	    (state == CN_REQ_SENT || state == CN_REP_SENT || state == CN_DISCONNECTING))
		*next = IN(CN_DISCONNECTED);
	return call;
}

set_t rule_call(enum act act, uint32_t states)
{
	set_t call = 0, end;
	uint32_t next;

	for (unsigned s = 0; s < 32; s++)
		if (states & IN(s))
			call |= answers(act, s, &end, &next);
	return call;
}

set_t rule_end(enum act act, uint32_t states)
{
	set_t ends = 0, end;
	uint32_t next;

	for (unsigned s = 0; s < 32; s++) {
		if (!(states & IN(s)))
			continue;
		answers(act, s, &end, &next);
		ends |= end;
	}
	return ends;
}

uint32_t rule_next(enum act act, uint32_t states, HRESULT answer)
{
	bool taken = answer == ND_SUCCESS || answer == ND_PENDING;
	enum status r = status_of(answer);
	uint32_t all = 0, next;
	set_t end;

	if (r == STATUSES)
		return 0;
	for (unsigned s = 0; s < 32; s++)
		if (states & IN(s) && answers(act, s, &end, &next) & UINT64_C(1) << r)
			all |= taken && next != 0 ? next : IN(s);
	return all;
}

bool rule_moves(enum act act)
{
	return plain[act].next != 0 || steps[act].next != 0 || act == A_CONNECTOR_CANCEL;
}

uint32_t rule_drift(enum kind kind, uint32_t states)
{
	/* How a connector changes state without a call of its methods. The peer, the end of the
	 * listener's GetConnectionRequest, or the release of the queue pair cause such a change. */
	static const uint32_t to[CN_STATES] = {
		[CN_QUEUED] = IN(CN_IDLE) | IN(CN_REQ_RECEIVED),
		[CN_REQ_SENT] = IN(CN_BOUND) | IN(CN_REP_RECEIVED) | IN(CN_DISCONNECTED),
		[CN_REP_RECEIVED] = IN(CN_DISCONNECTED),
		[CN_REQ_RECEIVED] = IN(CN_DISCONNECTED),
		[CN_REP_SENT] = IN(CN_CONNECTED) | IN(CN_PEER_GONE) | IN(CN_DISCONNECTED),
		[CN_CONNECTED] = IN(CN_PEER_GONE) | IN(CN_DISCONNECTED),
		[CN_PEER_GONE] = IN(CN_DISCONNECTED),
		[CN_DISCONNECTING] = IN(CN_DISCONNECTED),
	};
	uint32_t before;

	if (kind != K_CONNECTOR)
		return states;
	do {
		before = states;
		for (unsigned s = 0; s < CN_STATES; s++)
			if (states & IN(s))
				states |= to[s];
	} while (states != before);
	return states;
}

uint32_t rule_first(enum kind kind)
{
	return kind == K_CONNECTOR ? IN(CN_IDLE) : IN(ONLY);
}

uint32_t rule_all(enum kind kind)
{
	switch (kind) {
	case K_CONNECTOR:
		return IN(CN_STATES) - 1;
	case K_LISTENER:
		return IN(LISTENER_LISTENING + 1) - 1;
	case K_REGION:
		return IN(REGION_REGISTERED + 1) - 1;
	default:
		return IN(ONLY);
	}
}
