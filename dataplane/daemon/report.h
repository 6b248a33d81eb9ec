/* The report of SHOW: port, clients and counters as JSON. Runs in the control thread. */
#ifndef RN_REPORT_H
#define RN_REPORT_H

#include "rn/daemon.h"

struct rn_session;
struct rn_session_env;

/* Sets the sessions that are reported: n of them, which stay where they are. */
void rn_report_sessions(const struct rn_session *sessions, unsigned n);
/* Writes the part of the report that begins with client number `from` to *rp. The first part has
 * the members "port" and "clients", each further part "clients". A counter that is 0 is left
 * out. */
void rn_report(struct rn_session_env *env, uint32_t from, struct rn_daemon_reply *rp);

#endif
