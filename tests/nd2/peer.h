/* Runs a second process at the other end of a memif. The process accepts connections and then does
 * nothing until the test stops or kills it. The process runs the test program again with an
 * argument; main() then calls peer_be(). */
#ifndef PEER_H
#define PEER_H

#include <sys/types.h>

#include "fixture.h"

struct peer_plan {
	const char *name;   /* name of the test; part of the memif's socket name */
	const char *timers; /* the `timers` group of the configuration, for both processes */
	unsigned connections;
};

struct peer {
	const struct peer_plan *plan;
	pid_t pid;
	int socket;    /* the peer sends the port number of its listener through this socket */
	uint16_t port; /* port number of the peer's listener */
};

double now_s(void);

/* Starts the peer process, opens adapters[0] on this side, and waits until the peer listens. */
void peer_start(struct peer *peer, const struct peer_plan *plan);
/* Opens the end e on adapters[0] and connects it to the peer process. */
void peer_connect(const struct peer *peer, struct end *e);
/* Kills the peer process and waits until it has ended. */
void peer_kill(struct peer *peer);

/* The main program of the peer's process; returns its exit status. */
int peer_be(const struct peer_plan *plan);

#endif
