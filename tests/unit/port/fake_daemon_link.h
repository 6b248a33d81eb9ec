/* Replaces the functions of nic/daemon_link.h: counts the requests that a module sends, and returns
 * the results that the test has set in struct fake_daemon. */
#ifndef FAKE_DAEMON_LINK_H
#define FAKE_DAEMON_LINK_H

#include "nic/daemon_link.h"

struct fake_daemon {
	/* recorded: requests so far, and the last of them */
	unsigned listens, unlistens, claims, unclaims, ports;
	unsigned attaches, returns;
	unsigned listens_at_port, claims_at_port; /* when the daemon got the port */
	unsigned batches; /* requests that announced several connections; `claims` counts these */
	unsigned largest; /* connections in one request */
	struct rn_daemon_claim last_claim;
	uint32_t last_unclaimed;
	uint64_t last_service;
	/* prescribed */
	int listen_rc[16]; /* results of listening, in order */
	int claim_rc;
	int return_rc; /* of becoming a client again */
	bool away;
	unsigned refusals; /* how often attaching still fails, with attach_rc */
	int attach_rc;
};

extern struct fake_daemon fake_daemon;

#endif
