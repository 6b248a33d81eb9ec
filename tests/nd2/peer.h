/* A peer that is a process of its own, at the other end of a memif: it accepts connections and then does nothing, until the
 * test stops it or ends it. The test's main() calls peer_be() when it has an argument. */
#ifndef PEER_H
#define PEER_H

#include <sys/types.h>

#include "fixture.h"

struct peer_plan {
	const char *name;   /* of the test: tells its memif from those of others */
	const char *timers; /* of both sides, as a configuration has them */
	unsigned connections;
};

struct peer {
	const struct peer_plan *plan;
	pid_t pid;
	int socket;
	uint16_t port; /* it listens at */
};

double now_s(void);

/* Starts the process, opens adapters[0] on this side and waits until the peer listens. */
void peer_start(struct peer *peer, const struct peer_plan *plan);
/* Opens this end and connects it. */
void peer_connect(const struct peer *peer, struct end *e);
/* Kills the process and waits until it has ended. */
void peer_kill(struct peer *peer);

/* The peer's main program. */
int peer_be(const struct peer_plan *plan);

#endif
