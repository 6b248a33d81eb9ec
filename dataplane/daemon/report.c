/* What does the daemon say about its port and its clients? */
#include "daemon/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "daemon/session.h"

/* A client's part of the report is shorter than this. */
#define CLIENT_TEXT 4096u

static const struct rn_session *sessions;
static unsigned nsessions;

void rn_report_sessions(const struct rn_session *s, unsigned n)
{
	sessions = s;
	nsessions = n;
}

static void add_counter(json_t *o, const char *name, uint64_t value)
{
	if (value != 0)
		json_object_set_new(o, name, json_integer((json_int_t)value));
}

struct counts {
	unsigned from, connections;
	uint64_t outcome[RN_OUTCOMES];
};

static void read_counts(struct rn_forward *f, void *arg, rn_time now)
{
	const struct rn_switch *sw = rn_forward_switch(f);
	struct counts *c = arg;

	for (unsigned o = 0; o < RN_OUTCOMES; o++)
		c->outcome[o] = rn_switch_count(sw, c->from, (enum rn_outcome)o);
	if (c->from != RN_SWITCH_WIRE)
		c->connections = rn_switch_connections(sw, c->from);
}

/* Returns the counters of a client or of the wire as an object. */
static json_t *counters(struct rn_session_env *env, struct counts *c)
{
	const struct rn_forward_stats *s = rn_forward_stats(env->forward, c->from);
	json_t *o = json_object(), *outcomes = json_object();

	rn_forward_call(env->forward, read_counts, c);
#define X(name, text) add_counter(o, #name, s->name);
	RN_FORWARD_STAT_ROWS(X)
#undef X
	for (unsigned i = 0; i < RN_OUTCOMES; i++)
		add_counter(outcomes, rn_outcomes[i].name, c->outcome[i]);
	json_object_set_new(o, "outcomes", outcomes);
	return o;
}

static json_t *port(struct rn_session_env *env)
{
	struct counts c = {.from = RN_SWITCH_WIRE};
	const uint8_t *m = env->port.mac;
	char mac[18];

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
		 m[5]);
	return json_pack("{s:s, s:s, s:i, s:b, s:i, s:i, s:i, s:o}", "name", env->name, "mac", mac,
			 "mtu", (int)env->port.mtu, "link_up", (int)env->port.link_up, "speed",
			 (int)env->port.speed, "clients", (int)env->attached, "clients_max",
			 (int)env->clients, "counters", counters(env, &c));
}

static json_t *client(struct rn_session_env *env, const struct rn_session *s)
{
	struct counts c = {.from = s->number};
	json_t *count = counters(env, &c);

	return json_pack("{s:i, s:s, s:i, s:i, s:b, s:i, s:i, s:o}", "number", (int)s->number,
			 "name", s->name, "pid", (int)s->pid, "uid", (int)s->uid, "plugged",
			 rn_forward_plugged(env->forward, s->number), "queues", (int)s->queues,
			 "connections", (int)c.connections, "counters", count);
}

static const struct rn_session *session_of(unsigned number)
{
	for (unsigned i = 0; i < nsessions; i++)
		if (sessions[i].fd >= 0 && sessions[i].number == number)
			return &sessions[i];
	return NULL;
}

void rn_report(struct rn_session_env *env, uint32_t from, struct rn_daemon_reply *rp)
{
	json_t *all = json_object(), *list = json_array();
	size_t room = sizeof(rp->show.text) - CLIENT_TEXT, used = 0;

	memset(&rp->show, 0, sizeof(rp->show));
	if (from == 0)
		json_object_set_new(all, "port", port(env));
	for (uint32_t n = RN_MAX(from, 1u); n <= RN_CLIENT_MAX; n++) {
		const struct rn_session *s = session_of(n);

		if (s == NULL)
			continue;
		if (used + CLIENT_TEXT > room) {
			rp->show.next = n;
			break;
		}
		json_t *one = client(env, s);
		used += json_dumpb(one, NULL, 0, JSON_COMPACT) + 1;
		json_array_append_new(list, one);
	}
	json_object_set_new(all, "clients", list);
	if (json_dumpb(all, rp->show.text, sizeof(rp->show.text) - 1, JSON_COMPACT) >=
	    sizeof(rp->show.text))
		rp->err = -ENOSPC;
	json_decref(all);
}
