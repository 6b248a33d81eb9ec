/* The daemon's socket: accepts processes and serves their requests in turn. One thread, the control
 * thread, runs all functions. */
#ifndef RN_SERVER_H
#define RN_SERVER_H

#include "daemon/session.h"

struct rn_server;

/* Listens at `path`. The members of `group` may connect, or with an empty `group` only root and the
 * daemon's user. A socket file that nobody listens to is replaced. Returns 0, or -errno with a
 * sentence in err. `env` must outlive the server. */
int rn_server_open(struct rn_server **s, const char *path, const char *group,
		   struct rn_session_env *env, char *err, size_t errlen);
/* Serves for at most timeout_ms: accepts, executes requests, throws clients out that are broken. */
void rn_server_serve(struct rn_server *s, int timeout_ms, rn_time now);
/* Closes all sessions (rn_session_close()) and the socket. With `restart` its file stays. */
void rn_server_close(struct rn_server *s, bool restart);

#endif
