/* One connection to the daemon's socket: a process that asks for something, and mostly a client of
 * the switch. Requests are those of rn/daemon.h. Runs in the control thread, except what vhost
 * devices report. */
#ifndef RN_SESSION_H
#define RN_SESSION_H

#include <sys/types.h>

#include "daemon/bucket.h"
#include "daemon/forward.h"
#include "daemon/seats.h"
#include "daemon/vhost.h"
#include "rn/daemon.h"
#include "rn/link.h"

/* What all sessions share. */
struct rn_session_env {
	struct rn_forward *forward;
	struct rn_seats *seats;
	struct rn_daemon_port port; /* the attributes of the port for the replies */
	unsigned clients;	    /* how many may be attached at the same time */
	unsigned attached;
	/* clients of the former daemon that may still come back, and until when */
	struct rn_client_set expected;
	rn_time expected_until;
	rn_time timewait;		  /* how long the number of a client that has gone rests */
	rn_time rests[RN_CLIENT_MAX + 1]; /* until when a number rests; 0: it does not */
	uid_t had[RN_CLIENT_MAX + 1];	  /* the user whose client had the number that rests */
	const char *name;		  /* of the adapter, for the log */
};

struct rn_session {
	struct rn_session_env *env;
	int fd; /* -1: the entry is not used */
	pid_t pid;
	uid_t uid;
	unsigned number; /* client number; 0: not attached */
	unsigned queues;
	int port_fd; /* the socket of the client's port, or -1 */
	struct rn_vhost *vhost;
	char name[32];
	struct rn_bucket requests;
	bool muted; /* has made too many requests, and must wait */
};

/* Begins a session on the connected socket fd. Returns 0 or -errno; the caller then closes fd. */
int rn_session_open(struct rn_session *s, struct rn_session_env *env, int fd);
/* Ends the session. The client's connections end as if it had died, unless `restart` is set: the
 * daemon itself ends, and the client is expected back. */
void rn_session_close(struct rn_session *s, bool restart);
/* Reads one request, if there is one, and answers it. Returns false if the session must be closed:
 * the process has gone, sends what is no request, or does not take its replies. */
bool rn_session_serve(struct rn_session *s, rn_time now);
/* Does the client have to be thrown out? */
bool rn_session_broken(const struct rn_session *s);

/* Ends the rest of numbers whose time has come. */
void rn_session_env_tick(struct rn_session_env *env, rn_time now);

#endif
